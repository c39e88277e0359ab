//! Operations of the service, with one handle for each resource.

use std::ops::Deref;

pub use analytics::{Analytics, AnalyticsHandle, AnalyticsQuery, Period};
pub(crate) use conditional::{ConditionalPatch, PatchRecord, SlotsWrite};
pub use discovery::{MusicQuery, MusicType};
pub use files::FilesHandle;
pub use forms::{FormHandle, FormsHandle};
pub use profiles::{Markdown, ProfileHandle, ProfilesHandle};
pub use raw::RawCall;
pub use slot_deletes::DeletedSlots;
pub(crate) use slot_deletes::delete_if_unchanged;
pub use slots::SlotsHandle;

mod analytics;
mod conditional;
mod discovery;
mod files;
mod forms;
mod profiles;
mod raw;
mod settings;
mod slot_deletes;
mod slots;

/// A list of records. It reads like a `Vec`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The records, in the order of the service.
    pub items: Vec<T>,
    /// Total that the service reports. More than `items.len()` would mean that it has begun to send pages, which it does not document.
    pub total: i64,
}

impl<T> Listing<T> {
    pub(crate) fn new(items: Vec<T>, total: i64) -> Self {
        Self { items, total }
    }
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Listing<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// Checks that a value can be one segment of a path: only characters that have no special meaning in a path.
pub(super) fn path_segment(what: &str, text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || !text.chars().all(plain) {
        return Err(format!("{text:?} is not a {what}: only letters, digits, `-` and `_`"));
    }
    Ok(())
}
