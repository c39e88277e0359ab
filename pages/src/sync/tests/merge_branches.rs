//! Merge of two branches of a file, as git does it, with the record of either side.

use std::collections::BTreeSet;

use super::working_copy::WorkingCopy;
use links_sdk::Object;
use links_sdk::SlotId;

/// Merges the files item by item and key by key; where both changed a value, that of the first branch wins.
pub(super) fn merge_branches(
    here: WorkingCopy,
    there: WorkingCopy,
    start: &WorkingCopy,
    takes_record_of_here: bool,
) -> WorkingCopy {
    let find = |copy: &WorkingCopy, tag: u32| {
        let at = copy.tags.iter().position(|other| *other == tag)?;
        Some(copy.file.slots[at].clone())
    };
    let mut merged = WorkingCopy::default();
    for tag in &here.tags {
        let (Some(ours), theirs, was) = (find(&here, *tag), find(&there, *tag), find(start, *tag))
        else {
            continue;
        };
        let slot = match (theirs, was) {
            (Some(theirs), Some(was)) => {
                let mut slot = ours.clone();
                slot.data = merge_object(&ours.data, &theirs.data, &was.data);
                slot
            }
            (None, Some(was)) if was.data == ours.data => continue,
            _ => ours,
        };
        merged.tags.push(*tag);
        merged.file.slots.push(slot);
    }
    for (at, tag) in there.tags.iter().enumerate() {
        if merged.tags.contains(tag) {
            continue;
        }
        let (Some(theirs), was) = (find(&there, *tag), find(start, *tag)) else { continue };
        if was.is_some_and(|was| was.data == theirs.data) {
            continue;
        }
        let mut left = there.tags[..at].iter().rev();
        let left = left.find_map(|left| merged.tags.iter().position(|tag| tag == left));
        let place = left.map_or(0, |left| left + 1);
        merged.tags.insert(place, *tag);
        merged.file.slots.insert(place, theirs);
    }
    merged.file.fields = merge_object(&here.file.fields, &there.file.fields, &start.file.fields);

    let both = |one: &BTreeSet<SlotId>, other: &BTreeSet<SlotId>| one & other;
    merged.foreign_made = both(&here.foreign_made, &there.foreign_made);
    merged.foreign_deleted = both(&here.foreign_deleted, &there.foreign_deleted);
    merged.foreign = here.foreign.clone();
    merged.foreign.retain(|key, _| there.foreign.contains_key(key));
    merged.foreign_fields = here.foreign_fields.clone();
    merged.foreign_fields.retain(|key, _| there.foreign_fields.contains_key(key));
    merged.is_foreign_moved = here.is_foreign_moved && there.is_foreign_moved;
    merged.is_moved = true;
    merged.slot_of = there.slot_of.clone();
    merged.slot_of.extend(here.slot_of.clone());
    merged.deleted = &here.deleted | &there.deleted;
    for edits in [&there.edits, &here.edits] {
        for ((tag, key), value) in edits {
            let at = merged.tags.iter().position(|other| other == tag);
            if at.is_some_and(|at| merged.file.slots[at].data.get(key) == Some(value)) {
                merged.edits.insert((*tag, key.clone()), value.clone());
            }
        }
    }
    for edits in [&there.field_edits, &here.field_edits] {
        for (key, value) in edits {
            if merged.file.fields.get(key) == Some(value) {
                merged.field_edits.insert(key.clone(), value.clone());
            }
        }
    }
    merged.copy_of = there.copy_of;
    merged.copy_of.extend(here.copy_of);
    merged.wanted_again = &here.wanted_again | &there.wanted_again;
    let held: BTreeSet<SlotId> =
        merged.tags.iter().filter_map(|tag| merged.slot_of.get(tag).copied()).collect();
    merged.deleted.retain(|id| !held.contains(id));
    merged.base = if takes_record_of_here { here.base } else { there.base };
    merged.old_bases = here.old_bases;
    merged
}

fn merge_object(ours: &Object, theirs: &Object, was: &Object) -> Object {
    let mut merged = ours.clone();
    for key in was.keys().chain(theirs.keys()) {
        if ours.get(key) == was.get(key) {
            match theirs.get(key) {
                Some(value) => merged.insert(key.clone(), value.clone()),
                None => merged.remove(key),
            };
        }
    }
    merged
}
