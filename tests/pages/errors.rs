//! Tests of the errors of runs.

use links_pages::apply::{
    Apply, DesiredPage, PageSnapshot, PlanBatch, PlanOptions, Proposal, SingleWrite,
};
use links_sdk::{Error, ErrorKind, Outcome};
use serde_json::json;

use crate::cafe;

#[tokio::test]
async fn the_error_of_a_run_has_the_kind_of_the_call() {
    let (_server, client) = cafe().await;
    let desired: DesiredPage =
        serde_json::from_value(json!({ "slots": [{ "type": "divider" }] })).unwrap();
    let error = Apply::new(&client.profile("nobody"), desired).await.unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && !error.is_safe_to_repeat());
    let error = Error::from(error);
    assert!(error.is_not_found());
    assert_eq!((error.outcome(), error.status()), (Outcome::NotExecuted, Some(404)));
}

#[tokio::test]
async fn a_run_that_ended_before_any_call_failed_is_an_error_of_no_call() {
    let (_server, client) = cafe().await;
    let desired: DesiredPage = serde_json::from_value(
        json!({ "slots": [{ "type": "text", "data": { "title": "New" } }] }),
    )
    .unwrap();
    let declined =
        Apply::new(&client.profile("cafe"), desired).confirm(|_, _| false).await.unwrap_err();
    assert!(declined.call().is_none() && declined.kind() != ErrorKind::Network);
    let error = Error::from(declined);
    assert_eq!(error.to_string(), "not confirmed");
    assert_eq!((error.status(), error.outcome()), (None, Outcome::NotExecuted));
    assert!(!error.is_safe_to_repeat() && error.field_errors().is_empty());
}

#[tokio::test]
async fn a_batch_that_needs_a_run_is_not_sent_as_a_single_write() {
    let (server, client) = cafe().await;
    let page = PageSnapshot::read(&client, &"cafe".parse().unwrap()).await.unwrap();
    let desired = |slots: serde_json::Value| -> DesiredPage {
        serde_json::from_value(json!({ "fields": {"title": "New"}, "slots": slots })).unwrap()
    };
    let titled = page.slots.iter().filter(|slot| slot.data.contains_key("title"));
    let two: Vec<_> = titled
        .take(2)
        .map(|slot| json!({"id": slot.id, "type": slot.kind, "data": {"title": "Theirs"}}))
        .collect();
    let new = json!({"type": "text", "data": {"title": "Not there before"}});
    let cafe = client.profile("cafe");
    server.forget_requests();
    let mut refused: Vec<String> = Vec::new();
    for (slots, max_slots) in [(json!(two), 500), (json!([new, new]), 500), (json!([new]), 14)] {
        let prune = max_slots == 14;
        let options = PlanOptions { prune, max_slots, ..PlanOptions::default() };
        let proposal = Proposal::new(&page, desired(slots).into(), options).unwrap();
        for (step, batch) in proposal.plan.batches().into_iter().enumerate() {
            let is_single = matches!(
                batch,
                PlanBatch::Update([_])
                    | PlanBatch::Create([_])
                    | PlanBatch::Reorder
                    | PlanBatch::Delete(_)
            );
            if !is_single {
                let write = SingleWrite::new(None);
                let sent = write.send(&cafe, &proposal.plan, step, &page.slots, None).await;
                let error = sent.unwrap_err();
                assert_eq!(error.outcome(), Outcome::NotExecuted, "{batch:?}: {error}");
                refused.push(
                    format!("{batch:?}").chars().take_while(|it| *it != '(').collect::<String>(),
                );
            }
        }
    }
    refused.sort();
    refused.dedup();
    assert_eq!(refused, ["Create", "Fields", "MakeRoom", "TryCreate", "Update"]);
    assert!(server.requests().is_empty());
}
