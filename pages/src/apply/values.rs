//! Comparison of values: comparable form of the content of slots, digests that are the same on every machine and in every version, forms in
//! which the service may store a value, and the fingerprint of a page.

use serde_json::{Map, Value};
use twox_hash::XxHash3_64;

use super::{SlotTypes, same};
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

/// Returns a fingerprint of a page's content and order. Two reads of an unchanged page have the same fingerprint. Differences that the
/// service does not keep (see [`same`]), and fields other than ID, type, data and support, do not count.
///
/// The fingerprint shows that a page was edited. It is not designed to resist deliberate collisions.
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

/// A hash that is the same on every machine and in every version, unlike those of maps. It does not resist someone who seeks a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    /// Digest of no bytes.
    pub(super) const NEW: Self = Self(0);

    /// Returns the digest to start from for a kind of value; it differs between kinds.
    pub(super) fn of(kind: u64) -> Self {
        Self(kind)
    }

    pub(super) fn take(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Adds bytes. The digest so far is the seed, so that the boundaries between parts count.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0 = XxHash3_64::oneshot_with_seed(self.0, bytes);
    }

    pub(super) fn field(&mut self, key: &str, value: u64) {
        self.0 ^= value;
        self.bytes(key.as_bytes());
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// Returns whether the service may have stored the file's value as the page's: the values are the same, or the service added the scheme of
/// a URL or the slash at its end.
///
/// Only where nothing is known of the last sync: else the record says what the page stored.
pub(crate) fn may_be_stored_as(file: &Value, page: &Value) -> bool {
    if same(file, page) {
        return true;
    }
    match (file, page) {
        (Value::String(file), Value::String(page)) => is_url_of(file.trim(), page.trim()),
        (Value::Array(file), Value::Array(page)) => {
            file.len() == page.len()
                && file.iter().zip(page).all(|(file, page)| may_be_stored_as(file, page))
        }
        (Value::Object(file), Value::Object(page)) => {
            let value = |map: &Map<String, Value>, key| map.get(key).cloned().unwrap_or_default();
            file.keys()
                .chain(page.keys())
                .all(|key| may_be_stored_as(&value(file, key), &value(page, key)))
        }
        _ => false,
    }
}

impl SlotTypes {
    /// Returns whether the service may hold `page` for a key for which `sent` was written: the same value, in another form, or the default of a
    /// key that was cleared.
    pub(crate) fn may_store(&self, kind: &str, key: &str, sent: &Value, page: &Value) -> bool {
        may_be_stored_as(sent, page) || (same(sent, &Value::Null) && self.fills_in(kind, key, page))
    }
}

fn is_url_of(written: &str, url: &str) -> bool {
    let has_scheme = written.contains("://");
    let location = |url: &'_ str| url.strip_suffix('/').unwrap_or(url).to_owned();
    let bare = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let url = if has_scheme { Some(url) } else { bare };
    url.is_some_and(|url| written == url || !written.ends_with('/') && written == location(url))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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

    fn of(parts: &[&str]) -> u64 {
        let mut digest = Digest::NEW;
        for part in parts {
            digest.bytes(part.as_bytes());
        }
        digest.value()
    }

    #[test]
    fn digests_do_not_change_between_versions() {
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&["Opening hours"]), 0x24bf_6562_7cd1_19fd);
    }

    #[test]
    fn similar_texts_have_different_digests() {
        let mut texts: Vec<String> = (0..100_000).map(|n| format!("Question {n}?")).collect();
        texts.extend((0..40).map(|n| "\0".repeat(n)));
        texts.extend((0..40).map(|n| format!("{}x", " ".repeat(n))));
        let known: HashSet<u64> = texts.iter().map(|text| of(&[text])).collect();
        assert_eq!(known.len(), texts.len());
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab", ""]), of(&["ab"]));
    }

    #[test]
    fn the_service_may_add_the_scheme_of_a_url_and_the_slash_at_its_end() {
        for (file, page, expected) in [
            (json!("a.example"), json!("https://a.example/"), true),
            (json!("a.example/x/"), json!("http://a.example/x/"), true),
            (json!("https://a.example"), json!("https://a.example/"), true),
            (json!([" a.example"]), json!(["http://a.example"]), true),
            (json!({"link": "a.example", "x": ""}), json!({"link": "https://a.example"}), true),
            (json!("https://a.example"), json!("a.example"), false),
            (json!("https://a.example"), json!("http://a.example"), false),
            (json!("https://a.example/"), json!("https://a.example"), false),
            (json!("a.example"), json!("https://b.example"), false),
            (json!({"link": "a.example"}), json!({}), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(may_be_stored_as(&file, &page), expected, "{file} {page}");
        }
    }
}
