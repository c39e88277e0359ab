//! Client and its builder.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::header::{HeaderMap, HeaderValue, USER_AGENT};
use tokio_util::sync::CancellationToken;

use crate::base_url::BaseUrl;
use crate::secrets::Secrets;
use crate::token::{Hidden, TokenSource};
use crate::transport::Shared;
use crate::transport::caller_headers::{self, BeforeSend, OutgoingRequest};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::{BuildError, ConnectionOptions, USER_AGENT_OF_SDK};
use crate::transport::exchange::WriteMode;
use crate::transport::http_sender::{HttpClient, LocalResponder, Timeouts};
use crate::transport::observer::Observer;
use crate::transport::pacing::{InProcessPacer, Pacer, RateLimits};
use crate::transport::retry_policy::{RetryBudget, RetryPolicy};
use crate::transport::write_tally::WriteSummary;

/// A client of the service for one token. Cloning it is cheap, and clones share connections and rate limits. Create one client per token;
/// for further tokens, use [`Client::with_token`].
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
    /// The URL as it was given, without a password.
    url: String,
    insecure_http: bool,
    token: Option<Arc<dyn TokenSource>>,
    user_agent: Option<String>,
    deadline: Option<Duration>,
    max_wait: Option<Duration>,
    timeouts: Timeouts,
    clock: Arc<dyn Clock>,
    pacer: Option<Arc<dyn Pacer>>,
    limits: Option<RateLimits>,
    observer: Arc<dyn Observer>,
    secrets: Option<Secrets>,
    http: Option<HttpClient>,
    in_process: Option<LocalResponder>,
    connection: ConnectionOptions,
    headers: HeaderMap,
    before_send: Option<BeforeSend>,
    retry: RetryPolicy,
    /// First option that cannot be used.
    error: Option<BuildError>,
}

impl Client {
    /// Returns a builder for this base URL, including the version segment.
    ///
    /// [`ClientBuilder::build`] fails if the URL cannot be used.
    pub fn builder(base: impl AsRef<str>) -> ClientBuilder {
        ClientBuilder {
            url: BaseUrl::without_user_info(base.as_ref()).into_owned(),
            insecure_http: false,
            token: None,
            user_agent: None,
            deadline: None,
            max_wait: None,
            timeouts: Timeouts::default(),
            clock: Arc::new(SystemClock::new()),
            pacer: None,
            limits: None,
            observer: Arc::new(()),
            secrets: None,
            http: None,
            in_process: None,
            connection: ConnectionOptions::default(),
            headers: HeaderMap::new(),
            before_send: None,
            retry: RetryPolicy::default(),
            error: None,
        }
    }

    /// Returns the URL that the client was built for.
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

    /// Returns a client for another token of the same service. The two share connections, TLS, proxy, headers, timeouts, retry policy,
    /// clock and observer. Each has its own pacing in this process, its own counts, and its own retry budget. So a process can serve a
    /// thousand accounts with one HTTP client. A collection of [secrets](ClientBuilder::secrets) is shared only if you set one.
    ///
    /// A [pacer](ClientBuilder::pacer) of the builder belongs to the token of the builder, so the new client doesn't have it. To share the
    /// limits and the locks of pages with other processes or machines, give the new client a pacer of its own
    /// [`with_pacer`](Client::with_pacer).
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::Token;
    ///
    /// let other = client.with_token(Token::new("pps_token_of_another_account")?);
    /// assert!(client.me().await.is_ok());
    /// assert!(other.me().await.unwrap_err().is_not_authenticated());
    /// assert_eq!(other.requests_sent(), 1);
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub fn with_token(&self, source: impl TokenSource) -> Self {
        let pacer = in_process_pacer(self.shared.limits);
        let shared = self.shared.for_token(Some(Arc::new(source)), pacer);
        Self { shared: Arc::new(shared), ..self.clone() }
    }

    /// Returns a client of the same token with another pacer. Everything else is shared, including the counts.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use std::sync::Arc;
    ///
    /// use links_sdk::{InProcessPacer, Token};
    ///
    /// let pacer = InProcessPacer::default().background(true);
    /// let other = client.with_token(Token::new("pps_token_of_another_account")?);
    /// let nightly = other.with_pacer(Arc::new(pacer));
    /// assert!(nightly.me().await.unwrap_err().is_not_authenticated());
    /// assert_eq!(other.requests_sent(), 1);
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub fn with_pacer(&self, pacer: Arc<dyn Pacer>) -> Self {
        let shared = Shared { pacer, queue: Arc::default(), ..Shared::clone(&self.shared) };
        Self { shared: Arc::new(shared), ..self.clone() }
    }

    /// Returns the number of requests sent so far by this client and its clones, including retries and requests to upload URLs.
    pub fn requests_sent(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Returns a summary of the writes of this client and its clones so far: executed, in doubt, or in progress. A write in doubt is
    /// removed from the summary when it is sent again under its idempotency key and executed.
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
    /// Sets the token for every request: a [`Token`](crate::Token), or another [`TokenSource`]. Only [`Client::index`] works without one. A
    /// service with many accounts builds a client without a token, and derives one for each account with [`Client::with_token`].
    pub fn token(mut self, source: impl TokenSource) -> Self {
        self.token = Some(Arc::new(source));
        self
    }

    /// Sets the `User-Agent`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = Some(name.into());
        self
    }

    /// Sets the time limit for one call, including waits and retries; by default 120 seconds, and an hour for an upload. A wait starts only
    /// if it leaves a second for the request after it, or as long as the wait itself if that is shorter. Otherwise the call fails at once.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the maximum single wait of a call for the rate limits. A call that would have to wait longer fails at once. If you don't set
    /// it, only the deadline limits the waits.
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

    /// Sets upper bounds for the rate limits. They apply even if the service reports higher limits. By default they are the limits of the
    /// interface, and then the limits that [`Client::me`] reports.
    pub fn rate_limits(self, limits: RateLimits) -> Self {
        Self { limits: Some(limits), pacer: None, ..self }
    }

    /// Sets the pacer, to share one log of requests among several clients of the same token. Clients of other tokens don't take it over: see
    /// [`Client::with_pacer`].
    pub fn pacer(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = Some(pacer);
        self
    }

    /// Sets the observer of waits and attempts.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the collection to which the client adds each token that it sends, so that you can remove tokens from your program's output. The
    /// client's own errors don't need a collection.
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = Some(secrets);
        self
    }

    /// Sets the options of the connections: certificates, client certificate, proxy. A client certificate is shown only to the service, not
    /// to hosts of upload URLs elsewhere.
    ///
    /// ```
    /// use links_sdk::{Client, ConnectionOptions};
    ///
    /// let options = ConnectionOptions::default().proxy("http://proxy.example:3128")?;
    /// let client = Client::builder("https://links.example/api/v1").connection(options).build()?;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn connection(mut self, options: ConnectionOptions) -> Self {
        self.connection = options;
        self
    }

    /// Adds a header to every request to the service, such as the key of a gateway in front of it. Its value is not shown to an
    /// [`Observer`], nor in `Debug` output. Headers that a call depends on are refused: `Authorization`, `Host`, `Content-Type`, `Accept`,
    /// `Idempotency-Key`, `Precognition` and others.
    ///
    /// ```
    /// use links_sdk::Client;
    ///
    /// let builder = Client::builder("https://links.example/api/v1");
    /// let client = builder.header("X-Gateway-Key", "secret").build()?;
    ///
    /// let builder = Client::builder("https://links.example/api/v1");
    /// assert!(builder.header("Authorization", "Bearer secret").build().is_err());
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        if let Err(error) = caller_headers::add(&mut self.headers, name.as_ref(), value.as_ref()) {
            self.error.get_or_insert(error.into());
        }
        self
    }

    /// Sets a hook that runs before each attempt, including retries, for headers that depend on the request, such as a trace context or a
    /// signature for a gateway. It sees the operation, method, URL, headers and body, and can set headers. It does not see the token, which
    /// is added later, so a signature cannot cover `Authorization`. With the feature `tracing`, it runs in the span of the attempt.
    ///
    /// The hook runs on the thread of the call, so it must not block. It does not run for requests to hosts that the service names, such as
    /// the hosts of upload URLs. If it fails, the call fails with [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), and that
    /// attempt is not sent.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// # let (base, token) = (client.base_url().as_str(), links_sdk::Token::new("pps_token")?);
    /// use links_sdk::Client;
    ///
    /// let client = Client::builder(base).token(token).before_send(|request| {
    ///     let signed = format!("{} {} {:?}", request.method(), request.url(), request.body());
    ///     request.set_header("X-Signature", signed.len().to_string())?; // your signature of it
    ///     Ok(())
    /// });
    /// # let client = client.build()?;
    /// # assert!(client.index().await.is_ok());
    /// # Ok(()) });
    /// ```
    pub fn before_send(
        mut self,
        hook: impl Fn(&mut OutgoingRequest<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.before_send = Some(Hidden(Arc::new(hook)));
        self
    }

    /// Limits the retries of each call.
    ///
    /// ```
    /// use links_sdk::{Client, RetryPolicy};
    ///
    /// let builder = Client::builder("https://links.example/api/v1");
    /// let client = builder.retry(RetryPolicy::default().max_attempts(2)).build()?;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Allows a base URL with `http` on a host other than this machine. The token is then sent unencrypted, and anyone on the network path
    /// can read it. Use it only in a private network.
    ///
    /// ```
    /// use links_sdk::Client;
    ///
    /// let base = "http://links.test:8080/api/v1";
    /// assert!(Client::builder(base).build().is_err());
    /// let client = Client::builder(base).allow_insecure_http().build()?;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn allow_insecure_http(mut self) -> Self {
        self.insecure_http = true;
        self
    }

    /// Sends the requests with your own HTTP client, with its connections, TLS, proxy, connect timeout and default headers. So
    /// [`connection`](Self::connection) cannot be used with it, and [`Timeouts::connect`] does not apply to it. Uploads to upload URLs and
    /// downloads use a client of the SDK.
    ///
    /// Your client must neither follow redirects nor repeat requests. A response from another URL than the request's is discarded: the call
    /// fails, and the outcome of a write is unknown. By then, the headers of the call, except `Authorization`, may have been sent to
    /// another host. A redirect that ends at the URL of the request cannot be detected.
    ///
    /// ```
    /// use links_sdk::Client;
    ///
    /// let http = reqwest::Client::builder()
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .retry(reqwest::retry::never())
    ///     .build()?;
    /// let client = Client::builder("https://links.example/api/v1").http_client(http).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "reqwest013")]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(HttpClient { is_foreign: true, ..HttpClient::new(client) });
        self
    }

    /// Answers the requests by a function instead of the network. A body that is a stream reaches it empty, and upload URLs are still sent to
    /// over the network.
    #[cfg(feature = "exhaustive")]
    #[doc(hidden)]
    pub fn in_process(
        mut self,
        answer: impl Fn(http::Request<bytes::Bytes>) -> http::Response<bytes::Bytes>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.in_process = Some(Hidden(Arc::new(answer)));
        self
    }

    /// Checks the URL and the options, and returns the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the URL is not https (or http to this machine), when an option cannot be used, or when the HTTP client cannot be created.
    pub fn build(self) -> Result<Client, BuildError> {
        let url = self.url;
        let base = BaseUrl::parse(&url, self.insecure_http)
            .map_err(BuildError::because(format!("invalid base URL {url:?}")))?;
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut headers = self.headers;
        let mut http = match self.http {
            Some(_) if self.connection.is_set() => {
                return Err(BuildError::new(
                    "set certificates and proxy in the HTTP client that you pass to the builder",
                ));
            }
            Some(http) => {
                if let Some(name) = self.user_agent {
                    headers.insert(USER_AGENT, user_agent(&name)?);
                }
                http
            }
            None => {
                let name = self.user_agent.as_deref().unwrap_or(USER_AGENT_OF_SDK);
                let name = user_agent(name)?;
                self.connection
                    .client(base.url(), self.timeouts.connect, |builder| builder.user_agent(name))?
            }
        };
        http.in_process = self.in_process;
        let limits = self.limits;
        let shared = Shared {
            base,
            http,
            connection: Arc::new(self.connection),
            headers: Arc::new(headers),
            before_send: self.before_send,
            timeouts: self.timeouts,
            retry: self.retry,
            token: self.token,
            clock: self.clock,
            service_time: Arc::default(),
            pacer: self.pacer.unwrap_or_else(|| in_process_pacer(limits)),
            limits,
            observer: self.observer,
            shown: None,
            requests: Arc::default(),
            waits: Arc::default(),
            stop: CancellationToken::new(),
            tally: Arc::default(),
            budget: Arc::new(RetryBudget::full(self.retry)),
            queue: Arc::default(),
            secrets: Secrets::default(),
            collection: self.secrets,
        };
        let Self { deadline, max_wait, .. } = self;
        Ok(Client { shared: Arc::new(shared), deadline, max_wait, writes: WriteMode::Send })
    }
}

fn in_process_pacer(limits: Option<RateLimits>) -> Arc<dyn Pacer> {
    Arc::new(limits.map_or_else(InProcessPacer::default, InProcessPacer::new))
}

fn user_agent(name: &str) -> Result<HeaderValue, BuildError> {
    HeaderValue::from_str(name).map_err(|_| {
        caller_headers::invalid("user-agent", "its value contains control characters").into()
    })
}
