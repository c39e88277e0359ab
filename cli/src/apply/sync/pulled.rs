//! A page file that takes over what changed on its page since the last sync.

use std::collections::BTreeSet;
use std::path::Path;

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
        let pull = pull_of(record, file, page, types, &BTreeSet::new())?;
        let edits = edits(&pull, &file.page.content.fields);
        let text = patch(text, &edits).map_err(|error| match &error {
            PatchError::Invalid(problems) => file.document.bad(problems.clone()).into(),
            error => unpatched(error, Path::new(file.document.name())),
        })?;
        Ok(Self { text, pull })
    }

    /// Returns a pull whose file is written by other means.
    pub(crate) fn written(pull: Pull) -> Self {
        Self { text: String::new(), pull }
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

const REPLACES: &str = "use --force to replace the whole file";

/// Decides what a pull changes in a file, apart from keys and fields that are `refused`.
pub(super) fn pull_of(
    record: &SyncRecord,
    file: &PageFile,
    page: &PageSnapshot,
    types: &SlotTypes,
    refused: &BTreeSet<(Option<usize>, String)>,
) -> Result<Pull, CommandError> {
    record.pull(file, page, types, refused).map_err(|error| match error {
        PlanError::Unclear(problems) => CommandError::from(file.document.bad(identity_problems(
            &problems,
            file,
            &|id| record.page_of_slot(id),
        ))),
        error => CommandError::invalid(error.to_string()).with_hint(REPLACES),
    })
}

/// Returns the error for a file that cannot be edited.
pub(super) fn unpatched(error: &PatchError, file: &Path) -> CommandError {
    let message = format!("{}: {error}; nothing was written", file.display());
    match error {
        PatchError::NotMarkable { .. } => CommandError::new(Exit::Conflict, message).with_hint(
            "resolve this with `links slots apply --force`, which keeps the file's values",
        ),
        _ => CommandError::refused(message).with_hint(REPLACES),
    }
}
