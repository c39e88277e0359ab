//! Index of the slots that already hold the content of an item.

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::schema::Clearing;
use super::values::{NormalizedFields, digest};
use super::{DesiredSlot, SlotTypes, same};
use links_sdk::Slot;
use links_sdk::runs::is_absent;

/// Content that an item asks for, in comparable form.
#[derive(Debug)]
pub(super) struct DesiredContent<'a> {
    pub kind: &'a str,
    /// Keys that have to hold a value.
    pub values: NormalizedFields<'a>,
    /// Keys that have to be empty, or hold the default that stands for it.
    cleared: NormalizedFields<'a>,
}

impl<'a> DesiredContent<'a> {
    pub(super) fn of(item: &'a DesiredSlot, types: &'a SlotTypes) -> Self {
        let (mut values, mut cleared) = (Vec::with_capacity(item.data.len()), Vec::new());
        for (key, value) in item.data.iter() {
            if !is_absent(value) {
                values.push((key.as_str(), value));
                continue;
            }
            let default = match types.clearing(&item.kind, key) {
                Clearing::Default(default) if value.is_null() => default,
                _ => value,
            };
            cleared.push((key.as_str(), default));
        }
        let (values, cleared) = (values.into_iter(), cleared.into_iter());
        Self {
            kind: &item.kind,
            values: NormalizedFields::new(values),
            cleared: NormalizedFields::new(cleared),
        }
    }

    /// Returns whether `content` holds the desired values of all keys.
    pub(super) fn is_held_by(&self, content: &NormalizedFields<'_>) -> bool {
        let clears = |(key, default): &(&str, &Value)| {
            content.get(key).is_none_or(|held| same(held, default))
        };
        self.values.0.iter().all(|(key, wanted)| holds(content, key, wanted))
            && self.cleared.0.iter().all(clears)
    }
}

fn holds(content: &NormalizedFields<'_>, key: &str, wanted: &Value) -> bool {
    content.get(key).is_some_and(|held| same(held, wanted))
}

/// Index of the slots of a page by their content. Values count as equal if their digests are: whether a slot that was found needs an
/// update is decided by the values themselves.
pub(super) struct ContentIndex<'n> {
    none: Positions,
    kinds: HashMap<&'n str, Positions>,
    keys: HashMap<&'n str, Positions>,
    values: HashMap<(&'n str, u64), Positions>,
}

impl<'n> ContentIndex<'n> {
    pub(super) fn of(page: &'n [Slot], contents: &'n [NormalizedFields<'n>]) -> Self {
        let none = Positions::none(page.len());
        let mut index =
            Self { none, kinds: HashMap::new(), keys: HashMap::new(), values: HashMap::new() };
        for (position, (slot, content)) in page.iter().zip(contents).enumerate() {
            let none = || index.none.clone();
            index.kinds.entry(&slot.kind).or_insert_with(none).insert(position);
            for (key, value) in &content.0 {
                index.keys.entry(key).or_insert_with(none).insert(position);
                index.values.entry((key, digest(value))).or_insert_with(none).insert(position);
            }
        }
        index
    }

    /// Returns the slots that match the desired content without a write.
    pub(super) fn meeting<'w: 'n>(&self, desired: &'w DesiredContent<'w>) -> Positions {
        let mut found = self.kinds.get(desired.kind).unwrap_or(&self.none).clone();
        for (key, value) in &desired.values.0 {
            found.intersect(self.values.get(&(*key, digest(value))).unwrap_or(&self.none));
        }
        for (key, default) in &desired.cleared.0 {
            let Some(holding) = self.keys.get(key) else { continue };
            let mut wrong = holding.clone();
            wrong.subtract(self.values.get(&(*key, digest(default))).unwrap_or(&self.none));
            found.subtract(&wrong);
        }
        found
    }
}

/// Set of positions of slots. Sets that are combined belong to the same page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Positions(Vec<u64>);

impl Positions {
    pub(super) fn none(page_len: usize) -> Self {
        Self(vec![0; page_len.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, position: usize) {
        self.0[position / 64] |= 1 << (position % 64);
    }

    pub(super) fn remove(&mut self, position: usize) {
        self.0[position / 64] &= !(1 << (position % 64));
    }

    pub(super) fn contains(&self, position: usize) -> bool {
        self.0[position / 64] & (1 << (position % 64)) != 0
    }

    pub(super) fn intersect(&mut self, other: &Self) {
        self.each(other, |word, mask| word & mask);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.each(other, |word, mask| word & !mask);
    }

    pub(super) fn common(&self, other: &Self) -> Self {
        let mut common = self.clone();
        common.intersect(other);
        common
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        positions_in(self.0.iter().copied())
    }

    /// Returns the first position in both sets.
    pub(super) fn first_common(&self, other: &Self) -> Option<usize> {
        positions_in(self.0.iter().zip(&other.0).map(|(one, other)| one & other)).next()
    }

    fn each(&mut self, other: &Self, merge: impl Fn(u64, u64) -> u64) {
        for (word, mask) in self.0.iter_mut().zip(&other.0) {
            *word = merge(*word, *mask);
        }
    }
}

fn positions_in(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(index, mut rest)| {
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::values::fields;
    use super::*;

    #[test]
    fn the_content_index_finds_the_same_slots_as_a_scan() {
        let mut types = SlotTypes::default();
        types.insert(
            "text",
            true,
            json!({"properties": {"style": {"enum": ["plain"], "default": "plain"}, "title": {}}}),
        );
        let page: Vec<Slot> = serde_json::from_value(json!([
            {"id": 1, "type": "text", "data": {"title": "A", "style": "plain"}, "supported": true},
            {"id": 2, "type": "text", "data": {"title": "A ", "style": "bold"}, "supported": true},
            {"id": 3, "type": "text", "data": {"title": "", "n": 1}, "supported": true},
            {"id": 4, "type": "note", "data": {"title": "A", "style": "plain"}, "supported": true},
        ]))
        .unwrap();
        let contents: Vec<_> = page.iter().map(|slot| fields(&slot.data)).collect();
        for (data, expected) in [
            (json!({}), vec![0, 1, 2]),
            (json!({"title": "A"}), vec![0, 1]),
            (json!({"title": "A", "style": "plain"}), vec![0]),
            (json!({"title": null}), vec![2]),
            (json!({"title": []}), vec![2]),
            (json!({"style": null}), vec![0, 2]),
            (json!({"style": ""}), vec![2]),
            (json!({"n": 1.0}), vec![2]),
            (json!({"m": null}), vec![0, 1, 2]),
            (json!({"m": 0}), vec![]),
        ] {
            let item: DesiredSlot =
                serde_json::from_value(json!({"type": "text", "data": data})).unwrap();
            let desired = DesiredContent::of(&item, &types);
            let index = ContentIndex::of(&page, &contents);
            assert_eq!(index.meeting(&desired).iter().collect::<Vec<_>>(), expected, "{data}");
            let held = |position: &usize| desired.is_held_by(&contents[*position]);
            assert_eq!((0..3).filter(held).collect::<Vec<_>>(), expected, "{data}");
        }
    }

    const LEN: usize = 130;

    fn set(positions: &BTreeSet<usize>) -> Positions {
        let mut set = Positions::none(LEN);
        for position in positions {
            set.insert(*position);
        }
        set
    }

    proptest! {
        #[test]
        fn behaves_as_a_sorted_set(
            one in proptest::collection::btree_set(0..LEN, 0..40),
            other in proptest::collection::btree_set(0..LEN, 0..40),
            position in 0..LEN,
        ) {
            let listed = |set: &Positions| set.iter().collect::<BTreeSet<_>>();
            let changed = |change: fn(&mut Positions, &Positions)| {
                let mut changed = set(&one);
                change(&mut changed, &set(&other));
                listed(&changed)
            };
            prop_assert_eq!(changed(Positions::intersect), &one & &other);
            prop_assert_eq!(changed(Positions::subtract), &one - &other);
            prop_assert_eq!(set(&one).first_common(&set(&other)), one.intersection(&other).next().copied());
            prop_assert_eq!(set(&one).contains(position), one.contains(&position));
            let mut without = set(&one);
            without.remove(position);
            prop_assert!(!without.contains(position));
        }
    }
}
