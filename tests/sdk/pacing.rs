//! Tests of pacing within the limits: in one process, and in several that share a file.

use std::error::Error as StdError;
use std::fs;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use links_fixtures::{ContractServer, Fault, Limits, World};
use links_sdk::types::NewSlot;
use links_sdk::{
    AttemptReport, BaseUrl, Bucket, Client, Clock, InProcessPacer, MustWait, NotAdmitted, Observer,
    Outcome, Pacer, PacerError, PacerFuture, PacerNote, RateLimits, SharedFilePacer, Ticket, Token,
    WaitReason,
};

use links_sdk::testing::TestClock;
use links_test_support::clock::shared_clock;
use links_test_support::priorities::{self, StreamEvent};
use links_test_support::ready::ready_now;
use tokio::task::yield_now;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Sends through these pacers in turn, each request answered after `answer`, and returns the times of sending.
fn run(pacers: &[impl Pacer], clock: &TestClock, count: usize, answer: Duration) -> Vec<Duration> {
    let mut times = Vec::new();
    for turn in 0.. {
        if times.len() == count {
            break;
        }
        let pacer = &pacers[turn % pacers.len()];
        match admit(pacer, clock) {
            Ok(ticket) => {
                times.push(clock.monotonic());
                drop(clock.sleep(answer));
                settle(pacer, ticket, clock);
            }
            Err(wait) => drop(clock.sleep(wait.duration)),
        }
    }
    times
}

fn most_in_any(times: &[Duration], window: Duration) -> usize {
    let inside =
        |start: &Duration| times.iter().filter(|t| *t >= start && **t < *start + window).count();
    times.iter().map(inside).max().unwrap()
}

/// Asks a pacer that answers at once.
fn admit(pacer: &impl Pacer, clock: &dyn Clock) -> Result<Ticket, MustWait> {
    ready_now(pacer.admit(Bucket::General, clock)).map_err(|refusal| match refusal {
        NotAdmitted::Wait(wait) => wait,
        other => panic!("{other:?}"),
    })
}

fn settle(pacer: &impl Pacer, ticket: Ticket, clock: &dyn Clock) {
    ready_now(pacer.note(PacerNote::Settled(ticket), clock));
}

fn must_wait(pacer: &impl Pacer, clock: &TestClock) -> MustWait {
    admit(pacer, clock).expect_err("a window should be full")
}

#[derive(Debug, Default)]
struct Warnings(Mutex<Vec<String>>);

impl Observer for Warnings {
    fn pacing_alone(&self, shared: &str, error: &dyn StdError) {
        self.0.lock().unwrap().push(format!("{shared}: {error}"));
    }
}

#[test]
fn eight_processes_use_the_limits_of_one_in_full() {
    let directory = tempfile::tempdir().unwrap();
    let (clock, _) = shared_clock();
    let pacers: Vec<_> =
        (0..8).map(|_| SharedFilePacer::new(directory.path().join("state/rate.json"))).collect();
    let times = run(&pacers, &clock, 130, Duration::ZERO);
    assert_eq!((times[4], times[5]), (Duration::ZERO, SECOND), "5 go out at once");
    assert_eq!((most_in_any(&times, SECOND), most_in_any(&times, MINUTE)), (5, 60));
    assert_eq!((times[60], times[120]), (MINUTE, 2 * MINUTE), "60 a minute are reached");
    let alone =
        run(&[InProcessPacer::new(RateLimits::default())], &shared_clock().0, 130, Duration::ZERO);
    assert_eq!(times.len(), alone.len());
    assert_eq!(times.last(), alone.last(), "eight take as long as one");
}

#[test]
fn threads_over_one_file_never_pass_a_limit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let (clock, _) = shared_clock();
    let sent = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let pacer = SharedFilePacer::new(&path);
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
                runtime.unwrap().block_on(async {
                    for _ in 0..15 {
                        let ticket = loop {
                            match pacer.admit(Bucket::General, &*clock).await {
                                Ok(ticket) => break ticket,
                                Err(_) => drop(clock.sleep(Duration::from_millis(10))),
                            }
                        };
                        // No later than this, whatever the other threads did to the clock since.
                        pacer.note(PacerNote::Settled(ticket), &*clock).await;
                        sent.lock().unwrap().push(clock.monotonic());
                    }
                });
            });
        }
    });
    let sent = sent.into_inner().unwrap();
    assert_eq!(sent.len(), 120);
    let passed = *sent.iter().max().unwrap();
    assert!(passed >= MINUTE + 11 * SECOND, "120 requests in {passed:?}");
}

#[test]
fn a_429_stops_every_process() {
    let directory = tempfile::tempdir().unwrap();
    let [one, other] = [(); 2].map(|()| SharedFilePacer::new(directory.path().join("rate.json")));
    let (clock, _) = shared_clock();
    ready_now(one.note(PacerNote::Blocked(2 * SECOND), &*clock));
    let expected = MustWait::new(2 * SECOND, WaitReason::TooManyRequests);
    assert_eq!(must_wait(&other, &clock), expected);
    drop(clock.sleep(2 * SECOND));
    admit(&other, &*clock).unwrap();
}

#[test]
fn a_process_that_dies_does_not_hold_its_place_for_long() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let (clock, _) = shared_clock();
    for _ in 0..5 {
        admit(&SharedFilePacer::new(&path), &*clock).unwrap();
    }
    let alive = SharedFilePacer::new(&path);
    assert_eq!(must_wait(&alive, &clock).duration, SECOND);
    drop(clock.sleep(11 * SECOND));
    admit(&alive, &*clock).unwrap();
}

#[test]
fn requests_continue_after_the_clock_is_set_back() {
    #[derive(Debug)]
    struct SetBackClock<'a>(&'a TestClock, Duration);
    impl Clock for SetBackClock<'static> {
        fn monotonic(&self) -> Duration {
            self.0.monotonic()
        }
        fn wall(&self) -> SystemTime {
            self.0.wall() - self.1
        }
        fn sleep(
            &self,
            duration: Duration,
        ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            self.0.sleep(duration)
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let pacer = SharedFilePacer::new(directory.path().join("rate.json"));
    let clock: &'static TestClock = Box::leak(Box::new(Arc::into_inner(shared_clock().0).unwrap()));
    let before = SetBackClock(clock, Duration::ZERO);
    let after = SetBackClock(clock, 60 * MINUTE);
    for _ in 0..5 {
        let ticket = admit(&pacer, &before).unwrap();
        settle(&pacer, ticket, &before);
    }
    assert_eq!(admit(&pacer, &after).unwrap_err().duration, SECOND);
    drop(clock.sleep(SECOND));
    admit(&pacer, &after).unwrap();
}

#[test]
fn torn_foreign_and_oversized_content_counts_as_empty() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let (clock, _) = shared_clock();
    let pacer = SharedFilePacer::new(&path);
    admit(&pacer, &*clock).unwrap();
    let whole = fs::read(&path).unwrap();
    let cut = whole[..whole.len() / 2].to_vec();
    let newer = String::from_utf8(whole.clone()).unwrap().replacen("[1,", "[2,", 1).into_bytes();
    let hostile = br#"[1,{"learned":null,"blocked":{"since":0,"until":18446744073709551615},"sent":[[1,"general",18446744073709551615,null]]}]"#;
    for content in
        [cut, newer, b"\xff\0".to_vec(), vec![b' '; 3 << 20], hostile.to_vec(), Vec::new()]
    {
        let start = content[..content.len().min(20)].to_vec();
        fs::write(&path, content).unwrap();
        drop(clock.sleep(61 * MINUTE));
        for _ in 0..2 {
            if let Err(wait) = admit(&pacer, &*clock) {
                assert!(wait.duration <= 60 * MINUTE, "{start:?}");
                drop(clock.sleep(wait.duration));
                admit(&pacer, &*clock).unwrap();
            }
        }
        assert!(fs::metadata(&path).unwrap().len() < 1000, "{start:?}");
    }
}

#[test]
fn the_file_stays_small_and_names_no_token() {
    let directory = tempfile::tempdir().unwrap();
    let base = BaseUrl::new("https://links.example/api/v1").unwrap();
    let [canary, other] = ["lnk_canary", "lnk_other"].map(|text| Token::new(text).unwrap());
    let elsewhere = BaseUrl::new("https://links.example:444/api/v1").unwrap();
    let name = SharedFilePacer::name(&base, &canary);
    assert_eq!(
        name,
        SharedFilePacer::name(&BaseUrl::new("https://links.example/").unwrap(), &canary),
        "one per origin"
    );
    assert_ne!(name, SharedFilePacer::name(&base, &other));
    assert_ne!(name, SharedFilePacer::name(&elsewhere, &canary));

    let path = directory.path().join("new/state").join(&name);
    let (clock, _) = shared_clock();
    run(&[SharedFilePacer::new(&path)], &clock, 300, Duration::from_millis(3));
    let content = fs::read_to_string(&path).unwrap();
    assert!(content.len() < 5000, "{} bytes", content.len());
    assert!(!content.contains("canary") && !name.contains("canary"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}

#[test]
fn an_unusable_file_leaves_pacing_to_the_process_with_one_warning() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let unusable = [directory.path().to_owned(), file.join("below/rate.json"), "/dev/full".into()];
    for path in unusable {
        let warnings = Arc::new(Warnings::default());
        let pacer = SharedFilePacer::new(&path).observer(warnings.clone());
        let (clock, _) = shared_clock();
        let times = run(&[pacer], &clock, 130, Duration::ZERO);
        assert_eq!((most_in_any(&times, SECOND), most_in_any(&times, MINUTE)), (5, 60));
        let warnings = warnings.0.lock().unwrap();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(path.to_str().unwrap()));
    }
}

#[test]
fn a_file_that_becomes_unusable_leaves_its_requests_remembered_in_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let warnings = Arc::new(Warnings::default());
    let pacer = SharedFilePacer::new(&path).observer(warnings.clone());
    let (clock, _) = shared_clock();
    for _ in 0..5 {
        let ticket = admit(&pacer, &*clock).unwrap();
        settle(&pacer, ticket, &*clock);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(must_wait(&pacer, &clock).duration, SECOND, "what was sent is remembered");
    assert_eq!(warnings.0.lock().unwrap().len(), 1);
}

fn client(server: &ContractServer, clock: &Arc<TestClock>, pacer: impl Pacer) -> Client {
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    builder.clock(clock.clone()).pacer(Arc::new(pacer)).build().unwrap()
}

async fn limited(limits: Limits) -> (ContractServer, Arc<TestClock>) {
    let (clock, service) = shared_clock();
    let server =
        ContractServer::builder(World::cafe()).clock(service).limits(limits).start().await.unwrap();
    (server, clock)
}

#[tokio::test]
async fn clients_that_share_a_file_are_never_answered_429() {
    let directory = tempfile::tempdir().unwrap();
    let (server, clock) = limited(Limits::default()).await;
    let clients = [(); 4].map(|()| {
        client(&server, &clock, SharedFilePacer::new(directory.path().join("rate.json")))
    });
    let calls = |client: Client| async move {
        for _ in 0..30 {
            client.notification_channels().await.unwrap();
        }
    };
    let [a, b, c, d] = clients.map(calls);
    tokio::join!(a, b, c, d);
    assert_eq!(server.requests().len(), 120);
    assert!(server.requests().iter().all(|request| request.status == 200));
}

/// Clock that stands still while a request is under way.
#[derive(Debug)]
struct WaitingClock {
    time: Arc<TestClock>,
    under_way: AtomicUsize,
}

impl Clock for WaitingClock {
    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn wall(&self) -> SystemTime {
        self.time.wall()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            while self.under_way.load(Ordering::Relaxed) > 0 {
                yield_now().await;
            }
            self.time.sleep(duration).await;
        })
    }
}

/// Tells the clock that a request was answered.
#[derive(Debug)]
struct Answers(Arc<WaitingClock>);

impl Observer for Answers {
    fn attempted(&self, _: &AttemptReport<'_>) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn writes_that_read_first_keep_within_the_limits_together() {
    // Each client has a line of its own, as each process has.
    for (clients, per_second, per_minute) in
        [(1, 5, 60), (1, 4, 7), (1, 2, 60), (1, 50, 7), (6, 5, 60), (6, 2, 60), (6, 50, 7)]
    {
        let (time, service) = shared_clock();
        let server = ContractServer::builder(World::full()).clock(service).limits(Limits {
            requests_per_second: per_second,
            requests_per_minute: per_minute,
            ..Limits::default()
        });
        let server = server.start().await.unwrap();
        let clock = Arc::new(WaitingClock { time, under_way: AtomicUsize::new(0) });
        let pacer = InProcessPacer::default();
        let client = || {
            let sent = clock.clone();
            let builder = Client::builder(server.base_url())
                .token(Token::new(server.token()).unwrap())
                .clock(clock.clone())
                .pacer(Arc::new(pacer.clone()))
                .observer(Arc::new(Answers(clock.clone())))
                .before_send(move |_| {
                    sent.under_way.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                });
            builder.deadline(60 * MINUTE).build().unwrap()
        };
        let clients: Vec<Client> = (0..clients).map(|_| client()).collect();
        clients[0].me().await.unwrap();
        let page = clients[0].profiles().list().await.unwrap().items.remove(0);
        let seen = clients[0].profile(page.id).slots().list().await.unwrap();
        // They take more than a minute.
        let writes = seen.iter().take(40).zip(clients.iter().cycle()).map(|(slot, client)| {
            let slots = client.profile(page.id).slots();
            slots.update_unchanged(slot.id, slot, [("title", "New")]).into_future()
        });
        let results = join_all(writes).await;
        let course =
            format!("{} clients, {per_second} a second, {per_minute} a minute", clients.len());
        let refused = server.requests().iter().filter(|request| request.status == 429).count();
        assert_eq!(refused, 0, "{course}");
        for result in &results {
            assert!(result.is_ok(), "{course}: {result:?}");
        }
    }
}

#[tokio::test]
async fn the_limits_that_me_reports_are_kept_by_every_process() {
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits { requests_per_second: 2, requests_per_minute: 7, ..Limits::default() };
    let (server, clock) = limited(limits).await;
    let [one, other] = [(); 2].map(|()| {
        client(&server, &clock, SharedFilePacer::new(directory.path().join("rate.json")))
    });
    one.me().await.unwrap();
    for _ in 0..10 {
        other.notification_channels().await.unwrap();
    }
    assert!(server.requests().iter().all(|request| request.status == 200));
}

#[tokio::test]
async fn the_limits_that_me_reports_raise_no_limit_that_was_set() {
    let limits = Limits { requests_per_second: 50, requests_per_minute: 600, ..Limits::default() };
    let (server, clock) = limited(limits).await;
    let directory = tempfile::tempdir().unwrap();
    let mut ceiling = RateLimits::default();
    ceiling.per_second = 2;
    let file = || SharedFilePacer::new(directory.path().join("rate.json"));
    let client_of = |pacer: Arc<dyn Pacer>| {
        let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
        builder.clock(clock.clone()).pacer(pacer).build().unwrap()
    };
    let set: [Arc<dyn Pacer>; 2] =
        [Arc::new(InProcessPacer::new(ceiling)), Arc::new(file().rate_limits(ceiling))];
    for pacer in set {
        let client = client_of(pacer);
        client.me().await.unwrap();
        let start = clock.monotonic();
        for _ in 0..10 {
            client.notification_channels().await.unwrap();
        }
        let took = clock.monotonic().saturating_sub(start);
        assert!(took >= 4 * SECOND, "ten requests, two a second: {took:?}");
    }
    let unset: [Arc<dyn Pacer>; 2] = [Arc::new(InProcessPacer::default()), Arc::new(file())];
    for pacer in unset {
        drop(clock.sleep(MINUTE));
        let client = client_of(pacer);
        client.me().await.unwrap();
        let start = clock.monotonic();
        for _ in 0..20 {
            client.notification_channels().await.unwrap();
        }
        assert_eq!(clock.monotonic(), start, "the service's own limits are used in full");
    }
}

#[tokio::test]
async fn the_deadline_runs_from_the_first_poll() {
    let (server, clock) = limited(Limits::default()).await;
    let client = client(&server, &clock, InProcessPacer::default());
    let call = client.me().with_deadline(10 * SECOND).into_future();
    drop(clock.sleep(MINUTE));
    call.await.unwrap();
}

#[tokio::test]
async fn a_wait_longer_than_allowed_fails_at_once() {
    let (server, clock) = limited(Limits::default()).await;
    let client = client(&server, &clock, InProcessPacer::new(RateLimits::default()));
    for _ in 0..60 {
        client.notification_channels().await.unwrap();
    }
    let before = clock.monotonic();
    let error = client.notification_channels().with_max_wait(5 * SECOND).await.unwrap_err();
    assert!(error.is_rate_limited() && error.retry_after() > Some(5 * SECOND), "{error}");
    assert!(error.to_string().contains("limit of 60 requests per minute"), "{error}");
    assert_eq!((clock.monotonic(), server.requests().len()), (before, 60));
    client.notification_channels().with_max_wait(MINUTE).await.unwrap();
}

/// Pacer that asks somebody else, who takes a while to answer.
#[derive(Debug, Default)]
struct SlowPacer {
    inner: InProcessPacer,
    is_away: AtomicBool,
    settled: AtomicUsize,
}

impl Pacer for SlowPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(async move {
            yield_now().await;
            if self.is_away.load(Ordering::Relaxed) {
                return Err(NotAdmitted::Failed(PacerError::new("nobody knows the limits")));
            }
            self.inner.admit(bucket, clock).await
        })
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        Box::pin(async move {
            yield_now().await;
            self.inner.note(note, clock).await;
            if matches!(note, PacerNote::Settled(_)) {
                self.settled.fetch_add(1, Ordering::Relaxed);
            }
        })
    }
}

async fn paced_slowly() -> (ContractServer, Arc<SlowPacer>, Client) {
    let (server, clock) = limited(Limits::default()).await;
    let pacer = Arc::new(SlowPacer::default());
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.clock(clock).pacer(pacer.clone()).build().unwrap();
    (server, pacer, client)
}

#[tokio::test]
async fn a_request_is_settled_before_its_call_ends() {
    let (_server, pacer, client) = paced_slowly().await;
    for calls in 1..4 {
        client.notification_channels().await.unwrap();
        assert_eq!(pacer.settled.load(Ordering::Relaxed), calls);
    }
}

#[tokio::test]
async fn the_request_of_a_dropped_call_is_settled_in_the_background() {
    let (server, pacer, client) = paced_slowly().await;
    server.fail([1], &Fault::StallAfter);
    let call = tokio::spawn(client.notification_channels().into_future());
    server.until_stalled(1).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    while pacer.settled.load(Ordering::Relaxed) == 0 {
        yield_now().await;
    }
}

#[tokio::test]
async fn a_pacer_that_cannot_tell_ends_the_call_before_anything_is_sent() {
    let (server, pacer, client) = paced_slowly().await;
    pacer.is_away.store(true, Ordering::Relaxed);
    let slots = client.profile("cafe").slots();
    let error = slots.create(NewSlot::of("divider")).await.unwrap_err();
    assert_eq!(error.to_string(), "createSlot was not sent: nobody knows the limits");
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::NotExecuted, 0));
    assert!(error.is_network() && error.is_safe_to_repeat() && !error.is_rate_limited());
    pacer.is_away.store(false, Ordering::Relaxed);
    slots.create(NewSlot::of("divider")).await.unwrap();
}

/// Returns how long a person's requests take among background work, each with a pacer of its own kind, and how many of background work were
/// answered in the meantime.
fn person_takes(
    [person, background]: [&dyn Pacer; 2],
    streams: (usize, Duration),
    burst: (Duration, usize),
) -> (Duration, usize) {
    let (clock, _) = shared_clock();
    ready_now(Box::pin(priorities::person_takes(
        streams,
        burst,
        async |is_background, asked, at| {
            clock.advance(at.saturating_sub(clock.monotonic()));
            let pacer = if is_background { background } else { person };
            match asked {
                StreamEvent::Settle(ticket) => {
                    pacer.note(PacerNote::Settled(ticket), &*clock).await;
                }
                StreamEvent::Admit => match pacer.admit(Bucket::General, &*clock).await {
                    Ok(ticket) => return Ok(Some(ticket)),
                    Err(NotAdmitted::Wait(wait)) => return Err(wait.duration),
                    Err(refusal) => panic!("{refusal:?}"),
                },
            }
            Ok(None)
        },
    )))
}

/// Checks that a person's requests take at most a second longer among background work than alone, with the pacers of a name. They begin at
/// every n-th of a hundred moments. Returns how much longer they took at most, and the number of histories.
fn at_most_a_second_longer(
    every: usize,
    pacers: impl Fn(&str) -> [Box<dyn Pacer>; 2],
) -> (Duration, usize) {
    let (mut longest, mut histories) = (Duration::ZERO, 0);
    for answer in [0, 20, 100, 400].map(Duration::from_millis) {
        for requests in [1, 2, 5, 12] {
            let takes = |streams, start: Duration| {
                let name = format!("{answer:?}-{requests}-{streams}-{start:?}");
                let [person, background] = pacers(&name);
                let pacers = [&*person, &*background];
                person_takes(pacers, (streams, answer), (start, requests)).0
            };
            let alone = takes(0, Duration::ZERO);
            for streams in [1, 4] {
                for nth in (0..100).step_by(every) {
                    let start = Duration::from_micros(731_313) * nth;
                    let longer = takes(streams, start).saturating_sub(alone);
                    let history = format!("{answer:?}, {requests}, {streams}, {start:?}");
                    assert!(longer <= SECOND, "{history}: {longer:?}");
                    longest = longest.max(longer);
                    histories += 1;
                }
            }
        }
    }
    (longest, histories)
}

#[test]
fn among_background_work_a_person_waits_at_most_a_second_longer_than_alone() {
    let in_process = at_most_a_second_longer(3, |_| {
        let pacer = InProcessPacer::default();
        [Box::new(pacer.clone()), Box::new(pacer.background(true))]
    });
    let directory = tempfile::tempdir().unwrap();
    let in_file = at_most_a_second_longer(34, |name| {
        let file = || SharedFilePacer::new(directory.path().join(name));
        [Box::new(file()), Box::new(file().background(true))]
    });
    println!("longest and histories: in the process {in_process:?}, in a file {in_file:?}");
}

#[test]
fn background_work_alone_uses_four_fifths_of_each_limit_and_proceeds_with_the_lowest() {
    let mut limits = RateLimits::default();
    for per_second in 1..=5 {
        limits.per_second = per_second;
        for per_minute in [1, 2, 3, 4, 60] {
            limits.per_minute = per_minute;
            let pacer = [InProcessPacer::new(limits).background(true)];
            let times = run(&pacer, &shared_clock().0, 130, Duration::ZERO);
            let share = |most: usize| (most * 4 / 5).max(1);
            let most = [SECOND, MINUTE].map(|window| most_in_any(&times, window));
            assert_eq!(most[1], share(per_minute), "{per_second} a second, {per_minute} a minute");
            assert!(most[0] <= share(per_second));
            let minutes = u32::try_from(129 / share(per_minute)).unwrap();
            assert!(times[129] < MINUTE * (minutes + 1), "no minute is left out: {:?}", times[129]);
        }
    }
}

#[test]
fn what_people_send_leaves_background_work_the_rest_of_its_share() {
    let pacer = InProcessPacer::default();
    let background = pacer.clone().background(true);
    let (clock, _) = shared_clock();
    // A person sends ten requests in each minute.
    for _ in 0..3 {
        let end = clock.monotonic() + MINUTE;
        let sent = run(std::slice::from_ref(&pacer), &clock, 10, Duration::ZERO).len();
        let mut others = 0;
        while clock.monotonic() < end {
            match admit(&background, &*clock) {
                Ok(ticket) => {
                    settle(&background, ticket, &*clock);
                    others += 1;
                }
                Err(wait) => {
                    let left = end.saturating_sub(clock.monotonic());
                    drop(clock.sleep(wait.duration.min(left)));
                }
            }
        }
        assert_eq!((sent, others), (10, 38));
    }
}

#[test]
fn after_a_429_a_person_is_admitted_before_background_work() {
    let pacer = InProcessPacer::default();
    let background = pacer.clone().background(true);
    let (clock, _) = shared_clock();
    ready_now(pacer.note(PacerNote::Blocked(SECOND), &*clock));
    drop(clock.sleep(SECOND));
    for _ in 0..5 {
        let ticket = admit(&background, &*clock).unwrap();
        settle(&background, ticket, &*clock);
        let (of_person, of_background) =
            (must_wait(&pacer, &clock), must_wait(&background, &clock));
        assert_eq!(of_person, MustWait::new(SECOND, WaitReason::TooManyRequests));
        assert!(of_background.duration > of_person.duration, "{of_background:?}");
        drop(clock.sleep(SECOND));
        let ticket = admit(&pacer, &*clock).unwrap();
        settle(&pacer, ticket, &*clock);
        drop(clock.sleep(2 * SECOND));
    }
}
