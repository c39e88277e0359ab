//! Taking back a run: what its reverse needs of the journals, and the request of a program.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use links_sdk::runs::blocking;
use links_sdk::{Error, ProfileHandle, SlotId};

use crate::apply::{
    Apply, ApplyCause, ApplyError, DesiredSlot, JournalEntries, JournalStore, MergedItems,
    PageSnapshot, RunCommand, RunSettings, RunState, SlotTypes, Undo, UndoConflict, UndoFacts,
};
use crate::page_file::PageFile;

/// Where the journals are that the reverse of a run needs.
#[derive(Clone, Debug)]
pub struct UndoSource {
    /// The run that is taken back.
    pub log: JournalEntries,
    /// The store that has it.
    pub store: JournalStore,
    /// The runs of its page.
    pub runs: JournalStore,
}

impl UndoSource {
    /// Returns the reverse of the run for its page as it is now. With `overwrite` what was changed since the run is restored too.
    ///
    /// # Errors
    ///
    /// When a journal or the backup of the run cannot be read.
    pub fn reverse(
        &self,
        now: &PageSnapshot,
        types: &SlotTypes,
        overwrite: bool,
    ) -> io::Result<Undo> {
        let before = self.before()?;
        let (recreated, unplaced) = self.recreated(now)?;
        let facts = UndoFacts {
            types,
            before: before.as_deref(),
            recreated: &recreated,
            unplaced: &unplaced,
            overwrite,
        };
        Ok(Undo::of(&self.log, &now.slots, &now.fields(), &facts))
    }

    /// Returns whether the run wrote a profile field, or may have.
    pub fn wrote(&self, name: &str) -> bool {
        self.log.plan().is_some_and(|plan| plan.fields.changed.contains_key(name))
            || self.log.fields().iter().any(|(_, fields)| fields.changed.contains_key(name))
    }

    /// Returns the slots before the run, if its journal has them.
    fn before(&self) -> io::Result<Option<Vec<DesiredSlot>>> {
        let path = self.store.backup(self.log.run());
        if !path.exists() {
            return Ok(None);
        }
        let file = PageFile::read_literal(&path).map_err(io::Error::other)?;
        Ok(Some(file.page.content.slots.clone()))
    }

    /// Returns the ids of the slots that earlier commands have created again, by their earlier ids; and those of them that an interrupted
    /// undo of the same run has created.
    fn recreated(
        &self,
        now: &PageSnapshot,
    ) -> io::Result<(BTreeMap<SlotId, SlotId>, BTreeSet<SlotId>)> {
        let (mut ids, mut unplaced) = (BTreeMap::new(), BTreeSet::new());
        for log in self.runs.list()?.into_iter().filter_map(|run| run.log.ok()) {
            let Some(command) = &log.opening().command else { continue };
            let created = log.created_on(&now.slots);
            let pair = |(index, old): (&usize, &SlotId)| Some((*old, *created.get(index)?));
            let pairs: Vec<_> = command.recreates.iter().filter_map(pair).collect();
            if log.state() != RunState::Done && command.undoes.as_deref() == Some(self.log.run()) {
                unplaced.extend(pairs.iter().map(|(_, new)| *new));
            }
            ids.extend(pairs);
        }
        Ok((ids, unplaced))
    }
}

impl Apply {
    /// Returns the request that takes back what the newest run on a page wrote, by the journal of `settings`; `None` if no run is left to take
    /// back. Runs that were taken back, and those that did it, are passed over, so repeats go further back.
    ///
    /// What came to the page since stays. An example is at [`DesiredAccount::read`](crate::account::DesiredAccount::read).
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
    /// When the page or its journal cannot be read, or what the run wrote was changed since.
    pub async fn undo(
        page: &ProfileHandle,
        settings: RunSettings,
    ) -> Result<Option<Self>, ApplyError> {
        let client = &page.client;
        let refused = |why| ApplyCause::Read(Error::invalid("getProfile", why));
        let key = page.key.clone().map_err(refused)?;
        let mut now = PageSnapshot::read(client, &key).await.map_err(ApplyCause::Read)?;
        let Some(runs) = settings.store(client, now.id) else { return Ok(None) };
        let newest = blocking(move || newest(runs)).await.map_err(journal)?;
        let Some(source) = newest else { return Ok(None) };
        if source.wrote("languageCode") {
            now.read_language(client).await.map_err(ApplyCause::Read)?;
        }
        let types = SlotTypes::fetch(client).await.map_err(ApplyCause::Read)?;
        let run = source.log.run().to_owned();
        let of_types = types.clone();
        let reverse = blocking(move || source.reverse(&now, &of_types, false)).await;
        let undo = reverse.map_err(journal)?;
        if !undo.conflicts.is_empty() {
            let found = undo.conflicts.iter().map(UndoConflict::to_string).collect();
            return Err(ApplyCause::Changed(found).into());
        }
        let (items, deletes) = ((0..undo.desired.slots.len()).collect(), undo.deletes.len());
        let merged = MergedItems { items, deleted: undo.deletes, run: None };
        let command = RunCommand {
            name: "undo".to_owned(),
            undoes: Some(run),
            recreates: undo.recreates,
            ..RunCommand::default()
        };
        let request = Self::new(page, undo.desired).types(types).merged(merged);
        let request = request.settings(settings.command(Some(command)));
        Ok(Some(request.max_deletes(deletes).allow_empty(true)))
    }
}

/// Returns the newest run of a page that wrote something and was not taken back.
fn newest(runs: JournalStore) -> io::Result<Option<UndoSource>> {
    let logs: Vec<_> = runs.list()?.into_iter().filter_map(|run| run.log.ok()).collect();
    let undoes = |log: &JournalEntries| log.opening().command.as_ref()?.undoes.clone();
    let done = logs.iter().filter(|log| log.state() == RunState::Done);
    let undone: BTreeSet<String> = done.filter_map(undoes).collect();
    let is_left = |log: &JournalEntries| {
        log.has_effect() && undoes(log).is_none() && !undone.contains(log.run())
    };
    let log = logs.into_iter().rev().find(is_left);
    Ok(log.map(|log| UndoSource { log, store: runs.clone(), runs }))
}

fn journal(error: io::Error) -> ApplyError {
    ApplyCause::Journal(error).into()
}
