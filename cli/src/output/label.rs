//! Human-readable labels of slots: the title, else the first string. No list of fields is kept here, because the service defines them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Returns the label of a slot with this content.
pub(crate) fn label(data: &Map<String, Value>) -> Option<&str> {
    let text = |value| Value::as_str(value).filter(|it| is_label(it));
    let named = ["title", "buttonText"].iter().filter_map(|key| data.get(*key));
    named.chain(data.values()).find_map(text)
}

fn is_label(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Label of a slot, read from the JSON of its content without decoding the rest of it; empty if there is none.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Label(pub(crate) String);

/// Field of the content of a slot.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Field {
    Title,
    ButtonText,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor).map(Self)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the content of a slot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<String, A::Error> {
        let (mut title, mut button, mut first) = (None, None, None);
        while let Some(field) = fields.next_key()? {
            let value: &RawValue = fields.next_value()?;
            match field {
                Field::Title => title = text(value),
                Field::ButtonText => button = text(value),
                Field::Other if first.is_none() => first = text(value),
                Field::Other => {}
            }
        }
        Ok(title.or(button).or(first).unwrap_or_default().into_owned())
    }

    /// Content without fields: PHP writes it as an empty list.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<String, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(String::new())
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok(String::new())
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
            let read: Label = serde_json::from_str(json).unwrap();
            assert_eq!(read.0, expected, "{json}");
            let data: Map<String, Value> = serde_json::from_str(json).unwrap();
            assert_eq!(label(&data).unwrap_or_default(), expected, "{json}");
        }
        for json in ["[]", "[{}]", "null"] {
            assert_eq!(serde_json::from_str::<Label>(json).unwrap(), Label::default(), "{json}");
        }
    }
}
