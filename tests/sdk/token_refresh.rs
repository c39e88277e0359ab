//! Tests of tokens of the connector that expire and are renewed.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::{Choices, ContractServer, Fault, World};
use links_sdk::oauth::{
    CredentialStore, Credentials, RefreshingTokenSource, StoreLock, memory_store,
};
use links_sdk::{Client, RateLimits, Token, TokenSource};

use crate::connector::connect;
use links_sdk::testing::TestClock;
use links_test_support::clock::shared_clock;
use links_test_support::misbehaving_servers::PathServer;

/// Method of a store, and its error; it panics without one.
type FailingMethod = (&'static str, Option<io::ErrorKind>);

/// Store in memory that several sources share, like a file: with a lock, and with injected failures.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    memory: Arc<dyn CredentialStore>,
    lock: Arc<tokio::sync::Mutex<()>>,
    /// Method that fails with this error, or panics if there is none.
    failing: Arc<Mutex<Option<FailingMethod>>>,
    /// Credentials that another process saves, without the lock, as soon as a token is renewed.
    meanwhile: Arc<Mutex<Option<Credentials>>>,
}

impl Shared {
    pub(crate) fn new(credentials: Credentials) -> Self {
        let memory = memory_store(credentials);
        Self { memory, lock: Arc::default(), failing: Arc::default(), meanwhile: Arc::default() }
    }

    pub(crate) fn kept(&self) -> Option<Credentials> {
        self.memory.load().unwrap()
    }

    /// Makes a method fail, or panic if there is no error, until the store is mended.
    pub(crate) fn break_down(&self, method: &'static str, error: Option<io::ErrorKind>) {
        *self.failing.lock().unwrap() = Some((method, error));
    }

    pub(crate) fn mend(&self) {
        *self.failing.lock().unwrap() = None;
    }

    fn works(&self, method: &str) -> io::Result<()> {
        let failing = *self.failing.lock().unwrap();
        match failing.filter(|(failing, _)| *failing == method) {
            Some((_, Some(kind))) => Err(io::Error::new(kind, "the store is down")),
            Some((_, None)) => panic!("the store panics in `{method}`"),
            None => Ok(()),
        }
    }
}

impl CredentialStore for Shared {
    fn load(&self) -> io::Result<Option<Credentials>> {
        self.works("load")?;
        let now = self.memory.load();
        if let Some(newer) = self.meanwhile.lock().unwrap().take() {
            self.memory.save(&newer)?;
        }
        now
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        self.works("save")?;
        self.memory.save(credentials)
    }

    fn forget(&self) -> io::Result<()> {
        self.memory.forget()
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        self.works("try_lock")?;
        Ok(self.lock.clone().try_lock_owned().ok().map(|lock| Box::new(lock) as StoreLock))
    }
}

/// Returns a server whose tokens expire after an hour, its clock, and a store that is logged in.
pub(crate) async fn logged_in() -> (ContractServer, Arc<TestClock>, Shared) {
    let (clock, service) = shared_clock();
    let builder = ContractServer::builder(World::cafe()).no_limits().clock(service);
    let server = builder.start().await.unwrap();
    let mut credentials = connect(&server).await;
    // The login itself used the machine's clock.
    credentials.expires_at = Some(seconds(&*clock) + 3600);
    server.forget_requests();
    (server, clock, Shared::new(credentials))
}

pub(crate) fn seconds(clock: &dyn links_sdk::Clock) -> u64 {
    clock.wall().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

pub(crate) fn client(server: &ContractServer, clock: &Arc<TestClock>, store: &Shared) -> Client {
    let source = Arc::new(RefreshingTokenSource::new(Arc::new(store.clone())).clock(clock.clone()));
    let builder = Client::builder(server.base_url()).token(source).clock(clock.clone());
    builder.rate_limits(RateLimits::unlimited()).build().unwrap()
}

/// Returns how often tokens were requested.
pub(crate) fn renewals(server: &ContractServer) -> usize {
    server.requests().iter().filter(|it| it.path == "/oauth/token").count()
}

/// Waits until other credentials are stored than these.
pub(crate) async fn replaced(store: &Shared, before: &Credentials) -> Credentials {
    loop {
        match store.kept() {
            Some(now) if now != *before => return now,
            _ => links_test_support::executor::others_run().await,
        }
    }
}

pub(crate) async fn pass(clock: &Arc<TestClock>, time: u64) {
    links_sdk::Clock::sleep(&**clock, Duration::from_secs(time)).await;
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends_and_when_it_is_refused() {
    let (server, clock, store) = logged_in().await;
    let client = client(&server, &clock, &store);
    client.me().await.unwrap();
    assert_eq!(renewals(&server), 0);
    let before = store.kept().unwrap();

    pass(&clock, 3600 - 29).await;
    client.me().await.unwrap();
    let after = replaced(&store, &before).await;
    assert_eq!(renewals(&server), 1);
    assert!(
        after.access_token != before.access_token && after.refresh_token != before.refresh_token
    );
    assert_eq!(after.expires_at, Some(seconds(&*clock) + 3600));
    client.me().await.unwrap();
    assert!(server.requests().iter().all(|it| it.status == 200), "nothing was refused");

    // Ended early, for a reason of the service's own.
    server.edit(|account| {
        let token = account.tokens.iter_mut().find(|it| it.token == *after.access_token);
        token.unwrap().expires_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
    });
    client.me().await.unwrap();
    let statuses: Vec<u16> = server.requests().iter().rev().take(3).map(|it| it.status).collect();
    assert_eq!((renewals(&server), statuses), (2, vec![200, 200, 401]));
}

#[tokio::test]
async fn many_tasks_and_sources_renew_once() {
    let (server, clock, store) = logged_in().await;
    let clients: Vec<_> = (0..5).map(|_| client(&server, &clock, &store)).collect();
    for client in &clients {
        client.me().await.unwrap();
    }
    pass(&clock, 3601).await;
    let calls =
        clients.iter().flat_map(|client| (0..4).map(|_| tokio::spawn(client.me().into_future())));
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(renewals(&server), 1);
}

#[tokio::test]
async fn a_late_renewal_takes_the_stored_credentials() {
    let (server, clock, store) = logged_in().await;
    let used_up = store.kept().unwrap();
    pass(&clock, 3601).await;
    client(&server, &clock, &store).me().await.unwrap();
    let newer = store.kept().unwrap();
    assert_ne!(newer, used_up);

    store.save(&used_up).unwrap();
    let source =
        RefreshingTokenSource::new(Arc::new(OverwrittenStore(store.clone(), newer.clone())))
            .clock(clock.clone());
    let token = source.token().await.unwrap();
    assert_eq!(token, Token::new(&newer.access_token).unwrap());
    assert_eq!((store.kept(), renewals(&server)), (Some(newer), 2), "nothing was forgotten");
}

/// A store into which another process saves after it was read under the lock.
#[derive(Debug)]
struct OverwrittenStore(Shared, Credentials);

impl CredentialStore for OverwrittenStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        self.0.load()
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        self.0.save(credentials)
    }

    fn forget(&self) -> io::Result<()> {
        self.0.forget()
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        *self.0.meanwhile.lock().unwrap() = Some(self.1.clone());
        self.0.try_lock()
    }
}

#[tokio::test]
async fn a_server_that_fails_leaves_the_credentials() {
    let (server, clock, store) = logged_in().await;
    let client = client(&server, &clock, &store);
    let before = store.kept();
    pass(&clock, 3601).await;
    for status in [500, 503] {
        server.fail([1], &Fault::Before(status));
        let error = client.me().await.unwrap_err();
        assert!(
            error.is_network() && error.is_safe_to_repeat() && !error.is_not_authenticated(),
            "{error}"
        );
        assert_eq!(store.kept(), before);
        pass(&clock, 2).await;
    }
    client.me().await.unwrap();
    assert_ne!(store.kept(), before);

    let gone = { ContractServer::start(World::cafe()).await.mcp_url() };
    let mut lost = store.kept().unwrap();
    lost.token_endpoint = gone;
    store.save(&lost).unwrap();
    pass(&clock, 3601).await;
    assert!(self::client(&server, &clock, &store).me().await.unwrap_err().is_network());
    assert_eq!(store.kept(), Some(lost));
}

#[tokio::test]
async fn revoked_access_is_reported_and_nothing_more_is_sent() {
    let (server, clock, store) = logged_in().await;
    let client = client(&server, &clock, &store);
    client.me().await.unwrap();
    server.edit(|account| account.tokens.iter_mut().for_each(|token| token.revoked = true));
    server.forget_requests();
    let error = client.me().await.unwrap_err();
    assert!(error.is_not_authenticated() && error.to_string().contains("revoked"), "{error}");
    assert_eq!((renewals(&server), server.requests().len()), (1, 2));
    assert_eq!(store.kept(), None);
    assert!(client.me().await.unwrap_err().is_not_authenticated());
    assert_eq!(server.requests().len(), 2, "and nothing is sent any more");
}

#[tokio::test]
async fn a_forgotten_client_loses_its_tokens() {
    let (server, clock, store) = logged_in().await;
    pass(&clock, 3601).await;
    server.forget_clients();
    let error = client(&server, &clock, &store).me().await.unwrap_err();
    assert!(error.is_not_authenticated(), "{error}");
    assert_eq!((store.kept(), renewals(&server)), (None, 1));
}

#[tokio::test]
async fn a_server_that_repeats_its_input_does_not_get_it_into_the_error() {
    let (_server, clock, store) = logged_in().await;
    let mut lost = store.kept().unwrap();
    let access = lost.access_token.to_string();
    for status in [400, 500] {
        let repeated = format!("{access} and {{sent}}");
        let body = serde_json::json!({ "error": &repeated, "error_description": &repeated });
        let body = body.to_string();
        let pages = PathServer::start(move |_| (status, String::new(), body.clone()));
        lost.token_endpoint = format!("http://{}/token", pages.address());
        store.save(&lost).unwrap();
        pass(&clock, 3601).await;
        let error = RefreshingTokenSource::new(Arc::new(store.clone()))
            .clock(clock.clone())
            .token()
            .await
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert_eq!(shown.contains("refresh_token=***"), status == 400, "{shown}");
        for secret in [&access, lost.refresh_token.as_deref().unwrap()] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert_eq!(pages.asked(), ["/token"]);
    }
}

#[tokio::test]
async fn a_renewal_that_was_not_stored_ends_in_a_login_and_not_in_a_loop() {
    let (server, clock, store) = logged_in().await;
    pass(&clock, 3601).await;
    store.break_down("save", Some(io::ErrorKind::StorageFull));
    client(&server, &clock, &store).me().await.unwrap();
    assert_eq!(renewals(&server), 1);

    store.mend();
    let error = client(&server, &clock, &store).me().await.unwrap_err();
    assert!(error.is_not_authenticated(), "{error}");
    assert_eq!((renewals(&server), store.kept()), (2, None));
}

#[tokio::test]
async fn without_a_refresh_token_an_expired_token_is_not_renewed() {
    let choices = Choices { no_refresh_tokens: true, ..Choices::default() };
    let (clock, service) = shared_clock();
    let builder =
        ContractServer::builder(World::cafe()).no_limits().clock(service).choices(choices);
    let server = builder.start().await.unwrap();
    let mut credentials = connect(&server).await;
    assert_eq!(credentials.refresh_token, None);
    credentials.expires_at = Some(seconds(&*clock) + 3600);
    let store = Shared::new(credentials);
    let client = client(&server, &clock, &store);
    pass(&clock, 3590).await;
    client.me().await.unwrap();
    pass(&clock, 11).await;
    let error = client.me().await.unwrap_err();
    assert!(error.is_not_authenticated(), "{error}");
    assert_eq!(renewals(&server), 1, "only that of the login itself");
}

/// A store whose lock notes on which thread it is released, as one does that asks a server.
#[derive(Clone, Debug)]
struct SlowStore(Shared, Arc<Mutex<Vec<std::thread::ThreadId>>>);

struct NotedLock(#[expect(dead_code, reason = "held")] StoreLock, SlowStore);

impl Drop for NotedLock {
    fn drop(&mut self) {
        self.1.1.lock().unwrap().push(std::thread::current().id());
    }
}

impl CredentialStore for SlowStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        self.0.load()
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        self.0.save(credentials)
    }

    fn forget(&self) -> io::Result<()> {
        self.0.forget()
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        let lock = self.0.try_lock()?;
        Ok(lock.map(|lock| Box::new(NotedLock(lock, self.clone())) as StoreLock))
    }
}

#[tokio::test]
async fn the_lock_of_a_login_is_released_on_a_thread_that_may_block() {
    let (server, clock, store) = logged_in().await;
    let store = SlowStore(store, Arc::default());
    for is_failing in [false, true] {
        pass(&clock, 3601).await;
        let source = RefreshingTokenSource::new(Arc::new(store.clone())).clock(clock.clone());
        if is_failing {
            server.fail([1], &Fault::Before(503));
        }
        assert_eq!(source.token().await.is_err(), is_failing);
    }
    let released = store.1.lock().unwrap().clone();
    assert_eq!(released.len(), 2);
    assert!(!released.contains(&std::thread::current().id()));
}

#[tokio::test]
async fn a_lock_that_another_process_holds_stops_no_other_task() {
    let (server, clock, store) = logged_in().await;
    pass(&clock, 3601).await;
    let client = client(&server, &clock, &store);
    let held = store.try_lock().unwrap().unwrap();
    let calls: Vec<_> = (0..3).map(|_| tokio::spawn(client.me().into_future())).collect();
    links_test_support::executor::others_run().await;
    assert!(calls.iter().all(|call| !call.is_finished()));
    calls[0].abort();
    drop(held);
    for call in calls.into_iter().skip(1) {
        call.await.unwrap().unwrap();
    }
    assert_eq!(renewals(&server), 1);
    assert!(store.try_lock().unwrap().is_some());
}

#[cfg(feature = "redis")]
mod fleet {
    use links_sdk::RedisServer;
    use links_sdk::oauth::{StoreKey, redis_store};
    use links_test_support::redis::RedisProcess;

    use super::*;

    fn store(process: &RedisProcess, name: &str, key: u8) -> Arc<dyn CredentialStore> {
        let server = RedisServer::new(process.url()).unwrap();
        redis_store(server, name, StoreKey::new([key; 32]))
    }

    #[tokio::test]
    #[ignore = "needs a Redis server: see tests/fleet/run"]
    async fn a_fleet_renews_a_login_once() {
        let (server, clock, kept) = logged_in().await;
        let process = RedisProcess::start();
        let credentials = kept.kept().unwrap();
        store(&process, "one", 1).save(&credentials).unwrap();
        let clients: Vec<Client> = (0..6)
            .map(|_| {
                let source = RefreshingTokenSource::new(store(&process, "one", 1));
                let source = Arc::new(source.clock(clock.clone()));
                let builder = Client::builder(server.base_url()).token(source);
                builder.clock(clock.clone()).rate_limits(RateLimits::unlimited()).build().unwrap()
            })
            .collect();
        for client in &clients {
            client.me().await.unwrap();
        }
        pass(&clock, 3601).await;
        let calls: Vec<_> =
            clients.iter().map(|client| tokio::spawn(client.me().into_future())).collect();
        for call in calls {
            call.await.unwrap().unwrap();
        }
        assert_eq!(renewals(&server), 1);
        let renewed = store(&process, "one", 1).load().unwrap().unwrap();
        assert_ne!(renewed.access_token, credentials.access_token);
        let keys = process.command(&["KEYS", "*"]);
        assert_eq!(keys.lines().count(), 1, "the lock was released: {keys}");
    }

    #[tokio::test]
    #[ignore = "needs a Redis server: see tests/fleet/run"]
    async fn the_record_of_a_login_is_read_only_with_its_key_and_under_its_name() {
        let (_server, _clock, kept) = logged_in().await;
        let process = RedisProcess::start();
        let credentials = kept.kept().unwrap();
        let one = store(&process, "one", 1);
        assert_eq!(one.load().unwrap(), None);
        one.save(&credentials).unwrap();
        assert_eq!(one.load().unwrap(), Some(credentials.clone()));
        assert_eq!(store(&process, "other", 1).load().unwrap(), None);
        assert_eq!(store(&process, "one", 2).load().unwrap(), None);

        let keys = process.command(&["KEYS", "*"]);
        let record = process.command(&["GET", keys.trim()]);
        for secret in [&credentials.access_token, credentials.refresh_token.as_ref().unwrap()] {
            assert!(!record.contains(secret.as_str()) && !keys.contains(secret.as_str()));
        }
        process.command(&["SET", keys.trim(), "damaged"]);
        let error = one.load().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
        one.forget().unwrap();
        assert_eq!(one.load().unwrap(), None);
    }

    #[test]
    #[ignore = "needs a Redis server: see tests/fleet/run"]
    fn a_lock_is_released_by_its_owner_only() {
        let process = RedisProcess::start();
        let one = store(&process, "one", 1);
        let lock = one.try_lock().unwrap().unwrap();
        assert!(one.try_lock().unwrap().is_none());
        let keys = process.command(&["KEYS", "*"]);
        let lifetime: i64 = process.command(&["PTTL", keys.trim()]).trim().parse().unwrap();
        assert!((1..=120_000).contains(&lifetime), "{lifetime}");
        // It became free, and another machine has taken it.
        process.command(&["SET", keys.trim(), "another"]);
        drop(lock);
        assert_eq!(process.command(&["GET", keys.trim()]).trim(), "another");
        process.command(&["DEL", keys.trim()]);
        drop(one.try_lock().unwrap().unwrap());
        assert_eq!(process.command(&["EXISTS", keys.trim()]).trim(), "0");
    }

    #[test]
    fn a_store_without_its_server_names_it_without_the_password() {
        let server = RedisServer::new("redis://:canary@127.0.0.1:1").unwrap();
        let store = redis_store(server, "one", StoreKey::new([1; 32]));
        for error in [store.load().unwrap_err(), store.try_lock().err().unwrap()] {
            let error = error.to_string();
            assert!(error.starts_with("cannot use redis://127.0.0.1:1: "), "{error}");
        }
        assert!(!format!("{store:?}").contains("canary"));
    }
}
