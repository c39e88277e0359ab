//! Tests of the forms of records, and of their data.

use links_fixtures::World;
use reqwest::Method;
use serde_json::{Value, json};

use super::both;
use crate::connector::text;
use crate::image::png;
use crate::s2_slots::SLOT_TYPES;
use crate::shapes;
use crate::support::{Api, id_of};

#[tokio::test]
async fn empty_objects_are_lists_or_objects() {
    let (lists, objects) = both(|choices| choices.empty_objects = true).await;
    for (api, empty) in [(lists, json!([])), (objects, json!({}))] {
        let divider = api.page().await.slot("divider").await;
        assert_eq!(divider["data"], empty);
        let described = api.get("/slot-types/divider").await.is(200);
        assert_eq!(described.data()["computed"], empty);
        assert_eq!(described.data()["enumLabels"], empty);
    }
}

#[tokio::test]
async fn every_record_may_carry_an_unknown_field() {
    let unknown = |value: &Value, fields: shapes::Fields| {
        shapes::at_least("record", value, fields);
        value
            .as_object()
            .expect("checked")
            .keys()
            .any(|key| fields.iter().all(|(known, _)| known != key))
    };
    let (exact, extended) = both(|choices| choices.unknown_fields = true).await;
    for (api, expected) in [(exact, false), (extended, true)] {
        let page = api.page().await;
        let first = async |path: &str| api.get(path).await.is(200).data()[0].clone();
        let whole = async |path: &str| api.get(path).await.is(200).data().clone();
        for (record, fields) in [
            (first("/profiles").await, shapes::PROFILE),
            (first("/slot-types").await, shapes::SLOT_TYPE),
            (first("/forms").await, shapes::FORM),
            (first("/notification-channels").await, shapes::CHANNEL),
            (whole("/me").await, shapes::ME),
            (whole(&page.at("/settings")).await, shapes::SETTINGS),
        ] {
            assert_eq!(unknown(&record, fields), expected, "{record}");
        }
        assert_eq!(unknown(&first(&page.at("/slots")).await, shapes::SLOT), expected);
    }
}

#[tokio::test]
async fn legacy_slots_have_a_type_outside_or_inside_the_twelve() {
    let (outside, inside) = both(|choices| choices.legacy_as_buttons = true).await;
    for (api, known) in [(outside, false), (inside, true)] {
        let slots = api.page().await.slots().await;
        let legacy: Vec<_> = slots.iter().filter(|slot| slot["supported"] == false).collect();
        assert_eq!(legacy.len(), 2);
        for slot in legacy {
            assert_eq!(SLOT_TYPES.contains(&text(&slot["type"])), known, "{slot}");
        }
    }
}

#[tokio::test]
async fn update_slots_answers_with_the_named_slots_or_the_whole_page() {
    let (named, whole) = both(|choices| choices.whole_page_updated = true).await;
    for (api, is_whole) in [(named, false), (whole, true)] {
        let page = api.page().await;
        let ids = [id_of(&page.slot("button").await), id_of(&page.slot("text").await)];
        let body = json!({"slots": ids.map(|id| json!({"id": id, "data": {"title": "T"}}))});
        let answer = api.patch(&page.at("/slots")).json(&body).await.is(200);
        let answered: Vec<i64> =
            answer.data().as_array().expect("slots").iter().map(id_of).collect();
        let expected = if is_whole { page.ids().await } else { ids.to_vec() };
        assert_eq!(answered, expected);
    }
}

#[tokio::test]
async fn schemas_of_slots_may_be_given() {
    let strict = json!({
        "type": "object",
        "properties": {"answer": {"type": "integer"}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    let (open, given) = both(|choices| {
        choices.slot_schemas.insert("question".to_owned(), strict.clone());
    })
    .await;
    let create = async |api: &Api, data: Value| {
        let page = api.page().await;
        api.post(&page.at("/slots")).json(&json!({"type": "question", "data": data})).await
    };
    create(&open, json!({"anything": "goes"})).await.is(201);
    create(&given, json!({"answer": 42})).await.is(201);
    create(&given, json!({"anything": "goes"})).await.names(&["data.answer", "data.anything"]);
    let described = given.get("/slot-types/question").await.is(200);
    assert_eq!(described.data()["schema"], strict);
}

#[tokio::test]
async fn the_schemas_seen_in_use_are_closed_or_open() {
    let (closed, open) = both(|choices| choices.open_schemas = true).await;
    for (api, status) in [(closed, 422), (open, 201)] {
        let page = api.page().await;
        let form = api.form().await;
        for (slot_type, mut data) in [
            ("button", json!({"title": "T", "link": "https://example.com"})),
            ("text", json!({"title": "T", "description": "D"})),
            ("form", json!({"formId": form})),
            ("divider", json!({})),
        ] {
            data["colour"] = json!("red");
            let answer =
                api.post(&page.at("/slots")).json(&json!({"type": slot_type, "data": data})).await;
            assert_eq!(answer.status, status, "{slot_type}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn computed_keys_may_be_shown_inside_data() {
    let (apart, inside) = both(|choices| choices.computed_in_data = true).await;
    for (api, shown) in [(apart, false), (inside, true)] {
        let described = api.get("/slot-types/picture").await.is(200);
        let computed = described.data()["computed"].as_object().expect("computed keys").clone();
        let picture = api.page().await.slot("picture").await;
        for key in computed.keys() {
            assert_eq!(picture["data"].get(key).is_some(), shown, "{key} in {picture}");
        }
    }
}

#[tokio::test]
async fn channel_ids_are_a_list_or_a_map() {
    let (list, map) = both(|choices| choices.channel_ids_by_index = true).await;
    let ids = async |api: &Api| {
        let form = api.form().await;
        api.get(&format!("/forms/{form}")).await.is(200).data()["notificationChannelIds"].clone()
    };
    let (list, map) = (ids(&list).await, ids(&map).await);
    let values: Vec<_> = map.as_object().expect("a map").values().cloned().collect();
    assert_eq!(list, Value::Array(values));
}

#[tokio::test]
async fn the_answer_to_an_upload_is_wrapped_or_bare() {
    let (wrapped, bare) = both(|choices| choices.bare_upload_answer = true).await;
    for (api, is_bare) in [(wrapped, false), (bare, true)] {
        let created = api.post("/files/upload-url").await.is(200);
        let address = text(&created.data()["upload_url"]);
        let sent = api.ask(&Method::PUT, address).anonymous().body("image/png", png(8, 8)).await;
        assert!(matches!(sent.status, 200 | 201), "{}", sent.text);
        shapes::record("file", if is_bare { &sent.json } else { sent.data() }, shapes::FILE);
    }
}

#[tokio::test]
async fn files_are_served_elsewhere_or_here_without_a_token() {
    let (elsewhere, here) = both(|choices| choices.files_here = true).await;
    let uploaded = elsewhere.post("/files").file(&png(320, 200)).await.is(201);
    assert!(text(&uploaded.data()["src"]).starts_with("https://files.links.example/"));
    let uploaded = here.post("/files").file(&png(320, 200)).await.is(201);
    let src = text(&uploaded.data()["src"]);
    let sent = here.ask(&Method::GET, src).anonymous().await.is(200);
    assert!(sent.text.starts_with("GIF89a"), "{}", sent.text);
    here.ask(&Method::GET, &src.replace(".png", ".gif")).anonymous().await.is(404);
}

#[tokio::test]
async fn analytics_rows_are_a_list_or_a_map() {
    let (list, map) = both(|choices| choices.analytics_by_id = true).await;
    assert!(list.get("/analytics").await.is(200).data()["rows"].is_array());
    assert!(map.get("/analytics").await.is(200).data()["rows"].is_object());
}

#[tokio::test]
async fn the_default_period_is_the_last_28_days() {
    let (api, _clock) = Api::timed(World::cafe()).await;
    let default = api.get("/analytics?include=timeline&bucket=day").await.is(200);
    let named = api.get("/analytics?include=timeline&bucket=day&period=last28").await.is(200);
    assert_eq!(default.data(), named.data());
    assert_eq!(default.data()["timeline"].as_array().map(Vec::len), Some(28));
}

#[tokio::test]
async fn a_period_is_named_or_given_by_both_dates_in_order() {
    let api = Api::cafe().await;
    for query in [
        "period=last7&dateFrom=2026-01-01&dateTo=2026-01-02",
        "dateFrom=2026-01-01",
        "dateTo=2026-01-01",
        "dateFrom=2026-01-02&dateTo=2026-01-01",
    ] {
        api.get(&format!("/analytics?{query}")).await.refused(422);
    }
}

#[tokio::test]
async fn timeline_entries_have_a_date_views_and_clicks() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let answer = api.get(&page.at("/analytics?include=timeline")).await.is(200);
    let entry = &[("date", "string"), ("views", "integer"), ("clicks", "integer")];
    shapes::records("timeline", &answer.data()["timeline"], entry);
}

#[tokio::test]
async fn strings_are_kept_or_normalized() {
    let (kept, normalized) = both(|choices| choices.strings_normalized = true).await;
    for (api, title, description) in
        [(kept, json!("  Café "), json!("")), (normalized, json!("Café"), Value::Null)]
    {
        let page = api.page().await;
        let body = json!({"title": "  Café ", "description": ""});
        let updated = api.patch(&page.at("")).json(&body).await.is(200);
        assert_eq!(updated.data()["title"], title);
        assert_eq!(updated.data()["description"], description);
    }
}

#[tokio::test]
async fn the_create_body_of_a_profile_takes_its_writable_fields() {
    let api = Api::cafe().await;
    let body = json!({
        "login": "second.page",
        "title": "Second",
        "description": "Page",
        "avatar": null,
        "bgImage": null,
        "socials": [{"link": "https://t.me/second", "order": 0}],
        "languageId": null,
        "moodText": "New",
        "moodHours": 1,
    });
    let created = api.post("/profiles").json(&body).await.is(201);
    for (field, value) in body.as_object().expect("fields") {
        assert_eq!(&created.data()[field], value, "{field}");
    }
}

#[tokio::test]
async fn the_body_of_settings_takes_login_and_language_code_only() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let others = json!({"languageId": 1, "title": "T", "profileId": page.id});
    api.patch(&page.at("/settings")).json(&others).await.names(&[
        "languageId",
        "profileId",
        "title",
    ]);
}

#[tokio::test]
async fn analytics_may_carry_unknown_fields() {
    let (exact, extended) = both(|choices| choices.unknown_fields = true).await;
    let fields = async |api: &Api| {
        let answer = api.get("/analytics").await.is(200);
        answer.data().as_object().expect("an object").len()
    };
    assert!(fields(&extended).await > fields(&exact).await);
}
