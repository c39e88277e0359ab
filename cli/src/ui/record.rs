//! One record as lines of name and value.

use serde_json::Value;

use super::{clean, table};

/// One line for each field, the named ones first and in that order; fields within objects by their path.
pub(super) fn render(record: &Value, first: &[&str], terminal: bool) -> String {
    let mut fields = Vec::new();
    flatten(record, String::new(), &mut fields);
    fields.sort_by_key(|(name, _)| first.iter().position(|it| it == name).unwrap_or(first.len()));
    let mut table = table::frame(terminal);
    for (name, value) in fields {
        table.add_row([clean::line(&name).into_owned(), value]);
    }
    table::lines(table)
}

fn flatten(value: &Value, name: String, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(value, name, fields);
            }
        }
        Value::Array(items) if items.iter().any(|it| it.is_object() || it.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                flatten(item, format!("{name}.{at}"), fields);
            }
        }
        Value::Object(_) => {}
        other => fields.push((name, clean::line(&table::show(other)).into_owned())),
    }
}
