//! Comparable form of the content of slots, with digests, and the fingerprint of a page.

use serde_json::{Map, Value};

use super::digest::Digest;
use links_sdk::Slot;
use links_sdk::runs::{ValueShape, for_each_sorted, is_absent, present, same};

/// A value in comparable form: its digest, and the value itself for the case that two digests are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct NormalizedValue<'a> {
    digest: u64,
    value: &'a Value,
}

/// The content of a slot: the fields that are not absent, sorted by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct NormalizedFields<'a>(Vec<(&'a str, NormalizedValue<'a>)>);

impl<'a> NormalizedFields<'a> {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, key: &str) -> Option<&NormalizedValue<'a>> {
        let found = self.0.binary_search_by(|(known, _)| (*known).cmp(key)).ok()?;
        Some(&self.0[found].1)
    }
}

impl<'a> FromIterator<(&'a str, NormalizedValue<'a>)> for NormalizedFields<'a> {
    /// Takes the fields of a map, none of which is there twice.
    fn from_iter<I: IntoIterator<Item = (&'a str, NormalizedValue<'a>)>>(fields: I) -> Self {
        let mut fields: Vec<_> = fields.into_iter().collect();
        fields.sort_unstable_by_key(|(key, _)| *key);
        Self(fields)
    }
}

impl<'n, 'a> IntoIterator for &'n NormalizedFields<'a> {
    type Item = &'n (&'a str, NormalizedValue<'a>);
    type IntoIter = std::slice::Iter<'n, (&'a str, NormalizedValue<'a>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a> NormalizedValue<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self { digest: digest(value), value }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn is_absent(&self) -> bool {
        is_absent(self.value)
    }
}

impl PartialEq for NormalizedValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest && same(self.value, other.value)
    }
}

impl Eq for NormalizedValue<'_> {}

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
    present(map).map(|(key, value)| (key, NormalizedValue::of(value))).collect()
}

/// Returns a fingerprint of a page's content and order; two reads of an unchanged page have the same. What the service does not keep (see
/// [`same`]) and fields other than id, type, data and support do not count.
///
/// The fingerprint shows that a page was edited; it does not resist someone who seeks a collision.
pub fn fingerprint(page: &[Slot]) -> String {
    let mut digest = Digest::NEW;
    for slot in page {
        slot_head(&mut digest, slot, present(&slot.data).count());
        for_each_sorted(&slot.data, |key, value| digest.field(key, self::digest(value)));
    }
    format!("{:016x}", digest.value())
}

/// Returns the fingerprint of a page whose normalized contents are known.
pub(super) fn fingerprint_of(page: &[Slot], contents: &[NormalizedFields<'_>]) -> String {
    let slots = page.iter().zip(contents);
    let mut digest = Digest::NEW;
    for (slot, content) in slots {
        slot_head(&mut digest, slot, content.len());
        for (key, value) in content {
            digest.field(key, value.digest);
        }
    }
    format!("{:016x}", digest.value())
}

/// Adds what is not a field of a slot to the digest of its page.
fn slot_head(digest: &mut Digest, slot: &Slot, fields: usize) {
    digest.bytes(&slot.id.get().to_le_bytes());
    digest.bytes(slot.kind.as_bytes());
    digest.take(slot.supported.into());
    digest.take(fields as u64);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fingerprint_is_the_same_from_slots_and_from_their_normalized_contents() {
        let many: Map<String, Value> =
            (0..20).map(|n| (format!("k{}", 20 - n), json!(n))).collect();
        for data in [json!({}), json!({"b": "x", "a": {"c": null}, "d": [1]}), json!(many)] {
            let slot = json!({"id": 1, "type": "text", "data": data, "supported": true});
            let page: Vec<Slot> = serde_json::from_value(json!([slot, slot])).unwrap();
            let contents: Vec<_> = page.iter().map(|slot| fields(&slot.data)).collect();
            assert_eq!(fingerprint(&page), fingerprint_of(&page, &contents));
        }
    }

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
