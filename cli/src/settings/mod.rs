//! Settings of a run: service, token, directories, and form of the output.

pub(crate) mod config_file;
pub(crate) mod connection;
pub(crate) mod global_args;
mod resolve;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use connection::{ConnectionFiles, SharedPacing};
use directories::ProjectDirs;
use global_args::{Color, SandboxMode};
use links_sdk::{BaseUrl, InvalidValue};
#[cfg(test)]
pub(crate) use resolve::resolve;
pub(crate) use resolve::{color_of_process, of_process, without_config};

use crate::auth::{Account, AccountName, Accounts, AccountsFile};
use crate::env_vars::{CONFIG_DIR, STATE_DIR, TOKEN, TOKEN_FILE};
use crate::error::{CommandError, Result};
use crate::output::format::Format;

/// Settings of a run.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Format of the output.
    pub(crate) output: Format,
    /// Service that requests go to.
    pub(crate) target: ServiceTarget,
    /// Origin of the token.
    pub(crate) token: TokenOrigin,
    /// Name that the user gives for an account, which need not be that of one.
    pub(crate) account: Option<AccountName>,
    /// Set if it is given on the command line rather than in the environment.
    pub(crate) is_account_by_flag: bool,
    /// URL of the connector, if the environment names it.
    pub(crate) mcp_url: Option<String>,
    /// File that requests and responses are recorded in.
    pub(crate) record: Option<PathBuf>,
    /// Directory of the configuration, if the user names one.
    config_dir: Option<PathBuf>,
    /// Directory of journals, backups and locks, if the user names one.
    state_dir: Option<PathBuf>,
    /// Directories whose files are trusted whoever owns them, in the form of `PATH`.
    pub(crate) safe_directory: Option<String>,
    /// Maximum wait for the rate limits.
    pub(crate) max_wait: Option<Duration>,
    /// Set if a fifth of each rate limit is left to people.
    pub(crate) is_background: bool,
    /// Server that shares the rate limits between machines.
    pub(crate) pacing: Option<SharedPacing>,
    /// Directory of the caches, if the user names one.
    cache_dir: Option<PathBuf>,
    /// Command line of the user's editor.
    pub(crate) editor: Option<String>,
    /// Command line of the user's browser.
    pub(crate) browser: Option<String>,
    /// Use of colour.
    pub(crate) color: Color,
    /// Set if the progress of long work is shown.
    pub(crate) progress: bool,
    /// Set if `apply` asks about every change on a terminal, and not only about deletes, uploads and what cannot be undone.
    pub(crate) confirms_all: bool,
    /// Detail about requests: 0 for none, 1 for a line each, 2 for headers and bodies.
    pub(crate) verbose: u8,
    /// Time limit per call, including waits and retries, if the user sets one.
    pub(crate) timeout: Option<Duration>,
    /// Set if every write has to be planned before.
    pub(crate) plan_first: bool,
    /// True if outputs say where data begins and ends.
    pub(crate) marks_data: bool,
    /// Files with certificates for the connections to the service.
    pub(crate) connection: ConnectionFiles,
}

impl Settings {
    /// Returns the directory of the configuration and the accounts.
    pub(crate) fn config_directory(&self) -> Option<PathBuf> {
        config_directory(self.config_dir.clone())
    }

    /// Returns the same directory, without which some commands do nothing.
    pub(crate) fn needed_config_directory(&self) -> Result<PathBuf> {
        self.config_directory().ok_or_else(|| {
            CommandError::usage("cannot find the configuration directory: no home directory")
                .with_hint(format!("set {CONFIG_DIR} to a directory"))
        })
    }

    /// Returns the accounts of this machine. A file that cannot be read is reported by the command that needs it.
    pub(crate) fn accounts(&self) -> Accounts {
        let file = self.config_directory().map(AccountsFile::new);
        file.and_then(|file| file.load().ok()).unwrap_or_default()
    }

    /// Returns the directory of journals, backups and locks.
    pub(crate) fn state_directory(&self) -> Option<PathBuf> {
        self.state_dir.clone().or_else(|| {
            let dirs = platform_directories()?;
            Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
        })
    }

    /// Returns the same directory, without which some commands do nothing.
    pub(crate) fn needed_state_directory(&self) -> Result<PathBuf> {
        self.state_directory().ok_or_else(|| {
            CommandError::usage("cannot find the state directory: no home directory")
                .with_hint(format!("set {STATE_DIR} to a directory"))
        })
    }

    /// Returns the directory of the caches.
    pub(crate) fn cache_directory(&self) -> Option<PathBuf> {
        let platform = || Some(platform_directories()?.cache_dir().to_owned());
        self.cache_dir.clone().or_else(platform)
    }
}

/// Service that requests go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServiceTarget {
    /// Service at a URL.
    Service(ServiceUrl),
    /// Embedded service.
    Sandbox(SandboxMode),
    /// No service URL is configured.
    Unset,
}

/// Origin of the token, which is read only before the first request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum TokenOrigin {
    /// Variable of the environment.
    Variable(String),
    /// File.
    File(PathBuf),
    /// Account of this machine.
    Account(AccountName, Account),
    /// There is no token.
    Nowhere(MissingToken),
}

/// Reason why there is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MissingToken {
    /// No token was given, and no account belongs to the URL.
    NotLoggedIn,
    /// No account has this name.
    NoSuchAccount(AccountName),
    /// Several accounts belong to the URL, and none of them is the current one.
    Several(Vec<AccountName>),
    /// The URL is that of the configuration file, to which the token of this variable is not sent.
    OnlyForNamed(&'static str),
    /// The account belongs to another origin than the URL.
    OtherOrigin(AccountName, Account),
}

/// Origin of a URL of the configuration file.
const OF_CONFIG: &str = "`base-url` in config.toml";
/// Origin of a URL of the command line.
pub(crate) const OF_FLAG: &str = "--base-url";
/// Origin of a URL of an account.
pub(crate) const OF_ACCOUNT: &str = "the account";

impl TokenOrigin {
    /// Returns what the token comes from: the variable, or `account`.
    pub(crate) fn source(&self) -> &'static str {
        match self {
            Self::Variable(_) => TOKEN,
            Self::File(_) => TOKEN_FILE,
            Self::Account(..) => "account",
            Self::Nowhere(_) => "none",
        }
    }
}

impl std::fmt::Debug for TokenOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token is shown nowhere.
        f.write_str(self.source())
    }
}

/// Returns the directory of the configuration: the one that the user names, else that of the platform.
fn config_directory(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(platform_directories()?.config_dir().to_owned()))
}

/// Returns the directories of the platform. A machine without a home directory has none.
fn platform_directories() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "links")
}

/// URL of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceUrl {
    /// URL as the user gave it.
    pub(crate) text: String,
    /// Flag, variable or file that the URL comes from.
    pub(crate) from: &'static str,
    parsed: Result<BaseUrl, InvalidValue>,
}

impl ServiceUrl {
    /// Parses a URL; an invalid one is reported when it is needed.
    pub(crate) fn new(text: String, from: &'static str) -> Self {
        Self { parsed: BaseUrl::new(&text), text, from }
    }

    /// Returns the parsed URL.
    ///
    /// # Errors
    ///
    /// When this cannot be the URL of a service; the message names the flag, variable or file.
    pub(crate) fn base(&self) -> Result<&BaseUrl> {
        self.parsed.as_ref().map_err(|error| CommandError::usage(format!("{}: {error}", self.from)))
    }

    /// Returns the origin of a valid URL.
    pub(crate) fn origin(&self) -> Option<String> {
        self.parsed.as_ref().ok().map(BaseUrl::origin)
    }
}
