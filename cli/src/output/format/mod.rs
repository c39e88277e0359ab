//! Output of a command in every format. `json` and `yaml` print the whole body, the others the records of its `data`; `--fields` narrows
//! the records and `--jq` filters the `data` and replaces the body by the results.

mod fields;
mod grid;
pub(crate) mod query;
mod records;

use std::borrow::Cow;

use clap::ValueEnum;
pub(crate) use fields::FieldSelection;
use fields::pick;
use grid::markdown_table;
pub(crate) use grid::{Grid, code_block, compact, fence};
pub(crate) use query::{Query, run_filter_if_requested};
use records::Selection;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Body, Cell, Column, CommandOutput, Instead, StyledLine, View, parsed, yaml};
use crate::error::{CommandError, Result};

/// How data is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Human-readable table
    #[default]
    Table,
    /// The full response, unchanged
    Json,
    /// The same data as YAML
    Yaml,
    /// One line of JSON per record
    Jsonl,
    /// One line per record, with all its fields
    Csv,
    /// A Markdown table
    Markdown,
    /// One ID per line
    Ids,
}

/// Format of the output, and the part of the data to print.
#[derive(Debug, Default)]
pub(crate) struct OutputOptions {
    /// Output format.
    pub(crate) format: Format,
    /// Format that an option names.
    pub(crate) named: Option<Format>,
    /// Fields to show.
    pub(crate) fields: Option<FieldSelection>,
    /// Filter to apply.
    pub(crate) query: Option<Query>,
    /// True if strings in the results of a filter are printed without quotes.
    pub(crate) raw: bool,
    /// True if CSV cells that look like formulas are escaped.
    pub(crate) csv_safe: bool,
}

/// Kind of content on stdout, which determines how it is sanitized.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContentKind {
    /// Human-readable text: sanitized for the terminal and for the log of a CI service.
    Text,
    /// Document in a text format that people read too: sanitized for a terminal and a log, unchanged in a file.
    Document,
    /// JSON: for a terminal or a log, unsafe characters are escaped, which changes no value.
    Json,
    /// Data for programs: sanitized only for a terminal, else byte for byte.
    Data,
}

/// Rendered output.
#[derive(Debug)]
pub(crate) enum Rendering<'o> {
    /// Text that is printed as it is. JSON has its original white space.
    Text(ContentKind, Cow<'o, str>),
    /// Human-readable table.
    Grid(Grid),
    /// Markdown to be formatted on a terminal.
    Markdown(&'o str),
    /// Human-readable text.
    Lines(&'o [StyledLine]),
}

impl Format {
    /// Returns the format with this name.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        <Self as ValueEnum>::from_str(word, false).ok()
    }

    /// What the name of a format must be.
    pub(crate) const WORDS: &str = "one of table, json, yaml, jsonl, csv, markdown, ids";

    /// Name of the format.
    pub(crate) fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// True if stderr is JSON too, because a program reads it.
    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }
}

impl OutputOptions {
    /// Renders the output of a command with these options.
    ///
    /// # Errors
    ///
    /// When the body is not JSON, or the filter fails on it.
    pub(crate) fn print<'o>(&self, outcome: &'o CommandOutput) -> Result<Rendering<'o>> {
        let (view, is_text) = (&outcome.view, self.shows_text());
        let selected = Selection::of(&outcome.body, self.fields.as_ref(), self.query.as_ref())?;
        // The part of the data that is a table, if the data as a whole is none.
        let rows = match view {
            View::Listing(_, Instead::Rows(rows)) if !self.is_narrowed() => rows.as_deref(),
            _ => None,
        };
        let text = |kind, text: String| Rendering::Text(kind, text.into());
        Ok(match (self.format, view) {
            (_, View::File(text)) if self.named.is_none() && !self.is_narrowed() => {
                Rendering::Text(ContentKind::Data, text.into())
            }
            (_, View::Document(text) | View::File(text)) if is_text => {
                Rendering::Text(ContentKind::Data, text.into())
            }
            (_, View::Markdown(text)) if is_text => Rendering::Markdown(text),
            (_, View::Lines(lines) | View::Listing(lines, _)) if is_text => Rendering::Lines(lines),
            (Format::Json, _) => self.json(&selected)?,
            (Format::Yaml, _) => text(ContentKind::Data, yaml_documents(&selected)?),
            (Format::Jsonl, _) => text(ContentKind::Json, lines(&selected.raw_records()?)),
            (Format::Csv, _) => {
                let grid = match rows {
                    None => self.grid(&selected, &View::Any, compact)?,
                    Some(rows) => Grid::of_all(rows, compact),
                };
                text(ContentKind::Data, csv_lines(&grid, self.csv_safe)?)
            }
            (Format::Ids, _) => {
                let mut all = ids(&selected.records()?.0, view);
                if all.is_empty() {
                    let rows = rows.into_iter().flatten();
                    all = ids(rows.filter(|row| row["action"] != "none"), view);
                }
                text(ContentKind::Data, all.into_iter().map(|id| id + "\n").collect())
            }
            (Format::Markdown, _) => text(ContentKind::Document, self.markdown(&selected, view)?),
            (Format::Table, _) => Rendering::Grid(self.grid(&selected, view, grid::show)?),
        })
    }

    /// Returns notes about requested fields that no record has, but that other records may have.
    ///
    /// # Errors
    ///
    /// When the body is not JSON, or no record can have a requested field.
    pub(crate) fn notes(&self, outcome: &CommandOutput) -> Result<Vec<String>> {
        let Some(fields) = &self.fields else { return Ok(Vec::new()) };
        let (records, _) = Selection::of(&outcome.body, None, None)?.records()?;
        let mut notes = Vec::new();
        for (field, meant, may_come) in fields.missing(&records) {
            let message = format!("no record has a field `{field}`");
            let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
            if !may_come {
                let hint = meant.unwrap_or_else(|| "pass -o json to see all fields".to_owned());
                return Err(CommandError::usage(format!("--fields: {message}")).with_hint(hint));
            }
            notes.push(meant.map_or(message.clone(), |meant| format!("{message}; {meant}")));
        }
        Ok(notes)
    }

    /// Tells whether an output is shown as its text, if it has one.
    pub(crate) fn shows_text(&self) -> bool {
        self.format == Format::Table && !self.is_narrowed()
    }

    fn is_narrowed(&self) -> bool {
        self.fields.is_some() || self.query.is_some()
    }

    fn json(&self, selected: &Selection) -> Result<Rendering<'static>> {
        let json = |text: String| Rendering::Text(ContentKind::Json, text.into());
        Ok(match selected {
            Selection::Received(bytes) => {
                json(format!("{}\n", String::from_utf8_lossy(bytes.trim_ascii_end())))
            }
            Selection::Decoded(value) => json(format!("{value}\n")),
            Selection::Made(values) if self.raw => {
                let mut text = String::new();
                for value in values {
                    match serde_json::from_str(value.get())? {
                        Value::String(string) => text += &string,
                        _ => text += value.get(),
                    }
                    text.push('\n');
                }
                Rendering::Text(ContentKind::Data, text.into())
            }
            Selection::Made(values) => json(lines(values)),
        })
    }

    fn grid(&self, selected: &Selection, view: &View, cell: fn(&Value) -> String) -> Result<Grid> {
        let (records, is_one) = selected.records()?;
        Ok(match (&self.fields, view) {
            (Some(fields), View::Record(_)) if is_one => Grid::of_fields(&records[0], fields, cell),
            (Some(fields), _) => Grid::picked(&records, fields, cell),
            (None, View::Table(columns)) if self.query.is_none() => {
                Grid::of_columns(&records, columns)
            }
            (None, View::Record(first)) if self.query.is_none() && is_one => {
                Grid::of_record(&records[0], first, cell)
            }
            _ if self.format != Format::Csv && is_one => Grid::of_record(&records[0], &[], cell),
            _ => Grid::of_all(&records, cell),
        })
    }

    fn markdown(&self, selected: &Selection, view: &View) -> Result<String> {
        let table = |view| Ok(markdown_table(&self.grid(selected, view, grid::show)?));
        match view {
            _ if self.is_narrowed() => table(view),
            View::Markdown(text) => Ok(text.clone()),
            View::Document(text) | View::File(text) => Ok(code_block("", text)),
            View::Listing(_, Instead::Columns(columns)) => table(&View::Table(columns)),
            View::Lines(lines) | View::Listing(lines, _) => {
                let text: Vec<_> = lines.iter().map(StyledLine::text).collect();
                Ok(code_block("diff", &text.join("\n")))
            }
            View::Table(_) | View::Record(_) | View::Any => table(view),
        }
    }
}

/// First characters by which spreadsheets recognize a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Formats a grid as CSV (RFC 4180): one header line, then one line per record. If `safe`, cells that a spreadsheet would evaluate get a
/// leading quote; numbers stay numbers.
fn csv_lines(grid: &Grid, safe: bool) -> Result<String> {
    let is_formula = |cell: &str| cell.starts_with(FORMULA) && cell.parse::<f64>().is_err();
    let cell = |cell: &String| {
        if safe && is_formula(cell) { format!("'{cell}") } else { cell.clone() }
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heading = Some(&grid.headings).filter(|headings| !headings.is_empty());
    for row in heading.into_iter().chain(&grid.rows) {
        writer.write_record(row.iter().map(cell)).map_err(CommandError::internal)?;
    }
    let bytes = writer.into_inner().map_err(CommandError::internal)?;
    String::from_utf8(bytes).map_err(CommandError::internal)
}

/// Field names of ids in records of the service.
const IDS: &[&str] = &["id", "profileId", "userId"];

/// Returns the id of each record of an output.
pub(crate) fn ids_of(body: &Body, view: &View) -> Vec<String> {
    let selected = Selection::of(body, None, None);
    let records = selected.and_then(|selected| selected.records());
    records.map(|(records, _)| ids(&records, view)).unwrap_or_default()
}

/// Returns the id of each record, for `xargs` and loops: its `id`, or else the field that its view names or begins with; a record that is not an
/// object is its own id.
fn ids<'r>(records: impl IntoIterator<Item = &'r Value>, view: &View) -> Vec<String> {
    let first = match view {
        View::Table([Column { cell: Cell::At(path), .. }, ..]) => Some(*path),
        View::Record(first) => first.first().copied(),
        View::Listing(_, Instead::Id(name)) => Some(*name),
        _ => None,
    };
    let id = |record: &'r Value| match record {
        Value::Object(_) => IDS
            .iter()
            .copied()
            .chain(first)
            .find_map(|name| pick(record, name).filter(|it| it.is_string() || it.is_number())),
        Value::Null | Value::Array(_) => None,
        plain => Some(Cow::Borrowed(plain)),
    };
    records.into_iter().filter_map(id).map(|id| compact(&id)).collect()
}

fn yaml_documents(selected: &Selection) -> Result<String> {
    match selected {
        Selection::Received(bytes) => yaml(&parsed::<Value>(bytes)?),
        Selection::Decoded(value) => yaml(value),
        Selection::Made(values) => {
            let documents = values.iter().map(|it| yaml(&records::made(it)?));
            Ok(documents.collect::<Result<Vec<_>, _>>()?.join("---\n"))
        }
    }
}

fn lines(values: &[Box<RawValue>]) -> String {
    values.iter().flat_map(|value| [value.get(), "\n"]).collect()
}

#[cfg(test)]
mod tests;
