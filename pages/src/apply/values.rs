//! Comparison of values: comparable form of the content of slots, digests of values, forms in which the service may store a value, and the
//! fingerprint of a page, which is the same on every machine and in every version.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::Value;
use twox_hash::XxHash3_64;

use super::page_fields::{held, keys_of_both};
use super::value_hash::{canonical, write_fields};
use super::{SlotTypes, same};
use links_sdk::Slot;
use links_sdk::runs::ValueShape;

/// The content of a slot in comparable form: the fields that are not absent, by their keys.
pub(super) type NormalizedFields<'a> = BTreeMap<&'a str, &'a Value>;

/// Returns a short digest that is equal for equal values. It does not resist someone who seeks a collision.
pub(super) fn digest(value: &Value) -> u64 {
    match ValueShape::of(value) {
        // The seed tells a text from a number that is written like it.
        ValueShape::Text(text) => XxHash3_64::oneshot_with_seed(1, text.as_bytes()),
        _ => XxHash3_64::oneshot(&canonical(value)),
    }
}

/// Returns a fingerprint of a page's content and order. Two reads of an unchanged page have the same fingerprint. Differences that the
/// service does not keep (see [`same`]), and fields other than ID, type, data and support, do not count.
///
/// The fingerprint shows that a page was edited. It is not designed to resist deliberate collisions.
pub fn fingerprint(page: &[Slot]) -> String {
    let mut text = Vec::new();
    for slot in page {
        // Writing to memory cannot fail.
        let _ = write!(text, "{} {:?} {} ", slot.id, slot.kind, slot.supported);
        write_fields(&slot.data, &mut text);
    }
    format!("{:016x}", XxHash3_64::oneshot(&text))
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
            keys_of_both(file, page).all(|key| may_be_stored_as(held(file, key), held(page, key)))
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
    let bare = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let url = if written.contains("://") { Some(url) } else { bare };
    url.is_some_and(|url| written == url || Some(written) == url.strip_suffix('/'))
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
        assert_eq!(base, "fac9e2bc73952ca0");
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
