//! The client and its builder.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::redirect::Policy;

use crate::base_url::{BaseUrl, InvalidBaseUrl};
use crate::secrets::Secrets;
use crate::token::Token;
use crate::token_source::TokenSource;
use crate::transport::Shared;
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::http_sender::Timeouts;
use crate::transport::observer::{NoObserver, Observer};
use crate::transport::pacing::queue::Queue;
use crate::transport::pacing::{InProcessPacer, Pacer, RateLimits};
use crate::transport::retry_budget::RetryBudget;
use crate::transport::tls;
use crate::transport::write_tally::WriteSummary;
use crate::write_mode::WriteMode;

/// A client of the service for one token. Cloning it is cheap, and clones share connections and rate limits: make one per token.
///
/// Calls are values: `.await` sends them, `with_*` sets their options.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use links_sdk::{Client, Token};
///
/// let client = Client::builder("https://links.example/api/v1")
///     .token(Token::new(&std::env::var("LINKS_TOKEN")?)?)
///     .build()?;
/// println!("{} may write: {}", client.me().await?.name, client.me().await?.can_write);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) max_wait: Option<Duration>,
    pub(crate) writes: WriteMode,
}

/// What a [`Client`] is made of. Only the address is required.
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    base: String,
    token: Option<Arc<dyn TokenSource>>,
    user_agent: String,
    deadline: Option<Duration>,
    max_wait: Option<Duration>,
    timeouts: Timeouts,
    clock: Arc<dyn Clock>,
    pacer: Arc<dyn Pacer>,
    observer: Arc<dyn Observer>,
    secrets: Secrets,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The address cannot be used.
    #[error("the base address {address:?} cannot be used")]
    Base {
        /// As it was given, without a password.
        address: String,
        /// What is wrong with it.
        source: InvalidBaseUrl,
    },
    /// TLS cannot be set up: there are no certificates on this machine.
    #[error("TLS cannot be set up")]
    Tls(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The HTTP client cannot start: a bad proxy in the environment, for example.
    #[error("the HTTP client cannot start")]
    Http(#[source] reqwest::Error),
}

impl Client {
    /// Begins a client for this base address, version segment included.
    pub fn builder(base: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            base: base.into(),
            token: None,
            user_agent: concat!("links-sdk/", env!("CARGO_PKG_VERSION")).to_owned(),
            deadline: None,
            max_wait: None,
            timeouts: Timeouts::default(),
            clock: Arc::new(SystemClock::new()),
            pacer: Arc::new(InProcessPacer::default()),
            observer: Arc::new(NoObserver),
            secrets: Secrets::default(),
        }
    }

    /// The address the client was built for.
    pub fn base_url(&self) -> &BaseUrl {
        &self.shared.base
    }

    /// The same client, by which calls that would change something are not sent as they are: a program can rehearse whatever it does.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::WriteMode;
    /// use links_sdk::types::NewSlot;
    ///
    /// let client = client.with_write_mode(WriteMode::Withhold);
    /// let error = client.profile("cafe").slots().create(NewSlot::of("divider")).await.unwrap_err();
    /// let request = error.withheld().unwrap();
    /// assert_eq!(request.method(), "POST");
    /// assert_eq!(request.body().unwrap(), r#"{"type":"divider"}"#);
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub fn with_write_mode(&self, writes: WriteMode) -> Self {
        Self { writes, ..self.clone() }
    }

    /// Requests sent so far by this client and its clones, repeated ones and those to upload addresses included.
    pub fn requests_sent(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// What the writes of this client and its clones came to so far: what was carried out, and what is in doubt or under way.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::Outcome;
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// slots.list().await?;
    /// assert_eq!(client.write_summary().outcome(), Outcome::NotExecuted);
    /// slots.create(NewSlot::of("divider")).await?;
    /// assert_eq!(client.write_summary().executed().collect::<Vec<_>>(), [("createSlot", 1)]);
    /// # Ok(()) });
    /// ```
    pub fn write_summary(&self) -> WriteSummary {
        self.shared.tally.so_far()
    }
}

impl ClientBuilder {
    /// The token every request carries, except that of [`Client::index`], which is answered without one.
    pub fn token(self, token: Token) -> Self {
        self.token_source(Arc::new(token))
    }

    /// Who is asked for the token of each request.
    pub fn token_source(mut self, source: Arc<dyn TokenSource>) -> Self {
        self.token = Some(source);
        self
    }

    /// What the client calls itself.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Longest time for one call, waiting and retries included; 120 seconds unless set, an hour for an upload.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Longest single wait of a call for the rate limits; a longer one fails at once. Without it only the deadline bounds them.
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = Some(wait);
        self
    }

    /// How long to wait for the network.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use links_sdk::{Client, Timeouts};
    ///
    /// let mut timeouts = Timeouts::default();
    /// timeouts.connect = Duration::from_secs(3);
    /// let client = Client::builder("http://127.0.0.1:8080/api/v1").timeouts(timeouts).build()?;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Where the time comes from.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Limits to keep within, whatever higher ones the service reports. Unless set they are those of the interface, section 8, and then
    /// those that [`Client::me`] reports.
    pub fn rate_limits(self, limits: RateLimits) -> Self {
        self.pacer(Arc::new(InProcessPacer::new(limits)))
    }

    /// What admits requests, to share one log among several clients of a token.
    pub fn pacer(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = pacer;
        self
    }

    /// Who is told about waits and attempts.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Where the tokens are kept that the client sends, so that no text repeats them.
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// Checks the address and makes the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the address is not https (or http to this machine), or the HTTP client cannot start.
    pub fn build(self) -> Result<Client, BuildError> {
        let base = match BaseUrl::new(&self.base) {
            Ok(base) => base,
            Err(source) => {
                let address = BaseUrl::without_user_info(&self.base).into_owned();
                return Err(BuildError::Base { address, source });
            }
        };
        let http = http_client(&base, &self.user_agent, self.timeouts.connect)?;
        let shared = Shared {
            base,
            http,
            timeouts: self.timeouts,
            token: self.token,
            clock: self.clock,
            pacer: self.pacer,
            observer: self.observer,
            requests: Arc::default(),
            waits: AtomicU64::default(),
            tally: Arc::default(),
            budget: RetryBudget::full(),
            queue: Queue::default(),
            secrets: self.secrets,
        };
        let Self { deadline, max_wait, .. } = self;
        Ok(Client { shared: Arc::new(shared), deadline, max_wait, writes: WriteMode::Send })
    }
}

fn http_client(
    base: &BaseUrl,
    user_agent: &str,
    connect: Duration,
) -> Result<reqwest::Client, BuildError> {
    let tls = tls::config(base.is_https()).map_err(|error| BuildError::Tls(Box::new(error)))?;
    let builder = reqwest::Client::builder()
        .user_agent(user_agent)
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(connect);
    let builder = if base.is_loopback() { builder.no_proxy() } else { builder };
    builder.build().map_err(BuildError::Http)
}
