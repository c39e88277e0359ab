//! Records as lines of a table.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

use super::clean;
use crate::outcome::{Cell, Column};

/// Most characters of a value that a cell shows; `-o json` shows all.
const CELL_MAX: usize = 60;

/// A narrower terminal is one that does not say how wide it is.
const WIDTH_MIN: u16 = 20;

/// One line for each record. On a terminal the columns share its width; elsewhere each record stays on its line.
pub(super) fn render(records: &Value, columns: &[Column], terminal: bool) -> String {
    let mut table = frame(terminal);
    table.set_header(columns.iter().map(|it| it.title));
    for record in records.as_array().map_or(std::slice::from_ref(records), Vec::as_slice) {
        table.add_row(columns.iter().map(|column| {
            cut(&match column.cell {
                Cell::At(path) => show(at(record, path)),
                Cell::Of(make) => make(record),
            })
        }));
    }
    lines(table)
}

/// A table without lines, which shares out the width of a terminal that has one.
pub(super) fn frame(terminal: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if !terminal {
        table.force_no_tty();
    } else if table.width().is_some_and(|width| width >= WIDTH_MIN) {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table
}

/// The text of a table, without the white space that fills it up on the right.
pub(super) fn lines(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
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
