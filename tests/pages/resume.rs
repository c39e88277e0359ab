//! Tests of interrupted runs, which another process continues from their journals; the tests carry the numbers of the project's list of
//! faults.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use links_fixtures::{Choices, ContractServer, Fault, IdempotentWrites, World};
use links_pages::apply::{
    Apply, ApplyCause, DesiredPage, JournalStore, Notice, PlanOptions, RunSettings, RunState, Step,
};
use links_sdk::types::NewSlot;
use links_sdk::{Client, IdempotencyKey, Outcome, ProfileId, ProfileKey, Timeouts, Token};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recorded_run;
use crate::recorded_run::{OnStep, RunResult};
use links_sdk::testing::TestClock;
use links_test_support::clock::shared_clock;
use links_test_support::proxy::{Act, Proxy};

const PAGE: ProfileId = ProfileId::new(101);

/// A service behind a proxy, a clock shared by all, and a directory of state.
struct JournalEnv {
    server: ContractServer,
    clock: Arc<TestClock>,
    service_clock: links_fixtures::Clock,
    proxy: Arc<Proxy>,
    client: Client,
    state: TempDir,
    /// Set if slots that the file does not name are deleted.
    prune: bool,
}

fn file(items: Value) -> DesiredPage {
    serde_json::from_value(json!({ "slots": items })).unwrap()
}

fn three_dividers() -> DesiredPage {
    file(json!([{"type": "divider"}, {"type": "divider"}, {"type": "divider"}]))
}

/// Maximum time that a request may take.
const PATIENCE: Duration = Duration::from_millis(300);

fn client(
    server: &ContractServer,
    proxy: &Arc<Proxy>,
    clock: Arc<impl links_sdk::Clock + 'static>,
    patience: Duration,
) -> Client {
    let mut timeouts = Timeouts::default();
    timeouts.attempt = Some(patience);
    Client::builder(proxy.base_url())
        .token(Token::new(server.token()).unwrap())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .timeouts(timeouts)
        .clock(clock)
        .build()
        .unwrap()
}

impl JournalEnv {
    /// Returns an environment with a page with one divider.
    async fn new(choices: Choices) -> Self {
        let (clock, service_clock) = shared_clock();
        let mut account = World::cafe().into_account();
        account.profiles[0].slots = vec![links_fixtures::Slot::new(1, "divider", <_>::default())];
        let server = ContractServer::builder(World::of(account)).clock(service_clock.clone());
        let server = server.no_limits().choices(choices).start().await.unwrap();
        let proxy = Proxy::before(&server);
        let client = client(&server, &proxy, clock.clone(), PATIENCE);
        let state = tempfile::tempdir().unwrap();
        Self { server, clock, service_clock, proxy, client, state, prune: false }
    }

    fn runs(&self) -> JournalStore {
        JournalStore::of(self.state.path(), "test", PAGE)
    }

    /// Runs one process from its start to its end; `acts` are the faults of its requests.
    async fn process(&self, file: &DesiredPage, acts: impl IntoIterator<Item = Act>) -> RunResult {
        self.watched(file, acts, &mut |_| ControlFlow::Continue(())).await
    }

    /// Applies in a process that stops before a step if `watch` asks for it.
    async fn watched(
        &self,
        file: &DesiredPage,
        acts: impl IntoIterator<Item = Act>,
        watch: OnStep<'_>,
    ) -> RunResult {
        self.proxy.script(acts);
        let options = PlanOptions { prune: self.prune, ..PlanOptions::default() };
        let (key, state) = (ProfileKey::Id(PAGE), Some(self.state.path()));
        recorded_run::apply(&self.client, &key, file, &options, state, watch).await
    }

    /// Returns the keys that `createSlots` was sent under, each once, and checks that each had one body.
    fn keys(&self) -> Vec<String> {
        let mut sent: Vec<(String, Vec<u8>)> = Vec::new();
        for request in self.server.requests() {
            if request.operation != Some("createSlots") {
                continue;
            }
            let key = request.header("idempotency-key").unwrap().to_owned();
            match sent.iter().find(|(known, _)| *known == key) {
                Some((_, body)) => assert_eq!(*body, request.body, "one key, one body"),
                None => sent.push((key, request.body)),
            }
        }
        sent.into_iter().map(|(key, _)| key).collect()
    }

    /// Returns the key of the first create that a run has recorded.
    fn recorded_key(&self) -> String {
        let run = self.runs().list().unwrap().remove(0);
        let journal = std::fs::read_to_string(run.path).unwrap();
        let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut keys = entries.filter_map(|it| Some(it["begin"]["key"].as_str()?.to_owned()));
        keys.next().unwrap()
    }

    fn slots(&self) -> Vec<u64> {
        self.server.account().profiles[0].slots.iter().map(|slot| slot.id).collect()
    }

    fn state(&self) -> Vec<RunState> {
        self.runs().list().unwrap().into_iter().map(|run| run.log.unwrap().state).collect()
    }
}

fn pass(count: usize) -> impl Iterator<Item = Act> {
    std::iter::repeat_with(Act::pass).take(count)
}

fn lost(count: usize) -> impl Iterator<Item = Act> {
    std::iter::repeat_with(Act::reset_before).take(count)
}

/// Returns faults with which the page is read; the create is lost on its way, and the page cannot be read any more.
fn never_arrives() -> Vec<Act> {
    pass(1).chain(lost(5)).collect()
}

/// Returns faults with which the page is read; the create is executed, but no answer arrives; nor can the page be read any more.
fn never_answered() -> Vec<Act> {
    pass(1).chain([Act::reset_after()]).chain(lost(4)).collect()
}

#[tokio::test]
async fn a_create_that_never_arrived_is_sent_again_as_it_was() {
    let env = JournalEnv::new(Choices::default()).await;
    let end = env.process(&three_dividers(), never_arrives()).await;
    assert_eq!(end.result.unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!((env.slots().len(), env.state()), (1, vec![RunState::Unfinished]));

    let end = env.process(&three_dividers(), []).await;
    end.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
    assert_eq!(env.state(), [RunState::Done]);
}

#[tokio::test]
async fn a_create_that_was_never_answered_is_found_on_the_page() {
    let env = JournalEnv::new(Choices::default()).await;
    let end = env.process(&three_dividers(), never_answered()).await;
    assert_eq!(end.result.unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!(env.slots().len(), 3);

    env.server.forget_requests();
    env.process(&three_dividers(), []).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 0), "reading was enough");
    assert_eq!(env.state(), [RunState::Done]);
}

#[tokio::test]
async fn a_create_without_an_answer_is_looked_for_even_where_keys_are_ignored() {
    for choices in [
        Choices::default(),
        Choices { idempotent_writes: IdempotentWrites::None, ..Choices::default() },
    ] {
        for act in [Act::reset_before(), Act::reset_after(), Act::cut(2), Act::stall_after()] {
            let env = JournalEnv::new(choices.clone()).await;
            let end = env.process(&three_dividers(), pass(1).chain([act])).await;
            end.result.unwrap();
            assert_eq!((env.slots().len(), end.done.created.len()), (3, 2));
            assert_eq!((env.keys().len(), env.state()), (1, vec![RunState::Done]));
        }
    }
}

#[tokio::test]
async fn a_create_that_is_executed_after_the_next_process_has_read_is_created_once() {
    let env = JournalEnv::new(Choices::default()).await;
    let acts = pass(1).chain([Act::late()]).chain(lost(4));
    let end = env.process(&three_dividers(), acts).await;
    assert_eq!(end.result.unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!(env.slots().len(), 1);

    // The create is executed right after the first request of the next process, which reads the page.
    env.process(&three_dividers(), []).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
}

#[tokio::test]
async fn a_stored_failure_is_retried_under_another_key_if_nothing_was_created() {
    for (fault, keys) in [(Fault::Before(500), 2), (Fault::After(500), 1), (Fault::Before(503), 2)]
    {
        let env = JournalEnv::new(Choices { failures_stored: true, ..Choices::default() }).await;
        env.server.fail([2], &fault);
        env.process(&three_dividers(), []).await.result.unwrap();
        assert_eq!((env.slots().len(), env.keys().len()), (3, keys), "{fault:?}");
        assert_eq!(env.state(), [RunState::Done]);
    }
}

#[tokio::test]
async fn a_gateway_timeout_is_no_stored_failure() {
    let env = JournalEnv::new(Choices::default()).await;
    let gateway = || Act::answer(504, &[], "<html>Gateway Timeout</html>");
    let acts = pass(1).chain([gateway()]).chain(pass(1)).chain([gateway()]).chain(pass(1));
    env.process(&three_dividers(), acts.chain([gateway()])).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
}

#[tokio::test]
async fn a_create_is_not_sent_again_before_the_time_that_the_service_names() {
    let env = JournalEnv::new(Choices::default()).await;
    let busy = Act::answer(503, &[("Retry-After", "20")], r#"{"message": "Busy."}"#);
    env.process(&three_dividers(), pass(1).chain([busy])).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
    assert!(env.clock.slept().contains(&Duration::from_secs(20)), "{:?}", env.clock.slept());
}

#[tokio::test]
async fn a_failure_stored_for_an_ended_process_is_retried_under_another_key() {
    let env = JournalEnv::new(Choices { failures_stored: true, ..Choices::default() }).await;
    env.server.fail([2], &Fault::Before(500));
    env.process(&three_dividers(), never_answered()).await.result.unwrap_err();

    env.process(&three_dividers(), []).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 2));
    assert_eq!(env.state(), [RunState::Done]);
}

#[tokio::test]
async fn a_create_that_is_still_in_progress_is_waited_for() {
    let env = JournalEnv::new(Choices::default()).await;
    env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
    env.server.fail([2], &Fault::InFlight);
    env.process(&three_dividers(), []).await.result.unwrap();
    assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
}

#[tokio::test]
async fn a_conflict_that_names_no_time_is_no_refusal_while_the_create_is_in_doubt() {
    let env = JournalEnv::new(Choices::default()).await;
    env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
    let conflict = Act::answer(409, &[], r#"{"message": "Busy.", "code": "conflict"}"#);
    env.process(&three_dividers(), pass(2).chain([conflict])).await.result.unwrap();
    assert_eq!(env.slots().len(), 3);
    assert_eq!(env.keys(), [env.recorded_key()], "under the key that it had");
}

#[tokio::test]
async fn a_key_used_for_another_request_is_not_used_again() {
    let env = JournalEnv::new(Choices::default()).await;
    env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
    let key = IdempotencyKey::new(env.recorded_key()).unwrap();
    env.proxy.script([]);
    let slots = env.client.profile(PAGE).slots();
    let foreign = vec![NewSlot::of("text").with("title", "Of another client")];
    slots.create_batch(foreign).with_idempotency_key(key).await.unwrap();

    env.server.forget_requests();
    let end = env.process(&three_dividers(), []).await;
    let error = end.result.unwrap_err();
    assert!(
        matches!(error.cause(), ApplyCause::Call { source, .. } if source.is_validation()),
        "{error}"
    );
    assert_eq!((env.slots().len(), env.keys().len()), (2, 1));
    assert_eq!(env.state(), [RunState::Unfinished], "its user has to look at it");
}

#[tokio::test]
async fn after_an_edit_of_the_file_no_old_create_is_sent_again() {
    let env = JournalEnv::new(Choices::default()).await;
    env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
    env.server.forget_requests();
    let edited = file(json!([{"type": "divider"}, {"type": "text", "data": {"title": "New"}}]));
    env.process(&edited, []).await.result.unwrap();
    assert_eq!(env.slots().len(), 2);
    let states = env.state();
    assert!(matches!(states[..], [RunState::Ended(_), RunState::Done]), "{states:?}");
    assert!(!env.keys().contains(&env.recorded_key()), "{:?}", env.keys());
}

#[tokio::test]
async fn a_day_later_a_create_is_planned_again_and_not_repeated() {
    for (hours, kept) in [(22, true), (25, false)] {
        let env = JournalEnv::new(Choices::default()).await;
        env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
        env.server.forget_requests();
        env.service_clock.advance(Duration::from_secs(hours * 3600));
        let end = env.process(&three_dividers(), []).await;
        end.result.unwrap();
        assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
        assert_eq!(end.plan.unwrap().creates.is_empty(), kept, "{hours} hours");
    }
}

#[tokio::test]
async fn a_created_slot_removed_by_another_client_is_planned_again() {
    let env = JournalEnv::new(Choices::default()).await;
    // The create succeeds; the reorder is lost, and the page cannot be read.
    let file = file(json!([{"type": "text", "data": {"title": "First"}}, {"type": "divider"}]));
    let end = env.process(&file, pass(2).chain(lost(5))).await;
    end.result.unwrap_err();
    let made = end.done.created[&0];
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id == 1));

    let end = env.process(&file, []).await;
    end.result.unwrap();
    assert_eq!(end.plan.unwrap().notices, [Notice::RemovedSince { index: 0, id: made }]);
    assert_eq!(env.slots().len(), 2);
}

#[tokio::test]
async fn the_slots_left_of_a_batch_show_that_it_was_created() {
    let env = JournalEnv::new(Choices::default()).await;
    let file = file(json!([
        {"type": "divider"},
        {"type": "text", "data": {"title": "A"}},
        {"type": "text", "data": {"title": "B"}},
    ]));
    env.process(&file, never_answered()).await.result.unwrap_err();
    env.server.edit(|account| account.profiles[0].slots.remove(1));
    env.server.forget_requests();
    let end = env.process(&file, []).await;
    end.result.unwrap();
    assert_eq!(end.plan.unwrap().creates.len(), 1, "it is shown as one to create");
    assert_eq!(env.slots().len(), 3);
    assert_ne!(env.keys(), [env.recorded_key()], "not under the old key");
}

#[tokio::test]
async fn a_create_is_in_doubt_no_longer_when_the_page_has_no_room_for_it() {
    let env = JournalEnv::new(Choices::default()).await;
    env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
    env.server.edit(|account| {
        account.profiles[0].slots =
            (1..=500).map(|id| links_fixtures::Slot::new(id, "event", <_>::default())).collect();
    });
    let before = env.slots().len();
    let error = env.process(&three_dividers(), []).await.result.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Plan(_)), "{error}");
    let recorded = env.runs().list().unwrap().remove(0);
    assert!(!recorded.log.unwrap().is_unsettled());
    assert_eq!(env.slots().len(), before);
}

#[tokio::test]
async fn equal_items_that_two_batches_share_are_each_created_once() {
    let texts = (0..48).map(|n| json!({"type": "text", "data": {"title": format!("Text {n}")}}));
    let divider = || json!({"type": "divider"});
    // One divider is on the page; two of the others are in the first batch of fifty, the third is the second batch.
    let mut items: Vec<Value> = texts.collect();
    items.splice(20..20, [divider(), divider(), divider()]);
    items.push(divider());
    let file = file(items.into());
    for acts in [
        vec![],
        pass(1).chain([Act::reset_after()]).collect(),
        pass(2).chain([Act::reset_after()]).chain(lost(4)).collect::<Vec<_>>(),
        pass(2).chain([Act::reset_before()]).chain(lost(4)).collect(),
    ] {
        let env = JournalEnv::new(Choices::default()).await;
        let interrupted = acts.len() > 3;
        let end = env.process(&file, acts).await;
        assert_eq!(end.result.is_err(), interrupted, "{:?}", end.result);
        env.process(&file, []).await.result.unwrap();
        let account = env.server.account();
        let kinds =
            |kind: &str| account.profiles[0].slots.iter().filter(|slot| slot.kind == kind).count();
        assert_eq!((kinds("divider"), kinds("text")), (4, 48));
        assert_eq!(env.keys().len(), 2, "a key for each batch");
    }
}

/// Returns a page on which every kind of step is to be taken, and its file.
async fn busy_desk() -> (JournalEnv, DesiredPage) {
    let mut env = JournalEnv::new(Choices::default()).await;
    env.prune = true;
    env.server.edit(|account| {
        let text = |id: u64, title: &str| {
            let data = json!({ "title": title });
            links_fixtures::Slot::new(id, "text", data.as_object().unwrap().clone())
        };
        account.profiles[0].slots = vec![text(1, "Old"), text(2, "Doomed"), text(3, "Stays")];
    });
    let file = file(json!([
        {"id": 3, "type": "text"},
        {"type": "divider"},
        {"id": 1, "type": "text", "data": {"title": "New"}},
    ]));
    (env, file)
}

async fn is_finished_by_the_next(env: &JournalEnv, file: &DesiredPage, at: &str) {
    env.process(file, []).await.result.unwrap_or_else(|error| panic!("{at}: {error}"));
    let account = env.server.account();
    let slots: Vec<_> = account.profiles[0].slots.iter().map(|slot| slot.kind.as_str()).collect();
    assert_eq!(slots, ["text", "divider", "text"], "{at}");
    assert_eq!(env.slots()[0], 3, "{at}");
    assert_eq!(account.profiles[0].slots[2].data["title"], "New", "{at}");
    env.server.forget_requests();
    assert!(env.process(file, []).await.plan.unwrap().is_empty(), "{at}");
    assert_eq!(env.server.requests().len(), 1, "{at}");
    assert!(!env.state().contains(&RunState::Unfinished), "{at}");
    assert_eq!(undone(env, at).await, ["Old", "Doomed", "Stays"], "{at}");
}

/// Takes the newest run back, and returns the titles of the page.
async fn undone(env: &JournalEnv, at: &str) -> Vec<Value> {
    let journal = RunSettings::new().journal(env.state.path());
    let settings = RunSettings { service: Some("test".to_owned()), ..journal };
    let undo = Apply::undo(&env.client.profile(PAGE), settings).await;
    let undo = undo.unwrap_or_else(|error| panic!("{at}: {error}"));
    undo.unwrap_or_else(|| panic!("{at}: there is nothing to undo")).await.unwrap();
    let account = env.server.account();
    account.profiles[0].slots.iter().map(|slot| slot.data["title"].clone()).collect()
}

#[tokio::test]
async fn a_reorder_without_an_answer_can_be_taken_back() {
    let (env, _) = busy_desk().await;
    let file = file(json!([3, 1, 2].map(|id| json!({"id": id, "type": "text"}))));
    let end = env.process(&file, pass(1).chain([Act::reset_after()]).chain(lost(4))).await;
    assert_eq!(end.result.unwrap_err().outcome(), Outcome::Unknown);
    env.process(&file, []).await.result.unwrap();
    assert_eq!(undone(&env, "order").await, ["Old", "Doomed", "Stays"]);
}

#[tokio::test]
async fn updates_without_an_answer_can_be_taken_back_after_one_of_them_was_edited() {
    let (env, _) = busy_desk().await;
    let titled = |id: u64| json!({"id": id, "type": "text", "data": {"title": "New"}});
    let file = file(json!([titled(1), titled(2), {"id": 3, "type": "text"}]));
    let end = env.process(&file, pass(1).chain([Act::reset_after()]).chain(lost(4))).await;
    assert_eq!(end.result.unwrap_err().outcome(), Outcome::Unknown);
    env.server.edit(|account| {
        account.profiles[0].slots[1].data.insert("title".to_owned(), "Theirs".into());
    });
    env.process(&file, []).await.result.unwrap();
    assert_eq!(undone(&env, "updates").await, ["Old", "Theirs", "Stays"]);
}

#[tokio::test]
async fn a_run_that_is_stopped_before_any_step_is_finished_by_the_next() {
    let mut steps = 1;
    for stop in 0.. {
        let (env, file) = busy_desk().await;
        let mut seen = 0;
        let mut watch = |_: Step| {
            seen += 1;
            if seen > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let end = env.watched(&file, [], &mut watch).await;
        end.result.unwrap();
        let is_over = seen <= stop;
        let expected = match (stop, is_over) {
            (0, _) => RunState::Ended(links_pages::apply::RunEnding::Stopped),
            (_, true) => RunState::Done,
            (_, false) => RunState::Unfinished,
        };
        assert_eq!(env.state(), [expected], "stopped before step {stop}");
        is_finished_by_the_next(&env, &file, &format!("stopped before step {stop}")).await;
        if is_over {
            steps = stop;
            break;
        }
    }
    assert_eq!(steps, 5, "update, create, reorder, delete, verify");
}

#[tokio::test]
async fn a_run_that_is_dropped_in_any_request_is_finished_by_the_next() {
    for (name, act) in [("before", Act::stall_before as fn() -> Act), ("after", Act::stall_after)] {
        // The first request reads the page.
        for nth in 2..=6 {
            let (env, file) = busy_desk().await;
            let at = format!("dropped in request {nth}, {name} it was carried out");
            let patient = JournalEnv { client: patient(&env), ..env };
            let arrived = async {
                while patient.proxy.arrived().len() < nth {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                end = patient.process(&file, pass(nth - 1).chain([act()])) => panic!("{at}: {end:?}"),
                () = arrived => {}
            }
            is_finished_by_the_next(&patient, &file, &at).await;
        }
    }
}

/// Returns a client whose time limit is never reached.
fn patient(env: &JournalEnv) -> Client {
    client(&env.server, &env.proxy, shared_clock().0, Duration::from_secs(600))
}

/// A clock on the client's machine that differs from the service's.
#[derive(Debug)]
struct SkewedClock {
    clock: Arc<TestClock>,
    back: Duration,
    forth: Duration,
}

impl links_sdk::Clock for SkewedClock {
    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }
    fn wall(&self) -> SystemTime {
        self.clock.wall() - self.back + self.forth
    }
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.clock.sleep(duration)
    }
}

#[tokio::test]
async fn the_age_of_a_key_is_told_by_the_service_and_not_by_the_clock_of_this_machine() {
    let days = Duration::from_secs(3 * 24 * 3600);
    for (back, forth) in [(days, Duration::ZERO), (Duration::ZERO, days)] {
        for (hours, kept) in [(1, true), (25, false)] {
            let mut env = JournalEnv::new(Choices::default()).await;
            env.process(&three_dividers(), never_arrives()).await.result.unwrap_err();
            env.server.forget_requests();
            env.service_clock.advance(Duration::from_secs(hours * 3600));
            let clock = Arc::new(SkewedClock { clock: env.clock.clone(), back, forth });
            env.client = client(&env.server, &env.proxy, clock, PATIENCE);
            let end = env.process(&three_dividers(), []).await;
            end.result.unwrap();
            assert_eq!((env.slots().len(), env.keys().len()), (3, 1));
            let is_kept = end.plan.unwrap().creates.is_empty();
            assert_eq!(is_kept, kept, "{hours} hours, {back:?} back, {forth:?} forth");
        }
    }
}

#[tokio::test]
async fn a_process_that_ended_before_its_last_read_is_settled_by_one_read() {
    let env = JournalEnv::new(Choices::default()).await;
    let file =
        file(json!([{"id": 1, "type": "divider"}, {"type": "text", "data": {"title": "A"}}]));
    // Only the final read is lost.
    let end = env.process(&file, pass(2).chain(lost(4))).await;
    end.result.unwrap_err();
    assert_eq!(env.state(), [RunState::Unfinished]);
    env.server.forget_requests();
    let end = env.process(&file, []).await;
    assert!(end.plan.unwrap().is_empty());
    assert_eq!(env.server.requests().len(), 1);
    assert_eq!(env.state(), [RunState::Done]);
}

#[tokio::test]
async fn a_token_that_only_reads_ends_the_run_with_nothing_to_go_on_with() {
    let env = JournalEnv::new(Choices::default()).await;
    env.server.edit(|account| {
        for token in &mut account.tokens {
            token.abilities.retain(|ability| ability != "profile:write");
        }
    });
    let end = env.process(&three_dividers(), []).await;
    let error = end.result.unwrap_err();
    assert!(
        matches!(error.cause(), ApplyCause::Call { source, .. } if source.is_forbidden()),
        "{error}"
    );
    assert!(matches!(env.state()[..], [RunState::Ended(_)]));
    assert_eq!(env.slots().len(), 1);
}
