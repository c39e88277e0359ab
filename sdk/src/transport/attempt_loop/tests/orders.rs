//! Orders of a few calls at once, each of which may be dropped at any await: they keep within the limits, in the order in which they came,
//! and nobody waits for a place that is free.

use std::fs::File;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex};

use links_test_support::orders::{Actor, Gates, Order, explore, give_way, paused_runtime, replay};
use reqwest::{Method, StatusCode};

use super::super::*;
use super::fairness::VirtualClock;
use crate::client::Client;
use crate::operation::{self, Bucket};
use crate::transport::clock::Clock;
use crate::transport::pacing::{
    InProcessPacer, MustWait, NotAdmitted, Pacer, PacerFuture, PacerNote, RateLimits,
    SharedFilePacer, Ticket,
};

const MS: fn(u64) -> Duration = Duration::from_millis;
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Time for which a client tries to note in the file that a request was answered.
const LONGEST_NOTE: Duration = Duration::from_millis(63);
/// The limits of the calls, low enough for a few of them.
const LIMITS: RateLimits =
    RateLimits { per_second: 2, per_minute: 3, analytics_per_minute: 2, music_per_minute: 1 };

/// A client, which is made once, because its TLS takes long.
static CLIENT: LazyLock<Client> =
    LazyLock::new(|| Client::builder("http://127.0.0.1:1/api/v1").build().unwrap());

/// Pacer that has to ask somebody: each question and each answer takes a while.
#[derive(Debug)]
struct AskingPacer(InProcessPacer);

impl AskingPacer {
    fn ask<'a, T: Send + 'a>(
        &'a self,
        ask: impl FnOnce(&'a InProcessPacer) -> PacerFuture<'a, T> + Send + 'a,
    ) -> PacerFuture<'a, T> {
        Box::pin(async move {
            give_way().await;
            let answer = ask(&self.0).await;
            give_way().await;
            answer
        })
    }
}

impl Pacer for AskingPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        self.ask(move |pacer| pacer.admit(bucket, clock))
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.ask(move |pacer| pacer.note(note, clock))
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        self.ask(move |pacer| pacer.forecast(bucket, ahead, clock))
    }
}

/// What became of the calls of one order.
#[derive(Debug, Default)]
struct Record {
    /// The calls in the order in which they began.
    begun: Vec<usize>,
    sent: Vec<usize>,
    /// The times at which the service counted a request, and its bucket.
    counted: Vec<(Duration, Bucket)>,
    ended: Vec<(usize, Duration)>,
}

/// Who keeps the limits.
#[derive(Clone, Copy, Debug)]
enum Pacing<'a> {
    Memory,
    Asking,
    /// Two clients with this file, which somebody else locks for this time.
    File(&'a Path, Duration),
}

/// A course of the test: the calls, and how long the service takes.
struct Course<'a> {
    calls: &'a [&'static Operation],
    pacing: Pacing<'a>,
    drops: bool,
    /// Times until a request is counted, and until it is answered after that.
    takes: (Duration, Duration),
}

impl Course<'_> {
    fn run(&self, order: &mut Order) -> Record {
        paused_runtime().block_on(async {
            let clock = Arc::new(VirtualClock::new());
            let pacer = InProcessPacer::new(LIMITS);
            let pacers: Vec<Arc<dyn Pacer>> = match self.pacing {
                Pacing::Memory => vec![Arc::new(pacer)],
                Pacing::Asking => vec![Arc::new(AskingPacer(pacer))],
                Pacing::File(path, _) => {
                    let _ = std::fs::remove_file(path);
                    let pacer = || Arc::new(SharedFilePacer::new(path).rate_limits(LIMITS)) as _;
                    vec![pacer(), pacer()]
                }
            };
            let client = |pacer: Arc<dyn Pacer>| Shared {
                clock: clock.clone(),
                ..CLIENT.shared.for_token(None, pacer)
            };
            let clients: Vec<Shared> = pacers.into_iter().map(client).collect();
            let (record, gates) = (Mutex::<Record>::default(), Gates::default());
            let actors = self.calls.iter().enumerate().map(|(nth, operation)| {
                let call = self.call(&clients[nth % clients.len()], &record, nth, operation);
                let mut actor = Actor::polled(format!("call {nth}"), &gates, call);
                if self.drops {
                    actor.drop_anywhere();
                }
                actor
            });
            let mut actors: Vec<_> = actors.collect();
            if let Pacing::File(path, time) = self.pacing {
                actors.push(Actor::polled("holder", &gates, hold(path, time, &*clock)));
            }
            order.run(&gates, actors, async || true).await;
            // A call that was dropped is settled in the background, and has given back its places.
            clock.sleep(SECOND).await;
            // The last of these waits for the last request that was counted.
            let ahead = LIMITS.per_minute - 1;
            let wait = clients[0].pacer.forecast(Bucket::General, ahead, &*clock).await.unwrap();
            let is_noted = match self.pacing {
                Pacing::Memory => true,
                // A call that was dropped did not see that it was admitted.
                Pacing::Asking => !self.drops,
                Pacing::File(_, held) => held < LONGEST_NOTE,
            };
            assert!(wait.duration < MINUTE || !is_noted, "a request is still under way");
            tokio::time::advance(3 * MINUTE).await;
            for (client, operation) in clients.iter().zip([MUSIC, LIST]) {
                let waits = client.waits();
                drop(client.admit(operation, &options()).await.unwrap());
                assert_eq!(client.waits(), waits, "a place is still taken");
            }
            record.into_inner().unwrap()
        })
    }

    async fn call(
        &self,
        shared: &Shared,
        record: &Mutex<Record>,
        nth: usize,
        operation: &'static Operation,
    ) {
        record.lock().unwrap().begun.push(nth);
        let send = |_: Request, _: Duration| async move {
            record.lock().unwrap().sent.push(nth);
            self.service_takes(shared, self.takes.0).await;
            record.lock().unwrap().counted.push((shared.clock.monotonic(), operation.bucket));
            self.service_takes(shared, self.takes.1).await;
            let (headers, body) = Default::default();
            Ok(Answer::new(StatusCode::OK, headers, body))
        };
        let mut make = || -> Pin<Box<dyn Future<Output = io::Result<Request>> + Send>> {
            let request = Request::new(Method::GET, shared.base.join("/slots"));
            Box::pin(std::future::ready(Ok(request)))
        };
        let exchange = run(&send, shared, operation, &options(), &mut make).await;
        assert!(exchange.result.is_ok(), "call {nth}: {:?}", exchange.result);
        record.lock().unwrap().ended.push((nth, shared.clock.monotonic()));
    }

    async fn service_takes(&self, shared: &Shared, time: Duration) {
        if time.is_zero() {
            give_way().await;
        } else {
            shared.clock.sleep(time).await;
        }
    }

    /// Checks what became of the calls.
    fn check(&self, record: &Record) {
        let mut counted = record.counted.clone();
        counted.sort_unstable_by_key(|it| it.0);
        for (most, length, only) in [
            (LIMITS.per_second, SECOND, None),
            (LIMITS.per_minute, MINUTE, None),
            (LIMITS.music_per_minute, MINUTE, Some(Bucket::Music)),
        ] {
            let is_counted = |bucket| only.is_none_or(|only| bucket == only);
            let times = counted.iter().filter(|it| is_counted(it.1)).map(|it| it.0);
            let times: Vec<Duration> = times.collect();
            for few in times.windows(most + 1) {
                assert!(few[most] >= few[0] + length, "over the limit of {most}: {record:?}");
            }
        }
        // Each client keeps the order of its calls, for each bucket.
        let clients = if matches!(self.pacing, Pacing::File(..)) { 2 } else { 1 };
        let line = |nth: &usize| (*nth % clients, self.calls[*nth].bucket);
        for of in 0..self.calls.len() {
            let sent = |calls: &[usize]| -> Vec<usize> {
                let sent = calls.iter().filter(|nth| record.sent.contains(nth));
                sent.copied().filter(|nth| line(nth) == line(&of)).collect()
            };
            assert_eq!(sent(&record.sent), sent(&record.begun), "not in order: {record:?}");
        }
        if !self.drops {
            assert_eq!(record.ended.len(), self.calls.len());
            // No more waits than those for the limits.
            let music = self.calls.iter().filter(|it| it.bucket == Bucket::Music).count();
            let general = self.calls.len().div_ceil(LIMITS.per_minute);
            let minutes = u32::try_from(general.max(music) - 1).unwrap();
            let last = record.ended.iter().map(|it| it.1).max().unwrap();
            let mut each = self.takes.0 + self.takes.1 + SECOND / 10;
            // What could not be noted in the file counts as under way, until the client sends again.
            if matches!(self.pacing, Pacing::File(_, held) if held > LONGEST_NOTE) {
                each += 10 * SECOND;
            }
            assert!(last <= minutes * MINUTE + 2 * SECOND + 4 * each, "too late: {record:?}");
        }
    }
}

/// Locks the file for a while, as another process does that is slow.
async fn hold(path: &Path, time: Duration, clock: &dyn Clock) {
    let file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
    file.try_lock().unwrap();
    clock.sleep(time).await;
    drop(file);
}

fn options() -> CallOptions {
    CallOptions {
        write: None,
        idempotency_key: None,
        dry_run: false,
        reads_first: false,
        writes: WriteMode::Send,
        until: Duration::MAX,
        max_wait: None,
        reserved: None,
        single_attempt: None,
        headers: None,
        begun: None,
    }
}

/// Explores the orders of these calls with each kind of pacer and of service.
fn explored(name: &str, calls: &[&'static Operation], drops: bool, switches: usize) {
    let explored = explore(switches, |order| {
        let takes = [(MS(0), MS(0)), (MS(300), MS(300)), (MS(0), MS(900))];
        let pacing = [Pacing::Memory, Pacing::Asking][order.choose(2)];
        let course = Course { calls, pacing, drops, takes: takes[order.choose(3)] };
        let record = course.run(order);
        course.check(&record);
    });
    println!("{name}: {explored}");
}

#[test]
fn a_call_that_asks_how_long_it_will_wait_has_its_place_in_the_line() {
    let course =
        Course { calls: &[LIST; 3], pacing: Pacing::Asking, drops: false, takes: (MS(0), MS(0)) };
    // Call 1 comes while call 0 is at the head of the line, and asks; call 0 is admitted, and then call 2 comes.
    replay(&[0, 0, 1, 0, 1, 0, 0, 0, 0, 1], |order| course.check(&course.run(order)));
}

/// Pacer that never says how long the first call in line has to wait.
#[derive(Debug)]
struct SilentPacer(InProcessPacer);

impl Pacer for SilentPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        self.0.admit(bucket, clock)
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.0.note(note, clock)
    }

    fn forecast<'a>(
        &'a self,
        _: Bucket,
        ahead: usize,
        _: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        if ahead == 0 {
            Box::pin(std::future::pending())
        } else {
            Box::pin(std::future::ready(None))
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_gives_up_leaves_the_line_before_it_asks_how_long_it_would_have_waited() {
    let clock = Arc::new(VirtualClock::new());
    let pacer = Arc::new(SilentPacer(InProcessPacer::new(LIMITS)));
    let shared = Arc::new(Shared { clock, ..CLIENT.shared.for_token(None, pacer) });
    let admit = |max_wait| {
        let shared = shared.clone();
        let options = CallOptions { max_wait, ..options() };
        tokio::spawn(async move { shared.admit(LIST, &options).await.map(drop) })
    };
    for _ in 0..LIMITS.per_second {
        admit(None).await.unwrap().unwrap();
    }
    let (first, gives_up, last) = (admit(None), admit(Some(MS(100))), admit(None));
    first.await.unwrap().unwrap();
    tokio::time::timeout(3 * MINUTE, last).await.unwrap().unwrap().unwrap();
    assert!(!gives_up.is_finished());
    gives_up.abort();
}

const LIST: &Operation = operation::LIST_SLOTS;
const MUSIC: &Operation = operation::LOOKUP_MUSIC;

#[test]
fn calls_are_admitted_within_the_limits_in_the_order_in_which_they_came() {
    explored("calls", &[LIST, LIST, LIST, LIST], false, 2);
}

#[test]
fn calls_that_wait_for_one_bucket_keep_to_their_order_too() {
    explored("buckets", &[MUSIC, MUSIC, MUSIC, LIST], false, 2);
}

#[test]
fn calls_that_are_dropped_leave_their_places_to_the_others() {
    explored("drops", &[LIST, LIST, LIST], true, 2);
    explored("drops in a bucket", &[MUSIC, MUSIC, LIST], true, 2);
}

#[test]
fn two_clients_with_one_file_keep_within_the_limits_together() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    for (drops, switches) in [(false, 2), (true, 1)] {
        let explored = explore(switches, |order| {
            let held = [MS(0), MS(20), MS(100)][order.choose(3)];
            let takes = [(MS(0), MS(0)), (MS(300), MS(300))][order.choose(2)];
            let pacing = Pacing::File(&path, held);
            let course = Course { calls: &[LIST, LIST, LIST, MUSIC], pacing, drops, takes };
            course.check(&course.run(order));
        });
        println!("a file, dropped: {drops}: {explored}");
    }
}
