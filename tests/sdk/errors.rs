//! Tests of errors: those of runs as errors of a call, and the headers of an answer.

use links_fixtures::Fault;
use links_sdk::apply::DesiredPage;
use links_sdk::types::NewSlot;
use links_sdk::{BatchError, Client, Error, Outcome, Token};
use links_test_support::canned::Canned;
use serde_json::json;

use crate::{cafe, quick_cafe};

async fn fill(client: &Client, page: &str, slots: Vec<NewSlot>) -> Result<usize, Error> {
    client.profile(page).get().await?;
    Ok(client.profile(page).slots().create_many(slots).await?.len())
}

fn lines(count: usize) -> Vec<NewSlot> {
    (0..count).map(|n| NewSlot::of("text").with("title", format!("Line {n}"))).collect()
}

#[tokio::test]
async fn the_error_of_a_batch_keeps_what_is_known_of_it_as_the_error_of_a_call() {
    let (server, client, _) = quick_cafe().await;
    server.fail(3..=6, &Fault::Before(503));
    let error = fill(&client, "cafe", lines(120)).await.unwrap_err();
    assert_eq!((error.operation(), error.status()), ("createSlots", Some(503)));
    assert!(error.is_server_error() && !error.is_validation());
    assert!(!error.is_safe_to_repeat(), "50 slots are there");
    assert!(error.idempotency_key().is_some());
    assert_eq!(
        error.to_string(),
        "of 120 slots, numbers 51 to 100 may have been created; 50 before them were"
    );
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.to_string().starts_with("createSlots "), "{source}");
}

#[tokio::test]
async fn a_batch_that_was_refused_has_written_what_came_before() {
    let (_server, client) = cafe().await;
    let mut slots = lines(60);
    slots[55] = NewSlot::of("button").with("titel", "Menu");
    let error = fill(&client, "cafe", slots).await.unwrap_err();
    assert!(error.is_validation());
    assert_eq!(error.outcome(), Outcome::Executed);
    assert!(error.field_errors().keys().any(|path| path.starts_with("slots.55.data")), "{error:?}");

    let refused = vec![NewSlot::of("button").with("titel", "Menu")];
    let error = fill(&client, "cafe", refused).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::NotExecuted);
}

#[tokio::test]
async fn errors_of_runs_have_the_predicates_of_the_call() {
    let (_server, client) = cafe().await;
    let error: BatchError =
        client.profile("nobody").slots().create_many(lines(1)).await.unwrap_err();
    assert!(error.is_not_found() && !error.is_conflict() && !error.is_safe_to_repeat());
    assert_eq!(error.call().and_then(Error::status), Some(404));

    let desired: DesiredPage =
        serde_json::from_value(json!({ "slots": [{ "type": "divider" }] })).unwrap();
    let error = client.profile("nobody").apply(desired).await.unwrap_err();
    assert!(error.is_not_found() && !error.is_safe_to_repeat());
    let error = Error::from(error);
    assert!(error.is_not_found());
    assert_eq!((error.outcome(), error.status()), (Outcome::NotExecuted, Some(404)));
}

#[tokio::test]
async fn a_run_that_ended_before_any_call_failed_is_an_error_of_no_call() {
    let (_server, client) = cafe().await;
    let desired: DesiredPage = serde_json::from_value(
        json!({ "slots": [{ "type": "text", "data": { "title": "New" } }] }),
    )
    .unwrap();
    let declined = client.profile("cafe").apply(desired).confirm(|_, _| false).await.unwrap_err();
    assert!(declined.call().is_none() && !declined.is_network());
    let error = Error::from(declined);
    assert_eq!(error.to_string(), "the plan was not confirmed; nothing was written");
    assert_eq!((error.status(), error.outcome()), (None, Outcome::NotExecuted));
    assert!(!error.is_safe_to_repeat() && error.field_errors().is_empty());
}

#[tokio::test]
async fn the_headers_of_an_answer_are_at_hand_without_the_token() {
    let body = json!({ "message": "Nothing is here.", "code": "not_found" }).to_string();
    let server = Canned::start([(404, body)]);
    let token = Token::new("request-1").unwrap();
    let builder = Client::builder(server.origin()).rate_limits(links_sdk::RateLimits::unlimited());
    let error = builder.build().unwrap().me().await.unwrap_err();
    assert_eq!(error.header("Location").as_deref(), Some("/elsewhere"));
    assert_eq!(error.request_id().as_deref(), Some("request-1"));
    assert_eq!(error.header("x-absent"), None);

    let builder = Client::builder(server.origin())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .token(token);
    let error = builder.build().unwrap().me().await.unwrap_err();
    assert_eq!(error.request_id().as_deref(), Some("***"), "the token is sent back");
}

#[tokio::test]
async fn the_error_of_a_call_that_was_not_answered_has_no_headers() {
    let (_server, client) = cafe().await;
    let error = client.profile("a/b").get().await.unwrap_err();
    assert!(error.is_invalid_input());
    assert_eq!((error.header("date"), error.request_id()), (None, None));
    assert_eq!(error.outcome(), Outcome::NotExecuted);
}
