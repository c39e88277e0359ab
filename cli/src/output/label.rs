//! Human-readable labels of slots: the title, else the first string. No list of fields is kept here, because the service defines them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::page_file::node::{Node, Tree};

/// Returns the label of a slot with this content.
pub(crate) fn label(data: &Map<String, Value>) -> Option<&str> {
    label_of(|key| data.get(key)?.as_str(), data.values().filter_map(Value::as_str))
}

/// Returns the label of a slot of a document.
pub(crate) fn of_node(data: &Node) -> Option<&str> {
    fn text(node: &Node) -> Option<&str> {
        match &node.tree {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }
    let entries = data.entries().unwrap_or_default();
    label_of(|key| text(data.get(key)?), entries.iter().filter_map(|(_, value)| text(value)))
}

/// Returns the label of a slot: of the named texts the first one, else of all texts.
fn label_of<'d>(
    named: impl Fn(&str) -> Option<&'d str>,
    texts: impl Iterator<Item = &'d str>,
) -> Option<&'d str> {
    let first = ["title", "buttonText"].into_iter().filter_map(named);
    first.chain(texts).find(|text| is_label(text))
}

fn is_label(text: &str) -> bool {
    !text.trim().is_empty()
}

/// What is kept of a slot, read from the JSON of its content without decoding the rest of it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SlotSummary {
    /// Label of the slot; empty if there is none.
    pub(crate) label: String,
    /// Id of the form that the slot shows.
    pub(crate) form: Option<String>,
}

/// Field of the content of a slot.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Field {
    Title,
    ButtonText,
    FormId,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for SlotSummary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = SlotSummary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the content of a slot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<SlotSummary, A::Error> {
        let (mut title, mut button, mut form, mut first) = (None, None, None, None);
        while let Some(field) = fields.next_key()? {
            let value: &RawValue = fields.next_value()?;
            match field {
                Field::Title => title = text(value),
                Field::ButtonText => button = text(value),
                Field::FormId => {
                    form = text(value);
                    first = first.or_else(|| form.clone());
                }
                Field::Other if first.is_none() => first = text(value),
                Field::Other => {}
            }
        }
        let label = title.or(button).or(first).unwrap_or_default().into_owned();
        Ok(SlotSummary { label, form: form.map(Cow::into_owned) })
    }

    /// Content without fields: PHP writes it as an empty list.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<SlotSummary, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(SlotSummary::default())
    }

    fn visit_unit<E>(self) -> Result<SlotSummary, E> {
        Ok(SlotSummary::default())
    }
}

/// Returns the string in a piece of JSON if it is one.
fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    /// String that borrows from the JSON where it can.
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

    let is_string = value.get().starts_with('"');
    let Text(text) = is_string.then(|| serde_json::from_str(value.get()).ok()).flatten()?;
    is_label(&text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_the_title_or_else_the_first_text() {
        for (json, expected) in [
            (r#"{"a": "x", "buttonText": "B", "title": "T"}"#, "T"),
            (r#"{"a": "x", "buttonText": "B", "title": " "}"#, "B"),
            (
                r#"{"n": 1, "l": ["no"], "o": {"title": "no"}, "a": "", "b": "caf\u00e9", "c": "y"}"#,
                "café",
            ),
            (r#"{"title": 5, "buttonText": null, "is": true}"#, ""),
            ("{}", ""),
        ] {
            let read: SlotSummary = serde_json::from_str(json).unwrap();
            assert_eq!(read.label, expected, "{json}");
            let data: Map<String, Value> = serde_json::from_str(json).unwrap();
            assert_eq!(label(&data).unwrap_or_default(), expected, "{json}");
            let node = Node::of_json(&Value::Object(data));
            assert_eq!(of_node(&node).unwrap_or_default(), expected, "{json}");
        }
        for json in ["[]", "[{}]", "null"] {
            let read: SlotSummary = serde_json::from_str(json).unwrap();
            assert_eq!(read, SlotSummary::default(), "{json}");
        }
    }

    #[test]
    fn the_form_of_a_slot_is_kept() {
        for (json, label, form) in [
            (r#"{"formId": "f-1", "buttonText": "Book"}"#, "Book", Some("f-1")),
            (r#"{"view": "button", "formId": "f-1"}"#, "button", Some("f-1")),
            (r#"{"formId": "f-1", "view": "button"}"#, "f-1", Some("f-1")),
            (r#"{"formId": 5}"#, "", None),
        ] {
            let read: SlotSummary = serde_json::from_str(json).unwrap();
            assert_eq!((&*read.label, read.form.as_deref()), (label, form), "{json}");
        }
    }
}
