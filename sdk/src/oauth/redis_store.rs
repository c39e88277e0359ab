//! Store of credentials in a Redis server, for the machines of a fleet.

use std::fmt;
use std::io;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script, cmd};
use tokio::runtime::Builder;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::credentials::{CredentialStore, Credentials, StoreLock};
use super::store_key::StoreKey;
use crate::transport::redis_server::RedisServer;

/// Time after which the lock of a machine that has died becomes free; several times as long as a renewal may take.
const LEASE: Duration = Duration::from_secs(120);

/// Deletes the lock, if it still belongs to this owner.
const RELEASE: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// A [`CredentialStore`] in a Redis server, so that a fleet renews a login once: one machine holds the lock and renews, and the others
/// find its result.
///
/// The credentials are encrypted (ChaCha20-Poly1305) with a [`StoreKey`] that the server does not know, and bound to the name of the login.
/// They do not expire. Let the server write to disk (`appendonly yes`): a refresh token that was used and lost is a lost login.
///
/// ```no_run
/// use std::sync::Arc;
/// use links_sdk::oauth::{CredentialStore, Credentials, RedisCredentialStore, RefreshingTokenSource, StoreKey};
/// use links_sdk::{Client, RedisServer};
///
/// # fn example(credentials: Credentials) -> Result<(), Box<dyn std::error::Error>> {
/// let server = RedisServer::new("rediss://redis.example")?;
/// let key = StoreKey::from_hex(&std::env::var("STORE_KEY")?)?;
/// let store = RedisCredentialStore::new(server, "account-17", key);
/// store.save(&credentials)?; // once, after the login
/// let source = RefreshingTokenSource::new(store);
/// let client = Client::builder("https://links.example/api/v1").token(source).build()?;
/// # let _ = client;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RedisCredentialStore {
    server: RedisServer,
    name: String,
    key: StoreKey,
}

impl RedisCredentialStore {
    /// Returns a store for the login of this name. Nothing is sent yet.
    pub fn new(server: RedisServer, name: impl Into<String>, key: StoreKey) -> Self {
        Self { server, name: name.into(), key }
    }

    fn key(&self, part: &str) -> String {
        format!("links:login:{}:{part}", self.key.digest(&self.name))
    }

    /// Runs commands on a thread with a runtime of its own, so that it makes no difference whether the caller has one.
    fn run<T: Send>(
        &self,
        work: impl AsyncFnOnce(MultiplexedConnection) -> Result<T, RedisError> + Send,
    ) -> io::Result<T> {
        let work = || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async { work(self.server.connect().await?.commands).await })
        };
        let ran = std::thread::scope(|scope| scope.spawn(work).join());
        let result = ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let Self { server, .. } = self;
        result.map_err(|error| io::Error::other(format!("{server} cannot be used: {error}")))
    }
}

impl CredentialStore for RedisCredentialStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        let record = self.key("record");
        let sealed: Option<Vec<u8>> =
            self.run(async |mut commands| cmd("GET").arg(record).query_async(&mut commands).await)?;
        let Some(sealed) = sealed else { return Ok(None) };
        let unreadable = || {
            let message = "the record of the login was made with another key, or is damaged";
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let text = self.key.decrypt(&self.name, &sealed).ok_or_else(unreadable)?;
        serde_json::from_slice(&text).map(Some).map_err(|_| unreadable())
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        let text = Zeroizing::new(serde_json::to_vec(credentials)?);
        let sealed = self.key.encrypt(&self.name, &text);
        let sealed = sealed.ok_or_else(|| io::Error::other("the login cannot be encrypted"))?;
        let record = self.key("record");
        self.run(async |mut commands| {
            cmd("SET").arg(record).arg(sealed).exec_async(&mut commands).await
        })
    }

    fn forget(&self) -> io::Result<()> {
        let record = self.key("record");
        self.run(async |mut commands| cmd("DEL").arg(record).exec_async(&mut commands).await)
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        let (key, owner) = (self.key("lock"), Uuid::new_v4().to_string());
        let lease = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        let set: Option<String> = self.run(async |mut commands| {
            let mut set = cmd("SET");
            set.arg(&key).arg(&owner).arg("NX").arg("PX").arg(lease);
            set.query_async(&mut commands).await
        })?;
        Ok(set.map(|_| Box::new(RedisLock { store: self.clone(), key, owner }) as StoreLock))
    }
}

impl fmt::Debug for RedisCredentialStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisCredentialStore")
            .field("server", &self.server)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Lock of a store, released when it is dropped; else it becomes free after a while.
struct RedisLock {
    store: RedisCredentialStore,
    key: String,
    owner: String,
}

impl Drop for RedisLock {
    fn drop(&mut self) {
        let Self { store, key, owner } = self;
        let _: io::Result<i64> = store.run(async |mut commands| {
            Script::new(RELEASE).key(&*key).arg(&*owner).invoke_async(&mut commands).await
        });
    }
}
