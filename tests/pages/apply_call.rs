//! Tests of apply in one call: the order of locking, reading and settling is not left to the program.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use links_fixtures::{ContractServer, Fault, World};
use links_pages::apply::{
    Apply, ApplyCause, DesiredPage, JournalStore, LockError, OpenPage, PageRequest, PlanOptions,
    Proposal, Run, RunSettings, RunState, SlotTypes, Step, execute,
};
use links_sdk::{AttemptReport, Client, Observer, Outcome, Token};
use serde_json::json;

use crate::{cafe, client_elsewhere, client_of};

const PAGE: i64 = 101;

fn ten_slots() -> DesiredPage {
    let text = |n: usize| json!({"type": "text", "data": {"title": format!("Text {n}")}});
    serde_json::from_value(json!({ "slots": (0..10).map(text).collect::<Vec<_>>() })).unwrap()
}

/// Executes a run of another process from its start to its end, while this one waits.
fn elsewhere(server: &ContractServer, state: Option<PathBuf>) {
    let act = async {
        // Without the directory it is a process of another machine.
        let client = if state.is_some() { client_of(server) } else { client_elsewhere(server) };
        let mut run = Apply::new(&client.profile(PAGE), ten_slots()).prune(true).max_deletes(99);
        if let Some(state) = state {
            run = run.settings(RunSettings::new().journal(state));
        }
        assert_eq!(run.await.unwrap().done.created.len(), 10);
    };
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(act);
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap());
}

/// Observer by which another process applies the same file right after this one has read the page.
struct ApplyAfterRead(Mutex<Option<(Arc<ContractServer>, PathBuf)>>);

impl std::fmt::Debug for ApplyAfterRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApplyAfterRead")
    }
}

impl Observer for ApplyAfterRead {
    fn attempted(&self, attempt: &AttemptReport<'_>) {
        if attempt.operation == "getProfile"
            && let Some((server, state)) = self.0.lock().unwrap().take()
        {
            elsewhere(&server, Some(state));
        }
    }
}

#[tokio::test]
async fn a_process_that_comes_between_the_read_and_the_lock_duplicates_nothing() {
    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let server = Arc::new(server);
    let state = tempfile::tempdir().unwrap();
    let between = ApplyAfterRead(Mutex::new(Some((server.clone(), state.path().to_owned()))));
    // Both at one URL, which identifies a service.
    let client = Client::builder(server.base_url())
        .token(Token::new(server.token()).unwrap())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .observer(Arc::new(between))
        .build()
        .unwrap();
    server.edit(|account| account.profiles[0].slots.clear());
    for key in ["cafe", "101"] {
        let applied = Apply::new(&client.profile(key), ten_slots())
            .settings(RunSettings::new().journal(state.path()))
            .await
            .unwrap();
        assert!(applied.done.is_nothing());
        assert_eq!(server.account().profiles[0].slots.len(), 10);
    }
    let runs = JournalStore::of(state.path(), client.base_url().as_str(), PAGE).list().unwrap();
    assert_eq!(runs.len(), 1, "nothing is written down where there is nothing to do");
}

#[tokio::test]
async fn a_process_that_comes_while_a_plan_is_confirmed_is_noticed() {
    for with_journal in [true, false] {
        let (server, client) = cafe().await;
        let server = Arc::new(server);
        server.edit(|account| account.profiles[0].slots.clear());
        let (state, meanwhile) = (tempfile::tempdir().unwrap(), server.clone());
        let mut run =
            Apply::new(&client.profile("cafe"), ten_slots()).confirm(move |plan, page| {
                assert_eq!((plan.creates.len(), page.slots.len()), (10, 0));
                // On another machine, which does not share the lock.
                elsewhere(&meanwhile, None);
                true
            });
        if with_journal {
            run = run.settings(RunSettings::new().journal(state.path()));
        }
        let error = run.await.unwrap_err();
        assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
        assert_eq!((error.outcome(), error.run()), (Outcome::NotExecuted, None));
        assert_eq!(server.account().profiles[0].slots.len(), 10);
    }
}

#[tokio::test]
async fn what_a_run_did_before_it_failed_counts() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let file = ten_slots();
    // The reorder is refused on every try, after ten slots were created.
    server.fail([3, 4, 5, 6], &Fault::Before(403));
    server.edit(|account| account.profiles[0].slots.truncate(2));
    let mut reversed = file.clone();
    let first = server.account().profiles[0].slots[0].id;
    reversed.slots.push(
        serde_json::from_value(
            json!({"id": first, "type": server.account().profiles[0].slots[0].kind}),
        )
        .unwrap(),
    );
    let error = Apply::new(&client.profile("cafe"), reversed)
        .settings(RunSettings::new().journal(state.path()))
        .await
        .unwrap_err();
    assert_eq!((error.done().created.len(), error.outcome()), (10, Outcome::Executed), "{error}");
    let runs = JournalStore::of(state.path(), client.base_url().as_str(), PAGE).list().unwrap();
    assert_eq!(error.run(), Some(&*runs[0].run));
    assert_eq!(runs[0].log.as_ref().unwrap().state, RunState::Unfinished);
}

#[tokio::test]
async fn a_read_that_fails_has_written_nothing() {
    let (server, client) = cafe().await;
    server.fail(1..9, &Fault::Before(500));
    let error = Apply::new(&client.profile("cafe"), ten_slots()).await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Read(_)), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
}

#[tokio::test]
async fn a_page_belongs_to_one_run_at_a_time_and_a_drastic_plan_is_refused() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let runs = JournalStore::of(state.path(), client.base_url().as_str(), PAGE);
    let lock = runs.lock().unwrap();
    let run = || {
        Apply::new(&client.profile("cafe"), ten_slots())
            .settings(RunSettings::new().journal(state.path()))
            .prune(true)
    };
    let error = run().await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Lock(LockError::Taken(_))), "{error}");
    drop(lock);

    server.forget_requests();
    let error = run().await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Guard(_)), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    let error = run().max_deletes(99).confirm(|_, _| false).await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Declined), "{error}");
    let stop = |_: Step| ControlFlow::Break(());
    let error = run().max_deletes(99).on_step(stop).await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Stopped), "{error}");
    let operations: Vec<_> = server.requests().iter().filter_map(|it| it.operation).collect();
    assert_eq!(operations, ["getProfile"; 3]);
}

#[tokio::test]
async fn a_check_asks_for_every_create_and_update_and_writes_nothing() {
    let (server, client) = cafe().await;
    let page = client.profile("cafe").slots().list().await.unwrap();
    let text = page.iter().find(|slot| slot.kind == "text").unwrap();
    let file: DesiredPage = serde_json::from_value(json!({"slots": [
        {"id": text.id, "type": "text", "data": {"titel": "A"}},
        {"type": "divider"},
        {"type": "button", "data": {"titel": "B"}},
    ]}))
    .unwrap();
    server.forget_requests();
    let checked = Apply::new(&client.profile("cafe"), file).check().await.unwrap();
    let refused: Vec<_> = checked.iter().map(|it| (it.index, it.path.join("."))).collect();
    assert!(refused.contains(&(0, "data.titel".to_owned())), "{refused:?}");
    assert!(refused.contains(&(2, "data.titel".to_owned())), "{refused:?}");
    let operations: Vec<_> = server.requests().iter().filter_map(|it| it.operation).collect();
    assert_eq!(operations, ["getProfile", "updateSlots", "createSlots"]);
    assert_eq!(client.profile("cafe").slots().list().await.unwrap(), page);
}

#[tokio::test]
async fn runs_of_one_process_take_turns_on_a_page_without_a_journal() {
    let (server, client) = cafe().await;
    let page: DesiredPage = serde_json::from_value(json!({"slots": [
        {"type": "text", "data": {"title": "Closed today"}},
        {"type": "text", "data": {"title": "Open tomorrow"}},
    ]}))
    .unwrap();
    let before = server.account().profiles[0].slots.len();
    let other = client_of(&server);
    let run = |nth: usize| {
        let client = if nth.is_multiple_of(2) { &client } else { &other };
        tokio::spawn(Apply::new(&client.profile("cafe"), page.clone()).into_future())
    };
    let runs: Vec<_> = (0..4).map(run).collect();
    let mut created = Vec::new();
    for run in runs {
        created.push(run.await.unwrap().unwrap().done.created.len());
    }
    created.sort_unstable();
    assert_eq!(created, [0, 0, 0, 2]);
    assert_eq!(server.account().profiles[0].slots.len(), before + 2);
}

#[tokio::test]
async fn a_page_that_a_run_of_this_process_changed_after_it_was_read_is_read_again() {
    let (server, client) = cafe().await;
    let page: DesiredPage = serde_json::from_value(
        json!({"slots": [{"type": "text", "data": {"title": "Closed today"}}]}),
    )
    .unwrap();
    server.fail_operation("getProfile", 1, &Fault::StallAfter);
    let late = tokio::spawn(Apply::new(&client.profile("cafe"), page.clone()).into_future());
    server.until_stalled(1).await;
    let first = Apply::new(&client.profile("cafe"), page).await.unwrap();
    assert_eq!(first.done.created.len(), 1);
    server.release();
    let late = late.await.unwrap().unwrap();
    assert_eq!((late.done.created.len(), late.plan.is_empty()), (0, true));
}

#[tokio::test]
async fn a_run_that_is_dropped_gives_its_turn_to_the_next() {
    let (server, client) = cafe().await;
    let page: DesiredPage = serde_json::from_value(
        json!({"slots": [{"type": "text", "data": {"title": "Closed today"}}]}),
    )
    .unwrap();
    server.fail_operation("createSlots", 1, &Fault::StallBefore);
    let dropped = tokio::spawn(Apply::new(&client.profile("cafe"), page.clone()).into_future());
    server.until_stalled(1).await;
    let next = tokio::spawn(Apply::new(&client.profile("cafe"), page).into_future());
    links_test_support::executor::others_run().await;
    assert!(!next.is_finished());
    dropped.abort();
    let next = next.await.unwrap().unwrap();
    assert_eq!(next.done.created.len(), 1);
    server.release();
}

#[tokio::test]
async fn a_program_that_goes_on_after_a_failed_lock_writes_nothing() {
    let (server, client) = cafe().await;
    let before = server.account();
    // A file stands where the journals would be.
    let state = tempfile::NamedTempFile::new().unwrap();
    let request = PageRequest { keys: vec![PAGE.into()], path: None, may_create: false };
    let settings = RunSettings::new().journal(state.path());
    let mut page =
        Run::begin(&client, vec![request], settings).await.unwrap().open(0).await.unwrap();
    let desired = Arc::new(ten_slots());
    let proposal = Proposal::new(page.snapshot(), desired, PlanOptions::default()).unwrap();
    page.propose(proposal.clone()).unwrap_err();
    page.propose(proposal).unwrap();
    let ended = execute(vec![page], false, &mut |_, _, _| ControlFlow::Continue(())).await;
    ended[0].result.as_ref().unwrap_err();
    assert_eq!(server.account().profiles, before.profiles);
}

#[tokio::test]
async fn a_run_that_only_plans_writes_nothing_whatever_its_program_does_next() {
    let (server, client) = cafe().await;
    let requests = ["cafe", "qara.new"].map(|login| PageRequest {
        keys: vec![login.parse().unwrap()],
        path: None,
        may_create: true,
    });
    let run = Run::plan(&client, requests.to_vec(), RunSettings::new()).await.unwrap();
    let mut pages = Vec::new();
    for nth in run.order() {
        let mut page = run.open(nth).await.unwrap();
        let slots = &page.snapshot().slots;
        let same = Arc::new(DesiredPage::from_page(slots, &SlotTypes::default()));
        let proposal = Proposal::new(page.snapshot(), same, PlanOptions::default()).unwrap();
        page.propose(proposal).unwrap();
        assert_eq!(page.create().await.is_ok(), page.snapshot().exists());
        pages.push(page);
    }
    let ended = execute(pages, false, &mut |_, _, _| ControlFlow::Continue(())).await;
    assert_eq!(ended.len(), 2);
    assert!(ended.iter().all(|page| page.result.is_err()));
    assert!(server.requests().iter().all(|request| request.method == "GET"));
}

#[tokio::test]
async fn a_plan_of_earlier_fields_is_refused_when_it_is_set_and_when_it_is_revised() {
    let (server, client) = cafe().await;
    let open = || async {
        let request = PageRequest { keys: vec![PAGE.into()], path: None, may_create: false };
        let run = Run::begin(&client, vec![request], RunSettings::new()).await.unwrap();
        run.open(0).await.unwrap()
    };
    let titled = |page: &OpenPage, title: &str| {
        let mut desired = DesiredPage::from_page(&page.snapshot().slots, &SlotTypes::default());
        desired.fields.insert("title".to_owned(), json!(title));
        Proposal::new(page.snapshot(), Arc::new(desired), PlanOptions::default()).unwrap()
    };
    let earlier = titled(&open().await, "Ours");
    server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));

    let mut page = open().await;
    let error = page.propose(earlier.clone()).unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
    page.propose(titled(&page, "Other")).unwrap();
    page.revise(earlier);
    let ended = execute(vec![page], false, &mut |_, _, _| ControlFlow::Continue(())).await;
    let error = ended[0].result.as_ref().unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    assert_eq!(server.account().profiles[0].title.as_deref(), Some("Theirs"));
}
