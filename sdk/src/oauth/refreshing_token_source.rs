//! Token source that renews access tokens.

use std::convert::Infallible;
use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use tokio::runtime::Builder;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::task::spawn_blocking;

use super::credentials::{CredentialStore, Credentials};
use super::http::{OAuthErrorResponse, OAuthHttpClient, check_endpoint, connector_url};
use crate::blocking::{LockRetry, locked};
use crate::token::{Token, TokenError, TokenFuture, TokenSource};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::ConnectionOptions;

/// Wait after the first failed renewal. It doubles with each one that follows.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);
/// Maximum time for which the authorization server can postpone the next renewal. A mistaken number must not block the login for days.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);
/// Time for which a renewal waits for another process that holds the lock of the store.
const LONGEST_LOCK: Duration = Duration::from_secs(60);
/// Number of renewals that may run at the same time. The threads that may block serve the whole program.
const MOST_RENEWALS: usize = 64;
/// Time after which a renewal asks again whether it may begin.
const TURN: Duration = Duration::from_millis(50);

/// The renewals that may still begin.
static RENEWALS: Semaphore = Semaphore::const_new(MOST_RENEWALS);

/// Token source that returns the access token of the credentials in a store. It renews the token when it expires or is refused, only once
/// for all tasks and processes that share the store. For an example, see [the module](super).
///
/// A renewal does not depend on the call that starts it. It runs to its end and saves the new refresh token, even if all waiting calls are
/// dropped or reach their deadlines. A runtime that shuts down in the meantime waits for it, for up to half a minute. After
/// [`shutdown_background`](tokio::runtime::Runtime::shutdown_background), it finishes on its own thread. A process runs at most 64 renewals
/// at the same time, so that a slow authorization server doesn't take all the threads of the runtime that may block. Others wait their turn.
///
/// In the last 30 seconds of an access token (or in the last tenth, if it is valid for less than five minutes), calls still use it while it
/// is renewed in the background. Once it has expired, or the service has refused it, calls wait for the renewal until their deadlines.
/// After a failed renewal, the authorization server is not asked again for a second. This wait doubles after each further failure, up to a
/// minute; a `Retry-After` of the authorization server can extend it to an hour. In the meantime, calls without a valid token fail with the
/// last error.
///
/// If the store cannot be written, calls use a renewed token that is not saved yet. Saving is retried, at first every second and later
/// every minute. If the process exits before the token is saved, the login is lost. An error of the store is temporary for calls, except
/// for the kinds [`PermissionDenied`](ErrorKind::PermissionDenied), [`InvalidData`](ErrorKind::InvalidData) and
/// [`InvalidInput`](ErrorKind::InvalidInput).
///
/// The credentials are removed only if the authorization server reports that they have expired, and only if nothing has replaced them in
/// the meantime. If the server fails or cannot be reached, they are kept. Another user of the store may find that the stored credentials are
/// spent while their successor is not saved yet: the successor is saved although they were removed. So [revoke](Credentials::revoke) the
/// credentials of a user who logs out.
#[derive(Clone, Debug)]
pub struct RefreshingTokenSource {
    store: Arc<dyn CredentialStore>,
    clock: Arc<dyn Clock>,
    options: ConnectionOptions,
    state: Arc<Mutex<State>>,
}

/// Everything that is known of the login.
#[derive(Debug, Default)]
struct State {
    /// The credentials that were read or obtained last.
    credentials: Option<Credentials>,
    /// Result of the renewal in progress. Its sender is gone if the renewal was lost with its runtime.
    renewal: Option<watch::Receiver<Option<Renewed>>>,
    failure: Option<FailedRenewal>,
    /// Successor of the credentials, until it is saved.
    unsaved: Option<Credentials>,
    /// The token that was returned last. [`Secrets`](crate::Secrets) keep it for as long as it is here.
    token: Option<Token>,
}

type Renewed = Result<Token, TokenError>;

/// The last of the renewals that have failed since one succeeded.
#[derive(Debug)]
struct FailedRenewal {
    error: TokenError,
    backoff: Duration,
    /// Time before which the authorization server is not asked again.
    until: Duration,
}

impl State {
    /// Replaces the credentials, and forgets the failures of the previous ones.
    fn replace(&mut self, credentials: Option<Credentials>) {
        let (renewal, token) = (self.renewal.take(), self.token.take());
        *self = Self { credentials, renewal, token, ..Self::default() };
    }

    /// Returns the credentials that were issued last. Their predecessor may be invalid already.
    fn newest(&mut self) -> Option<&mut Credentials> {
        self.unsaved.as_mut().or(self.credentials.as_mut())
    }

    /// Returns the newest access token, if it has not expired.
    fn valid(&mut self, now: SystemTime) -> Option<Renewed> {
        let newest = self.newest().filter(|it| !it.has_ended(now))?;
        let text = newest.access_token.clone();
        Some(self.token(&text))
    }

    /// Returns a clone of the one token of this text.
    fn token(&mut self, text: &str) -> Renewed {
        let token =
            Token::new(text).map_err(|error| TokenError::login_needed(error.to_string()))?;
        let known = self.token.take().filter(|known| *known == token);
        Ok(self.token.insert(known.unwrap_or(token)).clone())
    }

    /// Returns the error of the last renewal, if the next one may not begin yet.
    fn postponed(&self, clock: &dyn Clock) -> Option<TokenError> {
        let FailedRenewal { error, until, .. } = self.failure.as_ref()?;
        let left = until.checked_sub(clock.passed()).filter(|left| !left.is_zero())?;
        Some(error.clone().with_retry_after(error.retry_after.and(Some(left))))
    }
}

impl RefreshingTokenSource {
    /// Returns a source for the credentials in a store. They are read when the first token is requested.
    pub fn new(store: Arc<dyn CredentialStore>) -> Self {
        let clock = Arc::new(SystemClock::new());
        let options = ConnectionOptions::default();
        Self { store, clock, options, state: Arc::default() }
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets the options of the connections to the authorization server. A client certificate is shown only to the host of the connector.
    ///
    /// ```
    /// use links_sdk::ConnectionOptions;
    /// use links_sdk::oauth::{RefreshingTokenSource, memory_store};
    ///
    /// let options = ConnectionOptions::default().proxy("http://proxy.example:3128")?;
    /// let source = RefreshingTokenSource::new(memory_store(None)).connection(options);
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    #[must_use]
    pub fn connection(self, options: ConnectionOptions) -> Self {
        Self { options, ..self }
    }

    /// Saves a renewed login that could not be saved before, if the store has no newer one. Waits this long for another process that holds the
    /// lock of the store. For `links`, which calls it before it exits; not covered by semantic versioning.
    #[doc(hidden)]
    pub fn save_renewed(&self, longest: Duration) -> Result<(), TokenError> {
        let mut retry = LockRetry::default();
        while self.state().unsaved.is_some() {
            let lock = self.store.try_lock().map_err(unusable("cannot lock the login"))?;
            let Some(_lock) = lock else {
                if retry.waited() >= longest {
                    return Err(TokenError::temporary("another process keeps the login locked"));
                }
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the other process has no clock of a test"
                )]
                sleep(retry.wait());
                continue;
            };
            let loaded = self.load();
            let Some(unsaved) = self.state().unsaved.clone() else { break };
            loaded?;
            self.save(&unsaved)?;
            self.state().replace(Some(unsaved));
        }
        Ok(())
    }

    async fn current(&self) -> Renewed {
        {
            let (mut state, now) = (self.state(), self.clock.wall());
            if let Some(token) = state.valid(now) {
                let is_due = state.newest().is_some_and(|it| it.is_due(now));
                if (is_due || state.unsaved.is_some()) && state.postponed(&*self.clock).is_none() {
                    self.renewal(&mut state);
                }
                return token;
            }
        }
        self.renewed().await
    }

    async fn again(&self, refused: &Token) -> Result<bool, TokenError> {
        match self.state().newest() {
            Some(known) if *known.access_token == *refused.secret() => known.expires_at = Some(0),
            // Another call has had it renewed.
            _ => return Ok(true),
        }
        self.renewed().await.map(|_| true)
    }

    /// Waits for the renewal in progress, which is begun if there is none.
    async fn renewed(&self) -> Renewed {
        // Once more if the runtime of the renewal was shut down.
        for _ in 0..2 {
            let mut renewal = self.renewal(&mut self.state());
            if let Ok(result) = renewal.wait_for(Option::is_some).await
                && let Some(result) = &*result
            {
                return result.clone();
            }
        }
        let stopped = TokenError::temporary("the login renewal was stopped");
        self.state().valid(self.clock.wall()).unwrap_or(Err(stopped))
    }

    /// Returns the renewal in progress, which is begun if there is none.
    fn renewal(&self, state: &mut State) -> watch::Receiver<Option<Renewed>> {
        if let Some(renewal) = state.renewal.as_ref().filter(|it| it.has_changed().is_ok()) {
            return renewal.clone();
        }
        let (result, renewal) = watch::channel(None);
        state.renewal = Some(renewal.clone());
        let (source, clock) = (self.clone(), self.clock.clone());
        // A runtime that shuts down drops its tasks first, and then waits for the threads that may block.
        let (running, shutdown) = mpsc::channel();
        let begin = move |permit: SemaphorePermit<'static>| {
            spawn_blocking(move || {
                let _permit = permit;
                source.renew(&result, &shutdown);
            })
        };
        // At once where that is possible, because a runtime that is idle runs no task.
        let begun = match RENEWALS.try_acquire() {
            Ok(permit) => Ok(begin(permit)),
            Err(_) => Err(begin),
        };
        tokio::spawn(async move {
            let _running: Sender<Infallible> = running;
            let work = match begun {
                Ok(work) => work,
                // No refresh token is lost with a renewal that has not begun.
                Err(begin) => {
                    // A task that nobody runs must not be handed a turn, so it does not queue.
                    let permit = loop {
                        match RENEWALS.try_acquire() {
                            Ok(permit) => break permit,
                            Err(_) => clock.sleep(TURN).await,
                        }
                    };
                    begin(permit)
                }
            };
            let _ = work.await;
        });
        renewal
    }

    /// Renews the credentials, as soon as no other process does. It runs on one thread, which needs no runtime to make progress. It stops only
    /// while it waits for the lock.
    fn renew(
        &self,
        result: &watch::Sender<Option<Renewed>>,
        shutdown: &mpsc::Receiver<Infallible>,
    ) {
        let limit = self.clock.monotonic().saturating_add(LONGEST_LOCK);
        let mut retry = LockRetry::default();
        loop {
            if let Some(renewed) = self.attempt().transpose() {
                return self.end(renewed, result);
            }
            if self.clock.monotonic() >= limit {
                let why = "another process has kept the login locked for a minute";
                return self.end(Err(TokenError::temporary(why)), result);
            }
            if shutdown.recv_timeout(retry.wait()) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// Publishes the result of a renewal.
    fn end(
        &self,
        renewed: Result<Credentials, TokenError>,
        result: &watch::Sender<Option<Renewed>>,
    ) {
        let mut state = self.state();
        state.renewal = None;
        let renewed = match renewed {
            Ok(credentials) => {
                let token = state.token(&credentials.access_token);
                state.replace(Some(credentials));
                token
            }
            Err(error) => state.valid(self.clock.wall()).unwrap_or(Err(error)),
        };
        result.send_replace(Some(renewed));
    }

    /// Returns the credentials that another process has stored, else renews them. Returns `None` while another process holds the lock.
    fn attempt(&self) -> Result<Option<Credentials>, TokenError> {
        if let ControlFlow::Break(valid) = self.stored()? {
            return Ok(Some(valid));
        }
        if let Some(error) = self.state().postponed(&*self.clock) {
            return Err(error);
        }
        let renewed = match self.store.try_lock() {
            Ok(None) => return Ok(None),
            Ok(Some(_lock)) => self.renew_locked(),
            Err(error) => Err(unusable("cannot lock the login")(error)),
        };
        renewed.map(Some).map_err(|error| self.postpone(error))
    }

    fn renew_locked(&self) -> Result<Credentials, TokenError> {
        let stored = match self.stored()? {
            ControlFlow::Break(valid) => return Ok(valid),
            ControlFlow::Continue(stored) => stored,
        };
        let unsaved = self.state().unsaved.clone();
        if let Some(unsaved) = &unsaved {
            let saved = self.save(unsaved);
            if !unsaved.has_ended(self.clock.wall()) {
                return saved.map(|()| unsaved.clone());
            }
        }
        // A runtime that nothing else can shut down.
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(unusable("cannot renew the login now"))?;
        let renewed = match runtime.block_on(self.refreshed(unsaved.as_ref().unwrap_or(&stored))) {
            Ok(renewed) => renewed,
            Err(Some(error)) => return Err(error),
            Err(None) => return self.replace_or_forget(&stored),
        };
        // The refresh token is used up. Its successor is kept here until it is saved, even if the store panics.
        self.state().unsaved = Some(renewed.clone());
        self.save(&renewed).map(|()| renewed)
    }

    fn save(&self, renewed: &Credentials) -> Result<(), TokenError> {
        self.store.save(renewed).map_err(unusable("cannot save the renewed login"))
    }

    /// Sends a renewal request (RFC 6749, section 6). Returns no error if the login has ended: the refresh token was used or has expired, the
    /// user has disconnected the application, or the client is not registered any more.
    async fn refreshed(&self, stored: &Credentials) -> Result<Credentials, Option<TokenError>> {
        let refused =
            |why: String| Some(TokenError::login_needed(format!("cannot renew the login: {why}")));
        // The outcome is unknown: the refresh token may still be valid.
        let temporary = |why: &dyn Display| {
            Some(TokenError::temporary(format!("cannot renew the login now: {why}")))
        };
        let connector = connector_url(&stored.resource).map_err(refused)?;
        let endpoint = check_endpoint(&stored.token_endpoint, &connector).map_err(refused)?;
        let http = OAuthHttpClient::new(&connector, &self.options);
        let http = http.map_err(|error| temporary(&error))?;
        http.secrets.add_text(&stored.access_token);
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", stored.refresh_token.as_ref().map_or("", |it| it.as_str())),
            ("client_id", &stored.client_id),
            ("resource", connector.as_str()),
        ];
        let answer = http.post(endpoint, &form).await;
        let answer = answer.map_err(|error| temporary(&http.without_secrets(error.to_string())))?;
        if let Some(refusal) = http.error_response() {
            let OAuthErrorResponse { status, ref error, retry_after, .. } = refusal;
            return Err(match &**error {
                "invalid_grant" | "invalid_client" => None,
                _ if (400..500).contains(&status) && ![408, 425, 429].contains(&status) => {
                    refused(format!("the authorization server refused the request {refusal}"))
                }
                _ => temporary(&format!("the authorization server responded with {status}"))
                    .map(|error| error.with_retry_after(retry_after)),
            });
        }
        let tokens = serde_json::from_slice(answer.body()).map_err(|error| temporary(&error))?;
        let renewed = stored.with(&tokens, self.clock.wall());
        let nothing = "the authorization server returned no bearer token";
        renewed.ok_or_else(|| refused(nothing.to_owned()))
    }

    /// Handles a definite refusal: takes newer credentials, which may have been stored without the lock, else removes the refused ones.
    fn replace_or_forget(&self, refused: &Credentials) -> Result<Credentials, TokenError> {
        let (stored, _) = self.load()?;
        if stored.refresh_token != refused.refresh_token {
            return Ok(stored);
        }
        self.store.forget().map_err(unusable("cannot remove the expired login"))?;
        self.state().replace(None);
        Err(TokenError::login_needed("the login has expired, or access was revoked"))
    }

    /// Postpones the next request to the authorization server after this failure.
    fn postpone(&self, error: TokenError) -> TokenError {
        let mut state = self.state();
        if state.credentials.is_none() {
            return error;
        }
        let before = state.failure.as_ref().map(|it| it.backoff);
        let backoff = before.map_or(FIRST_BACKOFF, |it| (it * 2).min(LONGEST_BACKOFF));
        let wait = error.retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER).max(backoff);
        let retry_after = error.is_temporary().then_some(wait);
        let error = error.with_retry_after(retry_after);
        let until = self.clock.passed().saturating_add(wait);
        state.failure = Some(FailedRenewal { error: error.clone(), backoff, until });
        error
    }

    /// Reads the store. Breaks with credentials that make a renewal unnecessary, continues with those that have to be renewed.
    fn stored(&self) -> Result<ControlFlow<Credentials, Credentials>, TokenError> {
        let (stored, is_new) = self.load()?;
        if is_new && !stored.has_ended(self.clock.wall()) {
            return Ok(ControlFlow::Break(stored));
        }
        if stored.refresh_token.is_none() {
            return Err(TokenError::login_needed("the login has expired and cannot be renewed"));
        }
        Ok(ControlFlow::Continue(stored))
    }

    /// Returns the stored credentials, and whether they were not known before.
    fn load(&self) -> Result<(Credentials, bool), TokenError> {
        let stored = self.store.load().map_err(|error| {
            // Of the store itself, not of the system.
            if error.kind() == ErrorKind::InvalidInput && error.raw_os_error().is_none() {
                self.state().unsaved = None;
            }
            unusable("cannot read the login")(error)
        })?;
        let access = |it: &Option<Credentials>| it.as_ref().map(|it| it.access_token.clone());
        let mut state = self.state();
        // Another user of the store, which cannot know of the successor, has removed the spent credentials. A store that can tell a logout from
        // that returns an error.
        if stored.is_none()
            && let Some(unsaved) = &state.unsaved
        {
            return Ok((unsaved.clone(), false));
        }
        let is_new = access(&stored) != access(&state.credentials);
        if is_new {
            state.replace(stored.clone());
        }
        let stored = stored.ok_or_else(|| TokenError::login_needed("not logged in"))?;
        Ok((stored, is_new))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

/// Returns the error of a store. Most are short: the server of the store is away, or the disk is full.
fn unusable(what: &'static str) -> impl Fn(io::Error) -> TokenError {
    move |error| {
        let new = match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::InvalidData | ErrorKind::InvalidInput => {
                TokenError::login_needed
            }
            _ => TokenError::temporary,
        };
        new(what).caused_by(error)
    }
}

impl TokenSource for RefreshingTokenSource {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(self.current())
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(self.again(token))
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;
    use crate::oauth::memory_store;

    #[tokio::test(start_paused = true)]
    async fn a_renewal_takes_no_thread_before_its_turn() {
        let all = RENEWALS.acquire_many(u32::try_from(MOST_RENEWALS).unwrap()).await.unwrap();
        let source = RefreshingTokenSource::new(memory_store(None));
        let mut token = source.token();
        // The time of a test stands still while a thread works.
        tokio::time::timeout(Duration::from_secs(5), &mut token).await.unwrap_err();
        drop(all);
        assert!(!token.await.unwrap_err().is_temporary(), "nobody is logged in");
    }

    #[tokio::test(start_paused = true)]
    async fn the_outcome_is_unknown_if_the_server_does_not_respond() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = silent.local_addr().unwrap();
        let credentials = json!({
            "accessToken": "spent-access",
            "refreshToken": "spent-refresh",
            "clientId": "client",
            "resource": format!("http://{address}/mcp"),
            "issuer": format!("http://{address}"),
            "tokenEndpoint": format!("http://{address}/oauth/token"),
        });
        let credentials = serde_json::from_value(credentials).unwrap();
        let source = RefreshingTokenSource::new(memory_store(None));
        let error = source.refreshed(&credentials).await.unwrap_err().unwrap();
        assert!(error.is_temporary() && error.retry_after.is_none(), "{error:?}");
        assert!(
            error.to_string().ends_with("cannot reach 127.0.0.1: operation timed out"),
            "{error}"
        );
    }
}
