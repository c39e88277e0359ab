//! Machines that are suspended while requests are sent: between two requests, during a wait, and right before a request leaves. No call
//! fails, the service refuses nothing, and nothing is waited for much longer than without it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::{ContractServer, Fault, World};
use links_sdk::{
    Client, ClientBuilder, Clock, InProcessPacer, Pacer, SharedFilePacer, Token, TokenFuture,
    TokenSource,
};
use links_test_support::clock::{MachineClock, shared_clock};
use tempfile::TempDir;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Where the machine is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Between,
    InWait,
    BeforeSend,
}

/// The pacer that keeps the limits.
#[derive(Clone, Copy, Debug)]
enum PacerKind {
    InProcess,
    InFile,
}

/// A service with its limits, and the clock of a machine on which clients run.
struct Machine {
    server: ContractServer,
    clock: Arc<MachineClock>,
    directory: TempDir,
}

impl Machine {
    async fn new() -> Self {
        let (time, service) = shared_clock();
        let server = ContractServer::builder(World::cafe()).clock(service).start().await.unwrap();
        let clock = MachineClock::new(time);
        Self { server, clock, directory: tempfile::tempdir().unwrap() }
    }

    fn builder(&self, kept: PacerKind) -> ClientBuilder {
        let pacer: Arc<dyn Pacer> = match kept {
            PacerKind::InProcess => Arc::new(InProcessPacer::default()),
            PacerKind::InFile => Arc::new(SharedFilePacer::new(self.directory.path().join("rate"))),
        };
        let builder = Client::builder(self.server.base_url()).clock(self.clock.clone());
        builder.token(Token::new(self.server.token()).unwrap()).pacer(pacer)
    }

    fn refused(&self) -> usize {
        self.server.requests().iter().filter(|it| it.status == 429).count()
    }
}

/// Requests of one history: more than two minutes allow.
const REQUESTS: usize = 130;

/// Sends requests, and suspends the machine at one of them. Returns the time for which the machine was awake, and the number of requests that
/// the service refused.
async fn send(kept: PacerKind, place: Place, at: usize, suspended: Duration) -> (Duration, usize) {
    let machine = Machine::new().await;
    let (clock, sent) = (machine.clock.clone(), AtomicUsize::new(0));
    let builder = machine.builder(kept).before_send(move |_| {
        if sent.fetch_add(1, Ordering::Relaxed) == at && place == Place::BeforeSend {
            clock.suspend(suspended);
        }
        Ok(())
    });
    let client = builder.build().unwrap();
    for nth in 0..REQUESTS {
        match place {
            Place::Between if nth == at => machine.clock.suspend(suspended),
            Place::InWait if nth == at => machine.clock.suspend_in_wait(0, suspended),
            _ => {}
        }
        let result = client.notification_channels().await;
        assert!(result.is_ok(), "{kept:?}, {place:?} for {suspended:?} at {at}: {result:?}");
    }
    (machine.clock.monotonic(), machine.refused())
}

#[tokio::test]
async fn a_suspended_machine_sends_on_as_if_it_had_been_awake() {
    for kept in [PacerKind::InProcess, PacerKind::InFile] {
        let (usual, _) = send(kept, Place::Between, REQUESTS, HOUR).await;
        let (mut histories, mut most) = (0, Duration::ZERO);
        for place in [Place::Between, Place::InWait, Place::BeforeSend] {
            for at in (0..REQUESTS).step_by(23) {
                for suspended in [MINUTE / 6, 2 * MINUTE, 8 * HOUR] {
                    let (awake, refused) = send(kept, place, at, suspended).await;
                    let what = format!("{kept:?}, {place:?} for {suspended:?} at {at}");
                    assert_eq!(refused, 0, "{what}");
                    // What was suspended is not waited for once more.
                    assert!(awake <= usual + MINUTE / 60, "{what}: {awake:?} for {usual:?}");
                    (histories, most) = (histories + 1, most.max(awake.saturating_sub(usual)));
                }
            }
        }
        println!("{kept:?}: {histories} histories, at most {most:?} more than {usual:?}");
    }
}

#[tokio::test]
async fn a_long_retry_after_that_passes_while_the_machine_is_suspended_is_over() {
    for kept in [PacerKind::InProcess, PacerKind::InFile] {
        // The call that waits, and another one after a call that did not wait.
        for waits in [true, false] {
            let machine = Machine::new().await;
            let client = machine.builder(kept).deadline(2 * HOUR).build().unwrap();
            machine.server.fail([1], &Fault::RateLimited(Some("3000".into())));
            if waits {
                machine.clock.suspend_in_wait(0, 8 * HOUR);
            } else {
                let hasty = client.me().with_deadline(MINUTE).await.unwrap_err();
                assert!(hasty.is_rate_limited() && hasty.retry_after() > Some(MINUTE), "{hasty}");
                machine.clock.suspend(8 * HOUR);
            }
            let begin = machine.clock.monotonic();
            client.me().await.unwrap();
            let awake = machine.clock.monotonic().saturating_sub(begin);
            // Half of the wait came before.
            let before = if waits { Duration::from_secs(1500) } else { Duration::ZERO };
            assert!(awake <= before + MINUTE, "{kept:?}, {waits}: {awake:?}");
            assert_eq!(machine.refused(), 1, "{kept:?}, {waits}");
        }
    }
}

#[tokio::test]
async fn a_deadline_counts_the_time_for_which_the_machine_is_awake() {
    let machine = Machine::new().await;
    let client = machine.builder(PacerKind::InFile).deadline(2 * MINUTE).build().unwrap();
    for _ in 0..60 {
        client.me().await.unwrap();
    }
    machine.clock.suspend_in_wait(0, 8 * HOUR);
    client.me().await.unwrap();
    assert!(!machine.clock.is_to_be_suspended());
}

/// Token of a machine that is suspended when it is asked for the token, and of which another client then edits the page.
#[derive(Debug)]
struct SleepyToken {
    token: Token,
    /// Number of times that are left.
    left: AtomicUsize,
    suspend: Mutex<Option<Suspension>>,
}

struct Suspension(Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Suspension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Suspension")
    }
}

impl TokenSource for SleepyToken {
    fn token(&self) -> TokenFuture<'_, Token> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(Suspension(suspend)) = self.suspend.lock().unwrap().take()
        {
            suspend();
        }
        Box::pin(std::future::ready(Ok(self.token.clone())))
    }
}

/// A page was read, the lid was closed before the write left, and someone edited the page before it was opened again.
#[tokio::test]
async fn what_was_read_before_the_machine_was_suspended_is_read_again_before_a_write() {
    for (what, suspended) in
        [("an update", 6), ("an update", 28800), ("a delete", 6), ("a delete", 28800)]
    {
        let mut tried = 0;
        for nth in 1.. {
            let machine = Machine::new().await;
            let server = Arc::new(machine.server);
            let reader = Client::builder(server.base_url()).clock(machine.clock.clone());
            let token = Token::new(server.token()).unwrap();
            let reader = reader.token(token.clone()).build().unwrap();
            let slots = reader.profile("cafe").slots();
            let seen = slots.list().await.unwrap().into_iter().find(|it| it.kind == "text");
            let seen = seen.unwrap();

            let (clock, edited) = (machine.clock.clone(), server.clone());
            let suspend = move || {
                clock.suspend(Duration::from_secs(suspended));
                edited.edit(|account| {
                    let slots = &mut account.profiles[0].slots;
                    let slot = slots.iter_mut().find(|it| it.kind == "text").unwrap();
                    slot.data.insert("title".into(), "Of another client".into());
                });
            };
            let source = Arc::new(SleepyToken {
                token,
                left: AtomicUsize::new(nth),
                suspend: Mutex::new(Some(Suspension(Box::new(suspend)))),
            });
            let writer = Client::builder(server.base_url()).clock(machine.clock.clone());
            let writer = writer.token(source.clone()).build().unwrap().profile("cafe").slots();
            let error = if what == "a delete" {
                writer.delete_unchanged(vec![seen.clone()]).await.err()
            } else {
                let changes = serde_json::json!({"title": "Ours"});
                writer.update_unchanged(seen.id, &seen, changes).await.err()
            };
            if source.suspend.lock().unwrap().is_some() {
                assert!(error.is_none(), "{what}: {error:?}");
                break;
            }
            tried += 1;
            let error = error.unwrap_or_else(|| panic!("{what}, {suspended} s at token {nth}"));
            assert!(error.is_conflict(), "{what}, {suspended} s at token {nth}: {error}");
            let now = slots.get(seen.id).await.unwrap();
            assert_eq!(now.data["title"], "Of another client", "{what} at token {nth}");
        }
        assert!(tried >= 2, "{what}: the read and the write");
    }
}
