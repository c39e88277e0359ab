//! Three-way merge of a record: as it was opened, as the user left it, and as it is now. Each side keeps what the other did not change.

use links_pages::apply::same;
use links_sdk::Object;
use serde_json::{Map, Value};

use super::fields::FieldValues;
use crate::error::CommandError;

/// Longest value that a conflict shows.
const SHOWN: usize = 300;

/// Returns the fields to write: those that the user changed. Fields that only others changed are not among them, and so stay.
///
/// # Errors
///
/// When others changed one of these fields to another value. `opened` then gets their value, so that the user's value wins once the user
/// has seen theirs.
pub(crate) fn changes(
    edited: &FieldValues,
    opened: &mut Map<String, Value>,
    now: &Map<String, Value>,
) -> Result<Object, CommandError> {
    let mut changes = edited.changes_of(opened);
    let mut conflicts = Vec::new();
    changes.0.retain(|name, mine| {
        let (before, theirs) = (value_or_null(opened, name), value_or_null(now, name));
        if !same(before, theirs) && !same(mine, theirs) {
            conflicts.push((name.clone(), theirs_and_before(before, theirs)));
        }
        !same(mine, theirs)
    });
    if conflicts.is_empty() {
        return Ok(changes);
    }
    for (name, _) in &conflicts {
        opened.insert(name.clone(), value_or_null(now, name).clone());
    }
    Err(edited.contested(&conflicts))
}

/// Returns the words that show both values of the other side, for the user who decides.
pub(crate) fn theirs_and_before(before: &Value, theirs: &Value) -> String {
    format!(
        "another client changed this meanwhile: it was {}, and is {} now",
        shown(before),
        shown(theirs)
    )
}

fn value_or_null<'m>(record: &'m Map<String, Value>, name: &str) -> &'m Value {
    record.get(name).unwrap_or(&Value::Null)
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::exit_code::Exit;
    use links_pages::page_file::Document;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn merged(edited: &str, opened: &Value, now: &Value) -> Result<Value, CommandError> {
        let document = Document::from_bytes("form.yaml", edited.into()).unwrap();
        let edited = FieldValues::of(document).unwrap();
        changes(&edited, &mut object(opened), &object(now)).map(|it| Value::Object(it.0))
    }

    #[test]
    fn found_12_only_fields_that_the_user_changed_are_sent() {
        let opened = json!({"title": "A", "text": "B", "list": [1], "same": "x"});
        let now = json!({"title": "A", "text": "Theirs", "list": [1, 2], "same": "y"});
        let edited = "title: Mine\ntext: B\nlist: [1]\nsame: y\n";
        assert_eq!(merged(edited, &opened, &now).unwrap(), json!({"title": "Mine"}));
    }

    #[test]
    fn found_12_a_field_that_both_changed_is_refused_once_with_both_values() {
        let (mut opened, now) = (object(&json!({"list": [1]})), object(&json!({"list": [1, 2]})));
        let document = Document::from_bytes("form.yaml", "list: [3]\n".into()).unwrap();
        let edited = FieldValues::of(document).unwrap();
        let failure = changes(&edited, &mut opened, &now).unwrap_err();
        assert_eq!(failure.exit(), Exit::Conflict);
        let (line, _, text) = failure.places().next().unwrap();
        assert!(line == 1 && text.contains("it was [1], and is [1,2] now"), "{text}");
        assert_eq!(changes(&edited, &mut opened, &now).unwrap()["list"], json!([3]));
    }
}
