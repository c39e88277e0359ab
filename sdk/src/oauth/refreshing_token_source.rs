//! Token source that renews access tokens.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};

use super::credentials::{CredentialStore, Credentials, StoreLock};
use super::refresh::{RefreshError, refresh};
use crate::blocking::{LockRetry, blocking};
use crate::token::Token;
use crate::token_source::{TokenError, TokenFuture, TokenSource};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::ConnectionOptions;

/// Remaining lifetime below which a token is renewed before it is sent.
const MARGIN: Duration = Duration::from_secs(30);

/// Token source that returns the access token of the credentials in a store, and renews it when it expires or is refused: once for all tasks and all processes
/// that share the store. See [the module](super) for an example.
///
/// The credentials are removed only when the authorization server reports that they have ended, and then only if no one has replaced them
/// meanwhile; a server that fails or cannot be reached leaves them as they are.
#[derive(Debug)]
pub struct RefreshingTokenSource<S> {
    store: Arc<S>,
    clock: Arc<dyn Clock>,
    options: ConnectionOptions,
    current: Mutex<Option<Credentials>>,
}

impl<S: CredentialStore> RefreshingTokenSource<S> {
    /// Returns a source for the credentials in a store. They are read when the first token is requested.
    pub fn new(store: S) -> Self {
        let clock = Arc::new(SystemClock::new());
        let options = ConnectionOptions::default();
        Self { store: Arc::new(store), clock, options, current: Mutex::default() }
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets the options of the connections to the authorization server; a client certificate is shown only where the connector itself is.
    ///
    /// ```
    /// use links_sdk::ConnectionOptions;
    /// use links_sdk::oauth::{MemoryStore, RefreshingTokenSource};
    ///
    /// let options = ConnectionOptions::default().proxy("http://proxy.example:3128")?;
    /// let source = RefreshingTokenSource::new(MemoryStore::default()).connection(options);
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    #[must_use]
    pub fn connection(self, options: ConnectionOptions) -> Self {
        Self { options, ..self }
    }

    async fn current(&self) -> Result<Token, TokenError> {
        let mut current = self.current.lock().await;
        let kept = match current.clone() {
            Some(credentials) => credentials,
            None => self.load().await?.ok_or_else(logged_out)?,
        };
        let credentials = current.insert(kept).clone();
        if credentials.ends_within(MARGIN, self.clock.wall()) && credentials.refresh_token.is_some()
        {
            match self.renew(&mut current, &credentials).await {
                // A token that has not expired yet is valid for this request.
                Err(error) if error.is_temporary() && !self.has_ended(&credentials) => {}
                Err(error) => return Err(error),
                Ok(()) => {}
            }
        } else if self.has_ended(&credentials) {
            return Err(TokenError::login_needed("the login has ended"));
        }
        let token = current.as_ref().map_or("", |credentials| credentials.access_token.as_str());
        Token::new(token).map_err(|error| TokenError::login_needed(error.to_string()))
    }

    async fn again(&self, refused: &Token) -> Result<bool, TokenError> {
        let mut current = self.current.lock().await;
        let Some(credentials) = current.clone() else { return Ok(true) };
        if *credentials.access_token != *refused.secret() {
            // Another task of this process has renewed it.
            return Ok(true);
        }
        self.renew(&mut current, &credentials).await.map(|()| true)
    }

    /// Replaces credentials that have expired by those that another process has stored meanwhile, else by renewing them.
    async fn renew(
        &self,
        current: &mut MutexGuard<'_, Option<Credentials>>,
        ended: &Credentials,
    ) -> Result<(), TokenError> {
        let lock = self.lock().await?;
        let renewed = self.renew_locked(current, ended).await;
        lock.release().await;
        renewed
    }

    async fn renew_locked(
        &self,
        current: &mut MutexGuard<'_, Option<Credentials>>,
        ended: &Credentials,
    ) -> Result<(), TokenError> {
        let stored = self.load().await?.ok_or_else(logged_out)?;
        if stored.access_token != ended.access_token && !self.has_ended(&stored) {
            **current = Some(stored);
            return Ok(());
        }
        if stored.refresh_token.is_none() {
            return Err(TokenError::login_needed("the login has ended, and cannot be renewed"));
        }
        match refresh(&stored, &self.options, self.clock.wall()).await {
            Ok(renewed) => {
                // The refresh token is used up, so the new one is saved before anything else.
                self.save(&renewed).await?;
                **current = Some(renewed);
                Ok(())
            }
            Err(RefreshError::Temporary(why)) => {
                Err(TokenError::temporary(format!("the login cannot be renewed now: {why}")))
            }
            Err(RefreshError::Refused(why)) => {
                Err(TokenError::login_needed(format!("the login was not renewed: {why}")))
            }
            Err(RefreshError::Ended | RefreshError::UnknownClient) => {
                self.replace_or_forget(current, &stored).await
            }
        }
    }

    /// Handles a definite refusal: takes newer credentials, which may have been stored without the lock, else removes the refused ones.
    async fn replace_or_forget(
        &self,
        current: &mut MutexGuard<'_, Option<Credentials>>,
        refused: &Credentials,
    ) -> Result<(), TokenError> {
        match self.load().await? {
            Some(newer) if newer.refresh_token != refused.refresh_token => {
                **current = Some(newer);
                Ok(())
            }
            _ => {
                self.forget().await?;
                **current = None;
                Err(TokenError::login_needed("the login has ended, or access was revoked"))
            }
        }
    }

    fn has_ended(&self, credentials: &Credentials) -> bool {
        credentials.ends_within(Duration::ZERO, self.clock.wall())
    }

    async fn load(&self) -> Result<Option<Credentials>, TokenError> {
        self.with_store(S::load, "the login cannot be read").await
    }

    async fn save(&self, renewed: &Credentials) -> Result<(), TokenError> {
        let renewed = renewed.clone();
        self.with_store(move |store| store.save(&renewed), "the renewed login cannot be saved")
            .await
    }

    async fn forget(&self) -> Result<(), TokenError> {
        self.with_store(S::forget, "the ended login cannot be removed").await
    }

    async fn lock(&self) -> Result<HeldLock, TokenError> {
        let mut retry = LockRetry::new();
        loop {
            let lock = |store: &S| store.try_lock().map(|lock| lock.map(|it| HeldLock(Some(it))));
            if let Some(lock) = self.with_store(lock, "the login cannot be locked").await? {
                return Ok(lock);
            }
            retry.pause().await;
        }
    }

    /// Runs a store method on a thread that may block.
    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&S) -> io::Result<T> + Send + 'static,
        failed: &str,
    ) -> Result<T, TokenError> {
        let store = self.store.clone();
        blocking(move || work(&store))
            .await
            .map_err(|error| TokenError::login_needed(failed).caused_by(error))
    }
}

/// Lock of a store. To release it may take a request to a server, so that is done on a thread that may block, also if the renewal is dropped.
struct HeldLock(Option<StoreLock>);

impl HeldLock {
    async fn release(mut self) {
        let lock = self.0.take();
        blocking(move || drop(lock)).await;
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        if let Some(lock) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn_blocking(move || drop(lock));
        }
    }
}

fn logged_out() -> TokenError {
    TokenError::login_needed("there is no login")
}

impl<S: CredentialStore> TokenSource for RefreshingTokenSource<S> {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(self.current())
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(self.again(token))
    }
}
