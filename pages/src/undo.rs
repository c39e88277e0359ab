//! Undoing a run: the data from the journals, and the request for programs.

mod portable_run;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use links_sdk::runs::blocking;
use links_sdk::{Error, Outcome, ProfileHandle, SlotId};

use crate::apply::{
    Apply, ApplyCause, ApplyError, DesiredSlot, JournalEntries, JournalError, JournalStore,
    NotRestored, PageSnapshot, RunCommand, RunSettings, RunState, SlotTypes, Undo, UndoConflict,
    UndoFacts,
};
use crate::page_file::{Document, PageFile};
pub use portable_run::PortableRun;

/// Data that is needed to undo a run.
#[derive(Clone, Debug)]
pub struct UndoSource {
    /// The run to undo.
    pub log: JournalEntries,
    /// The slots before the run, if known: see [`slots_before`].
    pub before: Option<Vec<DesiredSlot>>,
    /// The runs of its page on this machine.
    pub runs: JournalStore,
}

/// Returns the slots before a run, if its store has them.
///
/// # Errors
///
/// When they cannot be read.
pub fn slots_before(store: &JournalStore, run: &str) -> io::Result<Option<Vec<DesiredSlot>>> {
    let path = store.backup(run);
    if !path.try_exists()? {
        return Ok(None);
    }
    let document = Document::read(&path).map_err(io::Error::other)?;
    let file = PageFile::literal(document).map_err(io::Error::other)?;
    Ok(Some(file.page.content.slots.clone()))
}

impl UndoSource {
    /// Returns the undo of the run for the current page. With `overwrite`, values that were changed since the run are also restored.
    ///
    /// # Errors
    ///
    /// When a journal of the page cannot be read.
    pub fn reverse(
        &self,
        now: &PageSnapshot,
        types: &SlotTypes,
        overwrite: bool,
    ) -> io::Result<Undo> {
        let (mut recreated, mut unplaced) = (BTreeMap::new(), BTreeSet::new());
        for log in self.runs.list()?.into_iter().filter_map(|run| run.log.ok()) {
            let command = &log.opening.command;
            let created = log.created_on(&now.slots);
            let pair = |(index, old): (&usize, &SlotId)| Some((*old, *created.get(index)?));
            let pairs: Vec<_> = command.recreates.iter().filter_map(pair).collect();
            if log.state != RunState::Done && command.undoes.as_deref() == Some(&*self.log.run) {
                unplaced.extend(pairs.iter().map(|(_, new)| *new));
            }
            recreated.extend(pairs);
        }
        let facts = UndoFacts {
            types,
            before: self.before.as_deref(),
            recreated: &recreated,
            unplaced: &unplaced,
            overwrite,
        };
        Ok(Undo::of(&self.log, &now.slots, &now.fields(), &facts))
    }

    /// Returns whether the run planned to write a profile field.
    pub fn wrote(&self, name: &str) -> bool {
        self.log.plans.iter().any(|recorded| recorded.plan.fields.changed.contains_key(name))
    }
}

impl Apply {
    /// Returns the request that undoes the newest run on a page, based on the journal of `settings`; `None` if no run is left to undo. Runs
    /// that were undone, and runs that undid them, are skipped, so repeated calls go further back.
    ///
    /// Later additions to the page are kept. The request is for the current page: if the page changes before the request is sent, nothing
    /// is written. [`not_restored`](Self::not_restored) returns the parts that cannot be restored, such as a deleted event slot or a login.
    /// A run of which nothing can be restored is skipped. For an example, see
    /// [`DesiredAccount::read`](crate::account::DesiredAccount::read).
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, RunSettings};
    ///
    /// let state = tempfile::tempdir()?;
    /// let settings = RunSettings::new().journal(state.path());
    /// assert!(Apply::undo(&client.profile("cafe"), settings).await?.is_none());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page or its journal cannot be read, when the newest run is unfinished, or when the values that the run wrote were changed
    /// later.
    pub async fn undo(
        page: &ProfileHandle,
        settings: RunSettings,
    ) -> Result<Option<Self>, ApplyError> {
        let client = &page.client;
        let refused = |why| Error::invalid("getProfile", why);
        let key = page.key.clone().map_err(refused)?;
        let mut now = PageSnapshot::read(client, &key).await?;
        let Some(runs) = settings.store(client, now.id) else { return Ok(None) };
        let types = SlotTypes::fetch(client).await?;
        now.read_language(client).await?;
        let (seen, of_types) = (now.clone(), types.clone());
        let newest = blocking(move || newest(&runs, &seen, &of_types)).await;
        let Some((run, undo)) = newest.map_err(ApplyCause::Journals)? else { return Ok(None) };
        if !undo.conflicts.is_empty() {
            let found = undo.conflicts.iter().map(UndoConflict::to_string).collect();
            return Err(ApplyCause::Changed(found, Outcome::NotExecuted).into());
        }
        let command = RunCommand {
            name: "undo".to_owned(),
            undoes: Some(run),
            recreates: undo.recreates.clone(),
            ..RunCommand::default()
        };
        let mut request = Self::new(&client.profile(now.id), undo.desired.clone())
            .settings(RunSettings { command, ..settings })
            .types(types)
            .max_deletes(undo.deletes.len())
            .allow_empty(true);
        request.of_undo = Some((undo, now));
        Ok(Some(request))
    }
}

/// Returns the newest run of a page that can be taken back, and its reverse. A run of which nothing can come back, or that was taken back by
/// hand, is passed over.
fn newest(
    runs: &JournalStore,
    now: &PageSnapshot,
    types: &SlotTypes,
) -> io::Result<Option<(String, Undo)>> {
    let mut undone = BTreeSet::new();
    for recorded in runs.list()?.into_iter().rev() {
        let log = match recorded.log {
            Ok(log) => log,
            Err(JournalError::NotBegun) => continue,
            Err(why) => {
                return Err(io::Error::other(format!("run {}: {why}", recorded.run)));
            }
        };
        if log.state == RunState::Unfinished {
            let what = "apply its content again, or abort it";
            return Err(io::Error::other(format!("run {} is unfinished: {what}", log.run)));
        }
        if undone.contains(&log.run) || !log.has_effect() {
            continue;
        }
        if let Some(other) = log.opening.command.undoes {
            if log.state == RunState::Done {
                undone.insert(other);
            }
            continue;
        }
        let before = slots_before(runs, &log.run)?;
        let source = UndoSource { log, before, runs: runs.clone() };
        let mut undo = source.reverse(now, types, false)?;
        // That would break links, QR codes and NFC tags: whoever wants it says so by itself.
        let login = undo.desired.fields.remove("login");
        if login.is_some_and(|login| login.as_str() != Some(&*now.login)) {
            undo.not_restored.push(NotRestored::Field { name: "login".to_owned() });
        }
        if !undo.conflicts.is_empty() || undo.has_changes(now, types) {
            return Ok(Some((source.log.run, undo)));
        }
    }
    Ok(None)
}
