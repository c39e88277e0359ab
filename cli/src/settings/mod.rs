//! Settings of a run: service, token, directories, and form of the output.

pub(crate) mod config_file;
mod connection_files;
pub(crate) mod dirs;
pub(crate) mod global_args;
mod load;
mod of_accounts;
pub(crate) mod pacing;
pub(crate) mod partial_line;
mod resolve;
pub(crate) mod service_url;

use std::path::PathBuf;
use std::time::Duration;

use connection_files::ConnectionFiles;
use global_args::{Color, SandboxMode};
use pacing::SharedPacing;
use service_url::ServiceUrl;

use crate::auth::{Account, AccountName};
use crate::output::format::Format;

pub(crate) use load::{color_of_process, of_process, without_config};
pub(crate) use resolve::resolve;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Format of the output.
    pub(crate) output: Format,
    /// Service that requests go to.
    pub(crate) target: ServiceTarget,
    /// Origin of the token.
    pub(crate) token: TokenOrigin,
    /// Account that the user names.
    pub(crate) account: Option<NamedAccount>,
    /// URL of the connector, if the environment names it.
    pub(crate) mcp_url: Option<String>,
    /// Directory of the configuration, if the user names one.
    pub(crate) config_dir: Option<PathBuf>,
    /// Directory of journals, backups and locks, if the user names one.
    pub(crate) state_dir: Option<PathBuf>,
    /// Directories whose files are trusted whoever owns them, in the form of `PATH`.
    pub(crate) safe_directory: Option<String>,
    /// Maximum wait for the rate limits.
    pub(crate) max_wait: Option<Duration>,
    /// Server that shares the rate limits between machines.
    pub(crate) pacing: Option<SharedPacing>,
    /// Directory of the caches, if the user names one.
    pub(crate) cache_dir: Option<PathBuf>,
    /// Command line of the user's editor.
    pub(crate) editor: Option<String>,
    /// Command line of the user's browser.
    pub(crate) browser: Option<String>,
    /// Use of colour.
    pub(crate) color: Color,
    /// Set if the progress of long work is shown.
    pub(crate) progress: bool,
    /// Detail about requests: 0 for none, 1 for a line each, 2 for headers and bodies.
    pub(crate) verbose: u8,
    /// Time limit per call, including waits and retries, if the user sets one.
    pub(crate) timeout: Option<Duration>,
    /// Set if every write has to be planned before.
    pub(crate) plan_first: bool,
    /// Files with certificates for the connections to the service.
    pub(crate) connection: ConnectionFiles,
}

impl Settings {
    /// Returns the directory of the configuration and the accounts.
    pub(crate) fn config_directory(&self) -> Option<PathBuf> {
        dirs::config(self.config_dir.clone())
    }

    /// Returns the directory of journals, backups and locks.
    pub(crate) fn state_directory(&self) -> Option<PathBuf> {
        dirs::state(self.state_dir.clone())
    }

    /// Returns the directory of the caches.
    pub(crate) fn cache_directory(&self) -> Option<PathBuf> {
        dirs::cache(self.cache_dir.clone())
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

/// Account that the user names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedAccount {
    /// Name, which need not be that of an account.
    pub(crate) name: AccountName,
    /// Set if the account is named on the command line rather than in the environment.
    pub(crate) by_flag: bool,
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
pub(crate) const OF_CONFIG: &str = "`base-url` of config.toml";
/// Origin of a URL of an account.
pub(crate) const OF_ACCOUNT: &str = "the account";

/// Function that returns the value of an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

impl std::fmt::Debug for TokenOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(_) => f.write_str("Variable(***)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Account(name, _) => f.debug_tuple("Account").field(name).finish(),
            Self::Nowhere(missing) => f.debug_tuple("Nowhere").field(missing).finish(),
        }
    }
}

#[cfg(test)]
mod tests;
