//! Entries of a journal, and the state of the run that they add up to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::entry::{FORMAT, JournalEntry, RecordWrite, RunEnding, RunHeader};
use super::settle::created_slots;
use crate::apply::plan::PlanBatch;
use crate::apply::{
    AppliedChanges, FieldsRequest, Plan, PlannedCreate, PlannedDelete, PlannedFields, PlannedUpdate,
};
use links_sdk::SlotId;
use links_sdk::{Object, Slot};

/// Entries of a run's journal, added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalEntries {
    run: String,
    opening: RunHeader,
    plans: usize,
    current: Option<CurrentPlan>,
    begun: Option<BegunStep>,
    done: AppliedChanges,
    confirmed_deletes: BTreeSet<SlotId>,
    deletes: Vec<PlannedDelete>,
    fields: Vec<(FieldsRequest, PlannedFields)>,
    updates: Vec<PlannedUpdate>,
    creates: Vec<PlannedCreate>,
    write: Option<RecordWrite>,
    stored: Option<Object>,
    is_written: bool,
    /// Updates of earlier plans of which it is unknown whether they were executed.
    doubtful: Vec<PlannedUpdate>,
    state: RunState,
    slots: usize,
}

/// State of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RunState {
    /// The run did not end: a crash, a failure, Ctrl-C.
    #[default]
    Unfinished,
    /// The page matches the file.
    Done,
    /// The run ended otherwise.
    Ended(RunEnding),
}

/// Reasons why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The journal cannot be read or written.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// A line other than the last one is damaged.
    #[error("line {0} is damaged")]
    Damaged(usize),
    /// A newer version of this program wrote it.
    #[error("it was written by a newer version (format {0}, this one reads up to {FORMAT})")]
    Newer(u32),
    /// The journal is missing, or even its first line is incomplete: nothing was written to the page.
    #[error("the run did not begin")]
    NotBegun,
    /// The journal could not be used, and the run was abandoned.
    #[error("it was set aside")]
    PutAside,
}

impl JournalError {
    /// Returns whether the run may have been stopped in the middle, so that no other run may begin before it is abandoned.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::NotBegun | Self::PutAside)
    }
}

/// The latest plan of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CurrentPlan {
    pub(super) plan: Plan,
    pub(super) keys: BTreeMap<usize, String>,
    pub(super) time: u64,
}

/// Step that began and whose end is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BegunStep {
    pub(super) step: usize,
    pub(super) key: Option<String>,
}

impl JournalEntries {
    /// Reads a journal. Also returns the number of bytes in its complete lines.
    ///
    /// An incomplete last line counts as not written: a step that it announces was not begun yet, and a step that it reports shows on the
    /// page.
    pub(crate) fn read(run: &str, bytes: &[u8]) -> Result<(Self, usize), JournalError> {
        let mut log: Option<Self> = None;
        let mut whole = 0;
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        if let Some(format) = lines.first().and_then(|line| newer(line)) {
            return Err(JournalError::Newer(format));
        }
        for (nth, line) in lines.iter().enumerate() {
            let entry = match serde_json::from_slice::<JournalEntry>(line) {
                Ok(entry) if line.ends_with(b"\n") => entry,
                _ if nth + 1 == lines.len() => break,
                _ => return Err(JournalError::Damaged(nth + 1)),
            };
            match (&mut log, entry) {
                (None, JournalEntry::Open(opening)) => log = Some(Self::new(run, *opening)),
                (Some(log), entry) if log.fits(&entry) => log.take(entry),
                _ => return Err(JournalError::Damaged(nth + 1)),
            }
            whole += line.len();
        }
        log.map(|log| (log, whole)).ok_or(JournalError::NotBegun)
    }

    pub(super) fn new(run: &str, opening: RunHeader) -> Self {
        let slots = opening.slots;
        Self { run: run.to_owned(), slots, opening, ..Self::default() }
    }

    /// Returns whether an entry can follow: no second header, no step that the plan does not have.
    fn fits(&self, entry: &JournalEntry) -> bool {
        match entry {
            JournalEntry::Open(_) => false,
            JournalEntry::Begin { step, .. }
            | JournalEntry::End { step, .. }
            | JournalEntry::Refused { step }
            | JournalEntry::Unknown { step } => {
                self.batch(*step).is_some() || (*step == 0 && self.write.is_some())
            }
            JournalEntry::Write(_) => self.current.is_none() && self.write.is_none(),
            JournalEntry::Plan { .. }
            | JournalEntry::Commit { .. }
            | JournalEntry::Close { .. } => true,
        }
    }

    /// Adds an entry.
    pub(super) fn take(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Open(_) | JournalEntry::Unknown { .. } => {}
            JournalEntry::Plan { time, keys, plan } => {
                self.plans += 1;
                self.doubtful = self.doubtful_updates();
                self.confirmed_deletes.extend(plan.deletes.iter().map(|delete| delete.id));
                self.current = Some(CurrentPlan { plan: *plan, keys, time });
                self.begun = None;
            }
            JournalEntry::Write(write) => self.write = Some(*write),
            JournalEntry::Begin { step, key } => self.begun = Some(BegunStep { step, key }),
            JournalEntry::Refused { .. } => self.begun = None,
            JournalEntry::End { step, created, deleted, stored } => {
                self.begun = None;
                self.stored = stored;
                if self.write.is_some() {
                    self.is_written = true;
                } else {
                    self.carried_out(step, created, deleted);
                }
            }
            JournalEntry::Commit { slots } => {
                self.slots = slots;
                self.state = RunState::Done;
                self.begun = None;
            }
            JournalEntry::Close { ending } => self.state = RunState::Ended(ending),
        }
    }

    fn carried_out(&mut self, step: usize, created: BTreeMap<usize, SlotId>, deleted: usize) {
        let Some(batch) = self.batch(step) else { return };
        match batch {
            PlanBatch::Fields(request, fields) => {
                let fields = fields.clone();
                let names: Vec<String> = fields.of(request).map(|(name, _)| name.clone()).collect();
                self.fields.push((request, fields));
                self.done.fields.extend(names);
            }
            PlanBatch::Update(updates) => {
                let updates = updates.to_vec();
                self.done.updated += updates.len();
                self.updates.extend(updates);
            }
            PlanBatch::Create(creates) => {
                let creates = creates.to_vec();
                self.done.created.extend(created);
                self.creates.extend(creates);
            }
            PlanBatch::Reorder => self.done.reordered = true,
            PlanBatch::MakeRoom(batch) | PlanBatch::Delete(batch) => {
                let gone = batch.to_vec();
                self.done.deleted += deleted;
                self.deletes.extend(gone);
            }
            PlanBatch::TryCreate(_) => {}
        }
    }

    /// Returns a request of the current plan.
    pub(in crate::apply) fn batch(&self, step: usize) -> Option<PlanBatch<'_>> {
        self.current.as_ref()?.plan.batches().get(step).copied()
    }

    /// Returns the latest plan.
    pub(super) fn current(&self) -> Option<&CurrentPlan> {
        self.current.as_ref()
    }

    pub(super) fn begun(&self) -> Option<&BegunStep> {
        self.begun.as_ref()
    }

    /// Returns the number of plans.
    pub(super) fn plans(&self) -> usize {
        self.plans
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the header of the run.
    pub fn opening(&self) -> &RunHeader {
        &self.opening
    }

    /// Returns the state of the run.
    pub fn state(&self) -> RunState {
        self.state
    }

    /// Returns the changes that the run has made, as far as they are known.
    pub fn done(&self) -> &AppliedChanges {
        &self.done
    }

    /// Returns whether it is unknown if the last request was executed.
    pub fn is_in_doubt(&self) -> bool {
        self.state == RunState::Unfinished && self.begun.is_some()
    }

    /// Returns whether it stays unknown if a request was executed, also once the run was ended for another.
    pub fn is_unsettled(&self) -> bool {
        self.state != RunState::Done && self.begun.is_some()
    }

    /// Returns the requests for profile fields that were executed, each with the whole plan of the fields.
    pub fn fields(&self) -> &[(FieldsRequest, PlannedFields)] {
        &self.fields
    }

    /// Returns the updates that were executed.
    pub fn updates(&self) -> &[PlannedUpdate] {
        &self.updates
    }

    /// Returns the creates that were executed; [`done`](Self::done) has the ids.
    pub fn creates(&self) -> &[PlannedCreate] {
        &self.creates
    }

    /// Returns what a command has written that is no slot.
    pub fn record_write(&self) -> Option<&RecordWrite> {
        self.write.as_ref()
    }

    /// Returns whether the record was written.
    pub fn is_record_written(&self) -> bool {
        self.is_written
    }

    /// Returns the fields of the record or slot that a command wrote, as the service stored them, if its answer showed them.
    pub fn stored(&self) -> Option<&Object> {
        self.stored.as_ref()
    }

    /// Returns whether anything was written, or may have been.
    pub fn has_effect(&self) -> bool {
        !self.done.is_nothing() || self.is_written || self.is_unsettled()
    }

    /// Returns the updates of which it is unknown whether they were executed, those of earlier plans of the run first.
    pub fn doubtful_updates(&self) -> Vec<PlannedUpdate> {
        let mut doubtful = self.doubtful.clone();
        if let Some(PlanBatch::Update(updates)) = self.doubtful_batch() {
            doubtful.extend_from_slice(updates);
        }
        doubtful
    }

    /// Returns the batch of the latest plan of which it is unknown whether it was executed.
    pub(in crate::apply) fn doubtful_batch(&self) -> Option<PlanBatch<'_>> {
        self.begun.as_ref().filter(|_| self.is_unsettled()).and_then(|begun| self.batch(begun.step))
    }

    /// Returns the ids of the slots that the run created, by the index of the item; for a create of which it is unknown whether it was
    /// executed, those that `page` shows.
    pub fn created_on(&self, page: &[Slot]) -> BTreeMap<usize, SlotId> {
        let mut created = self.done.created.clone();
        if let (Some(PlanBatch::Create(creates)), Some(plan)) = (self.doubtful_batch(), self.plan())
        {
            created.extend(created_slots(creates, &plan.known(created.values().copied()), page));
        }
        created
    }

    /// Returns the entries as if a create of which it is unknown whether it was executed had ended with what `page` shows.
    pub(in crate::apply) fn settled_on(mut self, page: &[Slot]) -> Self {
        self.done.created = self.created_on(page);
        self
    }

    /// Returns the latest plan.
    pub fn plan(&self) -> Option<&Plan> {
        self.current.as_ref().map(|current| &current.plan)
    }

    /// Returns the slots whose deletion was confirmed.
    pub fn confirmed_deletes(&self) -> &BTreeSet<SlotId> {
        &self.confirmed_deletes
    }

    /// Returns the slots that the run deleted.
    pub fn deleted(&self) -> &[PlannedDelete] {
        &self.deletes
    }

    /// Returns the number of slots that the page had when it was last read.
    pub fn slots(&self) -> usize {
        self.slots
    }
}

/// Returns the header in the first line, whatever comes after it.
pub(super) fn opening_of(bytes: &[u8]) -> Option<RunHeader> {
    match serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?) {
        Ok(JournalEntry::Open(opening)) => Some(*opening),
        _ => None,
    }
}

/// Returns whether a journal is that of a run which has ended, from its first and its last line. The lines between have to be JSON.
pub(super) fn has_ended(bytes: &[u8]) -> bool {
    let Some(whole) = bytes.strip_suffix(b"\n") else { return false };
    let mut lines = whole.split(|byte| *byte == b'\n');
    let (Some(first), Some(last)) = (lines.next(), lines.next_back()) else { return false };
    newer(first).is_none()
        && matches!(serde_json::from_slice(first), Ok(JournalEntry::Open(_)))
        && matches!(
            serde_json::from_slice(last),
            Ok(JournalEntry::Commit { .. } | JournalEntry::Close { .. })
        )
        && lines.all(|line| serde_json::from_slice::<IgnoredAny>(line).is_ok())
}

fn newer(line: &[u8]) -> Option<u32> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let format = u32::try_from(line["open"]["format"].as_u64()?).unwrap_or(u32::MAX);
    (format > FORMAT).then_some(format)
}
