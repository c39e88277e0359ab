//! The fields of a record as a user gives them: from a file, from values on the command line, or from both.

use links_sdk::{Error, Object};
use serde_json::{Map, Value};

use super::assignment;
use crate::error::CommandError;
use crate::error::dry_run_result::DryRunResult;
use crate::error::exit_code::Exit;
use crate::page_file::{Document, FieldDiagnostic};

const ONLY_DATA: &str = "give only what stands under `data`";

/// Whether this is a slot with what stands around its data.
fn is_block(value: &Value) -> bool {
    value["type"].is_string() && value["data"].is_object()
}

/// By these words a refusal is about the type of a value, and not about a field that is not taken, or about a text.
const TYPES: &[&str] =
    &["integer", "number", "boolean", "true or false", "array", "list", "object", "type null"];

/// Fields with where they came from.
#[derive(Debug, Default)]
pub(crate) struct FieldValues {
    file: Option<Document>,
    /// Those of the command line, which go before the file's.
    given: Map<String, Value>,
    all: Map<String, Value>,
    /// Those that were typed as a text.
    typed: Vec<String>,
    /// Images to upload, by field.
    images: Vec<(String, String)>,
    /// What came of uploads in a dry run.
    rehearsed: Vec<DryRunResult>,
}

impl FieldValues {
    /// Reads words: at most one file (`-`: standard input), and values.
    ///
    /// # Errors
    ///
    /// When a word is neither, or the file is not a mapping.
    pub(crate) fn read(words: &[String]) -> Result<Self, CommandError> {
        let fields = Self::read_with_images(words)?;
        assignment::no_images(&fields.images)?;
        Ok(fields)
    }

    /// Reads words of a command that uploads images: [`upload`](Self::upload) puts their paths in.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn read_with_images(words: &[String]) -> Result<Self, CommandError> {
        let words = assignment::sort(words)?;
        let mut fields = match words.file.as_deref().map(Document::read).transpose()? {
            Some(file) => Self::of(file)?,
            None => Self::default(),
        };
        fields.all.extend(words.values.clone());
        fields.given = words.values;
        fields.typed = words.typed;
        fields.images = words.images;
        Ok(fields)
    }

    /// The fields of a file.
    ///
    /// # Errors
    ///
    /// When it is not a mapping.
    pub(crate) fn of(file: Document) -> Result<Self, CommandError> {
        let problem = |message| FieldDiagnostic::new("", file.root.span.clone(), message);
        let Value::Object(all) = file.root.to_json() else {
            let problem = problem(format!("this is a mapping of fields, not {}", file.root.kind()));
            let problem = match &file.root.to_json()[0] {
                first if is_block(first) => problem.help(ONLY_DATA),
                _ => problem,
            };
            return Err(file.bad(vec![problem]).into());
        };
        Ok(Self { file: Some(file), all, ..Self::default() })
    }

    /// Refuses a file with a whole slot, as other commands print it, where the fields of its data belong.
    ///
    /// # Errors
    ///
    /// When the file is one.
    pub(crate) fn of_data(self) -> Result<Self, CommandError> {
        let Some(file) = &self.file else { return Ok(self) };
        let root = file.root.to_json();
        if !is_block(&root) && !is_block(&root["data"]) {
            return Ok(self);
        }
        let problem = FieldDiagnostic::new(
            "",
            file.root.span.clone(),
            "this is a slot, not the fields of its data",
        );
        Err(file.bad(vec![problem.help(ONLY_DATA)]).into())
    }

    /// Refuses to write nothing.
    ///
    /// # Errors
    ///
    /// When no field was given.
    pub(crate) fn some(self, example: &str) -> Result<Self, CommandError> {
        if self.is_empty() {
            return Err(CommandError::usage("no field is given")
                .hint(format!("give a file, or values such as {example}")));
        }
        Ok(self)
    }

    /// Whether no field was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.images.is_empty()
    }

    /// Fields that were typed as a text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.typed.iter().filter_map(|name| Some((name.as_str(), self.given.get(name)?.as_str()?)))
    }

    /// Images to upload, by field.
    pub(crate) fn images(&self) -> &[(String, String)] {
        &self.images
    }

    /// Sets a field that was given on the command line.
    pub(crate) fn put(&mut self, field: &str, value: Value) {
        self.given.insert(field.to_owned(), value.clone());
        self.all.insert(field.to_owned(), value);
    }

    /// Keeps what came of uploads in a dry run, which is shown before the rest.
    pub(crate) fn rehearse(&mut self, uploads: Option<CommandError>) {
        self.rehearsed = uploads.map(|it| it.rehearsals().to_vec()).unwrap_or_default();
    }

    /// The value of a field.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.all.get(field)
    }

    /// The fields to send.
    pub(crate) fn object(&self) -> Object {
        self.all.clone().into()
    }

    /// The fields whose value is another one than in a record. Those that are not named stay as they are.
    pub(crate) fn changes_of(&self, record: &Map<String, Value>) -> Object {
        let changed = |(name, value): &(&String, &Value)| record.get(*name) != Some(*value);
        self.all.iter().filter(changed).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Says that others changed these fields too (with the words for each), in the user's file.
    pub(crate) fn contested(&self, conflicts: &[(String, String)]) -> CommandError {
        let failure = contested();
        match &self.file {
            Some(file) => {
                failure.at(file.refuse(conflicts.iter().map(|(name, words)| (&**name, &**words))))
            }
            None => failure,
        }
    }

    /// A refusal, shown in the user's file where it is about fields of the file. `under` is where the service has these fields: `data`
    /// for those of a slot.
    pub(crate) fn failure(&self, error: Error, under: &str) -> CommandError {
        let failure = CommandError::from(error).after(self.rehearsed.clone());
        let own = |path: &str| -> String {
            let below = path.strip_prefix(under).and_then(|rest| rest.strip_prefix('.'));
            below.unwrap_or(path).to_owned()
        };
        let errors: Vec<_> =
            failure.errors().map(|(path, message)| (own(path), message.to_owned())).collect();
        let top = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let as_json = errors.iter().find_map(|(path, why)| self.as_json(path, why));
        let failure = match as_json {
            Some(word) => failure.hint(format!("write {word}: use := for JSON values")),
            None => failure,
        };
        let Some(file) = &self.file else { return failure };
        if errors.is_empty() || errors.iter().any(|(path, _)| self.given.contains_key(&top(path))) {
            return failure;
        }
        let bad = file.refuse(errors.iter().map(|(path, message)| (&**path, &**message)));
        failure.at(bad)
    }

    /// The word that gives a refused text of the command line as what it looks like: a number, a switch, a list.
    fn as_json(&self, field: &str, why: &str) -> Option<String> {
        let text = self.given.get(field)?.as_str()?;
        let value: Value = serde_json::from_str(text).ok()?;
        let is_about_type = TYPES.iter().any(|it| why.contains(it));
        (!value.is_string() && is_about_type).then(|| {
            let text =
                shlex::try_quote(text).map_or_else(|_| text.into(), std::borrow::Cow::into_owned);
            format!("{field}:={text}")
        })
    }
}

/// The failure of a merge, before its places are named.
pub(crate) fn contested() -> CommandError {
    let message = "someone else changed the same meanwhile; nothing was written";
    CommandError::new(Exit::Conflict, message).hint(
        "in the editor: take their value over, or delete the comment above yours to keep yours",
    )
}
