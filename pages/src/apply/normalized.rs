//! Comparable form of the content of slots, digests of values, and the fingerprint of a page.

use serde_json::{Map, Value};

use super::digest::Digest;
use links_sdk::Slot;
use links_sdk::runs::{ValueShape, for_each_sorted, present};

/// The content of a slot: the fields that are not absent, sorted by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct NormalizedFields<'a>(pub(super) Vec<(&'a str, &'a Value)>);

impl<'a> NormalizedFields<'a> {
    /// Takes fields none of which is there twice.
    pub(super) fn new(fields: impl Iterator<Item = (&'a str, &'a Value)>) -> Self {
        let mut fields: Vec<_> = fields.collect();
        fields.sort_unstable_by_key(|(key, _)| *key);
        Self(fields)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        let found = self.0.binary_search_by(|(known, _)| (*known).cmp(key)).ok()?;
        Some(self.0[found].1)
    }
}

/// Returns a digest that is equal for equal values, on every machine.
pub(super) fn digest(value: &Value) -> u64 {
    let shape = ValueShape::of(value);
    let mut whole = Digest::of(match shape {
        ValueShape::Absent => 0,
        ValueShape::Bool(_) => 1,
        ValueShape::Integer(_) => 2,
        ValueShape::Float(_) => 3,
        ValueShape::Text(_) => 4,
        ValueShape::List(_) => 5,
        ValueShape::Map(_) => 6,
    });
    match shape {
        ValueShape::Absent => {}
        ValueShape::Bool(yes) => whole.take(yes.into()),
        ValueShape::Integer(number) => whole.bytes(&number.to_le_bytes()),
        ValueShape::Float(bits) => whole.take(bits),
        ValueShape::Text(text) => whole.bytes(text.as_bytes()),
        ValueShape::List(list) => list.iter().for_each(|value| whole.take(digest(value))),
        ValueShape::Map(map) => {
            for_each_sorted(map, |key, value| whole.field(key, digest(value)));
        }
    }
    whole.value()
}

/// Returns the content of a slot in comparable form.
pub(super) fn fields(map: &Map<String, Value>) -> NormalizedFields<'_> {
    NormalizedFields::new(present(map))
}

/// Returns a fingerprint of a page's content and order; two reads of an unchanged page have the same. What the service does not keep (see
/// [`same`](super::same)) and fields other than id, type, data and support do not count.
///
/// The fingerprint shows that a page was edited; it does not resist someone who seeks a collision.
pub fn fingerprint(page: &[Slot]) -> String {
    let mut digest = Digest::NEW;
    for slot in page {
        digest.bytes(&slot.id.get().to_le_bytes());
        digest.bytes(slot.kind.as_bytes());
        digest.take(slot.supported.into());
        digest.take(present(&slot.data).count() as u64);
        for_each_sorted(&slot.data, |key, value| digest.field(key, self::digest(value)));
    }
    format!("{:016x}", digest.value())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fingerprint_changes_with_content_order_and_support_only() {
        let page = |json: Value| serde_json::from_value::<Vec<Slot>>(json).unwrap();
        let one =
            json!({"id": 1, "type": "text", "data": {"title": "A", "size": 1}, "supported": true});
        let two = json!({"id": 2, "type": "divider", "data": [], "supported": true});
        let print = |json: Value| fingerprint(&page(json));
        let base = print(json!([one, two]));
        assert_eq!(base.len(), 16);
        let cosmetic = json!({"id": 1, "type": "text", "data": {"size": 1.0, "title": " A", "x": []}, "supported": true, "clicks": 9});
        assert_eq!(
            base,
            print(json!([cosmetic, {"id": 2, "type": "divider", "data": {}, "supported": true}]))
        );
        for changed in [
            json!([two, one]),
            json!([one]),
            json!([]),
            json!([{"id": 1, "type": "text", "data": {"title": "B", "size": 1}, "supported": true}, two]),
            json!([{"id": 1, "type": "text", "data": {"title": "A", "size": "1"}, "supported": true}, two]),
            json!([{"id": 1, "type": "text", "data": {"title": "A", "size": 1}, "supported": false}, two]),
            json!([{"id": 3, "type": "text", "data": {"title": "A", "size": 1}, "supported": true}, two]),
        ] {
            assert_ne!(base, print(changed.clone()), "{changed}");
        }
    }
}
