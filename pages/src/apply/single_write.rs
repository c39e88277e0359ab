//! A single write: a command that changes one thing makes the plan of its one step, and sends that without a run over the page.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::batch_request::BatchCall;
use super::journal::{Journal, JournalEntry, RecordedPlan};
use super::page_fields::has_expired_mood;
use super::{
    JournalStore, Plan, PlanBatch, PlannedFields, RecordWrite, RunCommand, RunEnding, RunHeader,
    SlotTypes, page_fields,
};
use links_sdk::{
    Answer, Call, Error, IdempotencyKey, Object, Outcome, ProfileHandle, Slot, SlotId, Write,
};

/// A write of a command that needs no run: it takes as few requests as possible, locks no page, and never has to be continued.
///
/// Its plan, the replaced values and the result are in the journal, for `links log` and `links undo`. If the journal cannot be written, the
/// write continues, and [`close`](Self::close) returns the reason.
#[derive(Clone, Debug)]
pub struct SingleWrite(Arc<Mutex<Recording>>);

#[derive(Debug)]
struct Recording {
    /// Place and header of the journal, until it is begun.
    target: Option<(JournalStore, RunHeader)>,
    journal: Option<Journal>,
    error: Option<io::Error>,
    replaced: Option<PlannedFields>,
}

impl SingleWrite {
    /// Returns a write with a journal in this store. Without a store, it is not recorded.
    pub fn new(target: Option<(JournalStore, RunHeader)>) -> Self {
        let (journal, error, replaced) = (None, None, None);
        Self(Arc::new(Mutex::new(Recording { target, journal, error, replaced })))
    }

    /// Records the write under another command.
    #[must_use]
    pub fn record_as(self, command: RunCommand) -> Self {
        if let Some((_, header)) = &mut self.recording().target {
            header.command = command;
        }
        self
    }

    /// Sends a batch of a plan for the slots of a page, and records the plan with the first. `step` is the number of the batch, and `seen` are the
    /// slots of the page as it was read for the plan; none for a plan that was made without. Slots that others changed since are not written.
    /// Only a batch that updates or creates one slot, reorders the page, or deletes slots can be sent; others need a [run](super::Apply).
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Plan, SingleWrite};
    ///
    /// let cafe = client.profile("cafe");
    /// let plan = Plan::updating(1002.into(), [("title", "Menu")].into_iter().collect());
    /// assert_eq!(SingleWrite::new(None).send(&cafe, &plan, 0, &[], None).await?.status(), 200);
    /// let page = cafe.slots().list().await?;
    /// let plan = Plan::deleting(&page, &[page[0].id]);
    /// SingleWrite::new(None).send(&cafe, &plan, 0, &page, None).await?;
    /// assert_eq!(cafe.slots().list().await?.len(), 13);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the batch is refused, the slots were changed in between, or it is unknown whether it was executed.
    pub async fn send(
        &self,
        page: &ProfileHandle,
        plan: &Plan,
        step: usize,
        seen: &[Slot],
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, Error> {
        let batch = plan.batches().get(step).copied();
        let batch = batch.filter(|batch| match batch {
            PlanBatch::Update(updates) => updates.len() == 1,
            PlanBatch::Create(creates) => creates.len() == 1,
            PlanBatch::Reorder => plan.creates.is_empty(),
            PlanBatch::Delete(_) => true,
            PlanBatch::Fields(..) | PlanBatch::TryCreate(_) | PlanBatch::MakeRoom(_) => false,
        });
        let Some(batch) = batch else {
            return Err(Error::invalid(
                "updateSlots",
                "the batch is no single write; apply the plan",
            ));
        };
        let call = batch.call(page, plan.ordered(&BTreeMap::new()), Some(seen));
        if let (BatchCall::Write(call), [update]) = (&call, batch.updates()) {
            let (call, planned) = (call.clone(), plan.clone());
            let content = move |PlannedFields { before, .. }| {
                let mut plan = planned.clone();
                plan.updates.iter_mut().for_each(|update| update.before.clone_from(&before));
                plan_entry(plan)
            };
            return self
                .change(call, update.changed.clone(), "/data", Object::clone, content)
                .await;
        }
        self.begin(step, plan_entry(plan.clone()), seen);
        let (answer, made) = match call {
            BatchCall::Write(call) => (call.await, None),
            BatchCall::Create(call) => {
                let answer = match key {
                    Some(key) => call.with_idempotency_key(key).await,
                    None => call.await,
                };
                let slot = answer.as_ref().ok().and_then(record_in);
                (answer, slot.and_then(|slot| serde_json::from_value::<Slot>(slot).ok()))
            }
        };
        let created = made.iter().map(|slot| (0, slot.id)).collect();
        self.end(step, &answer, created, made.map(|slot| slot.data));
        answer
    }

    /// Sends a call that changes fields of a page, or its settings.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::SingleWrite;
    /// use links_sdk::{Object, ProfileChanges};
    ///
    /// let changed: Object = [("title", "Closed on Mondays")].into_iter().collect();
    /// let page = client.profile("cafe");
    /// let call = page.update_unchanged(None, ProfileChanges(changed.clone())).answer();
    /// SingleWrite::new(None).change_page(&changed, call).await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub async fn change_page(
        &self,
        changed: &Object,
        call: Call<Answer, Write>,
    ) -> Result<Answer, Error> {
        let plan = |fields| plan_entry(Plan { fields, ..Plan::default() });
        self.change(call, in_files(changed), "", in_files, plan).await
    }

    /// Sends a call that changes fields of a record other than a page.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::SingleWrite;
    /// use links_sdk::{FormChanges, Object};
    ///
    /// let form = client.forms().list().await?.items.remove(0);
    /// let changed: Object = [("title", "Write to us")].into_iter().collect();
    /// let call = client.form(form.id).update_unchanged(None, FormChanges(changed.clone())).answer();
    /// SingleWrite::new(None).change_record("updateForm", &changed, call).await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub async fn change_record(
        &self,
        operation: &'static str,
        changed: &Object,
        call: Call<Answer, Write>,
    ) -> Result<Answer, Error> {
        let record = |PlannedFields { changed, before }| {
            let operation = operation.to_owned();
            JournalEntry::Write(Box::new(RecordWrite { operation, changed, before }))
        };
        self.change(call, changed.clone(), "", Object::clone, record).await
    }

    /// Sends a write of a record other than a page whose replaced values are known. `shown` returns the record in the response.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{RecordWrite, SingleWrite};
    /// use links_sdk::NewProfile;
    ///
    /// let record = RecordWrite::creating("createProfile", [("login", "terrace")].into_iter().collect());
    /// let call = client.profiles().create(NewProfile::with_login("terrace"));
    /// let page = SingleWrite::new(None).write_record(record, call, |page| serde_json::to_value(page).ok()).await?;
    /// assert_eq!(page.login, "terrace");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub async fn write_record<T>(
        &self,
        write: RecordWrite,
        call: impl IntoFuture<Output = Result<T, Error>>,
        shown: impl FnOnce(&T) -> Option<Value>,
    ) -> Result<T, Error> {
        let is_create = write.operation.starts_with("create");
        let names = if is_create {
            [("id", Value::Null)].into_iter().collect()
        } else {
            write.changed.clone()
        };
        self.begin(0, JournalEntry::Write(Box::new(write)), &[]);
        let result = call.await;
        let record = result.as_ref().ok().and_then(shown);
        let record = record.and_then(|record| Object::try_from(record).ok());
        let stored = record.map(|record| sent_fields(record, &names));
        self.end(0, &result, BTreeMap::new(), stored);
        result
    }

    /// Sends a call that changes fields. The journal is begun with the values that it replaces, right before it is sent. `read` returns the
    /// fields in the form of `changed`, and `place` is where a record in a response has them.
    async fn change(
        &self,
        call: Call<Answer, Write>,
        changed: Object,
        place: &str,
        read: fn(&Object) -> Object,
        content: impl Fn(PlannedFields) -> JournalEntry + Send + Sync + 'static,
    ) -> Result<Answer, Error> {
        let (write, sent) = (self.clone(), changed.clone());
        let hear = move |held: &Object| {
            write.note_page(held);
            let replaced = PlannedFields::replacing(changed.clone(), &read(held));
            let mut entry = content(replaced.clone());
            if let JournalEntry::Plan(recorded) = &mut entry {
                recorded.had_expired_mood = has_expired_mood(held);
            }
            write.begin(0, entry, &[]);
            write.recording().replaced = Some(replaced);
        };
        let answer = call.before_write(hear).await;
        let record = answer.as_ref().ok().and_then(record_in);
        let stored = record.and_then(|record| {
            let fields = Object(record.pointer(place)?.as_object()?.clone());
            Some(sent_fields(read(&fields), &sent))
        });
        self.end(0, &answer, BTreeMap::new(), stored);
        answer
    }

    /// Notes the ID of the page of a command that names its login, which another page may have later.
    fn note_page(&self, record: &Object) {
        let id = record.get("id").and_then(Value::as_i64).filter(|_| record.contains_key("login"));
        if let (Some(id), Some((_, header))) = (id, &mut self.recording().target) {
            header.profile = id.into();
        }
    }

    /// Notes that a step's request is about to be sent. The journal is begun with the first, with what it writes and the slots `before`, if
    /// they were read: a request that is repeated sends the same.
    fn begin(&self, step: usize, entry: JournalEntry, before: &[Slot]) {
        let recording = &mut *self.recording();
        let Some((store, header)) = recording.target.take() else {
            if let Some(journal) = &mut recording.journal {
                // Its error is told when the journal is closed.
                let _ = journal.begin(step, None);
            }
            return;
        };
        let (before, types) = ((!before.is_empty()).then_some(before), SlotTypes::default());
        let content = |journal: &mut Journal| {
            journal.append(entry)?;
            journal.begin(step, None)
        };
        match store.open(None, header, before, &types, content) {
            Ok(journal) => recording.journal = Some(journal),
            Err(error) => recording.error = Some(error),
        }
    }

    /// Notes the result of a step.
    fn end<T>(
        &self,
        step: usize,
        result: &Result<T, Error>,
        created: BTreeMap<usize, SlotId>,
        stored: Option<Object>,
    ) {
        let Some(journal) = &mut self.recording().journal else { return };
        let batch = journal.log.batch(step);
        let is_create = matches!(batch, Some(PlanBatch::Create(_)));
        let deleted = batch.map_or(0, |batch| batch.deletes().len());
        match result.as_ref().map_err(Error::outcome) {
            Ok(_) => journal.end(step, created, deleted, stored),
            Err(Outcome::Executed) if !is_create => journal.end(step, created, deleted, None),
            Err(outcome) => journal.failed(step, outcome),
        }
    }

    /// Returns the replaced values and the new values, after they were read.
    pub fn replaced(&self) -> Option<PlannedFields> {
        self.recording().replaced.clone()
    }

    /// Closes the journal. Returns the reason if it could not be written.
    pub fn close(&self, is_complete: bool) -> Option<io::Error> {
        let recording = &mut *self.recording();
        recording.close(is_complete);
        recording.error.take()
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    /// Ends the journal. It stays open while it is unknown whether the last request was executed.
    fn close(&mut self, is_complete: bool) {
        let Some(mut journal) = self.journal.take() else { return };
        if !journal.log.is_unsettled() {
            match (is_complete, journal.log.has_effect()) {
                (true, _) => journal.commit(journal.log.slots),
                (false, true) => journal.close(RunEnding::Stopped),
                (false, false) => journal.close(RunEnding::Refused),
            }
        }
        self.error = journal.write_error.or_else(|| self.error.take());
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.close(false);
    }
}

fn plan_entry(plan: Plan) -> JournalEntry {
    JournalEntry::Plan(Box::new(RecordedPlan { plan, ..RecordedPlan::default() }))
}

/// Returns the record in a response.
pub fn record_in(answer: &Answer) -> Option<Value> {
    let mut body: Value = serde_json::from_slice(answer.body()).ok()?;
    Some(body.get_mut("data")?.take())
}

/// Returns fields of a page's record as files have them, with those that files do not have. No field becomes another one, because one
/// request is one step of the plan.
fn in_files(record: &Object) -> Object {
    let mut fields = record.clone();
    let known = page_fields(record).0.into_iter();
    fields.extend(known.filter(|(name, _)| record.contains_key(name)));
    fields
}

/// Returns what a record holds now for the fields that were sent.
fn sent_fields(mut record: Object, sent: &Object) -> Object {
    record.retain(|key, _| sent.contains_key(key));
    record
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use links_sdk::ErrorKind;
    use links_sdk::testing::FailedCall;

    use super::*;
    use crate::apply::RunState;

    fn write_into(store: &JournalStore) -> SingleWrite {
        let (command, page) = (RunCommand::default(), (7, "cafe"));
        let header = RunHeader::of_command("service", command, page, SystemTime::UNIX_EPOCH);
        SingleWrite::new(Some((store.clone(), header)))
    }

    fn begin(write: &SingleWrite) {
        let record = RecordWrite { operation: "updateForm".to_owned(), ..RecordWrite::default() };
        write.begin(0, JournalEntry::Write(Box::new(record)), &[]);
    }

    #[test]
    fn a_journal_that_cannot_say_that_something_was_sent_is_removed() {
        let state = tempfile::tempdir().unwrap();
        let store = JournalStore::of_commands(state.path(), "service");
        let (command, page) = (RunCommand::default(), (7, "cafe"));
        let header = RunHeader::of_command("service", command, page, SystemTime::UNIX_EPOCH);
        let types = SlotTypes::default();
        let full = || Err(io::ErrorKind::StorageFull.into());
        store.open(None, header, None, &types, |_| full()).unwrap_err();
        assert!(store.list().unwrap().is_empty());
    }

    #[test]
    fn a_step_that_could_not_be_recorded_is_reported_after_later_ones() {
        let state = tempfile::tempdir().unwrap();
        let write = write_into(&JournalStore::of_commands(state.path(), "service"));
        begin(&write);
        write.recording().error = Some(io::ErrorKind::StorageFull.into());
        write.begin(1, plan_entry(Plan::default()), &[]);
        assert_eq!(write.close(true).unwrap().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn what_became_of_a_request_is_what_the_journal_says() {
        let state = tempfile::tempdir().unwrap();
        let store = JournalStore::of_commands(state.path(), "service");
        for (outcome, state, is_written, is_unsettled) in [
            (None, RunState::Done, true, false),
            (Some(Outcome::Executed), RunState::Done, true, false),
            (Some(Outcome::NotExecuted), RunState::Ended(RunEnding::Refused), false, false),
            (Some(Outcome::Unknown), RunState::Unfinished, false, true),
        ] {
            let write = write_into(&store);
            begin(&write);
            let failed = |outcome| FailedCall::new(ErrorKind::Network).outcome(outcome).into();
            let result: Result<(), Error> = outcome.map_or(Ok(()), |it| Err(failed(it)));
            write.end(0, &result, BTreeMap::new(), None);
            write.close(outcome.is_none_or(|outcome| outcome == Outcome::Executed));
            let recorded = store.list().unwrap().pop().unwrap();
            let log = recorded.log.unwrap();
            assert_eq!(log.state, state, "{outcome:?}");
            assert_eq!((log.is_written, log.is_unsettled()), (is_written, is_unsettled));
            assert_eq!(log.has_effect(), is_written || is_unsettled);
        }
        let open = store.list().unwrap().pop().unwrap().run;
        let old = store.old(0, None, false, |_| true).unwrap();
        assert_eq!(old.len(), 3);
        store.remove_runs(&old).unwrap();
        store.abort(None, &open).unwrap();
        let log = store.list().unwrap().pop().unwrap().log.unwrap();
        assert!(log.is_unsettled() && log.state == RunState::Ended(RunEnding::Aborted));
        assert_eq!(store.old(0, None, false, |_| true).unwrap(), [open]);
    }
}
