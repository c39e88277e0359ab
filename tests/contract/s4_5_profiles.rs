//! Section 4.5: bodies of profiles and their settings.

use serde_json::{Value, json};

use crate::support::Api;

#[tokio::test]
async fn rule_4_5_create_needs_a_login_that_satisfies_the_rules() {
    let api = Api::empty().await;
    let create = |body: Value| api.post("/profiles").json(&body);
    create(json!({})).await.names(&["login"]);
    for unfit in ["abc", &"x".repeat(61), "has-hyphen", "has space", "кафе", "register", ""] {
        create(json!({"login": unfit})).await.names(&["login"]);
    }
    for wrong_kind in [json!(4040), json!(null), json!(["page"])] {
        create(json!({"login": wrong_kind})).await.names(&["login"]);
    }
    create(json!({"login": "page"})).await.is(201);
    create(json!({"login": "page"})).await.names(&["login"]);
}

#[tokio::test]
async fn rule_4_5_check_login_agrees_with_create() {
    let api = Api::cafe().await;
    for login in ["cafe", "abc", "free.page", "shop", "under_score", "Has.Capitals"] {
        let checked = api.get(&format!("/profiles/check-login?login={login}")).await.is(200);
        let created = api.post("/profiles").json(&json!({"login": login})).await;
        assert_eq!(
            checked.data()["available"],
            created.status == 201,
            "{login}: {} / {}",
            checked.text,
            created.text
        );
    }
}

#[tokio::test]
async fn rule_4_5_the_101st_profile_is_409() {
    let api = Api::full().await;
    api.post("/profiles").json(&json!({"login": "one.too.many"})).await.refused(409);
    assert_eq!(api.get("/profiles").await.is(200).meta()["total"], 100);
}

#[tokio::test]
async fn rule_4_5_update_accepts_the_writable_fields_of_the_record() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let language =
        api.get(&page.at("/settings")).await.is(200).data()["options"]["languages"][0]["id"]
            .clone();
    let body = json!({
        "login": "new.cafe",
        "title": "Café",
        "description": "Cakes",
        "socials": [{"link": "https://t.me/cafe", "order": 0}],
        "languageId": language,
        "moodText": "Open",
        "moodHours": 4,
    });
    let updated = api.patch(&page.at("")).json(&body).await.is(200);
    let reread = api.get(&page.at("")).await.is(200);
    for (field, value) in body.as_object().expect("fields") {
        assert_eq!(&updated.data()[field], value, "{field}");
        assert_eq!(&reread.data()[field], value, "{field}");
    }
}

#[tokio::test]
async fn rule_4_5_nullable_fields_take_null() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for field in ["title", "description", "avatar", "bgImage", "languageId", "moodText"] {
        let updated = api.patch(&page.at("")).json(&json!({field: null})).await.is(200);
        assert_eq!(updated.data()[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn rule_4_5_every_unknown_or_computed_field_is_listed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = format!("/forms/{}", api.form().await);
    let before = api.state().await;
    let bad = json!({"id": 5, "computed": {"url": "https://example.com"}, "colour": "red"});
    let expected = ["colour", "computed", "id"];
    api.patch(&page.at("")).json(&bad).await.names(&expected);
    api.patch(&page.at("/settings")).json(&bad).await.names(&expected);

    let with = |mut body: Value| {
        body.as_object_mut()
            .expect("an object")
            .extend(bad.as_object().expect("an object").clone());
        body
    };
    api.post("/profiles").json(&with(json!({"login": "valid.login"}))).await.names(&expected);
    api.post(&page.at("/slots")).json(&with(json!({"type": "divider"}))).await.names(&expected);
    let form_body =
        json!({"title": "T", "fields": [{"type": "text", "label": "L", "required": true}]});
    api.post("/forms").json(&with(form_body)).await.names(&expected);
    api.patch(&form).json(&bad).await.names(&expected);
    let text = page.slot("text").await["id"].clone();
    api.patch(&page.at(&format!("/slots/{text}")))
        .json(&with(json!({"data": {"title": "T"}})))
        .await
        .names(&expected);
    api.patch(&page.at("/slots"))
        .json(&with(json!({"slots": [{"id": text, "data": {}}]})))
        .await
        .names(&expected);
    api.post(&page.at("/slots/batch"))
        .json(&with(json!({"slots": [{"type": "divider"}]})))
        .await
        .names(&expected);
    api.put(&page.at("/slots/order"))
        .json(&with(json!({"order": page.ids().await})))
        .await
        .names(&expected);
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_5_a_refused_update_does_not_change_its_valid_fields() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    api.patch(&page.at(""))
        .json(&json!({"title": "Right", "languageId": "wrong"}))
        .await
        .names(&["languageId"]);
    api.patch(&page.at("/settings"))
        .json(&json!({"login": "right.login", "languageCode": "none"}))
        .await
        .names(&["languageCode"]);
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_5_a_new_login_changes_the_url_at_once_and_the_old_login_stops_working() {
    for settings in [true, false] {
        let api = Api::cafe().await;
        let page = api.page().await;
        let old_url =
            api.get(&page.at("/settings")).await.is(200).data()["computed"]["url"].clone();
        let path = if settings { page.at("/settings") } else { page.at("") };
        api.patch(&path).json(&json!({"login": "moved.cafe"})).await.is(200);

        api.get("/profiles/cafe").await.refused(404);
        assert_eq!(api.get("/profiles/moved.cafe").await.is(200).data()["id"], page.id);
        let url = api.get(&page.at("/settings")).await.is(200).data()["computed"]["url"].clone();
        assert_ne!(url, old_url);
        assert!(url.as_str().expect("a string").ends_with("moved.cafe"), "{url}");
        let freed = api.get("/profiles/check-login?login=cafe").await.is(200);
        assert_eq!(freed.data()["available"], true);
    }
}

#[tokio::test]
async fn rule_4_5_settings_obey_the_login_rules_and_keep_their_own_login() {
    let api = Api::cafe().await;
    let page = api.page().await;
    api.post("/profiles").json(&json!({"login": "taken.page"})).await.is(201);
    for unfit in ["abc", "shop", "has-hyphen", "taken.page"] {
        api.patch(&page.at("/settings")).json(&json!({"login": unfit})).await.names(&["login"]);
    }
    api.patch(&page.at("/settings")).json(&json!({"login": "cafe"})).await.is(200);
}
