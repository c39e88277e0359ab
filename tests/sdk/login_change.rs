//! Tests of changes of a login: the page is addressed by its id, and nothing is sent twice before the page is read.

use links_fixtures::{ContractServer, Fault};
use links_sdk::{Client, Object, Outcome, ProfileChanges, SettingsChanges};

use crate::{cafe, quick_cafe};
use links_test_support::canned::Canned;
use links_test_support::clock::shared_clock;

fn to(login: &str) -> SettingsChanges {
    SettingsChanges::default().login(login)
}

fn paths(server: &ContractServer) -> Vec<String> {
    let requests = server.requests();
    requests
        .iter()
        .map(|request| format!("{} {}", request.method, request.path.replace("/api/v1", "")))
        .collect()
}

#[tokio::test]
async fn the_page_is_addressed_by_its_id() {
    let (server, client) = cafe().await;
    let id = client.profile("cafe").get().await.unwrap().id;
    server.forget_requests();
    let settings = client.profile("cafe").update_settings(to("cafe.mole")).await.unwrap();
    assert_eq!((settings.login.as_str(), settings.profile_id), ("cafe.mole", id));
    let expected =
        ["GET /profiles/cafe/settings".to_owned(), format!("PATCH /profiles/{id}/settings")];
    assert_eq!(paths(&server), expected);

    server.forget_requests();
    let fields: Object = [("login", "cafe.again"), ("title", "Again")].into_iter().collect();
    let page = client.profile("cafe.mole").update(ProfileChanges(fields)).await.unwrap();
    assert_eq!((page.login.as_str(), page.title.as_deref()), ("cafe.again", Some("Again")));
    assert_eq!(
        paths(&server),
        ["GET /profiles/cafe.mole".to_owned(), format!("PATCH /profiles/{id}")]
    );
}

#[tokio::test]
async fn other_settings_take_one_request() {
    let (server, client) = cafe().await;
    client
        .profile("cafe")
        .update_settings(SettingsChanges::default().language_code("en"))
        .await
        .unwrap();
    assert_eq!(paths(&server), ["PATCH /profiles/cafe/settings"]);
}

#[tokio::test]
async fn a_change_whose_answer_is_lost_is_found_done() {
    let (server, client, _) = quick_cafe().await;
    server.fail([2], &Fault::After(502));
    let answer = client.profile("cafe").update_settings(to("cafe.mole")).answer().await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(body["data"]["login"], "cafe.mole");
    let sent: Vec<_> = server.requests().iter().filter_map(|request| request.operation).collect();
    assert_eq!(sent, ["getProfileSettings", "updateProfileSettings", "getProfileSettings"]);
}

#[tokio::test]
async fn a_change_that_was_not_executed_is_sent_again() {
    let (server, client, _) = quick_cafe().await;
    server.fail([2], &Fault::Before(502));
    let settings = client.profile("cafe").update_settings(to("cafe.mole")).await.unwrap();
    assert_eq!(settings.login, "cafe.mole");
    let sent: Vec<_> = server.requests().iter().filter_map(|request| request.operation).collect();
    assert_eq!(sent[1..], ["updateProfileSettings", "getProfileSettings", "updateProfileSettings"]);
}

#[tokio::test]
async fn a_change_that_never_gets_through_stays_unknown() {
    let (server, client, _) = quick_cafe().await;
    server.fail((1..20).map(|n| 2 * n), &Fault::Before(502));
    let error = client.profile("cafe").update_settings(to("cafe.mole")).await.unwrap_err();
    assert_eq!((error.outcome(), error.status()), (Outcome::Unknown, Some(502)));
    let writes = server.requests().iter().filter(|request| request.method == "PATCH").count();
    assert_eq!(writes, 4);
    assert_eq!(client.profile("cafe").get().await.unwrap().login, "cafe");
}

#[tokio::test]
async fn an_unexpected_login_after_a_lost_answer_is_a_conflict() {
    let settings = |login: &str| {
        serde_json::json!({"data": {
            "profileId": 7, "login": login, "languageId": null, "languageCode": null,
            "computed": {"url": "https://links.example/x", "effectiveLanguageCode": "en"},
            "options": {"languages": [], "login": {"minLength": 4, "maxLength": 60, "pattern": "^x$", "reserved": []}},
        }})
        .to_string()
    };
    let service =
        Canned::start([(200, settings("cafe")), (502, String::new()), (200, settings("third"))]);
    let builder = Client::builder(service.origin()).clock(shared_clock().0);
    let client = builder.rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap();
    let error = client.profile("cafe").update_settings(to("cafe.mole")).await.unwrap_err();
    assert!(error.is_conflict() && error.outcome() == Outcome::Unknown, "{error}");
    for login in ["cafe", "cafe.mole", "third"] {
        assert!(error.to_string().contains(login), "{error}");
    }
    assert_eq!(service.received().len(), 3);
}

#[tokio::test]
async fn a_refused_login_change_and_its_dry_run_change_nothing() {
    let (server, client) = cafe().await;
    client.profile("cafe").update_settings(to("cafe.mole")).dry_run().await.unwrap();
    assert_eq!(paths(&server), ["PATCH /profiles/cafe/settings"], "a dry run needs no id");
    let error = client.profile("cafe").update_settings(to("api")).await.unwrap_err();
    assert!(error.is_validation() && error.outcome() == Outcome::NotExecuted);
    assert_eq!(client.profile("cafe").get().await.unwrap().login, "cafe");
}
