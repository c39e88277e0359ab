//! Test that the log in the server decides as the one in the process.

use links_test_support::priorities::{StreamEvent, person_takes};
use links_test_support::redis::RedisProcess;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::transport::pacing::log::RequestLog;

/// Time at which each history begins, in microseconds since 1970.
const START: u64 = 1_800_000_000_000_000;
const SECOND: u64 = 1_000_000;

/// Something that happens to a log.
#[derive(Clone, Debug)]
enum Event {
    Passes(u64),
    SetBack(u64),
    IsBackground(bool),
    Admit(Bucket),
    Forecast(Bucket, usize),
    Settle(usize),
    Block(u64),
    Learn(RateLimits),
}

fn bucket() -> impl Strategy<Value = Bucket> {
    prop_oneof![
        4 => Just(Bucket::General),
        2 => Just(Bucket::Analytics),
        2 => Just(Bucket::Music),
    ]
}

fn rate_limits() -> impl Strategy<Value = RateLimits> {
    (0..8_usize, 0..40_usize, 0..12_usize, 0..9_usize).prop_map(
        |(second, minute, analytics, music)| RateLimits {
            per_second: second,
            per_minute: minute,
            analytics_per_minute: analytics,
            music_per_minute: music,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..400_000_u64).prop_map(Event::Passes),
        3 => (0..15 * SECOND).prop_map(Event::Passes),
        1 => (0..90 * SECOND).prop_map(Event::Passes),
        1 => (0..30 * SECOND).prop_map(Event::SetBack),
        4 => any::<bool>().prop_map(Event::IsBackground),
        20 => bucket().prop_map(Event::Admit),
        2 => (bucket(), 0..70_usize).prop_map(|(bucket, ahead)| Event::Forecast(bucket, ahead)),
        12 => (0..6_usize).prop_map(Event::Settle),
        1 => (0..100 * SECOND).prop_map(Event::Block),
        1 => rate_limits().prop_map(Event::Learn),
    ]
}

/// The log in this process and the one in the server, with what both are asked.
struct Both {
    log: SharedLog,
    model: RequestLog,
    bounds: PacerBounds,
    now: u64,
    /// Tickets in the process and in the server.
    tickets: Vec<(Ticket, Ticket)>,
}

impl Both {
    async fn ask(&self, operation: &'static str, details: Vec<String>) -> LogAnswer {
        let context = Context { bounds: self.bounds, now: Some(self.now), ..Context::default() };
        self.log.ask(operation, &details, &context).await.unwrap()
    }

    async fn happens(&mut self, event: &Event) {
        let model_now = Duration::from_micros(self.now);
        match event {
            Event::Passes(micros) => self.now += micros,
            // Not so far that the server seems to have started later.
            Event::SetBack(micros) => self.now = (self.now - micros).max(START + 10 * SECOND),
            Event::IsBackground(is_so) => self.bounds.is_background = *is_so,
            Event::Admit(bucket) => {
                let ticket = Ticket(Uuid::new_v4().as_u64_pair().0);
                let details = vec![ticket_name(ticket), bucket_name(*bucket)];
                let answer = self.ask("admit", details).await;
                match self.model.admit(self.bounds, *bucket, model_now) {
                    Ok(of_model) => {
                        assert_eq!(answer.wait, -1, "only the process admits");
                        self.tickets.push((of_model, ticket));
                    }
                    Err(wait) => agree_to_wait(wait, &answer),
                }
                assert_eq!(answer.remaining, self.model.remaining(self.bounds, model_now));
            }
            Event::Forecast(bucket, ahead) => {
                let details = vec![bucket_name(*bucket), ahead.to_string()];
                let answer = self.ask("forecast", details).await;
                let wait = self.model.forecast(self.bounds, *bucket, *ahead, model_now);
                agree_to_wait(wait, &answer);
            }
            Event::Settle(back) => {
                let index = self.tickets.len().checked_sub(back + 1);
                if let Some((of_model, of_server)) = index.map(|index| self.tickets[index]) {
                    self.model.note(PacerNote::Settled(of_model), model_now);
                    self.ask("settle", vec![ticket_name(of_server)]).await;
                }
            }
            Event::Block(wait) => {
                self.model.note(PacerNote::Blocked(Duration::from_micros(*wait)), model_now);
                self.ask("block", vec![wait.to_string()]).await;
            }
            Event::Learn(learned) => {
                self.model.learned = Some(*learned);
                self.ask("learn", vec![limits(learned)]).await;
            }
        }
    }
}

fn agree_to_wait(wait: MustWait, answer: &LogAnswer) {
    let reason = match wait.reason {
        WaitReason::PerSecond(_) => 1,
        WaitReason::PerMinute(_) => 2,
        WaitReason::AnalyticsPerMinute(_) => 3,
        WaitReason::MusicPerMinute(_) => 4,
        _ => 5,
    };
    let micros = i64::try_from(wait.duration.as_micros()).unwrap();
    assert_eq!((answer.wait, answer.reason), (micros, reason), "{wait:?}");
}

#[test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
fn the_log_in_the_server_admits_exactly_what_the_log_in_a_process_admits() {
    let process = RedisProcess::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let histories = (proptest::option::of(rate_limits()), prop::collection::vec(event(), 1..150));
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let ran = runner.run(&histories, |(ceiling, events)| {
        runtime.block_on(async {
            let server = RedisServer::new(process.url()).unwrap();
            let log = SharedLog::new(server, &Uuid::new_v4().to_string());
            let (model, tickets) = (RequestLog::default(), Vec::new());
            let bounds = PacerBounds { ceiling, is_background: false };
            let mut both = Both { log, model, bounds, now: START, tickets };
            both.ask("look", Vec::new()).await;
            both.now += 10 * SECOND;
            for event in &events {
                both.happens(event).await;
            }
        });
        Ok(())
    });
    ran.unwrap();
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn through_the_server_a_person_waits_at_most_a_second_longer_than_alone() {
    let process = RedisProcess::start();
    let server = RedisServer::new(process.url()).unwrap();
    let mut longest = Duration::ZERO;
    for answer in [0, 100].map(Duration::from_millis) {
        for requests in [1, 5, 12] {
            let takes = async |streams, start: Duration| {
                let log = SharedLog::new(server.clone(), &Uuid::new_v4().to_string());
                let log = &log;
                let burst = (start, requests);
                let asks = async |is_background, asked, at: Duration| {
                    let (operation, ticket) = match asked {
                        StreamEvent::Settle(ticket) => ("settle", ticket),
                        StreamEvent::Admit => ("admit", Ticket(Uuid::new_v4().as_u64_pair().0)),
                    };
                    let details = [ticket_name(ticket), bucket_name(Bucket::General)];
                    // The server has been up for a while.
                    let now = Some(START + 10 * SECOND + micros(at));
                    let bounds = PacerBounds { ceiling: None, is_background };
                    let context = Context { bounds, now, ..Context::default() };
                    let wait = log.ask(operation, &details, &context).await.unwrap().wait;
                    let wait = Duration::from_micros(wait.max(0).unsigned_abs());
                    if wait.is_zero() { Ok(Some(ticket)) } else { Err(wait) }
                };
                person_takes((streams, answer), burst, asks).await.0
            };
            let log = SharedLog::new(server.clone(), "any");
            let context = Context { now: Some(START), ..Context::default() };
            log.ask("look", &[], &context).await.unwrap();
            let alone = takes(0, Duration::ZERO).await;
            for streams in [1, 4] {
                for nth in (0..100).step_by(9) {
                    let start = Duration::from_micros(731_313) * nth;
                    let longer = takes(streams, start).await.saturating_sub(alone);
                    assert!(
                        longer <= Duration::from_secs(1),
                        "{answer:?} {requests} {start:?}: {longer:?}"
                    );
                    longest = longest.max(longer);
                }
            }
        }
    }
    println!("{longest:?} at most");
}
