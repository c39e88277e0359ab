//! Section 4.7: lead forms.

use serde_json::{Value, json};

use crate::support::Api;

fn full_form(channel: &Value) -> Value {
    json!({
        "title": "Order a cake",
        "description": "We call you back",
        "buttonText": "Order",
        "successMessage": "Thank you",
        "whatsappPhone": "+77010000000",
        "whatsappMessage": "A cake, please",
        "fields": [
            {"type": "text", "label": "Name", "required": true},
            {"type": "phone", "label": "Phone", "required": false},
        ],
        "enabled": true,
        "submissionsLimit": 100,
        "activeTill": "2030-01-01T00:00:00Z",
        "notificationChannelIds": [channel],
    })
}

#[tokio::test]
async fn rule_4_7_every_observed_field_is_stored() {
    let api = Api::cafe().await;
    let channel = api.get("/notification-channels").await.is(200).data()[0]["id"].clone();
    let body = full_form(&channel);
    let created = api.post("/forms").json(&body).await.is(201);
    for (field, value) in body.as_object().expect("fields") {
        match field.as_str() {
            "fields" => {
                let fields = created.data()["fields"].as_array().expect("fields");
                assert_eq!(fields.len(), 2);
                for (stored, sent) in fields.iter().zip(value.as_array().expect("fields")) {
                    for part in ["type", "label", "required"] {
                        assert_eq!(stored[part], sent[part]);
                    }
                }
            }
            "activeTill" => {
                let stored = created.data()["activeTill"].as_str().expect("a date");
                assert!(stored.starts_with("2030-01-01"), "{stored}");
            }
            _ => assert_eq!(&created.data()[field], value, "{field}"),
        }
    }
}

#[tokio::test]
async fn rule_4_7_field_keys_identify_fields() {
    let api = Api::cafe().await;
    let channel = api.get("/notification-channels").await.is(200).data()[0]["id"].clone();
    let created = api.post("/forms").json(&full_form(&channel)).await.is(201);
    let keys: Vec<_> = created.data()["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .map(|field| field["key"].clone())
        .collect();
    assert!(keys.iter().all(Value::is_string), "{keys:?}");
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn rule_4_7_title_and_fields_are_required() {
    let api = Api::cafe().await;
    api.post("/forms").json(&json!({})).await.names(&["fields", "title"]);
}

#[tokio::test]
async fn rule_4_7_values_of_the_wrong_kind_are_named() {
    let api = Api::cafe().await;
    for (field, wrong) in [
        ("title", json!(7)),
        ("buttonText", json!(7)),
        ("enabled", json!("yes please")),
        ("submissionsLimit", json!("many")),
        ("activeTill", json!("some day")),
        ("whatsappPhone", json!({})),
        ("fields", json!("name")),
        ("notificationChannelIds", json!("all")),
    ] {
        let mut body =
            json!({"title": "T", "fields": [{"type": "text", "label": "L", "required": true}]});
        body[field] = wrong;
        api.post("/forms").json(&body).await.names(&[field]);
    }
    let body = json!({"title": "T", "fields": [{"type": "text", "label": "L", "required": true, "colour": "red"}]});
    api.post("/forms").json(&body).await.names(&["fields.0.colour"]);
}

#[tokio::test]
async fn rule_4_7_computed_fields_are_refused() {
    let api = Api::cafe().await;
    let form = format!("/forms/{}", api.form().await);
    let computed = json!({"active": true, "createdAt": "2026-01-01T00:00:00Z", "id": "x"});
    api.patch(&form).json(&computed).await.names(&["active", "createdAt", "id"]);
}

#[tokio::test]
async fn rule_4_7_1_a_form_belongs_to_the_account_and_is_put_on_pages_with_slots() {
    let api = Api::cafe().await;
    let form = api.form().await;
    for login in ["first.page", "second.page"] {
        api.post("/profiles").json(&json!({"login": login})).await.is(201);
        let slot = json!({"type": "form", "data": {"formId": form}});
        api.post(&format!("/profiles/{login}/slots")).json(&slot).await.is(201);
    }
    let shown = api.get("/forms").await.is(200);
    assert_eq!(shown.data().as_array().map(Vec::len), Some(1), "embedding copies nothing");
}

#[tokio::test]
async fn rule_4_7_2_without_channels_the_list_is_empty_which_means_all() {
    let api = Api::cafe().await;
    let mut body =
        json!({"title": "T", "fields": [{"type": "text", "label": "L", "required": true}]});
    let created = api.post("/forms").json(&body).await.is(201);
    assert_eq!(created.data()["notificationChannelIds"], json!([]));

    let channel = api.get("/notification-channels").await.is(200).data()[1]["id"].clone();
    body["notificationChannelIds"] = json!([channel]);
    let created = api.post("/forms").json(&body).await.is(201);
    assert_eq!(created.data()["notificationChannelIds"], json!([channel]));
}

#[tokio::test]
async fn rule_4_7_2_unknown_channels_are_refused() {
    let api = Api::cafe().await;
    let form = format!("/forms/{}", api.form().await);
    let refused =
        api.patch(&form).json(&json!({"notificationChannelIds": [999_999_999]})).await.refused(422);
    assert!(refused.error_keys()[0].starts_with("notificationChannelIds"), "{}", refused.text);
}

#[tokio::test]
async fn rule_4_7_3_omitted_fields_are_untouched() {
    let api = Api::cafe().await;
    let path = format!("/forms/{}", api.form().await);
    let mut expected = api.get(&path).await.is(200).data().clone();
    api.patch(&path).json(&json!({"successMessage": "See you"})).await.is(200);
    expected["successMessage"] = json!("See you");
    assert_eq!(api.get(&path).await.is(200).data(), &expected);
    api.patch(&path).json(&json!({})).await.is(200);
    assert_eq!(api.get(&path).await.is(200).data(), &expected);
}

#[tokio::test]
async fn rule_4_7_3_fields_replaces_the_whole_list_and_keys_stay() {
    let api = Api::cafe().await;
    let field = |label: &str| json!({"type": "text", "label": label, "required": false});
    let body = json!({"title": "T", "fields": [field("one"), field("two"), field("three")]});
    let created = api.post("/forms").json(&body).await.is(201);
    let path = format!("/forms/{}", created.data()["id"].as_str().expect("a uuid"));
    let third = created.data()["fields"][2]["key"].clone();

    let mut kept = field("three, renamed");
    kept["key"] = third.clone();
    let updated = api.patch(&path).json(&json!({"fields": [kept, field("four")]})).await.is(200);
    let fields = updated.data()["fields"].as_array().expect("fields");
    assert_eq!(fields.len(), 2);
    assert_eq!(fields[0]["key"], third);
    assert_eq!(fields[0]["label"], "three, renamed");
    assert_eq!(fields[1]["label"], "four");
    assert!(fields[1]["key"].is_string());
    assert_ne!(fields[1]["key"], third);
}

#[tokio::test]
async fn rule_4_7_3_a_new_field_may_come_before_those_that_stay() {
    let api = Api::cafe().await;
    let path = format!("/forms/{}", api.form().await);
    let field = |label: &str| json!({"type": "text", "label": label, "required": false});
    let set = |fields: Value| api.patch(&path).json(&json!({"fields": fields}));
    let stored = set(json!([field("one"), field("two")])).await.is(200).data()["fields"].clone();

    let (one, two) = (&stored[0], &stored[1]);
    let updated = set(json!([field("new"), two, one])).await.is(200).data()["fields"].clone();
    assert_eq!([&updated[1], &updated[2]], [two, one]);
    assert!(updated[0]["key"] != one["key"] && updated[0]["key"] != two["key"], "{updated}");
}

#[tokio::test]
async fn rule_4_7_3_the_key_of_a_field_that_went_is_not_given_to_another() {
    let api = Api::cafe().await;
    let path = format!("/forms/{}", api.form().await);
    let field = |label: &str| json!({"type": "text", "label": label, "required": false});
    let set = |fields: Value| api.patch(&path).json(&json!({"fields": fields}));
    let before = set(json!([field("Name")])).await.is(200).data()["fields"][0]["key"].clone();
    let after = set(json!([field("Phone")])).await.is(200).data()["fields"][0]["key"].clone();
    assert_ne!(before, after, "one key would name two fields across updates");
}

#[tokio::test]
async fn rule_4_7_3_a_change_shows_at_once_where_the_form_is_embedded() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = api.form().await;
    let slot = json!({"type": "form", "data": {"formId": form}});
    api.post(&page.at("/slots")).json(&slot).await.is(201);
    let title = "A title never seen before";
    api.patch(&format!("/forms/{form}")).json(&json!({"title": title})).await.is(200);
    let markdown = api.get(&page.at("/markdown")).await.is(200).text;
    assert!(markdown.contains(title), "{markdown}");
}

#[tokio::test]
async fn rule_4_7_3_received_submissions_are_not_affected() {
    let api = Api::cafe().await;
    let form = format!("/forms/{}", api.form().await);
    let analytics = format!("{form}/analytics");
    let before = api.get(&analytics).await.is(200).data()["submissions"]["total"].clone();
    let body = json!({"fields": [{"type": "text", "label": "Only", "required": true}]});
    api.patch(&form).json(&body).await.is(200);
    assert_eq!(api.get(&analytics).await.is(200).data()["submissions"]["total"], before);
}

#[tokio::test]
async fn active_till_is_iso_8601() {
    let api = Api::cafe().await;
    let path = format!("/forms/{}", api.form().await);
    for text in ["9999-12-31", "9999-12-31T23:59:59Z", "2027-01-01T10:00:00.5+05:00"] {
        let form = api.patch(&path).json(&json!({"activeTill": text})).await.is(200);
        assert_eq!(
            (&form.data()["activeTill"], &form.data()["active"]),
            (&json!(text), &json!(true))
        );
    }
    for text in ["2027-01-01T10:00:00+05:00[Asia/Almaty]", "-001-01-01", "2027-01-01 10:00:00"] {
        api.patch(&path).json(&json!({"activeTill": text})).await.names(&["activeTill"]);
    }
}
