//! Tests of values in requests on which the interface is silent: the default reading, and the switch to the other.

use links_fixtures::World;
use reqwest::Method;
use serde_json::{Value, json};

use super::both;
use crate::image::png;
use crate::support::{Api, id_of, ids_query};

#[tokio::test]
async fn zero_is_refused_or_accepted_as_the_least_value() {
    let (from_one, from_zero) = both(|choices| choices.zeros = true).await;
    for (api, status) in [(from_one, 422), (from_zero, 200)] {
        let form = format!("/forms/{}", api.form().await);
        api.patch("/profiles/cafe").json(&json!({"moodHours": 0})).await.is(status);
        api.patch("/profiles/cafe").json(&json!({"moodHours": -1})).await.names(&["moodHours"]);
        api.patch(&form).json(&json!({"submissionsLimit": 0})).await.is(status);
        let social = json!({"socials": [{"link": "https://x.com/cafe", "order": -1}]});
        api.patch("/profiles/cafe").json(&social).await.names(&["socials.0.order"]);
    }
}

#[tokio::test]
async fn links_of_socials_are_urls_or_any_text() {
    let (urls, any) = both(|choices| choices.any_social_link = true).await;
    for (api, status) in [(urls, 422), (any, 200)] {
        let social = json!({"socials": [{"link": "@cafe", "order": 0}]});
        api.patch("/profiles/cafe").json(&social).await.is(status);
        api.patch("/profiles/cafe").json(&json!({"socials": [{"link": ""}]})).await.refused(422);
    }
}

#[tokio::test]
async fn links_without_a_scheme_are_refused_or_completed() {
    let (refused, completed) = both(|choices| choices.bare_links = true).await;
    let slot = json!({"type": "button", "data": {"title": "Menu", "link": "qara.example/menu"}});
    refused.post("/profiles/cafe/slots").json(&slot).await.names(&["data.link"]);
    let answer = completed.post("/profiles/cafe/slots").json(&slot).await.is(201);
    assert_eq!(answer.json["data"]["data"]["link"], "https://qara.example/menu");
}

#[tokio::test]
async fn keys_of_fields_that_a_form_does_not_have_are_stored_or_refused() {
    let (stored, refused) = both(|choices| choices.foreign_keys_refused = true).await;
    let field = |key: Value| json!({"key": key, "type": "text", "label": "Name"});
    for api in [&stored, &refused] {
        let form = format!("/forms/{}", api.form().await);
        let own = api.get(&form).await.is(200).data()["fields"][0]["key"].clone();
        let new = json!({"type": "text", "label": "New"});
        api.patch(&form).json(&json!({"fields": [field(own), new]})).await.is(200);
    }
    let foreign = json!({"fields": [field("mine".into())]});
    let form = format!("/forms/{}", stored.form().await);
    let answer = stored.patch(&form).json(&foreign).await.is(200);
    assert_eq!(answer.data()["fields"][0]["key"], "mine");
    let form = format!("/forms/{}", refused.form().await);
    refused.patch(&form).json(&foreign).await.names(&["fields.0.key"]);
}

#[tokio::test]
async fn unknown_values_of_include_are_refused() {
    let api = Api::cafe().await;
    for query in [
        "/profiles/cafe?include=forms",
        "/profiles/cafe?include=slots,forms",
        "/analytics?include=rows",
    ] {
        api.get(query).await.names(&["include"]);
    }
}

#[tokio::test]
async fn empty_batches_are_refused() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let empty = json!({"slots": []});
    api.post(&page.at("/slots/batch")).json(&empty).await.names(&["slots"]);
    api.patch(&page.at("/slots")).json(&empty).await.names(&["slots"]);
    api.delete(&page.at("/slots")).json(&json!({"ids": []})).await.names(&["ids"]);
    api.put(&page.at("/slots/order")).json(&json!({"order": []})).await.names(&["order"]);
    assert_eq!(page.ids().await.len(), 14);
    let empty = Api::of(World::empty()).await;
    let id =
        id_of(empty.post("/profiles").json(&json!({"login": "bare.page"})).await.is(201).data());
    empty.put(&format!("/profiles/{id}/slots/order")).json(&json!({"order": []})).await.is(200);
}

#[tokio::test]
async fn a_repeated_slot_is_refused() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let id = page.add_text("one").await;
    let change = |title: &str| json!({"id": id, "data": {"title": title}});
    let twice = json!({"slots": [change("two"), change("three")]});
    api.patch(&page.at("/slots")).json(&twice).await.names(&["slots.1.id"]);
    let mut order = page.ids().await;
    order.push(id);
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.refused(422);
    let query = ids_query(&[id, id]);
    api.delete(&page.at(&format!("/slots?{query}"))).await.names(&["ids.1"]);
}

#[tokio::test]
async fn null_is_refused() {
    let api = Api::cafe().await;
    let form = format!("/forms/{}", api.form().await);
    let slot = json!({"type": "divider", "data": null});
    api.post("/profiles/cafe/slots").json(&slot).await.names(&["data"]);
    let channels = json!({"notificationChannelIds": null});
    api.patch(&form).json(&channels).await.names(&["notificationChannelIds"]);
    api.patch("/profiles/cafe").json(&Value::Null).await.names(&["body"]);
}

#[tokio::test]
async fn integers_are_accepted_only_in_integer_notation() {
    let api = Api::cafe().await;
    let patch = |body: &'static str| api.patch("/profiles/cafe").body("application/json", body);
    for number in ["1.0", "-0", "1e0", "9223372036854775808", "1e400"] {
        let body: &'static str = format!("{{\"moodHours\":{number}}}").leak();
        patch(body).await.refused(422);
    }
    let deep: &'static str = format!("{{\"title\":{}", "[".repeat(200)).leak();
    patch(deep).await.names(&["body"]);
}

#[tokio::test]
async fn an_empty_mood_is_shown_or_counts_as_none() {
    let (shown, none) = both(|choices| choices.empty_mood_is_none = true).await;
    for (api, active) in [(shown, true), (none, false)] {
        let page = api.patch("/profiles/cafe").json(&json!({"moodText": ""})).await.is(200);
        assert_eq!(page.data()["computed"]["moodActive"], active);
        let body = json!({"moodText": null, "moodHours": 2, "avatar": ""});
        let page = api.patch("/profiles/cafe").json(&body).await.is(200);
        assert_eq!(page.data()["computed"]["moodExpiresAt"], json!(null));
        assert_eq!(page.data()["avatar"], "");
    }
}

#[tokio::test]
async fn case_and_spaces_are_ignored_only_in_some_values() {
    let api = Api::cafe().await;
    let settings = api.patch("/profiles/cafe/settings").json(&json!({"languageCode": "KK"})).await;
    assert_eq!(settings.is(200).data()["languageCode"], "kk");
    let found = api.get("/music/lookup?query=%20198000000017%20").await.is(200);
    assert_eq!(found.data()["query"], "198000000017");
    api.get("/music/lookup?query=0198000000017").await.refused(404);
    api.get("/music/lookup?query=%20").await.names(&["query"]);
    api.get("/analytics?compare=TRUE").await.names(&["compare"]);
    api.get("/analytics?dateFrom=2024-01-01&dateTo=2026-01-01").await.names(&["dateTo"]);
    let button =
        json!({"type": "button", "data": {"title": "Menu", "link": "https://кафе.example/"}});
    api.post("/profiles/cafe/slots").json(&button).await.names(&["data.link"]);
}

#[tokio::test]
async fn unknown_parts_and_unreachable_urls_of_uploads_are_refused() {
    let api = Api::cafe().await;
    let body = [
        &b"--x\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--x\r\n"[..],
        b"Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n",
        &png(900, 900),
        b"\r\n--x--\r\n",
    ]
    .concat();
    api.post("/files").body("multipart/form-data; boundary=x", body).await.names(&["note"]);
    let dry_run = api.post("/files").json(&json!({"url": "https://nowhere.invalid/a.png"}));
    dry_run.dry_run().await.names(&["url"]);
}

#[tokio::test]
async fn unknown_ids_in_an_order_are_reported_before_missing_ones() {
    let api = Api::cafe().await;
    let path = "/profiles/cafe/slots/order";
    api.put(path).json(&json!({"order": [999_999_999]})).await.names(&["order.0"]);
}

#[tokio::test]
async fn unknown_paths_are_checked_after_the_token() {
    let api = Api::cafe().await;
    api.get("/nowhere").anonymous().await.refused(401);
    api.get("/me").anonymous().await.refused(401);
    let outside = api.server.mcp_url().replace("/mcp", "/nowhere");
    api.ask(&Method::GET, &outside).anonymous().await.is(404);
    api.get("/me/").await.is(200);
    for path in ["/me//", "//me", "/profiles//slots"] {
        api.get(path).await.refused(404);
    }
    let token = api.server.token();
    let dots = api.raw(&format!(
            "GET /api/v1/forms/../me HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        ));
    assert!(dots.starts_with("HTTP/1.1 404 "), "{dots}");
    api.patch("/profiles/check-login").json(&json!({"title": "x"})).await.refused(404);
}

#[tokio::test]
async fn a_form_without_texts_gets_default_texts() {
    let api = Api::cafe().await;
    let form = json!({"title": "Contact", "fields": [{"type": "text", "label": "Name"}]});
    let form = api.post("/forms").json(&form).await.is(201);
    assert_eq!(form.data()["buttonText"], "Send");
    assert_eq!(form.data()["successMessage"], "Thank you! We will be in touch.");
}
