//! Annotations of a plan at the lines of its files: what would be written, and what was changed on the pages.

use links_pages::sync::RemoteChange;

use super::state::AccountState;
use crate::apply::planned::PlannedPage;
use crate::apply::sync::{self, Since};
use crate::ui::annotations::{Annotate, Level};

/// Writes a note at each line of a file that would change its page, and a warning where the page was changed.
pub(super) fn annotate(annotate: Annotate, state: &AccountState) {
    for planned in state.planned() {
        let document = &planned.file.document;
        for (path, level, message) in notes(planned) {
            for (place, problem) in document.refuse([(&*path, &*message)]).places() {
                annotate.note(level, (place.file, place.line), &problem.message);
            }
        }
    }
}

/// Returns the places in a file with what is to be said of them.
fn notes(planned: &PlannedPage) -> Vec<(String, Level, String)> {
    let mut notes = Vec::new();
    let slot = |item: usize| format!("slots.{item}");
    for name in planned.plan().fields.changed.keys() {
        notes.push((name.clone(), Level::Notice, format!("writes {name}")));
    }
    for update in &planned.plan().updates {
        let keys: Vec<&str> = update.changed.keys().map(String::as_str).collect();
        let message = format!("updates slot {}: {}", update.id, keys.join(", "));
        notes.push((slot(update.index), Level::Notice, message));
    }
    for create in &planned.plan().creates {
        let message = format!("creates a {} slot", create.kind);
        notes.push((slot(create.index), Level::Notice, message));
    }
    for delete in &planned.plan().deletes {
        let only = planned.lock_only.slots.contains(&delete.id);
        let only = if only { "; only links.lock says that it was in this file" } else { "" };
        let message = format!("deletes {} {}{only}", delete.kind, delete.id);
        notes.push(("slots".to_owned(), Level::Warning, message));
    }
    for change in planned.merged.iter().flat_map(|merged| &merged.merge.remote) {
        let path = match change {
            RemoteChange::Key { item, key, .. } => format!("{}.data.{key}", slot(*item)),
            RemoteChange::Field { key, .. } => key.clone(),
            RemoteChange::Deleted { item, .. } => slot(*item),
            RemoteChange::Made { .. } | RemoteChange::Order { .. } => "slots".to_owned(),
        };
        notes.push((path, Level::Warning, sync::remote(change, "on the page", Since::Sync)));
    }
    notes
}
