//! Tests of a fleet: pacing through a Redis server. Those that need a server are run by `tests/fleet/run`.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_sdk::{
    BaseUrl, Bucket, Clock, MustWait, NotAdmitted, Observer, Pacer, PacerNote, RateLimits,
    RedisPacer, RedisServer, SystemClock, Ticket, Token, WaitReason, WhenUnreachable,
};
use links_test_support::clock::shared_clock;
use links_test_support::redis::RedisProcess;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::task::JoinSet;

fn pacer(process: &RedisProcess, name: &str) -> RedisPacer {
    RedisPacer::new(RedisServer::new(process.url()).unwrap(), name)
}

async fn admit(pacer: &RedisPacer) -> Result<Ticket, MustWait> {
    match pacer.admit(Bucket::General, &SystemClock::new()).await {
        Ok(ticket) => Ok(ticket),
        Err(NotAdmitted::Wait(wait)) => Err(wait),
        Err(refusal) => panic!("{refusal:?}"),
    }
}

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, which reads its environment"
)]
#[path = "../../sdk/examples/fleet.rs"]
mod example;

/// Runs the example as several machines at once, over and over, and returns the requests of each run.
async fn run_machines(server: &ContractServer, redis: &RedisServer, machines: usize) -> usize {
    let base = BaseUrl::new(server.base_url()).unwrap();
    let token = Token::new(server.token()).unwrap();
    let run = |_| example::run(base.clone(), vec![token.clone()], redis.clone(), machines);
    let runs: JoinSet<_> = (0..machines).map(run).collect();
    for counts in runs.join_all().await {
        assert_eq!(counts.unwrap().len(), 1);
    }
    let requests = server.requests();
    assert!(requests.iter().all(|it| it.status == 200), "{requests:?}");
    requests.len()
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn machines_of_the_example_keep_within_the_limits_together() {
    let process = started();
    let server = ContractServer::start(World::cafe()).await;
    let redis = RedisServer::new(process.url()).unwrap();
    assert!(run_machines(&server, &redis, 4).await > 5);
}

#[tokio::test]
async fn the_example_uses_its_share_without_the_server() {
    let server = ContractServer::start(World::cafe()).await;
    let redis = RedisServer::new("redis://127.0.0.1:1").unwrap();
    assert!(run_machines(&server, &redis, 1).await > 1);
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn a_thousand_accounts_share_one_connection_and_cost_little() {
    const ACCOUNTS: u32 = 1000;
    let process = started();
    let memory = || -> u32 {
        let info = process.command(&["INFO", "memory"]);
        let used = info.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap();
        used.trim().parse().unwrap()
    };
    let redis = RedisServer::new(process.url()).unwrap();
    RedisPacer::new(redis.clone(), "first").check(&SystemClock::new()).await.unwrap();
    let before = memory();
    let clock = SystemClock::new();
    let start = clock.monotonic();
    let account = |account: u32| {
        let pacer = RedisPacer::new(redis.clone(), account.to_string());
        async move {
            for _ in 0..5 {
                let ticket = admit(&pacer).await.unwrap();
                pacer.note(PacerNote::Settled(ticket), &SystemClock::new()).await;
            }
        }
    };
    (0..ACCOUNTS).map(account).collect::<JoinSet<_>>().join_all().await;
    let (took, each) =
        (clock.monotonic().saturating_sub(start) / (5 * ACCOUNTS), (memory() - before) / ACCOUNTS);
    println!("{took:?} and {} bytes of the server for each request", each / 5);
    let clients = process.command(&["CLIENT", "LIST"]);
    assert_eq!(clients.lines().count(), 2, "one connection, and that of the test: {clients}");
    assert!(each < 20 * 1024, "{each} bytes for each account");
}

/// Starts a server, and lets it take the time for which it would wait for reports as passed.
fn started() -> RedisProcess {
    let process = RedisProcess::start();
    let info = process.command(&["INFO", "server"]);
    let run = info.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap().trim();
    process.command(&["HSET", "links:pacing", "run", run, "since", "0"]);
    process
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn machines_share_the_limits_of_a_token_and_no_token_shares_those_of_another() {
    let process = started();
    let machines: Vec<RedisPacer> = (0..6).map(|_| pacer(&process, "one")).collect();
    for machine in &machines[..5] {
        admit(machine).await.unwrap();
    }
    let wait = admit(&machines[5]).await.unwrap_err();
    assert_eq!(wait.reason, WaitReason::PerSecond(5));
    let clock = SystemClock::new();
    assert_eq!(machines[5].remaining(&clock), Some(55));
    let ahead = machines[5].forecast(Bucket::General, 55, &clock).await.unwrap();
    assert_eq!(ahead.reason, WaitReason::PerMinute(60));
    admit(&pacer(&process, "other")).await.unwrap();

    machines[0].note(PacerNote::Blocked(Duration::from_secs(100)), &clock).await;
    let wait = admit(&machines[5]).await.unwrap_err();
    assert_eq!(wait.reason, WaitReason::TooManyRequests);
    assert!(wait.duration > Duration::from_secs(90), "{wait:?}");
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn background_work_of_all_machines_leaves_a_fifth_to_people() {
    let process = started();
    let machines: Vec<RedisPacer> =
        (0..5).map(|_| pacer(&process, "one").background(true)).collect();
    let clock = SystemClock::new();
    assert_eq!(
        machines[0].forecast(Bucket::General, 0, &clock).await.unwrap().duration,
        Duration::ZERO
    );
    let ticket = admit(&machines[0]).await.unwrap();
    machines[0].note(PacerNote::Settled(ticket), &clock).await;
    assert_eq!(machines[0].remaining(&clock), Some(47), "of 48");
    let wait = admit(&machines[1]).await.unwrap_err();
    assert!(wait.duration <= Duration::from_millis(250), "{wait:?}");
    let ahead = machines[2].forecast(Bucket::General, 47, &clock).await.unwrap();
    assert_eq!(ahead.reason, WaitReason::PerMinute(60), "{ahead:?}");
    let person = pacer(&process, "one");
    for _ in 0..4 {
        admit(&person).await.unwrap();
    }
    assert_eq!(person.remaining(&clock), Some(55));
    let wait = admit(&machines[3]).await.unwrap_err();
    assert_eq!(wait.reason, WaitReason::PerSecond(5), "{wait:?}");
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn limits_that_one_machine_learns_hold_for_all_below_their_ceilings() {
    let process = started();
    let (one, other) = (pacer(&process, "one"), pacer(&process, "one"));
    let mut learned = RateLimits::default();
    learned.per_second = 3;
    one.note(PacerNote::Learned(learned), &SystemClock::new()).await;
    for _ in 0..3 {
        admit(&other).await.unwrap();
    }
    assert!(admit(&other).await.is_err());
    learned.per_second = 100;
    one.note(PacerNote::Learned(learned), &SystemClock::new()).await;
    admit(&other).await.unwrap();
    let mut ceiling = RateLimits::default();
    ceiling.per_second = 4;
    assert!(admit(&pacer(&process, "one").rate_limits(ceiling)).await.is_err());
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn a_server_that_was_restarted_is_told_what_was_sent() {
    let mut process = started();
    let (one, other) = (pacer(&process, "one"), pacer(&process, "one"));
    let clock = SystemClock::new();
    for _ in 0..3 {
        let ticket = admit(&one).await.unwrap();
        one.note(PacerNote::Settled(ticket), &clock).await;
    }
    admit(&other).await.unwrap();
    one.note(PacerNote::Blocked(Duration::from_secs(50)), &clock).await;
    process.restart();
    let new = pacer(&process, "one");
    assert_eq!(admit(&new).await.unwrap_err().reason, WaitReason::PacerStarting);
    assert_eq!(new.remaining(&clock), Some(60), "nobody has told it yet");
    for (pacer, left) in [(&one, 57), (&other, 56), (&one, 56), (&new, 56)] {
        let wait = admit(pacer).await.unwrap_err();
        assert_eq!(wait.reason, WaitReason::PacerStarting);
        assert!(wait.duration <= Duration::from_secs(2), "{wait:?}");
        assert_eq!(pacer.remaining(&clock), Some(left));
    }
    let forecast = new.forecast(Bucket::General, 0, &clock).await.unwrap();
    assert_eq!(forecast.reason, WaitReason::TooManyRequests, "the block is not forgotten");
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn what_was_sent_without_the_server_is_told_when_it_is_back() {
    let mut process = started();
    let one = pacer(&process, "one").when_unreachable(WhenUnreachable::Share(2));
    process.kill();
    let clock = shared_clock().0;
    for _ in 0..2 {
        one.admit(Bucket::General, &*clock).await.unwrap();
    }
    process.restart();
    clock.advance(Duration::from_secs(1));
    one.check(&*clock).await.unwrap();
    assert_eq!(one.remaining(&*clock), Some(58));
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn the_keys_hold_no_token_and_expire() {
    let process = started();
    let base = BaseUrl::new("https://links.example/api/v1").unwrap();
    let canary = Token::new("lnk_canary").unwrap();
    let pacer = pacer(&process, &RedisPacer::name(&base, &canary));
    let clock = SystemClock::new();
    pacer.note(PacerNote::Learned(RateLimits::default()), &clock).await;
    for bucket in [Bucket::General, Bucket::Music, Bucket::Analytics] {
        pacer.admit(bucket, &clock).await.unwrap();
    }
    let keys = process.command(&["KEYS", "*"]);
    assert_eq!(keys.lines().count(), 5, "{keys}");
    for key in keys.lines() {
        assert!(key.starts_with("links:pacing") && !key.contains("canary"), "{key}");
        let lifetime: i64 = process.command(&["TTL", key]).trim().parse().unwrap();
        assert!((1..=86_400).contains(&lifetime), "{key}: {lifetime} s");
        let content = process.command(&["DUMP", key]);
        assert!(!content.contains("canary"), "{content}");
    }
}

#[derive(Debug, Default)]
struct Warnings(Mutex<Vec<String>>);

impl Observer for Warnings {
    fn pacing_alone(&self, shared: &str, _: &dyn StdError) {
        self.0.lock().unwrap().push(shared.to_owned());
    }
}

/// A port of this machine at which nobody listens, with a password.
fn nobody(when_unreachable: WhenUnreachable) -> RedisPacer {
    let server = RedisServer::new("redis://:canary@127.0.0.1:1").unwrap();
    RedisPacer::new(server, "one").when_unreachable(when_unreachable)
}

#[tokio::test]
async fn without_the_server_calls_wait_less_and_less_often() {
    let pacer = nobody(WhenUnreachable::Wait);
    let (clock, _) = shared_clock();
    let mut waits = Vec::new();
    for _ in 0..6 {
        let refusal = pacer.admit(Bucket::General, &*clock).await.unwrap_err();
        let NotAdmitted::Wait(wait) = refusal else { panic!("{refusal:?}") };
        assert_eq!(wait.reason, WaitReason::PacerUnreachable);
        waits.push(wait.duration.as_millis());
        clock.advance(wait.duration);
    }
    assert_eq!(waits, [250, 500, 1000, 2000, 2000, 2000]);
}

#[tokio::test]
async fn without_the_server_calls_fail_if_they_shall() {
    let pacer = nobody(WhenUnreachable::Fail);
    let (clock, _) = shared_clock();
    for _ in 0..2 {
        let refusal = pacer.admit(Bucket::General, &*clock).await.unwrap_err();
        let NotAdmitted::Failed(error) = refusal else { panic!("{refusal:?}") };
        let text = error.to_string();
        assert!(
            text.starts_with("cannot use redis://127.0.0.1:1 to share the rate limits: "),
            "{text}"
        );
        assert!(!text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn without_the_server_a_share_of_the_limits_is_used_if_it_shall() {
    let warnings = Arc::new(Warnings::default());
    let pacer = nobody(WhenUnreachable::Share(2)).observer(warnings.clone());
    let (clock, _) = shared_clock();
    let mut times = Vec::new();
    while times.len() < 31 {
        match pacer.admit(Bucket::General, &*clock).await {
            Ok(ticket) => {
                times.push(clock.monotonic());
                pacer.note(PacerNote::Settled(ticket), &*clock).await;
            }
            Err(NotAdmitted::Wait(wait)) => clock.advance(wait.duration),
            Err(refusal) => panic!("{refusal:?}"),
        }
    }
    assert_eq!(times[1], times[0], "two a second");
    assert_eq!(times[2], times[0] + Duration::from_secs(1));
    assert_eq!(times[30], times[0] + Duration::from_secs(60), "thirty a minute");
    assert_eq!(*warnings.0.lock().unwrap(), ["redis://127.0.0.1:1"], "it is said once");
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn one_machine_at_a_time_has_the_lock_of_a_page() {
    let process = started();
    let [one, other] = [(); 2].map(|()| pacer(&process, "one"));
    let first = one.lock("page", None, MINUTE).await.unwrap().unwrap();
    assert_eq!(other.lock("page", None, MINUTE).await.unwrap(), None);
    assert!(other.lock("another page", None, MINUTE).await.unwrap().is_some());
    assert_eq!(one.lock("page", Some(first), MINUTE).await.unwrap(), Some(first));
    // A lock that has ended is renewed if nobody else has taken it.
    assert_eq!(one.lock("page", Some(first), Duration::ZERO).await.unwrap(), Some(first));
    assert_eq!(one.lock("page", Some(first), MINUTE).await.unwrap(), Some(first));
    one.unlock("page", first).await;
    let second = other.lock("page", None, MINUTE).await.unwrap().unwrap();
    assert!(second > first, "{first}, {second}");
    assert_eq!(one.lock("page", Some(first), MINUTE).await.unwrap(), None, "it is lost");
    one.unlock("page", first).await;
    assert_eq!(one.lock("page", None, MINUTE).await.unwrap(), None, "nobody else gives it up");
    let lifetime: i64 = process.command(&["TTL", "links:lock:page"]).trim().parse().unwrap();
    assert!((1..=86_400).contains(&lifetime), "{lifetime} s");
}

/// Connects machines to the server. After `lose`, it loses the next answer of the server, with the connection.
async fn relay(process: &RedisProcess, lose: Arc<AtomicBool>) -> RedisServer {
    let socket = process.url().replace("unix://", "");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut machine, _)) = listener.accept().await {
            let mut server = UnixStream::connect(&socket).await.unwrap();
            let lose = lose.clone();
            tokio::spawn(async move {
                let (mut asked, mut answered) = ([0; 4096], [0; 4096]);
                loop {
                    tokio::select! {
                        bytes = machine.read(&mut asked) => match bytes {
                            Ok(0) | Err(_) => return,
                            Ok(bytes) => server.write_all(&asked[..bytes]).await.unwrap(),
                        },
                        bytes = server.read(&mut answered) => match bytes {
                            Ok(0) | Err(_) => return,
                            Ok(_) if lose.swap(false, Ordering::Relaxed) => return,
                            Ok(bytes) => machine.write_all(&answered[..bytes]).await.unwrap(),
                        },
                    }
                }
            });
        }
    });
    RedisServer::new(format!("redis://{address}")).unwrap()
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn a_lock_whose_answer_is_lost_is_had() {
    let process = started();
    let lose = Arc::new(AtomicBool::new(false));
    let one = RedisPacer::new(relay(&process, lose.clone()).await, "one");
    let other = pacer(&process, "one");
    // The server knows the script, and the connection is an old one.
    one.lock("another page", None, MINUTE).await.unwrap().unwrap();
    lose.store(true, Ordering::Relaxed);
    let number = one.lock("page", None, MINUTE).await.unwrap().expect("nobody else has it");
    assert!(!lose.load(Ordering::Relaxed), "an answer was lost");
    assert_eq!(other.lock("page", None, MINUTE).await.unwrap(), None);
    assert_eq!(one.lock("page", None, MINUTE).await.unwrap(), None, "that is another question");
    assert_eq!(one.lock("page", Some(number), MINUTE).await.unwrap(), Some(number));
    one.unlock("page", number).await;
    assert!(other.lock("page", None, MINUTE).await.unwrap().unwrap() > number);
}

#[tokio::test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
async fn a_lock_is_lost_when_its_server_is_restarted_and_cannot_be_had_without_it() {
    let mut process = started();
    let [one, other] = [(); 2].map(|()| pacer(&process, "one"));
    let first = one.lock("page", None, MINUTE).await.unwrap().unwrap();
    process.restart();
    assert_eq!(one.lock("page", Some(first), MINUTE).await.unwrap(), None);
    let second = other.lock("page", None, MINUTE).await.unwrap().unwrap();
    assert!(second > first, "also a server that has forgotten the numbers: {first}, {second}");
    // One machine is cut off; the server is slow.
    let cut_off = nobody(WhenUnreachable::Share(2));
    let error = cut_off.lock("page", None, MINUTE).await.unwrap_err().to_string();
    assert!(error.starts_with("cannot use redis://127.0.0.1:1 to lock the page: "), "{error}");
    process.command(&["CLIENT", "PAUSE", "5000"]);
    other.lock("page", Some(second), MINUTE).await.unwrap_err();
    process.kill();
    other.lock("page", Some(second), MINUTE).await.unwrap_err();
    one.lock("page", None, MINUTE).await.unwrap_err();
}
