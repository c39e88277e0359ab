//! Section 1: the features that the service has, and those that it deliberately does not offer.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Api, id_of};

/// Sends a request that no row of the table has, and expects it not to succeed.
async fn offers_nothing_at(api: &Api, method: Method, path: &str) {
    let before = api.state().await;
    let answer = api.ask(&method, path).json(&json!({})).await;
    assert!(
        matches!(answer.status, 404 | 405),
        "{} answered {}: {}",
        answer.asked,
        answer.status,
        answer.text
    );
    assert_eq!(api.state().await, before, "{} changed the account", answer.asked);
}

#[tokio::test]
async fn rule_1_a_profile_has_login_title_description_images_socials_language_and_ordered_slots() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let profile = api.get(&page.at("?include=slots")).await.is(200);
    assert_eq!(profile.data()["login"], "cafe");
    assert_eq!(profile.data()["slots"], Value::Array(page.slots().await));
}

#[tokio::test]
async fn rule_1_1_a_profile_cannot_be_deleted() {
    let api = Api::cafe().await;
    let page = api.page().await;
    offers_nothing_at(&api, Method::DELETE, &page.at("")).await;
}

#[tokio::test]
async fn rule_1_2_themes_are_neither_offered_nor_accepted() {
    let api = Api::cafe().await;
    let page = api.page().await;
    api.patch(&page.at("")).json(&json!({"themeId": 2})).await.names(&["themeId"]);
    api.patch(&page.at("/settings")).json(&json!({"themeId": 2})).await.names(&["themeId"]);
    api.post("/profiles")
        .json(&json!({"login": "themed.page", "themeId": 2}))
        .await
        .names(&["themeId"]);
    offers_nothing_at(&api, Method::GET, "/themes").await;
}

#[tokio::test]
async fn rule_1_3_event_slots_can_be_read_and_reordered_but_not_created_or_changed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let event = page.slot("event").await;
    assert_eq!(page.reread(&event).await, event);

    let mut order = page.ids().await;
    order.retain(|id| *id != id_of(&event));
    order.insert(0, id_of(&event));
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    assert_eq!(page.ids().await, order);

    api.post(&page.at("/slots")).json(&json!({"type": "event"})).await.refused(409);
    let one = page.at(&format!("/slots/{}", event["id"]));
    api.patch(&one).json(&json!({"data": {}})).await.refused(409);
    assert_eq!(page.ids().await, order);
}

#[tokio::test]
async fn rule_1_4_forms_are_not_deleted_and_their_webhooks_and_submissions_not_shown() {
    let api = Api::cafe().await;
    let form = format!("/forms/{}", api.form().await);
    offers_nothing_at(&api, Method::DELETE, &form).await;
    for part in ["submissions", "webhook", "webhooks"] {
        offers_nothing_at(&api, Method::GET, &format!("{form}/{part}")).await;
    }
}

#[tokio::test]
async fn rule_1_4_notification_channels_are_only_listed() {
    let api = Api::cafe().await;
    let channels = api.get("/notification-channels").await.is(200);
    let one = format!("/notification-channels/{}", channels.data()[0]["id"]);
    offers_nothing_at(&api, Method::POST, "/notification-channels").await;
    for method in [Method::PATCH, Method::PUT, Method::DELETE] {
        offers_nothing_at(&api, method, &one).await;
    }
    offers_nothing_at(&api, Method::POST, &format!("{one}/verify")).await;
    assert_eq!(api.get("/notification-channels").await.json, channels.json);
}

#[tokio::test]
async fn rule_1_5_the_slots_of_a_page_are_not_replaced_in_one_call() {
    let api = Api::cafe().await;
    let page = api.page().await;
    offers_nothing_at(&api, Method::PUT, &page.at("/slots")).await;
    api.patch(&page.at("")).json(&json!({"slots": []})).await.names(&["slots"]);
}

#[tokio::test]
async fn rule_1_6_account_settings_are_not_offered() {
    let api = Api::cafe().await;
    for (method, path) in [
        (Method::PATCH, "/me"),
        (Method::PUT, "/me"),
        (Method::GET, "/account"),
        (Method::GET, "/payments"),
        (Method::PATCH, "/settings"),
    ] {
        offers_nothing_at(&api, method, path).await;
    }
}

#[tokio::test]
async fn rule_1_legacy_slots_can_be_read_and_computed_keys_are_not_writable() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let legacy = page.legacy().await;
    assert_eq!(page.reread(&legacy).await, legacy);
    let button = json!({"type": "button", "data": {"title": "T", "link": "https://example.com", "clicks": 1}});
    api.post(&page.at("/slots")).json(&button).await.names(&["data.clicks"]);
}

#[tokio::test]
async fn rule_1_markdown_shows_the_page_as_a_reader_sees_it() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let first = page.add_text("First of two").await;
    let second = page.add_text("Second of two").await;
    api.patch(&page.at("")).json(&json!({"title": "A page about cakes"})).await.is(200);

    let markdown = api.get(&page.at("/markdown")).await.is(200).text;
    let at =
        |text: &str| markdown.find(text).unwrap_or_else(|| panic!("no {text:?} in:\n{markdown}"));
    assert!(at("A page about cakes") < at("First of two"));
    assert!(at("First of two") < at("Second of two"));

    let mut order = page.ids().await;
    let (a, b) =
        (order.iter().position(|id| *id == first), order.iter().position(|id| *id == second));
    order.swap(a.expect("listed"), b.expect("listed"));
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    let markdown = api.get(&page.at("/markdown")).await.is(200).text;
    assert!(markdown.find("Second of two") < markdown.find("First of two"), "{markdown}");
}
