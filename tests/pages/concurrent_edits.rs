//! Tests of faults 60 and 61: another client adds, edits, deletes or moves slots between any two requests of a run.
//!
//! No slot of the other client is deleted, and the run never ends as if nothing had happened, except where no client could detect the edit:
//! between the read of a slot and the write that follows it.

use std::ops::ControlFlow;

use links_fixtures::{Account, ContractServer, Slot};
use links_pages::apply::{Apply, ApplyCause, ApplyError, DesiredPage, PlanOptions, Step};
use links_sdk::ProfileKey;
use serde_json::json;

use crate::foreign_edit::{DOOMED, Edit, FOREIGN, NAMED, PAGE, THEIRS, UPDATED, every_step, text};
use crate::{cafe, client_elsewhere, recorded_run};

/// Id of a slot that the file does not name and that cannot be pruned.
const KEPT: u64 = 3;
fn start(account: &mut Account) {
    let concert = json!({ "title": "Concert" }).as_object().unwrap().clone();
    account.profiles[0].slots = vec![
        text(UPDATED, "Old"),
        text(NAMED, "Named"),
        Slot::new(KEPT, "event", concert),
        text(DOOMED, "Doomed"),
    ];
}

/// Returns whether the edit comes after the last read of what it changes and before the write that sets it, so that no client could detect
/// it.
fn cannot_be_seen(edit: Edit, step: Step) -> bool {
    match edit {
        Edit::Change(UPDATED, "title") => matches!(step, Step::Update(_)),
        // The answer to the update is the first read of it.
        Edit::Change(UPDATED, _) => matches!(step, Step::Update(_)),
        Edit::Change(DOOMED, _) => matches!(step, Step::Delete(_) | Step::Verify),
        Edit::Delete(DOOMED) => matches!(step, Step::Verify),
        // The file determines the order of the page.
        Edit::Move => matches!(step, Step::Update(_) | Step::Create(_) | Step::Reorder),
        _ => false,
    }
}

#[tokio::test]
async fn an_editor_at_work_between_any_two_requests_loses_nothing_and_is_told_of() {
    let steps = steps_of_a_run().await;
    assert_eq!(steps.len(), 5, "{steps:?}");
    let mut tried = 0;
    for step in steps {
        for edit in [
            Edit::Add,
            Edit::Change(UPDATED, "title"),
            Edit::Change(UPDATED, "description"),
            Edit::Change(NAMED, "title"),
            Edit::Change(NAMED, "description"),
            Edit::Change(KEPT, "title"),
            Edit::Change(DOOMED, "title"),
            Edit::Delete(UPDATED),
            Edit::Delete(NAMED),
            Edit::Delete(KEPT),
            Edit::Delete(DOOMED),
            Edit::Move,
        ] {
            let (ended, account) = run(Some((step, edit))).await;
            let at = format!("{edit:?} before {step:?}: {ended:?}");
            let there = |id: u64| account.profiles[0].slots.iter().find(|slot| slot.id == id);
            assert_eq!(there(FOREIGN).is_some(), edit == Edit::Add, "{at}");
            for id in [UPDATED, NAMED, KEPT] {
                assert_eq!(there(id).is_none(), edit == Edit::Delete(id), "{at}");
            }
            if let Edit::Change(id, key) = edit
                && !cannot_be_seen(edit, step)
            {
                let left = there(id).unwrap_or_else(|| panic!("{id} is gone: {at}"));
                assert_eq!(left.data[key], THEIRS, "{at}");
            }
            match ended.as_ref().map_err(ApplyError::cause) {
                Ok(()) => assert!(cannot_be_seen(edit, step), "{at}"),
                Err(ApplyCause::Changed(..) | ApplyCause::Drift(_) | ApplyCause::Call { .. }) => {}
                Err(other) => panic!("{other}: {at}"),
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 60);
}

/// Applies a file of a second machine from start to end, with pruning.
fn other_host(server: &ContractServer) {
    let act = async {
        let client = client_elsewhere(server);
        let file: DesiredPage = serde_json::from_value(json!({"slots": [
            {"id": NAMED, "type": "text"},
            {"type": "text", "data": {"title": "Of the other host"}},
        ]}))
        .unwrap();
        Apply::new(&client.profile(PAGE), file).prune(true).await.unwrap();
    };
    // The run under test waits meanwhile.
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(act);
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap());
}

#[tokio::test]
async fn a_run_on_another_host_is_noticed_and_nothing_of_it_is_deleted() {
    for step in steps_of_a_run().await {
        let (server, client) = cafe().await;
        server.edit(start);
        let options = PlanOptions { prune: true, ..PlanOptions::default() };
        let mut watch = |next| {
            if next == step {
                other_host(&server);
            }
            ControlFlow::Continue(())
        };
        let key = ProfileKey::Id(PAGE);
        let ended =
            recorded_run::apply(&client, &key, &every_step(), &options, None, &mut watch).await;
        let ended = ended.result;
        let account = server.account();
        let slots = &account.profiles[0].slots;
        let of_other =
            slots.iter().filter(|it| it.data.get("title") == Some(&json!("Of the other host")));
        assert_eq!(of_other.count(), 1, "before {step:?}: {ended:?}");
        assert!(
            [NAMED, KEPT].iter().all(|id| slots.iter().any(|it| it.id == *id)),
            "before {step:?}"
        );
        let error = ended.unwrap_err();
        assert!(
            matches!(
                error.cause(),
                ApplyCause::Changed(..) | ApplyCause::Drift(_) | ApplyCause::Call { .. }
            ),
            "before {step:?}: {error}"
        );
    }
}

async fn steps_of_a_run() -> Vec<Step> {
    let mut steps = Vec::new();
    let (ended, _) = with_each_step(&mut |step, _| steps.push(step)).await;
    ended.unwrap();
    steps
}

async fn run(edit: Option<(Step, Edit)>) -> (Result<(), ApplyError>, Account) {
    with_each_step(&mut |step, account| {
        if let Some((_, edit)) = edit.filter(|(when, _)| *when == step) {
            edit.make(account);
        }
    })
    .await
}

async fn with_each_step(
    hear: &mut (dyn FnMut(Step, &mut Account) + Send),
) -> (Result<(), ApplyError>, Account) {
    let (server, client) = cafe().await;
    server.edit(start);
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let mut watch = |step| {
        server.edit(|account| hear(step, account));
        ControlFlow::Continue(())
    };
    let key = ProfileKey::Id(PAGE);
    let ended = recorded_run::apply(&client, &key, &every_step(), &options, None, &mut watch).await;
    (ended.result.map(|_| ()), server.account())
}
