//! Tests of faults of the network and of the service; the tests carry the numbers of the project's list of faults.

mod certificates;
mod keys;
mod network;
mod own_process;
mod pages;
mod secrets;
mod service;
pub(crate) mod writes;

use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{Choices, ContractServer, World};
use links_sdk::types::NewSlot;
use links_sdk::{Client, ClientBuilder, Error, SlotsHandle, Timeouts, Token};

use links_sdk::testing::TestClock;
use links_test_support::clock::shared_clock;
use links_test_support::proxy::Proxy;

/// A contract server behind a proxy, and a client that shares its time with the server.
pub(crate) struct TestEnv {
    pub(crate) server: ContractServer,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) client: Client,
}

impl TestEnv {
    pub(crate) async fn new() -> Self {
        Self::with(World::cafe(), Choices::default()).await
    }

    pub(crate) async fn with(world: World, choices: Choices) -> Self {
        let (clock, service_clock) = shared_clock();
        let server = ContractServer::builder(world).clock(service_clock).no_limits();
        let server = server.choices(choices).start().await.unwrap();
        let proxy = Proxy::before(&server);
        let client = builder(&server, &proxy, &clock).build().unwrap();
        Self { server, proxy, clock, client }
    }

    /// Returns a client with short time limits for the network, for a service that never answers in time.
    pub(crate) fn impatient(&self) -> Client {
        self.with_timeouts(Duration::from_millis(250), Duration::from_millis(100))
    }

    /// Returns a client with time limits long enough for a service that answers at once, also on a machine that is busy.
    pub(crate) fn patient_for_seconds(&self) -> Client {
        self.with_timeouts(Duration::from_secs(3), Duration::from_secs(1))
    }

    fn with_timeouts(&self, attempt: Duration, stall: Duration) -> Client {
        let mut timeouts = Timeouts::default();
        (timeouts.attempt, timeouts.stall) = (Some(attempt), stall);
        builder(&self.server, &self.proxy, &self.clock).timeouts(timeouts).build().unwrap()
    }

    pub(crate) fn slots(&self) -> SlotsHandle {
        self.client.profile("cafe").slots()
    }

    /// Returns the number of slots on the café's page.
    pub(crate) fn count(&self) -> usize {
        self.server.account().profile("cafe").unwrap().slots.len()
    }

    /// Returns the operations that the service answered, with the status of each.
    fn answered(&self) -> Vec<(&'static str, u16)> {
        self.server.requests().iter().map(|seen| (seen.operation.unwrap(), seen.status)).collect()
    }

    /// Returns the values of a header in the requests that arrived.
    pub(crate) fn sent(&self, header: &str) -> Vec<String> {
        let of = |head: &String| {
            let line = head.lines().find_map(|line| line.strip_prefix(&format!("{header}: ")));
            line.unwrap_or_default().to_owned()
        };
        self.proxy.arrived().iter().map(of).collect()
    }
}

fn builder(server: &ContractServer, proxy: &Arc<Proxy>, clock: &Arc<TestClock>) -> ClientBuilder {
    Client::builder(proxy.base_url())
        .token(Token::new(server.token()).unwrap())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .clock(clock.clone())
        .observer(proxy.clone())
}

pub(crate) fn divider() -> NewSlot {
    NewSlot::of("divider")
}

pub(crate) fn dividers(count: usize) -> Vec<NewSlot> {
    vec![divider(); count]
}

/// Returns an error with all its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
