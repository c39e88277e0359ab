//! Slots that an undo has created again, in the locks whose files know their earlier ids.

use links_pages::sync::{KnownBase, Lock, RecordOf, SlotBase};

use super::LockStore;
use super::history::{LockHistory, millis};
use super::state_records::StateRecords;
use crate::context::clock;
use crate::context::prelude::*;

/// Records new ids in the lock of this directory, in that of the file of the undone run, and in the records of the state directory, so that
/// files with the earlier ids still apply.
/// Returns a line for each lock that could not be written.
pub(crate) fn record(
    context: &Context,
    page: ProfileId,
    ids: &BTreeMap<SlotId, SlotId>,
    file: Option<&Path>,
) -> Vec<StyledLine> {
    if ids.is_empty() {
        return Vec::new();
    }
    let mut stores: Vec<LockStore> = [Some(Path::new("page.yaml")), file]
        .into_iter()
        .flatten()
        .filter_map(LockStore::of)
        .collect();
    stores.dedup();
    let written = stores.iter().filter_map(|store| {
        store.update(context, |lock| rename(lock, (&store.path(), true), page, ids)).err()
    });
    let mut errors: Vec<CommandError> = written.collect();
    for (records, mut lock) in StateRecords::all(context) {
        let before = lock.clone();
        rename(&mut lock, (records.file(), false), page, ids);
        if lock != before {
            errors.extend(records.put_own(context, &RecordOf::Page(page), &lock).err());
        }
    }
    let line = |error| {
        let text = format!("cannot record the new IDs of slots: {error}");
        StyledLine::removed(text)
    };
    errors.into_iter().map(line).collect()
}

/// Records new IDs in the record of a file: the file with whether it is a `links.lock`.
fn rename(
    lock: &mut Lock,
    (file, is_lock): (&Path, bool),
    page: ProfileId,
    ids: &BTreeMap<SlotId, SlotId>,
) {
    let at = LockHistory::of(file, is_lock, lock).head;
    let Some(lines) = lock.lines.get_mut(&RecordOf::Page(page)) else { return };
    let known = KnownBase::of_lines(lines);
    let mut base = known.base.clone();
    for slot in &mut base.slots {
        let new = ids.iter().find(|(old, _)| slot.is_named(**old)).map(|(_, new)| *new);
        if let Some(new) = new.filter(|new| *new != slot.id) {
            let SlotBase { id, was, .. } = slot;
            was.push(std::mem::replace(id, new));
        }
    }
    let now = millis(clock().wall());
    if let Some(mut after) = known.lines_after(&base, &BTreeSet::new(), now, at) {
        // The others keep all lines that a merge has left them.
        let moved = after.values().flatten().map(|line| line.moved).max();
        after.retain(|_, lines| lines.iter().any(|line| Some(line.moved) == moved));
        lines.extend(after);
    }
}
