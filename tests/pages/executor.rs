//! Tests that no thread of the runtime waits for a file or for the lock of a page that another process holds. Each runs on a runtime of one
//! thread: while that waits, nothing else runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_pages::apply::{Apply, ApplyCause, DesiredPage, JournalStore, LockError, RunSettings};
use links_sdk::testing::TestClock;
use links_sdk::{Client, Token};
use links_test_support::executor::{Holder, hold, others_run, without_blocking_threads};
use serde_json::json;

const SECOND: Duration = Duration::from_secs(1);

#[test]
#[ignore = "the process that holds a lock"]
fn holder() {
    hold();
}

/// Path of the lock of a page, and a page file that changes the page.
fn page_lock(state: &Path, client: &Client) -> (std::path::PathBuf, DesiredPage) {
    let runs = JournalStore::of(state, client.base_url().as_str(), 101);
    // Its directory is created with the lock.
    drop(runs.lock().unwrap());
    let text = json!({"slots": [{"type": "text", "data": {"title": "Closed today"}}]});
    (runs.journal("x").with_file_name("lock"), serde_json::from_value(text).unwrap())
}

#[tokio::test]
async fn a_page_that_another_process_holds_lets_other_tasks_run() {
    let (server, client) = crate::cafe().await;
    let state = tempfile::tempdir().unwrap();
    let (lock, page) = page_lock(state.path(), &client);
    let holder = Holder::of(&lock);
    let settings = RunSettings::new().journal(state.path());
    let apply = |wait| {
        let settings = RunSettings { wait, ..settings.clone() };
        Apply::new(&client.profile("cafe"), page.clone()).settings(settings).into_future()
    };
    let error = apply(false).await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Lock(LockError::Taken(_))), "{error}");
    let runs: Vec<_> = (0..3).map(|_| tokio::spawn(apply(true))).collect();
    others_run().await;
    assert!(runs.iter().all(|run| !run.is_finished()));
    let read = |server: &ContractServer| server.requests().iter().all(|it| it.method == "GET");
    assert!(read(&server));
    drop(holder);
    let mut created = 0;
    for run in runs {
        created += run.await.unwrap().unwrap().done.created.len();
    }
    assert_eq!(created, 1, "the others found it done");
}

#[tokio::test]
async fn a_run_that_waits_for_a_page_ends_at_the_deadline_of_its_client() {
    let server = ContractServer::start(World::cafe()).await;
    let clock = Arc::new(TestClock::new());
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.clock(clock.clone()).deadline(10 * SECOND).build().unwrap();
    let state = tempfile::tempdir().unwrap();
    let (lock, page) = page_lock(state.path(), &client);
    let _holder = Holder::of(&lock);
    let settings = RunSettings { wait: true, ..RunSettings::new().journal(state.path()) };
    let run = Apply::new(&client.profile("cafe"), page).settings(settings).into_future();
    let run = tokio::spawn(run);
    while server.requests().is_empty() {
        others_run().await;
    }
    others_run().await;
    assert!(!run.is_finished());
    while !run.is_finished() {
        clock.advance(11 * SECOND);
        others_run().await;
    }
    let error = run.await.unwrap().unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Lock(LockError::Taken(_))), "{error}");
    assert!(server.requests().iter().all(|it| it.method == "GET"));
}

#[test]
fn journals_are_written_on_a_thread_that_may_block() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (_server, client) = crate::cafe().await;
        let directory = tempfile::tempdir().unwrap();
        let (_, page) = page_lock(directory.path(), &client);
        let settings = RunSettings::new().journal(directory.path());
        let run = Apply::new(&client.profile("cafe"), page).settings(settings).into_future();
        let applied = without_blocking_threads(run).await.unwrap();
        assert!(applied.run.is_some());
    });
}
