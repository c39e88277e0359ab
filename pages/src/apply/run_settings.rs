//! Settings of a run: its journal, and what it does about other runs and lost slots.

use std::path::PathBuf;

use super::journal::{JournalPositions, JournalStore};
use super::page_turns::ended_turns;
use super::single_write::SingleWrite;
use super::{RunCommand, RunHeader, RunOwner};
use links_sdk::runs::{self, blocking};
use links_sdk::{Client, ProfileId};

/// Settings of a run over one page or several, for the `settings` method of its request.
///
/// ```
/// use links_pages::apply::RunSettings;
///
/// let settings = RunSettings::new().journal("state").path(Some("cafe.yaml".to_owned())).wait(true);
/// # let _ = settings;
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "the settings have no effect before a request is given them"]
pub struct RunSettings {
    state: Option<PathBuf>,
    service: Option<String>,
    pub(super) path: Option<String>,
    pub(super) owner: Option<RunOwner>,
    pub(super) command: Option<RunCommand>,
    pub(super) wait: bool,
    pub(super) allow_emptied: bool,
}

impl RunSettings {
    /// Returns the settings of a run without a journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a journal for each page below this directory, and excludes other processes that do the same. The next run for the same content
    /// continues one that was interrupted.
    pub fn journal(mut self, state: impl Into<PathBuf>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// Sets the name of the service in the journals, instead of its URL.
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = Some(name.into());
        self
    }

    /// Sets the path of the file that the run is for. A [`PageRequest`](super::PageRequest) has the path of its page.
    pub fn path(mut self, path: Option<String>) -> Self {
        self.path = path;
        self
    }

    /// Sets the owner of the run.
    pub fn owner(mut self, owner: Option<RunOwner>) -> Self {
        self.owner = owner;
        self
    }

    /// Sets the command that the run belongs to, for the journals.
    pub fn command(mut self, command: Option<RunCommand>) -> Self {
        self.command = command;
        self
    }

    /// Waits for another run on a page instead of failing, up to the [`deadline`](links_sdk::ClientBuilder::deadline) of the client if it has
    /// one. Without a journal, runs of this process take turns on a page anyway, and wait up to that deadline, or two minutes.
    pub fn wait(mut self, wait: bool) -> Self {
        self.wait = wait;
        self
    }

    /// Accepts pages that read empty although the last run left slots on them.
    pub fn allow_emptied(mut self, allow: bool) -> Self {
        self.allow_emptied = allow;
        self
    }

    /// Returns the name of the service of a client in the journals.
    pub(super) fn service_of<'s>(&'s self, client: &'s Client) -> &'s str {
        self.service.as_deref().unwrap_or_else(|| client.base_url().as_str())
    }

    /// Returns the runs of a page of a client, if there is a journal.
    pub(crate) fn store(&self, client: &Client, page: ProfileId) -> Option<JournalStore> {
        let state = self.state.as_ref()?;
        Some(JournalStore::of(state, self.service_of(client), page))
    }

    /// Returns the write that creates a page, with a journal of its own if the command of the run is known: the runs of a page are below its
    /// id.
    pub(super) fn page_creation(&self, client: &Client, login: &str) -> SingleWrite {
        let target = || {
            let (state, command) = (self.state.as_ref()?, self.command.clone()?);
            let service = self.service_of(client);
            let time = runs::clock(client).wall();
            let header = RunHeader::of_command(service, command, (0, login), time);
            let store = JournalStore::of_commands(state, service);
            Some((store, header.with_owner(self.owner.clone())))
        };
        SingleWrite::new(target())
    }

    /// Returns what other runs have done so far.
    pub(super) async fn marks(&self, client: &Client) -> RunMarks {
        let turns = ended_turns();
        let Some(state) = self.state.clone() else { return RunMarks { turns, journals: None } };
        let service = self.service_of(client).to_owned();
        let journals = blocking(move || JournalPositions::of(&state, &service)).await;
        RunMarks { turns, journals: Some(journals) }
    }
}

/// What other runs had done at one moment.
#[derive(Debug, Default)]
pub(super) struct RunMarks {
    /// Number of turns of this process that had ended.
    pub(super) turns: u64,
    /// Ends of the journals of all pages.
    pub(super) journals: Option<JournalPositions>,
}
