//! Tests that the deadline of a call bounds everything that the call waits for.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, Fault, World};
use links_sdk::testing::TestClock;
use links_sdk::{
    Bucket, Client, Clock, Error, ErrorKind, MustWait, NotAdmitted, Pacer, PacerFuture, PacerNote,
    Ticket, Token, TokenFuture, TokenSource,
};
use links_test_support::clock::shared_clock;

const SECOND: Duration = Duration::from_secs(1);

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Await {
    Token,
    Refused,
    Admit,
    Settle,
    Block,
    Learn,
}

/// Token source and pacer with one method that needs eight seconds, and then does not return.
#[derive(Clone, Debug)]
struct Slow {
    clock: Arc<TestClock>,
    what: Await,
    token: Token,
}

impl Slow {
    async fn step<T>(&self, what: Await, result: T) -> T {
        if self.what == what {
            self.clock.advance(8 * SECOND);
            pending::<()>().await;
        }
        result
    }
}

impl TokenSource for Slow {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(self.step(Await::Token, Ok(self.token.clone())))
    }

    fn refused<'a>(&'a self, _: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(self.step(Await::Refused, Ok(true)))
    }
}

impl Pacer for Slow {
    fn admit<'a>(
        &'a self,
        _: Bucket,
        _: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(self.step(Await::Admit, Ok(Ticket(1))))
    }

    fn note<'a>(&'a self, note: PacerNote, _: &'a dyn Clock) -> PacerFuture<'a, ()> {
        let what = match note {
            PacerNote::Blocked(_) => Await::Block,
            PacerNote::Learned(_) => Await::Learn,
            _ => Await::Settle,
        };
        Box::pin(self.step(what, ()))
    }

    fn forecast<'a>(
        &'a self,
        _: Bucket,
        _: usize,
        _: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        Box::pin(std::future::ready(None))
    }
}

/// Calls with a deadline of one second. Returns the result, the time it took and the number of requests that arrived.
async fn called(what: Await) -> (Result<(), Error>, Duration, usize) {
    let (clock, service) = shared_clock();
    let builder = ContractServer::builder(World::cafe()).no_limits().clock(service);
    let server = builder.start().await.unwrap();
    if what == Await::Block {
        server.fail([1], &Fault::Before(429));
    }
    let token = if what == Await::Refused { "pps_wrong".to_owned() } else { server.token() };
    let token = Token::new(&token).unwrap();
    let slow = Arc::new(Slow { clock: clock.clone(), what, token });
    let client = Client::builder(server.base_url()).token(slow.clone()).pacer(slow);
    let client = client.clock(clock.clone()).deadline(SECOND).build().unwrap();
    let result = client.me().await.map(drop);
    (result, clock.monotonic(), server.requests().len())
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_whatever_it_waits_for() {
    for (what, sent) in [(Await::Token, 0), (Await::Admit, 0), (Await::Refused, 1)] {
        let (result, took, requests) = called(what).await;
        let error = result.unwrap_err();
        assert!(error.to_string().contains("the time limit was reached"), "{what:?}: {error}");
        assert_eq!(error.kind(), ErrorKind::Timeout, "{what:?}: {error}");
        assert!(!error.is_not_authenticated() && !error.is_network(), "{what:?}: {error}");
        assert!(error.is_timeout() && error.is_safe_to_repeat(), "{what:?}: {error}");
        assert_eq!((took, requests), (8 * SECOND, sent), "{what:?}");
    }
    let (result, took, requests) = called(Await::Block).await;
    assert!(result.unwrap_err().is_rate_limited());
    assert_eq!((took, requests), (8 * SECOND, 1));
}

#[tokio::test]
async fn an_answer_counts_although_the_pacer_is_not_told_in_time() {
    // The request is settled once more in the background.
    for (what, seconds) in [(Await::Settle, 16), (Await::Learn, 8)] {
        let (result, took, requests) = called(what).await;
        result.unwrap();
        assert_eq!((took, requests), (seconds * SECOND, 1), "{what:?}");
    }
}
