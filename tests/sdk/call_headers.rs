//! Tests of the headers of a call and of its answer, and of the hook that sets headers before each attempt.

use std::sync::{Arc, Mutex};

use links_fixtures::{ContractServer, Fault};
use links_sdk::types::NewSlot;
use links_sdk::{
    Client, ClientBuilder, ErrorKind, Outcome, RateLimits, Token, Upload, UploadMethod,
};
use serde_json::json;

use crate::upload::png;
use crate::{cafe, quick_cafe};

fn builder(server: &ContractServer) -> ClientBuilder {
    let builder = Client::builder(server.base_url()).rate_limits(RateLimits::unlimited());
    builder.token(Token::new(server.token()).unwrap())
}

/// Returns the value of a header in each request that the server received, and forgets these.
fn sent(server: &ContractServer, header: &str) -> Vec<Option<String>> {
    let requests = server.requests();
    server.forget_requests();
    requests.iter().map(|it| it.header(header).map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_header_of_a_call_goes_with_each_of_its_requests_and_with_no_other_call() {
    let (server, client, _) = quick_cafe().await;
    server.fail([1], &Fault::Before(503));
    let slots = client.profile("cafe").slots();
    slots.create(NewSlot::of("divider")).header("X-Trace", "one").header("X-B", "b").await.unwrap();
    assert_eq!(sent(&server, "x-trace"), [Some("one".to_owned()), Some("one".to_owned())]);
    client.me().await.unwrap();
    assert_eq!(sent(&server, "x-trace"), [None]);

    // A change that relies on what was read takes several requests.
    let page = client.profile("cafe");
    page.update_unchanged(None, json!({"title": "New"})).header("X-Trace", "two").await.unwrap();
    assert_eq!(sent(&server, "x-trace"), [Some("two".to_owned()), Some("two".to_owned())]);
    page.slots().list().header("X-Trace", "three").with_answer().await.unwrap();
    assert_eq!(sent(&server, "x-trace"), [Some("three".to_owned())]);
}

#[tokio::test]
async fn a_header_of_a_call_replaces_that_of_the_client() {
    let (server, _) = cafe().await;
    let client = builder(&server).header("X-Trace", "client").header("X-Key", "k").build().unwrap();
    client.me().header("x-trace", "call").await.unwrap();
    let request = &server.requests()[0];
    let traces = request.headers.iter().filter(|(name, _)| name == "x-trace");
    assert_eq!(traces.map(|(_, value)| value).collect::<Vec<_>>(), ["call"]);
    assert_eq!(request.header("x-key"), Some("k"));
}

#[tokio::test]
async fn a_header_that_a_call_depends_on_is_refused_before_anything_is_sent() {
    let (server, client) = cafe().await;
    for (name, value) in [
        ("Authorization", "Bearer canary"),
        ("HOST", "canary.example"),
        ("Content-Length", "5"),
        ("idempotency-key", "canary"),
        ("Precognition", "true"),
        ("User-Agent", "canary"),
        ("X Trace", "canary"),
        ("", "canary"),
        ("X-Trace", "canary\r\nAuthorization: Bearer canary"),
        ("X-Trace", "canary\0"),
    ] {
        let slots = client.profile("cafe").slots();
        let call = slots.create(NewSlot::of("divider")).header("X-A", "a").header(name, value);
        // A further option does not make it good.
        let error = call.header("X-B", "b").await.unwrap_err();
        assert_eq!(
            (error.kind(), error.operation(), error.outcome()),
            (ErrorKind::InvalidInput, "createSlot", Outcome::NotExecuted)
        );
        assert!(!error.to_string().contains("canary"), "{error}");
    }
    assert!(server.requests().is_empty());
}

/// What the hook saw of each attempt.
type Seen = Arc<Mutex<Vec<(String, u32, String, Option<Vec<u8>>)>>>;

#[tokio::test]
async fn the_hook_sees_each_attempt_without_the_token_and_sets_its_headers() {
    let (server, _) = cafe().await;
    let seen = Seen::default();
    let noted = seen.clone();
    let client = builder(&server).header("X-Key", "k").before_send(move |request| {
        let headers: Vec<_> = request.headers().map(|(name, _)| name.to_owned()).collect();
        assert!(headers.contains(&"x-key".to_owned()), "{headers:?}");
        assert!(!headers.contains(&"authorization".to_owned()), "{headers:?}");
        assert!(!format!("{request:?}").contains("pps_"));
        let mut noted = noted.lock().unwrap();
        let target = format!("{} {}", request.method(), request.url());
        let body = request.body().map(<[u8]>::to_vec);
        noted.push((target, request.attempt(), request.operation().to_owned(), body));
        request.set_header("X-Signature", format!("signature-{}", noted.len()))?;
        assert!(request.set_header("Authorization", "Bearer other").is_err());
        Ok(())
    });
    let client = client.build().unwrap();
    server.fail([1], &Fault::Before(503));
    client.profile("cafe").slots().create(NewSlot::of("divider")).await.unwrap();
    client.with_token(Token::new(server.token()).unwrap()).me().await.unwrap();

    let url = |path: &str| format!("{}{path}", server.base_url());
    let create = format!("POST {}", url("/profiles/cafe/slots"));
    let body = br#"{"type":"divider"}"#.to_vec();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            (create.clone(), 1, "createSlot".to_owned(), Some(body.clone())),
            (create, 2, "createSlot".to_owned(), Some(body)),
            (format!("GET {}", url("/me")), 1, "getMe".to_owned(), Some(Vec::new())),
        ]
    );
    let bearer = Some(format!("Bearer {}", server.token()));
    assert!(server.requests().iter().all(|it| it.header("authorization") == bearer.as_deref()));
    let expected = [1, 2, 3].map(|n| Some(format!("signature-{n}")));
    assert_eq!(sent(&server, "x-signature"), expected);
}

#[tokio::test]
async fn a_hook_that_fails_ends_the_call_and_nothing_is_sent() {
    let (server, _) = cafe().await;
    let client = builder(&server).before_send(|_| Err("the signing service is closed".into()));
    let client = client.build().unwrap();
    let error = client.profile("cafe").slots().create(NewSlot::of("divider")).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::InvalidInput, Outcome::NotExecuted));
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("the signing service is closed"), "{source}");
    assert_eq!((server.requests().len(), client.requests_sent()), (0, 0));
}

#[tokio::test]
async fn neither_a_header_of_a_call_nor_the_hook_reaches_an_upload_url() {
    let (server, _) = cafe().await;
    let client = builder(&server).header("X-Key", "k").before_send(|request| {
        request.set_header("X-Signature", "s")?;
        Ok(())
    });
    let upload = Upload::bytes("a.png", png(1, 1, 0)).method(UploadMethod::UploadUrl);
    client.build().unwrap().files().upload(upload).header("X-Trace", "t").await.unwrap();
    let requests = server.requests();
    let ours = ["x-trace", "x-signature", "x-key"];
    assert_eq!(ours.map(|it| requests[0].header(it)), [Some("t"), Some("s"), Some("k")]);
    assert_eq!(ours.map(|it| requests[1].header(it)), [None, None, None]);
}

#[tokio::test]
async fn the_answer_is_at_hand_with_the_record_of_every_kind_of_call() {
    let (server, client) = cafe().await;
    let page = client.profile("cafe");
    let slots = page.slots();
    let (list, answer) = slots.list().with_answer().await.unwrap();
    assert_eq!((list.len(), answer.status()), (14, 200));
    let (slot, answer) = slots.create(NewSlot::of("divider")).with_answer().await.unwrap();
    assert_eq!((slot.kind.as_str(), answer.status()), ("divider", 201));
    let text = json!({"title": "A"});
    let (profile, answer) = page.update(text.clone()).with_answer().await.unwrap();
    assert_eq!((profile.title.as_deref(), answer.status()), (Some("A"), 200));
    let (profile, answer) = page.update_unchanged(None, text).with_answer().await.unwrap();
    assert_eq!((profile.title.as_deref(), answer.status()), (Some("A"), 200));
    let ((), answer) = slots.delete(slot.id).with_answer().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert_eq!(slots.list().answer().await.unwrap().status(), 200);
    let upload = Upload::bytes("a.png", png(1, 1, 0));
    let (file, _) = client.files().upload(upload).with_answer().await.unwrap();
    assert_eq!(file.width, Some(1));
    assert!(server.requests().iter().all(|it| it.status < 300));
}

#[tokio::test]
async fn a_delete_that_is_found_done_after_a_lost_answer_has_an_answer_as_well() {
    let (server, client, _) = quick_cafe().await;
    let slots = client.profile("cafe").slots();
    server.fail_operation("deleteSlot", 1, &Fault::DropAfter);
    let ((), answer) = slots.delete(1002).with_answer().await.unwrap();
    assert_eq!(answer.status(), 204);
    server.fail_operation("deleteSlot", 1, &Fault::DropAfter);
    assert_eq!(slots.delete(1007).answer().await.unwrap().status(), 204);
    let error = slots.delete(1002).answer().await.unwrap_err();
    assert!(error.is_not_found() && error.outcome() == Outcome::NotExecuted, "{error}");
}
