//! Entries of a journal, and the state of the run that they add up to.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;

use super::entry::{FORMAT, JournalEntry, RecordWrite, RecordedPlan, RunEnding, RunHeader};
use crate::apply::created_slots::created_slots;
use crate::apply::page_fields::MOOD;
use crate::apply::{AppliedChanges, Plan, PlanBatch, PlannedFields, PlannedUpdate};
use links_sdk::{Object, Slot, SlotId};

/// State of a run, computed from the entries of its journal.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JournalEntries {
    /// Name of the run.
    pub run: String,
    /// Header of the run.
    pub opening: RunHeader,
    /// State of the run.
    pub state: RunState,
    /// Changes that the run has made, as far as known.
    pub done: AppliedChanges,
    /// What a command has written other than slots.
    pub write: Option<RecordWrite>,
    /// Set if the record was written.
    pub is_written: bool,
    /// Fields of the record or slot that a command wrote, as the service stored them, if its answer showed them.
    pub stored: Option<Object>,
    /// Number of slots that the page had when it was last read.
    pub slots: usize,
    /// The plans of the run, the latest last.
    pub(crate) plans: Vec<RecordedPlan>,
    steps: Vec<SentStep>,
}

/// A step that was sent and is not known to be refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SentStep {
    /// Number of plans that there were.
    plans: usize,
    pub step: usize,
    pub key: Option<String>,
    /// Slots that it made, by the index of their item; `None` if it is unknown whether it was executed.
    created: Option<BTreeMap<usize, SlotId>>,
}

/// State of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RunState {
    /// The run is unfinished, because of a crash, a failure, or Ctrl-C.
    #[default]
    Unfinished,
    /// The page matches the file.
    Done,
    /// The run ended in another way.
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
    #[error("it was written by a newer version (format {0}, this version reads up to {FORMAT})")]
    Newer(u32),
    /// The journal is missing, or its first line is incomplete: nothing was written to the page.
    #[error("the run did not start")]
    NotBegun,
    /// The journal could not be used, and the run was abandoned.
    #[error("it was set aside")]
    PutAside,
}

impl JournalError {
    /// Returns whether the run may have been interrupted. Then no other run can start before this one is abandoned.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::NotBegun | Self::PutAside)
    }
}

impl JournalEntries {
    /// Reads a journal. Also returns the number of bytes in its complete lines.
    ///
    /// An incomplete last line counts as not written: a step that it announces was not begun yet, and a step that it reports shows on the
    /// page.
    pub(crate) fn read(run: &str, bytes: &[u8]) -> Result<(Self, usize), JournalError> {
        let (entries, whole) = decoded(bytes)?;
        Ok((Self::of(run, entries)?, whole))
    }

    /// Adds up entries.
    ///
    /// # Errors
    ///
    /// When an entry cannot follow those before it.
    pub(crate) fn of(
        run: &str,
        entries: impl IntoIterator<Item = JournalEntry>,
    ) -> Result<Self, JournalError> {
        let mut log: Option<Self> = None;
        for (nth, entry) in entries.into_iter().enumerate() {
            match (&mut log, entry) {
                (None, JournalEntry::Open(opening)) if opening.format > FORMAT => {
                    return Err(JournalError::Newer(opening.format));
                }
                (log @ None, JournalEntry::Open(opening)) => *log = Some(Self::new(run, *opening)),
                (Some(log), entry) if log.fits(&entry) => log.take(entry),
                _ => return Err(JournalError::Damaged(nth + 1)),
            }
        }
        log.ok_or(JournalError::NotBegun)
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
            | JournalEntry::Refused { step } => {
                self.batch(*step).is_some() || (*step == 0 && self.write.is_some())
            }
            JournalEntry::Write(_) => self.plans.is_empty() && self.write.is_none(),
            JournalEntry::Plan { .. }
            | JournalEntry::Commit { .. }
            | JournalEntry::Close { .. }
            | JournalEntry::Recorded => true,
        }
    }

    /// Adds an entry.
    pub(super) fn take(&mut self, entry: JournalEntry) {
        let plans = self.plans.len();
        match entry {
            JournalEntry::Open(_) | JournalEntry::Recorded => {}
            JournalEntry::Plan(plan) => self.plans.push(*plan),
            JournalEntry::Write(write) => self.write = Some(*write),
            JournalEntry::Begin { step, key } => {
                self.retract(step);
                self.settle(Some(SentStep { plans, step, key, created: None }));
            }
            JournalEntry::Refused { .. } => self.settle(None),
            JournalEntry::End { step, created, deleted, stored } => {
                let made = Some(created.clone());
                self.settle(Some(SentStep { plans, step, key: None, created: made }));
                self.stored = stored;
                self.is_written = self.write.is_some();
                self.count(step, created, deleted);
            }
            JournalEntry::Commit { slots } => {
                self.slots = slots;
                self.state = RunState::Done;
            }
            JournalEntry::Close { ending } => self.state = RunState::Ended(ending),
        }
    }

    /// Puts a step in the place of the one that was begun.
    fn settle(&mut self, sent: Option<SentStep>) {
        if self.begun().is_some() {
            self.steps.pop();
        }
        self.steps.extend(sent);
    }

    /// Forgets the slots of a step that begins once more: the answer that named them was an old one.
    fn retract(&mut self, step: usize) {
        let plans = self.plans.len();
        if let Some(at) = self.steps.iter().position(|it| (it.plans, it.step) == (plans, step)) {
            let stored = self.steps.remove(at).created.unwrap_or_default();
            self.done.created.retain(|index, _| !stored.contains_key(index));
        }
    }

    /// Adds a step that was executed to the changes of the run.
    fn count(&mut self, step: usize, created: BTreeMap<usize, SlotId>, deleted: usize) {
        let mut done = std::mem::take(&mut self.done);
        match self.batch(step) {
            Some(PlanBatch::Fields(request, fields)) => {
                done.fields.extend(fields.of(request).map(|(name, _)| name.clone()));
            }
            Some(PlanBatch::Update(updates)) => done.updated += updates.len(),
            Some(PlanBatch::Create(_)) => done.created.extend(created),
            Some(PlanBatch::Reorder) => done.reordered = true,
            Some(PlanBatch::MakeRoom(_) | PlanBatch::Delete(_)) => done.deleted += deleted,
            Some(PlanBatch::TryCreate(_)) | None => {}
        }
        self.done = done;
    }

    /// Returns a request of the latest plan.
    pub(crate) fn batch(&self, step: usize) -> Option<PlanBatch<'_>> {
        self.plan()?.batches().get(step).copied()
    }

    /// Returns the step of the latest plan that was begun and whose end is not known.
    pub(super) fn begun(&self) -> Option<&SentStep> {
        self.steps.last().filter(|it| it.created.is_none() && it.plans == self.plans.len())
    }

    /// Returns whether it is unknown whether the last request was executed. After the run was abandoned for another, it stays so.
    pub fn is_unsettled(&self) -> bool {
        self.state != RunState::Done && self.begun().is_some()
    }

    /// Returns the requests that were sent and are not known to be refused, each with the slots that it made if it is known to be executed, and
    /// with its plan.
    pub(crate) fn sent(
        &self,
    ) -> impl Iterator<Item = (PlanBatch<'_>, Option<&BTreeMap<usize, SlotId>>, &Plan)> {
        self.steps.iter().filter_map(|sent| {
            let plan = &self.plan_of(sent)?.plan;
            Some((plan.batches().get(sent.step).copied()?, sent.created.as_ref(), plan))
        })
    }

    fn plan_of(&self, sent: &SentStep) -> Option<&RecordedPlan> {
        self.plans.get(sent.plans.checked_sub(1)?)
    }

    /// Returns the digest of the record with which a plan was made; that of the header, if the plan is the first.
    fn base_of<'r>(&'r self, plan: Option<&'r RecordedPlan>) -> Option<&'r str> {
        let first = self.opening.sync.as_ref().map(|sync| &*sync.base);
        plan.and_then(|plan| plan.base.as_deref()).or(first)
    }

    /// Returns the entries without what was sent before the record with this digest was written. `None` if a later record was there when the run
    /// made its latest plan.
    pub(super) fn since(mut self, base: &str) -> Option<Self> {
        if self.base_of(self.plans.last()) != Some(base) {
            return None;
        }
        let steps = std::mem::take(&mut self.steps).into_iter();
        let steps = steps.filter(|sent| self.base_of(self.plan_of(sent)) == Some(base)).collect();
        self.steps = steps;
        Some(self)
    }

    /// Returns the requests that were executed, with the slots that each of them made.
    pub(crate) fn executed(
        &self,
    ) -> impl Iterator<Item = (PlanBatch<'_>, &BTreeMap<usize, SlotId>)> {
        self.sent().filter_map(|(batch, created, _)| Some((batch, created?)))
    }

    /// Returns the executed changes of profile fields, with changes of the same plan that other requests make.
    pub fn fields(&self) -> impl Iterator<Item = &PlannedFields> {
        self.executed().filter_map(|(batch, _)| match batch {
            PlanBatch::Fields(_, fields) => Some(fields),
            _ => None,
        })
    }

    /// Returns the updates that were executed.
    pub fn updates(&self) -> impl Iterator<Item = &PlannedUpdate> {
        self.executed().flat_map(|(batch, _)| batch.updates())
    }

    /// Returns whether anything was written, or may have been.
    pub fn has_effect(&self) -> bool {
        !self.done.is_nothing()
            || self.is_written
            || self.is_unsettled()
            || self.perhaps_replaced().next().is_some()
    }

    /// Returns the requests that replace values and of which it is unknown whether they were executed, also those of earlier plans.
    pub(crate) fn perhaps_replaced(&self) -> impl Iterator<Item = PlanBatch<'_>> {
        let in_doubt = self.sent().filter(|(_, created, _)| created.is_none());
        in_doubt.map(|(batch, ..)| batch).filter(PlanBatch::replaces)
    }

    /// Returns the updates that may or may not have been executed, starting with updates of earlier plans of the run.
    pub fn doubtful_updates(&self) -> impl Iterator<Item = &PlannedUpdate> {
        let is_done = self.state == RunState::Done;
        let latest = self.plan().filter(|_| is_done).map(std::ptr::from_ref);
        let in_doubt = self.sent().filter(move |(_, created, plan)| {
            created.is_none() && latest != Some(std::ptr::from_ref(*plan))
        });
        in_doubt.flat_map(|(batch, ..)| batch.updates())
    }

    /// Returns the batch of the latest plan of which it is unknown whether it was executed.
    pub(crate) fn doubtful_batch(&self) -> Option<PlanBatch<'_>> {
        self.begun().filter(|_| self.is_unsettled()).and_then(|begun| self.batch(begun.step))
    }

    /// Returns the IDs of the slots that the run created, by the index of the item; for a create of which it is unknown whether it was
    /// executed, those that `page` shows.
    pub(crate) fn created_on(&self, page: &[Slot]) -> BTreeMap<usize, SlotId> {
        let mut created = self.done.created.clone();
        if let (Some(PlanBatch::Create(creates)), Some(plan)) = (self.doubtful_batch(), self.plan())
        {
            created.extend(created_slots(creates, &plan.known(&created), page));
        }
        created
    }

    /// Returns whether the run planned to write the status while the page had one that was not shown any more.
    pub(crate) fn had_expired_mood(&self) -> bool {
        let writes = |plan: &Plan| MOOD.iter().any(|name| plan.fields.changed.contains_key(*name));
        self.plans.iter().any(|recorded| recorded.had_expired_mood && writes(&recorded.plan))
    }

    /// Returns the latest plan.
    pub fn plan(&self) -> Option<&Plan> {
        self.plans.last().map(|recorded| &recorded.plan)
    }
}

/// Returns the entries in the complete lines of a journal, and the number of bytes of these lines.
pub(super) fn decoded(bytes: &[u8]) -> Result<(Vec<JournalEntry>, usize), JournalError> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if let Some(format) = lines.first().and_then(|line| newer(line)) {
        return Err(JournalError::Newer(format));
    }
    let (mut entries, mut whole) = (Vec::with_capacity(lines.len()), 0);
    for (nth, line) in lines.iter().enumerate() {
        match serde_json::from_slice(line) {
            Ok(entry) if line.ends_with(b"\n") => entries.push(entry),
            _ if nth + 1 == lines.len() => break,
            _ => return Err(JournalError::Damaged(nth + 1)),
        }
        whole += line.len();
    }
    Ok((entries, whole))
}

/// Returns the header in the first line, whatever comes after it.
pub(super) fn opening_of(bytes: &[u8]) -> Option<RunHeader> {
    match serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?) {
        Ok(JournalEntry::Open(opening)) => Some(*opening),
        _ => None,
    }
}

/// Returns the entry with which a run has ended, from the ends of its journal. The lines between have to be whole.
pub(super) fn ending(bytes: &[u8]) -> Option<JournalEntry> {
    let mut lines = bytes.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
    let is_known = opening_of(lines.next()?)?.format <= FORMAT;
    let mut entries = lines.clone().rev().map(serde_json::from_slice);
    let last = entries.find(|entry| !matches!(entry, Ok(JournalEntry::Recorded)))?.ok()?;
    let has_ended = matches!(last, JournalEntry::Commit { .. } | JournalEntry::Close { .. });
    let is_whole = |line: &[u8]| matches!(line, [b'{', .., b'}'] | [b'"', .., b'"']);
    (is_known && has_ended && lines.all(is_whole)).then_some(last)
}

fn newer(line: &[u8]) -> Option<u32> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let format = u32::try_from(line["open"]["format"].as_u64()?).unwrap_or(u32::MAX);
    (format > FORMAT).then_some(format)
}
