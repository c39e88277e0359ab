//! A page file that takes over what changed on its page since the last sync.

use links_pages::apply::SlotTypes;
use links_pages::sync::{ConflictMark, Pull};

use super::SyncRecord;
use super::pull_edits::edits;
use super::record::REPLACES;
use crate::context::prelude::*;
use links_pages::page_file::Document;
use links_pages::page_file::patch::{Edit, MarkedConflict, PatchError, patch};

/// Takes over the changes of a page. `text` is the whole text of the file. Returns the new one, and what is taken over.
pub(crate) fn pulled_text(
    record: &SyncRecord,
    text: &str,
    file: &PageFile,
    page: &PageSnapshot,
    types: &SlotTypes,
) -> Result<(String, Pull)> {
    let pull = record.pull(file, page, types, &BTreeSet::new())?;
    let edits = edits(&pull, &file.page.content.fields);
    Ok((patched(text, &edits, &file.document)?, pull))
}

/// Takes over the changes of a form into the text of its file. What is marked only differs: the record may not say which side changed it.
pub(crate) fn pulled_form_text(pull: &Pull, text: &str, file: &Document) -> Result<String> {
    let of_form = |edit: Edit| match edit {
        Edit::Mark { path, conflict: MarkedConflict::Changed(value) } => {
            Edit::Mark { path, conflict: MarkedConflict::Differs(value) }
        }
        edit => edit,
    };
    let edits: Vec<Edit> = edits(pull, &Object::default()).into_iter().map(of_form).collect();
    patched(text, &edits, file)
}

fn patched(text: &str, edits: &[Edit], file: &Document) -> Result<String> {
    patch(text, edits).map_err(|error| match &error {
        PatchError::Invalid(problems) => file.bad(problems.clone()).into(),
        error => unpatched(error, Path::new(file.name())),
    })
}

/// Short description of what is taken over.
pub(crate) fn pull_summary(pull: &Pull) -> String {
    let Pull { fields, keys, inserted, removed, marks, .. } = pull;
    let kept = |mark: &&ConflictMark| matches!(mark, ConflictMark::DeletedHere { .. });
    let counts = [
        (fields.len() + keys.len(), "change", "merged"),
        (inserted.len() - marks.iter().filter(kept).count(), "slot", "added"),
        (removed.len(), "item", "removed"),
        (marks.len(), "conflict", "marked"),
    ];
    let counted = counts.into_iter().filter(|(number, ..)| *number > 0);
    let counted = counted.map(|(number, what, done)| format!("{} {done}", count(number, what)));
    let mut parts: Vec<String> = counted.collect();
    parts.extend(pull.is_reordered.then(|| "reordered".to_owned()));
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}

/// Returns the error for a file that cannot be edited.
pub(super) fn unpatched(error: &PatchError, file: &Path) -> CommandError {
    let message = format!("{}: {error}; nothing was written", file.display());
    match error {
        PatchError::NotMarkable { .. } => CommandError::conflict(message)
            .with_hint("to keep the file's values, run `links apply --force`; to replace them, pull again with --force"),
        _ => CommandError::refused(message).with_hint(REPLACES),
    }
}
