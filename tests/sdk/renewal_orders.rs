//! Orders of calls, of processes that share a login, and of a user who logs in anew: each refresh token is sent once, no call fails, and the
//! last login is kept.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_sdk::oauth::{
    CredentialStore, Credentials, RefreshingTokenSource, StoreLock, file_store, memory_store,
};
use links_sdk::testing::TestClock;
use links_sdk::{Token, TokenSource};
use links_test_support::orders::{Actor, Gates, Order, explore};
use serde_json::json;
use tokio::runtime::{Builder, Handle};

use crate::token_refresh::seconds;

/// Reason for a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The token is valid for a few seconds.
    Soon,
    Ended,
    /// The service refuses the token before its time.
    Refused,
}

pub(crate) const NEEDS: [Need; 3] = [Need::Soon, Need::Ended, Need::Refused];

/// Authorization server that stops before it spends a refresh token, and before it answers.
#[derive(Clone)]
pub(crate) struct Authority {
    address: String,
    state: Arc<Mutex<Grants>>,
}

/// The tokens of the login of one order.
#[derive(Default)]
struct Grants {
    gates: Gates,
    /// Tokens with which the service can be used.
    access: BTreeSet<String>,
    /// Refresh tokens that can be used.
    refresh: BTreeSet<String>,
    renewals: usize,
    /// Set when a refresh token was used again: the login has ended.
    is_reused: bool,
}

impl Authority {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let authority = Self { address, state: Arc::default() };
        let answering = authority.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answering = answering.clone();
                std::thread::spawn(move || answering.answer(stream));
            }
        });
        authority
    }

    /// Forgets everything for the next order.
    fn reset(&self, gates: &Gates) {
        *self.state.lock().unwrap() = Grants { gates: gates.clone(), ..Grants::default() };
    }

    /// Returns a login with tokens of this name.
    fn login(&self, name: &str, expires_at: u64) -> Credentials {
        let value = json!({
            "accessToken": format!("{name}-access"), "refreshToken": format!("{name}-refresh"), "clientId": "c",
            "resource": format!("{}/mcp", self.address), "issuer": self.address, "expiresAt": expires_at,
            "tokenEndpoint": format!("{}/token", self.address),
        });
        let mut grants = self.state.lock().unwrap();
        grants.access.insert(format!("{name}-access"));
        grants.refresh.insert(format!("{name}-refresh"));
        serde_json::from_value(value).unwrap()
    }

    fn accepts(&self, token: &Token) -> bool {
        self.state.lock().unwrap().access.contains(token.secret())
    }

    fn answer(&self, stream: TcpStream) {
        let mut lines = BufReader::new(&stream);
        let (mut line, mut length) = (String::new(), 0);
        while lines.read_line(&mut line).unwrap_or(0) > 2 {
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut form = vec![0; length];
        lines.read_exact(&mut form).unwrap();
        let form = String::from_utf8(form).unwrap();
        let spent = form.split('&').find_map(|it| it.strip_prefix("refresh_token=")).unwrap();
        let gates = self.state.lock().unwrap().gates.clone();
        gates.block("authority", &format!("spends {spent}"));
        let (status, body) = self.renew(spent);
        gates.block("authority", "answers");
        let (body, length) = (body.to_string(), body.to_string().len());
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}"
        );
        let _ =
            (&stream).write_all(format!("{head}\r\nconnection: close\r\n\r\n{body}").as_bytes());
    }

    fn renew(&self, spent: &str) -> (&'static str, serde_json::Value) {
        let mut grants = self.state.lock().unwrap();
        if !grants.refresh.remove(spent) {
            grants.is_reused = true;
            return ("400 Bad Request", json!({"error": "invalid_grant"}));
        }
        grants.renewals += 1;
        let nth = grants.renewals;
        grants.access.remove(&spent.replace("refresh", "access"));
        let name = format!("{}+", spent.trim_end_matches("-refresh"));
        let (access, refresh) = (format!("{name}-access"), format!("{name}-refresh"));
        assert!(nth < 9, "renewed over and over");
        grants.access.insert(access.clone());
        grants.refresh.insert(refresh.clone());
        let tokens = json!({"access_token": access, "refresh_token": refresh, "token_type": "bearer", "expires_in": 3600});
        ("200 OK", tokens)
    }
}

/// Store of one process that stops before and after each access.
#[derive(Clone)]
struct GatedStore {
    store: Arc<dyn CredentialStore>,
    process: String,
    gates: Gates,
    is_locked: Arc<AtomicBool>,
    /// Set if the process has other calls, which go on before it has seen the result.
    is_shared: bool,
    /// Set once the order has begun.
    is_gated: Arc<AtomicBool>,
}

impl std::fmt::Debug for GatedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.process)
    }
}

impl GatedStore {
    fn step<T>(&self, step: &str, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if !self.is_gated.load(Ordering::SeqCst) {
            return work();
        }
        self.gates.block(&self.process, step);
        let result = work();
        if self.is_shared {
            self.gates.block(&self.process, &format!("{step}, done"));
        }
        result
    }

    fn is_free(&self) -> impl Fn() -> bool + Send + use<> {
        let is_locked = self.is_locked.clone();
        move || !is_locked.load(Ordering::SeqCst)
    }

    fn locked(&self, lock: StoreLock) -> GatedLock {
        self.is_locked.store(true, Ordering::SeqCst);
        GatedLock { lock: Some(lock), store: self.clone() }
    }
}

impl CredentialStore for GatedStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        self.step("reads", || self.store.load())
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        self.step("saves", || self.store.save(credentials))
    }

    fn forget(&self) -> io::Result<()> {
        self.step("forgets", || self.store.forget())
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        self.gates.block(&self.process, "locks");
        let Some(lock) = self.store.try_lock()? else {
            self.gates.block_until(&self.process, "waits for the lock", self.is_free());
            return Ok(None);
        };
        Ok(Some(Box::new(self.locked(lock)) as StoreLock))
    }
}

struct GatedLock {
    lock: Option<StoreLock>,
    store: GatedStore,
}

impl Drop for GatedLock {
    fn drop(&mut self) {
        // The user's own lock is dropped by a future, which has its own gates.
        if Handle::try_current().is_err() || self.store.process != "user" {
            self.store.gates.block(&self.store.process, "unlocks");
        }
        self.lock = None;
        self.store.is_locked.store(false, Ordering::SeqCst);
    }
}

/// What takes part in an order.
pub(crate) struct Course<'a> {
    authority: &'a Authority,
    need: Need,
    /// The stores of the processes, which share one login.
    stores: Vec<Arc<dyn CredentialStore>>,
    /// Number of calls of each process.
    calls: usize,
    drops: bool,
    /// The user logs in anew meanwhile.
    logs_in: bool,
}

impl Course<'_> {
    pub(crate) fn run(&self, order: &mut Order) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (gates, clock) = (Gates::default(), Arc::new(TestClock::new()));
            self.authority.reset(&gates);
            let login = self.authority.login("old", seconds(&*clock) + 3600);
            self.stores[0].save(&login).unwrap();
            let (is_locked, is_gated) =
                (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
            let store_of = |process: &str, store: &Arc<dyn CredentialStore>| GatedStore {
                store: store.clone(),
                process: process.to_owned(),
                gates: gates.clone(),
                is_locked: is_locked.clone(),
                is_gated: is_gated.clone(),
                is_shared: self.calls > 1,
            };
            let mut actors = Vec::new();
            for (process, store) in self.stores.iter().enumerate() {
                let source = RefreshingTokenSource::new(Arc::new(store_of(
                    &format!("process {process}"),
                    store,
                )));
                let source = source.clock(clock.clone());
                // It has used the login before.
                source.token().await.unwrap();
                for call in 0..self.calls {
                    let (name, source) = (format!("call {process}.{call}"), source.clone());
                    let mut actor =
                        Actor::new(&*name, self.call(name.clone(), source, gates.clone()));
                    if self.drops && call > 0 {
                        actor.drop_anywhere();
                    }
                    actors.push(actor);
                }
            }
            match self.need {
                Need::Soon => clock.advance(Duration::from_secs(3590)),
                Need::Ended => clock.advance(Duration::from_secs(3600)),
                Need::Refused => self.authority.state.lock().unwrap().access.clear(),
            }
            is_gated.store(true, Ordering::SeqCst);
            if self.logs_in {
                let new = self.authority.login("new", seconds(&*clock) + 3600);
                actors.push(Actor::new("user", log_in(store_of("user", &self.stores[0]), new)));
            }
            let metrics = Handle::current().metrics();
            order
                .run(&gates, actors, async || {
                    // Each task is a renewal, whose thread has stopped, or the authorization server for it.
                    tokio::task::yield_now().await;
                    metrics.num_alive_tasks() == gates.stopped_threads()
                })
                .await;
            self.check();
        });
    }

    /// Makes a call as the client does.
    async fn call(&self, name: String, source: RefreshingTokenSource, gates: Gates) {
        gates.pass(&name, "asks for a token").await;
        let token = source.token().await.unwrap();
        gates.pass(&name, &format!("sends {}", token.secret())).await;
        if self.authority.accepts(&token) {
            return;
        }
        gates.pass(&name, "is refused").await;
        assert!(source.refused(&token).await.unwrap());
        gates.pass(&name, "asks for another token").await;
        let token = source.token().await.unwrap();
        gates.pass(&name, &format!("sends {}", token.secret())).await;
        assert!(self.authority.accepts(&token), "refused again: {}", token.secret());
    }

    fn check(&self) {
        let kept = self.stores[0].load().unwrap().expect("the login is lost");
        let grants = self.authority.state.lock().unwrap();
        assert!(!grants.is_reused, "a refresh token was sent twice");
        assert!(
            grants.refresh.contains(kept.refresh_token.as_ref().unwrap().as_str()),
            "the login is lost"
        );
        let is_new = kept.access_token.starts_with("new");
        assert_eq!(is_new, self.logs_in, "kept {}", kept.access_token.as_str());
        if !self.logs_in {
            assert_eq!(grants.renewals, 1);
        }
    }
}

/// Replaces the login, under its lock.
async fn log_in(store: GatedStore, new: Credentials) {
    let lock = loop {
        store.gates.pass("user", "locks").await;
        if let Some(lock) = store.store.try_lock().unwrap() {
            break store.locked(lock);
        }
        store.gates.pass_when("user", "waits for the lock", store.is_free()).await;
    };
    store.gates.pass("user", "saves a new login").await;
    store.store.save(&new).unwrap();
    store.gates.pass("user", "unlocks").await;
    drop(lock);
}

impl<'a> Course<'a> {
    /// Returns a course in which each process makes one call.
    pub(crate) fn of(
        authority: &'a Authority,
        need: Need,
        stores: Vec<Arc<dyn CredentialStore>>,
    ) -> Self {
        Self { authority, need, stores, calls: 1, drops: false, logs_in: false }
    }
}

#[test]
fn calls_of_a_process_renew_its_login_once_whichever_of_them_are_dropped() {
    let authority = Authority::start();
    for (drops, calls) in [(false, 3), (true, 2)] {
        let explored = explore(2, |order| {
            let course = Course::of(&authority, NEEDS[order.choose(3)], vec![memory_store(None)]);
            Course { calls, drops, ..course }.run(order);
        });
        println!("calls, dropped: {drops}: {explored}");
    }
}

#[test]
fn processes_that_share_a_file_renew_its_login_once() {
    let authority = Authority::start();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("login.json");
    for need in NEEDS {
        let explored = explore(2, |order| {
            Course::of(&authority, need, vec![file_store(&path), file_store(&path)]).run(order);
        });
        println!("processes, {need:?}: {explored}");
    }
}

#[test]
fn a_new_login_is_kept_whenever_the_old_one_is_renewed() {
    let authority = Authority::start();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("login.json");
    let explored = explore(2, |order| {
        let course = Course::of(&authority, NEEDS[order.choose(3)], vec![file_store(&path)]);
        Course { logs_in: true, ..course }.run(order);
    });
    println!("a new login: {explored}");
}
