//! Tests of the apply of a whole page: its profile fields, its language and its login.

use std::ops::ControlFlow;

use links_fixtures::{Choices, ContractServer, Fault};
use links_pages::apply::{
    Apply, ApplyCause, ApplyError, DesiredPage, RunSettings, SlotTypes, Step,
};
use links_sdk::{Client, Outcome};
use serde_json::{Value, json};

use crate::{cafe, cafe_with};

/// Asks for profile fields, and for all slots to stay as they are.
async fn desired(client: &Client, fields: Value) -> DesiredPage {
    let slots = client.profile("cafe").slots().list().await.unwrap();
    let mut desired = DesiredPage::from_page(&slots, &SlotTypes::default());
    desired.fields = serde_json::from_value(fields).unwrap();
    desired
}

fn operations(server: &ContractServer) -> Vec<&'static str> {
    server.requests().into_iter().map(|request| request.operation.unwrap()).collect()
}

async fn apply(client: &Client, desired: &DesiredPage) -> Result<Vec<String>, ApplyError> {
    let applied = Apply::new(&client.profile("cafe"), desired.clone()).await?;
    Ok(applied.done.fields.into_iter().collect())
}

#[tokio::test]
async fn a_title_takes_3_requests_and_a_second_run_one() {
    let (server, client) = cafe().await;
    let wanted = desired(&client, json!({ "title": "Closed on Mondays", "moodText": null })).await;
    server.forget_requests();
    assert_eq!(apply(&client, &wanted).await.unwrap(), ["moodText", "title"]);
    assert_eq!(operations(&server), ["getProfile", "updateProfile", "getProfile"]);
    server.forget_requests();
    assert!(apply(&client, &wanted).await.unwrap().is_empty());
    assert_eq!(operations(&server), ["getProfile"]);
}

#[tokio::test]
async fn the_login_is_changed_after_everything_else_and_right_before_the_deletes() {
    let (server, client) = cafe().await;
    let mut wanted = desired(
        &client,
        json!({ "login": "cafe.qara", "title": "Q", "languageCode": "kk", "socials": ["https://t.me/q", "https://x.com/q"],
            "moodText": "Open", "moodHours": 4, "description": null }),
    )
    .await;
    let deleted = wanted.slots.remove(1).id.unwrap();
    wanted.slots.swap(3, 4);
    server.forget_requests();
    let applied = Apply::new(&client.profile("cafe"), wanted.clone()).prune(true).await.unwrap();
    let expected = [
        "getProfile",
        "getProfileSettings",
        "updateProfile",
        "reorderSlots",
        "updateProfileSettings",
        "updateProfileSettings",
    ];
    let sent = operations(&server);
    assert_eq!(sent[..expected.len()], expected);
    assert!(sent[expected.len()..].contains(&"deleteSlots"), "{sent:?}");
    assert_eq!(applied.page.login, "cafe.qara");
    assert_eq!(applied.page.fields()["languageCode"], "kk");
    let page = client.profile("cafe.qara").get_with_slots().await.unwrap();
    assert_eq!((page.title.as_deref(), page.description.as_deref()), (Some("Q"), None));
    let links: Vec<&str> = page.socials.iter().map(|social| social.link.as_str()).collect();
    assert_eq!(links, ["https://t.me/q", "https://x.com/q"]);
    assert!(page.slots.iter().all(|slot| slot.id != deleted));
    let again = Apply::new(&client.profile("cafe.qara"), wanted).prune(true).await.unwrap();
    assert!(again.done.is_nothing());
}

#[tokio::test]
async fn a_field_that_another_client_changes_before_the_write_is_not_overwritten() {
    let (server, client) = cafe().await;
    let wanted = desired(&client, json!({ "title": "Ours" })).await;
    server.forget_requests();
    // The first answer takes so long that the page is read again.
    server.edit_after(1, |account| account.profiles[0].title = Some("Theirs".to_owned()));
    let confirmed = Apply::new(&client.profile("cafe"), wanted).confirm(|_, _| true).await;
    let error = confirmed.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    assert_eq!(server.account().profiles[0].title.as_deref(), Some("Theirs"));
}

#[tokio::test]
async fn a_field_that_another_client_changes_after_the_write_is_left_alone_and_named() {
    let (server, client) = cafe().await;
    let wanted = desired(&client, json!({ "title": "Ours" })).await;
    server.forget_requests();
    server.edit_after(2, |account| account.profiles[0].title = Some("Theirs".to_owned()));
    let error = apply(&client, &wanted).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the page was changed by another client: title was edited and was left alone"
    );
    assert_eq!(error.outcome(), Outcome::Executed);
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_not_sent_twice() {
    let (server, client) = cafe().await;
    let wanted = desired(&client, json!({ "title": "Ours" })).await;
    server.forget_requests();
    server.fail([2], &Fault::DropAfter);
    assert_eq!(apply(&client, &wanted).await.unwrap(), ["title"]);
    let writes = operations(&server).into_iter().filter(|it| *it == "updateProfile").count();
    assert_eq!(writes, 1, "{:?}", operations(&server));
}

#[tokio::test]
async fn a_run_that_is_stopped_before_the_login_is_continued_by_the_next() {
    let (server, client) = cafe_with(Choices::default()).await;
    let state = tempfile::tempdir().unwrap();
    let wanted = desired(&client, json!({ "login": "cafe.qara", "title": "Q" })).await;
    let stop = |step| {
        if step == Step::Fields(links_pages::apply::FieldsRequest::Login) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let run = Apply::new(&client.profile("cafe"), wanted.clone())
        .settings(RunSettings::new().journal(state.path()))
        .on_step(stop);
    let error = run.await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Stopped));
    assert_eq!(error.done().fields.iter().collect::<Vec<_>>(), ["title"]);
    let next = Apply::new(&client.profile("cafe"), wanted)
        .settings(RunSettings::new().journal(state.path()))
        .await
        .unwrap();
    assert_eq!(next.done.fields.iter().collect::<Vec<_>>(), ["login"]);
    assert_eq!(next.run.as_deref(), error.run());
    assert_eq!(server.account().profiles[0].login, "cafe.qara");
}
