//! Sync without news: file and page hold what the record of their last sync says.

use super::comparison::Comparison;
use super::identity::ItemIdentity;
use super::{HashPair, SlotBase, ValueHash};

impl Comparison<'_> {
    /// Returns whether the record already says all that this comparison found, so that a run without writes leaves it as it is.
    pub(super) fn is_recorded(&self) -> bool {
        (self.base.id, &self.base.login) == (self.page.id, &self.page.login)
            && self.items.len() == self.base.slots.len()
            && (0..self.items.len()).all(|item| self.is_item_recorded(item))
            && self.are_fields_recorded()
    }

    fn is_item_recorded(&self, item: usize) -> bool {
        let (ItemIdentity::Recorded(nth, Some(position)), entry) =
            (self.identities.items[item], &self.base.slots[item])
        else {
            return false;
        };
        let (written, slot) = (&self.items[item], &self.slots[position]);
        nth == item
            && slot.slot.id == entry.id
            && written.item.kind == entry.kind
            && if slot.is_editable {
                let said = written.keys.iter().filter(|(key, hash)| {
                    let pair = HashPair { file: Some(**hash), page: slot.hash(key) };
                    pair == entry.pair(key)
                });
                said.count() == written.keys.len() && self.removed_keys(item, entry).is_empty()
            } else {
                *entry == SlotBase { keys: [].into(), was: [].into(), ..entry.clone() }
            }
    }

    fn are_fields_recorded(&self) -> bool {
        let (said, recorded) = (&self.file.fields, &self.base.fields);
        self.page.fields.iter().all(|(key, page)| match (said.get(key), recorded.get(key)) {
            (None, Some(pair)) => pair.file.is_none(),
            (Some(said), Some(pair)) => {
                let now = HashPair { file: Some(ValueHash::of(said)), page: ValueHash::of(page) };
                *pair == now
            }
            (_, None) => false,
        })
    }
}
