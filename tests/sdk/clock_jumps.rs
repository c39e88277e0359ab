//! Clocks that are set forward or back by an hour while requests are sent: no request fails, and none waits longer than a minute more.

use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_sdk::{Client, Clock, Pacer, SharedFilePacer, Token};
use links_test_support::clock::{MachineClock, shared_clock};

const HOUR: i64 = 60 * 60;

/// Requests of one history: more than two minutes allow.
const REQUESTS: usize = 130;

/// What a history took.
struct Took {
    time: Duration,
    /// Requests that the service refused because of its limits.
    refused: usize,
}

/// Sends requests through two clients in turn, which share a file, and sets the clock at one of them.
async fn send(at: usize, by: i64) -> Took {
    let directory = tempfile::tempdir().unwrap();
    let (clock, service) = shared_clock();
    let server = ContractServer::builder(World::cafe()).clock(service).start().await.unwrap();
    let own = MachineClock::new(clock.clone());
    let clients = [(); 2].map(|()| {
        let pacer = SharedFilePacer::new(directory.path().join("rate.json"));
        let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
        let builder = builder.clock(own.clone()).pacer(Arc::new(pacer) as Arc<dyn Pacer>);
        builder.build().unwrap()
    });
    let begin = clock.monotonic();
    for nth in 0..REQUESTS {
        if nth == at {
            own.set(by);
        }
        let sent = clients[nth % 2].notification_channels().await;
        assert!(sent.is_ok(), "clock set by {by} s at request {at}, request {nth}: {sent:?}");
    }
    let refused = server.requests().iter().filter(|it| it.status == 429).count();
    Took { time: clock.monotonic().saturating_sub(begin), refused }
}

#[tokio::test]
async fn a_clock_that_is_set_while_requests_are_sent_costs_at_most_a_minute() {
    let usual = send(REQUESTS, 0).await;
    assert_eq!(usual.refused, 0);
    let mut most = (Duration::ZERO, 0);
    for at in (0..REQUESTS).step_by(23) {
        for by in [-HOUR, HOUR, -30, 30, -24 * HOUR, 24 * HOUR] {
            let took = send(at, by).await;
            let more = took.time.saturating_sub(usual.time);
            most = (most.0.max(more), most.1.max(took.refused));
            assert!(more <= Duration::from_secs(61), "set by {by} s at {at}: {more:?} more");
            assert!(took.refused <= 2, "set by {by} s at {at}: {} times refused", took.refused);
        }
    }
    println!("at most {:?} more, {} refused", most.0, most.1);
}
