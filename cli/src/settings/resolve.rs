//! The settings of a process. Resolution of each setting is a pure function: flag over environment over configuration file over default; then
//! the accounts of this machine add the token, and the URL if none is given.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use super::config_file::{self, COLORS, CONFIRMED, Config, Env, SECONDS, confirms_all, variable};
use super::connection::{CertificateFile, ConnectionFiles, shared_pacing};
use super::global_args::{Color, GlobalArgs, SandboxMode};
use super::{
    MissingToken, OF_ACCOUNT, OF_CONFIG, OF_FLAG, ServiceTarget, ServiceUrl, Settings, TokenOrigin,
    config_directory,
};
use crate::auth::{Account, AccountName, Accounts, AccountsFile};
use crate::env_vars::{
    ACCOUNT, AGENT, BACKGROUND, BASE_URL, CA_FILE, CACHE_DIR, CLIENT_CERT, COLOR, CONFIG_DIR,
    CONFIRM, LOG, MAX_WAIT, MCP_URL, OUTPUT, PLAN_FIRST, PROGRESS, RECORD, SAFE_DIRECTORY, SANDBOX,
    STATE_DIR, TIMEOUT, TOKEN, TOKEN_FILE,
};
use crate::error::{CommandError, Result};
use crate::output::format::Format;

/// Resolves every setting, except those that the accounts add.
///
/// # Errors
///
/// When a variable has a value that it cannot have.
pub(crate) fn resolve(flags: &GlobalArgs, env: Env<'_>, config: &Config) -> Result<Settings> {
    let in_env = |name: &str| env(name).filter(|value| !value.is_empty());
    let url_from = if in_env(BASE_URL).is_some() { BASE_URL } else { OF_CONFIG };
    // A variable that is empty in the environment yields to the file.
    let env = |name: &str| in_env(name).or_else(|| config.of_variable(name)).or_else(|| env(name));
    let set: Env<'_> = &|name| env(name).filter(|value| !value.is_empty());
    let seconds = |flag: Option<u64>, name, range: RangeInclusive<u64>| {
        let parse = |text: &str| text.parse().ok().filter(|it| range.contains(it));
        let seconds = match flag {
            None => variable(set, name, SECONDS, parse)?,
            flag => flag,
        };
        Ok::<_, CommandError>(seconds.map(Duration::from_secs))
    };
    let target = target(flags, set, url_from)?;
    Ok(Settings {
        output: match (flags.output, &flags.jq) {
            (Some(format), _) => format,
            (None, Some(_)) => Format::Json,
            (None, None) => {
                variable(set, OUTPUT, Format::WORDS, Format::from_word)?.unwrap_or_default()
            }
        },
        token: token(&target, &env),
        target,
        is_account_by_flag: flags.account.is_some(),
        account: match (&flags.account, set(ACCOUNT)) {
            (None, Some(name)) => {
                let refused = |why| CommandError::usage(format!("{ACCOUNT}: {why}"));
                Some(name.parse().map_err(refused)?)
            }
            (name, _) => name.clone(),
        },
        mcp_url: set(MCP_URL),
        record: set(RECORD).map(Into::into),
        config_dir: set(CONFIG_DIR).map(Into::into),
        state_dir: set(STATE_DIR).map(Into::into),
        safe_directory: set(SAFE_DIRECTORY),
        max_wait: seconds(flags.max_wait, MAX_WAIT, 0..=u64::MAX)?,
        is_background: flags.background
            || variable(set, BACKGROUND, SWITCH, switch)?.unwrap_or_else(|| is_ci(set)),
        pacing: shared_pacing(set)?,
        cache_dir: set(CACHE_DIR).map(Into::into),
        color: color(flags.color, set)?,
        progress: !flags.no_progress
            && variable(set, PROGRESS, "true or false", switch)?.unwrap_or(true),
        confirms_all: variable(set, CONFIRM, CONFIRMED, confirms_all)?.unwrap_or(true),
        verbose: match flags.verbose {
            0 => {
                let level = |word: &str| word.parse().ok().filter(|level| *level <= 2);
                variable(set, LOG, "0, 1 or 2", level)?.unwrap_or_default()
            }
            level => level,
        },
        timeout: seconds(flags.timeout.map(u64::from), TIMEOUT, 1..=u32::MAX.into())?,
        plan_first: variable(set, PLAN_FIRST, SWITCH, switch)?.unwrap_or_default(),
        marks_data: variable(set, AGENT, SWITCH, switch)?.unwrap_or_default(),
        connection: connection(flags, set),
        editor: set("VISUAL").or_else(|| set("EDITOR")),
        browser: set("BROWSER"),
    })
}

fn target(flags: &GlobalArgs, set: Env<'_>, url_from: &'static str) -> Result<ServiceTarget> {
    if let Some(url) = &flags.base_url {
        return Ok(ServiceTarget::Service(ServiceUrl::new(url.clone(), OF_FLAG)));
    }
    let mode = |word: &str| match word {
        "limits" => Some(Some(SandboxMode::Limits)),
        word => switch(word).map(|is_on| is_on.then_some(SandboxMode::Unlimited)),
    };
    let of_variable = variable(set, SANDBOX, "1, 0 or limits", mode)?.flatten();
    // The variable can add the limits to the flag.
    let mode = match flags.sandbox {
        Some(SandboxMode::Limits) => flags.sandbox,
        mode => of_variable.or(mode),
    };
    Ok(match (mode, set(BASE_URL)) {
        (Some(mode), _) => ServiceTarget::Sandbox(mode),
        (None, Some(url)) => ServiceTarget::Service(ServiceUrl::new(url, url_from)),
        (None, None) => ServiceTarget::Unset,
    })
}

/// Returns the origin of the token of the environment, which is not sent to a URL of the configuration file.
fn token(target: &ServiceTarget, env: Env<'_>) -> TokenOrigin {
    let file = env(TOKEN_FILE).filter(|path| !path.is_empty());
    // An empty LINKS_TOKEN is an error to report, and no reason to look for a token elsewhere.
    let (variable, origin) = match (env(TOKEN), file) {
        (Some(token), _) => (TOKEN, TokenOrigin::Variable(token)),
        (None, Some(path)) => (TOKEN_FILE, TokenOrigin::File(path.into())),
        (None, None) => return TokenOrigin::Nowhere(MissingToken::NotLoggedIn),
    };
    match target {
        ServiceTarget::Service(url) if url.from == OF_CONFIG => {
            TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable))
        }
        _ => origin,
    }
}

fn connection(flags: &GlobalArgs, set: Env<'_>) -> ConnectionFiles {
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
fn color(flag: Option<Color>, set: Env<'_>) -> Result<Color> {
    Ok(match flag {
        Some(when) => when,
        None if set("NO_COLOR").is_some() => Color::Never,
        None if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => Color::Always,
        None => match variable(set, COLOR, COLORS, |word| Color::from_str(word, false).ok())? {
            Some(when) => when,
            None if set("TERM").is_some_and(|term| term == "dumb") => Color::Never,
            None => Color::Auto,
        },
    })
}

/// What a switch must be.
const SWITCH: &str = "1 or 0";

fn switch(word: &str) -> Option<bool> {
    match word {
        "0" | "false" | "no" | "off" => Some(false),
        "1" | "true" | "yes" | "on" => Some(true),
        _ => None,
    }
}

/// Returns whether this is a job of a CI service, for which nobody waits at a terminal.
fn is_ci(set: Env<'_>) -> bool {
    set("CI").is_some_and(|value| value != "false" && value != "0")
}

/// Returns the settings of this process: of its command line, environment, configuration file and accounts.
///
/// # Errors
///
/// When a variable or a key of the file has a value that it cannot have, or the file cannot be read.
pub(crate) fn of_process(flags: &GlobalArgs) -> Result<Settings> {
    let named = env(CONFIG_DIR).filter(|it| !it.is_empty());
    let config = match config_directory(named.map(Into::into)) {
        Some(directory) => Config::load(&config_file::path(&directory))?,
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
pub(crate) fn without_config(flags: &GlobalArgs) -> Result<Settings> {
    resolve(flags, &env, &Config::default())
}

/// Returns the use of colour if only the environment is known.
pub(crate) fn color_of_process(flag: Option<Color>) -> Color {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    color(flag, &set).unwrap_or(Color::Auto)
}

/// Returns a variable of this process. Bytes that are no UTF-8 are replaced, so that the variable is reported rather than ignored.
fn env(name: &str) -> Option<String> {
    #[cfg(debug_assertions)]
    if let Some(variables) = crate::testing::variables() {
        return variables.get(name).cloned();
    }
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

impl Settings {
    /// Tells whether the settings may depend on an account of this machine.
    fn needs_accounts(&self) -> bool {
        let is_given = matches!(
            self.token,
            TokenOrigin::Variable(_)
                | TokenOrigin::File(_)
                | TokenOrigin::Nowhere(MissingToken::OnlyForNamed(_))
        );
        !matches!(self.target, ServiceTarget::Sandbox(_)) && (self.is_account_by_flag || !is_given)
    }

    /// Adds the token and the URL of the account that the user names, or that belongs to the URL. The token of an account goes to the
    /// origin of the account only.
    #[must_use]
    pub(crate) fn with_accounts(mut self, accounts: &Accounts) -> Self {
        if !self.needs_accounts() {
            return self;
        }
        let name = match (&self.account, &self.target) {
            (Some(name), _) => Some(name),
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
