//! A merge of a page file with its page.

use links_pages::sync::{Merge, PageBase};

use super::Since;

/// A merge of a page file with its page, and the record that it was made with.
#[derive(Debug)]
pub(crate) struct MergedPage {
    /// The record of the last sync with which the merge was made.
    pub(crate) base: Option<PageBase>,
    pub(crate) merge: Merge,
    pub(crate) since: Since,
}
