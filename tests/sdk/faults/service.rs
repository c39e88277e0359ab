//! Tests of faults 17 to 20, 23 to 29, 31 to 33, 38 and 39: answers of the service.

use std::time::Duration;

use links_fixtures::{Choices, ContractServer, Fault, World};
use links_sdk::types::NewSlot;
use links_sdk::{Client, ErrorKind, IdempotencyKey, NewProfile, Outcome, ProfileChanges, Token};

use super::{TestEnv, divider, dividers};
use links_test_support::clock::shared_clock;
use links_test_support::proxy::Act;

const SECOND: Duration = Duration::from_secs(1);

fn too_many(retry_after: &[(&str, &str)]) -> Act {
    Act::answer(429, retry_after, r#"{"message": "Too many requests.", "code": "rate_limited"}"#)
}

#[tokio::test]
async fn a_429_is_waited_out_by_every_call_of_the_client() {
    let (clock, service_clock) = shared_clock();
    let server = ContractServer::builder(World::cafe()).clock(service_clock).start().await.unwrap();
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.clock(clock.clone()).build().unwrap();
    server.fail([1], &Fault::RateLimited(Some("20".to_owned())));
    let hasty = client.profiles().list().with_deadline(10 * SECOND).await.unwrap_err();
    assert!(hasty.is_rate_limited() && clock.slept().is_empty());
    client.clone().me().await.unwrap();
    assert_eq!(clock.slept(), [20 * SECOND], "another call waits for it too");
    server.fail([1], &Fault::RateLimited(Some("30".to_owned())));
    client.profiles().list().await.unwrap();
    assert!(clock.slept().contains(&(30 * SECOND)));
    let statuses: Vec<u16> = server.requests().iter().map(|seen| seen.status).collect();
    assert_eq!(statuses, [429, 200, 429, 200]);
}

#[tokio::test]
async fn a_date_is_read_by_the_clock_of_the_service() {
    let env = TestEnv::new().await;
    let far_from_ours = [
        ("Date", "Sun, 06 Nov 1994 12:00:00 GMT"),
        ("Retry-After", "Sun, 06 Nov 1994 12:00:07 GMT"),
    ];
    env.proxy.script([too_many(&far_from_ours)]);
    env.client.me().await.unwrap();
    assert_eq!(env.clock.slept(), [7 * SECOND]);
}

#[tokio::test]
async fn nonsense_in_retry_after_neither_panics_nor_waits_for_days() {
    for values in [&["-1"][..], &[""], &["²"], &["1e9"], &["soon", "1"]] {
        let env = TestEnv::new().await;
        let headers: Vec<_> = values.iter().map(|value| ("Retry-After", *value)).collect();
        env.proxy.script([too_many(&headers)]);
        env.client.me().await.unwrap();
        assert!(
            env.clock.slept().iter().sum::<Duration>() <= SECOND + Duration::from_micros(1),
            "{values:?}: {:?}",
            env.clock.slept()
        );
    }
    let longest = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    for (values, wait) in [
        (&["9999999999"][..], longest),
        (&["99999999999999999999999"], longest),
        (&["1", "500"], 500 * SECOND),
    ] {
        let env = TestEnv::new().await;
        let headers: Vec<_> = values.iter().map(|value| ("Retry-After", *value)).collect();
        env.proxy.script([too_many(&headers)]);
        let error = env.client.me().await.unwrap_err();
        assert_eq!((error.is_rate_limited(), error.retry_after()), (true, Some(wait)));
        assert!(env.clock.slept().is_empty());
    }
}

#[tokio::test]
async fn a_429_for_ever_ends_at_the_deadline() {
    for retry_after in [Some("7".to_owned()), None] {
        let env = TestEnv::new().await;
        env.server.fail(1..=1000, &Fault::RateLimited(retry_after));
        let error = env.slots().create(divider()).await.unwrap_err();
        assert!(error.is_rate_limited() && error.is_safe_to_repeat());
        assert_eq!((error.outcome(), error.status()), (Outcome::NotExecuted, Some(429)));
        let total: Duration = env.clock.slept().iter().sum();
        assert!(total > 80 * SECOND && total < 120 * SECOND, "{total:?}");
        assert!(error.attempts() < 40, "{}", error.attempts());
    }
}

#[tokio::test]
async fn a_page_that_is_full_is_a_refusal_and_nothing_else_happens() {
    let env = TestEnv::with(World::full(), Choices::default()).await;
    let before = env.server.account();
    let error = env.client.profile("menu").slots().create_batch(dividers(2)).await.unwrap_err();
    assert!(error.is_conflict() && !error.is_safe_to_repeat());
    assert_eq!((error.attempts(), error.outcome()), (1, Outcome::NotExecuted));
    assert!(error.to_string().contains("499 of 500"), "{error}");
    assert_eq!(env.server.account(), before);
}

#[tokio::test]
async fn a_key_in_flight_is_waited_for_and_gives_the_stored_answer() {
    let choices = Choices { in_flight_conflicts: true, ..Choices::default() };
    let env = TestEnv::with(World::cafe(), choices).await;
    env.proxy.script([Act::reset_after()]);
    assert_eq!(env.slots().create_batch(dividers(3)).await.unwrap().len(), 3);
    assert_eq!(env.answered(), [("createSlots", 201), ("createSlots", 409), ("createSlots", 201)]);
    assert_eq!((env.count(), *env.clock.slept().last().unwrap()), (17, SECOND));
}

#[tokio::test]
async fn a_key_that_stays_in_flight_leaves_the_outcome_unknown() {
    let env = TestEnv::new().await;
    env.server.fail(1..=9, &Fault::InFlight);
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!(
        (error.status(), error.attempts(), error.outcome()),
        (Some(409), 4, Outcome::Unknown)
    );
    assert!(error.idempotency_key().is_some());
}

/// The command finds the line of the page file; the call names the item and the field.
#[tokio::test]
async fn a_refused_field_names_the_item_of_the_batch() {
    let env = TestEnv::new().await;
    let mut slots = dividers(2);
    slots.push(NewSlot::of("button").with("title", "Menu").with("link", 7));
    let error = env.slots().create_batch(slots).await.unwrap_err();
    assert!(
        error.is_validation() && error.field_errors().contains_key("slots.2.data.link"),
        "{error:?}"
    );
    assert_eq!((error.attempts(), env.count()), (1, 14));
}

#[tokio::test]
async fn a_key_used_with_another_body_is_not_retried() {
    let env = TestEnv::new().await;
    let key = IdempotencyKey::new("mine").unwrap();
    env.slots().create(divider()).with_idempotency_key(key.clone()).await.unwrap();
    let other = env
        .slots()
        .create(NewSlot::of("text").with("title", "T"))
        .with_idempotency_key(key.clone());
    let error = other.await.unwrap_err();
    assert_eq!(
        (error.status(), error.attempts(), error.outcome()),
        (Some(422), 1, Outcome::NotExecuted)
    );
    assert!(error.field_errors().contains_key("Idempotency-Key"));
    assert_eq!((error.idempotency_key(), env.count()), (Some(&key), 15));
}

#[tokio::test]
async fn html_in_place_of_an_answer_is_shown_shortened() {
    let page = format!("<html>\n\t<title>Bad gateway\u{1b}[31m</title>{}</html>", "x".repeat(9000));
    for (status, attempts, outcome) in
        [(502, 4, Outcome::Unknown), (200, 4, Outcome::Unknown), (403, 1, Outcome::NotExecuted)]
    {
        let env = TestEnv::new().await;
        env.proxy.always(&Act::answer(status, &[("Content-Type", "text/html")], &page));
        let error = env.slots().create(divider()).await.unwrap_err();
        let kind = match status {
            403 => ErrorKind::Forbidden,
            502 => ErrorKind::Server,
            _ => ErrorKind::Unreadable,
        };
        assert_eq!((error.kind(), error.service()), (kind, None));
        assert_eq!(
            (error.status(), error.attempts(), error.outcome()),
            (Some(status), attempts, outcome)
        );
        let shown = error.to_string().split_once("it starts with: ").unwrap().1.to_owned();
        assert!(shown.starts_with("<html> <title>Bad gateway [31m</title>xxx"), "{shown}");
        assert_eq!(shown.chars().count(), 200);
    }
    for body in ["", "{", "[]", "\u{feff}", "null"] {
        let env = TestEnv::new().await;
        env.proxy.always(&Act::answer(200, &[], body));
        assert!(env.slots().list().await.unwrap_err().is_unreadable(), "{body:?}");
        let error = env.client.profile("cafe").update(ProfileChanges::default()).await.unwrap_err();
        assert_eq!((error.is_unreadable(), error.outcome()), (true, Outcome::Unknown), "{body:?}");
    }
}

#[tokio::test]
async fn unknown_fields_are_read_and_unreadable_answers_are_errors() {
    let env = TestEnv::new().await;
    let strange = r#"{"data": [{"id": 7, "type": "hologram", "data": {"depth": [1.5e0]}, "supported": false, "aura": "blue"}], "more": 1}"#;
    env.proxy.script([Act::answer(200, &[], strange)]);
    let slots = env.slots().list().await.unwrap();
    assert_eq!((slots[0].kind.as_str(), slots[0].supported), ("hologram", false));
    assert_eq!(
        (slots[0].data["depth"].to_string(), slots[0].extra["aura"].to_string()),
        ("[1.5]".into(), "\"blue\"".into())
    );
    for wrong in [r#"{"data": "x"}"#, r#"{"data": [{"id": "x"}]}"#, r#"{"slots": []}"#] {
        env.proxy.script([Act::answer(200, &[], wrong)]);
        let error = env.slots().list().await.unwrap_err();
        assert!(
            error.is_unreadable() && error.to_string().contains("it starts with: {"),
            "{error}"
        );
        env.proxy.script([Act::answer(200, &[], wrong)]);
        let error = env.slots().list().answer().await.unwrap_err();
        assert!(error.is_unreadable() && error.outcome() == Outcome::NotExecuted, "{error}");
    }
}

#[tokio::test]
async fn an_empty_object_reads_alike_in_both_spellings() {
    let env = TestEnv::new().await;
    let page = |data: &str| {
        Act::answer(
            200,
            &[],
            format!(
                r#"{{"data": [{{"id": 7, "type": "divider", "data": {data}, "supported": true}}]}}"#
            ),
        )
    };
    env.proxy.script(["[]", "{}"].map(page));
    let (array, object) = (env.slots().list().await.unwrap(), env.slots().list().await.unwrap());
    assert_eq!(array, object);
    assert!(array[0].data.is_empty());
}

#[tokio::test]
async fn a_dry_run_that_was_executed_is_an_error_that_shows_what_was_made() {
    let env = TestEnv::new().await;
    env.server.fail(1..=2, &Fault::DryRunExecuted);
    let error = env.slots().create(divider()).dry_run().await.unwrap_err();
    assert!(error.is_dry_run_executed());
    assert_eq!((error.outcome(), error.status(), env.count()), (Outcome::Executed, Some(201), 15));
    let body: serde_json::Value = serde_json::from_slice(error.executed_body().unwrap()).unwrap();
    assert_eq!(body["data"]["id"], env.server.account().profile("cafe").unwrap().slots[14].id);
    let error = env.slots().update(1002, [("title", "Anew")]).dry_run().await.unwrap_err();
    assert_eq!((error.is_dry_run_executed(), error.status()), (true, Some(200)));
}

/// The answer tells whether the service confirmed the dry run; the caller decides what to report.
#[tokio::test]
async fn a_dry_run_without_its_confirmation_is_accepted() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::answer(204, &[], ""), Act::answer(204, &[], ""), Act::pass()]);
    env.slots().create(divider()).dry_run().await.unwrap();
    let bare = env.slots().create(divider()).dry_run().answer().await.unwrap();
    assert_eq!((bare.status(), bare.header("precognition-success")), (204, None));
    let confirmed = env.slots().create(divider()).dry_run().answer().await.unwrap();
    assert_eq!(confirmed.header("precognition-success"), Some("true"));
}

/// There is nothing to refresh a token with yet: the call ends, and a later one with another token succeeds.
#[tokio::test]
async fn a_token_that_is_no_longer_valid_ends_the_call_at_once() {
    let env = TestEnv::new().await;
    let tokens = env.server.edit(|account| std::mem::take(&mut account.tokens));
    let key = IdempotencyKey::random();
    let error = env.slots().create(divider()).with_idempotency_key(key.clone()).await.unwrap_err();
    assert!(error.is_not_authenticated() && !error.is_safe_to_repeat());
    assert_eq!((error.attempts(), error.outcome(), env.count()), (1, Outcome::NotExecuted, 14));
    env.server.edit(|account| account.tokens = tokens);
    env.slots().create(divider()).with_idempotency_key(key).await.unwrap();
    assert_eq!(env.count(), 15);
}

#[tokio::test]
async fn markdown_is_read_with_and_without_its_count_and_whatever_its_bytes() {
    let env = TestEnv::new().await;
    let page = |tokens: Option<&'static str>| {
        let count = tokens.map(|count| ("x-markdown-tokens", count));
        let headers: Vec<_> =
            count.into_iter().chain([("Content-Type", "text/markdown")]).collect();
        Act::answer(200, &headers, b"# Caf\xe9")
    };
    env.proxy.script([page(None), page(Some(" 12 ")), page(Some("many"))]);
    for tokens in [None, Some(12), None] {
        let markdown = env.client.profile("cafe").markdown().await.unwrap();
        assert_eq!((markdown.text.as_str(), markdown.tokens), ("# Caf\u{fffd}", tokens));
    }
}

/// The call returns both numbers; the caller decides whether to warn.
#[tokio::test]
async fn a_list_reports_a_total_above_its_length() {
    let env = TestEnv::new().await;
    env.client.profiles().create(NewProfile::with_login("new.page")).await.unwrap();
    let whole = env.client.profiles().list().await.unwrap();
    assert_eq!((whole.len(), whole.total), (3, 3));
    env.proxy.script([Act::answer(200, &[], r#"{"data": [], "meta": {"total": 41}}"#)]);
    let first = env.client.forms().list().await.unwrap();
    assert_eq!((first.len(), first.total), (0, 41));
}
