//! Tests of clients that send writes as dry runs, or do not send them.

use links_fixtures::{ContractServer, World};
use links_sdk::types::NewSlot;
use links_sdk::{Client, Error, Object, SettingsChanges, Token, WriteMode};
use serde_json::{Value, json};

async fn client(writes: WriteMode) -> (ContractServer, Client) {
    let server = ContractServer::start(World::cafe()).await;
    let token = Token::new(server.token()).unwrap();
    let client =
        Client::builder(server.base_url()).token(token).build().unwrap().with_write_mode(writes);
    (server, client)
}

/// Makes every kind of write, and returns the error of each.
async fn writes(client: &Client) -> Vec<(&'static str, Error)> {
    let slots = client.profile("cafe").slots();
    let title: Object =
        json!({ "title": "New" }).as_object().unwrap().clone().into_iter().collect();
    let renamed = SettingsChanges::default().login("new.name");
    vec![
        ("createSlot", slots.create(NewSlot::of("divider")).await.unwrap_err()),
        ("createSlot", slots.create(NewSlot::of("divider")).answer().await.unwrap_err()),
        ("createSlots", slots.create_batch(vec![NewSlot::of("divider")]).await.unwrap_err()),
        ("updateSlot", slots.update(1002, title).await.unwrap_err()),
        (
            "updateProfileSettings",
            client.profile("cafe").update_settings(renamed).await.unwrap_err(),
        ),
        ("deleteSlot", slots.delete(1002).await.unwrap_err()),
        ("deleteSlots", slots.delete_batch(vec![1002]).await.unwrap_err()),
    ]
}

#[tokio::test]
async fn a_dry_run_client_changes_nothing_and_reports_what_would_be_accepted() {
    let (server, client) = client(WriteMode::DryRun).await;
    let before = format!("{:?}", server.account());
    for (operation, error) in writes(&client).await {
        assert_eq!(error.operation(), operation);
        assert_eq!(error.is_dry_run_accepted(), operation != "deleteSlot", "{error}");
        assert_eq!(error.not_sent().is_some(), operation == "deleteSlot", "{error}");
        assert_eq!(error.outcome(), links_sdk::Outcome::NotExecuted);
    }
    let bad = NewSlot::of("button").with("titel", "Menu");
    let refused = client.profile("cafe").slots().create(bad).await.unwrap_err();
    assert!(refused.is_validation() && !refused.is_dry_run_accepted());
    client.profile("cafe").slots().create(NewSlot::of("divider")).dry_run().await.unwrap();
    assert_eq!(format!("{:?}", server.account()), before);
    assert_eq!(client.profile("cafe").slots().list().await.unwrap().len(), 14);
}

#[tokio::test]
async fn a_withholding_client_sends_no_write_and_shows_each_without_the_token() {
    let (server, client) = client(WriteMode::Withhold).await;
    for (operation, error) in writes(&client).await {
        let request = error.not_sent().unwrap_or_else(|| panic!("{operation}: {error}"));
        assert!(request.url().starts_with(&server.base_url()));
        assert!(!request.is_streamed());
        assert!(!format!("{request:?}{error:?}").contains(&server.token()));
        assert!(request.headers().all(|(name, _)| name != "authorization"));
        if operation == "updateSlot" {
            let body: Value = serde_json::from_slice(request.body().unwrap()).unwrap();
            assert_eq!((request.method(), body), ("PATCH", json!({ "data": { "title": "New" } })));
        }
        let keyed = request.headers().any(|(name, _)| name == "idempotency-key");
        assert_eq!(keyed, operation.starts_with("create"));
    }
    // The page is read before its login is changed.
    assert!(server.requests().iter().all(|it| it.method == "GET"));
}
