//! Containers that read every form in which the service writes them.
//!
//! An empty PHP array has one JSON spelling, `[]`, for lists and objects alike, and a list with holes is written as an object with
//! numeric keys. Reading accepts both; writing always uses the proper form.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

use crate::ids::ChannelId;

/// A JSON object. `[]` is read as the empty object.
///
/// Its keys are in the order of the service if a crate of your program turns on the feature `preserve_order` of `serde_json`, as `links-pages`
/// does. Otherwise they are sorted.
///
/// ```
/// let data: links_sdk::Object = serde_json::from_str("[]")?;
/// assert!(data.is_empty());
/// assert_eq!(serde_json::to_string(&data)?, "{}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Object(pub Map<String, Value>);

impl Deref for Object {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Object {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Map<String, Value>> for Object {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Object {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl TryFrom<Value> for Object {
    type Error = serde_json::Error;

    /// Returns the object of a value, such as `json!({"title": "Menu"})`; an error for a value of any other type.
    fn try_from(value: Value) -> Result<Self, serde_json::Error> {
        match value {
            Value::Null => Err(de::Error::invalid_type(de::Unexpected::Unit, &"an object")),
            value => serde_json::from_value(value),
        }
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(fields) => Ok(Self(fields)),
            Value::Null => Ok(Self::default()),
            Value::Array(list) if list.is_empty() => Ok(Self::default()),
            other => Map::deserialize(other).map(Self).map_err(de::Error::custom),
        }
    }
}

/// The IDs of notification channels. Reads a list, or a list that is written as an object with numeric keys.
///
/// ```
/// let ids: links_sdk::ChannelIds = serde_json::from_str(r#"{"0": 7, "2": 9}"#)?;
/// assert_eq!(*ids, [7, 9]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ChannelIds(pub Vec<ChannelId>);

impl Deref for ChannelIds {
    type Target = Vec<ChannelId>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: Into<ChannelId>> FromIterator<T> for ChannelIds {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        Self(ids.into_iter().map(Into::into).collect())
    }
}

impl<'de> Deserialize<'de> for ChannelIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = match Value::deserialize(deserializer)? {
            Value::Null => Value::Array(Vec::new()),
            Value::Object(fields) => fields.into_iter().map(|(_, id)| id).collect(),
            list => list,
        };
        Vec::deserialize(list).map(Self).map_err(de::Error::custom)
    }
}

/// Refused fields: the path of each field (`data.title`, `slots.2.data.link`) with the messages of the service. Also reads `null`, `[]`,
/// and a string instead of a list of messages.
///
/// ```
/// let errors: links_sdk::FieldErrors = serde_json::from_str(r#"{"slots.2.data.link": ["must be a URL"]}"#)?;
/// assert_eq!(errors["slots.2.data.link"], ["must be a URL"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);

impl Deref for FieldErrors {
    type Target = BTreeMap<String, Vec<String>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'de> Deserialize<'de> for FieldErrors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let errors = Option::<Object>::deserialize(deserializer)?.unwrap_or_default();
        Ok(Self(errors.0.into_iter().map(|(path, messages)| (path, texts(messages))).collect()))
    }
}

fn texts(messages: Value) -> Vec<String> {
    match messages {
        Value::String(text) => vec![text],
        Value::Array(list) => list.into_iter().flat_map(texts).collect(),
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_reads_as_itself_as_an_empty_array_and_as_null() {
        for (json, expected) in
            [("{}", "{}"), ("[]", "{}"), ("null", "{}"), (r#"{"a":[],"b":1}"#, r#"{"a":[],"b":1}"#)]
        {
            let object: Object = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&object).unwrap(), expected, "{json}");
        }
        serde_json::from_str::<Object>("[1]").unwrap_err();
        serde_json::from_str::<Object>("\"x\"").unwrap_err();
    }

    #[test]
    fn channel_ids_read_as_a_list_or_as_a_map() {
        for json in ["[3,5]", r#"{"0":3,"4":5}"#] {
            assert_eq!(serde_json::from_str::<ChannelIds>(json).unwrap().0, [3, 5], "{json}");
        }
        assert!(serde_json::from_str::<ChannelIds>("[]").unwrap().is_empty());
        serde_json::from_str::<ChannelIds>(r#"["x"]"#).unwrap_err();
    }

    #[test]
    fn field_errors_read_every_spelling() {
        for json in ["null", "[]", "{}"] {
            assert!(serde_json::from_str::<FieldErrors>(json).unwrap().is_empty(), "{json}");
        }
        let errors: FieldErrors =
            serde_json::from_str(r#"{"a":"one","b":["x",["y"]],"c":3}"#).unwrap();
        assert_eq!(errors["a"], ["one"]);
        assert_eq!(errors["b"], ["x", "y"]);
        assert_eq!(errors["c"], ["3"]);
    }
}
