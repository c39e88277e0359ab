//! Hashes of values in a canonical form, which are the same on every machine and in every version.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

use links_sdk::runs::{ValueShape, for_each_sorted};

/// Hash of a value in `links.lock`: 128 bits as 22 characters of base64url, or `-` for an empty value.
///
/// It is a fast hash, because someone who creates two values with the same hash can only hide their own change: XXH3 (128 bits) of the
/// canonical form of the value. This form is JSON without spaces, with sorted keys, without empty fields, and with strings without
/// surrounding spaces. Whole numbers have no fraction; other numbers use the shortest decimal notation without an exponent. `null`, `""`,
/// `[]`, `{}` and an absent key are empty. Values that are [the same](crate::apply::same) have the same hash.
///
/// ```
/// use links_pages::sync::ValueHash;
/// use serde_json::json;
///
/// assert_eq!(ValueHash::of(&json!("Menu")).to_string(), "RKjFAc_9OffsuqArGPv0-Q");
/// assert_eq!(ValueHash::of(&json!(" Menu ")), ValueHash::of(&json!("Menu")));
/// assert_eq!(ValueHash::of(&json!([])).to_string(), "-");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ValueHash(u128);

impl ValueHash {
    /// The hash of every empty value.
    pub const EMPTY: Self = Self(u128::MAX);

    /// Hashes that no value has.
    pub(crate) const NEVER: [Self; 2] = [Self(u128::MAX - 1), Self(u128::MAX - 2)];

    /// Returns the hash of a value.
    pub fn of(value: &Value) -> Self {
        if ValueShape::of(value) == ValueShape::Absent {
            return Self::EMPTY;
        }
        Self(XxHash3_128::oneshot(&canonical(value)))
    }

    /// Returns the hash of a value that may be absent.
    pub fn of_option(value: Option<&Value>) -> Self {
        value.map_or(Self::EMPTY, Self::of)
    }

    /// Returns whether the value is empty.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// Returns the canonical form of a value.
pub(super) fn canonical(value: &Value) -> Vec<u8> {
    let mut text = Vec::with_capacity(128);
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut Vec<u8>) {
    match ValueShape::of(value) {
        ValueShape::Absent => text.extend(b"null"),
        ValueShape::Bool(yes) => text.extend(yes.to_string().bytes()),
        ValueShape::Integer(number) => text.extend(number.to_string().bytes()),
        ValueShape::Float(bits) => text.extend(f64::from_bits(bits).to_string().bytes()),
        ValueShape::Text(string) => write_string(string, text),
        ValueShape::List(list) => {
            text.push(b'[');
            for (nth, value) in list.iter().enumerate() {
                if nth > 0 {
                    text.push(b',');
                }
                write_canonical(value, text);
            }
            text.push(b']');
        }
        ValueShape::Map(map) => write_fields(map, text),
    }
}

/// Writes the canonical form of the fields that are not absent.
pub(super) fn write_fields(map: &Map<String, Value>, text: &mut Vec<u8>) {
    let mut before = b'{';
    for_each_sorted(map, |key, value| {
        text.push(before);
        before = b',';
        write_string(key, text);
        text.push(b':');
        write_canonical(value, text);
    });
    text.push(b'}');
}

fn write_string(string: &str, text: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(text, string);
}

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0.to_be_bytes()))
    }
}

impl fmt::Debug for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ValueHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "-" {
            return Ok(Self::EMPTY);
        }
        let mut bytes = [0; 16];
        match URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(16) => Ok(Self(u128::from_be_bytes(bytes))),
            _ => Err("a hash must be 22 characters of base64url, or `-`"),
        }
    }
}

impl TryFrom<String> for ValueHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ValueHash> for String {
    fn from(hash: ValueHash) -> Self {
        hash.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::same;

    #[test]
    fn the_canonical_form_is_json_without_what_the_service_does_not_keep() {
        for (value, expected) in [
            (
                json!({"b": " x\n", "a": [1.0, null, ""], "c": [], "d": {"e": ""}}),
                r#"{"a":[1,null,null],"b":"x"}"#,
            ),
            (json!([1.5, -0.0, 1e21, true]), "[1.5,0,1000000000000000000000,true]"),
            (json!("a \"b\" \u{1}\u{e9}"), "\"a \\\"b\\\" \\u0001\u{e9}\""),
        ] {
            assert_eq!(String::from_utf8(canonical(&value)).unwrap(), expected);
        }
    }

    #[test]
    fn hashes_do_not_change_between_versions() {
        for (value, expected) in [
            (json!(null), "-"),
            (json!(""), "-"),
            (json!({"a": []}), "-"),
            (json!("Menu"), "RKjFAc_9OffsuqArGPv0-Q"),
            (json!({"b": 1, "a": "x"}), "4C3lhj2vuPYN_m9zQ9wv6A"),
        ] {
            assert_eq!(ValueHash::of(&value).to_string(), expected, "{value}");
        }
    }

    #[test]
    fn a_hash_is_read_only_as_it_is_written() {
        let text = ValueHash::of(&json!("Menu")).to_string();
        for text in ["-", &text] {
            assert_eq!(text.parse::<ValueHash>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "--",
            &text[1..],
            &format!("{text}A"),
            &format!("{text}="),
            &format!("+{}", &text[1..]),
        ] {
            assert!(text.parse::<ValueHash>().is_err(), "{text}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            Just(json!("")),
            Just(json!(" a")),
            Just(json!("a")),
            Just(json!(1)),
            Just(json!(1.0)),
            Just(json!("1")),
            Just(json!(true)),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_have_the_same_hash_where_they_are_the_same((one, other) in (value(), value())) {
            prop_assert_eq!(ValueHash::of(&one) == ValueHash::of(&other), same(&one, &other));
        }
    }
}
