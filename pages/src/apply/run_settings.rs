//! Settings of a run: its journal, and what it does about other runs and lost slots.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::journal::{JournalPosition, JournalStore};
use super::page_turns::ended_turns;
use super::{PageSnapshot, ReadPage, RunCommand, RunHeader, RunOwner, SingleWrite};
use crate::profile_key::{id_in, names};
use links_sdk::runs::{self, blocking};
use links_sdk::{Client, Error, ProfileId, ProfileKey};

/// Settings of a run over one or several pages, for the `settings` method of its request.
///
/// ```
/// use links_pages::apply::RunSettings;
///
/// let mut settings = RunSettings::new().journal("state");
/// settings.wait = true;
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// Directory of the journals; see [`journal`](Self::journal).
    pub state: Option<PathBuf>,
    /// Name of the service in the journals, instead of its URL.
    pub service: Option<String>,
    /// Path of the file for the run. A [`PageRequest`](super::PageRequest) has the path of its page.
    pub path: Option<String>,
    /// Owner of the run, as far as it is known.
    pub owner: RunOwner,
    /// Command of the run, for the journals.
    pub command: RunCommand,
    /// Set to wait for another run on a page instead of failing, up to the [`deadline`](links_sdk::ClientBuilder::deadline) of the client
    /// if it has one. Without a journal, runs of this process take turns on a page in any case, and wait up to that deadline, or two
    /// minutes.
    pub wait: bool,
    /// Set to accept pages that are empty although the last run left slots on them.
    pub allow_emptied: bool,
    /// Set for a run that adds its new slots each time. Other runs that create the same slots on the same page at the same moment, on any
    /// machine, create them once.
    pub adds: bool,
    /// Pages that were already read to check for changes.
    pub read: ReadPages,
}

impl RunSettings {
    /// Returns the settings of a run without a journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a journal for each page in this directory, and excludes other processes that do the same. The next run for the same content
    /// continues an interrupted run.
    #[must_use]
    pub fn journal(mut self, state: impl Into<PathBuf>) -> Self {
        self.state = Some(state.into());
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

    /// Returns the write of a form, or the one that creates a page, with a journal of its own if the command of the run has a name: the runs of a
    /// page are below its ID. `name` is that of what is written, `form` the ID of the form.
    pub(crate) fn single_write(
        &self,
        client: &Client,
        name: &str,
        form: Option<&str>,
    ) -> SingleWrite {
        let target = || {
            let state = self.state.as_ref().filter(|_| !self.command.name.is_empty())?;
            let command = self.command.clone();
            let service = self.service_of(client);
            let time = runs::clock(client).wall();
            let mut header = RunHeader::of_command(service, command, (0, name), time);
            (header.owner, header.form) = (self.owner.clone(), form.map(str::to_owned));
            Some((JournalStore::of_commands(state, service), header))
        };
        SingleWrite::new(target())
    }

    /// Returns what other runs have done so far on pages, of which those without an ID are not known yet.
    pub(super) async fn marks(&self, client: &Client, pages: &[Option<ProfileId>]) -> RunMarks {
        let turns = ended_turns();
        let journals = match self.state.clone() {
            Some(state) => {
                let (service, pages) = (self.service_of(client).to_owned(), pages.to_vec());
                blocking(move || JournalStore::marks(&state, &service, &pages)).await
            }
            None => BTreeMap::new(),
        };
        RunMarks { turns, journals }
    }
}

/// Pages that were read before a run. The run does not read them again.
#[derive(Clone, Debug, Default)]
pub struct ReadPages {
    pages: Vec<ReadPage>,
    /// What other runs had done before.
    pub(super) marks: Option<RunMarks>,
}

impl ReadPages {
    /// Starts reading pages with these keys for a run with these settings.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageRequest, ReadPages, Run, RunSettings};
    ///
    /// let mut settings = RunSettings::new();
    /// let keys = ["cafe".parse()?];
    /// let mut read = ReadPages::begin(&client, &settings, &keys).await;
    /// let before = read.read(&client, &keys[0], false).await?.digest().map(str::to_owned);
    /// // The run takes the page as it was read.
    /// settings.read = read;
    /// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
    /// let run = Run::plan(&client, vec![request], settings).await?;
    /// assert_eq!(run.open(0).await?.snapshot().digest(), before);
    /// assert_eq!(client.requests_sent(), 1);
    /// # Ok(()) });
    /// ```
    pub async fn begin(client: &Client, settings: &RunSettings, keys: &[ProfileKey]) -> Self {
        let ids: Vec<_> = keys.iter().map(id_in).collect();
        Self { pages: Vec::new(), marks: Some(settings.marks(client, &ids).await) }
    }

    /// Reads a page, with the code of its language on request.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{ReadPages, RunSettings};
    ///
    /// let keys = ["cafe".parse()?];
    /// let mut read = ReadPages::begin(&client, &RunSettings::new(), &keys).await;
    /// assert_eq!(read.read(&client, &keys[0], false).await?.head().login, "cafe");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or does not exist.
    pub async fn read(
        &mut self,
        client: &Client,
        key: &ProfileKey,
        with_language: bool,
    ) -> Result<&ReadPage, Error> {
        self.pages.push(ReadPage::read(client, key, with_language).await?);
        Ok(&self.pages[self.pages.len() - 1])
    }

    /// Returns the page of a key, if it was read.
    pub(super) fn page(&self, key: &ProfileKey) -> Option<PageSnapshot> {
        let is_its = |page: &&ReadPage| names(key, page.head().id, &page.head().login);
        self.pages.iter().find(is_its)?.snapshot()
    }
}

/// What other runs had done at one moment.
#[derive(Clone, Debug)]
pub(super) struct RunMarks {
    /// Number of turns of this process that had ended.
    pub turns: u64,
    /// Ends of the journals of the pages, as far as they were known.
    pub journals: BTreeMap<ProfileId, JournalPosition>,
}
