//! A merge of a page file with its page, and the lines and diagnostics about it.

use std::fmt;

use links_pages::apply::{ItemError, ItemProblem};
use links_pages::sync::{
    Conflict, Deletion, DeletionReason, IdentityProblem, Merge, PageBase, RemoteChange, Replaced,
    SlotBase, SyncNote, ValueHash,
};

use super::LockStore;
use crate::context::prelude::*;
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

/// Returns the conflicts of a merge at their places in the file, each with the ways to settle it. `pull` is the command that marks them there,
/// `gap` says why earlier commits are unknown.
pub(crate) fn conflicts(
    merge: &Merge,
    file: &Document,
    pull: &str,
    gap: Option<&str>,
) -> Vec<FieldDiagnostic> {
    let with_help = |conflicting: &Conflict| {
        if let Some(gap) = gap {
            let help = format!(
                "nothing was written; earlier commits may have this value, but were not read: {gap}"
            );
            return conflict(conflicting, file, Since::Sync).help(help);
        }
        let help = match conflicting {
            Conflict::Value { .. } => {
                if is_form(file) {
                    "use --force to keep the file's value, or write the form's value here"
                } else {
                    "use --force to keep the file's value, or write the page's value here"
                }
            }
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
    merge.conflicts.iter().map(with_help).collect()
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
            let label = label.as_deref().map(|it| format!(" \"{it}\"")).unwrap_or_default();
            let message = format!(
                "{kind} {id}{label} is no longer in the file, but was changed on the page {since} ({})",
                keys.join(", ")
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

/// Returns the problems of items whose slots are unclear, at their places in the file. `page_of_slot` says which other page has a slot.
pub(crate) fn identity_problems(
    problems: &[IdentityProblem],
    file: &PageFile,
    page_of_slot: &dyn Fn(SlotId) -> Option<String>,
) -> Vec<FieldDiagnostic> {
    let problems = problems.iter().flat_map(|problem| {
        let (items, key): (&[usize], _) = match problem {
            IdentityProblem::Named(ItemError { index, problem }) => {
                let differs = matches!(problem, ItemProblem::TypeDiffers { .. });
                (std::slice::from_ref(index), Some(if differs { "type" } else { "id" }))
            }
            IdentityProblem::Resembles { item, .. } => (std::slice::from_ref(item), None),
            IdentityProblem::Ambiguous { items, .. }
            | IdentityProblem::PerhapsDeleted { items, .. } => (items, None),
        };
        let other = match problem {
            IdentityProblem::Named(ItemError {
                problem: ItemProblem::NotOnPage { id }, ..
            }) => page_of_slot(*id),
            _ => None,
        };
        items.iter().map(move |item| {
            let item = item.to_string();
            let path: Vec<&str> = ["slots", &item].into_iter().chain(key).collect();
            file.document.locate(&path, At::Value, problem.to_string()).help_if(other.clone())
        })
    });
    problems.collect()
}

/// Returns lines about the changes of others that a plan keeps or replaces, and notes; without what they say of the login.
pub(crate) fn lines(merged: &MergedPage) -> Vec<StyledLine> {
    let MergedPage { base, merge, since, .. } = merged;
    let since = *since;
    // The plan lists it among the slots that stay.
    let is_listed =
        |it: &&RemoteChange| since == Since::Opened || !matches!(it, RemoteChange::Made { .. });
    let kept = merge.remote.iter().filter(is_listed).map(|it| remote(it, since));
    let kept = kept.map(StyledLine::changed);
    // Without a record nothing tells that an empty value was anything else before.
    let is_noted = |replaced: &&Replaced| match replaced {
        Replaced::Key { page, .. } => base.is_some() || !is_empty(page),
        Replaced::Field { key, page } => (base.is_some() || !is_empty(page)) && key != "login",
        Replaced::Order { .. } | Replaced::Deletion { .. } => true,
    };
    let replaced = merge.replaced.iter().filter(is_noted).map(replaced);
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
    let notes = merge.notes.iter().map(|it| StyledLine::faint(note(it)));
    kept.chain(replaced).chain(deleted).chain(notes).collect()
}

fn remote(change: &RemoteChange, since: Since) -> String {
    match change {
        RemoteChange::Key { id, key, page, .. } => {
            let page = shown_value(page);
            format!("< slot {id}: `{key}` changed to {page} on the page {since}; kept")
        }
        RemoteChange::Field { key, page, .. } => {
            format!("< `{key}` changed to {} on the page {since}; kept", shown_value(page))
        }
        RemoteChange::Deleted { item, id } => {
            format!("< item {}: slot {id} was deleted on the page {since}; not recreated", item + 1)
        }
        RemoteChange::Made { id, kind, .. } => {
            format!("< {kind} {id} was created on the page {since}; kept")
        }
        RemoteChange::Order { .. } => format!("< the order changed on the page {since}; kept"),
    }
}

/// Describes a change of the page that the file does not have.
pub(crate) fn remote_words(change: &RemoteChange) -> String {
    remote(change, Since::Sync).trim_start_matches("< ").to_owned()
}

fn replaced(replaced: &Replaced) -> StyledLine {
    let value = |page: &Value| if is_empty(page) { "empty".to_owned() } else { shown_value(page) };
    let text = match replaced {
        Replaced::Key { id, key, page, .. } => {
            format!("! slot {id}: overwrites `{key}`, which is now {} on the page", value(page))
        }
        Replaced::Field { key, page } => {
            format!("! overwrites `{key}`, which is now {} on the page", value(page))
        }
        Replaced::Order { .. } => "! overwrites the order of the page".to_owned(),
        Replaced::Deletion { item, id } => {
            format!("! item {}: recreates slot {id}, which was deleted on the page", item + 1)
        }
    };
    StyledLine::changed(text)
}

fn is_empty(value: &Value) -> bool {
    ValueHash::of(value) == ValueHash::of(&Value::Null)
}

fn note(note: &SyncNote) -> String {
    match note {
        SyncNote::KeyStays { id, key, .. } => {
            format!("slot {id}: `{key}` is no longer in the file; its value stays on the page")
        }
        SyncNote::FieldStays { key } => {
            format!("`{key}` is no longer in the file; its value stays on the page")
        }
        SyncNote::Adopted { item, id } => {
            format!("item {} matched new slot {id} on the page (same content)", item + 1)
        }
        SyncNote::Recreated { item, was, id } => {
            format!(
                "item {} matched slot {id}, which was recreated in place of slot {was}",
                item + 1
            )
        }
    }
}

/// Note for a page file on standard input where a `links.lock` would govern a file.
pub(crate) fn note_on_input(file: &Path) -> Option<StyledLine> {
    let is_governed = file.as_os_str() == "-" && LockStore::of(file).is_some();
    let text = "warning: standard input has no recorded sync; its values will overwrite the page's";
    is_governed.then(|| StyledLine::faint(text))
}
