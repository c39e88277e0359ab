//! Tests of the errors of runs.

use links_pages::apply::{Apply, DesiredPage};
use links_sdk::{Error, ErrorKind, Outcome};
use serde_json::json;

use crate::cafe;

#[tokio::test]
async fn the_error_of_a_run_has_the_kind_of_the_call() {
    let (_server, client) = cafe().await;
    let desired: DesiredPage =
        serde_json::from_value(json!({ "slots": [{ "type": "divider" }] })).unwrap();
    let error = Apply::new(&client.profile("nobody"), desired).await.unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && !error.is_safe_to_repeat());
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
    let declined =
        Apply::new(&client.profile("cafe"), desired).confirm(|_, _| false).await.unwrap_err();
    assert!(declined.call().is_none() && declined.kind() != ErrorKind::Network);
    let error = Error::from(declined);
    assert_eq!(error.to_string(), "not confirmed");
    assert_eq!((error.status(), error.outcome()), (None, Outcome::NotExecuted));
    assert!(!error.is_safe_to_repeat() && error.field_errors().is_empty());
}
