//! Forms of the account as form files: their local names, new files, and files that exist.

use std::fs;

use links_pages::account::{DesiredForm, FormPlan};
use links_pages::apply::SlotTypes;
use links_pages::sync::{ConflictMark, HashPair, Pull, ValueHash};
use links_sdk::types::NotificationChannel;
use links_sdk::{ChannelId, FormId};

use super::existing_file::{changed, not_written, replace};
use super::file_name::local_name;
use super::place::{PullDirectory, PullOptions};
use super::report::{Report, left_out_line};
use crate::account::form_finder::form_ids;
use crate::apply::known_forms::KnownForms;
use crate::apply::sync::FormSync;
use crate::context::prelude::*;
use crate::output::yaml;
use links_pages::form_file::FormFile;
use links_pages::form_file::{CHANNEL, CHANNELS, FORM_FIELDS, ID, INPUT_FIELDS, INPUTS, NAME};
use links_pages::page_file::Document;
use links_pages::page_file::patch::{
    Edit, MarkedConflict, PatchError, Path, patch, refuse_marks, without_marks,
};

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
        let mut files = std::mem::take(&mut directory.forms);
        let needs_channels = !options.portable
            && (account.iter().any(|form| !form.notification_channel_ids.is_empty())
                || files.iter().any(|(_, file)| !file.channels.is_empty()));
        let channels =
            if needs_channels { client.notification_channels().await?.items } else { Vec::new() };
        let mut ids = if options.portable {
            vec![None; files.len()]
        } else {
            form_ids(context, &files, &account)?
        };
        let mut taken: BTreeSet<String> =
            files.iter().map(|(_, file)| file.form.name.to_lowercase()).collect();
        let mut sorted: Vec<&LeadForm> = account.iter().collect();
        sorted.sort_by_key(|form| (form.created_at.time(), form.created_at.as_str(), &form.id));
        let mut forms = Vec::new();
        for form in sorted {
            let is_its = |(id, (path, file)): (&Option<FormId>, &(PathBuf, FormFile))| {
                if options.portable {
                    // The file of an earlier pull, not that of the form of this account.
                    let title = file.form.fields.get("title").and_then(Value::as_str);
                    let is_beside = path.parent() == directory.form_path("").parent();
                    return title == Some(&form.title) && file.form.id.is_none() && is_beside;
                }
                id.as_ref() == Some(&form.id)
            };
            let nth = ids.iter().zip(&files).position(is_its);
            let file = nth.map(|nth| {
                ids.remove(nth);
                files.remove(nth)
            });
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
            known.add(&name, Some(form.id.to_string()));
            let is_filed = file.is_some() && !options.portable;
            forms.push(LocalForm { form: form.clone(), name, file, is_filed });
        }
        Ok(Self { forms, channels })
    }

    /// Tells whether a form has a local name.
    pub(super) fn has(&self, id: &str) -> bool {
        self.forms.iter().any(|it| it.form.id == id)
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
    pub(super) fn id_of_file(&self, file: &std::path::Path) -> Option<FormId> {
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
        let name = self.forms[nth].name.clone();
        let value = self.value(&self.forms[nth].form, &name, options);
        let (value, left_out) = holdable(value)?;
        let (path, what, conflicts) = match self.forms[nth].file.take() {
            Some((path, _)) if options.portable => {
                let what = replace_portable(&path, &yaml(&value)?, options)?;
                (path, what.to_owned(), 0)
            }
            Some((path, mut file)) => {
                // References that name no channel stay in `channels`: the list is replaced or marked.
                drop(file.resolve_channels(&self.channels));
                let form = &self.forms[nth].form;
                let value = (&value, &left_out[..]);
                let (what, conflicts) = update(context, &path, &file, form, value, options)?;
                (path, what, conflicts)
            }
            None => {
                let text = yaml(&value)?;
                let path = directory.new_form(&name).ok_or_else(|| {
                    let message = format!(
                        "the file for form {name} already exists; the form was not written"
                    );
                    CommandError::refused(message).with_hint("move or delete the file")
                })?;
                if let Some(parent) = path.parent() {
                    let created = named::resolve(parent).and_then(fs::create_dir_all);
                    created.map_err(|error| not_written(&path, &error))?;
                }
                atomic::write(&path, &text, false).map_err(|error| not_written(&path, &error))?;
                if !options.portable {
                    self.begin(context, &path, text, &self.forms[nth].form)?;
                }
                (path, WRITTEN.to_owned(), 0)
            }
        };
        self.forms[nth].is_filed = true;
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
        Ok(())
    }

    /// Records a file that says what its form holds.
    fn begin(
        &self,
        context: &Context,
        path: &std::path::Path,
        text: String,
        form: &LeadForm,
    ) -> Result<()> {
        let Some(record) = FormSync::of(context, path)? else { return Ok(()) };
        let name = path.display().to_string();
        let mut file = FormFile::of(Document::from_bytes(&name, text.into_bytes())?)?;
        file.resolve_channels(&self.channels)?;
        record.begin(context, &file.form, form)
    }

    /// Returns a form as a form file has it, without empty fields.
    fn value(&self, form: &LeadForm, name: &str, options: &PullOptions) -> Map<String, Value> {
        let record = serde_json::to_value(form).unwrap_or_default();
        let mut file = Map::new();
        file.insert(NAME.to_owned(), name.into());
        if !options.portable {
            file.insert(ID.to_owned(), form.id.clone().into());
        }
        for rule in FORM_FIELDS {
            if let Some(value) = record.get(rule.name).filter(|value| !value.is_null()) {
                file.insert(rule.name.to_owned(), value.clone());
            }
        }
        let input = |field: &Value| {
            let known = INPUT_FIELDS.iter().filter(|rule| rule.name != "key" || !options.portable);
            let value = |name: &str| field.get(name).filter(|value| !value.is_null()).cloned();
            known
                .filter_map(|rule| Some((rule.name.to_owned(), value(rule.name)?)))
                .collect::<Map<_, _>>()
        };
        if let Some(Value::Array(inputs)) = record.get(INPUTS) {
            file.insert(INPUTS.to_owned(), inputs.iter().map(input).map(Value::Object).collect());
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
            channel.label.as_deref().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned)
        };
        let own = self.channels.iter().find(|it| it.id == id).and_then(label);
        let same = |own: &String| {
            self.channels.iter().filter(|it| label(it).as_ref() == Some(own)).count()
        };
        match own.filter(|own| same(own) == 1) {
            Some(own) => json!({ CHANNEL: own }),
            None => id.into(),
        }
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
        let names: BTreeSet<String> = problems
            .places()
            .map(|(_, problem)| problem.path.split('.').next().unwrap_or_default().to_owned())
            .filter(|name| ![NAME, ID].contains(&name.as_str()))
            .collect();
        for name in names {
            if file.shift_remove(&name).is_some() {
                left_out.push(name);
            }
        }
        if file.len() == before {
            return Err(problems.into());
        }
    }
}

/// Writes a portable form to a file that is there, unless it says the same.
fn replace_portable(
    path: &std::path::Path,
    text: &str,
    options: &PullOptions,
) -> Result<&'static str> {
    if named::read(path).is_ok_and(|(_, now)| now == text.as_bytes()) {
        return Ok(UNCHANGED);
    }
    atomic::write(path, text, options.force).map_err(|error| not_written(path, &error))?;
    Ok(WRITTEN)
}

/// Takes over what others changed since the last sync. What both sides changed is marked, and without a record what differs, unless the form counts.
fn update(
    context: &Context,
    path: &std::path::Path,
    file: &FormFile,
    form: &LeadForm,
    (value, left_out): (&Value, &[String]),
    options: &PullOptions,
) -> Result<(String, usize)> {
    if !options.force {
        refuse_marks(&file.document)?;
    }
    let desired = DesiredForm { id: Some(form.id.clone()), ..file.form.clone() };
    let refused = |error: &dyn std::fmt::Display| {
        CommandError::invalid(format!("cannot update {}: {error}", path.display()))
    };
    FormPlan::new(&desired, std::slice::from_ref(form), None, &BTreeSet::new())
        .map_err(|error| refused(&error))?;
    let (said, live) = desired.compared(form);
    let record = FormSync::of(context, path)?;
    let known = record.as_ref().and_then(|record| record.base(&form.id, &said));
    let base = known.as_ref().filter(|_| !options.force);
    let mut pull =
        Pull::new(base, &said, &live, &SlotTypes::default()).map_err(|error| refused(&error))?;
    for key in left_out {
        pull.leave_out(base, key);
    }
    let (mut edits, mut set) = (Vec::new(), Vec::new());
    let place = |key: &str| (Path::root().key(key), value.get(key).cloned().unwrap_or_default());
    for key in pull.fields.keys() {
        let (path, value) = place(key);
        edits.push(Edit::Set { path, value });
        set.push(key.clone());
    }
    let marked = pull.marks.iter().filter_map(|mark| match mark {
        ConflictMark::Field { key, .. } => Some(key.as_str()),
        _ => None,
    });
    let mut marked: Vec<&str> = marked.collect();
    // Nothing says which channel a reference meant that names none now.
    let is_unclear = !file.channels.is_empty() && !left_out.iter().any(|it| it == CHANNELS);
    if is_unclear && !pull.fields.contains_key(CHANNELS) && !marked.contains(&CHANNELS) {
        marked.push(CHANNELS);
    }
    for key in marked {
        let (path, value) = place(key);
        if options.force {
            set.push(key.to_owned());
            edits.push(Edit::Set { path, value });
        } else {
            edits.push(Edit::Mark { path, conflict: MarkedConflict::Differs(value) });
        }
    }
    let text = String::from_utf8_lossy(&named::read(path)?.1).into_owned();
    // What was decided is about the text that was parsed.
    if text.trim_start_matches('\u{feff}') != file.document.text() {
        return Err(changed(path));
    }
    let unmarked = if options.force { without_marks(&text) } else { text.clone() };
    let patched = patch(&unmarked, &edits).map_err(|error| {
        let exit = match error {
            PatchError::NotMarkable { .. } => Exit::Conflict,
            _ => Exit::Refused,
        };
        CommandError::new(exit, format!("cannot update {}: {error}", path.display()))
            .with_hint("use --force to use the form's values")
    })?;
    if patched != text {
        replace(path, &text, &patched)?;
    }
    if let Some(record) = record {
        let (name, none) = (&desired.name, BTreeSet::new());
        let mut next = pull.base;
        for key in set.iter().cloned() {
            // What a file says of a field of the form is less than what the form has.
            let page = ValueHash::of_option(live.fields.get(&key));
            let file = if key == CHANNELS { page } else { ValueHash::of_option(value.get(&key)) };
            next.fields.insert(key, HashPair { file: Some(file), page });
        }
        record.put(context, name, &form.id, (&said, &next), &none)?;
    }
    let (taken, mut parts) = (set.len(), Vec::new());
    let marks = edits.len() - taken;
    match taken {
        0 if patched == text => {}
        0 if options.force => parts.push("conflict marks removed".to_owned()),
        0 => {}
        values => parts.push(format!("{} merged", count(values, "change"))),
    }
    if marks > 0 {
        parts.push(format!("{} marked", count(marks, "conflict")));
    }
    let what = if parts.is_empty() { UNCHANGED.to_owned() } else { parts.join(", ") };
    Ok((what, marks))
}
