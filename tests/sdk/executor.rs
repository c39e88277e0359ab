//! Tests that no thread of the runtime waits for a file or for a lock that another process holds. Each runs on a runtime of one thread: while
//! that waits, nothing else runs.

use std::fs;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_sdk::testing::TestClock;
use links_sdk::{
    Bucket, Client, Clock, InProcessPacer, NotAdmitted, Outcome, Pacer, PacerNote, SharedFilePacer,
    SystemClock, Ticket, Token, Upload,
};
use links_test_support::executor::{Holder, hold, others_run, without_blocking_threads};

const SECOND: Duration = Duration::from_secs(1);
#[test]
#[ignore = "the process that holds a lock"]
fn holder() {
    hold();
}

async fn admit(pacer: &SharedFilePacer, clock: &dyn Clock) -> Ticket {
    pacer.admit(Bucket::General, clock).await.unwrap()
}

async fn must_wait(pacer: &SharedFilePacer, clock: &dyn Clock) -> Duration {
    match pacer.admit(Bucket::General, clock).await {
        Err(NotAdmitted::Wait(wait)) => wait.duration,
        other => panic!("{other:?}"),
    }
}

/// Polls a future this often, while everything else runs in between. Returns whether it is ready.
pub(crate) async fn polled<T>(
    future: &mut Pin<Box<dyn Future<Output = T> + Send + '_>>,
    times: usize,
) -> bool {
    let mut count = 0;
    poll_fn(|context| {
        if future.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        count += 1;
        if count < times { Poll::Pending } else { Poll::Ready(false) }
    })
    .await
}

#[test]
fn all_system_clocks_of_a_process_count_from_one_moment() {
    let first = SystemClock::new();
    let before = first.monotonic();
    let second = SystemClock::default();
    let between = second.monotonic();
    assert!(before <= between && between <= first.monotonic());
}

#[tokio::test]
async fn clients_built_at_different_times_pace_together() {
    let server = ContractServer::start(World::cafe()).await;
    let pacer = Arc::new(InProcessPacer::default());
    let client = || {
        let builder = Client::builder(server.base_url()).pacer(pacer.clone());
        builder.token(Token::new(server.token()).unwrap()).build().unwrap()
    };
    let first = client();
    while SystemClock::new().monotonic() < Duration::from_millis(2) {
        tokio::task::yield_now().await;
    }
    let later = client();
    for _ in 0..2 {
        first.notification_channels().await.unwrap();
        later.notification_channels().await.unwrap();
    }
    later.notification_channels().await.unwrap();
    let waited = later.notification_channels().with_max_wait(Duration::ZERO).await.unwrap_err();
    assert!(waited.is_rate_limited(), "{waited}");
}

#[tokio::test]
async fn a_pacer_file_that_another_process_holds_lets_other_tasks_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let server = ContractServer::start(World::cafe()).await;
    let holder = Holder::of(&path);
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let pacer = Arc::new(SharedFilePacer::new(&path));
    let client = builder.pacer(pacer.clone()).build().unwrap();
    let calls: Vec<_> =
        (0..3).map(|_| tokio::spawn(client.notification_channels().into_future())).collect();
    others_run().await;
    assert!(calls.iter().all(|call| !call.is_finished()) && server.requests().is_empty());
    assert_eq!(pacer.remaining(&SystemClock::new()), Some(60), "as far as this process knows");
    drop(holder);
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_call_that_waits_for_a_pacer_file_ends_at_its_deadline() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let server = ContractServer::start(World::cafe()).await;
    let _holder = Holder::of(&path);
    let clock = Arc::new(TestClock::new());
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let pacer = Arc::new(SharedFilePacer::new(&path));
    let client = builder.pacer(pacer).clock(clock.clone()).build().unwrap();
    let call = tokio::spawn(client.me().with_deadline(10 * SECOND).into_future());
    others_run().await;
    assert!(!call.is_finished());
    clock.advance(11 * SECOND);
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::NotExecuted, 0), "{error}");
}

#[tokio::test]
async fn a_wait_for_a_pacer_file_that_is_dropped_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let clock = TestClock::new();
    let holder = Holder::of(&path);
    for times in 1..6 {
        let pacer = SharedFilePacer::new(&path);
        let mut waiting = pacer.admit(Bucket::General, &clock);
        assert!(!polled(&mut waiting, times).await);
    }
    drop(holder);
    let other = SharedFilePacer::new(&path);
    for _ in 0..5 {
        admit(&other, &clock).await;
    }
    assert_eq!(must_wait(&other, &clock).await, SECOND);
}

#[tokio::test]
async fn a_pacer_file_that_is_removed_or_replaced_while_it_is_held_is_taken_anew() {
    for is_replaced in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rate.json");
        let _holder = Holder::of(&path);
        let (pacer, clock) = (SharedFilePacer::new(&path), TestClock::new());
        let mut waiting = pacer.admit(Bucket::General, &clock);
        assert!(!polled(&mut waiting, 2).await);
        if is_replaced {
            fs::write(directory.path().join("new"), "{}").unwrap();
            fs::rename(directory.path().join("new"), &path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        waiting.await.unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("general"));
    }
}

#[tokio::test]
async fn answers_do_not_wait_for_a_pacer_file_and_are_noted_with_the_next_request() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let (pacer, clock) = (SharedFilePacer::new(&path), TestClock::new());
    let ticket = admit(&pacer, &clock).await;
    let holder = Holder::of(&path);
    pacer.note(PacerNote::Settled(ticket), &clock).await;
    pacer.note(PacerNote::Blocked(SECOND), &clock).await;
    // Dropped at its first wait.
    let second = SharedFilePacer::new(&path);
    assert!(!polled(&mut second.note(PacerNote::Blocked(3 * SECOND), &clock), 1).await);
    drop(holder);
    let other = SharedFilePacer::new(&path);
    for _ in 1..5 {
        admit(&other, &clock).await;
    }
    assert_eq!(must_wait(&pacer, &clock).await, SECOND, "all five and the block are known");
    assert_eq!(must_wait(&other, &clock).await, SECOND, "to the others as well");
    assert_eq!(must_wait(&second, &clock).await, 3 * SECOND);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(",null]").count(), 4, "the first request was answered: {text}");
}

#[tokio::test]
async fn a_pacer_file_that_can_be_used_again_is_shared_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rate.json");
    let (pacer, clock) = (SharedFilePacer::new(&path), TestClock::new());
    admit(&pacer, &clock).await;
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    admit(&pacer, &clock).await;
    fs::remove_dir(&path).unwrap();
    let other = SharedFilePacer::new(&path);
    admit(&other, &clock).await;
    admit(&pacer, &clock).await;
    clock.advance(Duration::from_millis(1001));
    admit(&pacer, &clock).await;
    assert_eq!(must_wait(&other, &clock).await, SECOND, "all five are in the file");
}

#[test]
fn files_are_read_on_a_thread_that_may_block() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (server, client) = crate::cafe().await;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        fs::write(&path, "no image").unwrap();
        let upload = client.files().upload(Upload::file(&path)).into_future();
        let error = without_blocking_threads(upload).await.unwrap_err();
        assert!(error.to_string().contains("not an image"), "{error}");
        assert!(server.requests().is_empty());
    });
}
