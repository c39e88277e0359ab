//! Comparable form of values, in which those that the service does not distinguish are equal.
//!
//! The service writes an empty object as `[]`, may trim strings, and may turn `""` into `null`. Values are compared in a form that hides
//! these differences.

use serde_json::{Map, Number, Value};

use super::digest::Digest;
use crate::Slot;

/// Returns whether two values differ only in what the service does not keep: the order of keys, `1` and `1.0`, spaces around a string, and
/// which of `[]`, `{}`, `""`, `null` or nothing at all stands for "empty".
///
/// ```
/// use links_sdk::apply::same;
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
    // Usually the keys are in the same order.
    let (mut ones, mut others) = (present(one), present(other));
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return true,
            (Some((key, value)), Some((other_key, other_value))) if key == other_key => {
                if !same(value, other_value) {
                    return false;
                }
            }
            _ => break,
        }
    }
    present(one).count() == present(other).count()
        && present(one).all(|(key, value)| other.get(key).is_some_and(|it| same(value, it)))
}

/// Returns whether a slot holds what it held, as far as the service keeps it (see [`same`]).
pub(crate) fn is_unchanged(before: &Slot, now: &Slot) -> bool {
    before.kind == now.kind
        && before.supported == now.supported
        && same_fields(&before.data, &now.data)
}

/// A value in comparable form: its digest, and the value itself for the case that two digests are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct NormalizedValue<'a> {
    digest: u64,
    value: &'a Value,
}

/// What a value is in comparable form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ValueShape<'a> {
    Absent,
    Bool(bool),
    Integer(i128),
    /// The bits of a number that is not whole.
    Float(u64),
    Text(&'a str),
    List(&'a [Value]),
    /// A map with at least one field that is not absent.
    Map(&'a Map<String, Value>),
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

impl<'a> ValueShape<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Bool(yes) => Self::Bool(*yes),
            Value::Number(number) => Self::number(number),
            Value::String(text) => match trimmed(text) {
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

fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) => false,
        Value::String(text) => trimmed(text).is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_absent),
        Value::Number(number) => ValueShape::number(number) == ValueShape::Absent,
    }
}

/// Calls `take` with each field that is not absent, in the order of the keys.
pub(crate) fn for_each_sorted<'a>(
    map: &'a Map<String, Value>,
    mut take: impl FnMut(&'a str, &'a Value),
) {
    /// Most maps have no more fields, and need no memory of their own here.
    const FEW: usize = 8;
    let mut few = [("", &Value::Null); FEW];
    let mut many = Vec::new();
    let fields = if map.len() <= FEW {
        let mut count = 0;
        for (slot, field) in few.iter_mut().zip(present(map)) {
            *slot = field;
            count += 1;
        }
        &mut few[..count]
    } else {
        many.extend(present(map));
        &mut many[..]
    };
    fields.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in fields {
        take(key, value);
    }
}

fn present(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    map.iter().map(|(key, value)| (key.as_str(), value)).filter(|(_, value)| !is_absent(value))
}

/// Returns the string without the spaces around it.
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        // Most strings have none, which the first and the last byte show.
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
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
    digest.bytes(&slot.id.to_le_bytes());
    digest.bytes(slot.kind.as_bytes());
    digest.take(slot.supported.into());
    digest.take(fields as u64);
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
