//! Edits of pages without a page file: `links slots rewrite`, `links slots import` and `links undo`. What each asks of a page; the run over the
//! pages reads, plans and checks all of them before the first write.

pub(crate) mod import;
pub(crate) mod page_undo;
pub(crate) mod rewrite;

use links_pages::apply::{BoundItem, DesiredPage, DesiredSlot, OpenPage, RunCommand, Wanted};
use links_sdk::Slot;

use crate::apply::planned::EditedItems;
use crate::context::prelude::*;

/// What is asked of a page.
#[derive(Clone, Default)]
pub(crate) struct AskedPage {
    /// What to write: an item with an id is changed, one without is new. A run that was interrupted is recognised by it.
    pub(crate) content: DesiredPage,
    /// Values to write to a slot instead of those of its item; none where it is left as it is.
    pub(crate) instead: BTreeMap<SlotId, Object>,
    /// True if new slots come before the others.
    pub(crate) at_top: bool,
    /// The command in the journal of the page, if each page has another.
    pub(crate) command: Option<RunCommand>,
    /// What is said of the items.
    pub(crate) items: EditedItems,
}

impl AskedPage {
    /// Returns the whole page as it should be: the items with their values, everything else as it is.
    pub(crate) fn among_others(&self, open: &OpenPage) -> Wanted {
        let (items, page, created) = (&self.content.slots, open.snapshot(), open.created());
        let is_old = |slot: &Slot| created.values().all(|made| *made != slot.id);
        let there = page.slots.iter().enumerate().filter(|(_, slot)| is_old(slot));
        let there = there.map(|(position, slot)| {
            let id = Some(slot.id);
            let Some(index) = items.iter().position(|item| item.id == id) else {
                let kind = slot.kind.clone();
                return (items.len() + position, DesiredSlot { id, kind, data: Object::default() });
            };
            let data = self.instead.get(&slot.id).unwrap_or(&items[index].data).clone();
            (index, DesiredSlot { data, ..items[index].clone() })
        });
        let is_there = |id: &SlotId| page.slots.iter().any(|slot| slot.id == *id);
        let new = items.iter().enumerate().filter(|(_, item)| item.id.is_none());
        let new = new.map(|(index, item)| {
            let id = created.get(&index).copied().filter(is_there);
            // A slot that an interrupted run created has its values.
            let data = if id.is_some() { Object::default() } else { item.data.clone() };
            (index, DesiredSlot { id, data, ..item.clone() })
        });
        let bound = |(item, slot): (usize, DesiredSlot)| (BoundItem { item, slot: slot.id }, slot);
        let (bound, slots): (Vec<BoundItem>, Vec<DesiredSlot>) = if self.at_top {
            new.chain(there).map(bound).unzip()
        } else {
            there.chain(new).map(bound).unzip()
        };
        let mut wanted = Wanted::by_id(DesiredPage::from(slots), BTreeSet::new());
        wanted.bound = bound;
        wanted
    }
}
