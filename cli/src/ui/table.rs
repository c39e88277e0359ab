//! Records as lines of a table.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

use super::clean;
use crate::outcome::{Cell, Column};

/// Most characters of a value that a cell shows; `-o json` shows all.
const CELL_MAX: usize = 60;

/// One line for each record. On a terminal the columns share its width; elsewhere each record stays on its line.
pub(super) fn render(records: &Value, columns: &[Column], terminal: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(columns.iter().map(|it| it.title));
    if terminal {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
    }
    for record in records.as_array().map_or(std::slice::from_ref(records), Vec::as_slice) {
        table.add_row(columns.iter().map(|column| {
            cut(&match column.cell {
                Cell::At(path) => show(at(record, path)),
                Cell::Of(make) => make(record),
            })
        }));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    lines(&table)
}

/// A table without the white space that fills it up on the right.
pub(super) fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The value at a path such as `computed.url`.
pub(super) fn at<'v>(record: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(record, |value, name| &value[name])
}

/// A value as people write it.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|it| !it.is_object() && !it.is_array()) => {
            items.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn cut(text: &str) -> String {
    let text = clean::line(text);
    match text.char_indices().nth(CELL_MAX) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.into_owned(),
    }
}
