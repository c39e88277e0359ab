//! A merge of a page file with its page, and the lines and diagnostics about it.

use std::fmt;

use links_pages::sync::{
    Conflict, Deletion, DeletionReason, Merge, PageBase, RemoteChange, Replaced, SlotBase,
    SyncNote, ValueHash,
};

use super::LockStore;
use crate::context::prelude::*;
use crate::error::for_account;
use crate::output::named_slot;
use crate::ui::plan::shown_value;
use links_pages::page_file::{At, Document, FieldDiagnostic, FileKind};

/// A merge of a page file with its page, and the record that it was made with.
#[derive(Debug)]
pub(crate) struct MergedPage {
    /// The record of the last sync with which the merge was made.
    pub(crate) base: Option<PageBase>,
    /// The slots that locks have, without what runs of this machine have sent since.
    pub(crate) recorded: Vec<SlotBase>,
    /// Set if slots of the page have only lines of commits that are not known.
    pub(crate) is_unsure: bool,
    pub(crate) merge: Merge,
    pub(crate) since: Since,
}

impl MergedPage {
    /// Returns the lines about the merge.
    pub(crate) fn lines(&self) -> Vec<StyledLine> {
        lines(&self.merge, self.base.is_some(), ("on the page", self.since))
    }
}

/// Time from which a merge counts the changes of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// The last sync of the file.
    Sync,
    /// The moment at which the text was opened in an editor.
    Opened,
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync => "since the last sync",
            Self::Opened => "since the text was opened",
        })
    }
}

/// Returns the error for changes of both sides that exclude each other, at their places in the file, each with the ways to settle it. `pull` is
/// the command that marks them there, `gap` says why earlier commits are unknown.
pub(crate) fn refusal(
    merge: &Merge,
    file: &Document,
    pull: String,
    gap: Option<&str>,
) -> CommandError {
    let (pull, held) = (for_account(pull), if is_form(file) { "form" } else { "page" });
    let keep_value =
        format!("use --force to keep the file's value, or write the {held}'s value here");
    let with_help = |conflicting: &Conflict| {
        if let Some(gap) = gap {
            let help = format!(
                "nothing was written; earlier commits may have this value, but were not read: {gap}"
            );
            return conflict(conflicting, file, Since::Sync).help(help);
        }
        let help = match conflicting {
            Conflict::Value { .. } => &*keep_value,
            Conflict::DeletedThere { .. } => {
                "delete the item, or use --force to create the slot again"
            }
            Conflict::DeletedHere { .. } => {
                "use --force to delete it, or add an item with this ID to keep it"
            }
            Conflict::Order { .. } => {
                "use --force to keep the file's order, or use the page's order here"
            }
        };
        let help = format!("nothing was written; {help}; to mark it in the file, run `{pull}`");
        conflict(conflicting, file, Since::Sync).help(help)
    };
    let problems = merge.conflicts.iter().map(with_help).collect();
    let message =
        format!("the file and the {held} both changed since the last sync; nothing was written");
    let hint = format!(
        "run `{pull}` to mark the conflicts in the file, or use --force to keep the file's values"
    );
    CommandError::conflict(message).with_hint(hint).at(file.bad(problems))
}

fn is_form(file: &Document) -> bool {
    matches!(FileKind::of(&file.root), Ok(Some(FileKind::Form)))
}

/// Returns a conflict at its place in the file.
pub(super) fn conflict(conflict: &Conflict, file: &Document, since: Since) -> FieldDiagnostic {
    let slots = "slots".to_owned();
    let (there, held) = if is_form(file) { ("in", "form") } else { ("on", "page") };
    let (path, message) = match conflict {
        Conflict::Value { slot, key, page, recorded, .. } => {
            let what = if *recorded {
                format!("changed both here and {there} the {held} {since}")
            } else {
                format!("differs from the {held}, and no sync recorded which one is newer")
            };
            let page = shown_value(page);
            let message = match slot {
                Some((_, id)) => format!("{what}; slot {id} has {page}"),
                None => format!("{what}; the {held} has {page}"),
            };
            (value_path(*slot, key), message)
        }
        Conflict::DeletedThere { item, id, keys } => {
            let keys = keys.join(", ");
            let message =
                format!("changed here ({keys}), but slot {id} was deleted on the page {since}");
            (vec![slots, item.to_string()], message)
        }
        Conflict::DeletedHere { id, kind, label, keys } => {
            let slot = named_slot(kind, *id, label.as_deref());
            let keys = keys.join(", ");
            let message = format!(
                "{slot} is no longer in the file, but was changed on the page {since} ({keys})"
            );
            (vec![slots], message)
        }
        Conflict::Order { page } => {
            let ids = page.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let message =
                format!("the order changed both here and on the page {since}; the page has {ids}");
            (vec![slots], message)
        }
    };
    file.locate(&path, At::Value, message)
}

/// Returns the path of a profile field, or of a key of the data of an item, in a file.
fn value_path(slot: Option<(usize, SlotId)>, key: &str) -> Vec<String> {
    let item = slot.map(|(item, _)| ["slots".to_owned(), item.to_string(), "data".to_owned()]);
    item.into_iter().flatten().chain([key.to_owned()]).collect()
}

/// Returns lines about the changes of others that a plan keeps or replaces, and notes; without what they say of the login. `there` is `on the
/// page` or `in the form`.
pub(crate) fn lines(
    merge: &Merge,
    is_recorded: bool,
    (there, since): (&str, Since),
) -> Vec<StyledLine> {
    // The plan lists it among the slots that stay.
    let is_listed =
        |it: &&RemoteChange| since == Since::Opened || !matches!(it, RemoteChange::Made { .. });
    let kept = merge.remote.iter().filter(is_listed);
    let kept = kept.map(|it| StyledLine::changed(format!("< {}", remote(it, there, since))));
    // Without a record nothing tells that an empty value was anything else before.
    let is_noted = |replaced: &&Replaced| match replaced {
        Replaced::Key { page, .. } => is_recorded || !is_empty(page),
        Replaced::Field { key, page } => (is_recorded || !is_empty(page)) && key != "login",
        Replaced::Order { .. } | Replaced::Deletion { .. } => true,
    };
    let replaced = merge.replaced.iter().filter(is_noted);
    let replaced =
        replaced.map(|it| StyledLine::changed(format!("! {}", replaced_words(it, there))));
    let deleted = merge.deletions.iter().filter_map(|deletion| {
        let why = match deletion.reason {
            DeletionReason::DeletedHere => return None,
            DeletionReason::ChangedThere => "changed",
            DeletionReason::MadeThere => "created",
        };
        let Deletion { kind, id, .. } = deletion;
        let text = format!("! deletes {kind} {id}, which was {why} on the page {since}");
        Some(StyledLine::removed(text))
    });
    let notes = merge.notes.iter().map(|it| StyledLine::faint(note(it, there)));
    kept.chain(replaced).chain(deleted).chain(notes).collect()
}

/// Describes a change of others that the file does not have.
pub(crate) fn remote(change: &RemoteChange, there: &str, since: Since) -> String {
    match change {
        RemoteChange::Key { id, key, page, .. } => {
            let page = shown_value(page);
            format!("slot {id}: `{key}` changed to {page} {there} {since}; kept")
        }
        RemoteChange::Field { key, page, .. } => {
            format!("`{key}` changed to {} {there} {since}; kept", shown_value(page))
        }
        RemoteChange::Deleted { item, id } => {
            format!("item {}: slot {id} was deleted {there} {since}; not recreated", item + 1)
        }
        RemoteChange::Made { id, kind, .. } => {
            format!("{kind} {id} was created {there} {since}; kept")
        }
        RemoteChange::Order { .. } => format!("the order changed {there} {since}; kept"),
    }
}

fn replaced_words(replaced: &Replaced, there: &str) -> String {
    let value = |page: &Value| if is_empty(page) { "empty".to_owned() } else { shown_value(page) };
    match replaced {
        Replaced::Key { id, key, page, .. } => {
            format!("slot {id}: overwrites `{key}`, which is now {} {there}", value(page))
        }
        Replaced::Field { key, page } => {
            format!("overwrites `{key}`, which is now {} {there}", value(page))
        }
        Replaced::Order { .. } => "overwrites the order of the page".to_owned(),
        Replaced::Deletion { item, id } => {
            format!("item {}: recreates slot {id}, which was deleted {there}", item + 1)
        }
    }
}

fn is_empty(value: &Value) -> bool {
    ValueHash::of(value).is_empty()
}

fn note(note: &SyncNote, there: &str) -> String {
    match note {
        SyncNote::KeyStays { id, key, .. } => {
            format!("slot {id}: `{key}` is no longer in the file; its value stays {there}")
        }
        SyncNote::FieldStays { key } => {
            format!("`{key}` is no longer in the file; its value stays {there}")
        }
        SyncNote::Adopted { item, id } => {
            format!("item {} matched new slot {id} {there} (same content)", item + 1)
        }
        SyncNote::Recreated { item, was, id } => {
            format!(
                "item {} matched slot {id}, which was recreated in place of slot {was}",
                item + 1
            )
        }
    }
}

/// Line about a file without a record, whose values replace others.
pub(crate) fn without_record(of: &str) -> StyledLine {
    StyledLine::changed(format!(
        "warning: no previous sync recorded for this file; its values will overwrite the {of}'s"
    ))
}

/// Note for a page file on standard input where a `links.lock` would govern a file.
pub(crate) fn note_on_input(file: &Path) -> Option<StyledLine> {
    let is_governed = file.as_os_str() == "-" && LockStore::of(file).is_some();
    let text = "warning: standard input has no recorded sync; its values will overwrite the page's";
    is_governed.then(|| StyledLine::faint(text))
}
