//! Client and its builder.

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

/// Builder of a [`Client`]. Only the URL is required.
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    base: Result<BaseUrl, BuildError>,
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

/// Reasons why a client cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The URL cannot be used.
    #[error("the base URL {url:?} cannot be used")]
    Base {
        /// The URL as it was given, without a password.
        url: String,
        /// The reason.
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
    /// Returns a builder for this base URL, version segment included.
    ///
    /// [`ClientBuilder::build`] fails if the URL cannot be used.
    pub fn builder(base: impl Into<String>) -> ClientBuilder {
        let text = base.into();
        let base = BaseUrl::new(&text).map_err(|source| {
            let url = BaseUrl::without_user_info(&text).into_owned();
            BuildError::Base { url, source }
        });
        Self::builder_of(base)
    }

    /// Returns a builder for a base URL that is parsed already.
    ///
    /// ```
    /// use links_sdk::{BaseUrl, Client};
    ///
    /// let base = BaseUrl::new("https://links.example/api/v1")?;
    /// let client = Client::builder_at(base.clone()).build()?;
    /// assert_eq!(client.base_url(), &base);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder_at(base: BaseUrl) -> ClientBuilder {
        Self::builder_of(Ok(base))
    }

    fn builder_of(base: Result<BaseUrl, BuildError>) -> ClientBuilder {
        ClientBuilder {
            base,
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

    /// Returns the URL the client was built for.
    pub fn base_url(&self) -> &BaseUrl {
        &self.shared.base
    }

    /// Returns a client that handles writes in this mode, for example to run a whole program as a dry run.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::WriteMode;
    /// use links_sdk::types::NewSlot;
    ///
    /// let client = client.with_write_mode(WriteMode::Withhold);
    /// let error = client.profile("cafe").slots().create(NewSlot::of("divider")).await.unwrap_err();
    /// let request = error.not_sent().unwrap();
    /// assert_eq!(request.method(), "POST");
    /// assert_eq!(request.body().unwrap(), r#"{"type":"divider"}"#);
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub fn with_write_mode(&self, writes: WriteMode) -> Self {
        Self { writes, ..self.clone() }
    }

    /// Returns the number of requests sent so far by this client and its clones, repeated ones and those to upload URLs included.
    pub fn requests_sent(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Returns a summary of the writes of this client and its clones so far: executed, in doubt, or under way.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
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
    /// Sets the token that every request carries, except that of [`Client::index`], which is answered without one.
    pub fn token(self, token: Token) -> Self {
        self.token_source(Arc::new(token))
    }

    /// Sets the source of each request's token.
    pub fn token_source(mut self, source: Arc<dyn TokenSource>) -> Self {
        self.token = Some(source);
        self
    }

    /// Sets the `User-Agent`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Sets the time limit for one call, waiting and retries included; 120 seconds unless set, an hour for an upload. A wait is not begun
    /// unless it leaves a second for the request after it, or as long as the wait if that is shorter: the call ends at once instead.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the longest single wait of a call for the rate limits; a longer one fails at once. Without it only the deadline bounds them.
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = Some(wait);
        self
    }

    /// Sets the network timeouts.
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

    /// Sets the clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets upper bounds for the rate limits, which hold even if the service reports higher ones. Unless set they are those of the
    /// interface, section 8, and then those that [`Client::me`] reports.
    pub fn rate_limits(self, limits: RateLimits) -> Self {
        self.pacer(Arc::new(InProcessPacer::new(limits)))
    }

    /// Sets the pacer, to share one log of requests among several clients of a token.
    pub fn pacer(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = pacer;
        self
    }

    /// Sets the observer of waits and attempts.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the collection of tokens that the client sends, so that no message repeats them.
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// Checks the URL and returns the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the URL is not https (or http to this machine), or the HTTP client cannot start.
    pub fn build(self) -> Result<Client, BuildError> {
        let base = self.base?;
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
