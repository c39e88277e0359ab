//! What is known about an account from everything that has happened so far: who has set a value, and who has removed a slot.

use std::collections::{BTreeMap, BTreeSet};

use super::bindings::{Bindings, changed};
use super::repository::Repository;
use super::world::{AccountWorld, Owner, Place};
use crate::proxy::Event;

/// A value that another client has set, and that is there since.
#[derive(Clone, Debug)]
pub(crate) struct ForeignValue {
    pub(crate) value: String,
    /// Number of the event of the current step in which it was set.
    pub(crate) event: Option<usize>,
    /// Set if the files and the account agreed there before, and that was recorded.
    pub(crate) was_synced: bool,
}

/// What has happened so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) foreign: BTreeMap<Place, ForeignValue>,
    /// Slots that other clients have removed from pages.
    pub(crate) removed: BTreeSet<(u64, String)>,
    /// Slots that the program has removed from pages.
    pub(crate) deleted: BTreeSet<(u64, String)>,
    /// Slots that a file of a page had when a command ran, by the name of the file.
    pub(crate) once_in_file: BTreeSet<(String, String)>,
    /// The slots that the items of the files are.
    pub(crate) bound: Bindings,
    /// IDs of slots that others have removed, or made into what they are.
    pub(crate) by_others: BTreeSet<u64>,
    /// Values on which the files and the account agreed at the end of a run that was recorded.
    pub(crate) synced: BTreeMap<Place, String>,
    /// Places of which it is not known whether the machine has to take the value for its own.
    pub(crate) unclear: BTreeSet<Place>,
    /// Machines whose records have all that was done.
    pub(crate) up_to_date: BTreeSet<usize>,
}

impl Memory {
    /// Notes what the files have when a command runs.
    pub(crate) fn note_files(&mut self, files: &Repository) {
        for name in files.pages.keys() {
            let marks = files.marks(name).into_iter();
            self.once_in_file.extend(marks.map(|mark| (name.clone(), mark)));
        }
    }

    /// Notes an event; its number is that in the current step. `is_foreign` says that no apply has caused it.
    pub(crate) fn note(
        &mut self,
        nth: Option<usize>,
        event: &Event<AccountWorld>,
        is_foreign: bool,
    ) {
        for slot in changed(event).iter().filter_map(|(_, was, is)| is.or(*was)) {
            if is_foreign {
                self.by_others.insert(slot.id);
            } else {
                self.by_others.remove(&slot.id);
            }
        }
        let (before, after) = (event.before.values(), event.after.values());
        for place in before.keys().filter(|place| before.get(place) != after.get(place)) {
            self.foreign.remove(place);
        }
        let (was, is) = (event.before.marks(), event.after.marks());
        for (place, value) in after {
            if is_foreign && before.get(&place) != Some(&value) {
                // One that has come back counts as unchanged.
                let synced = self.synced.get(&place);
                if synced == Some(&value) {
                    continue;
                }
                let was_synced = synced.is_some();
                self.foreign.insert(place, ForeignValue { value, event: nth, was_synced });
            }
        }
        let gone = if is_foreign { &mut self.removed } else { &mut self.deleted };
        gone.extend(was.difference(&is).cloned());
        for mark in is.difference(&was) {
            self.removed.remove(mark);
            self.deleted.remove(mark);
        }
    }

    /// Ends a step: what other clients have set is what was there before the next one. Values that the files say too belong to neither side.
    pub(crate) fn end_step(&mut self, files: &Repository, world: &AccountWorld) {
        let said = files.values(world);
        self.foreign.retain(|place, foreign| said.get(place) != Some(&foreign.value));
        self.foreign.values_mut().for_each(|foreign| foreign.event = None);
    }

    /// Notes a run that succeeded. `has_forms` says that it was over forms, too. One with `--locked` leaves the record as it is, and only the
    /// journals tell of it.
    pub(crate) fn note_sync(
        &mut self,
        run: usize,
        files: &Repository,
        world: &AccountWorld,
        has_forms: bool,
        is_locked: bool,
    ) {
        self.bound.note_sync(run, files, world);
        let stored = world.values();
        let said = files.values(world).into_iter();
        let agreed = said.filter(|(place, value)| stored.get(place) == Some(value));
        let is_recorded =
            |(place, _): &(Place, String)| has_forms || matches!(place.0, Owner::Page(_));
        for (place, value) in agreed.filter(is_recorded) {
            if is_locked && self.synced.get(&place).is_some_and(|synced| *synced != value) {
                self.unclear.insert(place.clone());
            } else if !is_locked {
                self.unclear.remove(&place);
            }
            self.synced.insert(place, value);
        }
    }

    /// Notes that a record was lost.
    pub(crate) fn lose(&mut self, machine: usize) {
        self.up_to_date.remove(&machine);
        self.synced.clear();
        self.foreign.values_mut().for_each(|foreign| foreign.was_synced = false);
    }
}
