//! Section 4.2: every row of the endpoint table, its success status and the shape of its answer.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::image::png;
use crate::operations::{KNOWN_MUSIC, operations};
use crate::shapes;
use crate::support::{Api, id_of, ids_query};

#[tokio::test]
async fn rule_4_2_every_row_answers_with_its_success_status() {
    let names: BTreeSet<_> = {
        let api = Api::cafe().await;
        let page = api.page().await;
        let rows = operations(&api, &page).await;
        rows.iter().map(|row| row.name).collect()
    };
    assert_eq!(names.len(), 33, "the table has 33 rows");
    for name in names {
        let api = Api::cafe().await;
        let page = api.page().await;
        let rows = operations(&api, &page).await;
        let row = rows.iter().find(|row| row.name == name).expect("listed above");
        row.on(&api).await.is(row.success);
    }
}

#[tokio::test]
async fn rule_4_2_get_me_answers_the_account() {
    let api = Api::cafe().await;
    shapes::record("me", api.get("/me").await.is(200).data(), shapes::ME);
}

#[tokio::test]
async fn rule_4_2_a_single_slot_type_equals_its_entry_in_the_list() {
    let api = Api::cafe().await;
    let listed = api.get("/slot-types").await.is(200);
    for described in shapes::records("slot types", listed.data(), shapes::SLOT_TYPE) {
        let path = format!("/slot-types/{}", described["type"].as_str().expect("checked"));
        assert_eq!(api.get(&path).await.is(200).data(), described);
    }
}

#[tokio::test]
async fn rule_4_2_an_unknown_slot_type_is_404_not_found() {
    let api = Api::cafe().await;
    let refused = api.get("/slot-types/carousel").await.refused(404);
    assert_eq!(refused.json["code"], "not_found");
}

#[tokio::test]
async fn rule_4_2_list_profiles_answers_all_profiles_and_their_total() {
    for api in [Api::empty().await, Api::cafe().await, Api::full().await] {
        let count = api.server.account().profiles.len();
        let listed = api.get("/profiles").await.is(200);
        let profiles = listed.data().as_array().expect("a list");
        for profile in profiles {
            shapes::profile("profile", profile);
        }
        assert_eq!(profiles.len(), count);
        assert_eq!(listed.meta(), &json!({"total": count}));
    }
}

#[tokio::test]
async fn rule_4_2_a_created_profile_is_answered_and_can_be_read() {
    let api = Api::empty().await;
    let created = api.post("/profiles").json(&json!({"login": "bakery.one"})).await.is(201);
    shapes::profile("profile", created.data());
    assert_eq!(created.data()["login"], "bakery.one");
    assert_eq!(api.get("/profiles/bakery.one").await.is(200).data(), created.data());
    assert_eq!(api.get("/profiles/bakery.one/slots").await.is(200).data(), &json!([]));
}

#[tokio::test]
async fn rule_4_2_check_login_answers_availability_with_a_reason() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let fields = &[
        ("login", "string"),
        ("profile", "string or null"),
        ("available", "boolean"),
        ("reason", "string or null"),
        ("message", "string"),
    ];
    let check = async |query: &str| {
        let answer = api.get(&format!("/profiles/check-login?{query}")).await.is(200);
        shapes::record(query, answer.data(), fields);
        answer.data().clone()
    };
    let free = check("login=bakery.one").await;
    assert_eq!(free["login"], "bakery.one");
    assert_eq!(free["available"], true);
    assert_eq!(free["reason"], Value::Null);
    assert_eq!(free["profile"], Value::Null);
    for taken_or_unfit in ["cafe", "abc", "has-hyphen", "settings", &"x".repeat(61)] {
        let refused = check(&format!("login={taken_or_unfit}")).await;
        assert_eq!(refused["available"], false, "{taken_or_unfit}");
        assert!(refused["reason"].is_string(), "{refused}");
    }
    for own in ["cafe".to_owned(), page.id.to_string()] {
        let kept = check(&format!("login=cafe&profile={own}")).await;
        assert_eq!(kept["available"], true, "the login of the page itself is not taken");
        assert_eq!(kept["profile"], own);
    }
}

#[tokio::test]
async fn rule_4_2_check_login_ignores_only_the_login_of_the_named_page() {
    let api = Api::cafe().await;
    api.post("/profiles").json(&json!({"login": "bakery.one"})).await.is(201);
    let other = api.get("/profiles/check-login?login=cafe&profile=bakery.one").await.is(200);
    assert_eq!(other.data()["available"], false);
}

#[tokio::test]
async fn rule_4_2_get_profile_adds_slots_only_when_they_are_included() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let plain = api.get(&page.at("")).await.is(200);
    let mut with_slots = api.get(&page.at("?include=slots")).await.is(200).data().clone();
    let slots = with_slots.as_object_mut().expect("an object").remove("slots");
    assert_eq!(slots, Some(Value::Array(page.slots().await)));
    assert_eq!(&with_slots, plain.data());
}

#[tokio::test]
async fn rule_4_2_update_profile_leaves_omitted_fields_untouched() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut expected = api.get(&page.at("")).await.is(200).data().clone();
    let updated =
        api.patch(&page.at("")).json(&json!({"description": "Open all night"})).await.is(200);
    shapes::profile("profile", updated.data());
    expected["description"] = json!("Open all night");
    assert_eq!(updated.data(), &expected);
    assert_eq!(api.get(&page.at("")).await.is(200).data(), &expected);
}

#[tokio::test]
async fn rule_4_2_update_bodies_of_profiles_and_settings_are_optional() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    for path in [page.at(""), page.at("/settings")] {
        api.patch(&path).await.is(200);
        api.patch(&path).json(&json!({})).await.is(200);
    }
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_2_updated_profile_settings_are_answered_and_can_be_read() {
    let api = Api::cafe().await;
    let path = api.page().await.at("/settings");
    let settings = api.get(&path).await.is(200);
    shapes::settings("settings", settings.data());
    let updated = api.patch(&path).json(&json!({"login": "cafe.two"})).await.is(200);
    shapes::settings("settings", updated.data());
    assert_eq!(updated.data()["login"], "cafe.two");
    assert_eq!(api.get(&path).await.is(200).data(), updated.data());
}

#[tokio::test]
async fn rule_4_2_markdown_is_text_with_its_token_count() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let markdown = api.get(&page.at("/markdown")).await.is(200);
    let content_type = markdown.header("content-type").expect("a content type");
    assert!(content_type.starts_with("text/markdown"), "{content_type}");
    let tokens: u64 =
        markdown.header("x-markdown-tokens").expect("the header").parse().expect("an integer");
    assert!(tokens > 0);
    assert!(!markdown.text.is_empty());
}

#[tokio::test]
async fn rule_4_2_json_answers_have_the_content_type_of_json() {
    let api = Api::cafe().await;
    for answer in
        [api.get("/me").await, api.get("/nowhere").await, api.get("/me").anonymous().await]
    {
        let content_type = answer.header("content-type").unwrap_or_default();
        assert!(content_type.starts_with("application/json"), "{}: {content_type}", answer.asked);
    }
}

#[tokio::test]
async fn rule_4_2_list_slots_is_in_page_order() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut order = page.ids().await;
    order.rotate_left(5);
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    assert_eq!(page.ids().await, order);
}

#[tokio::test]
async fn rule_4_2_a_slot_can_be_created_read_updated_and_deleted() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"type": "text", "data": {"title": "New", "description": "slot"}});
    let created = api.post(&page.at("/slots")).json(&body).await.is(201);
    shapes::slot("slot", created.data());
    let one = page.at(&format!("/slots/{}", created.data()["id"]));
    assert_eq!(api.get(&one).await.is(200).data(), created.data());
    let updated = api.patch(&one).json(&json!({"data": {"title": "Newer"}})).await.is(200);
    shapes::slot("slot", updated.data());
    assert_eq!(updated.data()["data"]["title"], "Newer");
    let deleted = api.delete(&one).await.is(204);
    assert_eq!(deleted.text, "");
    api.get(&one).await.refused(404);
}

#[tokio::test]
async fn rule_4_2_batches_answer_with_slots() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"slots": [{"type": "divider"}, {"type": "text", "data": {"title": "T", "description": "D"}}]});
    let created = api.post(&page.at("/slots/batch")).json(&body).await.is(201);
    let created = created.data().as_array().expect("slots").clone();
    assert_eq!(created.len(), 2);
    for slot in &created {
        shapes::slot("created", slot);
    }

    let body = json!({"slots": [{"id": created[1]["id"], "data": {"title": "U"}}]});
    let updated = api.patch(&page.at("/slots")).json(&body).await.is(200);
    updated.data().as_array().expect("slots").iter().for_each(|slot| shapes::slot("updated", slot));

    let body = json!({"order": page.ids().await});
    let ordered = api.put(&page.at("/slots/order")).json(&body).await.is(200);
    ordered.data().as_array().expect("slots").iter().for_each(|slot| shapes::slot("ordered", slot));
}

#[tokio::test]
async fn rule_4_2_delete_slots_takes_ids_in_the_query_or_in_the_body() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let ids = page.ids().await;
    let plain: Vec<i64> =
        page.slots().await.iter().filter(|slot| slot["type"] != "event").map(id_of).collect();

    let deleted = api.delete(&page.at(&format!("/slots?{}", ids_query(&plain[..2])))).await.is(200);
    assert_eq!(deleted.json, json!({"meta": {"deleted": 2, "total": ids.len() - 2}}));

    let deleted = api.delete(&page.at("/slots")).json(&json!({"ids": plain[2..5]})).await.is(200);
    assert_eq!(deleted.json, json!({"meta": {"deleted": 3, "total": ids.len() - 5}}));

    let encoded = format!("/slots?ids%5B%5D={}", plain[5]);
    let deleted = api.delete(&page.at(&encoded)).await.is(200);
    assert_eq!(deleted.json, json!({"meta": {"deleted": 1, "total": ids.len() - 6}}));

    assert!(plain[..6].iter().all(|id| ids.contains(id)));
    let left = page.ids().await;
    assert!(plain[..6].iter().all(|id| !left.contains(id)), "{left:?}");
    api.delete(&page.at("/slots")).await.refused(422);
}

#[tokio::test]
async fn rule_4_2_a_form_can_be_listed_created_read_and_updated() {
    let api = Api::cafe().await;
    let listed = api.get("/forms").await.is(200);
    let count = listed.data().as_array().expect("forms").len();
    assert_eq!(listed.meta(), &json!({"total": count}));

    let body = json!({"title": "Call me", "fields": [{"type": "phone", "label": "Phone", "required": true}]});
    let created = api.post("/forms").json(&body).await.is(201);
    shapes::form("form", created.data());
    assert_eq!(api.get("/forms").await.is(200).meta(), &json!({"total": count + 1}));

    let one = format!("/forms/{}", created.data()["id"].as_str().expect("a uuid"));
    assert_eq!(api.get(&one).await.is(200).data(), created.data());
    let updated = api.patch(&one).json(&json!({"title": "Call us"})).await.is(200);
    shapes::form("form", updated.data());
    assert_eq!(updated.data()["title"], "Call us");
}

#[tokio::test]
async fn rule_4_2_list_notification_channels_answers_all_and_their_total() {
    let api = Api::cafe().await;
    let listed = api.get("/notification-channels").await.is(200);
    let channels = shapes::records("channels", listed.data(), shapes::CHANNEL);
    assert_eq!(listed.meta(), &json!({"total": channels.len()}));
}

#[tokio::test]
async fn rule_4_2_lookup_music_answers_a_known_release() {
    let api = Api::cafe().await;
    api.get(KNOWN_MUSIC).await.is(200).data();
}

#[tokio::test]
async fn rule_4_2_upload_file_answers_201_with_the_file() {
    let api = Api::cafe().await;
    let uploaded = api.post("/files").file(&png(8, 8)).await.is(201);
    shapes::record("file", uploaded.data(), shapes::FILE);
}

#[tokio::test]
async fn rule_4_2_create_upload_url_answers_200_with_a_url() {
    let api = Api::cafe().await;
    let created = api.post("/files/upload-url").await.is(200);
    assert!(created.data()["upload_url"].is_string());
}

#[tokio::test]
async fn rule_4_2_analytics_carry_data_and_meta() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = format!("/forms/{}/analytics", api.form().await);
    for path in ["/analytics".to_owned(), page.at("/analytics"), form] {
        let answer = api.get(&path).await.is(200);
        assert!(answer.data().is_object(), "{}", answer.text);
        assert!(answer.meta().is_object(), "{}", answer.text);
    }
}

#[tokio::test]
async fn rule_4_2_the_openapi_description_covers_every_row() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let described = api.get("/openapi.json").await.is(200).json;
    let paths = described["paths"].as_object().expect("paths");
    let mut described_names = BTreeSet::new();
    for path in paths.values() {
        for operation in path.as_object().expect("operations").values() {
            described_names.extend(operation["operationId"].as_str());
        }
    }
    for row in operations(&api, &page).await.iter().filter(|row| row.name != "openapi") {
        assert!(described_names.contains(row.name), "{} is not described", row.name);
    }
}

#[tokio::test]
async fn rule_4_2_a_known_path_with_another_method_is_no_endpoint() {
    let api = Api::cafe().await;
    for (method, path) in [
        (reqwest::Method::PUT, "/profiles"),
        (reqwest::Method::DELETE, "/forms"),
        (reqwest::Method::POST, "/me"),
        (reqwest::Method::POST, "/music/lookup"),
    ] {
        let answer = api.ask(&method, path).await;
        assert!(matches!(answer.status, 404 | 405), "{} answered {}", answer.asked, answer.status);
    }
}

#[tokio::test]
async fn another_method_of_a_path_is_not_found() {
    let api = Api::cafe().await;
    let form = api.form().await;
    for (path, allowed) in [
        ("/profiles/check-login".to_owned(), "GET"),
        ("/profiles/cafe/slots/batch".to_owned(), "POST"),
        ("/profiles/cafe/slots/order".to_owned(), "PUT"),
        ("/profiles/cafe".to_owned(), "GET, PATCH"),
        (format!("/forms/{form}"), "GET, PATCH"),
        ("/slot-types/button".to_owned(), "GET"),
        ("/".to_owned(), "GET"),
    ] {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let method: reqwest::Method = method.parse().expect("a method");
            let answer = api.ask(&method, &path).await;
            let named = allowed.split(", ").any(|name| name == method.as_str());
            assert_eq!(answer.status != 404, named, "{method} {path}");
        }
    }
    for path in ["/profiles/nobody", "/profiles/cafe/slots/1", "/slot-types/carousel"] {
        api.put(path).await.refused(404);
    }
}
