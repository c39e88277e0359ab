//! Tests of the server's features for tests: its log of requests, edits, and a state that several servers share.

use links_fixtures::{ContractServer, Limits, World};
use serde_json::json;

use crate::operations::operations;
use crate::support::Api;

#[tokio::test]
async fn requests_are_remembered_under_the_name_of_their_operation() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await {
        api.server.forget_requests();
        let answer = operation.on(&api).dry_run().await;
        let [seen] = &api.server.requests()[..] else {
            panic!("one request: {:?}", api.server.requests())
        };
        if operation.name != "openapi" {
            assert_eq!(seen.operation, Some(operation.name));
        }
        assert_eq!(seen.method, operation.method.as_str());
        assert_eq!(seen.status, answer.status);
        assert!(
            operation.path.starts_with(seen.path.trim_start_matches("/api/v1")),
            "{}",
            seen.path
        );
        assert_eq!(seen.header("precognition"), Some("true"));
    }
}

#[tokio::test]
async fn a_request_that_names_no_operation_is_remembered_too() {
    let api = Api::cafe().await;
    api.get("/nowhere?a=b").await.refused(404);
    let seen = api.server.requests();
    assert_eq!((seen[0].operation, seen[0].query.as_deref()), (None, Some("a=b")));
}

#[tokio::test]
async fn edits_are_seen_by_the_next_request() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let title = api.server.edit(|account| {
        let page = account.profile_mut("cafe").expect("the café's page");
        page.slots.clear();
        page.title.clone()
    });
    assert_eq!(page.slots().await, Vec::<serde_json::Value>::new());
    assert_eq!(json!(title), api.get(&page.at("")).await.is(200).data()["title"]);
}

#[tokio::test]
async fn servers_of_one_state_file_share_their_account() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = async || {
        let builder = ContractServer::builder(World::cafe())
            .no_limits()
            .state_file(directory.path().join("state"));
        Api::over(builder.start().await.expect("the server starts"))
    };
    let (one, two) = (start().await, start().await);
    let id = one.page().await.add_text("From the first").await;
    assert!(two.page().await.ids().await.contains(&id));
    drop((one, two));
    assert!(start().await.page().await.ids().await.contains(&id), "it outlives the servers");
}

#[tokio::test]
async fn limits_can_be_lowered_and_are_reported() {
    let limits = Limits {
        rates_enforced: false,
        slots_per_batch: 2,
        slots_per_profile: 15,
        ..Limits::default()
    };
    let builder = ContractServer::builder(World::cafe()).limits(limits);
    let api = Api::over(builder.start().await.expect("the server starts"));
    let path = api.page().await.at("/slots/batch");
    let dividers = |count: usize| json!({"slots": vec![json!({"type": "divider"}); count]});
    api.post(&path).json(&dividers(3)).await.names(&["slots"]);
    api.post(&path).json(&dividers(2)).await.refused(409);
    api.post(&path).json(&dividers(1)).await.is(201);
    let me = api.get("/me").await.is(200);
    assert_eq!(me.data()["limits"]["slotsPerBatch"], 2);
    assert_eq!(me.data()["limits"]["slotsPerProfile"], 15);
}
