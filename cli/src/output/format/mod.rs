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
pub(crate) use grid::{Grid, code_block};
pub(crate) use query::{Query, run_filter_if_requested};
use records::{Records, Selection};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Cell, Column, CommandOutput, Instead, StyledLine, View, yaml};
use crate::error::CommandError;

/// How data is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Human-readable table
    #[default]
    Table,
    /// Everything the service sent, unchanged
    Json,
    /// The same as YAML
    Yaml,
    /// One line of JSON for each record
    Jsonl,
    /// One line for each record, with all its fields
    Csv,
    /// A table for a document
    Markdown,
    /// One id a line
    Ids,
}

/// Format of the output, and the part of the data to print.
#[derive(Debug, Default)]
pub(crate) struct OutputOptions {
    /// Output format.
    pub(crate) format: Format,
    /// True if `--jq` implies the format, and the user names none.
    pub(crate) is_implied: bool,
    /// Fields to show.
    pub(crate) fields: Option<FieldSelection>,
    /// Filter to apply.
    pub(crate) query: Option<Query>,
    /// True if strings in the results of a filter are printed without quotes.
    pub(crate) raw: bool,
    /// True if CSV cells that look like formulas are escaped.
    pub(crate) csv_safe: bool,
}

/// Rendered output.
#[derive(Debug)]
pub(crate) enum Rendering {
    /// JSON, with its original white space.
    Json(Vec<u8>),
    /// Text in a format for other programs, or finished human-readable text.
    Text(String),
    /// Human-readable table.
    Grid(Grid),
    /// View of the command output itself.
    View,
}

impl Format {
    /// Returns the format with this name.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        <Self as ValueEnum>::from_str(word, false).ok()
    }

    /// Names of all formats, separated by commas.
    pub(crate) fn words() -> String {
        let words: Vec<_> = Self::value_variants().iter().map(|it| it.word()).collect();
        words.join(", ")
    }

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
    pub(crate) fn print(&self, outcome: &CommandOutput) -> Result<Rendering, CommandError> {
        let is_text = !matches!(outcome.view, View::Table(_) | View::Record(_) | View::Any);
        let selected = Selection::of(&outcome.body, self.fields.as_ref(), self.query.as_ref())?;
        Ok(match self.format {
            _ if is_text && self.shows_text() => Rendering::View,
            Format::Json => self.json(&selected)?,
            Format::Yaml => Rendering::Text(yaml_documents(&selected)?),
            Format::Jsonl => Rendering::Json(lines(&selected.raw_records()?)),
            Format::Csv => {
                let grid = match outcome.view.rows() {
                    Some(rows) if !self.is_narrowed() => Grid::of_all(rows, grid::compact),
                    _ => self.grid(&selected, &View::Any, grid::compact)?,
                };
                Rendering::Text(csv_lines(&grid, self.csv_safe)?)
            }
            Format::Ids => {
                let text = ids(&selected.records()?, &outcome.view);
                let rows = outcome.view.rows().filter(|_| text.is_empty() && !self.is_narrowed());
                let text = rows.map_or(text, |rows| {
                    let changed = rows.iter().filter(|row| row["action"] != "none").cloned();
                    ids(&Records::of(changed.collect()), &outcome.view)
                });
                Rendering::Text(text)
            }
            Format::Markdown => Rendering::Text(self.markdown(&selected, &outcome.view)?),
            Format::Table => Rendering::Grid(self.grid(&selected, &outcome.view, grid::show)?),
        })
    }

    /// Returns notes about requested fields that no record has, but that other records may have.
    ///
    /// # Errors
    ///
    /// When the body is not JSON, or no record can have a requested field.
    pub(crate) fn notes(&self, outcome: &CommandOutput) -> Result<Vec<String>, CommandError> {
        let Some(fields) = &self.fields else { return Ok(Vec::new()) };
        let records = Selection::of(&outcome.body, None, None)?.records()?;
        let mut notes = Vec::new();
        for (field, meant, may_come) in fields.missing(&records.items) {
            let message = format!("no record has a field `{field}`");
            let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
            match meant {
                meant if !may_come => {
                    let failure = CommandError::usage(format!("--fields: {message}"));
                    let known = || "`-o json` shows all fields".to_owned();
                    return Err(failure.with_hint(meant.unwrap_or_else(known)));
                }
                Some(meant) => notes.push(format!("{message}; {meant}")),
                None => notes.push(message),
            }
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

    fn json(&self, selected: &Selection) -> Result<Rendering, CommandError> {
        Ok(match selected {
            Selection::Received(bytes) => Rendering::Json(bytes.trim_ascii_end().to_vec()),
            Selection::Decoded(value) => Rendering::Json(value.to_string().into_bytes()),
            Selection::Made(values) if self.raw => {
                let mut text = String::new();
                for value in values {
                    match serde_json::from_str(value.get()).map_err(CommandError::internal)? {
                        Value::String(string) => text += &string,
                        _ => text += value.get(),
                    }
                    text.push('\n');
                }
                Rendering::Text(text)
            }
            Selection::Made(values) => Rendering::Json(lines(values)),
        })
    }

    fn grid(
        &self,
        selected: &Selection,
        view: &View,
        cell: fn(&Value) -> String,
    ) -> Result<Grid, CommandError> {
        let records = selected.records()?;
        Ok(match (&self.fields, view) {
            (Some(fields), View::Record(_)) if records.is_one() => {
                Grid::of_fields(&records.items[0], fields, cell)
            }
            (Some(fields), _) => Grid::picked(&records.items, fields, cell),
            (None, View::Table(columns)) if self.query.is_none() => {
                Grid::of_columns(&records.items, columns)
            }
            (None, View::Record(first)) if self.query.is_none() && records.is_one() => {
                Grid::of_record(&records.items[0], first, cell)
            }
            _ if self.format != Format::Csv && records.is_one() => {
                Grid::of_record(&records.items[0], &[], cell)
            }
            _ => Grid::of_all(&records.items, cell),
        })
    }

    fn markdown(&self, selected: &Selection, view: &View) -> Result<String, CommandError> {
        Ok(match view {
            _ if self.is_narrowed() => markdown_table(&self.grid(selected, view, grid::show)?),
            View::Markdown(text) => text.clone(),
            View::Document(text) => code_block("", text),
            View::Listing(_, Instead::Columns(columns)) => {
                markdown_table(&self.grid(selected, &View::Table(columns), grid::show)?)
            }
            View::Lines(lines) | View::Listing(lines, _) => {
                let text: Vec<_> = lines.iter().map(StyledLine::text).collect();
                code_block("diff", &text.join("\n"))
            }
            View::Table(_) | View::Record(_) | View::Any => {
                markdown_table(&self.grid(selected, view, grid::show)?)
            }
        })
    }
}

/// First characters by which spreadsheets recognize a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Formats a grid as CSV (RFC 4180): one header line, then one line per record. If `safe`, cells that a spreadsheet would evaluate get a
/// leading quote; numbers stay numbers.
fn csv_lines(grid: &Grid, safe: bool) -> Result<String, CommandError> {
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

/// Returns the id of each record on a line, for `xargs` and loops: its `id`, or else the field that its view names or begins with; a record
/// that is not an object is its own id.
fn ids(records: &Records, view: &View) -> String {
    let first = match view {
        View::Table([Column { cell: Cell::At(path), .. }, ..]) => Some(*path),
        View::Record(first) => first.first().copied(),
        View::Listing(_, Instead::Id(name)) => Some(*name),
        _ => None,
    };
    let id = |record| match record {
        &Value::Object(_) => IDS
            .iter()
            .copied()
            .chain(first)
            .find_map(|name| pick(record, name).filter(|it| it.is_string() || it.is_number())),
        Value::Null | Value::Array(_) => None,
        plain => Some(Cow::Borrowed(plain)),
    };
    records.items.iter().filter_map(id).map(|id| grid::compact(&id) + "\n").collect()
}

fn yaml_documents(selected: &Selection) -> Result<String, CommandError> {
    match selected {
        Selection::Received(bytes) => yaml(&records::parsed(bytes)?),
        Selection::Decoded(value) => yaml(value),
        Selection::Made(values) => {
            let documents = values.iter().map(|it| yaml(&records::made(it)?));
            Ok(documents.collect::<Result<Vec<_>, _>>()?.join("---\n"))
        }
    }
}

fn lines(values: &[Box<RawValue>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend(value.get().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests;
