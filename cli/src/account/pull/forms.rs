//! Forms of the account as form files: their local names, new files, and files that exist.

use links_pages::apply::SlotTypes;
use links_pages::sync::{ConflictMark, HashPair, Pull, ValueHash};
use links_sdk::types::NotificationChannel;
use links_sdk::{ChannelId, FormId};

use super::existing_file::{replace, write_file};
use super::file_name::local_name;
use super::place::{PullDirectory, PullOptions};
use super::report::{Report, left_out_line};
use crate::account::form_finder::{form_ids, title};
use crate::apply::sync::{SyncRecord, pull_summary, pulled_form_text};
use crate::context::prelude::*;
use crate::output::yaml;
use links_pages::account::KnownForms;
use links_pages::form_file::{
    CHANNEL, CHANNELS, FORM_FIELDS, FormFile, ID, INPUT_FIELDS, INPUTS, NAME,
};
use links_pages::page_file::Document;
use links_pages::page_file::fields::FieldRule;
use links_pages::page_file::patch::{refuse_marks, without_marks};

/// What became of a file that says what the form has.
const UNCHANGED: &str = "no changes";

/// What became of a file that was written as a whole.
const WRITTEN: &str = "written";

/// A form of the account with its local name.
struct LocalForm {
    form: LeadForm,
    name: String,
    /// The file that exists.
    file: Option<(PathBuf, FormFile)>,
    /// True once it has a file.
    is_filed: bool,
}

/// Forms of the account that have a file, or get one.
#[derive(Default)]
pub(super) struct LocalForms {
    forms: Vec<LocalForm>,
    channels: Vec<NotificationChannel>,
}

impl LocalForms {
    /// Gives each form its local name: that of its file, else that of the lock, else a new one made from its title.
    pub(super) async fn read(
        context: &Context,
        client: &Client,
        known: &mut KnownForms,
        directory: &mut PullDirectory,
        options: &PullOptions,
    ) -> Result<Self> {
        let account = known.account(client).await?.to_vec();
        let files = std::mem::take(&mut directory.forms);
        let needs_channels = !options.portable
            && (account.iter().any(|form| !form.notification_channel_ids.is_empty())
                || files.iter().any(|(_, file)| !file.channels.is_empty()));
        let channels =
            if needs_channels { client.notification_channels().await?.items } else { Vec::new() };
        let ids = if options.portable {
            vec![None; files.len()]
        } else {
            form_ids(context, &files, &account)?
        };
        let mut taken: BTreeSet<String> =
            files.iter().map(|(_, file)| file.form.name.to_lowercase()).collect();
        let mut files: Vec<_> = ids.into_iter().zip(files).collect();
        let mut sorted: Vec<&LeadForm> = account.iter().collect();
        sorted.sort_by_key(|form| (form.created_at.time(), form.created_at.as_str(), &form.id));
        let mut forms = Vec::new();
        for form in sorted {
            let is_its = |(id, (path, file)): &(Option<FormId>, (PathBuf, FormFile))| {
                if options.portable {
                    // The file of an earlier pull, not that of the form of this account.
                    let is_beside = path.parent() == directory.form_path("").parent();
                    return title(file) == Some(&form.title) && file.form.id.is_none() && is_beside;
                }
                id.as_ref() == Some(&form.id)
            };
            let file = files.iter().position(is_its).map(|nth| files.remove(nth).1);
            let name = match &file {
                Some((_, file)) => file.form.name.clone(),
                None => {
                    let recorded = directory.recorded_name(&form.id).map(str::to_owned);
                    let recorded = recorded
                        .filter(|name| !options.portable && !taken.contains(&name.to_lowercase()));
                    recorded.unwrap_or_else(|| new_name(&form.title, &taken, directory))
                }
            };
            taken.insert(name.to_lowercase());
            known.add(&name, Some(form.id.clone()));
            let is_filed = file.is_some() && !options.portable;
            forms.push(LocalForm { form: form.clone(), name, file, is_filed });
        }
        Ok(Self { forms, channels })
    }

    /// Returns the local name of a form that has a file.
    pub(super) fn filed_name(&self, id: &str) -> Option<&str> {
        self.forms.iter().find(|it| it.form.id == id && it.is_filed).map(|it| it.name.as_str())
    }

    /// Returns the id of the form of a local name.
    pub(super) fn id(&self, name: &str) -> Option<&str> {
        self.forms.iter().find(|it| it.name == name).map(|it| it.form.id.as_str())
    }

    /// Returns the id of the form of a file that exists.
    pub(super) fn id_of_file(&self, file: &Path) -> Option<FormId> {
        let is_its = |it: &&LocalForm| it.file.as_ref().is_some_and(|(path, _)| path == file);
        self.forms.iter().find(is_its).map(|it| it.form.id.clone())
    }

    pub(super) fn ids(&self) -> Vec<FormId> {
        self.forms.iter().map(|it| it.form.id.clone()).collect()
    }

    /// Writes the file of a form, or takes over into the one that exists what differs.
    pub(super) fn write(
        &mut self,
        context: &Context,
        id: &str,
        directory: &mut PullDirectory,
        options: &PullOptions,
        report: &mut Report,
    ) -> Result<()> {
        let Some(nth) = self.forms.iter().position(|it| it.form.id == id) else { return Ok(()) };
        if options.portable && self.forms[nth].is_filed {
            return Ok(());
        }
        let LocalForm { form, name, .. } = &self.forms[nth];
        let (value, left_out) = holdable(self.value(form, name, options))?;
        let file = self.forms[nth].file.take();
        let LocalForm { form, name, .. } = &self.forms[nth];
        let (path, what, conflicts) = match file {
            Some((path, mut file)) if !options.portable => {
                // References that name no channel stay in `channels`: the list is replaced or marked.
                drop(file.resolve_channels(&self.channels));
                let value = (&value, &left_out[..]);
                let (what, conflicts) = update(context, &path, &file, form, value, options)?;
                (path, what, conflicts)
            }
            earlier => {
                let (text, replaces) = (yaml(&value)?, earlier.is_some() && options.force);
                let path = match earlier {
                    Some((path, _)) => path,
                    None => directory.new_form(name)?,
                };
                let is_same = named::read(&path).is_ok_and(|(_, now)| now == text.as_bytes());
                if !is_same {
                    write_file(&path, &text, replaces)?;
                }
                if !options.portable {
                    self.record(context, &path, text, form)?;
                }
                (path, if is_same { UNCHANGED } else { WRITTEN }.to_owned(), 0)
            }
        };
        let file = path.display().to_string();
        report.is_written |= what != UNCHANGED;
        report.say(match &*what {
            WRITTEN => format!("wrote {file} (form {name})"),
            what => format!("{file}: {what}"),
        });
        report.lines.extend(left_out_line(&format!("form {name}"), &left_out));
        report.conflicts += conflicts;
        let form = json!({ "file": file, "name": name, "id": id, "conflicts": conflicts });
        report.forms.push(form);
        self.forms[nth].is_filed = true;
        Ok(())
    }

    /// Records a file that says what its form holds.
    fn record(&self, context: &Context, path: &Path, text: String, form: &LeadForm) -> Result<()> {
        let Some(record) = SyncRecord::of(context, path)? else { return Ok(()) };
        let name = path.display().to_string();
        let mut file = FormFile::of(Document::from_bytes(&name, text.into_bytes())?)?;
        file.resolve_channels(&self.channels)?;
        record.rebuild_form(context, &file.form, form)
    }

    /// Returns a form as a form file has it, without empty fields.
    fn value(&self, form: &LeadForm, name: &str, options: &PullOptions) -> Map<String, Value> {
        let record = serde_json::to_value(form).unwrap_or_default();
        let held = |record: &Value, rules: &[FieldRule]| -> Map<String, Value> {
            let values = rules.iter().filter_map(|rule| Some((rule.name, record.get(rule.name)?)));
            let values = values.filter(|(_, value)| !value.is_null());
            values.map(|(name, value)| (name.to_owned(), value.clone())).collect()
        };
        let mut file = Map::new();
        file.insert(NAME.to_owned(), name.into());
        if !options.portable {
            file.insert(ID.to_owned(), form.id.clone().into());
        }
        file.extend(held(&record, FORM_FIELDS));
        let input = |field: &Value| {
            let mut input = held(field, INPUT_FIELDS);
            input.retain(|name, _| name != "key" || !options.portable);
            Value::Object(input)
        };
        if let Some(Value::Array(inputs)) = record.get(INPUTS) {
            file.insert(INPUTS.to_owned(), inputs.iter().map(input).collect());
        }
        if !options.portable {
            let channels = form.notification_channel_ids.iter();
            file.insert(CHANNELS.to_owned(), channels.map(|id| self.channel(*id)).collect());
        }
        file
    }

    /// Returns a channel by its label if no other channel has it, else by its id.
    fn channel(&self, id: ChannelId) -> Value {
        let label = |channel: &NotificationChannel| {
            channel.label.as_deref().unwrap_or_default().trim().to_owned()
        };
        let own = self.channels.iter().find(|it| it.id == id).map(label).unwrap_or_default();
        let is_only = self.channels.iter().filter(|it| label(it) == own).count() == 1;
        if is_only && !own.is_empty() { json!({ CHANNEL: own }) } else { id.into() }
    }
}

/// Returns a name made from the title that no other form has.
fn new_name(title: &str, taken: &BTreeSet<String>, directory: &mut PullDirectory) -> String {
    let name = local_name(title);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let is_free = |name: &String| {
        !taken.contains(&name.to_lowercase())
            && directory.recorded_form(name).is_none()
            && directory.is_free_form(name)
    };
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

/// Removes what no form file can hold, such as an empty label, and returns its names.
fn holdable(mut file: Map<String, Value>) -> Result<(Value, Vec<String>)> {
    let mut left_out = Vec::new();
    loop {
        let text = Value::Object(file.clone()).to_string();
        let document = Document::from_bytes("form", text.into_bytes())?;
        let Err(problems) = FormFile::of(document) else {
            return Ok((Value::Object(file), left_out));
        };
        let before = file.len();
        for (_, problem) in problems.places() {
            let name = problem.path.split('.').next().unwrap_or_default();
            if ![NAME, ID].contains(&name) && file.shift_remove(name).is_some() {
                left_out.push(name.to_owned());
            }
        }
        if file.len() == before {
            return Err(problems.into());
        }
    }
}

/// Takes over what others changed since the last sync. What both sides changed is marked, and without a record what differs, unless the form counts.
fn update(
    context: &Context,
    path: &Path,
    file: &FormFile,
    form: &LeadForm,
    (value, left_out): (&Value, &[String]),
    options: &PullOptions,
) -> Result<(String, usize)> {
    if !options.force {
        refuse_marks(&file.document)?;
    }
    let refused = |error: &dyn std::fmt::Display| {
        CommandError::invalid(format!("cannot update {}: {error}", path.display()))
    };
    let (said, live) = file.form.compared(form).map_err(|error| refused(&error))?;
    let record = SyncRecord::of(context, path)?;
    let known = record.as_ref().and_then(|record| record.form_base(&form.id, &said));
    let base = known.as_ref().filter(|_| !options.force);
    let left = left_out.iter().map(|key| (None, key.clone())).collect();
    let mut pull = Pull::new(base, &said, &live, &SlotTypes::default(), &left)
        .map_err(|error| refused(&error))?;
    let marked = pull.marks.iter().filter_map(|mark| match mark {
        ConflictMark::Value { key, .. } => Some(key.clone()),
        _ => None,
    });
    let mut marked: BTreeSet<String> = marked.collect();
    // Nothing says which channel a reference meant that names none now.
    let is_left = pull.fields.contains_key(CHANNELS) || left_out.iter().any(|it| it == CHANNELS);
    marked.extend((!file.channels.is_empty() && !is_left).then(|| CHANNELS.to_owned()));
    let in_file = |key: &str| value.get(key).cloned().unwrap_or_default();
    let mut set: Vec<String> = pull.fields.keys().cloned().collect();
    if options.force {
        set.extend(std::mem::take(&mut marked));
    }
    for key in set {
        // What a file says of a field of the form is less than what the form has.
        let (value, page) = (in_file(&key), ValueHash::of_option(live.fields.get(&key)));
        let file = if key == CHANNELS { page } else { ValueHash::of(&value) };
        pull.base.fields.insert(key.clone(), HashPair { file: Some(file), page });
        pull.fields.insert(key, value);
    }
    let mark = |key: String| ConflictMark::Value { item: None, page: in_file(&key), key };
    pull.marks = marked.into_iter().map(mark).collect();
    let text = String::from_utf8_lossy(&named::read(path)?.1).into_owned();
    // What was decided is about the text that was parsed.
    if text.trim_start_matches('\u{feff}') != file.document.text() {
        return Err(CommandError::changed(path.display()));
    }
    let unmarked = if options.force { without_marks(&text) } else { text.clone() };
    let patched = pulled_form_text(&pull, &unmarked, &file.document)?;
    replace(path, &text, &patched)?;
    if let Some(record) = record {
        record.put_form(context, (&file.form, form), (&said, &pull.base), &BTreeSet::new())?;
    }
    let what = match pull_summary(&pull) {
        what if what == UNCHANGED && patched != text => "conflict marks removed".to_owned(),
        what => what,
    };
    Ok((what, pull.marks.len()))
}
