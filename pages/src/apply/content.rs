//! Index of the slots that already hold the content of an item.

use foldhash::{HashMap, HashMapExt};

use super::normalized::{NormalizedFields, NormalizedValue};
use super::positions::Positions;
use super::schema::Clearing;
use super::{DesiredSlot, SlotTypes};
use links_sdk::Slot;

/// Content that an item asks for, in comparable form.
#[derive(Debug)]
pub(super) struct DesiredContent<'a> {
    pub(super) kind: &'a str,
    /// Keys that have to hold a value.
    pub(super) values: NormalizedFields<'a>,
    /// Keys that have to be empty, or hold the default that stands for it.
    cleared: NormalizedFields<'a>,
}

impl<'a> DesiredContent<'a> {
    pub(super) fn of(item: &'a DesiredSlot, types: &'a SlotTypes) -> Self {
        let (mut values, mut all_cleared) = (Vec::with_capacity(item.data.len()), Vec::new());
        for (key, value) in item.data.iter() {
            let wanted = NormalizedValue::of(value);
            if !wanted.is_absent() {
                values.push((key.as_str(), wanted));
                continue;
            }
            let cleared = match types.clearing(&item.kind, key) {
                Clearing::Default(default) if value.is_null() => NormalizedValue::of(default),
                _ => wanted,
            };
            all_cleared.push((key.as_str(), cleared));
        }
        let (values, cleared) = (values.into_iter().collect(), all_cleared.into_iter().collect());
        Self { kind: &item.kind, values, cleared }
    }

    /// Returns whether `content` holds the desired value of `key`.
    pub(super) fn is_met(&self, key: &str, content: &NormalizedFields<'_>) -> bool {
        match (self.values.get(key), content.get(key)) {
            (None, None) => true,
            (None, held) => held == self.cleared.get(key),
            (wanted, held) => wanted == held,
        }
    }

    /// Returns whether `content` is the desired content and what the service fills in, and nothing else.
    pub(super) fn is_all_of(&self, content: &NormalizedFields<'_>, types: &SlotTypes) -> bool {
        self.values.into_iter().all(|(key, _)| self.is_met(key, content))
            && content.into_iter().all(|(key, held)| {
                self.is_met(key, content) || types.fills_in(self.kind, key, held.value())
            })
    }

    /// Returns whether `content` holds the desired values of all keys.
    pub(super) fn is_held_by(&self, content: &NormalizedFields<'_>) -> bool {
        let holds = |(key, wanted): &(&str, _)| content.get(key) == Some(wanted);
        let clears = |(key, default): &(&str, _)| content.get(key).is_none_or(|it| it == default);
        (&self.values).into_iter().all(holds) && (&self.cleared).into_iter().all(clears)
    }
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
            for (key, value) in content {
                index.keys.entry(key).or_insert_with(none).insert(position);
                index.values.entry((key, value.digest())).or_insert_with(none).insert(position);
            }
        }
        index
    }

    /// Returns the slots that match the desired content without a write.
    pub(super) fn meeting<'w: 'n>(&self, desired: &'w DesiredContent<'w>) -> Positions {
        let mut found = self.kinds.get(desired.kind).unwrap_or(&self.none).clone();
        for (key, value) in &desired.values {
            found.intersect(self.values.get(&(*key, value.digest())).unwrap_or(&self.none));
        }
        for (key, default) in &desired.cleared {
            let Some(holding) = self.keys.get(key) else { continue };
            let mut wrong = holding.clone();
            wrong.subtract(self.values.get(&(*key, default.digest())).unwrap_or(&self.none));
            found.subtract(&wrong);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::normalized::fields;
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
            let met = |position: &usize| {
                item.data.keys().all(|key| desired.is_met(key, &contents[*position]))
            };
            let direct: Vec<_> = (0..3).filter(met).collect();
            assert_eq!(direct, expected, "{data}");
            let held = |position: &usize| desired.is_held_by(&contents[*position]);
            assert_eq!((0..3).filter(held).collect::<Vec<_>>(), expected, "{data}");
        }
    }
}
