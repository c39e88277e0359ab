//! What every command is given: the settings, the person, and the service, which is reached only when a command asks for it.

mod slot_types;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use links_sdk::apply::RunOwner;
use links_sdk::{BaseUrl, Client, Clock, SharedFilePacer, SystemClock, Token, WriteSummary};
use zeroize::Zeroizing;

use crate::auth::{ClientAuth, given};
use crate::cache::resource_names::ResourceNames;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::lock::ResourceLock;
use crate::fs::private;
use crate::output::dry_run::DryRun;
use crate::settings::{MissingToken, ServiceTarget, Settings, TokenOrigin};
use crate::ui::{RequestObserver, Ui};
use crate::{env_vars, signal};

/// The file of what completion offers.
pub(crate) const NAMES: &str = "names";

/// The sandbox has one user only.
const SANDBOX_USER: i64 = 0;

/// More bytes than any token has.
const TOKEN_FILE_MAX: u64 = 64 * 1024;

/// What a command works with.
#[derive(Debug)]
pub(crate) struct Context {
    /// What the user set.
    pub(crate) settings: Settings,
    /// The person at the terminal, if there is one.
    pub(crate) ui: Ui,
    /// Makes the tree of all commands.
    pub(crate) tree: fn() -> clap::Command,
    client: Option<Client>,
    dry_run: Option<DryRun>,
    watch: OnceLock<Arc<RequestObserver>>,
    /// Kept running until the command has ended.
    #[cfg(feature = "sandbox")]
    sandbox: Option<links_fixtures::ContractServer>,
}

impl Context {
    pub(crate) fn new(settings: Settings, ui: Ui, tree: fn() -> clap::Command) -> Self {
        Self {
            tree,
            settings,
            ui,
            client: None,
            dry_run: None,
            watch: OnceLock::new(),
            #[cfg(feature = "sandbox")]
            sandbox: None,
        }
    }

    /// The service for a command that writes. In a dry run nothing can be written with it, nor with what [`client`](Self::client) gives
    /// from then on.
    pub(crate) async fn writer(
        &mut self,
        dry_run: impl Into<Option<DryRun>>,
    ) -> Result<Client, CommandError> {
        self.dry_run = dry_run.into();
        self.ui.rehearse(self.dry_run.is_some());
        let client = self.client().await?;
        let client = self.dry_run.map_or(client.clone(), |it| client.with_write_mode(it.writes()));
        Ok(self.client.insert(client).clone())
    }

    /// How the command is rehearsed, if it is.
    pub(crate) fn dry_run(&self) -> Option<DryRun> {
        self.dry_run
    }

    /// The service that the settings name; the sandbox is started when it is asked for the first time.
    pub(crate) async fn client(&mut self) -> Result<Client, CommandError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = match self.settings.target.clone() {
            ServiceTarget::Unset => return Err(no_service()),
            ServiceTarget::Sandbox => self.sandbox_client().await?,
            ServiceTarget::Service(url) => {
                let base = url.base()?.clone();
                let given = self.given(&base)?;
                self.client_of(&base, given)?
            }
        };
        signal::tell_of(client.clone());
        Ok(self.client.insert(client).clone())
    }

    /// The service for what it answers without a token; also where there is none.
    pub(crate) async fn anyone(&mut self) -> Result<Client, CommandError> {
        let base = match (&self.settings.target, &self.client) {
            (ServiceTarget::Service(url), None) => url.base()?.clone(),
            _ => return self.client().await,
        };
        self.build(&base, None, None)
    }

    /// Keeps for completion what the answers have named.
    pub(crate) fn remember(&self) {
        if let (Some(watch), Some(path)) = (self.watch.get(), self.cache_file(NAMES)) {
            ResourceNames::remember(&path, &watch.seen());
        }
    }

    /// Waits until no other command of this machine writes the same thing of this service, and keeps the others waiting until the lock is
    /// dropped. Nothing is locked in a dry run, nor where no state can be kept: the service is all that there is then.
    pub(crate) fn turn(&self, what: &str) -> ResourceLock {
        let directory = self.settings.state_directory().filter(|_| self.dry_run.is_none());
        let file = self.service().zip(directory);
        ResourceLock::wait(
            file.map(|(service, directory)| (directory.join("turns"), service)),
            what,
        )
    }

    /// What the writes of the command came to.
    pub(crate) fn written(&self) -> WriteSummary {
        self.client.as_ref().map(Client::write_summary).unwrap_or_default()
    }

    /// How many requests may still go out in this minute, if one was sent.
    pub(crate) fn requests_left(&self) -> Option<usize> {
        self.watch.get()?.left()
    }

    /// A file of what this service said that can be fetched again. None where no service URL is configured.
    pub(crate) fn cache_file(&self, what: &str) -> Option<PathBuf> {
        let service = self.service()?;
        self.settings.cache_directory().map(|folder| folder.join(format!("{what}-{service}.json")))
    }

    /// A name for the service, by which files about it are told apart: its origin, as far as file names allow.
    pub(crate) fn service(&self) -> Option<String> {
        let origin = match &self.settings.target {
            ServiceTarget::Unset => return None,
            ServiceTarget::Sandbox => return Some("sandbox".to_owned()),
            ServiceTarget::Service(url) => url.origin()?,
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        Some(origin.replace("://", "-").chars().map(plain).collect())
    }

    /// The account that is spoken as, as far as that is known without asking the service. An account whose token was switched by hand
    /// counts as the one that logged in.
    pub(crate) fn owner(&self) -> Option<RunOwner> {
        if matches!(self.settings.target, ServiceTarget::Sandbox) {
            return Some(RunOwner::of_user(SANDBOX_USER));
        }
        let of_token = |text: &str| Token::new(text).ok().map(|token| RunOwner::of_token(&token));
        match &self.settings.token {
            TokenOrigin::Account(_, account) => Some(RunOwner::of_user(account.user_id)),
            TokenOrigin::Variable(text) => of_token(text),
            TokenOrigin::File(path) => of_token(&read_token(path).ok()?),
            TokenOrigin::Nowhere(_) => None,
        }
    }

    /// The sandbox has a token of its own: that of the environment is never sent to it.
    #[cfg(feature = "sandbox")]
    async fn sandbox_client(&mut self) -> Result<Client, CommandError> {
        use crate::sandbox;
        let server = sandbox::start(&self.settings, None, true).await?;
        let base = BaseUrl::new(&server.base_url()).map_err(CommandError::internal)?;
        let token = Token::new(&server.token()).map_err(CommandError::internal)?;
        self.sandbox = Some(server);
        self.build(&base, Some(token.into()), Some(sandbox::RATE))
    }

    #[cfg(not(feature = "sandbox"))]
    async fn sandbox_client(&mut self) -> Result<Client, CommandError> {
        std::future::ready(Err(CommandError::usage("this program was built without the sandbox")))
            .await
    }

    /// What the settings say the client sends.
    fn given(&self, base: &BaseUrl) -> Result<ClientAuth, CommandError> {
        match &self.settings.token {
            TokenOrigin::Variable(text) => token(text, env_vars::TOKEN).map(ClientAuth::from),
            TokenOrigin::File(path) => {
                token(&read_token(path)?, &path.display().to_string()).map(ClientAuth::from)
            }
            TokenOrigin::Account(name, account) => {
                given(&self.config_folder()?, name, account, base)
            }
            TokenOrigin::Nowhere(missing) => Err(no_token(missing, base)),
        }
    }

    /// The directory of configuration.
    pub(crate) fn config_folder(&self) -> Result<PathBuf, CommandError> {
        self.settings.config_directory().ok_or_else(|| {
            CommandError::usage("there is no home directory to keep accounts in")
                .hint("name a directory with LINKS_CONFIG_DIR")
        })
    }

    /// A client of this service that sends what is given.
    pub(crate) fn client_of(
        &self,
        base: &BaseUrl,
        given: ClientAuth,
    ) -> Result<Client, CommandError> {
        let rate = SharedFilePacer::name(base, &given.counted_as);
        self.build(base, Some(given), Some(&rate))
    }

    /// A client that keeps within the rate limits together with all other processes that use this file. Without a token there are none.
    fn build(
        &self,
        base: &BaseUrl,
        given: Option<ClientAuth>,
        rate: Option<&str>,
    ) -> Result<Client, CommandError> {
        let watch = Arc::new(self.ui.watch());
        let _ = self.watch.set(watch.clone());
        let builder = Client::builder(base.as_str())
            .secrets(crate::auth::redaction::known())
            .user_agent(concat!("links-cli/", env!("CARGO_PKG_VERSION")))
            .observer(watch.clone());
        let builder = match given {
            Some(given) => builder.token_source(given.source),
            None => builder,
        };
        let builder = match self.settings.max_wait {
            Some(wait) => builder.max_wait(wait),
            None => builder,
        };
        let builder = match self.settings.timeout {
            Some(deadline) => builder.deadline(deadline),
            None => builder,
        };
        let builder = match self.settings.state_directory().zip(rate) {
            Some((folder, rate)) => {
                let pacer =
                    Arc::new(SharedFilePacer::new(folder.join(rate)).observer(watch.clone()));
                watch.paced_by(pacer.clone());
                builder.pacer(pacer)
            }
            None => builder,
        };
        #[cfg(debug_assertions)]
        let builder = crate::testing::clock::up(builder);
        builder.build().map_err(|error| CommandError::new(Exit::Network, error.to_string()))
    }
}

/// Where the time comes from for what waits for the person.
pub(crate) fn clock() -> Arc<dyn Clock> {
    #[cfg(debug_assertions)]
    if let Some(clock) = crate::testing::clock::clock() {
        return clock;
    }
    Arc::new(SystemClock::new())
}

/// No URL is named, and no account gives one.
pub(crate) fn no_service() -> CommandError {
    CommandError::usage("no service URL is configured").hint(
        "set LINKS_BASE_URL or give --base-url, or log in once with `links auth login --base-url URL`; or try it with --sandbox, which \
         needs no account",
    )
}

fn no_token(missing: &MissingToken, base: &BaseUrl) -> CommandError {
    let none = |message: String| CommandError::new(Exit::NotAuthenticated, message);
    match missing {
        MissingToken::NotLoggedIn => none(format!("there is no token for {}", base.origin()))
            .hint(format!("log in with `links auth login --base-url {base}`, or set LINKS_TOKEN or LINKS_TOKEN_FILE")),
        MissingToken::NoSuchAccount(name) => none(format!("there is no account `{name}`"))
            .hint("`links auth list` shows them, `links auth login` adds one"),
        MissingToken::Several(names) => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            none(format!("{} are accounts at {}", names.join(", "), base.origin()))
                .hint("name one with --account, or make it the current one with `links auth switch NAME`")
        }
        MissingToken::OnlyForNamed(variable) => {
            none(format!("{variable} is not sent to {}, which config.toml names", base.origin())).hint(format!(
                "name the service where the token is named, with LINKS_BASE_URL or --base-url {base}, or name an account with --account"
            ))
        }
        MissingToken::OtherOrigin(name, account) => {
            let its = account.origin().unwrap_or_default();
            CommandError::usage(format!("account `{name}` belongs to {its}, not to {}", base.origin()))
                .hint("leave out --base-url and LINKS_BASE_URL, or name another account")
        }
    }
}

fn token(text: &str, name: &str) -> Result<Token, CommandError> {
    Token::new(text)
        .map_err(|error| CommandError::new(Exit::NotAuthenticated, format!("{name}: {error}")))
}

fn read_token(path: &Path) -> Result<Zeroizing<String>, CommandError> {
    let refused = |error: std::io::Error| {
        CommandError::usage(format!("LINKS_TOKEN_FILE: cannot read {}: {error}", path.display()))
    };
    let file = File::open(path).map_err(refused)?;
    let is_file = file.metadata().map_err(refused)?.is_file();
    if is_file && private::is_public(path).map_err(refused)? {
        let message = format!("LINKS_TOKEN_FILE: anyone can write to {}", path.display());
        return Err(CommandError::new(Exit::NotAuthenticated, message)
            .hint("someone else may have put a token there; `chmod 600` it once you have looked"));
    }
    let mut text = Zeroizing::new(String::new());
    file.take(TOKEN_FILE_MAX).read_to_string(&mut text).map_err(refused)?;
    Ok(text)
}
