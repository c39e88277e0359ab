//! Section 3: states, derived conditions, and values that never change.

use std::time::Duration;

use links_fixtures::World;
use serde_json::{Value, json};

use crate::support::Api;

const FIELDS: &str = r#"[{"type": "text", "label": "Name", "required": true}]"#;

fn new_form() -> Value {
    json!({"title": "Callback", "fields": serde_json::from_str::<Value>(FIELDS).expect("JSON")})
}

#[tokio::test]
async fn rule_3_enabled_is_set_by_the_owner() {
    let api = Api::cafe().await;
    let form = api.post("/forms").json(&new_form()).await.is(201);
    let path = format!("/forms/{}", form.data()["id"].as_str().expect("a uuid"));
    for enabled in [false, true] {
        let form = api.patch(&path).json(&json!({"enabled": enabled})).await.is(200);
        assert_eq!(form.data()["enabled"], enabled);
        assert_eq!(form.data()["active"], enabled);
    }
}

#[tokio::test]
async fn rule_3_a_form_is_active_until_its_active_till() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let mut body = new_form();
    body["activeTill"] = json!("2026-09-17T12:00:00Z");
    let form = api.post("/forms").json(&body).await.is(201);
    assert_eq!(form.data()["active"], true);
    let path = format!("/forms/{}", form.data()["id"].as_str().expect("a uuid"));
    clock.advance(Duration::from_secs(4 * 24 * 3600));
    let form = api.get(&path).await.is(200);
    assert_eq!(form.data()["active"], false);
    assert_eq!(form.data()["enabled"], true, "the owner's switch stays as it was");
}

#[tokio::test]
async fn rule_3_a_form_is_inactive_once_its_submissions_limit_is_reached() {
    let api = Api::cafe().await;
    let path = format!("/forms/{}", api.form().await);
    let received =
        api.get(&format!("{path}/analytics")).await.is(200).data()["submissions"]["total"].clone();
    let received = received.as_i64().expect("a count of submissions");
    assert!(received > 0, "the café's form has received something");
    for (limit, active) in [(received + 1, true), (received, false)] {
        let body = json!({"enabled": true, "activeTill": null, "submissionsLimit": limit});
        let form = api.patch(&path).json(&body).await.is(200);
        assert_eq!(form.data()["active"], active, "{received} received, limit {limit}");
    }
}

#[tokio::test]
async fn rule_3_channels_say_whether_they_are_active() {
    let api = Api::cafe().await;
    let channels = api.get("/notification-channels").await.is(200);
    let active = |wanted: bool| {
        channels.data().as_array().expect("channels").iter().any(|one| one["isActive"] == wanted)
    };
    assert!(
        active(true) && active(false),
        "the café has channels of both kinds: {}",
        channels.text
    );
}

#[tokio::test]
async fn rule_3_the_type_of_a_slot_never_changes() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let text = page.slot("text").await;
    let one = page.at(&format!("/slots/{}", text["id"]));
    api.patch(&one).json(&json!({"type": "button", "data": {}})).await.names(&["type"]);
    let batch = json!({"slots": [{"id": text["id"], "type": "button", "data": {}}]});
    api.patch(&page.at("/slots")).json(&batch).await.names(&["slots.0.type"]);
    assert_eq!(page.reread(&text).await, text);
}

#[tokio::test]
async fn rule_3_deleting_a_slot_is_permanent_and_its_id_is_not_given_again() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let gone = page.add_text("Short-lived").await;
    let one = page.at(&format!("/slots/{gone}"));
    api.delete(&one).await.is(204);
    api.get(&one).await.refused(404);
    api.delete(&one).await.refused(404);
    assert_ne!(page.add_text("Short-lived").await, gone);
}

#[tokio::test]
async fn rule_3_the_click_statistics_of_a_deleted_slot_are_removed_with_it() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let button = page.slot("button").await["id"].to_string();
    let mentions =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).any(|number| number == button);
    let before = api.get(&page.at("/analytics")).await.is(200);
    assert!(mentions(&before.data()["blocks"].to_string()), "{}", before.text);
    api.delete(&page.at(&format!("/slots/{button}"))).await.is(204);
    let after = api.get(&page.at("/analytics")).await.is(200);
    assert!(!mentions(&after.data()["blocks"].to_string()), "{}", after.text);
}
