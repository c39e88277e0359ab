//! Records as rows of strings, the common form of a table, a CSV file and a Markdown table; and code blocks of Markdown.

use serde_json::Value;

use super::fields::{FieldSelection, pick};
use crate::output::{Cell, Column};
use links_pages::sanitize;

/// Rows of strings with headings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Grid {
    /// One heading per column; empty for a single record, whose rows are name and value.
    pub(crate) headings: Vec<String>,
    /// Cells of each row, one per column.
    pub(crate) rows: Vec<Vec<String>>,
    /// Numbers of the columns whose long cells are kept whole where there is room.
    pub(crate) whole: Vec<usize>,
}

impl Grid {
    /// One row per record, with the columns of a view.
    pub(crate) fn of_columns(records: &[Value], columns: &[Column]) -> Self {
        let cell = |record: &Value, column: &Column| match column.cell {
            Cell::At(path) => pick(record, path).map_or_else(String::new, |it| show(&it)),
            Cell::Of(make) => make(record),
        };
        Self {
            headings: columns.iter().map(|it| it.title.to_owned()).collect(),
            whole: (0..columns.len()).filter(|nth| columns[*nth].is_whole).collect(),
            rows: rows(records, columns, cell),
        }
    }

    /// One row per record, with the requested fields.
    pub(crate) fn picked(
        records: &[Value],
        fields: &FieldSelection,
        cell: fn(&Value) -> String,
    ) -> Self {
        let text = |record: &Value, path: &String| {
            pick(record, path).map_or_else(String::new, |it| cell(&it))
        };
        let headings: Vec<_> = fields.paths().map(str::to_owned).collect();
        Self { rows: rows(records, &headings, text), headings, whole: Vec::new() }
    }

    /// Requested fields of one record, one per row.
    pub(crate) fn of_fields(
        record: &Value,
        fields: &FieldSelection,
        cell: fn(&Value) -> String,
    ) -> Self {
        let Self { headings, mut rows, .. } =
            Self::picked(std::slice::from_ref(record), fields, cell);
        let values = rows.pop().unwrap_or_default();
        let rows = headings.into_iter().zip(values).map(|(name, value)| vec![name, value]);
        Self { rows: rows.collect(), ..Self::default() }
    }

    /// One row per record, with every field that any record has.
    pub(crate) fn of_all(records: &[Value], cell: fn(&Value) -> String) -> Self {
        let records: Vec<_> = records.iter().map(|it| flat(it, false)).collect();
        let mut headings: Vec<String> = Vec::new();
        for (name, _) in records.iter().flatten() {
            if !headings.contains(name) {
                headings.push(name.clone());
            }
        }
        let text = |record: &Vec<(String, &Value)>, heading: &String| {
            let found = record.iter().find(|(name, _)| name == heading);
            found.map_or_else(String::new, |(_, value)| cell(value))
        };
        Self { rows: rows(&records, &headings, text), headings, whole: Vec::new() }
    }

    /// All fields of one record, one per row, beginning with the fields in `first`.
    pub(crate) fn of_record(record: &Value, first: &[&str], cell: fn(&Value) -> String) -> Self {
        let mut fields = flat(record, true);
        fields
            .sort_by_key(|(name, _)| first.iter().position(|it| it == name).unwrap_or(first.len()));
        Self {
            rows: fields.into_iter().map(|(name, value)| vec![name, cell(value)]).collect(),
            ..Self::default()
        }
    }
}

fn rows<R, C>(records: &[R], columns: &[C], cell: impl Fn(&R, &C) -> String) -> Vec<Vec<String>> {
    let row = |record| columns.iter().map(|column| cell(record, column)).collect();
    records.iter().map(row).collect()
}

/// Fields of a record by path; if `deep`, also the fields of list items.
fn flat(record: &Value, deep: bool) -> Vec<(String, &Value)> {
    let mut fields = Vec::new();
    flatten(record, String::new(), deep, &mut fields);
    fields
}

fn flatten<'v>(value: &'v Value, name: String, deep: bool, to: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(value, name, deep, to);
            }
        }
        Value::Array(items) if deep && items.iter().any(|it| it.is_object() || it.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                let name = if name.is_empty() { at.to_string() } else { format!("{name}.{at}") };
                flatten(item, name, deep, to);
            }
        }
        Value::Object(_) => {}
        other => to.push((if name.is_empty() { "value".to_owned() } else { name }, other)),
    }
}

/// Formats a value for a table.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Array(items) if items.iter().all(|it| !it.is_object() && !it.is_array()) => {
            items.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        other => compact(other),
    }
}

/// Formats a value for programs: a string without quotes, an empty string for null, everything else as JSON.
pub(crate) fn compact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Characters that would be markup in a cell.
const MARKUP: &[char] = &['\\', '|', '`', '*', '<', '[', '~'];

pub(crate) fn markdown_table(grid: &Grid) -> String {
    let default = ["Field".to_owned(), "Value".to_owned()];
    let headings = if grid.headings.is_empty() { &default[..] } else { &grid.headings };
    let rule = vec!["---".to_owned(); headings.len()];
    let rows = [headings, &rule].into_iter().chain(grid.rows.iter().map(Vec::as_slice));
    let line = |(at, row): (usize, &[String])| {
        let cells: Vec<_> =
            row.iter().map(|it| if at == 1 { it.clone() } else { escaped(it) }).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    rows.enumerate().map(line).collect()
}

/// Fenced code block with a fence longer than any in the text.
pub(crate) fn code_block(language: &str, text: &str) -> String {
    let fence = fence(text, 2);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Returns backticks that nothing in a text can end: more than these, and than any in it.
pub(crate) fn fence(text: &str, more_than: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(more_than) + 1)
}

fn escaped(text: &str) -> String {
    sanitize::line(text)
        .chars()
        .flat_map(|c| MARKUP.contains(&c).then_some('\\').into_iter().chain([c]))
        .collect()
}

#[cfg(test)]
mod markdown_tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_written_on_one_line() {
        let grid = Grid {
            whole: Vec::new(),
            headings: vec!["A".into(), "B".into()],
            rows: vec![vec!["x|y\nz".into(), "\\`<b>".into()]],
        };
        assert_eq!(markdown_table(&grid), "| A | B |\n| --- | --- |\n| x\\|y z | \\\\\\`\\<b> |\n");
    }

    #[test]
    fn a_code_fence_is_longer_than_any_within_the_text() {
        assert_eq!(code_block("diff", "+ a\n"), "```diff\n+ a\n```\n");
        assert_eq!(code_block("", "a ```` b"), "`````\na ```` b\n`````\n");
    }
}
