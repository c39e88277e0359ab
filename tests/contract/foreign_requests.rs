//! Tests of requests that are not meant for the server and are refused: another host's, a web page's, and large bodies.

use serde_json::json;

use crate::connector::Connector;
use crate::image::png;
use crate::support::{Api, multipart};

const MIB: usize = 1 << 20;

#[tokio::test]
async fn requests_for_another_host_or_origin_are_refused() {
    let api = Api::cafe().await;
    let before = api.server.account();
    let token = api.server.token();
    let body = r#"{"title":"Taken over"}"#;
    for (headers, status) in [
        ("Host: evil.example\r\n", 421),
        ("Host: evil.example:80\r\nHost: {host}\r\n", 421),
        ("Host: {host}\r\nOrigin: https://evil.example\r\n", 403),
        ("Host: {host}\r\nOrigin: null\r\n", 403),
    ] {
        for path in ["/api/v1/profiles/cafe", "/oauth/register", "/mcp", "/", "/uploads/1"] {
            let answer = api.raw(&format!(
                "PATCH {path} HTTP/1.1\r\n{headers}Connection: close\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ));
            let line = answer.lines().next().unwrap_or_default();
            assert!(line.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}{path}: {line}");
        }
    }
    assert_eq!(api.server.account(), before);
}

#[tokio::test]
async fn clients_register_with_json_only() {
    let api = Api::cafe().await;
    let origin = api.server.mcp_url().trim_end_matches("/mcp").to_owned();
    let metadata = json!({"redirect_uris": ["http://127.0.0.1/callback"]}).to_string();
    for media_type in
        ["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json"]
    {
        let asked = api.post(&format!("{origin}/oauth/register")).anonymous();
        let refused = asked.body(media_type, metadata.as_bytes()).await.is(415);
        assert_eq!(refused.json["error"], "invalid_client_metadata");
    }
    Connector::register(&api).await.connect().await;
}

#[tokio::test]
async fn a_body_is_capped_before_it_is_kept() {
    let api = Api::cafe().await;
    let big = vec![b' '; 60 * MIB];
    let asked = api.post("/profiles").anonymous();
    asked.body("application/json", big.clone()).await.refused(401);
    let asked = api.post("/files").token("pps_unknown");
    asked.body("multipart/form-data; boundary=x", big.clone()).await.refused(401);
    let elsewhere = api.server.mcp_url().replace("/mcp", "/uploads/unknown");
    api.ask(&reqwest::Method::PUT, &elsewhere)
        .anonymous()
        .body("image/png", big.clone())
        .await
        .is(404);
    for seen in api.server.requests() {
        assert_eq!((seen.body_length, seen.body.len()), (60 * MIB, 64 << 10), "{}", seen.path);
    }
    api.post("/profiles").body("application/json", big.clone()).await.refused(413);
    let (content_type, body) = multipart("file", &big);
    api.post("/files").body(&content_type, body).await.names(&["file"]);
    let issued = api.post("/files/upload-url").await.is(200);
    let address = issued.data()["upload_url"].as_str().expect("an address").to_owned();
    let put = || api.ask(&reqwest::Method::PUT, &address).anonymous();
    assert_eq!(put().body("image/png", big).await.is(422).error_keys(), ["file"]);
    let mut most = png(900, 900);
    most.resize(50 * MIB, 0);
    put().body("image/png", most).await.is(201);
}
