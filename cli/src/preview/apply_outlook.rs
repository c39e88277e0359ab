//! What `links apply` would do with the file of a preview.

use links_sdk::SlotId;
use links_sdk::apply::GuardRefusal;

use crate::output::StyledLine;

/// What `links apply` would do with the file of a preview.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApplyOutlook {
    /// True if anything would be written.
    pub(crate) is_changed: bool,
    /// Reason why the plan would be refused without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
    /// What would have to be confirmed, such as `2 deletes`.
    pub(crate) irreversible: Vec<String>,
    /// Lines that name each of them.
    pub(crate) named: Vec<StyledLine>,
    /// Slots that would be deleted.
    pub(crate) deletes: Vec<SlotId>,
}
