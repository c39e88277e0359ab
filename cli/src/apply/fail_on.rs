//! `plan --fail-on`: which differences between a file and its page decide the exit code.

use clap::ValueEnum;
use links_pages::sync::{DeletionReason, Merge};

use super::planned::PlannedPage;
use crate::context::prelude::*;

/// Differences for which a plan ends with exit code 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// `apply` would write something
    #[default]
    Pending,
    /// The page changed since the last sync, even if `apply` would write nothing
    Remote,
    /// Either of the two
    Any,
}

impl FailOn {
    /// Refuses a question that only the records of the last syncs can answer, where there is none.
    pub(crate) fn check<'p>(
        self,
        mut planned: impl Iterator<Item = &'p PlannedPage>,
    ) -> Result<()> {
        let is_recorded =
            |it: &PlannedPage| it.record.as_ref().is_some_and(|it| it.page().is_some());
        let unknown = planned.find(|it| self != Self::Pending && !is_recorded(it));
        let Some(planned) = unknown else { return Ok(()) };
        let message = format!(
            "links.lock has no record of {}, so changes on the page since the last sync are unknown; nothing was written",
            planned.file.document.name()
        );
        Err(CommandError::refused(message).with_hint(
            "to record the page, run `links slots apply` or `links init --refresh` on a file that a links.lock covers",
        ))
    }

    /// Returns whether a plan with these differences has such.
    pub(crate) fn is_met(self, is_pending: bool, is_remote: bool) -> bool {
        match self {
            Self::Pending => is_pending,
            Self::Remote => is_remote,
            Self::Any => is_pending || is_remote,
        }
    }
}

/// Returns whether the page was changed since the last sync, also where the plan replaces or deletes what was changed.
pub(crate) fn is_changed_there(merge: &Merge) -> bool {
    let is_of_others = |reason| reason != DeletionReason::DeletedHere;
    !merge.remote.is_empty()
        || !merge.replaced.is_empty()
        || merge.deletions.iter().any(|it| is_of_others(it.reason))
}
