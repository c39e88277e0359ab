//! Settings of a run: its journal, and what it does about other runs and lost slots.

use std::path::PathBuf;

use super::journal::{JournalPositions, JournalStore};
use super::page_turns::ended_turns;
use super::{RunCommand, RunOwner};
use links_sdk::runs::blocking;
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
    path: Option<String>,
    owner: Option<RunOwner>,
    command: Option<RunCommand>,
    wait: bool,
    allow_emptied: bool,
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

    /// Returns the runs of a page of a client, if there is a journal.
    pub(crate) fn store(&self, client: &Client, page: ProfileId) -> Option<JournalStore> {
        let service = self.service.as_deref().unwrap_or_else(|| client.base_url().as_str());
        self.state.as_ref().map(|state| JournalStore::of(state, service, page))
    }

    /// Returns the settings of the pages of a client.
    pub(crate) fn of(self, client: &Client) -> PageSettings {
        let Self { state, service, path, owner, command, wait, allow_emptied } = self;
        let service = service.unwrap_or_else(|| client.base_url().as_str().to_owned());
        let record = state.map(|state| JournalSettings { state, service, path, owner, command });
        PageSettings { record, wait, allow_emptied }
    }
}

/// Settings of a run on a page.
#[derive(Clone, Debug)]
pub(crate) struct PageSettings {
    pub(super) record: Option<JournalSettings>,
    /// Set to wait for another run on the page.
    pub(super) wait: bool,
    /// Set if the page may have lost all of its slots.
    pub(super) allow_emptied: bool,
}

/// What other runs had done at one moment.
#[derive(Debug, Default)]
pub(super) struct RunMarks {
    /// Number of turns of this process that had ended.
    pub(super) turns: u64,
    /// Ends of the journals of all pages.
    pub(super) journals: Option<JournalPositions>,
}

/// Settings of the journal of a run on a page.
#[derive(Clone, Debug)]
pub(crate) struct JournalSettings {
    pub(super) state: PathBuf,
    pub(super) service: String,
    pub(super) path: Option<String>,
    pub(super) owner: Option<RunOwner>,
    pub(super) command: Option<RunCommand>,
}

impl PageSettings {
    /// Returns what other runs have done so far.
    pub(super) async fn marks(&self) -> RunMarks {
        let turns = ended_turns();
        let Some(JournalSettings { state, service, .. }) = self.record.clone() else {
            return RunMarks { turns, journals: None };
        };
        let journals = blocking(move || JournalPositions::of(&state, &service)).await;
        RunMarks { turns, journals: Some(journals) }
    }
}
