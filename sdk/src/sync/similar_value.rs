//! Comparison of values that the service may have normalised.

use serde_json::Value;

use crate::apply::same;

/// Returns whether the values are the same, or would be if the service had added the scheme of a URL or the slash after its host.
///
/// Only identities are found with this: whether a value changed is decided by the value itself.
pub(super) fn similar(one: &Value, other: &Value) -> bool {
    if same(one, other) {
        return true;
    }
    match (one, other) {
        (Value::String(one), Value::String(other)) => location(one) == location(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| similar(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let value = |map: &'_ serde_json::Map<String, Value>, key: &str| {
                map.get(key).cloned().unwrap_or_default()
            };
            one.keys().chain(other.keys()).all(|key| similar(&value(one, key), &value(other, key)))
        }
        _ => false,
    }
}

/// Returns a URL without its scheme and the slash at its end.
fn location(text: &str) -> &str {
    let text = text.trim();
    let text =
        text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(text);
    text.strip_suffix('/').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn urls_are_similar_with_and_without_a_scheme() {
        for (one, other, expected) in [
            (json!("a.example"), json!("https://a.example/"), true),
            (json!([" a.example"]), json!(["http://a.example"]), true),
            (json!({"link": "a.example", "x": ""}), json!({"link": "https://a.example"}), true),
            (json!("a.example"), json!("b.example"), false),
            (json!({"link": "a.example"}), json!({}), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(similar(&one, &other), expected, "{one} {other}");
            assert_eq!(similar(&other, &one), expected, "{other} {one}");
        }
    }
}
