//! An outcome in every format. `json` and `yaml` print the whole body, the others the records of its `data`; `--fields` narrows the
//! records and `--jq` replaces the body by what its filter makes of it.

mod delimited;
mod fields;
mod flatten;
mod grid;
mod ids;
mod markdown;
mod query;
mod records;

use clap::ValueEnum;
pub(crate) use fields::Fields;
use fields::Missing;
pub(crate) use grid::Grid;
pub(crate) use query::{Query, asked as asked_to_filter};
use records::Selected;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Line, Outcome, View};
use crate::error::Failure;

/// How data is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Table,
    /// Everything the service sent, as it sent it
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

/// How the data of a command is to be printed, and which part of it.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// The format.
    pub(crate) format: Format,
    /// The fields to show.
    pub(crate) fields: Option<Fields>,
    /// The filter to apply.
    pub(crate) query: Option<Query>,
    /// Whether the texts that a filter makes are printed as they are.
    pub(crate) raw: bool,
    /// Whether no cell of CSV may look like a formula.
    pub(crate) csv_safe: bool,
}

/// What is to be printed.
#[derive(Debug)]
pub(crate) enum Printed {
    /// JSON, with any white space it came with.
    Json(Vec<u8>),
    /// Text that is to be read by another program, or by people as it is.
    Text(String),
    /// A table for people.
    Grid(Grid),
    /// The view of the outcome itself.
    View,
}

impl Format {
    /// The format of this name.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        <Self as ValueEnum>::from_str(word, false).ok()
    }

    /// The names of all of them, for a sentence.
    pub(crate) fn words() -> String {
        let words: Vec<_> = Self::value_variants().iter().map(|it| it.word()).collect();
        words.join(", ")
    }

    /// Its name.
    pub(crate) fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// Whether a program reads stderr as well, and wants JSON there.
    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }
}

impl Shape {
    /// An outcome in this shape.
    ///
    /// # Errors
    ///
    /// When the body is not JSON, or the filter fails on it.
    pub(crate) fn print(&self, outcome: &Outcome) -> Result<Printed, Failure> {
        let selected = Selected::of(&outcome.body, self.fields.as_ref(), self.query.as_ref())?;
        Ok(match self.format {
            Format::Json => self.json(&selected)?,
            Format::Yaml => Printed::Text(yaml(&selected)?),
            Format::Jsonl => Printed::Json(lines(&selected.raw_records()?)),
            Format::Csv if !self.is_narrowed() && outcome.view.rows().is_some() => {
                let rows = outcome.view.rows().unwrap_or_default();
                Printed::Text(delimited::render(&Grid::of_all(rows, grid::compact), self.csv_safe)?)
            }
            Format::Csv => {
                let grid = self.grid(&selected, &View::Any, grid::compact)?;
                Printed::Text(delimited::render(&grid, self.csv_safe)?)
            }
            Format::Ids => Printed::Text(ids::render(&selected.records()?, &outcome.view)),
            Format::Markdown => Printed::Text(self.markdown(&selected, &outcome.view)?),
            Format::Table if self.is_narrowed() => {
                Printed::Grid(self.grid(&selected, &outcome.view, grid::show)?)
            }
            Format::Table => match &outcome.view {
                View::Table(_) | View::Record(_) | View::Any => {
                    Printed::Grid(self.grid(&selected, &outcome.view, grid::show)?)
                }
                View::Document(_) | View::Markdown(_) | View::Lines(_) | View::Figures(..) => {
                    Printed::View
                }
            },
        })
    }

    /// What the user should know of a field that no record has, but might.
    ///
    /// # Errors
    ///
    /// When the body is not JSON, or no record can have a field that was asked for.
    pub(crate) fn notes(&self, outcome: &Outcome) -> Result<Vec<String>, Failure> {
        let Some(fields) = &self.fields else { return Ok(Vec::new()) };
        let records = Selected::of(&outcome.body, None, None)?.records()?;
        let mut notes = Vec::new();
        for Missing { field, meant, may_come } in fields.missing(&records.items) {
            let said = format!("nothing has a field `{field}`");
            let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
            match meant {
                meant if !may_come => {
                    let failure = Failure::usage(format!("--fields: {said}"));
                    let known = || "`-o json` shows the fields there are".to_owned();
                    return Err(failure.hint(meant.unwrap_or_else(known)));
                }
                Some(meant) => notes.push(format!("{said}; {meant}")),
                None => notes.push(said),
            }
        }
        Ok(notes)
    }

    fn is_narrowed(&self) -> bool {
        self.fields.is_some() || self.query.is_some()
    }

    fn json(&self, selected: &Selected) -> Result<Printed, Failure> {
        Ok(match selected {
            Selected::Whole(bytes) => Printed::Json(bytes.trim_ascii_end().to_vec()),
            Selected::Narrowed(value) => Printed::Json(value.to_string().into_bytes()),
            Selected::Made(values) if self.raw => {
                let mut text = String::new();
                for value in values {
                    match serde_json::from_str(value.get()).map_err(Failure::internal)? {
                        Value::String(it) => text += &it,
                        _ => text += value.get(),
                    }
                    text.push('\n');
                }
                Printed::Text(text)
            }
            Selected::Made(values) => Printed::Json(lines(values)),
        })
    }

    fn grid(
        &self,
        selected: &Selected,
        view: &View,
        cell: fn(&Value) -> String,
    ) -> Result<Grid, Failure> {
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

    fn markdown(&self, selected: &Selected, view: &View) -> Result<String, Failure> {
        Ok(match view {
            _ if self.is_narrowed() => markdown::table(&self.grid(selected, view, grid::show)?),
            View::Markdown(text) => text.clone(),
            View::Document(text) => markdown::block("", text),
            View::Lines(lines) | View::Figures(lines, _) => {
                let text: Vec<_> = lines.iter().map(Line::text).collect();
                markdown::block("diff", &text.join("\n"))
            }
            View::Table(_) | View::Record(_) | View::Any => {
                markdown::table(&self.grid(selected, view, grid::show)?)
            }
        })
    }
}

fn yaml(selected: &Selected) -> Result<String, Failure> {
    match selected {
        Selected::Whole(bytes) => yaml_of(&records::parsed(bytes)?),
        Selected::Narrowed(value) => yaml_of(value),
        Selected::Made(values) => {
            let documents = values.iter().map(|it| yaml_of(&records::made(it)?));
            Ok(documents.collect::<Result<Vec<_>, _>>()?.join("---\n"))
        }
    }
}

fn yaml_of(value: &Value) -> Result<String, Failure> {
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(Failure::internal)
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
