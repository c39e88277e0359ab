//! Section 7: every status and the condition it stands for.

use links_fixtures::World;
use serde_json::{Value, json};

use crate::support::{Api, ids_query};

#[tokio::test]
async fn rule_7_204_answers_a_passed_dry_run_and_a_deleted_slot() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let text = page.at(&format!("/slots/{}", page.slot("text").await["id"]));
    let dry = api.patch(&text).json(&json!({"data": {"title": "T"}})).dry_run().await.is(204);
    let wet = api.delete(&text).await.is(204);
    assert_eq!((dry.text.as_str(), wet.text.as_str()), ("", ""));
}

#[tokio::test]
async fn rule_7_401_answers_a_missing_invalid_or_revoked_token() {
    let api = Api::cafe().await;
    api.get("/me").anonymous().await.refused(401);
    api.get("/me").token("invalid").await.refused(401);
    api.server.edit(|account| account.tokens[0].revoked = true);
    api.get("/me").await.refused(401);
}

#[tokio::test]
async fn rule_7_403_answers_a_token_without_the_ability() {
    let api = Api::read_only().await;
    api.post("/profiles").json(&json!({"login": "new.page"})).await.refused(403);
}

#[tokio::test]
async fn rule_7_404_answers_an_unknown_profile_slot_form_slot_type_or_release() {
    let api = Api::cafe().await;
    let page = api.page().await;
    api.get("/profiles/nobody.here").await.refused(404);
    api.get(&page.at("/slots/999999999")).await.refused(404);
    api.get("/forms/00000000-0000-4000-8000-000000000000").await.refused(404);
    for path in ["/slot-types/carousel", "/music/lookup?query=no%20such%20release%20anywhere"] {
        let refused = api.get(path).await.refused(404);
        assert_eq!(refused.json["code"], "not_found", "{path}");
    }
}

#[tokio::test]
async fn rule_7_409_answers_a_reached_limit_and_a_read_only_type() {
    let api = Api::full().await;
    api.post("/profiles").json(&json!({"login": "new.page"})).await.refused(409);
    let cafe = Api::cafe().await;
    let page = cafe.page().await;
    cafe.post(&page.at("/slots")).json(&json!({"type": "event"})).await.refused(409);
}

#[tokio::test]
async fn rule_7_422_validation_failures_name_their_fields() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let slots = page.at("/slots");
    api.patch(&page.at("")).json(&json!({"id": 1, "colour": "red"})).await.names(&["colour", "id"]);
    api.post(&slots).json(&json!({"type": "divider", "order": "x"})).await.names(&["order"]);
    let batch = json!({"slots": [{"type": "divider"}, {"type": "text", "data": {"colour": 1}}]});
    api.post(&format!("{slots}/batch")).json(&batch).await.names(&["slots.1.data.colour"]);
    api.post(&format!("{slots}/batch"))
        .json(&batch)
        .dry_run()
        .await
        .names(&["slots.1.data.colour"]);
    api.put(&format!("{slots}/order")).json(&json!({"order": [1]})).await.refused(422);
    api.delete(&format!("{slots}?{}", ids_query(&[999_999_999]))).await.refused(422);
    api.post(&slots).key("k").json(&json!({"type": "divider"})).await.is(201);
    api.post(&slots).key("k").json(&json!({"type": "divider", "order": 1})).await.refused(422);
}

#[tokio::test]
async fn rule_7_429_carries_retry_after() {
    let (api, _clock) = Api::limited(World::cafe()).await;
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
    let refused = api.get("/me").await.refused(429);
    let wait: u64 = refused.header("retry-after").expect("the header").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
}

#[tokio::test]
async fn rule_7_codes_are_lowercase_identifiers() {
    let api = Api::read_only().await;
    let page = api.page().await;
    for answer in [
        api.get("/me").anonymous().await.refused(401),
        api.patch(&page.at("")).json(&json!({"title": "T"})).await.refused(403),
        api.get("/profiles/nobody.here").await.refused(404),
        api.get("/music/lookup").await.refused(422),
    ] {
        let code = answer.json["code"].as_str().expect("checked");
        assert!(
            !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{code}"
        );
        assert_ne!(answer.json["message"], Value::from(""));
    }
}
