//! Section 4.1, rule 4: a repeated `Idempotency-Key` creates nothing twice.

use std::time::Duration;

use links_fixtures::World;
use serde_json::json;

use crate::image::png;
use crate::operations::operations;
use crate::support::Api;

const DAY_BUT_A_SECOND: Duration = Duration::from_secs(24 * 3600 - 1);

#[tokio::test]
async fn rule_4_1_4_six_creates_declare_the_key() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let keyed: Vec<_> =
        operations(&api, &page).await.iter().filter(|row| row.keyed).map(|row| row.name).collect();
    assert_eq!(
        keyed,
        [
            "createProfile",
            "createSlot",
            "createSlots",
            "createForm",
            "uploadFile",
            "createUploadUrl"
        ]
    );

    let described = api.get("/openapi.json").await.is(200).json;
    for path in described["paths"].as_object().expect("paths").values() {
        for operation in path.as_object().expect("operations").values() {
            let Some(name) = operation["operationId"].as_str() else { continue };
            let declares =
                operation["parameters"].to_string().to_ascii_lowercase().contains("idempotency");
            assert_eq!(
                declares,
                keyed.contains(&name),
                "{name} in the machine-readable description"
            );
        }
    }
}

#[tokio::test]
async fn rule_4_1_4_a_repeat_returns_the_stored_answer_and_creates_nothing() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await.iter().filter(|row| row.keyed) {
        let first = operation.on(&api).key("once").await.is(operation.success);
        let state = api.state().await;
        let again = operation.on(&api).key("once").await.is(operation.success);
        assert_eq!(again.json, first.json, "{}", operation.name);
        assert_eq!(api.state().await, state, "{} executed again", operation.name);
    }
}

#[tokio::test]
async fn rule_4_1_4_the_stored_answer_is_returned_even_when_the_record_has_changed_since() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"type": "text", "data": {"title": "One", "description": ""}});
    let first = api.post(&page.at("/slots")).key("k").json(&body).await.is(201);
    let one = page.at(&format!("/slots/{}", first.data()["id"]));
    api.delete(&one).await.is(204);
    let again = api.post(&page.at("/slots")).key("k").json(&body).await.is(201);
    assert_eq!(again.json, first.json);
    api.get(&one).await.refused(404);
}

#[tokio::test]
async fn rule_4_1_4_another_key_or_none_creates_again() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"type": "divider"});
    let create = || api.post(&page.at("/slots")).json(&body);
    let mut ids = Vec::new();
    for answer in [create().key("a").await, create().key("b").await, create().await, create().await]
    {
        ids.push(answer.is(201).data()["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn rule_4_1_4_one_key_with_another_body_is_422() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let slots = page.at("/slots");
    let batch = page.at("/slots/batch");
    let form = |title: &str| json!({"title": title, "fields": [{"type": "text", "label": "L", "required": false}]});
    for (path, first, second) in [
        ("/profiles", json!({"login": "first.page"}), json!({"login": "second.page"})),
        (&slots, json!({"type": "divider"}), json!({"type": "divider", "order": 0})),
        (
            &batch,
            json!({"slots": [{"type": "divider"}]}),
            json!({"slots": [{"type": "divider", "order": 0}]}),
        ),
        ("/forms", form("One"), form("Two")),
    ] {
        api.post(path).key("k").json(&first).await.is(201);
        let state = api.state().await;
        api.post(path).key("k").json(&second).await.refused(422);
        assert_eq!(api.state().await, state, "{path} executed");
    }
    api.post("/files").key("k").file(&png(8, 8)).await.is(201);
    api.post("/files").key("k").file(&png(9, 9)).await.refused(422);
}

#[tokio::test]
async fn rule_4_1_4_the_stored_answer_is_kept_24_hours() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let page = api.page().await;
    let body = json!({"type": "divider"});
    let create = || api.post(&page.at("/slots")).key("daily").json(&body);
    let first = create().await.is(201);
    clock.advance(DAY_BUT_A_SECOND);
    assert_eq!(create().await.is(201).json, first.json);
    clock.advance(Duration::from_secs(2));
    assert_ne!(create().await.is(201).data()["id"], first.data()["id"]);
}

#[tokio::test]
async fn rule_4_1_4_a_key_has_at_most_128_characters() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await.iter().filter(|row| row.keyed) {
        operation.on(&api).key(&"k".repeat(129)).await.refused(422);
        operation.on(&api).key(&"k".repeat(128)).await.is(operation.success);
    }
}

#[tokio::test]
async fn rule_4_1_4_a_failure_under_a_key_does_not_block_the_corrected_request() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let create = |body| api.post(&page.at("/slots")).key("k").json(&body);
    create(json!({"type": "carousel"})).await.refused(422);
    create(json!({"type": "divider"})).await.is(201);
}
