//! Recorder of a command that writes without a run of `apply`.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use links_pages::apply::{
    CommandJournal, CommandWrites, JournalStore, Plan, PlannedFields, PlannedUpdate, RecordWrite,
    RunHeader, SlotTypes, page_fields,
};
use links_sdk::types::LeadForm;
use links_sdk::{Answer, Error, Object, ProfileId, ProfileKey, Slot, SlotId};
use serde_json::Value;

use super::{command, service};
use crate::context::{Context, clock};
use crate::output::{Style, StyledLine};
use crate::ui::plan::value_lines;

/// Recorder of one command's writes. It records nothing where no state can be stored. In a dry run it shows the values that would change.
///
/// A journal that cannot be written does not stop the command: [`finish`](Self::finish) says so.
#[derive(Clone)]
pub(crate) struct CommandRecorder(Arc<Mutex<Recording>>);

struct Recording {
    /// Place and header of the journal, until it is begun.
    target: Option<(JournalStore, RunHeader)>,
    journal: Option<CommandJournal>,
    error: Option<io::Error>,
    /// Lines about the changes of a dry run.
    changes: Vec<StyledLine>,
}

impl CommandRecorder {
    /// Returns the recorder of a command that writes a page.
    pub(crate) fn of_page(context: &Context, name: &str, key: &ProfileKey) -> Self {
        let id = if let ProfileKey::Id(id) = key { *id } else { ProfileId::default() };
        Self::of(context, name, id, &key.to_string(), None)
    }

    /// Returns the recorder of a command that writes a page whose id and login are known.
    pub(crate) fn of_known_page(context: &Context, name: &str, id: ProfileId, login: &str) -> Self {
        Self::of(context, name, id, login, None)
    }

    /// Returns the recorder of a command that writes a form.
    pub(crate) fn of_form(context: &Context, name: &str, id: &str) -> Self {
        Self::of(context, name, ProfileId::default(), id, Some(id.to_owned()))
    }

    /// Returns the recorder of a command that makes something new of this name.
    pub(crate) fn of_new(context: &Context, name: &str, title: &str) -> Self {
        Self::of(context, name, ProfileId::default(), title, None)
    }

    fn of(context: &Context, name: &str, id: ProfileId, login: &str, form: Option<String>) -> Self {
        let place = service(context).zip(context.settings.state_directory());
        let target = place.filter(|_| context.dry_run().is_none()).map(|(service, state)| {
            let store = JournalStore::of_commands(&state, &service);
            let command = command(context, name);
            let header = RunHeader::of_command(service, command, (id, login), clock().wall())
                .with_owner(context.owner())
                .with_form(form);
            (store, header)
        });
        let (journal, error, changes) = (None, None, Vec::new());
        Self(Arc::new(Mutex::new(Recording { target, journal, error, changes })))
    }

    /// Records the command that this one undoes.
    pub(crate) fn undoing(self, run: &str) -> Self {
        if let Some((_, header)) = &mut self.recording().target
            && let Some(command) = &mut header.command
        {
            command.undoes = Some(run.to_owned());
        }
        self
    }

    /// Records what is about to be sent for slots. `before` are the slots of the page that were read.
    pub(crate) fn plan(&self, plan: &Plan, before: &[Slot]) {
        self.recording().open(CommandWrites::Slots(plan), before);
    }

    /// Records what is about to be sent for another record.
    pub(crate) fn record(&self, write: &RecordWrite) {
        self.recording().open(CommandWrites::Record(write), &[]);
    }

    /// Returns the callback that records a change of a slot with the values that it replaces, right before it is sent.
    pub(crate) fn slot_update(
        &self,
        id: SlotId,
        changed: Object,
    ) -> impl Fn(&Object) + Send + Sync + 'static {
        let recorder = self.clone();
        move |held| {
            let before = before(held, &changed);
            recorder.recording().changes = value_lines(&before, changed.iter());
            let (kind, label) = (String::new(), None);
            let update =
                PlannedUpdate { id, index: 0, kind, label, changed: changed.clone(), before };
            recorder.plan(&Plan { updates: vec![update], items: 1, ..Plan::default() }, &[]);
            recorder.begin(0);
        }
    }

    /// Returns the callback that records a change of profile fields with the values that it replaces, right before it is sent.
    pub(crate) fn fields_update(
        &self,
        changed: &Object,
    ) -> impl Fn(&Object) + Send + Sync + 'static {
        let (recorder, changed) = (self.clone(), in_files(changed));
        move |held| {
            let before = before(&in_files(held), &changed);
            recorder.recording().changes = value_lines(&before, changed.iter());
            let fields = PlannedFields { changed: changed.clone(), before };
            recorder.plan(&Plan { fields, ..Plan::default() }, &[]);
            recorder.begin(0);
        }
    }

    /// Returns the callback that records a change of another record with the values that it replaces, right before it is sent.
    pub(crate) fn record_update(
        &self,
        operation: &str,
        changed: Object,
    ) -> impl Fn(&Object) + Send + Sync + 'static {
        let (recorder, operation) = (self.clone(), operation.to_owned());
        move |held| {
            let before = before(held, &changed);
            let (operation, changed) = (operation.clone(), changed.clone());
            recorder.record(&RecordWrite { operation, changed, before });
            recorder.begin(0);
        }
    }

    /// Notes that a step's request is about to be sent.
    pub(crate) fn begin(&self, step: usize) {
        if let Some(journal) = &mut self.recording().journal {
            journal.begin(step);
        }
    }

    /// Notes the result of a step that changes a record or deletes slots.
    pub(crate) fn ended<T>(&self, step: usize, deleted: usize, result: &Result<T, Error>) {
        self.end(step, BTreeMap::new(), deleted, None, result);
    }

    /// Notes the result of a step whose answer shows the record as it is now. `data` returns its values under the names that were sent.
    pub(crate) fn stored(
        &self,
        step: usize,
        result: &Result<Answer, Error>,
        data: impl FnOnce(&mut Value) -> Option<Object>,
    ) {
        let answered = result.as_ref().ok().and_then(|answer| {
            let mut body: Value = serde_json::from_slice(answer.body()).ok()?;
            data(&mut body["data"])
        });
        self.end(step, BTreeMap::new(), 0, answered, result);
    }

    /// Notes the result of a write of a form.
    pub(crate) fn stored_form(&self, step: usize, result: &Result<LeadForm, Error>, sent: &Object) {
        let form = result.as_ref().ok().and_then(|form| serde_json::to_value(form).ok());
        let is_new = self.is_create();
        let stored =
            form.and_then(
                |mut form| {
                    if is_new { identity(&mut form, "id") } else { sent_fields(form, sent) }
                },
            );
        self.end(step, BTreeMap::new(), 0, stored, result);
    }

    fn is_create(&self) -> bool {
        let recording = self.recording();
        let write = recording.journal.as_ref().and_then(|it| it.entries().record_write().cloned());
        write.is_some_and(|write| write.operation == "createForm")
    }

    /// Notes the result of the create of one slot.
    pub(crate) fn created(&self, step: usize, result: &Result<Answer, Error>) {
        let slot = result.as_ref().ok().and_then(|answer| {
            let mut body: Value = serde_json::from_slice(answer.body()).ok()?;
            serde_json::from_value::<Slot>(body["data"].take()).ok()
        });
        let created = slot.as_ref().map(|slot| (0, slot.id)).into_iter().collect();
        self.end(step, created, 0, slot.map(|slot| slot.data), result);
    }

    fn end<T>(
        &self,
        step: usize,
        created: BTreeMap<usize, SlotId>,
        deleted: usize,
        stored: Option<Object>,
        result: &Result<T, Error>,
    ) {
        let Some(journal) = &mut self.recording().journal else { return };
        match result {
            Ok(_) => journal.end(step, created, deleted, stored),
            Err(error) => journal.failed(step, error.outcome()),
        }
    }

    /// Ends the journal, and says if it could not be written. A dry run shows what it would change.
    pub(crate) fn finish(&self, context: &Context, is_complete: bool) {
        let recording = &mut *self.recording();
        let ui = &context.ui;
        if context.dry_run().is_some() {
            recording.changes.iter().for_each(|line| ui.say(line));
        }
        recording.close(is_complete);
        let error = recording.error.take().map(|error| error.to_string());
        if let Some(error) = error {
            let text = format!(
                "this command is not in `links log`, and cannot be undone: the journal cannot be written: {error}"
            );
            ui.say(&StyledLine::new(Style::Changed, text));
        }
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    /// Begins the journal, once: a repeated request sends the same.
    fn open(&mut self, writes: CommandWrites<'_>, before: &[Slot]) {
        let Some((store, header)) = self.target.take() else { return };
        match store.begin_command(header, writes, before, &SlotTypes::default()) {
            Ok(journal) => self.journal = Some(journal),
            Err(error) => self.error = Some(error),
        }
    }

    fn close(&mut self, is_complete: bool) {
        let Some(mut journal) = self.journal.take() else { return };
        journal.close(is_complete);
        if let Some(error) = journal.write_error() {
            self.error = Some(io::Error::new(error.kind(), error.to_string()));
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.close(false);
    }
}

fn before(held: &Object, changed: &Object) -> Object {
    changed.keys().filter_map(|key| Some((key.clone(), held.get(key)?.clone()))).collect()
}

/// Returns fields of a page's record as files have them, with those that files do not have.
fn in_files(record: &Object) -> Object {
    let mut fields = record.clone();
    let known = page_fields(record);
    if known.contains_key("languageCode") {
        fields.remove("languageId");
    }
    fields.extend(known.0);
    fields
}

/// Returns what a record holds now for the fields that were sent.
pub(crate) fn sent_fields(record: Value, sent: &Object) -> Option<Object> {
    let Value::Object(record) = record else { return None };
    Some(record.into_iter().filter(|(key, _)| sent.contains_key(key)).collect())
}

/// Returns what a page holds now for the fields that were sent, as files have them.
pub(crate) fn sent_page_fields(record: Value, sent: &Object) -> Option<Object> {
    let Value::Object(record) = record else { return None };
    let sent = in_files(sent);
    let fields = in_files(&record.into());
    Some(fields.0.into_iter().filter(|(key, _)| sent.contains_key(key)).collect())
}

/// Returns the id of a record that was created.
pub(crate) fn identity(record: &mut Value, name: &str) -> Option<Object> {
    Some([(name, record.get_mut(name)?.take())].into_iter().collect())
}
