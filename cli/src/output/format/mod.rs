//! Output of a command in every format. `json` and `yaml` print the whole body, the others the records of its `data`; `--fields` narrows
//! the records and `--jq` filters the `data` and replaces the body by the results.

mod delimited;
mod fields;
mod flatten;
mod grid;
mod ids;
pub(crate) mod markdown;
pub(crate) mod query;
mod records;
mod slot_content;

use clap::ValueEnum;
pub(crate) use fields::FieldSelection;
use fields::MissingField;
pub(crate) use grid::Grid;
pub(crate) use query::{Query, run_filter_if_requested};
use records::{Records, Selection};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Body, CommandOutput, StyledLine, View, yaml};
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
        if self.format == Format::Table && !self.is_narrowed() && outcome.view.is_text() {
            if let Body::Service(bytes) = &outcome.body {
                records::check(bytes)?;
            }
            return Ok(Rendering::View);
        }
        let selected = Selection::of(&outcome.body, self.fields.as_ref(), self.query.as_ref())?;
        Ok(match self.format {
            Format::Json => {
                selected.check()?;
                self.json(&selected)?
            }
            Format::Yaml => Rendering::Text(yaml_documents(&selected)?),
            Format::Jsonl => Rendering::Json(lines(&selected.raw_records()?)),
            Format::Csv if !self.is_narrowed() && outcome.view.rows().is_some() => {
                selected.check()?;
                let rows = outcome.view.rows().unwrap_or_default();
                Rendering::Text(delimited::render(
                    &Grid::of_all(rows, grid::compact),
                    self.csv_safe,
                )?)
            }
            Format::Csv => {
                let grid = self.grid(&selected, &View::Any, grid::compact)?;
                Rendering::Text(delimited::render(&grid, self.csv_safe)?)
            }
            Format::Ids => {
                let text = ids::render(&selected.records()?, &outcome.view);
                let rows = outcome.view.rows().filter(|_| text.is_empty() && !self.is_narrowed());
                let text = rows.map_or(text, |rows| {
                    let changed = rows.iter().filter(|row| row["action"] != "none").cloned();
                    ids::render(&Records::of(changed.collect()), &outcome.view)
                });
                Rendering::Text(text)
            }
            Format::Markdown => {
                selected.check()?;
                Rendering::Text(self.markdown(&selected, &outcome.view)?)
            }
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
        for MissingField { field, meant, may_come } in fields.missing(&records.items) {
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

    fn is_narrowed(&self) -> bool {
        self.fields.is_some() || self.query.is_some()
    }

    fn json(&self, selected: &Selection) -> Result<Rendering, CommandError> {
        Ok(match selected {
            Selection::Received(bytes) | Selection::Checked(bytes) => {
                Rendering::Json(bytes.trim_ascii_end().to_vec())
            }
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
            _ if self.is_narrowed() => markdown::table(&self.grid(selected, view, grid::show)?),
            View::Markdown(text) => text.clone(),
            View::Document(text) => markdown::block("", text),
            View::Lines(lines) | View::NamedLines(lines, _) | View::FigureTable(lines, _) => {
                let text: Vec<_> = lines.iter().map(StyledLine::text).collect();
                markdown::block("diff", &text.join("\n"))
            }
            View::Listing(_, columns) => {
                markdown::table(&self.grid(selected, &View::Table(columns), grid::show)?)
            }
            View::Table(_) | View::Record(_) | View::Any => {
                markdown::table(&self.grid(selected, view, grid::show)?)
            }
        })
    }
}

fn yaml_documents(selected: &Selection) -> Result<String, CommandError> {
    match selected {
        Selection::Received(bytes) | Selection::Checked(bytes) => {
            yaml::write(&records::parsed(bytes)?)
        }
        Selection::Decoded(value) => yaml::write(value),
        Selection::Made(values) => {
            let documents = values.iter().map(|it| yaml::write(&records::made(it)?));
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
