//! Section 2: conventions, forms, channels, errors and the meta of analytics.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::operations::{Addresses, operations};
use crate::shapes;
use crate::support::Api;

#[tokio::test]
async fn rule_2_keys_are_camel_case_but_for_the_upload_url() {
    fn keys(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                found.insert(name.clone());
                // A slot type's schema and a reserved word are not this interface's keys.
                if !matches!(name.as_str(), "schema" | "examples" | "abilities") {
                    keys(value, found);
                }
            }),
            Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
            _ => {}
        }
    }
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await {
        if operation.writes() || operation.name == "openapi" {
            continue;
        }
        let mut found = BTreeSet::new();
        keys(&operation.on(&api).await.is(200).json, &mut found);
        let snake: Vec<_> = found.iter().filter(|key| key.contains(['_', '-'])).collect();
        assert!(snake.is_empty(), "{} has the keys {snake:?}", operation.name);
    }
}

#[tokio::test]
async fn rule_2_dates_are_iso_8601() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let moody = json!({"moodText": "Baking", "moodHours": 4});
    let profile = api.patch(&page.at("")).json(&moody).await.is(200);
    shapes::iso_8601("moodExpiresAt", &profile.data()["computed"]["moodExpiresAt"]);

    let form = format!("/forms/{}", api.form().await);
    let form = api.patch(&form).json(&json!({"activeTill": "2030-01-02T03:04:05Z"})).await.is(200);
    shapes::iso_8601("createdAt", &form.data()["createdAt"]);
    shapes::iso_8601("activeTill", &form.data()["activeTill"]);

    let upload = api.post("/files/upload-url").await.is(200);
    shapes::iso_8601("expires_at", &upload.data()["expires_at"]);
}

#[tokio::test]
async fn rule_2_success_is_data_and_meta() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await {
        if operation.writes() || matches!(operation.name, "openapi" | "previewProfileMarkdown") {
            continue;
        }
        let answer = operation.on(&api).await.is(200);
        answer.data();
        let others: Vec<_> = answer
            .json
            .as_object()
            .expect("data")
            .keys()
            .filter(|key| !matches!(key.as_str(), "data" | "meta"))
            .collect();
        assert!(others.is_empty(), "{} has {others:?} beside data", operation.name);
    }
}

#[tokio::test]
async fn rule_2_4_a_lead_form_has_the_documented_fields() {
    let api = Api::cafe().await;
    let listed = api.get("/forms").await.is(200);
    for form in listed.data().as_array().expect("forms") {
        shapes::form("form", form);
        form["id"].as_str().expect("checked").parse::<uuid::Uuid>().expect("a uuid");
        shapes::iso_8601("createdAt", &form["createdAt"]);
    }
}

#[tokio::test]
async fn rule_2_4_a_form_is_addressed_by_its_uuid_only() {
    let api = Api::cafe().await;
    for other in ["1", "cafe", "not-a-uuid"] {
        api.get(&format!("/forms/{other}")).await.refused(404);
    }
}

#[tokio::test]
async fn rule_2_5_a_notification_channel_has_the_documented_fields() {
    let api = Api::cafe().await;
    let listed = api.get("/notification-channels").await.is(200);
    let channels = shapes::records("channels", listed.data(), shapes::CHANNEL);
    assert_eq!(channels.len(), 3);
    for channel in channels {
        let transport = channel["channel"].as_str().expect("checked");
        assert!(["telegram", "whatsapp", "email"].contains(&transport), "{channel}");
        let recipient = channel["recipient"].as_str().expect("checked");
        assert!(recipient.contains(['*', '•', '…']), "the recipient is not masked: {recipient}");
    }
}

#[tokio::test]
async fn rule_2_7_every_refusal_has_the_error_envelope() {
    let api = Api::cafe().await;
    let page = api.page().await;
    api.get("/me").anonymous().await.refused(401);
    api.get("/profiles/nobody").await.refused(404);
    api.get("/nowhere").await.refused(404);
    api.post(&page.at("/slots")).json(&json!({"type": "event"})).await.refused(409);
    api.post(&page.at("/slots")).body("application/json", "{not json").await.refused(422);
    for operation in operations(&api, &page).await {
        if let Some(missing) = &operation.missing {
            assert_ne!(operation.addresses, Addresses::Account);
            operation.on_path(&api, missing).await.refused(404);
        }
    }
}

#[tokio::test]
async fn rule_2_8_every_analytics_answer_carries_meta() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = api.form().await;
    for path in ["/analytics".to_owned(), page.at("/analytics"), format!("/forms/{form}/analytics")]
    {
        let answer = api.get(&path).await.is(200);
        shapes::record("meta", answer.meta(), shapes::ANALYTICS_META);
        shapes::iso_8601("generatedAt", &answer.meta()["generatedAt"]);
        shapes::iso_8601("dataStartsAt", &answer.meta()["dataStartsAt"]);
        assert_eq!(answer.meta()["retentionDays"], 365);
        assert_eq!(answer.meta()["uniquesAreApproximate"], true);
    }
}
