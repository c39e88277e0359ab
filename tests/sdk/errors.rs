//! Tests of errors: their kinds, those of runs as errors of a call, and the headers of an answer.

use std::time::Duration;

use links_fixtures::Fault;
use links_sdk::types::NewSlot;
use links_sdk::{BatchError, Client, Clock, Error, ErrorKind, Outcome, Slot, Token};
use links_test_support::canned::Canned;
use links_test_support::proxy::Act;
use serde_json::json;

use crate::faults::{TestEnv, divider};
use crate::{cafe, quick_cafe};

const SECOND: Duration = Duration::from_secs(1);

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
        "slots 51 to 100 of 120 may have been created; the first 50 were created"
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
async fn errors_of_runs_have_the_kind_of_the_call() {
    let (_server, client) = cafe().await;
    let error: BatchError =
        client.profile("nobody").slots().create_many(lines(1)).await.unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && !error.is_safe_to_repeat());
    assert_eq!(error.call().and_then(Error::status), Some(404));
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

#[tokio::test]
async fn each_status_has_its_kind() {
    use ErrorKind::{
        Conflict, Forbidden, NotAuthenticated, NotFound, RateLimited, Rejected, Server, Timeout,
        Unreadable, Validation,
    };
    let said = json!({ "message": "No.", "code": "no" }).to_string();
    for (status, kind, without_error) in [
        (200, Unreadable, Unreadable),
        (302, Unreadable, Unreadable),
        (400, Rejected, Unreadable),
        (401, NotAuthenticated, NotAuthenticated),
        (403, Forbidden, Forbidden),
        (404, NotFound, NotFound),
        (408, Timeout, Timeout),
        (409, Conflict, Conflict),
        (413, Rejected, Unreadable),
        (422, Validation, Validation),
        (429, RateLimited, RateLimited),
        (500, Server, Server),
        (503, Server, Server),
    ] {
        for (body, kind) in [(said.as_str(), kind), ("<html>", without_error)] {
            let env = TestEnv::new().await;
            env.proxy.always(&Act::answer(status, &[("Retry-After", "500")], body));
            let error = env.client.me().await.unwrap_err();
            assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error}");
            // What the service asks for is passed on, whatever else it says.
            let asked = (status >= 400).then_some(500 * SECOND);
            assert_eq!(error.retry_after().filter(|_| status >= 400), asked, "{error}");
        }
    }
}

#[tokio::test]
async fn the_wait_that_the_service_asks_for_is_told_when_the_attempts_are_used_up() {
    let env = TestEnv::new().await;
    env.proxy.always(&Act::answer(503, &[("Retry-After", "7")], ""));
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!((error.attempts(), error.retry_after()), (4, Some(7 * SECOND)), "{error}");

    // The last answer counts, and an answer that asks for nothing is no wait.
    let asked = |text| Act::answer(503, &[("Retry-After", text)], "");
    for (last, expected) in [(asked("99999999999999999999999"), true), (asked("soon"), false)] {
        let env = TestEnv::new().await;
        env.proxy.script([asked("7"), asked("7"), asked("7"), last]);
        let error = env.slots().create(divider()).await.unwrap_err();
        assert_eq!(error.retry_after().is_some(), expected, "{error}");
        // A program can add it to the time.
        let _ = env.clock.wall() + error.retry_after().unwrap_or_default();
    }
    let run = env.slots().create_many(vec![divider()]).await.unwrap_err();
    assert_eq!((run.kind(), run.retry_after()), (ErrorKind::Server, Some(7 * SECOND)));
}

#[tokio::test]
async fn calls_that_read_before_they_repeat_wait_as_long_as_the_service_asks() {
    let asked = || Act::answer(503, &[("Retry-After", "600")], "");
    let ids = |slots: Vec<Slot>| slots.iter().map(|slot| slot.id).collect::<Vec<_>>();
    for deletes in [false, true] {
        let env = TestEnv::new().await;
        let seen = ids(env.slots().list().await.unwrap());
        let order: Vec<_> = seen.iter().rev().copied().collect();
        // The page is read once more before an order.
        let first = if deletes { 1 } else { 2 };
        let mut acts = vec![Act::pass(); first - 1];
        acts.extend([Act::answer(500, &[], ""), Act::pass(), asked()]);
        env.proxy.script(acts);
        let before = env.client.requests_sent();
        let error = if deletes {
            Error::from(env.slots().delete_many(seen).await.unwrap_err())
        } else {
            env.slots().reorder_unchanged(seen, order).await.unwrap_err()
        };
        let sent = env.client.requests_sent() - before;
        assert_eq!(error.retry_after(), Some(600 * SECOND), "{error}");
        assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 2), "{error}");
        assert_eq!(sent, first as u64 + 2, "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_whole_in_time_is_a_timeout() {
    let env = TestEnv::new().await;
    env.server.fail(1..=100, &Fault::StallInBody);
    let error = env.impatient().me().await.unwrap_err();
    assert_eq!((error.kind(), error.is_safe_to_repeat()), (ErrorKind::Timeout, true), "{error}");
    env.server.release();
}

#[tokio::test]
async fn a_retry_that_is_not_made_costs_nothing() {
    let env = TestEnv::new().await;
    for _ in 0..30 {
        env.proxy.script([Act::answer(503, &[("Retry-After", "3600")], "")]);
        assert_eq!(env.client.me().await.unwrap_err().attempts(), 1);
    }
    assert_eq!(requests_of(&env, 1).await, 2);
}

#[tokio::test]
async fn an_attempt_without_an_answer_in_time_is_a_timeout() {
    let env = TestEnv::new().await;
    env.server.fail(1..=100, &Fault::StallBefore);
    let error = env.impatient().me().await.unwrap_err();
    assert!(error.is_timeout() && !error.is_network() && error.is_safe_to_repeat(), "{error}");
    let error = env.impatient().profile("cafe").slots().create(divider()).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::Unknown));
    assert!(!error.is_safe_to_repeat(), "{error}");
    env.server.release();
}

/// Returns the number of requests of a read that is answered with 503 this many times.
async fn requests_of(env: &TestEnv, failures: usize) -> u32 {
    env.proxy.script(vec![Act::answer(503, &[], ""); failures]);
    let sent = env.client.requests_sent();
    let _ = env.client.me().await;
    u32::try_from(env.client.requests_sent() - sent).unwrap()
}

#[tokio::test]
async fn after_an_outage_single_failures_are_repeated_again() {
    let env = TestEnv::new().await;
    while requests_of(&env, 4).await > 1 {}
    assert_eq!(requests_of(&env, 1).await, 1, "the budget is used up");
    env.clock.advance(5 * SECOND);
    assert_eq!(requests_of(&env, 1).await, 2);
    // A night without calls, in which nothing succeeds.
    env.clock.advance(10_000 * SECOND);
    let mut whole = 0;
    while requests_of(&env, 4).await == 4 {
        whole += 1;
    }
    assert!(whole >= 6, "{whole}");
}
