//! Selection of the requested part of a body, and its records.

use std::borrow::Cow;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::{FieldSelection, Query};
use crate::error::{CommandError, Result};
use crate::output::{Body, parsed};

/// Part of a body to print.
pub(crate) enum Selection<'a> {
    /// Whole response, unchanged.
    Received(&'a [u8]),
    /// Body of this program, or an envelope with some fields of each record.
    Decoded(Cow<'a, Value>),
    /// Results of a filter.
    Made(Vec<Box<RawValue>>),
}

impl<'a> Selection<'a> {
    /// Selects from a body.
    ///
    /// # Errors
    ///
    /// When the filter fails on it.
    pub(crate) fn of(
        body: &'a Body,
        fields: Option<&FieldSelection>,
        query: Option<&Query>,
    ) -> Result<Self> {
        let parse = || {
            let mut value = match body {
                Body::Service(bytes) => parsed(bytes)?,
                Body::Own(value) => value.clone(),
            };
            make_objects(&mut value);
            Ok::<_, CommandError>(value)
        };
        Ok(match (query, fields, body) {
            (Some(query), ..) => Self::Made(query.run(&data(parse()?))?),
            (None, Some(fields), _) => Self::Decoded(Cow::Owned(fields.narrow(parse()?))),
            (None, None, Body::Own(value)) => Self::Decoded(Cow::Borrowed(value)),
            (None, None, Body::Service(bytes)) => Self::Received(bytes),
        })
    }

    /// Returns the records, and whether they are a single record rather than a list.
    pub(crate) fn records(&self) -> Result<(Vec<Value>, bool)> {
        let value = match self {
            Self::Received(bytes) => data(parsed(bytes)?),
            Self::Decoded(value) => data(value.clone().into_owned()),
            Self::Made(values) => match &values[..] {
                [one] => made(one)?,
                many => {
                    let values = many.iter().map(|it| made(it));
                    Value::Array(values.collect::<Result<_, _>>()?)
                }
            },
        };
        Ok(match value {
            Value::Array(items) => (items, false),
            one => (vec![one], true),
        })
    }

    /// Returns the records as received, each on one line.
    pub(crate) fn raw_records(&self) -> Result<Vec<Box<RawValue>>> {
        match self {
            Self::Received(bytes) => raw(bytes).map_err(CommandError::unreadable),
            Self::Decoded(value) => {
                raw(value.to_string().as_bytes()).map_err(CommandError::internal)
            }
            Self::Made(values) => match &values[..] {
                [one] if one.get().starts_with('[') => {
                    serde_json::from_str(one.get()).map_err(CommandError::internal)
                }
                many => Ok(many.to_vec()),
            },
        }
    }
}

/// Converts a result of a filter to JSON.
///
/// # Errors
///
/// When a result of a filter is nested deeper than any response.
pub(crate) fn made(value: &RawValue) -> Result<Value> {
    serde_json::from_str(value.get()).map_err(super::query::failed)
}

/// Makes the empty content of every slot in a body an object, which the service sends as `[]`, as PHP does. What is within the content stays.
fn make_objects(body: &mut Value) {
    match body {
        Value::Array(items) => items.iter_mut().for_each(make_objects),
        Value::Object(slot) if slot.get("type").is_some_and(Value::is_string) => {
            let data = slot.get_mut("data");
            if let Some(data) = data.filter(|it| it.as_array().is_some_and(Vec::is_empty)) {
                *data = Value::Object(Map::new());
            }
        }
        Value::Object(record) => record.values_mut().for_each(make_objects),
        _ => {}
    }
}

/// Returns the `data` of a body, or the body itself if it has no envelope.
fn data(mut value: Value) -> Value {
    match value.get_mut("data") {
        Some(data) => data.take(),
        None => value,
    }
}

/// Returns the records of a body without decoding them, so that numbers keep their digits.
fn raw(bytes: &[u8]) -> serde_json::Result<Vec<Box<RawValue>>> {
    let data = crate::output::data::<&RawValue>(bytes)
        .or_else(|_| serde_json::from_slice::<&RawValue>(bytes))?;
    let data = data.get();
    let records: Vec<Box<RawValue>> = match serde_json::from_str(data) {
        Ok(records) => records,
        Err(_) => vec![serde_json::from_str(data)?],
    };
    records.into_iter().map(on_one_line).collect()
}

fn on_one_line(value: Box<RawValue>) -> serde_json::Result<Box<RawValue>> {
    if value.get().contains(['\n', '\r']) {
        return to_raw_value(&serde_json::from_str::<Value>(value.get())?);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_content_is_an_object_wherever_slots_are() {
        let slot =
            |data: Value| json!({ "id": 1, "type": "divider", "data": data, "computed": [] });
        for wrap in [
            |slot: Value| json!({ "data": slot }),
            |slot: Value| json!({ "data": [slot], "meta": { "total": 1 } }),
            |slot: Value| json!({ "data": { "login": "cafe", "socials": [], "slots": [slot] } }),
            |slot: Value| json!({ "data": [{ "slots": [slot] }] }),
        ] {
            let mut body = wrap(slot(json!([])));
            make_objects(&mut body);
            assert_eq!(body, wrap(slot(json!({}))));
        }
    }

    #[test]
    fn nothing_else_is_changed() {
        for body in [
            json!({ "data": [] }),
            json!({ "data": { "data": [], "title": "x" } }),
            json!({ "data": [{ "type": "text", "data": [1] }] }),
            json!({ "data": [{ "type": 5, "data": [] }] }),
            json!({ "data": [{ "type": "text", "data": { "type": "x", "data": [] } }] }),
            json!([]),
            json!("x"),
        ] {
            let mut changed = body.clone();
            make_objects(&mut changed);
            assert_eq!(changed, body);
        }
    }
}
