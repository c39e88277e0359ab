//! Content of a page file.

use std::collections::BTreeSet;
use std::sync::Arc;

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

/// Id in a file for a slot that is none of those that were made on the page.
pub(crate) const NEW: &str = "new";

/// Content of a page file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageContent {
    /// Key of the page.
    pub(crate) profile: ProfileKey,
    /// Host in the URL that the file has instead of a login.
    pub(crate) host: Option<String>,
    /// Login that the page should have, if the file says one.
    pub(crate) login: Option<String>,
    /// False if the file leaves the slots of the page as they are; then `content` has none.
    pub(crate) has_slots: bool,
    /// Profile fields that the file mentions, and slots in page order, at most 500. An image of this machine is a reference as written.
    /// Shared with the run that applies them.
    pub(crate) content: Arc<DesiredPage>,
    /// Indices of the slots with `id: new`: they are none of those that were made on the page, although they resemble one.
    pub(crate) marked_new: BTreeSet<usize>,
}

impl PageContent {
    /// Returns the content of a file that has only slots.
    pub(crate) fn of_slots(profile: ProfileKey, slots: DesiredPage) -> Self {
        Self {
            profile,
            host: None,
            login: None,
            has_slots: true,
            content: slots.into(),
            marked_new: BTreeSet::new(),
        }
    }
}
