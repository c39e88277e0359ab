//! Section 2.1 and 2.6: profiles and their settings.

use std::time::Duration;

use links_fixtures::{Choices, World};
use serde_json::{Value, json};

use crate::image::png;
use crate::shapes;
use crate::support::{Api, noon};

#[tokio::test]
async fn rule_2_1_a_profile_has_the_documented_fields() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let profile = api.get(&page.at("")).await.is(200);
    shapes::profile("profile", profile.data());
    assert!(profile.data().get("slots").is_none(), "slots without include=slots");
    let with_slots = api.get(&page.at("?include=slots")).await.is(200);
    assert!(with_slots.data()["slots"].is_array());
}

#[tokio::test]
async fn rule_2_1_an_avatar_is_a_path_and_its_url_is_computed() {
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
async fn rule_2_1_one_page_of_an_account_is_its_main_one() {
    let api = Api::empty().await;
    for number in 1..=3 {
        api.post("/profiles").json(&json!({"login": format!("page.{number}")})).await.is(201);
    }
    for api in [api, Api::cafe().await, Api::full().await] {
        let profiles = api.get("/profiles").await.is(200);
        let all = profiles.data().as_array().expect("a list");
        assert_eq!(all.iter().filter(|one| one["computed"]["isMain"] == true).count(), 1);
    }
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
    let later = api.get(&page.at("")).await.is(200);
    assert_eq!(later.data()["computed"]["moodActive"], false);
    assert_eq!(later.data()["moodText"], "Fresh bread");

    let renewed = api.patch(&page.at("")).json(&mood).await.is(200);
    assert_eq!(renewed.data()["computed"]["moodActive"], true);
}

#[tokio::test]
async fn rule_2_1_mood_text_is_absent_when_the_status_feature_is_off() {
    let on = Api::choosing(Choices::default()).await;
    let off = Api::choosing(Choices { no_status_feature: true, ..Choices::default() }).await;
    for (api, present) in [(on, true), (off, false)] {
        let page = api.page().await;
        let profile = api.get(&page.at("")).await.is(200);
        assert_eq!(profile.data().get("moodText").is_some(), present, "{}", profile.text);
        shapes::profile("profile", profile.data());
    }
}

#[tokio::test]
async fn rule_2_6_profile_settings_have_the_documented_fields() {
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
    for language in languages.as_array().expect("checked") {
        api.server.edit(|account| account.language_id = language["id"].as_u64().expect("checked"));
        let owners = api.get(&path).await.is(200);
        assert_eq!(owners.data()["computed"]["effectiveLanguageCode"], language["code"]);
    }
}
