//! What `links apply` would do with the file of a preview.

use links_sdk::apply::GuardRefusal;

/// What `links apply` would do with the file of a preview.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApplyOutlook {
    /// True if anything would be written.
    pub(crate) is_changed: bool,
    /// Reason why the plan would be refused without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
    /// What would have to be confirmed, such as `2 deletes`.
    pub(crate) irreversible: Vec<String>,
    /// Number of slots that would be deleted.
    pub(crate) deletes: usize,
}
