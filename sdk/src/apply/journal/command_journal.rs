//! Journal of a command that writes without a run of `apply`: what it sends, and what that replaces.

use std::collections::BTreeMap;
use std::io;

use super::entries::JournalEntries;
use super::entry::{JournalEntry, RecordWrite, RunEnding};
use super::file::JournalFile;
use crate::apply::Plan;
use crate::apply::plan::PlanBatch;
use crate::{Object, Outcome};

/// Content of a command's writes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum CommandWrites<'a> {
    /// Requests for the slots of a page, counted as in [`Plan::batches`].
    Slots(&'a Plan),
    /// One request for another record.
    Record(&'a RecordWrite),
}

/// Journal of a command in progress. From [`JournalStore::begin_command`](super::JournalStore::begin_command).
///
/// No run depends on it and no page is locked: an entry that cannot be written is no reason to stop.
#[derive(Debug)]
pub struct CommandJournal {
    file: JournalFile,
}

impl CommandJournal {
    pub(super) fn new(file: JournalFile) -> Self {
        Self { file }
    }

    /// Returns the entries written so far.
    pub fn entries(&self) -> &JournalEntries {
        self.file.log()
    }

    /// Returns the error for which a line could not be recorded.
    pub fn write_error(&self) -> Option<&io::Error> {
        self.file.write_error()
    }

    pub(super) fn content(&mut self, time: u64, writes: CommandWrites<'_>) -> io::Result<()> {
        self.file.append(match writes {
            CommandWrites::Slots(plan) => {
                JournalEntry::Plan { time, keys: BTreeMap::new(), plan: Box::new(plan.clone()) }
            }
            CommandWrites::Record(write) => JournalEntry::Write(Box::new(write.clone())),
        })
    }

    /// Notes that a step's request is about to be sent.
    pub fn begin(&mut self, step: usize) {
        self.file.note(JournalEntry::Begin { step, key: None });
    }

    /// Notes that a step was executed; `created` has the ids of new slots by the index of their create, `stored` the fields of a record as
    /// the service answered them.
    pub fn end(
        &mut self,
        step: usize,
        created: BTreeMap<usize, i64>,
        deleted: usize,
        stored: Option<Object>,
    ) {
        self.file.note(JournalEntry::End { step, created, deleted, stored });
    }

    /// Notes what became of a step that failed.
    pub fn failed(&mut self, step: usize, outcome: Outcome) {
        let is_create = matches!(self.file.log().batch(step), Some(PlanBatch::Create(_)));
        self.file.note(match outcome {
            Outcome::NotExecuted => JournalEntry::Refused { step },
            Outcome::Executed if !is_create => {
                let deleted = self.file.log().batch(step).map_or(0, deletes_of);
                JournalEntry::End { step, created: BTreeMap::new(), deleted, stored: None }
            }
            Outcome::Executed | Outcome::Unknown => JournalEntry::Unknown { step },
        });
    }

    /// Ends the journal. It stays open while it is unknown whether the last request was executed.
    pub fn close(&mut self, is_complete: bool) {
        let log = self.file.log();
        if log.is_in_doubt() {
            return;
        }
        let slots = log.slots();
        self.file.note(match (is_complete, log.has_effect()) {
            (true, _) => JournalEntry::Commit { slots },
            (false, true) => JournalEntry::Close { ending: RunEnding::Stopped },
            (false, false) => JournalEntry::Close { ending: RunEnding::Refused },
        });
    }

    /// Ends the journal of a command of which it stays unknown what it did.
    pub(super) fn abandon(&mut self) -> io::Result<()> {
        self.file.append(JournalEntry::Close { ending: RunEnding::Aborted })
    }
}

fn deletes_of(batch: PlanBatch<'_>) -> usize {
    match batch {
        PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => deletes.len(),
        _ => 0,
    }
}
