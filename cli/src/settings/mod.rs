//! Where each setting comes from: flag over environment over configuration file over default, in pure functions.

pub(crate) mod config_file;
pub(crate) mod dirs;
pub(crate) mod global_args;
pub(crate) mod service_url;

use std::path::PathBuf;
use std::time::Duration;

use config_file::Config;
use global_args::{Color, GlobalArgs};
use service_url::ServiceUrl;

use crate::auth::{Account, AccountName, Accounts, AccountsFile};
use crate::env_vars;
use crate::error::CommandError;
use crate::output::format::Format;

/// What a run works with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// How data is printed.
    pub(crate) output: Format,
    /// Which service is spoken to.
    pub(crate) target: ServiceTarget,
    /// Where the token is.
    pub(crate) token: TokenOrigin,
    /// The account that is named, if one is.
    pub(crate) account: Option<NamedAccount>,
    /// The connector's URL, if the environment names it.
    pub(crate) mcp_url: Option<String>,
    /// The directory of configuration, if the user names one.
    pub(crate) config_dir: Option<PathBuf>,
    /// The directory of state that outlives a run, if the user names one.
    pub(crate) state_dir: Option<PathBuf>,
    /// Longest wait for the rate limits, if there is one.
    pub(crate) max_wait: Option<Duration>,
    /// The directory of what can be fetched again, if the user names one.
    pub(crate) cache_dir: Option<PathBuf>,
    /// The command line of the user's editor.
    pub(crate) editor: Option<String>,
    /// The command line of the user's browser.
    pub(crate) browser: Option<String>,
    /// When colour is used.
    pub(crate) color: Color,
    /// Whether long work shows its progress.
    pub(crate) progress: bool,
    /// How much is said about requests: nothing, a line each, everything.
    pub(crate) verbose: u8,
    /// Longest time for one call, if the user sets one.
    pub(crate) timeout: Option<Duration>,
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

    /// Returns the directory of what can be fetched again.
    pub(crate) fn cache_directory(&self) -> Option<PathBuf> {
        dirs::cache(self.cache_dir.clone())
    }
}

/// Which service is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServiceTarget {
    /// The one at a URL; with what named it.
    Service(ServiceUrl),
    /// The embedded one.
    Sandbox,
    /// None was named.
    Unset,
}

/// An account by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedAccount {
    /// Its name, which no account may have.
    pub(crate) name: AccountName,
    /// It stands on the command line, and not in the environment.
    pub(crate) by_flag: bool,
}

/// Where the token is. It is read only when the service is spoken to.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum TokenOrigin {
    /// In the environment.
    Variable(String),
    /// In a file.
    File(PathBuf),
    /// With an account.
    Account(AccountName, Account),
    /// Nowhere.
    Nowhere(MissingToken),
}

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MissingToken {
    /// None was given, and there is no account for the URL.
    NotLoggedIn,
    /// No account has the name.
    NoSuchAccount(AccountName),
    /// These accounts are at the URL, and none of them is the current one.
    Several(Vec<AccountName>),
    /// The token of this variable goes to a URL of the command line or the environment only, and the configuration file names this
    /// one.
    OnlyForNamed(&'static str),
    /// The account is at another origin than the URL.
    OtherOrigin(AccountName, Account),
}

/// What names a URL that comes from the configuration file.
pub(crate) const OF_CONFIG: &str = "`base-url` of config.toml";
/// What names a URL that comes from an account.
pub(crate) const OF_ACCOUNT: &str = "the account";

/// Reads an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settles every setting.
///
/// # Errors
///
/// When a variable holds a word that is none of its values.
pub(crate) fn resolve(
    flags: &GlobalArgs,
    env: Env<'_>,
    config: &Config,
) -> Result<Settings, CommandError> {
    let named_by_env = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let address_from =
        if named_by_env(env_vars::BASE_URL) { env_vars::BASE_URL } else { OF_CONFIG };
    let env = layered(env, config);
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let output = match (flags.output, set(env_vars::OUTPUT)) {
        (Some(format), _) => format,
        (None, _) if flags.jq.is_some() => Format::Json,
        (None, Some(word)) => Format::from_word(&word).ok_or_else(|| {
            CommandError::usage(format!(
                "LINKS_OUTPUT is `{word}`, which is none of {}",
                Format::words()
            ))
        })?,
        (None, None) => Format::Table,
    };
    let target = match (&flags.base_url, flags.sandbox, set(env_vars::BASE_URL)) {
        (Some(address), ..) => {
            ServiceTarget::Service(ServiceUrl::new(address.clone(), "--base-url"))
        }
        (None, true, _) => ServiceTarget::Sandbox,
        (None, false, address) => {
            match (is_on(env_vars::SANDBOX, set(env_vars::SANDBOX).as_deref())?, address) {
                (true, _) => ServiceTarget::Sandbox,
                (false, Some(address)) => {
                    ServiceTarget::Service(ServiceUrl::new(address, address_from))
                }
                (false, None) => ServiceTarget::Unset,
            }
        }
    };
    // An empty LINKS_TOKEN is kept: it is a mistake to name, not a token to look for elsewhere.
    let token = match (env(env_vars::TOKEN), set(env_vars::TOKEN_FILE)) {
        (Some(_), _) if is_of_config(&target) => {
            TokenOrigin::Nowhere(MissingToken::OnlyForNamed(env_vars::TOKEN))
        }
        (None, Some(_)) if is_of_config(&target) => {
            TokenOrigin::Nowhere(MissingToken::OnlyForNamed(env_vars::TOKEN_FILE))
        }
        (Some(token), _) => TokenOrigin::Variable(token),
        (None, Some(path)) => TokenOrigin::File(path.into()),
        (None, None) => TokenOrigin::Nowhere(MissingToken::NotLoggedIn),
    };
    let account = match (&flags.account, set(env_vars::ACCOUNT)) {
        (Some(name), _) => Some(NamedAccount { name: name.clone(), by_flag: true }),
        (None, Some(name)) => {
            let name =
                name.parse().map_err(|why| CommandError::usage(format!("LINKS_ACCOUNT: {why}")))?;
            Some(NamedAccount { name, by_flag: false })
        }
        (None, None) => None,
    };
    let max_wait = match (flags.max_wait, set(env_vars::MAX_WAIT)) {
        (Some(seconds), _) => Some(seconds),
        (None, Some(text)) => Some(text.parse().map_err(|_| {
            CommandError::usage(format!("LINKS_MAX_WAIT is `{text}`, not a number of seconds"))
        })?),
        (None, None) => None,
    };
    Ok(Settings {
        output,
        target,
        token,
        account,
        mcp_url: set(env_vars::MCP_URL),
        config_dir: set(env_vars::CONFIG_DIR).map(Into::into),
        state_dir: set(env_vars::STATE_DIR).map(Into::into),
        max_wait: max_wait.map(Duration::from_secs),
        cache_dir: set(env_vars::CACHE_DIR).map(Into::into),
        color: color(flags.color, &set)?,
        progress: !flags.no_progress
            && is_on(env_vars::PROGRESS, Some(&set(env_vars::PROGRESS).unwrap_or("1".into())))?,
        verbose: verbose(flags.verbose, set(env_vars::LOG).as_deref())?,
        timeout: seconds(flags.timeout, env_vars::TIMEOUT, set(env_vars::TIMEOUT).as_deref())?,
        editor: set("VISUAL").or_else(|| set("EDITOR")),
        browser: set("BROWSER"),
    })
}

impl Settings {
    /// Whether an account of this machine may be meant.
    fn needs_accounts(&self) -> bool {
        let by_flag = self.account.as_ref().is_some_and(|it| it.by_flag);
        let given = matches!(
            self.token,
            TokenOrigin::Variable(_)
                | TokenOrigin::File(_)
                | TokenOrigin::Nowhere(MissingToken::OnlyForNamed(_))
        );
        self.target != ServiceTarget::Sandbox && (by_flag || !given)
    }

    /// The same with what the accounts of this machine add. A token of the environment goes with a URL of the command line or the
    /// environment only, and an account's with its own origin only.
    #[must_use]
    pub(crate) fn with(mut self, accounts: &Accounts) -> Self {
        if !self.needs_accounts() {
            return self;
        }
        let name = match (&self.account, &self.target) {
            (Some(named), _) => Some(&named.name),
            (None, ServiceTarget::Service(url)) => {
                let origin = url.origin().unwrap_or_default();
                match *accounts.at(&origin) {
                    [first] => Some(first),
                    [first, ..] if accounts.current.as_ref() == Some(first) => Some(first),
                    [] => None,
                    ref several => {
                        let several = several.iter().copied().cloned().collect();
                        self.token = TokenOrigin::Nowhere(MissingToken::Several(several));
                        return self;
                    }
                }
            }
            (None, _) => accounts.current.as_ref(),
        };
        let Some(name) = name.cloned() else { return self };
        match accounts.known.get(&name) {
            Some(account) => self.pair(name, account),
            None => Self { token: TokenOrigin::Nowhere(MissingToken::NoSuchAccount(name)), ..self },
        }
    }

    /// The same with an account, and with its URL unless another one at its origin is named.
    fn pair(mut self, name: AccountName, account: &Account) -> Self {
        let takes_its_own = match &self.target {
            ServiceTarget::Service(url) => {
                let is_there = url.origin() == account.origin();
                // The file only says what is meant where nothing else does.
                if !(is_there || url.from == OF_CONFIG) {
                    self.token =
                        TokenOrigin::Nowhere(MissingToken::OtherOrigin(name, account.clone()));
                    return self;
                }
                !is_there
            }
            ServiceTarget::Sandbox | ServiceTarget::Unset => true,
        };
        if takes_its_own {
            let url = ServiceUrl::new(account.base_url.clone(), OF_ACCOUNT);
            self.target = ServiceTarget::Service(url);
        }
        self.token = TokenOrigin::Account(name, account.clone());
        self
    }
}

/// The settings of this process: those of its environment, its configuration file and its accounts.
///
/// # Errors
///
/// When a variable or the file holds something that is none of ours.
pub(crate) fn of_process(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    let named = env(env_vars::CONFIG_DIR).filter(|it| !it.is_empty());
    let config = match dirs::config(named.map(Into::into)) {
        Some(folder) => Config::load(&config_file::path(Some(folder))?)?,
        None => Config::default(),
    };
    let settings = resolve(flags, &env, &config)?;
    let accounts = match settings.config_directory() {
        Some(folder) if settings.needs_accounts() => AccountsFile::new(folder).load()?,
        _ => Accounts::default(),
    };
    Ok(settings.with(&accounts))
}

/// The settings without the file, for the commands that mend it.
///
/// # Errors
///
/// When a variable holds something that is none of ours.
pub(crate) fn without_config(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    resolve(flags, &env, &Config::default())
}

/// A variable of this process. What is no text is none of ours, and is to be seen as such rather than not at all.
fn env(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// What a variable is: as the environment says, else as the configuration file says.
pub(crate) fn layered(env: Env<'_>, config: &Config) -> impl Fn(&str) -> Option<String> {
    move |name| {
        env(name)
            .filter(|it| !it.is_empty())
            .or_else(|| config.of_variable(name))
            .or_else(|| env(name))
    }
}

/// The flag, then the two variables that all programs share, then ours.
fn color(flag: Option<Color>, set: &dyn Fn(&str) -> Option<String>) -> Result<Color, CommandError> {
    let forced = set("CLICOLOR_FORCE").is_some_and(|it| it != "0");
    Ok(match (flag, set("NO_COLOR"), set(env_vars::COLOR)) {
        (Some(when), ..) => when,
        (None, Some(_), _) => Color::Never,
        (None, None, _) if forced => Color::Always,
        (None, None, Some(word)) => {
            <Color as clap::ValueEnum>::from_str(&word, false).map_err(|_| {
                CommandError::usage(format!("LINKS_COLOR is `{word}`, not auto, always or never"))
            })?
        }
        (None, None, None) if set("TERM").is_some_and(|it| it == "dumb") => Color::Never,
        (None, None, None) => Color::Auto,
    })
}

/// When to use colour where nothing but the environment is known.
pub(crate) fn color_of_process(flag: Option<Color>) -> Color {
    color(flag, &env).unwrap_or(Color::Auto)
}

fn is_of_config(target: &ServiceTarget) -> bool {
    matches!(target, ServiceTarget::Service(url) if url.from == OF_CONFIG)
}

fn verbose(flags: u8, variable: Option<&str>) -> Result<u8, CommandError> {
    match (flags, variable) {
        (0, None | Some("0")) => Ok(0),
        (0, Some("1")) => Ok(1),
        (0, Some("2")) => Ok(2),
        (0, Some(word)) => {
            Err(CommandError::usage(format!("LINKS_LOG is `{word}`, not 0, 1 or 2")))
        }
        (flags, _) => Ok(flags),
    }
}

fn seconds(
    flag: Option<u32>,
    name: &str,
    variable: Option<&str>,
) -> Result<Option<Duration>, CommandError> {
    let seconds = match (flag, variable) {
        (Some(seconds), _) => Some(seconds),
        (None, Some(text)) => Some(text.parse().ok().filter(|it| *it > 0).ok_or_else(|| {
            CommandError::usage(format!("{name} is `{text}`, not a number of seconds"))
        })?),
        (None, None) => None,
    };
    Ok(seconds.map(|it| Duration::from_secs(it.into())))
}

fn is_on(name: &str, value: Option<&str>) -> Result<bool, CommandError> {
    match value {
        None | Some("0" | "false" | "no" | "off") => Ok(false),
        Some("1" | "true" | "yes" | "on") => Ok(true),
        Some(word) => Err(CommandError::usage(format!("{name} is `{word}`, not 1 or 0"))),
    }
}

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
