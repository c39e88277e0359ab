//! Human-readable labels of slots: the title, else the first string. No list of fields is kept here, because the service defines them.

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
    first.chain(texts).find(|text| !text.trim().is_empty())
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
            let data: Map<String, Value> = serde_json::from_str(json).unwrap();
            assert_eq!(label(&data).unwrap_or_default(), expected, "{json}");
            let node = Node::of_json(&Value::Object(data));
            assert_eq!(of_node(&node).unwrap_or_default(), expected, "{json}");
        }
    }
}
