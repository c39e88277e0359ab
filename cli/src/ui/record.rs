//! One record as lines of name and value.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

use super::{clean, table};

/// One line for each field, the named ones first and in that order; fields within objects by their path.
pub(super) fn render(record: &Value, first: &[&str], terminal: bool) -> String {
    let mut fields = Vec::new();
    flatten(record, String::new(), &mut fields);
    fields.sort_by_key(|(name, _)| first.iter().position(|it| it == name).unwrap_or(first.len()));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if terminal {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
    }
    for (name, value) in fields {
        table.add_row([clean::line(&name).into_owned(), value]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table::lines(&table)
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
