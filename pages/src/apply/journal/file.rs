//! Journal that is being written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};

use super::entries::{JournalEntries, RunState};
use super::entry::{JournalEntry, RecordedPlan, RunEnding, seconds};
use super::lock::PageLock;
use crate::apply::{DesiredPage, PageSnapshot, Plan, SlotTypes, SyncedRun};
use crate::fs::sync;
use links_sdk::runs::{crash_point, tear};
use links_sdk::{IdempotencyKey, Object, Outcome, Slot, SlotId};

/// Journal that is being written, step by step: each line is on the disk before the command continues.
///
/// From [`JournalStore::open`](super::JournalStore::open) and [`JournalStore::resume`](super::JournalStore::resume).
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    /// The entries written so far.
    pub log: JournalEntries,
    /// The error for which a change could not be recorded. No further step is begun after it; the page shows what was done.
    pub write_error: Option<io::Error>,
    /// Lock of the run on its page, held until the journal is dropped. A single write has none.
    pub lock: Option<PageLock>,
}

impl Journal {
    pub(crate) fn new(file: File, log: JournalEntries, lock: Option<PageLock>) -> Self {
        Self { file, log, write_error: None, lock }
    }

    /// Records a confirmed plan before any of it is executed, with the merge that it carries out.
    ///
    /// # Errors
    ///
    /// When the file cannot be written: nothing may be sent then.
    pub(crate) fn plan(
        &mut self,
        plan: &Plan,
        page: &PageSnapshot,
        sync: Option<&SyncedRun>,
    ) -> io::Result<()> {
        let is_later = self.log.plan().is_some();
        let is_found =
            |slot: &&Slot| is_later && plan.deletes.iter().any(|delete| delete.id == slot.id);
        let found: Vec<Slot> = page.slots.iter().filter(is_found).cloned().collect();
        self.append(JournalEntry::Plan(Box::new(RecordedPlan {
            time: seconds(page.read_at),
            plan: plan.clone(),
            base: sync.filter(|_| is_later).map(|sync| sync.base.clone()),
            found: DesiredPage::from_page(&found, &SlotTypes::default()).slots,
            had_expired_mood: page.has_expired_mood(),
        })))
    }

    /// Notes that a step's request is about to be sent, under this key if it creates slots.
    pub(crate) fn begin(&mut self, step: usize, key: Option<&IdempotencyKey>) -> io::Result<()> {
        self.append(JournalEntry::Begin { step, key: key.map(ToString::to_string) })
    }

    /// Notes that a step was executed; `created` has the IDs of new slots by the index of their create, `stored` the fields of a record as
    /// the service answered them.
    pub(crate) fn end(
        &mut self,
        step: usize,
        created: BTreeMap<usize, SlotId>,
        deleted: usize,
        stored: Option<Object>,
    ) {
        self.note(JournalEntry::End { step, created, deleted, stored });
    }

    /// Notes that a step has failed. If it is unknown whether it was executed, it stays without an end.
    pub(crate) fn failed(&mut self, step: usize, outcome: Outcome) {
        if outcome == Outcome::NotExecuted {
            self.note(JournalEntry::Refused { step });
        }
    }

    /// Notes that the page matches the file, and has this number of slots.
    pub(crate) fn commit(&mut self, slots: usize) {
        self.note(JournalEntry::Commit { slots });
    }

    /// Ends the journal of a run that is not to be continued. If the entry cannot be written, the run stays unfinished, which costs a read.
    pub(crate) fn close(&mut self, ending: RunEnding) {
        self.note(JournalEntry::Close { ending });
    }

    /// Abandons the run and returns its lock, for a run of another file.
    pub(crate) fn replace(mut self) -> Option<PageLock> {
        self.close(RunEnding::Replaced);
        self.lock
    }

    /// Appends an entry about something that has happened: the command continues even if the entry cannot be written.
    pub(crate) fn note(&mut self, entry: JournalEntry) {
        if self.log.state == RunState::Unfinished && self.append(entry.clone()).is_err() {
            self.log.take(entry);
        }
    }

    pub(crate) fn append(&mut self, entry: JournalEntry) -> io::Result<()> {
        self.write(&entry)?;
        self.log.take(entry);
        Ok(())
    }

    pub(super) fn write(&mut self, entry: &JournalEntry) -> io::Result<()> {
        if self.write_error.is_none() {
            let mut line = serde_json::to_vec(entry)?;
            line.push(b'\n');
            crash_point("before_write");
            tear(&mut self.file, &line);
            let written = self.file.write_all(&line);
            self.write_error = written.and_then(|()| sync(&self.file, File::sync_data)).err();
        }
        if let Some(error) = &self.write_error {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        crash_point("after_write");
        Ok(())
    }
}
