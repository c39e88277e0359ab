//! Journal of a command that writes without a run of `apply`: what it sends, and what that replaces.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::entries::JournalEntries;
use super::entry::{JournalEntry, RecordWrite, RunEnding};
use super::file::JournalFile;
use crate::apply::Plan;
use crate::apply::plan::PlanBatch;
use links_sdk::SlotId;
use links_sdk::{Object, Outcome};

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
    /// The journal and its backup.
    paths: [PathBuf; 2],
}

impl CommandJournal {
    pub(super) fn new(file: JournalFile, paths: [PathBuf; 2]) -> Self {
        Self { file, paths }
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

    /// Notes that a step's request is about to be sent. A journal that cannot say so of the first step is removed: it would say that nothing
    /// was sent.
    pub fn begin(&mut self, step: usize) {
        let is_first = !self.file.log().has_effect();
        self.file.note(JournalEntry::Begin { step, key: None });
        if is_first && self.write_error().is_some() {
            for path in &self.paths {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Notes that a step was executed; `created` has the ids of new slots by the index of their create, `stored` the fields of a record as
    /// the service answered them.
    pub fn end(
        &mut self,
        step: usize,
        created: BTreeMap<usize, SlotId>,
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;
    use crate::apply::{JournalStore, RunCommand, RunHeader, RunState, SlotTypes};

    fn header() -> RunHeader {
        let page = (7, "cafe");
        RunHeader::of_command("service", RunCommand::default(), page, SystemTime::UNIX_EPOCH)
    }

    fn write() -> RecordWrite {
        RecordWrite { operation: "updateForm".to_owned(), ..RecordWrite::default() }
    }

    #[test]
    fn a_journal_that_cannot_say_that_something_was_sent_is_removed() {
        let state = tempfile::tempdir().unwrap();
        let store = JournalStore::of_commands(state.path(), "service");
        let begun = |writes: &RecordWrite| {
            let writes = CommandWrites::Record(writes);
            store.begin_command(header(), writes, &[], &SlotTypes::default()).unwrap()
        };
        let journal = begun(&write());
        let (path, log) = (journal.paths[0].clone(), journal.entries().clone());
        // As on a full disk: nothing can be written any more.
        let file = JournalFile::new(File::open(&path).unwrap(), log);
        let mut full = CommandJournal::new(file, journal.paths.clone());
        assert!(path.exists());
        full.begin(0);
        assert!(full.write_error().is_some() && !path.exists());
        assert!(store.list().unwrap().is_empty());
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
            let writes = write();
            let mut journal = store
                .begin_command(header(), CommandWrites::Record(&writes), &[], &SlotTypes::default())
                .unwrap();
            journal.begin(0);
            match outcome {
                None => journal.end(0, BTreeMap::new(), 0, None),
                Some(outcome) => journal.failed(0, outcome),
            }
            journal.close(outcome.is_none_or(|outcome| outcome == Outcome::Executed));
            let recorded = store.list().unwrap().pop().unwrap();
            let log = recorded.log.unwrap();
            assert_eq!(log.state(), state, "{outcome:?}");
            assert_eq!((log.is_record_written(), log.is_unsettled()), (is_written, is_unsettled));
            assert_eq!(log.has_effect(), is_written || is_unsettled);
        }
        let open = store.list().unwrap().pop().unwrap().run;
        assert_eq!(store.prune(0, None, |_| true).unwrap().len(), 3);
        store.end_command(&open).unwrap();
        let log = store.list().unwrap().pop().unwrap().log.unwrap();
        assert!(log.is_unsettled() && log.state() == RunState::Ended(RunEnding::Aborted));
        assert_eq!(store.prune(0, None, |_| true).unwrap(), [open]);
    }
}
