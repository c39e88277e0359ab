//! Store of credentials in a Redis server, for the machines of a fleet, and the key under which they are encrypted outside of this machine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script, cmd};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::runtime::Builder;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::credentials::{CredentialStore, Credentials, StoreLock};
use crate::ids::InvalidValue;
use crate::token::Hidden;
use crate::transport::redis_server::RedisServer;

/// Time after which the lock of a machine that has died becomes free; several times as long as a renewal may take.
const LEASE: Duration = Duration::from_secs(120);

/// Deletes the lock, if it still belongs to this owner.
const RELEASE: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// Returns a [`CredentialStore`] in a Redis server for the login with this name, so that a fleet renews a login only once: one machine
/// takes the lock and renews it, and the others read the result.
///
/// The credentials are encrypted (ChaCha20-Poly1305) with a [`StoreKey`] that the server does not know, and bound to the name of the login.
/// They do not expire. Turn on persistence (`appendonly yes`): if a refresh token was used and then lost, the login is lost.
///
/// The methods of the store wait for the server and block the thread for up to some seconds. In async code, call `save` after a login with
/// [`spawn_blocking`](tokio::task::spawn_blocking). A [`RefreshingTokenSource`](super::RefreshingTokenSource) uses such threads itself.
///
/// ```no_run
/// use std::sync::Arc;
/// use links_sdk::oauth::{Credentials, RefreshingTokenSource, StoreKey, redis_store};
/// use links_sdk::{Client, RedisServer};
///
/// # fn example(credentials: Credentials) -> Result<(), Box<dyn std::error::Error>> {
/// let server = RedisServer::new("rediss://redis.example")?;
/// let key = StoreKey::from_hex(&std::env::var("STORE_KEY")?)?;
/// let store = redis_store(server, "account-17", key);
/// store.save(&credentials)?; // once, after the login
/// let source = RefreshingTokenSource::new(store);
/// let client = Client::builder("https://links.example/api/v1").token(source).build()?;
/// # let _ = client;
/// # Ok(()) }
/// ```
pub fn redis_store(
    server: RedisServer,
    name: impl Into<String>,
    key: StoreKey,
) -> Arc<dyn CredentialStore> {
    Arc::new(RedisCredentialStore { server, name: name.into(), key })
}

#[derive(Clone, Debug)]
struct RedisCredentialStore {
    server: RedisServer,
    name: String,
    key: StoreKey,
}

impl RedisCredentialStore {
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
        result.map_err(|error| io::Error::other(format!("cannot use {server}: {error}")))
    }
}

impl CredentialStore for RedisCredentialStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        let record = self.key("record");
        let sealed: Option<Vec<u8>> =
            self.run(async |mut commands| cmd("GET").arg(record).query_async(&mut commands).await)?;
        let Some(sealed) = sealed else { return Ok(None) };
        let unreadable = || {
            let message = "the stored login was encrypted with another key or is damaged";
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let text = self.key.decrypt(&self.name, &sealed).ok_or_else(unreadable)?;
        serde_json::from_slice(&text).map(Some).map_err(|_| unreadable())
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        let text = Zeroizing::new(serde_json::to_vec(credentials)?);
        let sealed = self.key.encrypt(&self.name, &text);
        let sealed = sealed.ok_or_else(|| io::Error::other("cannot encrypt the login"))?;
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

const BYTES: usize = 32;

/// Secret key of a [`redis_store`](super::redis_store()). Keep it with your program's own secrets; all machines use the same key.
#[derive(Clone, Debug)]
pub struct StoreKey(Hidden<Zeroizing<[u8; BYTES]>>);

impl StoreKey {
    /// Returns a key of random bytes.
    pub fn new(bytes: [u8; BYTES]) -> Self {
        Self(Hidden(Zeroizing::new(bytes)))
    }

    /// Reads a key, such as the output of `openssl rand -hex 32`.
    ///
    /// # Errors
    ///
    /// When the text is not 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, InvalidValue> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        hex::decode_to_slice(text.trim(), &mut *bytes)
            .map_err(|_| InvalidValue::new("a store key must be 64 hexadecimal digits"))?;
        Ok(Self(Hidden(bytes)))
    }

    /// Encrypts a text that can be decrypted only under the same name.
    pub(super) fn encrypt(&self, name: &str, text: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = text.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.cipher()?.seal_in_place_append_tag(unique, Aad::from(name), &mut sealed).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts what was encrypted under this name with this key.
    pub(super) fn decrypt(&self, name: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = Zeroizing::new(sealed.to_vec());
        let length = self.cipher()?.open_in_place(nonce, Aad::from(name), &mut text).ok()?.len();
        text.truncate(length);
        Some(text)
    }

    /// Returns a digest of a name, from which it can be recovered only with the key.
    pub(super) fn digest(&self, name: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &**self.0);
        hex::encode(&hmac::sign(&key, name.as_bytes()).as_ref()[..16])
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, &**self.0).ok().map(LessSafeKey::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_decrypted_with_its_key_under_its_name_only() {
        let key = StoreKey::new([7; BYTES]);
        let sealed = key.encrypt("one", b"canary").unwrap();
        assert!(!sealed.windows(6).any(|it| it == b"canary"));
        assert_ne!(sealed, key.encrypt("one", b"canary").unwrap(), "each with a nonce of its own");
        let text =
            |key: &StoreKey, name, sealed: &[u8]| key.decrypt(name, sealed).map(|it| it.to_vec());
        assert_eq!(text(&key, "one", &sealed), Some(b"canary".to_vec()));
        assert_eq!(text(&key, "other", &sealed), None);
        assert_eq!(text(&StoreKey::new([8; BYTES]), "one", &sealed), None);
        for end in 0..sealed.len() {
            assert_eq!(text(&key, "one", &sealed[..end]), None);
        }
    }

    #[test]
    fn a_key_is_read_from_hexadecimal_digits_and_never_shown() {
        let key = StoreKey::from_hex(&format!("{}\n", "07".repeat(32))).unwrap();
        assert_eq!(key.digest("one"), StoreKey::new([7; BYTES]).digest("one"));
        assert_eq!(format!("{key:?}"), "StoreKey(***)");
        for text in ["", "07", &"0g".repeat(32), &"07".repeat(33)] {
            assert!(StoreKey::from_hex(text).is_err());
        }
    }
}
