//! Tests of calls by method and path.

use links_sdk::{Client, Outcome, RawCall};
use serde_json::json;

use crate::cafe;
use links_test_support::canned::{Canned, Received};
use links_test_support::clock::shared_clock;

/// Returns the requests of a call whose first answer is lost. If the path is one of the interface, the second answer proves nothing.
async fn after_a_lost_answer(call: impl FnOnce(&Client) -> RawCall) -> (bool, Vec<Received>) {
    let service = Canned::start([(0, String::new()), (404, "{}".to_owned())]);
    let builder = Client::builder(service.origin()).clock(shared_clock().0);
    let client = builder.rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap();
    let error = call(&client).send().await.unwrap_err();
    let sent = service.received();
    let is_read = sent[0].line.starts_with("GET ");
    let outcome = if is_read { Outcome::NotExecuted } else { Outcome::Unknown };
    assert_eq!(error.outcome(), outcome, "{error}");
    (error.status().is_some(), sent)
}

#[tokio::test]
async fn raw_calls_are_repeated_only_where_it_is_safe() {
    let cases: [(&str, &str, usize); 8] = [
        ("GET", "/me", 2),
        ("GET", "/something/new", 2),
        ("POST", "/forms", 2),
        ("POST", "/something/new", 1),
        ("PATCH", "/profiles/cafe/slots/7", 2),
        ("PATCH", "/something/new", 1),
        ("DELETE", "/profiles/cafe/slots/7", 2),
        ("DELETE", "/profiles/cafe/slots", 1),
    ];
    for (method, path, requests) in cases {
        let (answered, sent) = after_a_lost_answer(|client| client.raw(method, path)).await;
        assert_eq!((answered, sent.len()), (requests == 2, requests), "{method} {path}");
        assert!(sent[0].line.starts_with(&format!("{method} {path} ")), "{}", sent[0].line);
        let key = |it: &Received| it.header("idempotency-key").map(str::to_owned);
        assert_eq!(key(&sent[0]).is_some(), path == "/forms", "{method} {path}");
        assert!(sent.iter().all(|it| key(it) == key(&sent[0])), "{method} {path}");
    }
}

#[tokio::test]
async fn a_change_of_login_is_not_repeated() {
    for (body, requests) in
        [(json!({ "login": "cafe.mole" }), 1), (json!({ "languageCode": "en" }), 2)]
    {
        let call = |client: &Client| client.raw("PATCH", "/profiles/cafe/settings").json(&body);
        assert_eq!(after_a_lost_answer(call).await.1.len(), requests, "{body}");
    }
}

#[tokio::test]
async fn a_raw_request_is_sent_as_given_and_an_invalid_one_is_refused() {
    let service = Canned::start([(200, "{}".to_owned())]);
    let client = Client::builder(service.origin())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .build()
        .unwrap();
    let call = client.raw("get", "/x/cafe?include=slots&a=%26").query("ids[]", "1 2");
    call.send().await.unwrap();
    client.raw("POST", "/x").json_text(r#"{"a": 1e2}"#).send().await.unwrap();
    let sent = service.received();
    assert_eq!(sent[0].line, "GET /x/cafe?include=slots&a=%26&ids%5B%5D=1+2 HTTP/1.1");
    assert_eq!(
        (sent[1].body.as_slice(), sent[1].header("content-type")),
        (&br#"{"a": 1e2}"#[..], Some("application/json"))
    );

    for (method, path) in
        [("TRACE", "/me"), ("", "/me"), ("GET", "https://evil.test/"), ("GET", "/a/../b")]
    {
        let error = client.raw(method, path).send().await.unwrap_err();
        assert!(error.is_invalid_input(), "{method} {path}: {error}");
    }
    assert_eq!(service.received().len(), 2);
}

#[tokio::test]
async fn dry_runs_are_sent_only_where_the_service_supports_them() {
    let (server, client) = cafe().await;
    client
        .raw("POST", "/profiles/cafe/slots")
        .json(json!({ "type": "divider" }))
        .dry_run()
        .await
        .unwrap();
    let error = client
        .raw("POST", "/profiles/cafe/slots")
        .json(json!({ "type": 7 }))
        .dry_run()
        .await
        .unwrap_err();
    assert!(error.is_validation());
    let batch = client.raw("DELETE", "/profiles/cafe/slots").query("ids[]", "1007");
    batch.dry_run().await.unwrap();
    for (method, path) in
        [("DELETE", "/profiles/cafe/slots/1007"), ("GET", "/me"), ("DELETE", "/x"), ("GET", "/x")]
    {
        assert!(client.raw(method, path).dry_run().await.unwrap_err().is_invalid_input());
    }
    assert_eq!(server.account().profiles[0].slots.len(), 14);
}
