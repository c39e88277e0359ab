//! Tests of many calls at once over a clock that tokio moves: they are admitted in the order in which they came.

use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use reqwest::{Method, StatusCode};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::super::*;
use crate::client::Client;
use crate::operation;
use crate::token::{TokenFuture, TokenSource};
use crate::transport::clock::Clock;
use crate::transport::pacing::poll_once;

const SECOND: Duration = Duration::from_secs(1);

/// Clock that sleeps a little longer than asked, by a varying amount, as real timers do.
#[derive(Debug)]
pub(super) struct VirtualClock {
    start: Instant,
    sleeps: AtomicU64,
}

impl VirtualClock {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), sleeps: AtomicU64::new(0) }
    }
}

impl Clock for VirtualClock {
    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let late = self.sleeps.fetch_add(1, Ordering::Relaxed) * 7919 % 20;
        Box::pin(tokio::time::sleep(duration + Duration::from_millis(late)))
    }
}

/// Service that answers everything with 200 after a while, and notes which token came, and when.
#[derive(Default)]
struct FakeService(Mutex<Vec<(String, Instant)>>);

impl FakeService {
    async fn send(&self, request: Request, _: Duration) -> Result<Answer, CallFailure> {
        let token = request.headers().get(AUTHORIZATION).and_then(|it| it.to_str().ok());
        self.0.lock().unwrap().push((token.unwrap_or_default().to_owned(), Instant::now()));
        tokio::time::sleep(Duration::from_millis(30)).await;
        let (headers, body) = Default::default();
        Ok(Answer::new(StatusCode::OK, headers, body))
    }
}

struct FairnessTest {
    client: Client,
    clock: Arc<VirtualClock>,
    service: Arc<FakeService>,
}

impl FairnessTest {
    fn new(source: Option<Arc<dyn TokenSource>>) -> Self {
        let clock = Arc::new(VirtualClock::new());
        let mut builder = Client::builder("http://127.0.0.1:1/api/v1").clock(clock.clone());
        if let Some(source) = source {
            builder = builder.token(source);
        }
        Self { client: builder.build().unwrap(), clock, service: Arc::default() }
    }

    /// Makes a call that begins now. Returns when it ended and whether it was answered.
    fn call(
        &self,
        operation: &'static Operation,
        deadline: Duration,
    ) -> impl Future<Output = (Duration, Result<Answer, CallFailure>)> + Send + 'static {
        let Self { client, clock, service } = self;
        let (client, clock, service) = (client.clone(), clock.clone(), service.clone());
        let options = CallOptions {
            write: None,
            idempotency_key: None,
            dry_run: false,
            reads_first: false,
            writes: crate::WriteMode::Send,
            until: clock.monotonic() + deadline,
            max_wait: None,
            reserved: None,
            single_attempt: None,
            headers: None,
            begun: None,
        };
        async move {
            let shared = &client.shared;
            let mut make = || -> Pin<Box<dyn Future<Output = std::io::Result<Request>> + Send>> {
                let request = Request::new(Method::GET, shared.base.join("/slots"));
                Box::pin(std::future::ready(Ok(request)))
            };
            let exchange = run(
                &|request, limit| service.send(request, limit),
                shared,
                operation,
                &options,
                &mut make,
            )
            .await;
            (clock.monotonic(), exchange.result)
        }
    }

    /// Makes this many calls at once. Returns for each, in the order they were made, when it ended and whether it was answered.
    async fn calls(&self, count: usize, deadline: Duration) -> Vec<(Duration, bool)> {
        let mut calls = JoinSet::new();
        for number in 0..count {
            let call = self.call(operation::LIST_SLOTS, deadline);
            calls.spawn(async move {
                let (ended, result) = call.await;
                (number, ended, result.is_ok())
            });
        }
        let mut ended = calls.join_all().await;
        ended.sort_unstable();
        ended.into_iter().map(|(_, ended, answered)| (ended, answered)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn nine_hundred_concurrent_calls_are_answered_in_order_before_their_deadline() {
    let ended = FairnessTest::new(None).calls(900, 16 * 60 * SECOND).await;
    let starved = ended.iter().filter(|(_, answered)| !answered).count();
    assert_eq!(starved, 0, "of 900, which take less than the 16 minutes that each may take");
    assert!(ended.is_sorted(), "a later call went before an earlier one");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_comes_after_its_deadline_fails_at_once() {
    let ended = FairnessTest::new(None).calls(300, 90 * SECOND).await;
    let answered = ended.iter().position(|(_, answered)| !answered).unwrap();
    assert_eq!(answered, 120, "sixty now and sixty after a minute");
    for (when, answered) in &ended[answered..] {
        assert_eq!((*when, *answered), (Duration::ZERO, false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_leaves_the_queue() {
    let bench = FairnessTest::new(None);
    let all = bench.calls(65, 70 * SECOND);
    let dropped = tokio::time::timeout(SECOND / 2, bench.calls(600, 3600 * SECOND));
    let (all, dropped) = tokio::join!(all, dropped);
    assert!(dropped.is_err());
    assert!(all.iter().all(|(_, answered)| *answered));
    let (ended, result) = bench.call(operation::LIST_SLOTS, 5 * SECOND).await;
    assert!(result.is_ok(), "at {ended:?}: {result:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_for_one_bucket_do_not_delay_other_buckets() {
    let bench = FairnessTest::new(None);
    let music: Vec<_> =
        (0..20).map(|_| tokio::spawn(bench.call(operation::LOOKUP_MUSIC, 600 * SECOND))).collect();
    tokio::time::sleep(10 * SECOND).await;
    let (ended, result) = bench.call(operation::LIST_SLOTS, 5 * SECOND).await;
    assert!(result.is_ok() && ended < 11 * SECOND, "{ended:?}: {result:?}");
    for call in music {
        let (ended, result) = call.await.unwrap();
        assert!(result.is_ok() && ended < 70 * SECOND, "{ended:?}: {result:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_kept_without_being_polled_holds_up_no_other() {
    for kind in [operation::LIST_SLOTS, operation::LOOKUP_MUSIC] {
        let bench = FairnessTest::new(None);
        bench.calls(5, SECOND).await;
        let keep = || poll_once(Box::pin(bench.call(kind, 120 * SECOND))).err();
        let mut kept = [keep(), keep()];
        assert!(kept.iter().all(Option::is_some), "both wait for the limits");
        for _ in 0..2 {
            let start = bench.clock.monotonic();
            let (ended, result) = bench.call(kind, 10 * SECOND).await;
            let waited = ended.saturating_sub(start);
            assert!(result.is_ok() && waited < 3 * SECOND, "{waited:?}: {result:?}");
            // The second one gets the head of the line, and is not polled either.
            kept[0] = None;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_in_line_that_is_not_left_in_time_is_no_429() {
    let bench = FairnessTest::new(None);
    bench.calls(5, SECOND).await;
    let kept = poll_once(Box::pin(bench.call(operation::LIST_SLOTS, 120 * SECOND)));
    tokio::time::sleep(SECOND * 9 / 10).await;
    let (_, result) = bench.call(operation::LIST_SLOTS, SECOND / 2).await;
    let ended =
        matches!(result, Err(CallFailure::Deadline(wait)) if wait.reason == WaitReason::Retry);
    assert!(ended, "{result:?}");
    drop(kept);
}

#[tokio::test(start_paused = true)]
async fn the_token_is_taken_after_the_wait() {
    /// Source of a token that is replaced every 10 seconds.
    #[derive(Debug)]
    struct RotatingToken(Instant);
    impl TokenSource for RotatingToken {
        fn token(&self) -> TokenFuture<'_, Token> {
            let text = format!("token-{}", self.0.elapsed().as_secs() / 10);
            Box::pin(std::future::ready(Ok(Token::new(&text).unwrap())))
        }
    }
    let bench = FairnessTest::new(Some(Arc::new(RotatingToken(Instant::now()))));
    bench.calls(60, 120 * SECOND).await;
    bench.client.shared.pacer.note(PacerNote::Blocked(60 * SECOND), &*bench.clock).await;
    let (ended, result) = bench.call(operation::LIST_SLOTS, 120 * SECOND).await;
    assert!(result.is_ok() && ended > 70 * SECOND, "{ended:?}: {result:?}");
    let last = bench.service.0.lock().unwrap().last().map(|(token, _)| token.clone());
    assert_eq!(last.as_deref(), Some("Bearer token-7"), "not one from before the wait");
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_for_a_slow_renewal_are_not_sent_all_at_once() {
    /// Source of a token that is renewed in this time.
    #[derive(Debug)]
    struct SlowRenewal(Instant, Instant);
    impl TokenSource for SlowRenewal {
        fn token(&self) -> TokenFuture<'_, Token> {
            Box::pin(async {
                if (self.0..self.1).contains(&Instant::now()) {
                    tokio::time::sleep_until(self.1).await;
                }
                Ok(Token::new("token").unwrap())
            })
        }
    }
    // At the beginning, during a wait for the limits, and among the requests of a second.
    for (begins, ends) in [(0, 60_000), (30_000, 90_000), (61_000, 75_000), (500, 60_500)] {
        let now = Instant::now();
        let at = |millis| now + Duration::from_millis(millis);
        let source = SlowRenewal(at(begins), at(ends));
        let bench = FairnessTest::new(Some(Arc::new(source)));
        let ended = bench.calls(150, 3600 * SECOND).await;
        assert!(ended.iter().all(|(_, answered)| *answered));
        let last = ended.last().unwrap().0;
        assert!(last < Duration::from_millis(ends) + 181 * SECOND, "{begins}: {last:?}");
        let times: Vec<Instant> = bench.service.0.lock().unwrap().iter().map(|it| it.1).collect();
        for (most, length) in [(5, SECOND), (60, 60 * SECOND)] {
            for few in times.windows(most + 1) {
                assert!(few[most] - few[0] >= length, "{begins}: over the limit of {most}");
            }
        }
    }
}
