//! Names of slots that stay when a slot gets another title, or is created again.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::Slot;

use super::world::{AccountWorld, Owner, Place, mark};

/// The slots that were ever seen, by ID.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<u64, Named>);

#[derive(Clone, Debug)]
struct Named {
    name: String,
    page: u64,
    /// What it was when it was last seen.
    last: Slot,
    /// What it was known by.
    marks: BTreeSet<String>,
    /// The one that it came for.
    came_for: Option<u64>,
}

impl Names {
    /// Notes the slots of an account. One that comes for one that is gone has its name.
    pub(crate) fn note(&mut self, world: &AccountWorld) {
        let live: BTreeSet<u64> =
            world.pages.iter().flat_map(|page| page.slots.iter().map(|slot| slot.id)).collect();
        for page in &world.pages {
            for slot in &page.slots {
                if !self.0.contains_key(&slot.id) {
                    let named = self.named(page.id, slot, &live);
                    self.0.insert(slot.id, named);
                }
                let Some(known) = self.0.get_mut(&slot.id) else { continue };
                known.marks.insert(mark_of(slot).to_owned());
                known.last.clone_from(slot);
            }
        }
    }

    fn named(&self, page: u64, slot: &Slot, live: &BTreeSet<u64>) -> Named {
        let of_page = || self.0.iter().filter(|(_, known)| known.page == page);
        let mark = mark_of(slot);
        let is_there =
            |name: &str| of_page().any(|(id, known)| live.contains(id) && known.name == name);
        let gone = of_page().filter(|(id, known)| {
            !live.contains(id) && known.marks.contains(mark) && !is_there(&known.name)
        });
        let alike = |(id, known): &(&u64, &Named)| {
            (mark_of(&known.last) == mark, known.last.data == slot.data, **id)
        };
        let came_for = gone.max_by_key(alike);
        let is_used = || of_page().any(|(_, known)| known.name == mark);
        let name = match came_for {
            Some((_, known)) => known.name.clone(),
            None if is_used() => format!("{mark}#{}", slot.id),
            None => mark.to_owned(),
        };
        let (came_for, marks) = (came_for.map(|(id, _)| *id), BTreeSet::new());
        Named { name, page, last: slot.clone(), marks, came_for }
    }

    /// Returns the slot that one came for.
    pub(crate) fn came_for(&self, id: u64) -> Option<u64> {
        self.0.get(&id)?.came_for
    }

    /// Returns the name of a slot that was seen.
    pub(crate) fn of(&self, slot: &Slot) -> &str {
        self.0.get(&slot.id).map_or("", |known| &known.name)
    }

    /// Returns the slot of a place.
    pub(crate) fn slot<'w>(&self, place: &Place, world: &'w AccountWorld) -> Option<&'w Slot> {
        let page = world.pages.iter().find(|page| place.0 == Owner::Page(page.id))?;
        page.slots.iter().find(|slot| !place.1.is_empty() && self.of(slot) == place.1)
    }

    /// Returns the other slots of the page that are known by the same as the slot of a place.
    pub(crate) fn twins<'w>(
        &self,
        place: &Place,
        world: &'w AccountWorld,
    ) -> impl Iterator<Item = &'w Slot> {
        let slot = self.slot(place, world);
        let page = world.pages.iter().find(|page| place.0 == Owner::Page(page.id));
        let slots = page.into_iter().flat_map(|page| &page.slots);
        slots.filter(move |twin| {
            slot.is_some_and(|slot| twin.id != slot.id && mark_of(twin) == mark_of(slot))
        })
    }
}

/// Returns what a slot is known by now.
pub(crate) fn mark_of(slot: &Slot) -> &str {
    mark(&slot.kind, &slot.data).unwrap_or_default()
}
