//! The settings of a process. Resolution of each setting is a pure function: flag over environment over configuration file over default; then
//! the accounts of this machine add the token, and the URL if none is given.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::config_file::{self, Config};
use super::connection::{CertificateFile, ConnectionFiles, shared_pacing};
use super::global_args::{Color, GlobalArgs, SandboxMode};
use super::{
    Env, MissingToken, NamedAccount, OF_ACCOUNT, OF_CONFIG, ServiceTarget, ServiceUrl, Settings,
    TokenOrigin, config_directory,
};
use crate::auth::{Account, AccountName, Accounts, AccountsFile};
use crate::env_vars::{
    ACCOUNT, BASE_URL, CA_FILE, CACHE_DIR, CLIENT_CERT, COLOR, CONFIG_DIR, LOG, MAX_WAIT, MCP_URL,
    OUTPUT, PLAN_FIRST, PROGRESS, SAFE_DIRECTORY, SANDBOX, STATE_DIR, TIMEOUT, TOKEN, TOKEN_FILE,
};
use crate::error::CommandError;
use crate::output::format::Format;

/// Function that returns the value of a variable that is set and not empty.
type NonEmpty<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Resolves every setting, except those that the accounts add.
///
/// # Errors
///
/// When a variable has a value that it cannot have.
pub(crate) fn resolve(
    flags: &GlobalArgs,
    env: Env<'_>,
    config: &Config,
) -> Result<Settings, CommandError> {
    let is_in_env = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let url_from = if is_in_env(BASE_URL) { BASE_URL } else { OF_CONFIG };
    let env = layered(env, config);
    let set: NonEmpty<'_> = &|name| env(name).filter(|value| !value.is_empty());
    let target = target(flags, set, url_from)?;
    let progress = set(PROGRESS).unwrap_or("1".into());
    Ok(Settings {
        output: output(flags, set)?,
        token: token(&target, &env),
        target,
        account: account(flags, set)?,
        mcp_url: set(MCP_URL),
        config_dir: set(CONFIG_DIR).map(Into::into),
        state_dir: set(STATE_DIR).map(Into::into),
        safe_directory: set(SAFE_DIRECTORY),
        max_wait: seconds(flags.max_wait, set, MAX_WAIT, 0..=u64::MAX)?,
        pacing: shared_pacing(set)?,
        cache_dir: set(CACHE_DIR).map(Into::into),
        color: color(flags.color, set)?,
        progress: !flags.no_progress && is_on(PROGRESS, Some(&progress))?,
        verbose: verbose(flags.verbose, set(LOG).as_deref())?,
        timeout: seconds(flags.timeout.map(u64::from), set, TIMEOUT, 1..=u32::MAX.into())?,
        plan_first: is_on(PLAN_FIRST, set(PLAN_FIRST).as_deref())?,
        connection: connection(flags, set),
        editor: set("VISUAL").or_else(|| set("EDITOR")),
        browser: set("BROWSER"),
    })
}

/// Returns the value of a variable from the environment, else from the configuration file. A variable that is empty in the
/// environment yields to the file.
fn layered(env: Env<'_>, config: &Config) -> impl Fn(&str) -> Option<String> {
    move |name| {
        env(name)
            .filter(|value| !value.is_empty())
            .or_else(|| config.of_variable(name))
            .or_else(|| env(name))
    }
}

fn output(flags: &GlobalArgs, set: NonEmpty<'_>) -> Result<Format, CommandError> {
    match (flags.output, set(OUTPUT)) {
        (Some(format), _) => Ok(format),
        (None, _) if flags.jq.is_some() => Ok(Format::Json),
        (None, Some(word)) => Format::from_word(&word).ok_or_else(|| {
            let known = Format::words();
            CommandError::usage(format!("{OUTPUT} must be one of {known}, not `{word}`"))
        }),
        (None, None) => Ok(Format::Table),
    }
}

fn target(
    flags: &GlobalArgs,
    set: NonEmpty<'_>,
    url_from: &'static str,
) -> Result<ServiceTarget, CommandError> {
    if let Some(url) = &flags.base_url {
        return Ok(ServiceTarget::Service(ServiceUrl::new(url.clone(), "--base-url")));
    }
    if let Some(mode) = sandbox(flags, set)? {
        return Ok(ServiceTarget::Sandbox(mode));
    }
    let url = set(BASE_URL).map(|url| ServiceUrl::new(url, url_from));
    Ok(url.map_or(ServiceTarget::Unset, ServiceTarget::Service))
}

/// Returns how the embedded service is used, if it is. The variable can add the limits to the flag.
fn sandbox(flags: &GlobalArgs, set: NonEmpty<'_>) -> Result<Option<SandboxMode>, CommandError> {
    let of_variable = match set(SANDBOX).as_deref() {
        Some("limits") => Some(SandboxMode::Limits),
        Some(word) => match is_on(SANDBOX, Some(word)) {
            Ok(is_on) => is_on.then_some(SandboxMode::Unlimited),
            Err(_) => {
                let message = format!("{SANDBOX} must be 1, 0 or limits, not `{word}`");
                return Err(CommandError::usage(message));
            }
        },
        None => None,
    };
    Ok(match flags.sandbox {
        Some(SandboxMode::Unlimited) => of_variable.or(flags.sandbox),
        mode => mode.or(of_variable),
    })
}

/// Returns the origin of the token of the environment, which is not sent to a URL of the configuration file.
fn token(target: &ServiceTarget, env: Env<'_>) -> TokenOrigin {
    let is_of_config = matches!(target, ServiceTarget::Service(url) if url.from == OF_CONFIG);
    let file = env(TOKEN_FILE).filter(|path| !path.is_empty());
    // An empty LINKS_TOKEN is an error to report, and no reason to look for a token elsewhere.
    match (env(TOKEN), file) {
        (Some(_), _) if is_of_config => TokenOrigin::Nowhere(MissingToken::OnlyForNamed(TOKEN)),
        (None, Some(_)) if is_of_config => {
            TokenOrigin::Nowhere(MissingToken::OnlyForNamed(TOKEN_FILE))
        }
        (Some(token), _) => TokenOrigin::Variable(token),
        (None, Some(path)) => TokenOrigin::File(path.into()),
        (None, None) => TokenOrigin::Nowhere(MissingToken::NotLoggedIn),
    }
}

fn account(flags: &GlobalArgs, set: NonEmpty<'_>) -> Result<Option<NamedAccount>, CommandError> {
    if let Some(name) = &flags.account {
        return Ok(Some(NamedAccount { name: name.clone(), by_flag: true }));
    }
    let Some(name) = set(ACCOUNT) else { return Ok(None) };
    let name = name.parse().map_err(|why| CommandError::usage(format!("{ACCOUNT}: {why}")))?;
    Ok(Some(NamedAccount { name, by_flag: false }))
}

/// Returns a time of a flag, else of a variable, which is within this range.
fn seconds(
    flag: Option<u64>,
    set: NonEmpty<'_>,
    variable: &str,
    range: RangeInclusive<u64>,
) -> Result<Option<Duration>, CommandError> {
    let seconds = match (flag, set(variable)) {
        (None, Some(text)) => {
            let seconds = text.parse().ok().filter(|it| range.contains(it));
            Some(seconds.ok_or_else(|| {
                let message = format!("{variable} must be a number of seconds, not `{text}`");
                CommandError::usage(message)
            })?)
        }
        (flag, _) => flag,
    };
    Ok(seconds.map(Duration::from_secs))
}

fn connection(flags: &GlobalArgs, set: NonEmpty<'_>) -> ConnectionFiles {
    let file = |flag: &Option<PathBuf>, flag_name, variable| {
        let flag = flag.clone().map(|path| CertificateFile { path, from: flag_name });
        flag.or_else(|| {
            set(variable).map(|path| CertificateFile { path: path.into(), from: variable })
        })
    };
    ConnectionFiles {
        authorities: file(&flags.cacert, "--cacert", CA_FILE),
        client: file(&flags.client_cert, "--client-cert", CLIENT_CERT),
    }
}

/// Resolves the use of colour: the flag, then the variables that all programs share, then the variable of this program.
pub(super) fn color(flag: Option<Color>, set: NonEmpty<'_>) -> Result<Color, CommandError> {
    let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    Ok(match (flag, set("NO_COLOR"), set(COLOR)) {
        (Some(when), ..) => when,
        (None, Some(_), _) => Color::Never,
        (None, None, _) if forced => Color::Always,
        (None, None, Some(word)) => {
            <Color as clap::ValueEnum>::from_str(&word, false).map_err(|_| {
                CommandError::usage(format!("{COLOR} must be auto, always or never, not `{word}`"))
            })?
        }
        (None, None, None) if set("TERM").is_some_and(|term| term == "dumb") => Color::Never,
        (None, None, None) => Color::Auto,
    })
}

fn verbose(flags: u8, variable: Option<&str>) -> Result<u8, CommandError> {
    match (flags, variable) {
        (0, None | Some("0")) => Ok(0),
        (0, Some("1")) => Ok(1),
        (0, Some("2")) => Ok(2),
        (0, Some(word)) => {
            Err(CommandError::usage(format!("{LOG} must be 0, 1 or 2, not `{word}`")))
        }
        (flags, _) => Ok(flags),
    }
}

fn is_on(name: &str, value: Option<&str>) -> Result<bool, CommandError> {
    match value {
        None | Some("0" | "false" | "no" | "off") => Ok(false),
        Some("1" | "true" | "yes" | "on") => Ok(true),
        Some(word) => Err(CommandError::usage(format!("{name} must be 1 or 0, not `{word}`"))),
    }
}

/// Returns the settings of this process: of its command line, environment, configuration file and accounts.
///
/// # Errors
///
/// When a variable or a key of the file has a value that it cannot have, or the file cannot be read.
pub(crate) fn of_process(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    let named = env(CONFIG_DIR).filter(|it| !it.is_empty());
    let config = match config_directory(named.map(Into::into)) {
        Some(directory) => Config::load(&config_file::path(Some(directory))?)?,
        None => Config::default(),
    };
    let settings = resolve(flags, &env, &config)?;
    let accounts = match settings.config_directory() {
        Some(directory) if settings.needs_accounts() => AccountsFile::new(directory).load()?,
        _ => Accounts::default(),
    };
    Ok(settings.with_accounts(&accounts))
}

/// Returns the settings without the configuration file, for the commands that repair it.
///
/// # Errors
///
/// When a variable has a value that it cannot have.
pub(crate) fn without_config(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    resolve(flags, &env, &Config::default())
}

/// Returns the use of colour if only the environment is known.
pub(crate) fn color_of_process(flag: Option<Color>) -> Color {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    color(flag, &set).unwrap_or(Color::Auto)
}

/// Returns a variable of this process. Bytes that are no UTF-8 are replaced, so that the variable is reported rather than ignored.
fn env(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

impl Settings {
    /// Tells whether the settings may depend on an account of this machine.
    pub(super) fn needs_accounts(&self) -> bool {
        let by_flag = self.account.as_ref().is_some_and(|named| named.by_flag);
        let is_given = matches!(
            self.token,
            TokenOrigin::Variable(_)
                | TokenOrigin::File(_)
                | TokenOrigin::Nowhere(MissingToken::OnlyForNamed(_))
        );
        !matches!(self.target, ServiceTarget::Sandbox(_)) && (by_flag || !is_given)
    }

    /// Adds the token and the URL of the account that the user names, or that belongs to the URL. The token of an account goes to the
    /// origin of the account only.
    #[must_use]
    pub(crate) fn with_accounts(mut self, accounts: &Accounts) -> Self {
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

    /// Adds the token of an account, and its URL unless another one at its origin is named.
    fn pair(mut self, name: AccountName, account: &Account) -> Self {
        let takes_its_own = match &self.target {
            ServiceTarget::Service(url) => {
                let is_there = url.origin() == account.origin();
                // A URL of the configuration file yields to the account.
                if !(is_there || url.from == OF_CONFIG) {
                    self.token =
                        TokenOrigin::Nowhere(MissingToken::OtherOrigin(name, account.clone()));
                    return self;
                }
                !is_there
            }
            ServiceTarget::Sandbox(_) | ServiceTarget::Unset => true,
        };
        if takes_its_own {
            let url = ServiceUrl::new(account.base_url.clone(), OF_ACCOUNT);
            self.target = ServiceTarget::Service(url);
        }
        self.token = TokenOrigin::Account(name, account.clone());
        self
    }
}
