//! Section 2: the records and their fields.

use std::collections::BTreeSet;
use std::time::Duration;

use links_fixtures::{Choices, World};
use serde_json::{Value, json};

use crate::image::png;
use crate::operations::{Addresses, operations};
use crate::shapes;
use crate::support::{Api, id_of, noon};

pub(crate) const SLOT_TYPES: [&str; 12] = [
    "button", "picture", "gallery", "text", "youtube", "faq", "divider", "event", "music", "form",
    "wishlist", "question",
];

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
async fn rule_2_1_profile_fields() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let profile = api.get(&page.at("")).await.is(200);
    shapes::profile("profile", profile.data());
    assert!(profile.data().get("slots").is_none(), "slots without include=slots");
    let with_slots = api.get(&page.at("?include=slots")).await.is(200);
    assert!(with_slots.data()["slots"].is_array());
}

#[tokio::test]
async fn rule_2_1_an_avatar_is_a_path_and_its_address_is_computed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let file = api.post("/files").file(&png(800, 800)).await.is(201);
    let path = &file.data()["path"];
    let body = json!({"avatar": path, "bgImage": path});
    let profile = api.patch(&page.at("")).json(&body).await.is(200);
    assert_eq!(&profile.data()["avatar"], path);
    assert_eq!(&profile.data()["bgImage"], path);
    assert_eq!(profile.data()["computed"]["avatarUrl"], file.data()["src"]);
    assert_eq!(profile.data()["computed"]["bgImageUrl"], file.data()["src"]);

    let bare =
        api.patch(&page.at("")).json(&json!({"avatar": null, "bgImage": null})).await.is(200);
    assert_eq!(bare.data()["computed"]["avatarUrl"], Value::Null);
    assert_eq!(bare.data()["computed"]["bgImageUrl"], Value::Null);
}

#[tokio::test]
async fn rule_2_1_an_icon_sent_back_is_refused_and_icons_are_derived() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    let with_icon =
        json!({"socials": [{"link": "https://t.me/cafe", "order": 0, "icon": "telegram"}]});
    api.patch(&page.at("")).json(&with_icon).await.names(&["socials.0.icon"]);
    assert_eq!(api.state().await, before);

    let socials = json!([{"link": "https://t.me/cafe", "order": 0}, {"link": "https://instagram.com/cafe", "order": 1}]);
    let profile = api.patch(&page.at("")).json(&json!({"socials": socials})).await.is(200);
    assert_eq!(profile.data()["socials"], socials);
    let icons = profile.data()["computed"]["socials"].as_array().expect("icons").clone();
    assert_eq!(icons.len(), 2, "one icon a link");
    assert!(icons.iter().all(|icon| icon["icon"].is_string()), "{icons:?}");
}

#[tokio::test]
async fn rule_2_1_computed_is_never_writable() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let computed = api.get(&page.at("")).await.is(200).data()["computed"].clone();
    api.patch(&page.at("")).json(&json!({"computed": computed})).await.names(&["computed"]);
}

#[tokio::test]
async fn rule_2_1_the_first_page_of_the_account_is_its_main_one() {
    let api = Api::full().await;
    let profiles = api.get("/profiles").await.is(200);
    let main = profiles
        .data()
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["computed"]["isMain"] == true);
    assert_eq!(main.count(), 1, "exactly one main page");
}

#[tokio::test]
async fn rule_2_1_mood_text_is_kept_after_it_expires_and_can_be_renewed() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let page = api.page().await;
    let mood = json!({"moodText": "Fresh bread", "moodHours": 2});
    let shown = api.patch(&page.at("")).json(&mood).await.is(200);
    assert_eq!(shown.data()["computed"]["moodActive"], true);
    let expires: jiff::Timestamp = shown.data()["computed"]["moodExpiresAt"]
        .as_str()
        .expect("a time")
        .parse()
        .expect("ISO 8601");
    assert_eq!(std::time::SystemTime::from(expires), noon() + Duration::from_secs(2 * 3600));

    clock.advance(Duration::from_secs(2 * 3600 + 1));
    let expired = api.get(&page.at("")).await.is(200);
    assert_eq!(expired.data()["computed"]["moodActive"], false);
    assert_eq!(expired.data()["moodText"], "Fresh bread");

    let renewed = api.patch(&page.at("")).json(&mood).await.is(200);
    assert_eq!(renewed.data()["computed"]["moodActive"], true);
}

#[tokio::test]
async fn rule_2_1_mood_text_is_absent_when_the_status_feature_is_off() {
    let on = Api::choosing(Choices::default()).await;
    let off = Api::choosing(Choices { status_feature: false, ..Choices::default() }).await;
    for (api, present) in [(on, true), (off, false)] {
        let page = api.page().await;
        let profile = api.get(&page.at("")).await.is(200);
        assert_eq!(profile.data().get("moodText").is_some(), present, "{}", profile.text);
        shapes::profile("profile", profile.data());
    }
}

#[tokio::test]
async fn rule_2_2_slot_fields() {
    let api = Api::cafe().await;
    let slots = api.page().await.slots().await;
    assert_eq!(slots.len(), 14);
    slots.iter().for_each(|slot| shapes::slot("slot", slot));
    let supported: BTreeSet<_> = slots
        .iter()
        .filter(|slot| slot["supported"] == true)
        .filter_map(|slot| slot["type"].as_str())
        .collect();
    assert_eq!(supported, BTreeSet::from(SLOT_TYPES), "the café shows every type");
    let ids: BTreeSet<_> = slots.iter().map(id_of).collect();
    assert_eq!(ids.len(), slots.len(), "ids are unique");
}

#[tokio::test]
async fn rule_2_2_eleven_types_are_accepted_on_create_and_event_is_not() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for slot_type in SLOT_TYPES {
        let described = api.get(&format!("/slot-types/{slot_type}")).await.is(200);
        let mut data = described.data()["example"].clone();
        if slot_type == "form" {
            data["formId"] = json!(api.form().await);
        }
        let answer =
            api.post(&page.at("/slots")).json(&json!({"type": slot_type, "data": data})).await;
        if slot_type == "event" {
            answer.refused(409);
        } else {
            let answer = answer.is(201);
            assert_eq!(answer.data()["type"], slot_type);
            assert_eq!(answer.data()["supported"], true);
        }
    }
}

#[tokio::test]
async fn rule_2_2_fields_seen_in_use_are_kept() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = api.form().await;
    for (slot_type, data) in [
        (
            "button",
            json!({"title": "Menu", "link": "https://example.com/menu", "style": "primary"}),
        ),
        ("text", json!({"title": "Hours", "description": "9 to 5"})),
        ("form", json!({"formId": form, "view": "button", "buttonText": "Write"})),
    ] {
        let answer = api
            .post(&page.at("/slots"))
            .json(&json!({"type": slot_type, "data": data}))
            .await
            .is(201);
        let stored = page.reread(answer.data()).await;
        for (field, value) in data.as_object().expect("fields") {
            assert_eq!(&stored["data"][field], value, "{slot_type}.{field}");
        }
    }
}

#[tokio::test]
async fn rule_2_2_a_divider_takes_empty_data_in_both_spellings() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for body in [
        json!({"type": "divider"}),
        json!({"type": "divider", "data": {}}),
        json!({"type": "divider", "data": []}),
    ] {
        let answer = api.post(&page.at("/slots")).json(&body).await.is(201);
        assert!(
            matches!(&answer.data()["data"], Value::Array(items) if items.is_empty()),
            "{}",
            answer.text
        );
    }
    let filled = json!({"type": "divider", "data": {"height": 2}});
    api.post(&page.at("/slots")).json(&filled).await.names(&["data.height"]);
}

#[tokio::test]
async fn rule_2_2_legacy_slots_are_listed_deleted_and_reordered_but_not_edited() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let legacy: Vec<_> =
        page.slots().await.into_iter().filter(|slot| slot["supported"] == false).collect();
    assert_eq!(legacy.len(), 2);
    let one = page.at(&format!("/slots/{}", legacy[0]["id"]));

    let edit = api.patch(&one).json(&json!({"data": {"title": "Edited"}})).await;
    assert!(matches!(edit.status, 409 | 422), "{}", edit.text);
    let edit = json!({"slots": [{"id": legacy[0]["id"], "data": {"title": "Edited"}}]});
    let edit = api.patch(&page.at("/slots")).json(&edit).await;
    assert!(matches!(edit.status, 409 | 422), "{}", edit.text);
    assert_eq!(page.reread(&legacy[0]).await, legacy[0]);

    let mut order = page.ids().await;
    order.reverse();
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    assert_eq!(page.ids().await, order);

    api.delete(&one).await.is(204);
    api.delete(&page.at(&format!("/slots?ids[]={}", legacy[1]["id"]))).await.is(200);
    assert_eq!(page.ids().await.len(), 12);
}

#[tokio::test]
async fn rule_2_2_every_offending_key_in_data_is_listed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let data = json!({"title": "T", "link": "https://example.com", "colour": "red", "size": 3});
    let expected = ["data.colour", "data.size"];
    api.post(&page.at("/slots"))
        .json(&json!({"type": "button", "data": data}))
        .await
        .names(&expected);
    let one = page.at(&format!("/slots/{}", page.slot("button").await["id"]));
    api.patch(&one).json(&json!({"data": {"colour": "red", "size": 3}})).await.names(&expected);
}

#[tokio::test]
async fn rule_2_2_computed_fields_in_data_are_refused() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut tried = 0;
    for slot_type in SLOT_TYPES {
        let described = api.get(&format!("/slot-types/{slot_type}")).await.is(200);
        let Some(computed) = described.data()["computed"].as_object() else { continue };
        if described.data()["writable"] == false {
            continue;
        }
        let mut data = described.data()["example"].clone();
        let mut expected = Vec::new();
        for field in computed.keys() {
            data[field] = json!("sent back");
            expected.push(format!("data.{field}"));
            tried += 1;
        }
        if slot_type == "form" {
            data["formId"] = json!(api.form().await);
        }
        let refused = api
            .post(&page.at("/slots"))
            .json(&json!({"type": slot_type, "data": data}))
            .await
            .refused(422);
        expected.sort();
        assert_eq!(refused.error_keys(), expected, "{slot_type}: {}", refused.text);
    }
    assert!(tried > 0, "no slot type has a computed field");
}

#[tokio::test]
async fn rule_2_3_slot_type_descriptions() {
    let api = Api::cafe().await;
    let listed = api.get("/slot-types").await.is(200);
    let types = shapes::records("slot types", listed.data(), shapes::SLOT_TYPE);
    let names: Vec<_> = types.iter().filter_map(|described| described["type"].as_str()).collect();
    assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from(SLOT_TYPES));
    assert_eq!(names.len(), SLOT_TYPES.len());
    for described in types {
        assert_eq!(described["writable"], described["type"] != "event", "{described}");
        jsonschema::validator_for(&described["schema"])
            .unwrap_or_else(|error| panic!("{} has no valid schema: {error}", described["type"]));
    }
}

#[tokio::test]
async fn rule_2_3_examples_follow_their_schema() {
    let api = Api::cafe().await;
    for described in api.get("/slot-types").await.is(200).data().as_array().expect("types") {
        let example = match &described["example"] {
            Value::Array(_) => json!({}),
            example => example.clone(),
        };
        let errors =
            jsonschema::validator_for(&described["schema"]).expect("a schema").validate(&example);
        assert!(errors.is_ok(), "{}: {errors:?}", described["type"]);
    }
}

#[tokio::test]
async fn rule_2_4_lead_form_fields() {
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
async fn rule_2_5_notification_channel_fields() {
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
async fn rule_2_6_profile_settings_fields() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let settings = api.get(&page.at("/settings")).await.is(200);
    shapes::settings("settings", settings.data());
    let settings = settings.data();
    assert_eq!(settings["profileId"], page.id);
    assert_eq!(settings["login"], "cafe");
    assert!(!settings["options"]["languages"].as_array().expect("checked").is_empty());
}

#[tokio::test]
async fn rule_2_6_the_page_renders_in_its_language_or_in_its_owners() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let path = page.at("/settings");
    let languages = api.get(&path).await.is(200).data()["options"]["languages"].clone();
    for language in languages.as_array().expect("checked") {
        let set = api.patch(&path).json(&json!({"languageCode": language["code"]})).await.is(200);
        assert_eq!(set.data()["languageCode"], language["code"]);
        assert_eq!(set.data()["languageId"], language["id"]);
        assert_eq!(set.data()["computed"]["effectiveLanguageCode"], language["code"]);
    }
    api.patch(&page.at("")).json(&json!({"languageId": null})).await.is(200);
    let unset = api.get(&path).await.is(200);
    assert_eq!(unset.data()["languageId"], Value::Null);
    assert_eq!(unset.data()["languageCode"], Value::Null);
    assert!(unset.data()["computed"]["effectiveLanguageCode"].is_string());
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
