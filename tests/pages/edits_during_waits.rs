//! Tests of edits by another client while a run waits: before any of its requests, for any reason, of any kind of slot.

use std::ops::ControlFlow;

use links_fixtures::Account;
use links_pages::apply::{AppliedChanges, ApplyCause, ApplyError, DesiredPage, PlanOptions, Step};
use links_sdk::ProfileKey;
use links_sdk::{Outcome, RateLimits};
use serde_json::{Value, json};

use crate::foreign_edit::{DOOMED, Edit, FOREIGN, NAMED, PAGE, THEIRS, UPDATED, every_step, text};
use crate::recorded_run;
use links_test_support::contended::{ContendedEnv, slow, troubles};
use links_test_support::proxy::Act;

const EDITS: [Edit; 8] = [
    Edit::Add,
    Edit::Change(UPDATED, "title"),
    Edit::Change(UPDATED, "description"),
    Edit::Change(NAMED, "title"),
    Edit::Change(DOOMED, "title"),
    Edit::Delete(NAMED),
    Edit::Delete(DOOMED),
    Edit::Move,
];

fn start(account: &mut Account) {
    account.profiles[0].slots =
        vec![text(UPDATED, "Old"), text(NAMED, "Named"), text(DOOMED, "Doomed")];
}

fn file(items: Value) -> DesiredPage {
    serde_json::from_value(json!({ "slots": items })).unwrap()
}

struct AppliedRun {
    result: Result<(), ApplyError>,
    done: AppliedChanges,
    account: Account,
}

async fn apply(
    env: &ContendedEnv,
    file: &DesiredPage,
    hear: &mut (dyn FnMut(Step) + Send),
) -> AppliedRun {
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let mut watch = |step| {
        hear(step);
        ControlFlow::Continue(())
    };
    let key = ProfileKey::Id(PAGE);
    let ended = recorded_run::apply(&env.client, &key, file, &options, None, &mut watch).await;
    let result = ended.result.map(|_| ());
    AppliedRun { result, done: ended.done, account: env.server.account() }
}

/// Checks that nothing of the other client is lost, and that the run does not end as if nothing had happened.
fn judge(at: &str, edit: Edit, ended: &AppliedRun) {
    let slots = &ended.account.profiles[0].slots;
    let there = |id: u64| slots.iter().find(|slot| slot.id == id);
    match edit {
        Edit::Add => assert!(there(FOREIGN).is_some(), "{at}"),
        Edit::Change(id, key) => {
            let slot = there(id).unwrap_or_else(|| panic!("{id} is gone: {at}"));
            assert_eq!(slot.data[key], THEIRS, "{at}");
        }
        Edit::Delete(_) | Edit::Move => {}
    }
    for id in [UPDATED, NAMED] {
        assert_eq!(there(id).is_none(), edit == Edit::Delete(id), "{at}");
    }
    // If the delete may have been executed, it is unknown which client deleted the slot.
    let is_ours = edit == Edit::Delete(DOOMED) && ended.done.deleted == 1;
    assert!(is_ours || ended.result.is_err(), "the run ended well: {at}");
}

#[tokio::test]
async fn an_edit_during_a_wait_before_a_write_is_kept_and_reported() {
    let mut tried = 0;
    for (name, trouble) in troubles() {
        // After the page is read: the update, the create, the order, the delete.
        for request in 1..=4 {
            for edit in EDITS {
                let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
                env.server.edit(start);
                env.meddle(move |account| edit.make(account));
                let passing = std::iter::repeat_with(Act::pass).take(request);
                env.proxy.script(passing.chain([trouble.clone()]));
                let ended = apply(&env, &every_step(), &mut |_| ()).await;
                let at = format!(
                    "{edit:?} in the wait after {name} of write {request}: {:?}",
                    ended.result
                );
                assert!(env.was_meddled_with(), "{at}");
                judge(&at, edit, &ended);
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 5 * 4 * 8);
}

#[tokio::test]
async fn an_edit_during_a_rate_limit_wait_is_kept() {
    // One request after the other has to wait, the one before it is the last that does not.
    for free in 1..=4 {
        for edit in EDITS {
            let mut limits = RateLimits::default();
            limits.per_second = free;
            let env = ContendedEnv::new(limits).await;
            env.server.edit(start);
            env.meddle(move |account| edit.make(account));
            let ended = apply(&env, &every_step(), &mut |_| ()).await;
            let at = format!("{edit:?} at {free} requests a second: {:?}", ended.result);
            assert!(env.was_meddled_with(), "{at}");
            judge(&at, edit, &ended);
        }
    }
}

#[tokio::test]
async fn a_delayed_run_without_foreign_edits_succeeds() {
    let mut acts = troubles();
    acts.push(("lost after it was carried out", Act::reset_after()));
    acts.push(("cut", Act::cut(9)));
    for (name, trouble) in acts {
        for request in 1..=5 {
            let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
            env.server.edit(start);
            let passing = std::iter::repeat_with(Act::pass).take(request);
            env.proxy.script(passing.chain([trouble.clone()]));
            let ended = apply(&env, &every_step(), &mut |_| ()).await;
            ended.result.unwrap_or_else(|error| panic!("{name} of request {request}: {error}"));
            let AppliedChanges { updated, created, reordered, deleted, .. } = ended.done;
            assert_eq!((updated, created.len(), reordered, deleted), (1, 1, true, 1), "{name}");
            let slots: Vec<_> = ended.account.profiles[0].slots.iter().map(|it| it.id).collect();
            assert_eq!((slots.len(), slots[1], slots[2]), (3, NAMED, UPDATED), "{name}");
        }
    }
}

#[tokio::test]
async fn where_one_request_a_second_is_allowed_a_run_ends_well() {
    let mut one = RateLimits::default();
    one.per_second = 1;
    for limits in [one, RateLimits::default()] {
        let env = slow(limits).await;
        env.server.edit(start);
        let ended = apply(&env, &every_step(), &mut |_| ()).await;
        ended.result.unwrap();
        let AppliedChanges { updated, created, reordered, deleted, .. } = ended.done;
        assert_eq!((updated, created.len(), reordered, deleted), (1, 1, true, 1));
    }
}

#[tokio::test]
async fn the_page_is_read_before_every_batch_of_deletes() {
    // Sixty slots to delete take two requests; another client edits one of the second during the first.
    let doomed = 100..160;
    for (edited, left) in [(159, 10), (100, 60)] {
        let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
        env.server.edit(|account| {
            account.profiles[0].slots =
                doomed.clone().map(|id| text(id, &format!("Doomed {id}"))).collect();
            account.profiles[0].slots.push(text(NAMED, "Named"));
        });
        let mut deletes = 0;
        let wanted = if edited == 159 { 2 } else { 1 };
        let mut hear = |step| {
            if matches!(step, Step::Delete(_)) {
                deletes += 1;
                if deletes == wanted {
                    env.server.edit(|account| Edit::Change(edited, "title").make(account));
                }
            }
        };
        let file = file(json!([{"id": NAMED, "type": "text"}]));
        let ended = apply(&env, &file, &mut hear).await;
        let error = ended.result.unwrap_err();
        assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
        let slots = &ended.account.profiles[0].slots;
        assert_eq!(slots.len(), left + 1, "{edited} is deleted: nothing of the second batch");
        assert!(slots.iter().any(|slot| slot.id == edited && slot.data["title"] == THEIRS));
    }
}

#[tokio::test]
async fn the_same_edit_by_another_client_is_no_conflict() {
    let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
    env.server.edit(start);
    env.meddle(|account| {
        account.profiles[0].slots[0].data.insert("title".into(), "New".into());
    });
    env.proxy.script([Act::pass(), Act::reset_before()]);
    let file = file(json!([
        {"id": UPDATED, "type": "text", "data": {"title": "New"}},
        {"id": NAMED, "type": "text"},
        {"id": DOOMED, "type": "text"},
    ]));
    let ended = apply(&env, &file, &mut |_| ()).await;
    ended.result.unwrap();
    assert_eq!(env.operations(), ["getProfile", "listSlots", "listSlots"]);
}

#[tokio::test]
async fn a_conflict_before_the_first_write_leaves_nothing_in_doubt() {
    let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
    env.server.edit(start);
    env.meddle(|account| Edit::Change(UPDATED, "title").make(account));
    env.proxy.script([Act::pass(), Act::answer(429, &[("Retry-After", "3")], "{}")]);
    let ended = apply(&env, &every_step(), &mut |_| ()).await;
    assert_eq!(ended.result.unwrap_err().outcome(), Outcome::NotExecuted);
    assert!(ended.done.is_nothing());
    assert_eq!(env.operations(), ["getProfile", "listSlots"]);
}
