//! Tests of uploads of images: requests, targets, and refusals.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::{Choices, Fault};
use links_sdk::{
    Client, ImageUse, MAX_UPLOAD_BYTES, Observer, Outcome, Timeouts, Token, Upload, UploadMethod,
    UploadProgress,
};
use serde_json::json;

use crate::{cafe, cafe_with, idempotency_keys, quick_cafe};
use links_test_support::canned::Canned;
use links_test_support::clock::shared_clock;

/// Returns the smallest PNG header that has a size, and this number of further bytes.
pub(crate) fn png(width: u32, height: u32, more: usize) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 2, 0, 0, 0]);
    bytes.resize(bytes.len() + more, 7);
    bytes
}

/// Returns the smallest upload to an upload URL.
fn upload_by_url() -> Upload {
    Upload::bytes("a.png", png(1, 1, 0)).method(UploadMethod::UploadUrl)
}

#[tokio::test]
async fn a_file_is_streamed_with_its_progress_by_both_methods() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a \"b\".png");
    let content = png(10, 20, 300_000);
    fs::write(&path, &content).unwrap();
    let (server, client) = cafe().await;
    for via in [UploadMethod::Multipart, UploadMethod::UploadUrl] {
        let seen = Arc::<Mutex<Vec<UploadProgress>>>::default();
        let watched = seen.clone();
        let upload =
            Upload::file(&path).method(via).on_progress(move |at| watched.lock().unwrap().push(at));
        let file = client.files().upload(upload).await.unwrap();
        assert_eq!((file.width, file.height), (Some(10), Some(20)), "{via:?}");
        let seen = seen.lock().unwrap();
        let total = content.len() as u64;
        assert!(seen.len() > 2 && seen.windows(2).all(|two| two[0].sent < two[1].sent), "{seen:?}");
        assert_eq!((seen.last().unwrap().sent, seen[0].total), (total, total));
    }
    let put = server.requests().pop().unwrap();
    assert_eq!((put.method.as_str(), put.header("content-type")), ("PUT", Some("image/png")));
    assert_eq!(put.body, content);
}

#[tokio::test]
async fn no_headers_of_the_caller_go_to_an_upload_url() {
    let (server, client) = cafe().await;
    client.files().upload(upload_by_url()).await.unwrap();
    let requests = server.requests();
    assert!(requests[0].header("idempotency-key").is_some());
    for name in ["authorization", "cookie", "idempotency-key", "user-agent", "referer"] {
        assert_eq!(requests[1].header(name), None, "{name}");
    }
}

#[tokio::test]
async fn the_answer_is_read_with_and_without_its_envelope() {
    for bare_upload_answer in [false, true] {
        let choices = Choices { bare_upload_answer, ..Choices::default() };
        let (_server, client) = cafe_with(choices).await;
        let upload = Upload::bytes("a.png", png(3, 4, 0)).method(UploadMethod::UploadUrl);
        let file = client.files().upload(upload).await.unwrap();
        assert_eq!((file.width, file.height), (Some(3), Some(4)));
    }
}

#[tokio::test]
async fn an_upload_url_that_expires_within_a_minute_is_replaced() {
    let (server, client, service) = quick_cafe().await;
    let call = || client.files().upload(upload_by_url());
    let first = call();
    let key = first.idempotency_key().unwrap().clone();
    first.await.unwrap();
    for (passed, requests) in [(13, 2), (61, 3)] {
        service.advance(Duration::from_secs(if passed == 13 { 13 * 60 } else { 61 }));
        server.forget_requests();
        call().with_idempotency_key(key.clone()).await.unwrap();
        assert_eq!(server.requests().len(), requests, "after {passed}");
    }
    let keys = idempotency_keys(&server);
    assert!(
        keys[0] == Some(key.to_string()) && keys[1].is_some() && keys[1] != keys[0],
        "{keys:?}"
    );
}

#[tokio::test]
async fn an_upload_that_the_service_does_not_read_times_out() {
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut timeouts = Timeouts::default();
    timeouts.stall = Duration::from_millis(100);
    let builder = Client::builder(format!("http://{}", deaf.local_addr().unwrap()))
        .token(Token::new("lnk_canary").unwrap());
    let client = builder
        .clock(shared_clock().0)
        .rate_limits(links_sdk::RateLimits::unlimited())
        .timeouts(timeouts)
        .build()
        .unwrap();
    // More than fits into what the system keeps for a connection.
    let upload = Upload::bytes("a.png", png(1, 1, 40_000_000));
    let error = client.files().upload(upload).await.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 4), "{error}");
    assert!(error.to_string().ends_with(" did not respond in time"), "{error}");
}

fn target(url: &str, method: &str) -> String {
    json!({"data": {"upload_url": url, "method": method, "max_bytes": 1000, "expires_at": "2100-01-01T00:00:00Z"}}).to_string()
}

fn client_of(service: &Canned) -> Client {
    let builder = Client::builder(service.origin()).token(Token::new("lnk_canary").unwrap());
    builder.clock(shared_clock().0).rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap()
}

const RECORD: &str =
    r#"{"path": "uploads/x.png", "src": "https://cdn.example/x.png", "width": 1, "height": 1}"#;

#[tokio::test]
async fn requests_to_an_upload_url_are_counted() {
    let (server, client) = cafe().await;
    client.files().upload(upload_by_url()).await.unwrap();
    let seen = server.requests().len();
    assert_eq!((client.requests_sent(), seen), (2, 2), "the URL, and the transfer");
}

#[tokio::test]
async fn a_put_is_repeated_at_the_same_url() {
    let storage = Canned::start([(0, String::new()), (500, String::new()), (201, RECORD.into())]);
    let service =
        Canned::start([(200, target(&format!("{}/one?signature=1", storage.origin()), "PUT"))]);
    let content = png(1, 1, 100);
    let upload = Upload::bytes("a.png", content.clone()).method(UploadMethod::UploadUrl);
    client_of(&service).files().upload(upload).await.unwrap();
    let received = storage.received();
    assert_eq!((received.len(), service.received().len()), (3, 1));
    for request in received {
        assert_eq!(
            (request.line.as_str(), &request.body),
            ("PUT /one?signature=1 HTTP/1.1", &content)
        );
    }
}

#[tokio::test]
async fn a_post_is_multipart_and_uses_a_new_url_after_a_lost_answer() {
    let storage = Canned::start([(0, String::new()), (201, RECORD.into())]);
    let one = target(&format!("{}/one?signature=1", storage.origin()), "POST");
    let two = target(&format!("{}/two?signature=2", storage.origin()), "POST");
    let service = Canned::start([(200, one), (200, two)]);
    let file = client_of(&service).files().upload(upload_by_url()).await.unwrap();
    assert_eq!(file.path, "uploads/x.png");
    let lines: Vec<_> = storage.received().iter().map(|request| request.line.clone()).collect();
    assert_eq!(lines, ["POST /one?signature=1 HTTP/1.1", "POST /two?signature=2 HTTP/1.1"]);
    assert!(
        storage.received()[1]
            .header("content-type")
            .unwrap()
            .starts_with("multipart/form-data; boundary=")
    );
    let keys: Vec<_> = service
        .received()
        .iter()
        .map(|it| it.header("idempotency-key").map(str::to_owned))
        .collect();
    assert!(keys[0].is_some() && keys[1].is_some() && keys[0] != keys[1]);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_no_method_but_put_and_post_is_used() {
    let storage = Canned::start([(307, String::new())]);
    let service = Canned::start([(200, target(&format!("{}/one", storage.origin()), "PUT"))]);
    let error = client_of(&service).files().upload(upload_by_url()).await.unwrap_err();
    assert_eq!((error.status(), storage.received().len()), (Some(307), 1));

    let storage = Canned::start([(200, RECORD.into())]);
    for method in ["DELETE", "GET", "PATCH"] {
        let service = Canned::start([(200, target(&storage.origin(), method))]);
        let error = client_of(&service).files().upload(upload_by_url()).await.unwrap_err();
        assert!(error.to_string().contains(method), "{error}");
    }
    let service = Canned::start([(200, target(&storage.origin(), "PUT"))]);
    let large = Upload::bytes("a.png", png(1, 1, 1000)).method(UploadMethod::UploadUrl);
    let error = client_of(&service).files().upload(large).await.unwrap_err();
    assert!(error.is_invalid_input() && error.to_string().contains("1000 bytes"), "{error}");
    assert!(storage.received().is_empty());
}

#[derive(Debug, Default)]
struct RecordedLog(Mutex<String>);

impl Observer for RecordedLog {
    fn attempted(&self, attempt: &links_sdk::AttemptReport<'_>) {
        writeln!(self.0.lock().unwrap(), "{attempt:?}").unwrap();
    }
}

#[tokio::test]
async fn the_upload_url_is_in_no_error_and_no_log() {
    let canary = |origin: String| format!("{origin}/canary/path?signature=canary");
    let echo =
        Canned::start([(403, "<html>no access to /canary/path?signature=canary</html>".into())]);
    let cases = [
        target(&canary(echo.origin()), "PUT"),
        target(&canary("http://127.0.0.1:9".into()), "PUT"),
        target(&canary("http://storage.example".into()), "PUT"),
        target(&canary(String::new()), "PUT"),
        r#"{"data": {"upload_url": "https://storage.example/canary"}}"#.to_owned(),
    ];
    for case in cases {
        let service = Canned::start([(200, case.clone())]);
        let log = Arc::new(RecordedLog::default());
        let builder =
            Client::builder(service.origin()).observer(log.clone()).clock(shared_clock().0);
        let client = builder.rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap();
        let error = client.files().upload(upload_by_url()).await.unwrap_err();
        let log = log.0.lock().unwrap();
        assert!(log.contains("createUploadUrl"));
        let shown = format!(
            "{error} {error:?} {:?} {log}",
            std::error::Error::source(&error).map(ToString::to_string)
        );
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[tokio::test]
async fn the_upload_url_is_in_no_error_in_whatever_form_the_host_repeats_it() {
    let asked = "/uploads/canary%2Fcanary-1?signature=canary%2Bcanary%3D&x=1";
    for (status, answer) in [
        (403, format!("<p>{asked} has expired</p>")),
        (403, json!({ "message": format!("{asked} has expired"), "code": "" }).to_string()),
        (403, format!(r#"{{"message": "{} has expired"}}"#, asked.replace('/', "\\/"))),
        (403, r#"{"message": "has expired: \u002fuploads\u002fcanary\u002fcanary-1"}"#.to_owned()),
        (403, "/uploads/canary/canary-1?signature=canary+canary=&amp;x=1 has expired".to_owned()),
        (403, "has expired: signature=canary%2Bcanary%3D&x=1".to_owned()),
        (403, r#"{"message": "\/uploads\/canary\/canary-1 has expired"}"#.to_owned()),
        (403, r#"{"message": "the signature canary+canary= has expired"}"#.to_owned()),
        (403, "the file canary/canary-1 has expired".to_owned()),
        (200, r#"{"path": ["canary%2Fcanary-1 has expired"]}"#.to_owned()),
        (200, r#"{"path": "a", "src": "b", "width": "canary/canary-1 has expired"}"#.to_owned()),
    ] {
        let host = Canned::start([(status, answer.clone())]);
        let target = target(&format!("{}{asked}", host.origin()), "PUT");
        let service = Canned::start([(200, target)]);
        let builder = Client::builder(service.origin()).clock(shared_clock().0);
        let client = builder.rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap();
        let error = client.files().upload(upload_by_url()).await.unwrap_err();
        assert_eq!(error.status(), Some(status));
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("has expired"), "{answer}: {shown}");
        assert!(!shown.contains("canary"), "{answer}: {shown}");
    }
}

#[tokio::test]
async fn what_cannot_be_uploaded_is_refused_before_anything_is_sent() {
    let directory = tempfile::tempdir().unwrap();
    let large = directory.path().join("large.png");
    let mut file = fs::File::create(&large).unwrap();
    file.write_all(&png(1, 1, 0)).unwrap();
    file.set_len(MAX_UPLOAD_BYTES + 1).unwrap();
    let (server, client) = cafe().await;
    let avatar =
        |width, height| Upload::bytes("me.png", png(width, height, 0)).for_use(ImageUse::Avatar);
    let refused = [
        (Upload::file(&large), "52428801 bytes"),
        (Upload::file(directory.path()), "not a regular file"),
        (Upload::file("/dev/zero"), "not a regular file"),
        (Upload::file(directory.path().join("none.png")), "none.png"),
        (Upload::bytes("empty.png", &b""[..]), "empty"),
        (
            Upload::bytes("a.gif", &b"GIF89a"[..]).for_use(ImageUse::Avatar),
            "cannot read the image size",
        ),
        (avatar(1600, 900), "1:1"),
        (avatar(640, 640), "800x800"),
    ];
    for (upload, why) in refused {
        let error = client.files().upload(upload).await.unwrap_err();
        assert!(error.is_invalid_input() && error.to_string().contains(why), "{error}");
        assert_eq!(error.outcome(), Outcome::NotExecuted);
    }
    let long = format!("https://images.example/{}", "x".repeat(2048));
    for (url, why) in [
        (long.as_str(), "2048"),
        ("ftp://images.example/a.png", "http"),
        ("https://images.example:8443/a.png", "port"),
        ("a.png", "not a URL"),
    ] {
        let error = client.files().upload_from_url(url).await.unwrap_err();
        assert!(error.is_invalid_input() && error.to_string().contains(why), "{error}");
    }
    assert!(server.requests().is_empty());
    client.files().upload(avatar(800, 800)).await.unwrap();
    let longest = format!("https://images.example/{}.png", "x".repeat(2048 - 27));
    client.files().upload_from_url(longest).await.unwrap();
}

#[tokio::test]
async fn only_images_are_uploaded_whatever_their_name_and_method() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("secret.png");
    fs::write(&path, "root:x:0:0:root:/root:/bin/sh\n").unwrap();
    let (server, client) = cafe().await;
    for via in [UploadMethod::Multipart, UploadMethod::UploadUrl] {
        for upload in [Upload::file(&path), Upload::bytes("page.gif", &b"GIF8 is a text"[..])] {
            let error = client.files().upload(upload.method(via)).await.unwrap_err();
            assert!(error.is_invalid_input(), "{error}");
            assert!(
                error.to_string().contains("only JPEG, PNG, WebP and GIF can be uploaded"),
                "{error}"
            );
        }
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_file_that_changes_between_attempts_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.png");
    fs::write(&path, png(1, 1, 10)).unwrap();
    let (server, client, _) = quick_cafe().await;
    server.fail([1], &Fault::Before(502));
    let (edited, times) = (path.clone(), Mutex::new(0));
    let upload = Upload::file(&path).on_progress(move |at| {
        let mut times = times.lock().unwrap();
        if at.sent == at.total && *times == 0 {
            *times += 1;
            fs::write(&edited, png(2, 2, 10_000)).unwrap();
        }
    });
    let error = client.files().upload(upload).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("a.png changed"), "{source}");
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::Unknown, 1));
}

#[tokio::test]
async fn a_repeated_multipart_upload_sends_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.png");
    fs::write(&path, png(1, 1, 5000)).unwrap();
    let (server, client, _) = quick_cafe().await;
    server.fail([1], &Fault::Before(502));
    client.files().upload(Upload::file(&path)).await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].body, requests[1].body);
    for name in ["idempotency-key", "content-type", "content-length"] {
        assert_eq!(requests[0].header(name), requests[1].header(name), "{name}");
        assert!(requests[0].header(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_dry_run_of_an_upload_stores_nothing_by_either_method() {
    let (server, client) = cafe().await;
    for via in [UploadMethod::Multipart, UploadMethod::UploadUrl] {
        client
            .files()
            .upload(Upload::bytes("a.png", png(1, 1, 0)).method(via))
            .dry_run()
            .await
            .unwrap();
    }
    let statuses: Vec<_> = server.requests().iter().map(|request| request.status).collect();
    assert_eq!(statuses, [204, 204]);
}
