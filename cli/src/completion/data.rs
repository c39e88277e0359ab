//! Data for completion: what earlier commands have cached, and the words of the command line. Each part is read when a candidate needs it,
//! because the candidates of most words need none.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::Command;
use links_pages::apply::{JournalStore, RunHeader};

use crate::auth::{Accounts, AccountsFile};
use crate::cache::load_slot_types;
use crate::cache::resource_names::ResourceNames;
use crate::context::Context;
use crate::journal;
use crate::output::format::Format;
use crate::schema::slot_types::SlotTypeCatalog;
use crate::settings;
use crate::settings::global_args::GlobalArgs;
use crate::settings::partial_line::PartialLine;
use crate::ui::Ui;

/// Maximum number of runs that are offered.
const RUNS: usize = 20;

/// Data for completion. A part that cannot be read is empty.
pub(super) struct CompletionData {
    pub(super) words: Vec<String>,
    command: fn() -> Command,
    names: OnceLock<ResourceNames>,
    types: OnceLock<Option<SlotTypeCatalog>>,
    accounts: OnceLock<Option<Accounts>>,
}

impl CompletionData {
    /// Reads nothing yet.
    pub(super) fn new(words: &[OsString], command: fn() -> Command) -> Self {
        Self {
            words: words.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
            command,
            names: OnceLock::new(),
            types: OnceLock::new(),
            accounts: OnceLock::new(),
        }
    }

    /// Names of pages, slots and forms.
    pub(super) fn names(&self) -> &ResourceNames {
        let file = || self.context()?.names_file();
        self.names.get_or_init(|| file().map(|path| ResourceNames::load(&path)).unwrap_or_default())
    }

    /// Slot types.
    pub(super) fn slot_types(&self) -> Option<&SlotTypeCatalog> {
        let load = || load_slot_types(&self.context()?.slot_types_file()?, None);
        self.types.get_or_init(load).as_ref()
    }

    /// Accounts of this machine.
    pub(super) fn known_accounts(&self) -> Option<&Accounts> {
        let load = || AccountsFile::new(self.context()?.config_directory().ok()?).load().ok();
        self.accounts.get_or_init(load).as_ref()
    }

    /// Newest runs of this machine.
    pub(super) fn newest_runs(&self) -> Vec<(String, RunHeader)> {
        let read = || {
            let context = self.context()?;
            let (state, service) =
                (context.settings.state_directory()?, journal::service(&context)?);
            JournalStore::newest(&state, &service, RUNS).ok()
        };
        read().unwrap_or_default()
    }

    /// Returns a context for the service of the line, which knows the files of earlier commands.
    fn context(&self) -> Option<Context> {
        let settings = settings::of_process(&of_service(&self.words)).ok()?;
        Some(Context::new(settings, Ui::plain(Format::Table), self.command))
    }

    /// Returns the page that the line names, if it is known.
    pub(super) fn page(&self) -> Option<&str> {
        self.words.iter().skip(3).map(|word| key(word)).find(|key| self.names().has_page(key))
    }

    /// Returns the slot type that the line names, by its own name or by the id of a slot.
    pub(super) fn kind(&self) -> Option<String> {
        let types = self.slot_types()?;
        self.words.iter().skip(3).find_map(|word| {
            if let Some(found) = types.get(word) {
                return Some(found.kind.clone());
            }
            let id: i64 = word.parse().ok()?;
            let slots = self.names().slots_of(self.page());
            Some(slots.into_iter().find(|it| it.id == id)?.kind)
        })
    }
}

/// Returns the key of a page in a word: the whole word, or the end of a URL.
fn key(word: &str) -> &str {
    word.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Returns the arguments of the line that select the service, and with it the known names.
fn of_service(words: &[String]) -> GlobalArgs {
    let GlobalArgs { base_url, account, sandbox, .. } = PartialLine::read(words).global;
    GlobalArgs { base_url, account, sandbox, ..GlobalArgs::default() }
}
