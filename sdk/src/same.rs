//! Values that the service does not distinguish are equal here.
//!
//! The service writes an empty object as `[]`, may trim strings, and may turn `""` into `null`. Values are compared in a form that hides
//! these differences.

use serde_json::{Map, Number, Value};

use crate::Slot;

/// Returns whether two values differ only in what the service does not keep: the order of keys, `1` or `1.0`, spaces around a string, and
/// whether "empty" is written as `[]`, `{}`, `""`, `null` or not at all.
///
/// ```
/// use links_sdk::runs::same;
/// use serde_json::json;
///
/// assert!(same(&json!({"title": " Menu", "tags": []}), &json!({"title": "Menu"})));
/// assert!(!same(&json!("1"), &json!(1)));
/// ```
pub fn same(one: &Value, other: &Value) -> bool {
    match (ValueShape::of(one), ValueShape::of(other)) {
        (ValueShape::List(one), ValueShape::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (ValueShape::Map(one), ValueShape::Map(other)) => same_fields(one, other),
        (one, other) => one == other,
    }
}

fn same_fields(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    present(one).count() == present(other).count()
        && present(one).all(|(key, value)| other.get(key).is_some_and(|it| same(value, it)))
}

/// Returns whether a value has all that was sent. A read may show more: keys that the service gave, what it computes. An item of a list that
/// was sent with `null` may have any value there.
pub(crate) fn holds(found: &Value, sent: &Value) -> bool {
    let has = |found: &Map<String, Value>, name: &str, value: &Value| {
        holds(found.get(name).unwrap_or(&Value::Null), value)
    };
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(name, value)| has(found, name, value))
        }
        (Value::Array(found), Value::Array(sent)) => {
            let holds_item = |(found, sent): (&Value, &Value)| match (found, sent) {
                (Value::Object(found), Value::Object(sent)) => {
                    sent.iter().all(|(name, value)| value.is_null() || has(found, name, value))
                }
                _ => holds(found, sent),
            };
            found.len() == sent.len() && found.iter().zip(sent).all(holds_item)
        }
        _ => same(found, sent),
    }
}

/// Returns whether a slot holds what it held, as far as the service keeps it (see [`same`]).
pub(crate) fn is_unchanged(before: &Slot, now: &Slot) -> bool {
    before.kind == now.kind
        && before.supported == now.supported
        && same_fields(&before.data, &now.data)
}

/// What a value is in comparable form.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueShape<'a> {
    /// What stands for "empty".
    Absent,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// The bits of a number that is not whole.
    Float(u64),
    /// A text without spaces around it.
    Text(&'a str),
    /// A list that is not empty.
    List(&'a [Value]),
    /// A map with at least one field that is not absent.
    Map(&'a Map<String, Value>),
}

impl<'a> ValueShape<'a> {
    /// Returns what a value is.
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Bool(yes) => Self::Bool(*yes),
            Value::Number(number) => Self::number(number),
            Value::String(text) => match text.trim() {
                "" => Self::Absent,
                text => Self::Text(text),
            },
            Value::Array(list) if list.is_empty() => Self::Absent,
            // An empty value inside a list keeps its place.
            Value::Array(list) => Self::List(list),
            Value::Object(map) if map.values().all(is_absent) => Self::Absent,
            Value::Object(map) => Self::Map(map),
        }
    }

    fn number(number: &Number) -> Self {
        /// Every whole `f64` below 2^126 is an `i128`, exactly.
        const WHOLE: f64 = 8.5e37;
        if let Some(whole) = number.as_i128() {
            return Self::Integer(whole);
        }
        match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within range")]
            Some(float) if float.fract() == 0.0 && float.abs() < WHOLE => {
                Self::Integer(float as i128)
            }
            Some(float) => Self::Float(float.to_bits()),
            None => Self::Absent,
        }
    }
}

/// Returns whether a value stands for "empty".
pub fn is_absent(value: &Value) -> bool {
    ValueShape::of(value) == ValueShape::Absent
}

/// Calls `take` with each field that is not absent, in the order of the keys.
pub fn for_each_sorted<'a>(map: &'a Map<String, Value>, mut take: impl FnMut(&'a str, &'a Value)) {
    let mut fields: Vec<_> = present(map).collect();
    fields.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in fields {
        take(key, value);
    }
}

/// Returns the fields of a map that are not absent.
pub fn present(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    map.iter().map(|(key, value)| (key.as_str(), value)).filter(|(_, value)| !is_absent(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_the_service_normalizes_compare_as_equal() {
        let groups = [
            vec![
                json!(null),
                json!([]),
                json!({}),
                json!(""),
                json!("  \n"),
                json!({"a": ""}),
                json!({"a": {"b": []}}),
            ],
            vec![json!(1), json!(1.0), json!(1e0)],
            vec![json!(0), json!(-0.0)],
            vec![json!("a b"), json!("  a b\t"), json!("\u{a0}a b")],
            vec![json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1, "c": null})],
            vec![json!(["", 1]), json!([null, 1]), json!([{}, 1])],
        ];
        for (g, group) in groups.iter().enumerate() {
            for (o, others) in groups.iter().enumerate() {
                for one in group {
                    for other in others {
                        assert_eq!(same(one, other), g == o, "{one} and {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_with_different_meanings_compare_as_different() {
        let values = [
            json!(true),
            json!(false),
            json!("true"),
            json!(1),
            json!("1"),
            json!(1.5),
            json!([1]),
            json!([1, null]),
            json!([null]),
            json!([1, 2]),
            json!([2, 1]),
            json!("a b"),
            json!("a  b"),
            json!("A b"),
            json!(9_007_199_254_740_993_i64),
            json!(9_007_199_254_740_992_i64),
            json!(u64::MAX),
            json!(1e300),
            json!(2e300),
            json!({"a": false}),
            json!({"a": 0}),
        ];
        for (i, one) in values.iter().enumerate() {
            for (j, other) in values.iter().enumerate() {
                assert_eq!(same(one, other), i == j, "{one} and {other}");
            }
        }
        assert!(same(&json!(9_007_199_254_740_992_i64), &json!(9_007_199_254_740_992.0)));
    }
}
