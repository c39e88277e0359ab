//! Human-readable labels of slots: the title, else the first string. No list of fields is kept here, because the service defines them.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use links_pages::page_file::node::{Node, Tree};

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

/// What is kept of a slot, read from the JSON of its content without decoding the rest of it. It is its own visitor, and is written as content
/// of which it would be read.
#[derive(Default, Serialize)]
pub(crate) struct SlotSummary {
    /// Label of the slot; empty if there is none.
    #[serde(rename = "title")]
    pub(crate) label: String,
    /// Id of the form that the slot shows.
    #[serde(rename = "formId")]
    pub(crate) form: Option<String>,
}

impl<'de> Deserialize<'de> for SlotSummary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

impl<'de> Visitor<'de> for SlotSummary {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the content of a slot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "camelCase")]
        enum Field {
            Title,
            ButtonText,
            FormId,
            #[serde(other)]
            Other,
        }
        let (mut title, mut button, mut form, mut first) = (None, None, None, None);
        while let Some((field, value)) = fields.next_entry::<Field, &RawValue>()? {
            match field {
                Field::Title => title = text(value),
                Field::ButtonText => button = text(value),
                Field::FormId => {
                    form = text(value);
                    first = first.or_else(|| form.clone());
                }
                Field::Other => first = first.or_else(|| text(value)),
            }
        }
        Ok(Self { label: title.or(button).or(first).unwrap_or_default(), form })
    }

    /// Content without fields: PHP writes it as an empty list.
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_seq(items).map(|_| self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

/// Returns the text in a piece of JSON that is one, unless it is blank.
fn text(value: &RawValue) -> Option<String> {
    // No other value is decoded to find out what it is.
    let is_string = value.get().starts_with('"');
    let text: String = is_string.then(|| serde_json::from_str(value.get()).ok()).flatten()?;
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
    }
}
