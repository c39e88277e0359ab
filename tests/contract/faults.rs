//! Tests of the injectable faults: the answer that the client gets, and whether the service executed the request.

use links_fixtures::Fault;
use serde_json::json;

use crate::support::{Api, RequestBuilder};

/// Returns a write whose effect can be seen.
fn write(api: &Api) -> RequestBuilder<'_> {
    api.post("/profiles/cafe/slots").json(&json!({ "type": "text", "data": { "title": "Hello" } }))
}

fn slots(api: &Api) -> usize {
    api.server.account().profile("cafe").expect("the page").slots.len()
}

#[tokio::test]
async fn a_dropped_connection_gives_no_answer_whether_or_not_the_request_was_executed() {
    for (fault, executed) in [(Fault::DropBefore, 0), (Fault::DropAfter, 1)] {
        let api = Api::cafe().await;
        let before = slots(&api);
        api.server.fail([2], &fault);
        api.get("/me").await.is(200);
        write(&api).attempt().await.err().expect("no answer");
        assert_eq!(slots(&api) - before, executed, "{fault:?}");
        assert_eq!(api.server.requests()[1].status, 0);
        write(&api).await.is(201);
    }
}

#[tokio::test]
async fn a_dropped_transfer_to_an_upload_url_is_executed_without_an_answer() {
    let api = Api::cafe().await;
    let issued = api.post("/files/upload-url").await.is(200);
    let address = issued.data()["upload_url"].as_str().expect("an address").to_owned();
    let files = api.server.account().files.len();
    api.server.fail([1], &Fault::DropAfter);
    let transfer = api.ask(&reqwest::Method::PUT, &address).anonymous();
    transfer
        .body("image/png", crate::image::png(900, 900))
        .attempt()
        .await
        .err()
        .expect("no answer");
    assert_eq!(api.server.account().files.len(), files + 1);
}

#[tokio::test]
async fn a_request_stalled_before_execution_is_executed_when_released() {
    let api = Api::cafe().await;
    let before = slots(&api);
    api.server.fail([1], &Fault::StallBefore);
    let (answer, ()) = tokio::join!(write(&api).attempt(), async {
        api.server.until_stalled(1).await;
        assert_eq!(slots(&api), before);
        api.get("/me").await.is(200);
        api.server.release();
    });
    answer.expect("an answer").is(201);
    assert_eq!(slots(&api), before + 1);
}

#[tokio::test]
async fn a_request_stalled_before_execution_outlives_its_client() {
    let api = Api::cafe().await;
    let before = slots(&api);
    api.server.fail([1], &Fault::StallBefore);
    tokio::select! {
        _ = write(&api).attempt() => panic!("it is stalled"),
        () = api.server.until_stalled(1) => {}
    }
    api.server.release();
    while api.server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(slots(&api), before + 1);
}

#[tokio::test]
async fn a_request_stalled_after_execution_is_answered_when_released() {
    for fault in [Fault::StallAfter, Fault::StallInBody] {
        let api = Api::cafe().await;
        let before = slots(&api);
        api.server.fail([1], &fault);
        let (answer, ()) = tokio::join!(write(&api).attempt(), async {
            api.server.until_stalled(1).await;
            assert_eq!(slots(&api), before + 1, "{fault:?}");
            api.server.release();
        });
        let answer = answer.expect("an answer").is(201);
        assert_eq!(answer.data()["type"], "text");
    }
}

#[tokio::test]
async fn a_stalled_server_can_be_dropped() {
    let api = Api::cafe().await;
    api.server.fail([1], &Fault::StallAfter);
    tokio::select! {
        _ = write(&api).attempt() => panic!("it is stalled"),
        () = api.server.until_stalled(1) => {}
    }
    drop(api);
}

#[tokio::test]
async fn a_truncated_answer_states_the_length_of_the_whole() {
    let api = Api::cafe().await;
    let before = slots(&api);
    api.server.fail([1], &Fault::Truncated);
    let token = api.server.token();
    let answer = api.raw(&format!(
        "POST /api/v1/profiles/cafe/slots HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{{\"type\":\"text\"}}"
    ));
    let (head, body) = answer.split_once("\r\n\r\n").expect("a whole head");
    assert!(head.starts_with("HTTP/1.1 201"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.expect("a length").trim().parse().expect("a number");
    assert_eq!(body.len(), length / 2);
    assert_eq!(slots(&api), before + 1);
}

#[tokio::test]
async fn another_client_can_edit_before_and_after_a_request() {
    let api = Api::cafe().await;
    let rename = |name: &'static str| {
        move |account: &mut links_fixtures::Account| account.name = name.to_owned()
    };
    api.server.edit_before(2, rename("second"));
    api.server.edit_after(2, rename("third"));
    api.server.fail([2], &Fault::RateLimited(Some("1".to_owned())));
    api.server.edit_before(4, rename("fourth"));
    let mut names = Vec::new();
    for status in [200, 429, 200, 200] {
        names.push(api.get("/me").await.is(status).json["data"]["name"].clone());
    }
    assert_eq!(names[1..], [json!(null), json!("third"), json!("fourth")]);
    assert_ne!(names[0], "second");
}

#[tokio::test]
async fn an_edit_between_two_requests_can_remove_the_token() {
    let api = Api::cafe().await;
    api.server.edit_before(2, |account| account.tokens.clear());
    api.get("/me").await.is(200);
    api.get("/me").await.refused(401);
}

#[tokio::test]
async fn a_panic_is_answered_with_500_and_fails_the_test() {
    let api = Api::cafe().await;
    api.server.edit_before(1, |_| panic!("a mistake of the server"));
    let answer = api.get("/me").await.refused(500);
    assert!(answer.text.contains("a mistake of the server"), "{}", answer.text);
    api.get("/me").await.is(200);
    let panics = api.server.take_panics();
    assert!(panics.len() == 1 && panics[0].contains("GET /api/v1/me"), "{panics:?}");
    api.server.edit_before(1, |_| panic!("a mistake of the server"));
    api.get("/me").await.refused(500);
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(api)));
    dropped.expect_err("a server that is dropped after a panic panics");
}

#[tokio::test]
async fn a_write_that_panics_half_way_changes_nothing() {
    let api = Api::cafe().await;
    // The second slot gets no id.
    api.server.edit(|account| account.next_id = u64::MAX - 1);
    let before = api.server.account();
    let slots = json!({ "slots": [{ "type": "divider" }, { "type": "divider" }] });
    api.post("/profiles/cafe/slots/batch").json(&slots).await.refused(500);
    assert_eq!(api.server.take_panics().len(), 1);
    assert_eq!(api.server.account(), before);
}
