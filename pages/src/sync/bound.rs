//! File, page and record of the last sync, compared slot by slot and key by key.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::base::mentioned;
use super::identity::{Identities, ItemIdentity, identify};
use super::{
    FilePage, FileSlot, HashPair, HashedItem, HashedSlot, LivePage, PageBase, SlotBase, ValueHash,
    hashed_items, hashed_slots,
};
use crate::apply::{
    BoundItem, DesiredPage, DesiredSlot, PlanError, PlanOptions, SlotTypes, Wanted, check_ids,
    may_be_stored_as, same,
};
use links_sdk::{Object, SlotId};

/// A comparison of a file with its page.
pub(super) struct Bound<'a> {
    /// The profile fields of the record.
    pub(super) field_pairs: &'a BTreeMap<String, HashPair>,
    /// The slots of the record.
    pub(super) entries: &'a [SlotBase],
    pub(super) file: &'a FilePage,
    pub(super) page: &'a LivePage,
    pub(super) items: Vec<HashedItem<'a>>,
    pub(super) slots: Vec<HashedSlot<'a>>,
    pub(super) identities: Identities,
    pub(super) order: Decision,
}

/// A value of the file, compared with the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComparedKey<'a> {
    pub(super) key: &'a str,
    pub(super) decision: Decision,
    /// The value as it would be sent.
    pub(super) file: &'a Value,
    pub(super) page: &'a Value,
}

impl<'a> Bound<'a> {
    /// Finds the slots of the items: by the record of the last sync, or by the rules of [`crate::apply`] where there is none. If the file
    /// `wins`, an item without a slot takes the new slot of the page that resembles it.
    pub(super) fn new(
        base: Option<&'a PageBase>,
        file: &'a FilePage,
        page: &'a LivePage,
        types: &SlotTypes,
        created: &BTreeMap<usize, SlotId>,
        wins: bool,
    ) -> Result<Self, PlanError> {
        static NONE: BTreeMap<String, HashPair> = BTreeMap::new();
        let (field_pairs, entries) = match base {
            Some(base) => (&base.fields, &base.slots[..]),
            None => (&NONE, &[][..]),
        };
        let held = if file.keeps_slots { &[][..] } else { &page.slots[..] };
        check_ids(held)?;
        let items = hashed_items(file, types);
        let slots = hashed_slots(held, types);
        let mut identities = if base.is_some() || file.keeps_slots {
            identify(&items, entries, &slots, types, created)?
        } else {
            two_way(file, page, types, created)?
        };
        if wins {
            identities.claim_resembling();
        }
        let in_base: Vec<usize> = identities.live.iter().flatten().copied().collect();
        let recorded = identities.items.iter().filter(|item| item.entry.is_some());
        let in_file: Vec<usize> = recorded.filter_map(|item| item.position).collect();
        let order = decide_order(&in_base, &in_file);
        Ok(Self { field_pairs, entries, file, page, items, slots, identities, order })
    }

    pub(super) fn entry(&self, item: usize) -> Option<&'a SlotBase> {
        self.identities.items[item].entry.map(|entry| &self.entries[entry])
    }

    /// Returns the position of the slot of an item.
    pub(super) fn position(&self, item: usize) -> Option<usize> {
        self.identities.items[item].position
    }

    /// Returns the ID of a slot.
    pub(super) fn id(&self, position: usize) -> SlotId {
        self.slots[position].slot.id
    }

    /// Returns the entries whose item was deleted in the file, each with the position of its slot, which is still there.
    pub(super) fn deleted_here(&self) -> impl Iterator<Item = (&'a SlotBase, usize)> {
        let bound = self.identities.item_of_entry.iter().zip(&self.identities.live);
        let live = bound.map(|(item, live)| live.filter(|_| item.is_none()));
        self.entries.iter().zip(live).filter_map(|(entry, live)| Some((entry, live?)))
    }

    /// Compares the keys that an item mentions with a slot.
    pub(super) fn keys(&self, item: usize, position: usize) -> Vec<ComparedKey<'a>> {
        let (written, slot) = (self.items[item].item, &self.slots[position]);
        let entry = self.entry(item);
        let compare = |(key, said): (&'a String, &'a Value)| {
            let file = written.value(key).unwrap_or(said);
            let page = slot.value(key);
            let decision = decide(entry.map(|entry| entry.pair(key)), said, file, page);
            ComparedKey { key, decision, file, page }
        };
        written.data.iter().map(compare).collect()
    }

    /// Returns the keys of an item that changed since the last sync.
    pub(super) fn edited_keys(&self, item: usize, entry: &SlotBase) -> Vec<String> {
        let keys = self.items[item].keys.iter();
        let is_edited = |(key, hash): &(&&str, &ValueHash)| {
            let pair = entry.pair(key);
            pair.file.unwrap_or(pair.page) != **hash
        };
        keys.filter(is_edited).map(|(key, _)| (*key).to_owned()).collect()
    }

    /// Returns the keys that the last sync knew from the file and that the item does not mention any more.
    pub(super) fn removed_keys(&self, item: usize, entry: &'a SlotBase) -> Vec<&'a str> {
        let is_gone = |key: &&str| !self.items[item].keys.contains_key(key);
        mentioned(&entry.keys).filter(is_gone).collect()
    }

    /// Returns the keys of a slot that changed on the page since the last sync, mentioned or not.
    pub(super) fn changed_there<'k>(
        &'k self,
        entry: &'k SlotBase,
        position: usize,
    ) -> BTreeSet<&'k str> {
        self.slots[position].changed(entry).collect()
    }

    /// Compares the profile fields that the file mentions and that were read.
    pub(super) fn fields(&self) -> Vec<ComparedKey<'a>> {
        let compare = |(key, said): (&'a String, &'a Value)| {
            let page = self.page.fields.get(key)?;
            let file = self.file.field(key).unwrap_or(said);
            let decision = decide(self.field_pairs.get(key).copied(), said, file, page);
            Some(ComparedKey { key, decision, file, page })
        };
        self.file.fields.iter().filter_map(compare).collect()
    }

    /// Returns the profile fields that the last sync knew from the file and that the file does not mention any more.
    pub(super) fn removed_fields(&self) -> Vec<&'a str> {
        // A field that was not read was not looked at.
        let is_gone = |key: &&str| {
            self.page.fields.contains_key(*key) && !self.file.fields.contains_key(*key)
        };
        mentioned(self.field_pairs).filter(is_gone).collect()
    }

    /// Returns the profile fields that the file does not mention and that changed on the page since the last sync, with their values.
    pub(super) fn unmentioned_fields_changed_there(&self) -> Vec<(&'a str, &'a Value)> {
        let recorded =
            self.field_pairs.iter().filter(|(key, _)| !self.file.fields.contains_key(*key));
        let changed = |(key, pair): (&'a String, &HashPair)| {
            let value = self.page.fields.get(key)?;
            (ValueHash::of(value) != pair.page).then_some((key.as_str(), value))
        };
        recorded.filter_map(changed).collect()
    }
}

/// Finds the slots of the items of a file that was never synced with its page, or whose record is lost.
fn two_way(
    file: &FilePage,
    page: &LivePage,
    types: &SlotTypes,
    created: &BTreeMap<usize, SlotId>,
) -> Result<Identities, PlanError> {
    let desired: Vec<DesiredSlot> = file
        .slots
        .iter()
        .map(|item| DesiredSlot {
            // Without a record, a slot that an earlier run made for the item cannot be told from one that another client made.
            id: item.id.named(),
            kind: item.kind.clone(),
            data: as_stored(item, page),
        })
        .collect();
    let options =
        PlanOptions { types: types.clone(), created: created.clone(), ..PlanOptions::default() };
    let found = Wanted::bind(&page.slots, DesiredPage::from(desired), &options)?;
    if !found.refused.is_empty() {
        return Err(PlanError::Items(found.refused));
    }
    let position = |id: SlotId| page.slots.iter().position(|slot| slot.id == id);
    let identity =
        |bound: &BoundItem| ItemIdentity { entry: None, position: bound.slot.and_then(position) };
    let items: Vec<_> = found.bound.iter().map(identity).collect();
    let is_made = |position: &usize| items.iter().all(|item| item.position != Some(*position));
    Ok(Identities {
        made_there: (0..page.slots.len()).filter(is_made).collect(),
        resembling: vec![Vec::new(); items.len()],
        items,
        ..Identities::default()
    })
}

/// Returns the data of an item, with the values that the service may have stored for it on this page: it finds its slot by them.
fn as_stored(item: &FileSlot, page: &LivePage) -> Object {
    let stored = |(key, value): (String, Value)| {
        let slots = page.slots.iter().filter(|slot| slot.kind == item.kind);
        let held: Vec<&Value> = slots.filter_map(|slot| slot.data.get(&key)).collect();
        let is_held = held.iter().any(|held| same(held, &value));
        let form = held.into_iter().find(|held| !is_held && may_be_stored_as(&value, held));
        (key, form.cloned().unwrap_or(value))
    };
    item.values().0.into_iter().map(stored).collect()
}

/// How a value of the file, or the order of its slots, relates to the page and to the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// File and page hold the same, or they differ as they did after the last sync: the service normalized the value.
    Agreed,
    /// Only the file changed.
    ChangedHere,
    /// Only the page changed.
    ChangedThere,
    /// Both changed, differently.
    Conflict,
    /// They differ, and nothing is known about the last sync.
    Unrecorded,
}

/// Compares a value of the file with the page. `said` is the file's value as it is hashed, `sent` as it would be sent.
fn decide(pair: Option<HashPair>, said: &Value, sent: &Value, page: &Value) -> Decision {
    if same(sent, page) {
        return Decision::Agreed;
    }
    let Some(pair) = pair else { return Decision::Unrecorded };
    match (pair.file == Some(ValueHash::of(said)), pair.page == ValueHash::of(page)) {
        (true, true) => Decision::Agreed,
        (false, true) => Decision::ChangedHere,
        (true, false) => Decision::ChangedThere,
        (false, false) => Decision::Conflict,
    }
}

/// Compares the orders of record, file and page by the slots that all of them have. The slots are their positions on the page.
fn decide_order(base: &[usize], file: &[usize]) -> Decision {
    let shared = |these: &[usize], those: &[usize]| -> Vec<usize> {
        these.iter().copied().filter(|position| those.contains(position)).collect()
    };
    let (base, file) = (shared(base, file), shared(file, base));
    match (file.is_sorted(), file == base, base.is_sorted()) {
        (true, _, _) => Decision::Agreed,
        (false, false, true) => Decision::ChangedHere,
        (false, true, false) => Decision::ChangedThere,
        (false, ..) => Decision::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_of_the_three_way_merge() {
        use Decision::*;
        let pair = |file: Option<&str>, page: &str| {
            let hash = |text: &str| ValueHash::of(&json!(text));
            Some(HashPair { file: file.map(hash), page: hash(page) })
        };
        for (name, pair, file, page, expected) in [
            ("nothing changed", pair(Some("a"), "a"), "a", "a", Agreed),
            ("both changed alike", pair(Some("a"), "a"), "b", "b", Agreed),
            ("normalised, nothing changed", pair(Some("a"), "A"), "a", "A", Agreed),
            ("changed here", pair(Some("a"), "a"), "b", "a", ChangedHere),
            ("normalised, changed here", pair(Some("a"), "A"), "b", "A", ChangedHere),
            ("changed there", pair(Some("a"), "a"), "a", "b", ChangedThere),
            ("normalised, changed there", pair(Some("a"), "A"), "a", "b", ChangedThere),
            ("cleared there", pair(Some("a"), "a"), "a", "", ChangedThere),
            ("cleared here", pair(Some("a"), "a"), "", "a", ChangedHere),
            ("both changed", pair(Some("a"), "a"), "b", "c", Conflict),
            ("cleared here, changed there", pair(Some("a"), "a"), "", "c", Conflict),
            ("mentioned for the first time", pair(None, "a"), "b", "a", ChangedHere),
            ("mentioned after a foreign edit", pair(None, "a"), "b", "c", Conflict),
            ("mentioned as the page has it", pair(None, "a"), "c", "c", Agreed),
            ("new on both sides", Some(HashPair::UNMENTIONED), "a", "b", Conflict),
            ("new here", Some(HashPair::UNMENTIONED), "a", "", ChangedHere),
            ("no record", None, "a", "b", Unrecorded),
            ("no record, equal", None, "a", " a", Agreed),
        ] {
            let (file, page) = (json!(file), json!(page));
            assert_eq!(decide(pair, &file, &file, &page), expected, "{name}");
        }
    }

    #[test]
    fn a_reference_is_hashed_as_it_is_said_and_compared_as_it_is_sent() {
        let said = json!({"$upload": "5f3c"});
        let (path, other) = (json!("uploads/a.png"), json!("uploads/b.png"));
        let pair = Some(HashPair { file: Some(ValueHash::of(&said)), page: ValueHash::of(&path) });
        assert_eq!(decide(pair, &said, &path, &path), Decision::Agreed);
        assert_eq!(decide(pair, &said, &said, &path), Decision::Agreed);
        assert_eq!(decide(pair, &said, &said, &other), Decision::ChangedThere);
        let new = json!({"$upload": "77aa"});
        assert_eq!(decide(pair, &new, &new, &path), Decision::ChangedHere);
    }

    #[test]
    fn the_order_follows_the_table_over_the_slots_that_all_share() {
        for (base, file, page, expected) in [
            ("abc", "abc", "abc", Decision::Agreed),
            ("abc", "bac", "bac", Decision::Agreed),
            ("abc", "bac", "abc", Decision::ChangedHere),
            ("abc", "abc", "bac", Decision::ChangedThere),
            ("abc", "bac", "acb", Decision::Conflict),
            // Slots that one side lacks do not count.
            ("abc", "nab", "axbc", Decision::Agreed),
            ("abc", "ba", "abx", Decision::ChangedHere),
            ("", "ab", "ba", Decision::Agreed),
        ] {
            let of = |text: &str| text.chars().filter_map(|c| page.find(c)).collect::<Vec<_>>();
            assert_eq!(decide_order(&of(base), &of(file)), expected, "{base} {file} {page}");
        }
    }
}
