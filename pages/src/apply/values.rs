//! Comparison of values: comparable form of the content of slots, and forms in which the service may store a value.

use serde_json::{Map, Value};

use super::{SlotTypes, same};
use links_sdk::runs::present;

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

/// Returns the content of a slot in comparable form.
pub(super) fn fields(map: &Map<String, Value>) -> NormalizedFields<'_> {
    NormalizedFields::new(present(map))
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
    use serde_json::json;

    use super::*;

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
