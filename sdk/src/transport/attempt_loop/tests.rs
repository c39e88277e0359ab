//! Tests of the loop over a sender that follows a script and a clock that moves only by sleeping.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::SystemTime;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};

use super::*;
use crate::client::Client;
use crate::operation;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::clock::Clock;
use crate::transport::observer::Observer;
use crate::transport::pacing::NotAdmitted;
use crate::transport::retry_policy::RetryPolicy;

/// Sender that answers attempts in order, and then with 200 for ever; it notes when each was sent and how long it may take.
struct Script {
    clock: Arc<ManualClock>,
    ends: Mutex<VecDeque<ScriptStep>>,
    sent: Mutex<Vec<(Duration, Duration)>>,
}

#[derive(Clone, Copy)]
enum ScriptStep {
    Status(u16),
    After(u16, &'static str),
    Broken(AttemptEnd),
    /// Answers 200 after this long.
    Slow(Duration),
}

impl Script {
    fn send(&self, _: Request, limit: Duration) -> Result<Answer, CallFailure> {
        self.sent.lock().unwrap().push((self.clock.monotonic(), limit));
        let mut headers = HeaderMap::new();
        let status = match self.ends.lock().unwrap().pop_front().unwrap_or(ScriptStep::Status(200))
        {
            ScriptStep::Status(status) => status,
            ScriptStep::After(status, retry_after) => {
                headers.insert(RETRY_AFTER, retry_after.parse().unwrap());
                status
            }
            ScriptStep::Slow(time) => {
                self.clock.advance(time);
                200
            }
            ScriptStep::Broken(end) => {
                return Err(CallFailure::Broken { end, source: "as scripted".into(), begun: None });
            }
        };
        let status = StatusCode::from_u16(status).unwrap();
        Ok(Answer::new(status, headers, bytes::Bytes::new()))
    }
}

#[derive(Debug, Default)]
struct ManualClock(Mutex<Duration>);

impl ManualClock {
    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.advance(duration);
        Box::pin(std::future::ready(()))
    }

    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(poll_fn(
            move |_| if self.monotonic() >= time { Poll::Ready(()) } else { Poll::Pending },
        ))
    }
}

#[derive(Debug, Default)]
struct StatusObserver(Mutex<Vec<Option<u16>>>);

impl Observer for StatusObserver {
    fn attempted(&self, attempt: &AttemptReport<'_>) {
        self.0.lock().unwrap().push(attempt.status);
    }
}

struct LoopTest {
    clock: Arc<ManualClock>,
    watch: Arc<StatusObserver>,
    client: Client,
    options: CallOptions,
}

struct RunRecord {
    exchange: CallResult,
    /// Time at which each request was sent, and its time limit.
    sent: Vec<(Duration, Duration)>,
    ended: Duration,
}

const SECOND: Duration = Duration::from_secs(1);

impl LoopTest {
    fn new() -> Self {
        Self::with(RetryPolicy::default())
    }

    fn with(policy: RetryPolicy) -> Self {
        let clock = Arc::new(ManualClock::default());
        let watch = Arc::new(StatusObserver::default());
        let builder =
            Client::builder("http://127.0.0.1:1/api/v1").clock(clock.clone()).retry(policy);
        let client = builder.observer(watch.clone()).build().unwrap();
        let until = 120 * SECOND;
        let options = CallOptions {
            idempotency_key: None,
            dry_run: false,
            reads_first: false,
            writes: crate::WriteMode::Send,
            write: None,
            until,
            max_wait: None,
            reserved: None,
            single_attempt: None,
            headers: None,
            begun: None,
        };
        Self { clock, watch, client, options }
    }

    fn keyed(mut self) -> Self {
        self.options.idempotency_key = Some(IdempotencyKey::random());
        self
    }

    async fn run(&self, operation: &'static Operation, steps: &[ScriptStep]) -> RunRecord {
        let ends = Mutex::new(steps.iter().copied().collect());
        let sender = Script { clock: self.clock.clone(), ends, sent: Mutex::default() };
        let shared = &self.client.shared;
        let mut make = || -> Pin<Box<dyn Future<Output = std::io::Result<Request>> + Send>> {
            let request = Request::new(Method::POST, shared.base.join("/slots"));
            Box::pin(std::future::ready(Ok(request)))
        };
        let exchange = run(
            &|request, limit| std::future::ready(sender.send(request, limit)),
            shared,
            operation,
            &self.options,
            &mut make,
        )
        .await;
        let sent = sender.sent.into_inner().unwrap();
        RunRecord { exchange, sent, ended: self.clock.monotonic() }
    }
}

impl RunRecord {
    fn ok(&self) -> bool {
        self.exchange.result.as_ref().is_ok_and(|answer| answer.status.is_success())
    }

    /// Returns the time between each two requests.
    fn waits(&self) -> Vec<Duration> {
        self.sent.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).collect()
    }
}

#[tokio::test]
async fn four_attempts_and_the_last_failure_is_the_result() {
    for end in [AttemptEnd::Unreachable, AttemptEnd::NoAnswer, AttemptEnd::TimedOut] {
        let ran = LoopTest::new().run(operation::LIST_SLOTS, &[ScriptStep::Broken(end); 9]).await;
        assert_eq!((ran.sent.len(), ran.exchange.tries.sent), (4, 4), "{end:?}");
        assert!(
            matches!(&ran.exchange.result, Err(CallFailure::Broken { end: it, .. }) if *it == end)
        );
        assert_eq!(ran.exchange.tries.evidence, end.evidence());
        assert!(ran.ended <= SECOND / 2 * 7, "{:?}", ran.ended);
    }
}

#[tokio::test]
async fn a_refusal_does_not_replace_the_evidence_of_an_earlier_attempt() {
    let steps = [ScriptStep::Broken(AttemptEnd::NoAnswer), ScriptStep::Status(422)];
    let ran = LoopTest::new().run(operation::UPDATE_SLOT, &steps).await;
    assert_eq!(ran.exchange.tries.evidence, Outcome::Unknown);
    let steps = [ScriptStep::Broken(AttemptEnd::Cut(201)), ScriptStep::Status(401)];
    let ran = LoopTest::new().keyed().run(operation::CREATE_SLOT, &steps).await;
    assert_eq!((ran.sent.len(), ran.exchange.tries.evidence), (2, Outcome::Executed));
    let steps = [ScriptStep::Broken(AttemptEnd::Unreachable), ScriptStep::Status(422)];
    let ran = LoopTest::new().run(operation::UPDATE_SLOT, &steps).await;
    assert_eq!(ran.exchange.tries.evidence, Outcome::NotExecuted);
}

#[tokio::test]
async fn a_429_is_waited_out_stops_the_whole_client_and_is_no_attempt() {
    let bench = LoopTest::new();
    let mut steps = vec![ScriptStep::After(429, "2"); 6];
    steps.extend([ScriptStep::Status(503); 3]);
    let ran = bench.run(operation::LIST_SLOTS, &steps).await;
    assert!(ran.ok(), "{:?}", ran.exchange.result);
    let waits = ran.waits();
    assert!(waits[..6].iter().all(|wait| *wait >= 2 * SECOND), "{waits:?}");

    let bench = LoopTest::new();
    bench.run(operation::LIST_SLOTS, &[ScriptStep::After(429, "300")]).await;
    let pacer = &bench.client.shared.pacer;
    let refusal = pacer.admit(operation::GET_ME.bucket, &*bench.clock).await.unwrap_err();
    let NotAdmitted::Wait(blocked) = refusal else { panic!("{refusal:?}") };
    assert_eq!((blocked.duration, blocked.reason), (300 * SECOND, WaitReason::TooManyRequests));
}

#[tokio::test]
async fn a_429_without_a_time_is_asked_again_less_and_less_often() {
    for retry_after in [None, Some("0"), Some("-1"), Some("")] {
        let step = retry_after.map_or(ScriptStep::Status(429), |text| ScriptStep::After(429, text));
        let ran = LoopTest::new().run(operation::LIST_SLOTS, &[step; 200]).await;
        assert!(matches!(ran.exchange.result, Err(CallFailure::Deadline(_))));
        assert!((4..60).contains(&ran.sent.len()), "{retry_after:?}: {}", ran.sent.len());
        assert!(ran.ended < 120 * SECOND);
    }
}

#[tokio::test]
async fn a_wait_past_the_deadline_is_not_begun() {
    for status in [429, 503] {
        let ran =
            LoopTest::new().run(operation::LIST_SLOTS, &[ScriptStep::After(status, "300")]).await;
        assert_eq!((ran.sent.len(), ran.ended), (1, Duration::ZERO));
        match (status, &ran.exchange.result) {
            (429, Err(CallFailure::Deadline(wait))) => assert_eq!(wait.duration, 300 * SECOND),
            (503, Ok(answer)) => assert_eq!(answer.status(), 503),
            (_, other) => panic!("{other:?}"),
        }
        assert_eq!(ran.exchange.retry_after, Some(300 * SECOND));
    }
}

#[tokio::test]
async fn a_wait_that_leaves_too_little_time_for_the_attempt_is_not_begun() {
    for (retry_after, sent) in [("8", 2), ("9", 1)] {
        let mut bench = LoopTest::new();
        bench.options.until = 10 * SECOND;
        let steps = [ScriptStep::After(429, retry_after)];
        assert_eq!(bench.run(operation::LIST_SLOTS, &steps).await.sent.len(), sent);
    }
}

#[test]
fn a_short_deadline_leaves_room_for_short_waits_and_for_none() {
    let bench = LoopTest::new();
    let millis = Duration::from_millis;
    for (wait, left, too_long) in
        [(0, 1, false), (0, 0, true), (200, 500, false), (250, 500, true), (5_000, 6_000, true)]
    {
        let options = CallOptions { until: millis(left), ..bench.options.clone() };
        let must_wait = MustWait::new(millis(wait), WaitReason::PerSecond(5));
        let found = options.is_too_long(must_wait, &*bench.clock);
        assert_eq!(found, too_long, "{wait} ms of {left} ms");
    }
}

#[tokio::test]
async fn a_huge_retry_after_blocks_the_client_for_at_most_the_longest_block() {
    let bench = LoopTest::new();
    let ran = bench.run(operation::LIST_SLOTS, &[ScriptStep::After(429, "999999999")]).await;
    assert_eq!(ran.exchange.retry_after, Some(Duration::from_secs(999_999_999)));
    bench.clock.advance(LONGEST_BLOCK);
    let mut later = bench;
    later.options.until = LONGEST_BLOCK + 120 * SECOND;
    assert!(later.run(operation::LIST_SLOTS, &[]).await.ok());
}

#[tokio::test]
async fn an_attempt_gets_no_more_time_than_is_left() {
    let mut bench = LoopTest::new();
    bench.options.until = 70 * SECOND;
    let steps = [ScriptStep::Slow(Duration::ZERO)];
    let ran = bench.run(operation::UPDATE_SLOT, &steps).await;
    assert_eq!(ran.sent[0].1, 60 * SECOND, "the time of a write");
    bench.run(operation::LIST_SLOTS, &[ScriptStep::Slow(50 * SECOND)]).await;
    let ran = bench.run(operation::UPDATE_SLOT, &steps).await;
    assert_eq!(ran.sent[0].1, 20 * SECOND);
    bench.run(operation::LIST_SLOTS, &[ScriptStep::Slow(20 * SECOND)]).await;
    let ran = bench.run(operation::UPDATE_SLOT, &steps).await;
    assert!(ran.sent.is_empty() && matches!(ran.exchange.result, Err(CallFailure::Deadline(_))));
    assert_eq!(ran.exchange.tries.evidence, Outcome::NotExecuted);
}

#[tokio::test]
async fn a_body_that_cannot_be_opened_in_time_ends_the_call() {
    let bench = LoopTest::new();
    let sender =
        Script { clock: bench.clock.clone(), ends: Mutex::default(), sent: Mutex::default() };
    let clock = bench.clock.clone();
    let mut make = || -> Pin<Box<dyn Future<Output = std::io::Result<Request>> + Send>> {
        clock.advance(200 * SECOND);
        Box::pin(std::future::pending())
    };
    let shared = &bench.client.shared;
    let exchange = run(
        &|request, limit| std::future::ready(sender.send(request, limit)),
        shared,
        operation::UPLOAD_FILE,
        &bench.options,
        &mut make,
    )
    .await;
    assert!(matches!(exchange.result, Err(CallFailure::Deadline(_))), "{:?}", exchange.result);
    assert_eq!((exchange.tries.sent, exchange.tries.evidence), (0, Outcome::NotExecuted));
}

#[tokio::test]
async fn a_key_is_replayed_late_after_a_timeout_and_waits_for_its_own_request() {
    let steps = [
        ScriptStep::Broken(AttemptEnd::TimedOut),
        ScriptStep::After(409, "1"),
        ScriptStep::Status(409),
        ScriptStep::Status(201),
    ];
    let ran = LoopTest::new().keyed().run(operation::CREATE_SLOTS, &steps).await;
    assert!(ran.ok());
    let waits = ran.waits();
    assert!(waits[0] >= 5 * SECOND, "{waits:?}");
    assert_eq!(waits[1..], [SECOND, 2 * SECOND]);

    let mut steps = vec![ScriptStep::Broken(AttemptEnd::NoAnswer)];
    steps.extend([ScriptStep::Status(409); 9]);
    let ran = LoopTest::new().keyed().run(operation::CREATE_SLOTS, &steps).await;
    assert_eq!((ran.sent.len(), ran.exchange.tries.evidence), (5, Outcome::Unknown));
}

#[tokio::test]
async fn a_key_in_flight_from_another_process_may_have_been_executed() {
    let ran = LoopTest::new()
        .keyed()
        .run(operation::CREATE_SLOT, &[ScriptStep::After(409, "1"); 9])
        .await;
    assert_eq!((ran.sent.len(), ran.exchange.tries.evidence), (4, Outcome::Unknown));
    let ran = LoopTest::new().keyed().run(operation::CREATE_SLOT, &[ScriptStep::Status(409)]).await;
    assert_eq!((ran.sent.len(), ran.exchange.tries.evidence), (1, Outcome::NotExecuted));
}

#[tokio::test]
async fn retries_run_out_when_everything_fails() {
    let in_a_year = 365 * 24 * 60 * 60 * SECOND;
    let mut bench = LoopTest::with(RetryPolicy::default().budget(20, in_a_year));
    bench.options.until = Duration::MAX;
    let mut sent = Vec::new();
    for _ in 0..9 {
        let ran = bench.run(operation::LIST_SLOTS, &[ScriptStep::Status(503); 9]).await;
        sent.push(ran.sent.len());
    }
    assert_eq!(sent, [4, 4, 4, 4, 4, 4, 3, 1, 1], "20 retries in all");
}

#[tokio::test]
async fn every_attempt_is_reported_with_the_status_that_was_seen() {
    let bench = LoopTest::new();
    let steps = [
        ScriptStep::Broken(AttemptEnd::NoAnswer),
        ScriptStep::Broken(AttemptEnd::Cut(200)),
        ScriptStep::Status(503),
    ];
    bench.run(operation::LIST_SLOTS, &steps).await;
    assert_eq!(*bench.watch.0.lock().unwrap(), [None, Some(200), Some(503), Some(200)]);
    assert_eq!(bench.client.requests_sent(), 4);
}

#[tokio::test]
async fn a_dry_run_is_repeated_like_a_read() {
    let mut bench = LoopTest::new();
    bench.options.dry_run = true;
    assert!(
        bench.run(operation::CREATE_SLOTS, &[ScriptStep::Broken(AttemptEnd::NoAnswer)]).await.ok()
    );
}

#[tokio::test]
async fn deletes_of_several_slots_are_never_sent_again_blindly() {
    let ran = LoopTest::new()
        .run(operation::DELETE_SLOTS, &[ScriptStep::Broken(AttemptEnd::NoAnswer)])
        .await;
    assert_eq!((ran.sent.len(), ran.exchange.tries.evidence), (1, Outcome::Unknown));
    let ran = LoopTest::new()
        .run(operation::DELETE_SLOTS, &[ScriptStep::Broken(AttemptEnd::Unreachable)])
        .await;
    assert!(ran.ok());
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time of these tests is tokio's, which is paused"
)]
mod fairness;
mod orders;
