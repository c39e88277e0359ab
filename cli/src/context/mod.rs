//! Context of every command: the settings, the terminal and the service, which is contacted only if a command needs it.

pub(crate) mod plan_first;
pub(crate) mod prelude;
mod slot_types;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use links_pages::apply::RunOwner;
use links_sdk::types::Me;
use links_sdk::{
    BaseUrl, Client, ClientBuilder, Clock, ConnectionOptions, IdempotencyKey, Pacer, RateLimits,
    RedisPacer, SharedFilePacer, SystemClock, Token, WriteMode, WriteSummary,
};
use zeroize::Zeroizing;

use self::plan_first::PlanFirst;
use crate::auth::{Account, ClientAuth, SecretLocation, TokenCommand, known_secrets, load_auth};
use crate::cache::resource_names::ResourceNames;
use crate::cache::uploads::Uploads;
use crate::cache::{remember_user, seconds, user_of_token};
use crate::env_vars::{BASE_URL, TOKEN, TOKEN_FILE};
use crate::error::file_error::cannot_begin;
use crate::error::{CommandError, Exit, Result};
use crate::output::CommandOutput;
use crate::output::dry_run::{DryRun, DryRunArgs};
use crate::output::format::OutputOptions;
use crate::schema::SlotTypeCatalog;
use crate::settings::connection::SharedPacing;
use crate::settings::global_args::SandboxMode;
use crate::settings::{MissingToken, ServiceTarget, Settings, TokenOrigin};
use crate::signal;
use crate::ui::{RequestObserver, Ui};
use links_pages::fs::named;
use links_pages::fs::private::{self, ResourceLock};

/// User id in the sandbox, which has only one user.
const SANDBOX_USER: i64 = 0;

/// File name part of the sandbox. That of any other service begins with its scheme.
pub(crate) const SANDBOX_FILES: &str = "sandbox";

/// Maximum number of bytes read from a token file, more than any token has.
const TOKEN_FILE_MAX: u64 = 64 * 1024;

/// Settings, terminal and client of a command.
#[derive(Debug)]
pub(crate) struct Context {
    /// Settings of the user.
    pub(crate) settings: Settings,
    /// Output and questions on the terminal.
    pub(crate) ui: Ui,
    /// Function that builds the tree of all commands.
    pub(crate) tree: fn() -> clap::Command,
    /// Words of the command line after the name of the program.
    pub(crate) words: Vec<String>,
    /// Name of the command, such as `slots add`.
    pub(crate) command: String,
    client: Option<Client>,
    dry_run: Option<DryRun>,
    /// File that the operation is written to when the command has ended.
    pub(crate) operation_out: Option<PathBuf>,
    /// Guard of the writes.
    pub(crate) plan_first: PlanFirst,
    /// Observer of the requests of the command.
    watch: Arc<RequestObserver>,
    /// Names of the calls of the program that this one belongs to. The first is that of its journals.
    calls: Mutex<Vec<String>>,
    /// The caller, once the service was asked.
    me: OnceLock<Me>,
    /// Id of the user whose token the token command of the account printed, once it has run.
    printed: OnceLock<i64>,
    /// Token of the file that the environment names, once it was read.
    of_file: OnceLock<Token>,
    /// Locks of page files that were read, each with the user that it belongs to.
    locks: Mutex<BTreeMap<PathBuf, i64>>,
    /// Slot types of a shadow of the service; then none are fetched or cached.
    shadow_types: Option<SlotTypeCatalog>,
    /// Embedded service, which runs until the command ends.
    sandbox: Option<links_fixtures::ContractServer>,
}

impl Context {
    pub(crate) fn new(settings: Settings, ui: Ui, tree: fn() -> clap::Command) -> Self {
        Self {
            tree,
            words: Vec::new(),
            command: String::new(),
            plan_first: PlanFirst::new(settings.plan_first),
            watch: Arc::new(ui.watch()),
            settings,
            ui,
            client: None,
            dry_run: None,
            operation_out: None,
            calls: Mutex::default(),
            me: OnceLock::new(),
            printed: OnceLock::new(),
            of_file: OnceLock::new(),
            locks: Mutex::default(),
            shadow_types: None,
            sandbox: None,
        }
    }

    /// Returns a context with the same settings for applying files, which has read nothing and asks the user nothing.
    pub(crate) fn unattended(&self) -> Self {
        let mut ui = Ui::new(
            &self.settings,
            OutputOptions { format: self.settings.output, ..OutputOptions::default() },
        );
        ui.ask_nothing();
        Self {
            words: self.words.clone(),
            command: "apply".to_owned(),
            ..Self::new(self.settings.clone(), ui, self.tree)
        }
    }

    /// Returns a context whose client is that of a shadow of the service. It reads what this one reads on this machine, such as the record of
    /// the last sync, and caches nothing.
    pub(crate) fn shadowed(&self, client: Client, types: SlotTypeCatalog) -> Self {
        let mut ui = Ui::plain(self.settings.output);
        ui.progress = false;
        Self {
            client: Some(client),
            printed: self.printed.clone(),
            of_file: self.of_file.clone(),
            shadow_types: Some(types),
            plan_first: PlanFirst::new(false),
            ..Self::new(self.settings.clone(), ui, self.tree)
        }
    }

    /// Returns the client for a command that writes. In a dry run nothing can be written with this client, nor with the one that
    /// [`client`](Self::client) returns afterwards.
    pub(crate) async fn writer(&mut self, args: DryRunArgs) -> Result<Client> {
        self.dry_run = args.dry_run;
        self.ui.is_dry_run = self.dry_run.is_some();
        if let (Some(path), None) = (&self.operation_out, self.dry_run) {
            // An older operation is not what this command does, however it ends.
            let removed = named::resolve(path).and_then(|path| private::remove(&path));
            removed.map_err(cannot_begin(path))?;
        }
        let client = self.client().await?;
        if !self.plan_first.is_cleared() {
            let record = self.dry_run_record();
            self.plan_first.enter(record, self.dry_run.is_some(), seconds_now())?;
        }
        if self.operation_out.is_some() && self.dry_run.is_none() && self.known_user().is_none() {
            // The file names the account.
            self.me(&client).await?;
        }
        signal::report_writes_of(client.clone(), true);
        let mode = self.dry_run.map_or(self.write_mode(), DryRun::writes);
        Ok(self.client.insert(client.with_write_mode(mode)).clone())
    }

    /// File of the dry runs of the service, and the name of this command line in it; `None` where no state can be stored.
    fn dry_run_record(&self) -> Result<Option<(PathBuf, String)>> {
        let Some((service, directory)) = self.place() else { return Ok(None) };
        // Several services may share an origin.
        let base = match &self.settings.target {
            ServiceTarget::Service(url) => url.base()?.to_string(),
            _ => service.clone(),
        };
        let name = plan_first::name_of(&base, &self.owner(), &self.words)?;
        Ok(Some((directory.join(format!("dry-runs-{service}.json")), name)))
    }

    /// Write mode of a client that is no dry run: nothing is sent that has to be planned before and was not.
    fn write_mode(&self) -> WriteMode {
        if self.plan_first.is_cleared() { WriteMode::Send } else { WriteMode::Withhold }
    }

    /// Returns the name that all journals of this command share.
    pub(crate) fn call(&self) -> String {
        let mut calls = signal::lock(&self.calls);
        if calls.is_empty() {
            calls.push(IdempotencyKey::random().to_string());
        }
        calls[0].clone()
    }

    /// Continues another call of the program, whose name the journals of this command share. Has to be set before anything is written. Of
    /// several calls, the first is continued, and the others are noted.
    pub(crate) fn continue_call(&self, call: &str) {
        let mut calls = signal::lock(&self.calls);
        if calls.iter().all(|known| known != call) {
            let at = calls.len().saturating_sub(1);
            calls.insert(at, call.to_owned());
        }
    }

    /// Returns the names of all calls of the program that this one belongs to.
    pub(crate) fn calls(&self) -> Vec<String> {
        signal::lock(&self.calls).clone()
    }

    /// Kind of dry run, if the command is a dry run.
    pub(crate) fn dry_run(&self) -> Option<DryRun> {
        self.dry_run
    }

    /// Returns the client of the configured service; starts the sandbox on the first call.
    pub(crate) async fn client(&mut self) -> Result<Client> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = match self.settings.target.clone() {
            ServiceTarget::Unset => {
                self.check_account()?;
                return Err(no_service());
            }
            ServiceTarget::Sandbox(mode) => self.sandbox_client(mode).await?,
            ServiceTarget::Service(url) => {
                let base = url.base()?.clone();
                let auth = self.client_auth(&base)?;
                let (first, command) = (auth.counted_as.clone(), auth.command.clone());
                let client = self.client_of(&base, auth)?;
                if let Some(command) = command {
                    self.note_printed(&client, &command, first).await?;
                }
                client
            }
        };
        signal::report_writes_of(client.clone(), false);
        let client = client.with_write_mode(self.write_mode());
        Ok(self.client.insert(client).clone())
    }

    /// Returns a client for requests that need no token; works without an account.
    pub(crate) async fn anyone(&mut self) -> Result<Client> {
        match (&self.settings.target, &self.client) {
            (ServiceTarget::Service(url), None) => {
                built(self.builder(url.base()?, self.settings.connection.read()?))
            }
            _ => self.client().await,
        }
    }

    /// Stores the names in the responses for completion.
    pub(crate) fn remember(&self) {
        let answers = self.watch.seen();
        if let Some(path) = self.names_file().filter(|_| !answers.is_empty()) {
            ResourceNames::remember(&path, &answers);
        }
    }

    /// Path of the cache file of the names for completion. Each account of this machine has one of its own.
    pub(crate) fn names_file(&self) -> Option<PathBuf> {
        let what = match &self.settings.token {
            TokenOrigin::Account(_, account) => format!("names-{}", account.user_id),
            _ => "names".to_owned(),
        };
        Some(self.cache_file(&what)?.with_extension("jsonl"))
    }

    /// Waits until no other command on this machine writes the same resource of this service, and holds the lock until it is dropped.
    /// Nothing is locked in a dry run, nor if no state can be stored.
    pub(crate) fn lock(&self, what: &str) -> ResourceLock {
        let place = self.place().filter(|_| self.dry_run.is_none());
        let file = place.map(|(service, directory)| (directory.join("turns"), service));
        ResourceLock::wait(file, what)
    }

    /// Returns the output with a failure that is reported after it, if there is one.
    pub(crate) fn with_failure(
        &self,
        output: CommandOutput,
        failure: impl Into<Option<CommandError>>,
    ) -> CommandOutput {
        let Some(failure) = failure.into() else { return output };
        let ui = Ui::plain(self.settings.output);
        CommandOutput { then: Some(Box::pin(async move { ui.fail(&failure) })), ..output }
    }

    /// Summary of the writes of the command.
    pub(crate) fn written(&self) -> WriteSummary {
        self.client.as_ref().map(Client::write_summary).unwrap_or_default()
    }

    /// Number of requests left in this minute, if any request was sent.
    pub(crate) fn requests_left(&self) -> Option<usize> {
        self.watch.left()
    }

    /// Path of a cache file for this service. `None` if no service URL is configured.
    pub(crate) fn cache_file(&self, what: &str) -> Option<PathBuf> {
        let name = format!("{what}-{}.json", self.service()?);
        Some(self.settings.cache_directory()?.join(name))
    }

    /// File name part that identifies the service: its origin with only the characters that file names allow.
    fn service(&self) -> Option<String> {
        let origin = match &self.settings.target {
            ServiceTarget::Unset => return None,
            ServiceTarget::Sandbox(_) => return Some(SANDBOX_FILES.to_owned()),
            ServiceTarget::Service(url) => url.origin()?,
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        Some(origin.replace("://", "-").chars().map(plain).collect())
    }

    /// Name of the service in file names, and the directory of state, if both are known.
    fn place(&self) -> Option<(String, PathBuf)> {
        self.service().zip(self.settings.state_directory())
    }

    /// Returns the uploaded images of the service that this machine knows.
    pub(crate) fn uploads(&self) -> Uploads {
        let file = self.place().map(|(service, directory)| directory.join(uploads_file(&service)));
        Uploads::open(file)
    }

    /// Id of the user of the requests, if it is known without a request: that of the account in use.
    pub(crate) fn user(&self) -> Option<i64> {
        match (&self.settings.target, &self.settings.token) {
            (ServiceTarget::Service(_), TokenOrigin::Account(_, account)) => self.user_of(account),
            _ => None,
        }
    }

    /// Id of the user of the account in use. A token command can print the token of another user than the one that logged in, so it has to
    /// run first.
    fn user_of(&self, account: &Account) -> Option<i64> {
        match account.kept {
            SecretLocation::Command(_) => self.printed.get().copied(),
            SecretLocation::Keyring | SecretLocation::File => Some(account.user_id),
        }
    }

    /// Notes whose token a token command has printed. The service is asked once about each token.
    async fn note_printed(
        &self,
        client: &Client,
        command: &TokenCommand,
        first: Token,
    ) -> Result<()> {
        let name_of = |token: &Token| RunOwner::of_token(token).token;
        let known = self.user_of_token(name_of(&first));
        let user = match known {
            Some(user) => user,
            None => self.me(client).await?.user_id,
        };
        // The first token may have been refused.
        let used = command.get().ok().and_then(|token| name_of(&token));
        if known.is_none() {
            self.remember_user(used, user);
        }
        command.belongs_to(user, client, first);
        // A client is built once.
        let _ = self.printed.set(user);
        Ok(())
    }

    /// Id of the user of the requests, if it is known without a request: that of the account in use, or one that the service told before.
    pub(crate) fn known_user(&self) -> Option<i64> {
        let asked = || self.me.get().map(|me| me.user_id);
        self.user().or_else(asked).or_else(|| self.user_of_token(self.owner().token))
    }

    /// Returns the user of the token with this digest, if the service has told it to a command on this machine.
    fn user_of_token(&self, token: Option<String>) -> Option<i64> {
        let (file, token) = self.cache_file("users").zip(token)?;
        user_of_token(&file, &token)
    }

    /// Notes the user of the token with this digest for later commands.
    fn remember_user(&self, token: Option<String>, user: i64) {
        if let Some((file, token)) = self.cache_file("users").zip(token) {
            remember_user(&file, &token, user);
        }
    }

    /// Returns the logins of the pages that this machine has seen.
    pub(crate) fn known_logins(&self) -> Vec<String> {
        let names = self.names_file().map(|file| ResourceNames::load(&file)).unwrap_or_default();
        names.profiles.into_values().map(|it| it.login).collect()
    }

    /// Returns the name of a user of the service, if the service has told it to this command.
    pub(crate) fn known_name(&self, user: i64) -> Option<&str> {
        self.me.get().filter(|me| me.user_id == user).map(|me| me.name.as_str())
    }

    /// Notes that this command has read a lock of page files, which belongs to this user.
    pub(crate) fn note_lock(&self, path: PathBuf, owner: i64) {
        signal::lock(&self.locks).insert(path, owner);
    }

    /// Returns the locks of page files that this command has read, each with the user that it belongs to.
    pub(crate) fn read_locks(&self) -> BTreeMap<PathBuf, i64> {
        signal::lock(&self.locks).clone()
    }

    /// Returns the caller. The service is asked once.
    pub(crate) async fn me(&self, client: &Client) -> Result<Me> {
        if let Some(me) = self.me.get() {
            return Ok(me.clone());
        }
        let me = client.me().await?;
        self.remember_user(self.owner().token, me.user_id);
        Ok(self.me.get_or_init(|| me).clone())
    }

    /// Account of the requests, as far as it is known without a request. An account whose token was replaced by hand counts as the one that
    /// logged in, as does one whose token command has not run.
    pub(crate) fn owner(&self) -> RunOwner {
        let token = match &self.settings.token {
            _ if matches!(self.settings.target, ServiceTarget::Sandbox(_)) => {
                return RunOwner::of_user(SANDBOX_USER);
            }
            TokenOrigin::Account(_, account) => {
                return RunOwner::of_user(self.user_of(account).unwrap_or(account.user_id));
            }
            TokenOrigin::Variable(text) => Token::new(text).ok(),
            TokenOrigin::File(path) => self.file_token(path).ok(),
            TokenOrigin::Nowhere(_) => None,
        };
        token.as_ref().map(RunOwner::of_token).unwrap_or_default()
    }

    /// Starts the sandbox and returns its client. The sandbox has its own token: the token of the environment is never sent to it.
    async fn sandbox_client(&mut self, mode: SandboxMode) -> Result<Client> {
        use crate::sandbox;
        let has_limits = mode == SandboxMode::Limits;
        let server = sandbox::start(&self.settings, None, has_limits).await?;
        let base = BaseUrl::new(server.base_url()).map_err(CommandError::internal)?;
        let token = Token::new(server.token()).map_err(CommandError::internal)?;
        self.sandbox = Some(server);
        let builder = self.builder(&base, ConnectionOptions::default()).token(token);
        built(match mode {
            SandboxMode::Limits => self.paced(builder, self.file_pacer(sandbox::RATE)),
            SandboxMode::Unlimited => builder.rate_limits(RateLimits::unlimited()),
        })
    }

    /// Authentication of the client according to the settings.
    fn client_auth(&self, base: &BaseUrl) -> Result<ClientAuth> {
        match &self.settings.token {
            TokenOrigin::Variable(text) => token(text, TOKEN).map(ClientAuth::from),
            TokenOrigin::File(path) => self.file_token(path).map(ClientAuth::from),
            TokenOrigin::Account(name, account) => {
                let connection = self.settings.connection.read()?;
                load_auth(&self.config_directory()?, name, account, base, connection)
            }
            TokenOrigin::Nowhere(missing) => Err(no_token(missing, base)),
        }
    }

    /// Returns the token of a file, which is read once: what is noted of a token has to be about the one that is used.
    fn file_token(&self, path: &Path) -> Result<Token> {
        if let Some(token) = self.of_file.get() {
            return Ok(token.clone());
        }
        let token = token(&read_token(path)?, &path.display().to_string())?;
        Ok(self.of_file.get_or_init(|| token).clone())
    }

    /// Refuses an account that there is not, for a command that needs none.
    pub(crate) fn check_account(&self) -> Result<()> {
        let base = match &self.settings.target {
            ServiceTarget::Service(url) => url.base().ok(),
            _ => None,
        };
        match (&self.settings.token, base) {
            (TokenOrigin::Nowhere(MissingToken::NotLoggedIn), _) => Ok(()),
            (TokenOrigin::Nowhere(missing), Some(base)) => Err(no_token(missing, base)),
            (TokenOrigin::Nowhere(MissingToken::NoSuchAccount(name)), None) => {
                Err(no_such_account(Exit::NotAuthenticated, name))
            }
            _ => Ok(()),
        }
    }

    /// Configuration directory.
    pub(crate) fn config_directory(&self) -> Result<PathBuf> {
        self.settings.needed_config_directory()
    }

    /// Returns a client of a service with the given authentication.
    pub(crate) fn client_of(&self, base: &BaseUrl, auth: ClientAuth) -> Result<Client> {
        let builder = self.builder(base, self.settings.connection.read()?).token(auth.source);
        built(self.paced(builder, self.pacer(base, &auth.counted_as)))
    }

    /// Returns the pacer of a token: that of all machines, else that of all processes of this user, if any state can be stored.
    fn pacer(&self, base: &BaseUrl, token: &Token) -> Option<Arc<dyn Pacer>> {
        if let Some(SharedPacing { server, when_unreachable }) = &self.settings.pacing {
            let pacer = RedisPacer::new(server.clone(), RedisPacer::name(base, token));
            let pacer = pacer.when_unreachable(*when_unreachable).observer(self.watch.clone());
            return Some(Arc::new(pacer.background(self.settings.is_background)));
        }
        self.file_pacer(&SharedFilePacer::name(base, token))
    }

    /// Returns the pacer of all processes of this user that use this file, if any state can be stored.
    fn file_pacer(&self, name: &str) -> Option<Arc<dyn Pacer>> {
        let file = self.settings.state_directory()?.join(name);
        let pacer = SharedFilePacer::new(file).observer(self.watch.clone());
        Some(Arc::new(pacer.background(self.settings.is_background)))
    }

    /// Sets the pacer, if there is one to be shared.
    fn paced(&self, builder: ClientBuilder, pacer: Option<Arc<dyn Pacer>>) -> ClientBuilder {
        let Some(pacer) = pacer else { return builder };
        self.watch.paced_by(pacer.clone());
        builder.pacer(pacer)
    }

    /// Returns the builder of a client with what the settings say of every client. Requests without a token have no rate limits.
    fn builder(&self, base: &BaseUrl, connection: ConnectionOptions) -> ClientBuilder {
        let mut builder = Client::builder(base)
            .connection(connection)
            .secrets(known_secrets())
            .user_agent(concat!("links-cli/", env!("CARGO_PKG_VERSION")))
            .observer(self.watch.clone());
        if let Some(wait) = self.settings.max_wait {
            builder = builder.max_wait(wait);
        }
        if let Some(deadline) = self.settings.timeout {
            builder = builder.deadline(deadline);
        }
        builder
    }
}

fn built(builder: ClientBuilder) -> Result<Client> {
    #[cfg(debug_assertions)]
    let builder = crate::testing::with_test_clock(builder);
    builder.build().map_err(|error| CommandError::new(Exit::Network, error))
}

/// File name of the uploaded images of a service.
pub(crate) fn uploads_file(service: &str) -> String {
    format!("uploads-{service}.json")
}

/// Returns the time in seconds since 1970.
pub(crate) fn seconds_now() -> u64 {
    seconds(clock().wall())
}

/// Clock for waits that depend on the user.
pub(crate) fn clock() -> Arc<dyn Clock> {
    #[cfg(debug_assertions)]
    if let Some(clock) = crate::testing::clock() {
        return clock;
    }
    Arc::new(SystemClock::new())
}

/// Error if no service URL is configured and no account has one.
pub(crate) fn no_service() -> CommandError {
    CommandError::usage("no service URL is configured").with_hint(format!(
        "log in with `links auth login --base-url URL`, set {BASE_URL}, pass --base-url, or try --sandbox, which needs no account",
    ))
}

/// Returns the error for an unknown account.
pub(crate) fn no_such_account(exit: Exit, name: &crate::auth::AccountName) -> CommandError {
    CommandError::new(exit, format!("no such account: `{name}`"))
        .with_hint("`links auth list` lists accounts, and `links auth login` adds one")
}

fn no_token(missing: &MissingToken, base: &BaseUrl) -> CommandError {
    let origin = base.origin();
    let (message, hint) = match missing {
        MissingToken::NotLoggedIn => (
            format!("not logged in to {origin}"),
            format!(
                "log in with `links auth login --base-url {base}`, or set {TOKEN} or {TOKEN_FILE}"
            ),
        ),
        MissingToken::NoSuchAccount(name) => return no_such_account(Exit::NotAuthenticated, name),
        MissingToken::Several(names) => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            (
                format!("several accounts for {origin}: {}", names.join(", ")),
                "choose one with --account or `links auth switch NAME`".to_owned(),
            )
        }
        MissingToken::OnlyForNamed(variable) => (
            format!("{variable} is not sent to {origin}, because the URL comes from config.toml"),
            format!(
                "to send the token there, set {BASE_URL} or pass --base-url {base}; or choose an account with --account"
            ),
        ),
        MissingToken::OtherOrigin(name, account) => {
            let its = account.origin().unwrap_or_default();
            return CommandError::usage(format!(
                "account `{name}` is for {its}, not for {origin}"
            ))
            .with_hint(format!("leave out --base-url and unset {BASE_URL}, or choose another account with --account"));
        }
    };
    CommandError::new(Exit::NotAuthenticated, message).with_hint(hint)
}

fn token(text: &str, name: &str) -> Result<Token> {
    Token::new(text)
        .map_err(|error| CommandError::new(Exit::NotAuthenticated, format!("{name}: {error}")))
}

fn read_token(path: &Path) -> Result<Zeroizing<String>> {
    let refused = |error: std::io::Error| {
        CommandError::usage(format!("{TOKEN_FILE}: cannot read {}: {error}", path.display()))
    };
    let file = File::open(path).map_err(refused)?;
    let is_file = file.metadata().map_err(refused)?.is_file();
    if is_file && private::is_public(path).map_err(refused)? {
        let message = format!("{TOKEN_FILE}: {} is writable by others", path.display());
        return Err(CommandError::new(Exit::NotAuthenticated, message).with_hint(
            "check the token, which another user may have put there, then run `chmod 600` on the file",
        ));
    }
    let mut text = Zeroizing::new(String::new());
    file.take(TOKEN_FILE_MAX).read_to_string(&mut text).map_err(refused)?;
    Ok(text)
}
