//! What each commit and each work tree knows, and who has written each value: the truth that the program has to find out from `links.lock`.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::Slot;

use super::bindings::{Bindings, changed};
use super::memory::{ForeignValue, Memory};
use super::repository::Repository;
use super::world::{AccountWorld, Place};
use crate::proxy::Event;

/// What a history of commits knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineage {
    /// Runs whose record it has.
    syncs: BTreeSet<usize>,
    /// Values that its files have said, or that were recorded of the account.
    said: BTreeSet<(Place, String)>,
    /// Slots that its files have had, by the name of the file.
    once_in_file: BTreeSet<(String, String)>,
    /// Values on which its files and the account agreed at the end of a run that was recorded.
    synced: BTreeMap<Place, String>,
    /// The slots that the items of its files are.
    bound: Bindings,
}

/// Who has sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// An apply of this number, which was recorded.
    Recorded(usize),
    /// An apply that was not recorded: it may count for the machine that it ran on, or not.
    Unrecorded,
    /// Another client, or a command that writes beside the files.
    Other,
}

/// Who has written what the account has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Authors {
    /// Recorded runs that have written the value of a place, or have found that it is what the file says; none for a value of others. A place
    /// that is not here has its first value.
    of_value: BTreeMap<Place, BTreeSet<usize>>,
    /// Places whose value a run has written that was not recorded.
    unclear: BTreeSet<Place>,
    /// Recorded runs that have found a place as others, or runs of another branch, had put it back. Their record stays as it is, so that a
    /// merge does not know of it.
    put_back: BTreeMap<Place, BTreeSet<usize>>,
    /// Slots that were removed from pages, with the recorded run that did it, and the one that has made such a slot since.
    removed: BTreeMap<(u64, String), [Option<usize>; 2]>,
    /// Slots that no recorded run has made, so that no file need have been recorded with them.
    made_by_others: BTreeSet<(u64, String)>,
    /// Slots that were made, made into others or removed, by their ID, with the recorded run that did it.
    changed: BTreeMap<u64, Option<usize>>,
}

impl Lineage {
    pub(crate) fn extend(&mut self, other: &Self) {
        self.syncs.extend(&other.syncs);
        self.said.extend(other.said.iter().cloned());
        self.once_in_file.extend(other.once_in_file.iter().cloned());
        self.synced.extend(other.synced.clone());
        self.bound.extend(&other.bound);
    }

    /// Notes what the files say.
    pub(crate) fn note_files(&mut self, files: &Repository, world: &AccountWorld) {
        self.said.extend(files.values(world));
        for name in files.pages.keys() {
            let marks = files.marks(name).into_iter();
            self.once_in_file.extend(marks.map(|mark| (name.clone(), mark)));
        }
    }

    /// Notes what a request of an apply has made for the files.
    pub(crate) fn note_written(
        &mut self,
        run: usize,
        event: &Event<AccountWorld>,
        files: &Repository,
    ) {
        self.bound.note_written(run, event, files);
    }

    /// Notes that the record of a run that succeeded is in the work tree.
    pub(crate) fn note_sync(
        &mut self,
        sync: usize,
        (files, world): (&Repository, &AccountWorld),
        agreed: BTreeMap<Place, String>,
    ) {
        self.syncs.insert(sync);
        self.bound.note_sync(sync, files, world);
        // A form that the run has made was not there when the files were noted.
        self.said.extend(agreed.clone());
        self.synced.extend(agreed);
    }

    /// Notes a value of the account that was recorded without being in a file.
    pub(crate) fn note_pulled(&mut self, place: Place, value: String) {
        self.said.insert((place, value));
    }

    fn knows(&self, syncs: &BTreeSet<usize>) -> bool {
        !self.syncs.is_disjoint(syncs)
    }
}

impl Authors {
    /// Notes an event. `by` has what the work tree of the command knows and has, if it was one: a slot that the file of its page never had is
    /// removed without a record, as with `--prune`.
    pub(crate) fn note(
        &mut self,
        event: &Event<AccountWorld>,
        writer: Writer,
        by: Option<(&Lineage, &Repository)>,
    ) {
        let (before, after) = (event.before.values(), event.after.values());
        for place in before.keys().chain(after.keys()) {
            if before.get(place) == after.get(place) {
                continue;
            }
            let syncs = match writer {
                Writer::Recorded(sync) => BTreeSet::from([sync]),
                _ => BTreeSet::new(),
            };
            self.of_value.insert(place.clone(), syncs);
            self.put_back.remove(place);
            if writer == Writer::Unrecorded {
                self.unclear.insert(place.clone());
            } else {
                self.unclear.remove(place);
            }
        }
        let (was, is) = (event.before.marks(), event.after.marks());
        let sync = match writer {
            Writer::Recorded(sync) => Some(sync),
            _ => None,
        };
        for (page, was, is) in changed(event) {
            // What a file never had is removed without a record.
            let is_recorded = |slot: &Slot| {
                is.is_some()
                    || by.is_some_and(|(known, _)| known.bound.of(page.id, slot.id).is_some())
            };
            let slot = is.or(was).map(|slot| (slot.id, sync.filter(|_| is_recorded(slot))));
            self.changed.extend(slot);
        }
        let was_in_file = |(page, mark): &(u64, String)| {
            let page = event.before.pages.iter().find(|it| it.id == *page);
            by.zip(page).is_some_and(|((lineage, files), page)| {
                let file = files.file_of(page).unwrap_or_default();
                lineage.once_in_file.contains(&(file.to_owned(), mark.clone()))
            })
        };
        let gone = was.difference(&is);
        let is_known = |place| was_in_file(place) && !self.made_by_others.contains(place);
        let gone = gone.map(|place| (place.clone(), [sync.filter(|_| is_known(place)), None]));
        self.removed.extend(gone);
        for mark in is.difference(&was) {
            match sync {
                Some(_) => drop(self.made_by_others.remove(mark)),
                None => drop(self.made_by_others.insert(mark.clone())),
            }
            // For whoever does not know that run, their own slot stays removed.
            match (self.removed.get_mut(mark), sync) {
                (Some([_, since]), Some(sync)) => *since = Some(sync),
                _ => drop(self.removed.remove(mark)),
            }
        }
    }

    /// Notes that somebody has looked at the value of a place, and has not taken it over.
    pub(crate) fn doubt(&mut self, place: Place) {
        self.unclear.insert(place);
    }

    /// Notes that a recorded run of a work tree of this lineage has found these places as the files say.
    pub(crate) fn note_agreed(
        &mut self,
        sync: usize,
        lineage: &Lineage,
        agreed: &BTreeMap<Place, String>,
    ) {
        for place in agreed.keys() {
            self.unclear.remove(place);
            if let Some(syncs) = self.of_value.get_mut(place) {
                let found = self.put_back.get(place);
                let is_written = syncs.contains(&sync) || lineage.knows(&without(syncs, found));
                if !is_written {
                    self.put_back.entry(place.clone()).or_default().insert(sync);
                }
                syncs.insert(sync);
            }
        }
    }

    /// Returns what a work tree of this lineage has to take for the doing of others.
    pub(crate) fn seen_by(
        &self,
        lineage: &Lineage,
        machine: usize,
        world: &AccountWorld,
    ) -> Memory {
        let mut memory = Memory {
            once_in_file: lineage.once_in_file.clone(),
            synced: lineage.synced.clone(),
            bound: lineage.bound.clone(),
            up_to_date: [machine].into(),
            ..Memory::default()
        };
        for (place, value) in world.values() {
            let Some(syncs) = self.of_value.get(&place) else { continue };
            if lineage.knows(syncs) {
                // Known by a run alone that has found it as others had put it back.
                if !lineage.knows(&without(syncs, self.put_back.get(&place))) {
                    memory.unclear.insert(place);
                }
                continue;
            }
            let was_said = lineage.said.contains(&(place.clone(), value.clone()));
            if was_said || self.unclear.contains(&place) {
                memory.unclear.insert(place);
                continue;
            }
            let was_synced = lineage.synced.contains_key(&place);
            memory.foreign.insert(place, ForeignValue { value, event: None, was_synced });
        }
        let is_known = |by: &Option<usize>| by.is_some_and(|by| lineage.syncs.contains(&by));
        let removed =
            self.removed.iter().filter(|(_, [by, since])| !is_known(by) && !is_known(since));
        memory.removed = removed.map(|(mark, _)| mark.clone()).collect();
        let by_others = self.changed.iter().filter(|(_, by)| !is_known(by));
        memory.by_others = by_others.map(|(slot, _)| *slot).collect();
        memory
    }
}

/// Returns the runs that have written a value, without those that have only found it.
fn without(syncs: &BTreeSet<usize>, found: Option<&BTreeSet<usize>>) -> BTreeSet<usize> {
    syncs.iter().copied().filter(|sync| found.is_none_or(|found| !found.contains(sync))).collect()
}
