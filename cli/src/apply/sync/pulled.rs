//! A page file that takes over what changed on its page since the last sync.

use std::collections::BTreeSet;

use links_pages::apply::{PageSnapshot, PlanError, SlotTypes};
use links_pages::sync::{ConflictMark, Pull};

use super::pull_edits::edits;
use super::{SyncRecord, identity_problems};
use crate::context::Context;
use crate::error::{CommandError, Exit};
use links_pages::page_file::PageFile;
use links_pages::page_file::patch::{PatchError, patch};

/// A page file after a pull, not written yet.
pub(crate) struct PulledFile {
    /// Text of the file.
    pub(crate) text: String,
    pub(crate) pull: Pull,
}

impl PulledFile {
    /// Takes over the changes of a page. `text` is the whole text of the file.
    pub(crate) fn of(
        record: &SyncRecord,
        text: &str,
        file: &PageFile,
        page: &PageSnapshot,
        types: &SlotTypes,
    ) -> Result<Self, CommandError> {
        let replaces = "use --force to replace the whole file";
        let pull = record.pull(file, page, types).map_err(|error| match error {
            PlanError::Unclear(problems) => CommandError::from(
                file.document
                    .bad(identity_problems(&problems, file, &|id| record.page_of_slot(id))),
            ),
            error => CommandError::invalid(error.to_string()).with_hint(replaces),
        })?;
        let edits = edits(&pull, &file.page.content.fields);
        let text = patch(text, &edits).map_err(|error| {
            let refused = |exit| CommandError::new(exit, format!("{error}; nothing was written"));
            match &error {
                PatchError::Invalid(problems) => file.document.bad(problems.clone()).into(),
                PatchError::NotMarkable { .. } => refused(Exit::Conflict).with_hint(
                    "resolve this with `links slots apply --force`, which keeps the file's values",
                ),
                _ => refused(Exit::Refused).with_hint(replaces),
            }
        })?;
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
            (fields.len() + keys.len(), "change merged", "changes merged"),
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
        (file, page): (&PageFile, &PageSnapshot),
    ) -> Result<(), CommandError> {
        record.put(context, (file, page), self.pull.base, BTreeSet::new())
    }
}
