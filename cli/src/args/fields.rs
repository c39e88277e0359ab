//! Fields of a record as a user gives them: from a file, from values on the command line, or from both.

use links_sdk::{Answer, Error, IdempotencyKey, UploadMethod};

use super::assignment;
use super::flags::next_dry_run;
use super::images::{self, ReusedImages};
use crate::context::prelude::*;
use crate::error::DryRunResult;
use crate::output::dry_run::DryRun;
use crate::ui::cut;
use links_pages::apply::same;
use links_pages::page_file::Document;
use links_pages::page_file::local_image::{has_image_ending, looks_local};
use links_pages::sanitize::quoted;

const ONLY_DATA: &str = "pass only the content of `data`";

/// Tells whether the value is a whole slot: its data together with its type.
fn is_slot(value: &Value) -> bool {
    value["type"].is_string() && value["data"].is_object()
}

/// Words that a refusal contains if it is about the type of a value, and not about an unknown field or a string.
const TYPES: &[&str] =
    &["integer", "number", "boolean", "true or false", "array", "list", "object", "type null"];

/// Fields of a record with their origin.
#[derive(Debug, Default)]
pub(crate) struct FieldValues {
    file: Option<Document>,
    /// Values of the command line, which take precedence over those of the file.
    given: Map<String, Value>,
    all: Map<String, Value>,
    /// Names of the fields whose value was typed as a string.
    typed: Vec<String>,
    /// Images to upload, by field.
    images: Vec<(String, String)>,
    /// Paths of the images that were uploaded.
    uploaded: Vec<String>,
    /// Results of the uploads of a dry run.
    upload_results: Vec<DryRunResult>,
    /// Images that were not uploaded, because the service already has them.
    reused: ReusedImages,
    /// What precedes these fields in the service's record: `data.` for those of a slot.
    under: &'static str,
}

impl FieldValues {
    /// Reads words: at most one file (`-`: standard input), and values.
    ///
    /// # Errors
    ///
    /// When a word is neither, or the file is not a mapping.
    pub(crate) fn read(words: &[String]) -> Result<Self> {
        let fields = Self::read_with_images(words)?;
        assignment::no_images(&fields.images)?;
        Ok(fields)
    }

    /// Reads words of a command that uploads images: [`upload`](Self::upload) puts their paths in.
    ///
    /// # Errors
    ///
    /// On the errors of [`read`](Self::read).
    pub(crate) fn read_with_images(words: &[String]) -> Result<Self> {
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

    /// Returns the fields of a file.
    ///
    /// # Errors
    ///
    /// When the file is not a mapping.
    pub(crate) fn of(file: Document) -> Result<Self> {
        let Value::Object(all) = file.root.to_json() else {
            let message = format!("this must be a mapping of fields, not {}", file.root.kind());
            let problem = file.root.problem("", message);
            let is_slot = is_slot(&file.root.to_json()[0]);
            let problem = if is_slot { problem.help(ONLY_DATA) } else { problem };
            return Err(file.bad(vec![problem]).into());
        };
        Ok(Self { file: Some(file), all, ..Self::default() })
    }

    /// Returns the fields as those of a slot's data. Refuses a file that holds a whole slot, as other commands print it.
    ///
    /// # Errors
    ///
    /// When the file holds a whole slot.
    pub(crate) fn of_data(mut self) -> Result<Self> {
        self.under = "data.";
        let Some(file) = &self.file else { return Ok(self) };
        let root = file.root.to_json();
        if !is_slot(&root) && !is_slot(&root["data"]) {
            return Ok(self);
        }
        let message = "this is a whole slot, but the command takes only the fields of its data";
        let problem = file.root.problem("", message).help(ONLY_DATA);
        Err(file.bad(vec![problem]).into())
    }

    /// Refuses an empty set of fields.
    ///
    /// # Errors
    ///
    /// When no field was given.
    pub(crate) fn some(self, example: &str) -> Result<Self> {
        if self.is_empty() {
            return Err(CommandError::usage("no fields given")
                .with_hint(format!("pass a file, or values such as {example}")));
        }
        Ok(self)
    }

    /// Tells whether no field was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.images.is_empty()
    }

    /// Sets a field as if it was given on the command line.
    fn put(&mut self, field: &str, value: Value) {
        self.given.insert(field.to_owned(), value.clone());
        self.all.insert(field.to_owned(), value);
    }

    /// Returns the file, if one was given.
    pub(crate) fn file(&self) -> Option<&Document> {
        self.file.as_ref()
    }

    /// Replaces the fields of the file; values of the command line still take precedence.
    pub(crate) fn replace_file_fields(&mut self, fields: Object) {
        self.all = fields.0;
        self.all.extend(self.given.clone());
    }

    /// Refuses strings that are evidently paths of this machine, or name an image there, where the path of an uploaded image belongs: in these fields, and in any
    /// field whose value is the path of an image file.
    ///
    /// # Errors
    ///
    /// When there is such a string; the hint shows the way to upload the file.
    pub(crate) fn no_local_images(self, image_fields: &[&str]) -> Result<Self> {
        let typed = self.typed.iter();
        let mut typed =
            typed.filter_map(|name| Some((name.as_str(), self.given.get(name)?.as_str()?)));
        let wrong = typed.find(|(field, text)| {
            let is_image = has_image_ending(text);
            let is_local = looks_local(text) || is_image && Path::new(text).is_file();
            is_local && (is_image || image_fields.contains(field))
        });
        let Some((field, text)) = wrong else { return Ok(self) };
        let word = quoted(&format!("{field}@{text}"));
        Err(CommandError::usage(format!(
            "`{text}` is a file on this machine, which no one else can see"
        ))
        .with_hint(format!(
            "to upload the file, pass {word}; to send the text unchanged, pass {field}:='\"TEXT\"'"
        )))
    }

    /// Tells whether images were given.
    pub(crate) fn has_images(&self) -> bool {
        !self.images.is_empty()
    }

    /// Uploads the images that were given, and sets their fields to the paths of the uploads. An image that the account in use has uploaded
    /// from this machine is not uploaded again. In a dry run nothing is uploaded. `operation` is the write that follows, and `key` its key.
    ///
    /// # Errors
    ///
    /// When an image cannot be uploaded, or in a dry run that asks the service, if the write cannot be checked without the paths of the
    /// uploads.
    pub(crate) async fn upload(
        mut self,
        context: &Context,
        client: &Client,
        (operation, key): (&'static str, Option<&IdempotencyKey>),
    ) -> Result<Self> {
        let all = self.images.clone();
        let prepared = |(field, name): &(String, String)| {
            let upload = images::upload(name)?;
            Ok(match key {
                Some(key) => client
                    .files()
                    .upload(upload.method(UploadMethod::Multipart))
                    .with_idempotency_key(key_of_upload(key, field)?),
                None => client.files().upload(upload),
            })
        };
        let uploads = all.iter().map(prepared).collect::<Result<Vec<_>>>()?;
        let mut dry_run_end = None;
        let mut reused = ReusedImages::new(context);
        for ((field, name), upload) in all.iter().zip(uploads) {
            let hash = reused.hash(name);
            if let Some(path) = hash.as_deref().and_then(|hash| reused.take(hash)) {
                let text = format!("{name} was already uploaded as {path}");
                context.ui.tell(Style::Faint, text);
                self.put(field, json!(path));
                continue;
            }
            // A slot may have a field of the same name.
            let page_field = Some(field.as_str()).filter(|_| operation.ends_with("Profile"));
            if let Some(warning) = images::warning(name, page_field) {
                context.ui.say(&warning);
            }
            match upload.await.map_err(CommandError::from) {
                Ok(file) => {
                    let text = format!("uploaded {name} as {}", file.path);
                    context.ui.tell(Style::Added, text);
                    // A file that was changed meanwhile is not the one that was uploaded.
                    if let Some(hash) = hash.filter(|it| reused.hash(name).as_ref() == Some(it)) {
                        reused.remember(&hash, &file.path);
                    }
                    self.put(field, json!(file.path));
                    self.uploaded.push(file.path);
                }
                Err(failure) => {
                    dry_run_end = Some(next_dry_run(dry_run_end.as_ref(), failure)?);
                    if context.dry_run() == Some(DryRun::Service) {
                        self.all.remove(field);
                    } else {
                        self.put(field, json!(format!("(upload {name})")));
                    }
                }
            }
        }
        self.reused = reused;
        let Some(end) = dry_run_end else { return Ok(self) };
        self.upload_results = end.dry_run_results().to_vec();
        // A new slot may need its image.
        let is_checked = operation != "createSlot" && !self.all.is_empty();
        if is_checked || context.dry_run() != Some(DryRun::Service) {
            return Ok(self);
        }
        Err(end.before_unchecked(operation, self.unchecked()))
    }

    /// Returns the fields of images that a dry run has not uploaded.
    fn unchecked(&self) -> Vec<String> {
        let fields = self.images.iter().map(|(field, _)| field);
        fields.filter(|field| !self.all.contains_key(*field)).cloned().collect()
    }

    /// Returns the value of a field.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.all.get(field)
    }

    /// Returns the fields to send.
    pub(crate) fn object(&self) -> Object {
        self.all.clone().into()
    }

    /// Returns the fields whose value differs from that in a record. Fields that are not named stay unchanged.
    pub(crate) fn changes_of(&self, record: &Map<String, Value>) -> Object {
        let changed = |(name, value): &(&String, &Value)| record.get(*name) != Some(*value);
        self.all.iter().filter(changed).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Merges three versions of a record: as it was opened, as the user left it, and as it is now. Returns the fields to write: those that the user changed. Fields that only others changed are not among them, and so stay.
    ///
    /// # Errors
    ///
    /// When others changed one of these fields to another value. `opened` then gets their value, so that the user's value wins once the user
    /// has seen theirs.
    pub(crate) fn merge(
        &self,
        opened: &mut Map<String, Value>,
        now: &Map<String, Value>,
    ) -> Result<Object> {
        let mut changes = self.changes_of(opened);
        let mut conflicts = Vec::new();
        changes.0.retain(|name, mine| {
            let (before, theirs) = (value_or_null(opened, name), value_or_null(now, name));
            if !same(before, theirs) && !same(mine, theirs) {
                let [before, theirs] = [before, theirs].map(|it| cut(&it.to_string(), SHOWN));
                let text = format!(
                    "another client changed this from {before} to {theirs} in the meantime"
                );
                conflicts.push((name.clone(), text));
            }
            !same(mine, theirs)
        });
        if conflicts.is_empty() {
            return Ok(changes);
        }
        for (name, _) in &conflicts {
            opened.insert(name.clone(), value_or_null(now, name).clone());
        }
        let failure = contested();
        Err(match &self.file {
            Some(file) => {
                failure.at(file.refuse(conflicts.iter().map(|(name, words)| (&**name, &**words))))
            }
            None => failure,
        })
    }

    /// Converts an error of the service, and shows a refusal in the user's file if it is about fields of that file.
    pub(crate) fn failure(&self, error: Error) -> CommandError {
        let failure = CommandError::from(error).after(self.upload_results.clone());
        let failure = failure.without(self.unchecked()).after_uploads(&self.uploaded);
        if failure.is_validation() {
            self.reused.forget();
        }
        let own = |(path, message): (&str, &str)| {
            (path.strip_prefix(self.under).unwrap_or(path).to_owned(), message.to_owned())
        };
        let errors: Vec<_> = failure.errors().map(own).collect();
        let top = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let as_json = errors.iter().find_map(|(path, why)| self.as_json(path, why));
        let failure = failure.hinted(as_json.map(|word| format!("use := for JSON values: {word}")));
        let Some(file) = &self.file else { return failure };
        if errors.is_empty() || errors.iter().any(|(path, _)| self.given.contains_key(&top(path))) {
            return failure;
        }
        let bad = file.refuse(errors.iter().map(|(path, message)| (&**path, &**message)));
        failure.at(bad)
    }

    /// Returns the answer to a write of these fields as the output, which begins with `verb`.
    pub(crate) fn shown(
        &self,
        written: Result<Answer, Error>,
        verb: &str,
    ) -> Result<CommandOutput> {
        let answer = written.map_err(|error| self.failure(error))?;
        Ok(CommandOutput::wrote(verb, &answer))
    }

    /// Returns the word that gives a refused string of the command line as the JSON value that it looks like: a number, a boolean, a list.
    fn as_json(&self, field: &str, why: &str) -> Option<String> {
        let text = self.given.get(field)?.as_str()?;
        let value: Value = serde_json::from_str(text).ok()?;
        let is_about_type = TYPES.iter().any(|it| why.contains(it));
        (!value.is_string() && is_about_type).then(|| format!("{field}:={}", quoted(text)))
    }
}

/// Returns the key of the upload of a field, of the key of the write that follows it.
fn key_of_upload(key: &IdempotencyKey, field: &str) -> Result<IdempotencyKey> {
    IdempotencyKey::new(format!("{key}-{field}")).map_err(|_| {
        CommandError::usage(format!("the idempotency key is too long for `{key}-{field}`"))
    })
}

/// Returns the failure of a merge, without the places of its conflicts.
pub(crate) fn contested() -> CommandError {
    let message = "another client made a conflicting change in the meantime; nothing was written";
    CommandError::conflict(message).with_hint(
        "to keep your value, delete the comment above it in the editor; otherwise, enter the other value",
    )
}

/// Maximum width of a value that a conflict shows.
const SHOWN: usize = 300;

fn value_or_null<'m>(record: &'m Map<String, Value>, name: &str) -> &'m Value {
    record.get(name).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod merge_tests {
    use serde_json::json;

    use super::*;
    use crate::error::exit_code::Exit;
    use links_pages::page_file::Document;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn merged(edited: &str, opened: &Value, now: &Value) -> Result<Value> {
        let document = Document::from_bytes("form.yaml", edited.into()).unwrap();
        let edited = FieldValues::of(document).unwrap();
        edited.merge(&mut object(opened), &object(now)).map(|it| Value::Object(it.0))
    }

    #[test]
    fn only_fields_that_the_user_changed_are_sent() {
        let opened = json!({"title": "A", "text": "B", "list": [1], "same": "x"});
        let now = json!({"title": "A", "text": "Theirs", "list": [1, 2], "same": "y"});
        let edited = "title: Mine\ntext: B\nlist: [1]\nsame: y\n";
        assert_eq!(merged(edited, &opened, &now).unwrap(), json!({"title": "Mine"}));
    }

    #[test]
    fn a_field_that_both_changed_is_refused_once_with_both_values() {
        let (mut opened, now) = (object(&json!({"list": [1]})), object(&json!({"list": [1, 2]})));
        let document = Document::from_bytes("form.yaml", "list: [3]\n".into()).unwrap();
        let edited = FieldValues::of(document).unwrap();
        let failure = edited.merge(&mut opened, &now).unwrap_err();
        assert_eq!(failure.exit(), Exit::Conflict);
        let (place, text) = failure.places().next().unwrap();
        assert!(place.line == 1 && text.contains("changed this from [1] to [1,2]"), "{text}");
        assert_eq!(edited.merge(&mut opened, &now).unwrap()["list"], json!([3]));
    }
}
