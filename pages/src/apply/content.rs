//! Index of the slots that already hold the content of an item.

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::schema::Clearing;
use super::value_hash::ValueHash;
use super::values::NormalizedFields;
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

/// Index of the slots of a page by their types, and by the types with each of their values.
pub(super) struct ContentIndex<'n>(HashMap<ContentKey<'n>, Vec<usize>>);

/// A type, and a value of a key.
type ContentKey<'n> = (&'n str, Option<(&'n str, ValueHash)>);

impl<'n> ContentIndex<'n> {
    pub(super) fn of(page: &'n [Slot], contents: &'n [NormalizedFields<'n>]) -> Self {
        let mut index: HashMap<ContentKey<'n>, Vec<usize>> = HashMap::new();
        for (position, (slot, content)) in page.iter().zip(contents).enumerate() {
            let values = content.0.iter().map(|(key, value)| Some((*key, ValueHash::of(value))));
            for value in values.chain([None]) {
                index.entry((&slot.kind, value)).or_default().push(position);
            }
        }
        Self(index)
    }

    /// Returns the slots that may hold the desired content: those of its type that have the rarest of its values.
    pub(super) fn candidates<'w: 'n>(&self, desired: &'w DesiredContent<'w>) -> &[usize] {
        let values = desired.values.0.iter().map(|(key, value)| Some((*key, ValueHash::of(value))));
        let holding = values.chain([None]).map(|value| self.0.get(&(desired.kind, value)));
        holding
            .map(|all| all.map_or(&[][..], Vec::as_slice))
            .min_by_key(|all| all.len())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
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
            let held = |position: &usize| desired.is_held_by(&contents[*position]);
            let found = index.candidates(&desired).iter().copied().filter(held);
            assert_eq!(found.collect::<Vec<_>>(), expected, "{data}");
            assert_eq!((0..3).filter(held).collect::<Vec<_>>(), expected, "{data}");
        }
    }
}
