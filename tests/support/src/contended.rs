//! A client during whose waits another client edits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use links_fixtures::{Account, ContractServer, ContractServerBuilder, Limits, World};
use links_sdk::testing::TestClock;
use links_sdk::{Client, RateLimits, Token};

use crate::clock::shared_clock;
use crate::proxy::{Act, Proxy};

/// Edit of the page by another client, once, when the client waits.
type AccountEdit = Box<dyn FnOnce(&mut Account) + Send>;

/// A clock during whose first wait another client edits the page.
pub struct EditingClock {
    clock: Arc<TestClock>,
    server: Mutex<Option<(Arc<ContractServer>, AccountEdit)>>,
}

impl std::fmt::Debug for EditingClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.clock.fmt(f)
    }
}

impl links_sdk::Clock for EditingClock {
    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }
    fn wall(&self) -> SystemTime {
        self.clock.wall()
    }
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        if let Some((server, edit)) = self.server.lock().unwrap().take() {
            server.edit(edit);
        }
        self.clock.sleep(duration)
    }
}

/// A service behind a proxy, and a client during whose waits another client edits.
pub struct ContendedEnv {
    /// The service.
    pub server: Arc<ContractServer>,
    /// What is before it.
    pub proxy: Arc<Proxy>,
    /// The client.
    pub client: Client,
    clock: Arc<EditingClock>,
}

impl ContendedEnv {
    /// Returns the environment of a service without limits.
    pub async fn new(limits: RateLimits) -> Self {
        Self::before(limits, ContractServerBuilder::no_limits).await
    }

    /// Returns the environment of a service with other settings.
    pub async fn before(
        limits: RateLimits,
        settings: impl FnOnce(ContractServerBuilder) -> ContractServerBuilder,
    ) -> Self {
        let (clock, service_clock) = shared_clock();
        let server = settings(ContractServer::builder(World::cafe()).clock(service_clock));
        let server = Arc::new(server.start().await.unwrap());
        let proxy = Proxy::before(&server);
        let clock = Arc::new(EditingClock { clock, server: Mutex::default() });
        let client = Client::builder(proxy.base_url())
            .token(Token::new(server.token()).unwrap())
            .rate_limits(limits)
            .clock(clock.clone())
            .build()
            .unwrap();
        Self { server, proxy, client, clock }
    }

    /// Sets the edit that another client makes in the next wait of the client.
    pub fn meddle(&self, edit: impl FnOnce(&mut Account) + Send + 'static) {
        *self.clock.server.lock().unwrap() = Some((self.server.clone(), Box::new(edit)));
    }

    /// Returns whether the edit was made.
    pub fn was_meddled_with(&self) -> bool {
        self.clock.server.lock().unwrap().is_none()
    }

    /// Returns the operations that the service was asked for.
    pub fn operations(&self) -> Vec<&'static str> {
        self.server.requests().iter().filter_map(|request| request.operation).collect()
    }
}

/// Returns faults of the write, which is the second request after the read, before it takes effect.
pub fn troubles() -> Vec<(&'static str, Act)> {
    let error = |status, headers: &[(&str, &str)]| {
        Act::answer(status, headers, r#"{"message": "No.", "code": "no"}"#)
    };
    vec![
        ("429 with Retry-After", error(429, &[("Retry-After", "30")])),
        ("429 without", error(429, &[])),
        ("lost before it was carried out", Act::reset_before()),
        ("503 before it was carried out", error(503, &[])),
        ("408", error(408, &[])),
    ]
}

/// Returns a service that allows one request a second.
pub async fn slow(limits: RateLimits) -> ContendedEnv {
    ContendedEnv::before(limits, |server| {
        server.limits(Limits { requests_per_second: 1, ..Limits::default() })
    })
    .await
}
