//! A run as it travels from one machine to another: its journal and the slots before it, without anything of the machine.

use std::io;
use std::path::{Path, PathBuf};

use links_sdk::ProfileId;
use serde::{Deserialize, Serialize};

use super::slots_before;
use crate::apply::{
    DesiredSlot, JournalEntries, JournalEntry, JournalError, JournalStore, RecordedRun, RunOwner,
    is_run_name,
};

/// A run with what its reverse needs, to be kept in a file.
///
/// Neither the paths of files nor the account are in it, and none of them are believed when it is read: whoever writes the file says whose
/// it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableRun {
    run: String,
    /// Id of the page, for a run over a page. A command that writes without one has its page in its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<ProfileId>,
    /// The lines of the journal.
    entries: Vec<JournalEntry>,
    /// Slots before the run, in page order, where they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Vec<DesiredSlot>>,
}

impl PortableRun {
    /// Returns what one call of a program has written, by its journals below `state`: its runs over pages and its single writes, the
    /// oldest first, without those that wrote nothing.
    ///
    /// # Errors
    ///
    /// When a journal cannot be read.
    pub fn of_call(state: &Path, service: &str, call: &str) -> io::Result<Vec<Self>> {
        let found = JournalStore::of_call(state, service, call)?.into_iter();
        found.filter_map(|(run, store)| Self::read(run, &store).transpose()).collect()
    }

    /// Reads a run; `None` if it wrote nothing.
    fn read(run: String, store: &JournalStore) -> io::Result<Option<Self>> {
        let mut entries = match store.entries(&run) {
            Ok((log, entries)) if log.has_effect() => entries,
            Ok(_) | Err(JournalError::NotBegun) => return Ok(None),
            Err(why) => return Err(io::Error::other(format!("the run {run}: {why}"))),
        };
        if let Some(JournalEntry::Open(header)) = entries.first_mut() {
            (header.owner, header.path, header.sync) = (None, None, None);
        }
        let before = slots_before(store, &run)?;
        Ok(Some(Self { page: store.profile(), run, entries, before }))
    }

    /// Returns the name of the run.
    pub fn name(&self) -> &str {
        &self.run
    }

    /// Returns the id of the page, for a run over a page.
    pub fn page(&self) -> Option<ProfileId> {
        self.page
    }

    /// Takes the slots before the run, if they are known.
    pub fn take_before(&mut self) -> Option<Vec<DesiredSlot>> {
        self.before.take()
    }

    /// Returns the run as if it had been recorded on this service by this owner. `call` is the name that the runs of the file share.
    ///
    /// # Errors
    ///
    /// When its name is not that of a run, or its entries are not those of a journal.
    pub fn recorded(
        self,
        service: &str,
        owner: Option<RunOwner>,
        call: &str,
    ) -> Result<RecordedRun, JournalError> {
        if !is_run_name(&self.run) {
            return Err(JournalError::Io(io::Error::other("its name is not that of a run")));
        }
        let mut log = JournalEntries::of(&self.run, self.entries)?;
        let header = &mut log.opening;
        service.clone_into(&mut header.service);
        (header.owner, header.path, header.sync) = (owner, None, None);
        header.profile = self.page.unwrap_or(header.profile);
        header.command.get_or_insert_default().call = Some(call.to_owned());
        let opening = Some(log.opening.clone());
        Ok(RecordedRun { run: self.run, path: PathBuf::new(), opening, log: Ok(log) })
    }
}
