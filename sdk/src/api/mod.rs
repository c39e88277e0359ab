//! The operations of the service, one handle a resource.

mod analytics;
mod channels;
mod discovery;
mod files;
mod forms;
mod listing;
mod login;
mod music;
mod order;
mod patch;
mod profiles;
mod raw;
mod settings;
mod slots;

pub use analytics::{Analytics, AnalyticsHandle, AnalyticsQuery};
pub use files::FilesHandle;
pub use forms::{FormHandle, FormsHandle};
pub use listing::Listing;
pub use music::{MusicQuery, MusicType};
pub use profiles::{CheckLogin, Markdown, ProfileHandle, ProfilesHandle};
pub use raw::RawCall;
pub(crate) use slots::delete_seen;
pub use slots::{Deleted, SlotsHandle};

/// Whether a text can stand as one segment of a path without meaning something else there.
fn path_segment(what: &str, text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || !text.chars().all(plain) {
        return Err(format!("{text:?} is not a {what}: only letters, digits, `-` and `_`"));
    }
    Ok(())
}
