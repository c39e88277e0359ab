//! Which slots the items of page files are. An item that was bound to a slot is that slot, whatever the slot is called since; one that never
//! was is known by its title.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::{Profile, Slot};
use serde_json::Value;

use super::names::mark_of;
use super::repository::Repository;
use super::world::{AccountWorld, Owner, changing};
use crate::proxy::Event;

/// The item of each slot that was ever bound, by the IDs of the page and of the slot, and the command that has bound it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings(BTreeMap<(u64, u64), (usize, String)>);

impl Bindings {
    /// Adds what another history of commits knows. Of two bindings of a slot, the newer one counts.
    pub(crate) fn extend(&mut self, other: &Self) {
        for (slot, binding) in &other.0 {
            let known = self.0.entry(*slot).or_insert_with(|| binding.clone());
            if known.0 < binding.0 {
                known.clone_from(binding);
            }
        }
    }

    /// Binds the items of the files to the slots that a request of an apply has made for them, or made into them.
    pub(crate) fn note_written(
        &mut self,
        run: usize,
        event: &Event<AccountWorld>,
        files: &Repository,
    ) {
        for (page, _, slot) in changed(event) {
            let file = files.file_of(page).unwrap_or_default();
            if let Some(slot) = slot.filter(|slot| files.marks(file).contains(mark_of(slot))) {
                self.0.insert((page.id, slot.id), (run, mark_of(slot).to_owned()));
            }
        }
    }

    /// Binds the items of the files that have no slot yet after a run that was recorded. One whose slot is gone is another slot only if that is
    /// as the file says.
    pub(crate) fn note_sync(&mut self, run: usize, files: &Repository, world: &AccountWorld) {
        let said = files.values(world);
        for name in files.pages.keys() {
            let Some(page) = files.page_of(name, world) else { continue };
            let items = files.marks(name);
            for item in &items {
                let is_new = self.newest(page.id, item).is_none();
                let is_as_said = |slot: &Slot| {
                    let Some((key, _)) = changing(&slot.kind, "") else { return true };
                    let place = (Owner::Page(page.id), item.clone(), key.to_owned());
                    slot.data.get(key).and_then(Value::as_str) == said.get(&place).map(|it| &**it)
                };
                for slot in self.slots(item, page, &items) {
                    if is_new || self.of(page.id, slot.id) == Some(item) || is_as_said(slot) {
                        self.0.insert((page.id, slot.id), (run, item.clone()));
                    }
                }
            }
        }
    }

    /// Returns the item of a slot.
    pub(crate) fn of(&self, page: u64, slot: u64) -> Option<&String> {
        self.0.get(&(page, slot)).map(|(_, item)| item)
    }

    /// Returns the newest slot that an item was bound to.
    pub(crate) fn newest(&self, page: u64, item: &str) -> Option<u64> {
        let of_page = self.0.range((page, 0)..=(page, u64::MAX)).rev();
        of_page.filter(|(_, (_, bound))| bound == item).map(|((_, slot), _)| *slot).next()
    }

    /// Returns the slots of a page that an item is: those that it was bound to, else those that are known by its title and belong to no other item
    /// of the file.
    pub(crate) fn slots<'w>(
        &self,
        item: &str,
        page: &'w Profile,
        items: &BTreeSet<String>,
    ) -> Vec<&'w Slot> {
        let of = |slot: &&Slot| self.of(page.id, slot.id);
        let bound: Vec<&Slot> =
            page.slots.iter().filter(|slot| of(slot).is_some_and(|it| it == item)).collect();
        if !bound.is_empty() {
            return bound;
        }
        let is_free = |slot: &&Slot| of(slot).is_none_or(|other| !items.contains(other));
        page.slots.iter().filter(|slot| mark_of(slot) == item && is_free(slot)).collect()
    }
}

/// Returns the slots that an event has made, made into others or removed: each with its page, as it was and as it is.
pub(crate) fn changed(
    event: &Event<AccountWorld>,
) -> Vec<(&Profile, Option<&Slot>, Option<&Slot>)> {
    let (before, after) = (slots(&event.before), slots(&event.after));
    let ids: BTreeSet<&u64> = before.keys().chain(after.keys()).collect();
    let change = |id: &u64| {
        let (was, is) = (before.get(id), after.get(id));
        let (page, _) = is.or(was)?;
        let [was, is] = [was, is].map(|it| it.map(|(_, slot)| *slot));
        (was.map(mark_of) != is.map(mark_of)).then_some((*page, was, is))
    };
    ids.into_iter().filter_map(change).collect()
}

/// Returns the slots of an account by their IDs, each with its page.
pub(crate) fn slots(world: &AccountWorld) -> BTreeMap<u64, (&Profile, &Slot)> {
    let mut slots = BTreeMap::new();
    for page in &world.pages {
        slots.extend(page.slots.iter().map(|slot| (slot.id, (page, slot))));
    }
    slots
}
