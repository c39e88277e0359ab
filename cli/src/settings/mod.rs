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
mod tests {
    use super::*;

    fn resolved(flags: &GlobalArgs, env: &[(&str, &str)]) -> Result<Settings, CommandError> {
        with_config(flags, env, &Config::default())
    }

    fn with_config(
        flags: &GlobalArgs,
        env: &[(&str, &str)],
        config: &Config,
    ) -> Result<Settings, CommandError> {
        let env = |name: &str| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        resolve(flags, &env, config)
    }

    fn service(address: &str, from: &'static str) -> ServiceTarget {
        ServiceTarget::Service(ServiceUrl::new(address.into(), from))
    }

    #[test]
    fn a_flag_goes_before_the_environment_and_that_before_the_default() {
        let none = GlobalArgs::default();
        let here = GlobalArgs {
            base_url: Some("https://flag".into()),
            output: Some(Format::Json),
            ..GlobalArgs::default()
        };
        let sandbox = GlobalArgs { sandbox: true, ..GlobalArgs::default() };
        let env = [("LINKS_BASE_URL", "https://env"), ("LINKS_OUTPUT", "json")];

        assert_eq!(resolved(&none, &[]).unwrap().target, ServiceTarget::Unset);
        assert_eq!(resolved(&none, &env).unwrap().target, service("https://env", "LINKS_BASE_URL"));
        assert_eq!(resolved(&here, &env).unwrap().target, service("https://flag", "--base-url"));
        assert_eq!(resolved(&sandbox, &env).unwrap().target, ServiceTarget::Sandbox);
        assert_eq!(
            resolved(&here, &[("LINKS_SANDBOX", "1")]).unwrap().target,
            service("https://flag", "--base-url")
        );

        assert_eq!(resolved(&none, &[]).unwrap().output, Format::Table);
        assert_eq!(resolved(&none, &env).unwrap().output, Format::Json);
        assert_eq!(resolved(&here, &[("LINKS_OUTPUT", "table")]).unwrap().output, Format::Json);
    }

    #[test]
    fn the_sandbox_of_the_environment_goes_before_its_address() {
        let env = [("LINKS_SANDBOX", "1"), ("LINKS_BASE_URL", "https://env")];
        assert_eq!(resolved(&GlobalArgs::default(), &env).unwrap().target, ServiceTarget::Sandbox);
        for off in ["", "0", "no", "false", "off"] {
            let env = [("LINKS_SANDBOX", off), ("LINKS_BASE_URL", "https://env")];
            assert_eq!(
                resolved(&GlobalArgs::default(), &env).unwrap().target,
                service("https://env", "LINKS_BASE_URL")
            );
        }
        resolved(&GlobalArgs::default(), &[("LINKS_SANDBOX", "perhaps")]).unwrap_err();
    }

    #[test]
    fn the_longest_wait_is_a_number_of_seconds() {
        let flag = GlobalArgs { max_wait: Some(0), ..GlobalArgs::default() };
        let env = [("LINKS_MAX_WAIT", "12")];
        let wait =
            |flags: &GlobalArgs, env: &[(&str, &str)]| resolved(flags, env).map(|it| it.max_wait);
        assert_eq!(wait(&GlobalArgs::default(), &[]).unwrap(), None);
        assert_eq!(wait(&GlobalArgs::default(), &env).unwrap(), Some(Duration::from_secs(12)));
        assert_eq!(wait(&flag, &env).unwrap(), Some(Duration::ZERO));
        for text in ["-1", "1.5", "a minute"] {
            wait(&GlobalArgs::default(), &[("LINKS_MAX_WAIT", text)]).unwrap_err();
        }
    }

    #[test]
    fn a_token_is_never_shown_and_an_empty_one_is_not_passed_over() {
        let env = [("LINKS_TOKEN", "s3cret"), ("LINKS_TOKEN_FILE", "/t")];
        let settings = resolved(&GlobalArgs::default(), &env).unwrap();
        assert_eq!(settings.token, TokenOrigin::Variable("s3cret".into()));
        assert!(!format!("{settings:?}").contains("s3cret"));
        let env = [("LINKS_TOKEN", ""), ("LINKS_TOKEN_FILE", "/t")];
        assert_eq!(
            resolved(&GlobalArgs::default(), &env).unwrap().token,
            TokenOrigin::Variable(String::new())
        );
        let env = [("LINKS_TOKEN_FILE", "/t")];
        assert_eq!(
            resolved(&GlobalArgs::default(), &env).unwrap().token,
            TokenOrigin::File("/t".into())
        );
    }

    const HERE: &str = "https://links.example/api/v1";

    /// `work` and `home` at one service, `other` at another one.
    fn accounts(current: Option<&str>) -> Accounts {
        let account = |base_url: &str| Account {
            base_url: base_url.to_owned(),
            mcp_url: None,
            kept: crate::auth::SecretLocation::File,
            user_id: 7,
            user: "Somebody".to_owned(),
        };
        let mut accounts = Accounts::default();
        for (name, address) in
            [("work", HERE), ("home", HERE), ("other", "https://other.example/v1")]
        {
            accounts.known.insert(name.parse().unwrap(), account(address));
        }
        accounts.current = current.map(|name| name.parse().unwrap());
        accounts
    }

    /// The URL and where the token is from, in a few words.
    fn chosen(line: &[&str], env: &[(&str, &str)], current: Option<&str>) -> String {
        let flag =
            |name: &str| line.iter().position(|it| *it == name).map(|at| line[at + 1].to_owned());
        let flags = GlobalArgs {
            base_url: flag("--base-url"),
            account: flag("--account").map(|name| name.parse().unwrap()),
            ..GlobalArgs::default()
        };
        let settings = resolved(&flags, env).unwrap().with(&accounts(current));
        let address = match settings.target {
            ServiceTarget::Service(url) => url.text().to_owned(),
            target => format!("{target:?}"),
        };
        let token = match settings.token {
            TokenOrigin::Variable(_) => "variable".to_owned(),
            TokenOrigin::File(_) => "file".to_owned(),
            TokenOrigin::Account(name, _) => name.to_string(),
            TokenOrigin::Nowhere(MissingToken::NotLoggedIn) => "none".to_owned(),
            TokenOrigin::Nowhere(MissingToken::NoSuchAccount(name)) => format!("no {name}"),
            TokenOrigin::Nowhere(MissingToken::Several(names)) => format!("one of {}", names.len()),
            TokenOrigin::Nowhere(MissingToken::OtherOrigin(name, _)) => format!("not {name}"),
            TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)) => format!("not {variable}"),
        };
        let address = address.strip_prefix("https://").unwrap_or(&address);
        format!("{token} at {}", address.split('/').next().unwrap_or_default())
    }

    #[test]
    fn an_account_gives_its_address_and_goes_nowhere_else() {
        let here = [("LINKS_BASE_URL", HERE)];
        assert_eq!(chosen(&[], &[], Some("work")), "work at links.example");
        assert_eq!(chosen(&[], &[], None), "none at Unset");
        assert_eq!(chosen(&[], &here, Some("home")), "home at links.example");
        assert_eq!(chosen(&[], &here, Some("other")), "one of 2 at links.example");
        assert_eq!(
            chosen(&["--base-url", "https://other.example"], &[], Some("work")),
            "other at other.example"
        );
        for elsewhere in [
            "https://links.example:444",
            "http://links.example",
            "https://evil.example",
            "nonsense",
        ] {
            let address = chosen(&["--base-url", elsewhere], &[], Some("work"));
            assert!(address.starts_with("none at"), "{elsewhere}: {address}");
        }
        assert_eq!(chosen(&["--account", "other"], &[], Some("work")), "other at other.example");
        assert_eq!(
            chosen(&["--account", "nobody"], &here, Some("work")),
            "no nobody at links.example"
        );
        let line = ["--account", "other", "--base-url", HERE];
        assert_eq!(chosen(&line, &[], Some("work")), "not other at links.example");
    }

    #[test]
    fn a_flag_names_an_account_before_the_environment_does() {
        let env = [("LINKS_ACCOUNT", "home"), ("LINKS_BASE_URL", HERE)];
        assert_eq!(chosen(&[], &env, Some("work")), "home at links.example");
        assert_eq!(chosen(&["--account", "other"], &env, None), "not other at links.example");
        assert_eq!(chosen(&["--account", "other"], &env[..1], None), "other at other.example");
        let env = [("LINKS_ACCOUNT", "other"), ("LINKS_BASE_URL", HERE)];
        assert_eq!(chosen(&[], &env, None), "not other at links.example");
        resolved(&GlobalArgs::default(), &[("LINKS_ACCOUNT", "../x")]).unwrap_err();
    }

    #[test]
    fn found_23_the_token_of_the_environment_never_goes_to_the_address_of_the_file() {
        let config = Config::of(&[("base-url", HERE)]);
        let none = GlobalArgs::default();
        let settings = |flags: &GlobalArgs, env: &[(&str, &str)]| {
            with_config(flags, env, &config).unwrap().with(&accounts(Some("work")))
        };
        for (variable, value) in
            [("LINKS_TOKEN", "t"), ("LINKS_TOKEN_FILE", "/t"), ("LINKS_TOKEN", "")]
        {
            let alone = settings(&none, &[(variable, value)]);
            assert_eq!(alone.token, TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)));
            assert_eq!(alone.target, service(HERE, OF_CONFIG));
            let named = [(variable, value), ("LINKS_BASE_URL", HERE)];
            assert!(!matches!(settings(&none, &named).token, TokenOrigin::Nowhere(_)));
            let flag = GlobalArgs { base_url: Some(HERE.into()), ..GlobalArgs::default() };
            assert!(!matches!(
                settings(&flag, &[(variable, value)]).token,
                TokenOrigin::Nowhere(_)
            ));
            let account =
                GlobalArgs { account: Some("home".parse().unwrap()), ..GlobalArgs::default() };
            let settings = settings(&account, &[(variable, value)]);
            assert!(matches!(settings.token, TokenOrigin::Account(..)), "{settings:?}");
        }
        assert!(matches!(settings(&none, &[]).token, TokenOrigin::Account(..)));
        // What is named where it is meant goes before what the file says always.
        let other = GlobalArgs { account: Some("other".parse().unwrap()), ..GlobalArgs::default() };
        assert_eq!(settings(&other, &[]).target, service("https://other.example/v1", OF_ACCOUNT));
    }

    #[test]
    fn fault_77_the_token_of_the_environment_never_goes_to_the_address_of_an_account() {
        for token in [("LINKS_TOKEN", "t"), ("LINKS_TOKEN_FILE", "/t"), ("LINKS_TOKEN", "")] {
            let word = if token.0 == "LINKS_TOKEN" { "variable" } else { "file" };
            assert_eq!(chosen(&[], &[token], Some("work")), format!("{word} at Unset"));
            let env = [token, ("LINKS_ACCOUNT", "work")];
            assert_eq!(chosen(&[], &env, Some("work")), format!("{word} at Unset"));
            let env = [token, ("LINKS_BASE_URL", HERE)];
            assert_eq!(chosen(&[], &env, Some("work")), format!("{word} at links.example"));
            assert_eq!(chosen(&["--account", "work"], &env, None), "work at links.example");
        }
        let sandbox = [("LINKS_SANDBOX", "1"), ("LINKS_ACCOUNT", "work")];
        assert_eq!(chosen(&[], &sandbox, Some("work")), "none at Sandbox");
    }
}
