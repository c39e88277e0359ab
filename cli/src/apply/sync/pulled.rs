//! A page file that takes over what changed on its page since the last sync.

use links_pages::apply::{PageSnapshot, SlotTypes};
use links_pages::sync::{ConflictMark, Pull, SyncError};

use super::pull_edits::edits;
use super::record::image_paths;
use super::{SyncRecord, identity_problems};
use crate::apply::image::Image;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use links_pages::page_file::PageFile;
use links_pages::page_file::patch::{PatchError, patch};

/// A page file after a pull, not written yet.
pub(crate) struct PulledFile {
    /// Text of the file.
    pub(crate) text: String,
    pub(crate) pull: Pull,
}

/// Reason why a file cannot take over the changes of its page. Nothing was written.
pub(crate) enum PullFailure {
    Sync(SyncError),
    Patch(PatchError),
}

impl PulledFile {
    /// Takes over the changes of a page. `text` is the whole text of the file.
    pub(crate) fn of(
        record: &SyncRecord,
        text: &str,
        file: &PageFile,
        images: &[Image],
        page: &PageSnapshot,
        types: &SlotTypes,
    ) -> Result<Self, PullFailure> {
        let pull = record.pull(file, images, page, types).map_err(PullFailure::Sync)?;
        let text =
            patch(text, &edits(&pull, &file.page.content.fields)).map_err(PullFailure::Patch)?;
        Ok(Self { text, pull })
    }

    /// Number of conflicts that are marked in the file.
    pub(crate) fn conflicts(&self) -> usize {
        self.pull.marks.len()
    }

    /// Short description of what is taken over.
    pub(crate) fn summary(&self) -> String {
        let Pull { fields, keys, inserted, removed, .. } = &self.pull;
        let kept = |mark: &&ConflictMark| matches!(mark, ConflictMark::DeletedHere { .. });
        let back = self.pull.marks.iter().filter(kept).count();
        let counts = [
            (fields.len() + keys.len(), "value taken over", "values taken over"),
            (inserted.len() - back, "slot added", "slots added"),
            (removed.len(), "item removed", "items removed"),
            (self.conflicts(), "conflict marked", "conflicts marked"),
        ];
        let count = |(count, one, many): &(usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let mut parts: Vec<_> = counts.iter().filter_map(count).collect();
        parts.extend(self.pull.is_reordered.then(|| "reordered".to_owned()));
        if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
    }

    /// Records the sync, once the file is written.
    pub(crate) fn store(
        self,
        context: &Context,
        record: &SyncRecord,
        file: &PageFile,
        images: &[Image],
    ) -> Result<(), CommandError> {
        record.put(context, self.pull.base, image_paths(file, images))
    }
}

impl PullFailure {
    /// Returns the error, at its places in the file.
    pub(crate) fn into_error(self, file: &PageFile) -> CommandError {
        let replaces = "--force replaces the whole file";
        match self {
            Self::Sync(SyncError::Identity(error)) => {
                file.document.bad(identity_problems(&error, file)).into()
            }
            Self::Sync(SyncError::Plan(error)) => {
                CommandError::new(Exit::Invalid, error.to_string()).with_hint(replaces)
            }
            Self::Patch(PatchError::Invalid(problems)) => file.document.bad(problems).into(),
            Self::Patch(error @ PatchError::NotMarkable { .. }) => {
                CommandError::new(Exit::Conflict, format!("{error}; nothing was written"))
                    .with_hint("write the page's value or your own with `slots apply --overwrite`")
            }
            Self::Patch(error) => {
                CommandError::new(Exit::Refused, format!("{error}; nothing was written"))
                    .with_hint(replaces)
            }
        }
    }
}
