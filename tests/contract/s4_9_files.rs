//! Section 4.9: uploads.

use std::time::Duration;

use links_fixtures::World;
use reqwest::Method;
use serde_json::json;

use crate::image::{pixels, png};
use crate::shapes;
use crate::support::{Answer, Api, multipart};

async fn upload_url(api: &Api) -> Answer {
    api.post("/files/upload-url").await.is(200)
}

fn target_url(created: &Answer) -> &str {
    created.data()["upload_url"].as_str().expect("a URL")
}

#[tokio::test]
async fn rule_4_9_multipart_takes_the_part_file() {
    let api = Api::cafe().await;
    let uploaded = api.post("/files").file(&png(320, 200)).await.is(201);
    shapes::record("file", uploaded.data(), shapes::FILE);
    assert_eq!(uploaded.data()["width"], 320);
    assert_eq!(uploaded.data()["height"], 200);

    let (content_type, body) = multipart("picture", &png(8, 8));
    api.post("/files").body(&content_type, body).await.names(&["file", "picture"]);
}

#[tokio::test]
async fn rule_4_9_the_path_is_what_slots_and_profiles_take() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let uploaded = api.post("/files").file(&png(800, 800)).await.is(201);
    let path = &uploaded.data()["path"];
    assert!(!path.as_str().expect("a path").starts_with("http"), "a path, not a URL: {path}");
    assert!(uploaded.data()["src"].as_str().expect("a URL").starts_with("http"));
    let profile = api.patch(&page.at("")).json(&json!({"avatar": path})).await.is(200);
    assert_eq!(&profile.data()["avatar"], path);
    api.patch(&page.at("")).json(&json!({"avatar": 7})).await.names(&["avatar"]);
}

#[tokio::test]
async fn rule_4_9_large_pictures_are_downscaled_to_800_wide() {
    let api = Api::cafe().await;
    let uploaded = api.post("/files").file(&png(1600, 900)).await.is(201);
    assert_eq!(uploaded.data()["width"], 800);
    assert_eq!(uploaded.data()["height"], 450);
}

#[tokio::test]
async fn rule_4_9_jpeg_png_webp_and_gif_are_pictures_and_text_is_not() {
    let api = Api::cafe().await;
    for (format, bytes) in pixels() {
        let uploaded = api.post("/files").file(&bytes).await.is(201);
        assert_eq!(
            (&uploaded.data()["width"], &uploaded.data()["height"]),
            (&json!(1), &json!(1)),
            "{format}"
        );
    }
    api.post("/files").file(b"just words").await.names(&["file"]);
    api.post("/files").file(b"").await.names(&["file"]);
}

#[tokio::test]
async fn rule_4_9_a_picture_is_downloaded_by_its_url() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for url in [
        "https://pictures.example/a.png",
        "http://pictures.example:80/a.gif",
        "https://pictures.example:443/a.webp",
    ] {
        let uploaded = api.post("/files").json(&json!({"url": url})).await.is(201);
        shapes::record("file", uploaded.data(), shapes::FILE);
        let avatar = json!({"avatar": uploaded.data()["path"]});
        let profile = api.patch(&page.at("")).json(&avatar).await.is(200);
        assert_eq!(profile.data()["computed"]["avatarUrl"], uploaded.data()["src"]);
    }
}

#[tokio::test]
async fn rule_4_9_a_download_that_is_slow_large_or_no_picture_is_refused() {
    let api = Api::cafe().await;
    for file in ["slow.png", "huge.png", "document.pdf"] {
        let body = json!({"url": format!("https://pictures.example/{file}")});
        api.post("/files").json(&body).await.names(&["url"]);
    }
}

#[tokio::test]
async fn rule_4_9_a_url_body_has_url_and_no_other_key() {
    let api = Api::cafe().await;
    api.post("/files").json(&json!({})).await.names(&["url"]);
    api.post("/files").json(&json!({"url": 7})).await.names(&["url"]);
    let body = json!({"url": "https://example.com/picture.png", "name": "n", "file": "f"});
    api.post("/files").json(&body).await.names(&["file", "name"]);
}

#[tokio::test]
async fn rule_4_9_a_url_is_public_http_on_a_default_port_and_at_most_2048_long() {
    let api = Api::cafe().await;
    let too_long =
        format!("https://example.com/{}", "x".repeat(2048 - "https://example.com/".len() + 1));
    for url in [
        "not a URL",
        "ftp://example.com/picture.png",
        "file:///etc/passwd",
        "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
        "https://example.com:8443/picture.png",
        "http://example.com:8080/picture.png",
        "http://localhost/picture.png",
        "http://127.0.0.1/picture.png",
        "http://10.0.0.7/picture.png",
        "http://172.16.3.4/picture.png",
        "http://192.168.1.1/picture.png",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/picture.png",
        "http://[fd00::1]/picture.png",
        "http://[::ffff:10.0.0.1]/picture.png",
        &too_long,
    ] {
        api.post("/files").json(&json!({"url": url})).await.names(&["url"]);
    }
}

#[tokio::test]
async fn rule_4_9_an_upload_without_a_body_or_of_another_media_type_is_refused() {
    let api = Api::cafe().await;
    api.post("/files").await.refused(422);
    api.post("/files").body("image/png", png(8, 8)).await.refused(422);
}

#[tokio::test]
async fn rule_4_9_create_upload_url_answers_in_snake_case() {
    let (api, _clock) = Api::timed(World::cafe()).await;
    let created = upload_url(&api).await;
    shapes::record(
        "upload url",
        created.data(),
        &[
            ("upload_url", "string"),
            ("method", "string"),
            ("max_bytes", "integer"),
            ("expires_at", "string"),
        ],
    );
    assert_eq!(created.data()["max_bytes"], 50 * 1024 * 1024);
    assert!(["PUT", "POST"].contains(&created.data()["method"].as_str().expect("checked")));
}

#[tokio::test]
async fn rule_4_9_the_picture_is_put_as_raw_bytes_without_a_token() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let created = upload_url(&api).await;
    let sent = api
        .ask(&Method::PUT, target_url(&created))
        .anonymous()
        .body("image/png", png(64, 32))
        .await;
    assert!(matches!(sent.status, 200 | 201), "{}: {}", sent.status, sent.text);
    shapes::record("file", sent.data(), shapes::FILE);
    assert_eq!(sent.data()["width"], 64);
    assert_eq!(sent.data()["height"], 32);
    let profile =
        api.patch(&page.at("")).json(&json!({"avatar": sent.data()["path"]})).await.is(200);
    assert_eq!(profile.data()["computed"]["avatarUrl"], sent.data()["src"]);
}

#[tokio::test]
async fn rule_4_9_the_picture_is_posted_as_multipart() {
    let api = Api::cafe().await;
    let created = upload_url(&api).await;
    let sent = api.ask(&Method::POST, target_url(&created)).anonymous().file(&png(64, 32)).await;
    assert!(matches!(sent.status, 200 | 201), "{}: {}", sent.status, sent.text);
    shapes::record("file", sent.data(), shapes::FILE);
}

#[tokio::test]
async fn rule_4_9_only_pictures_are_taken_at_the_upload_url() {
    let api = Api::cafe().await;
    let created = upload_url(&api).await;
    let sent = api
        .ask(&Method::PUT, target_url(&created))
        .anonymous()
        .body("image/png", "just words")
        .await;
    sent.refused(422);
}

#[tokio::test]
async fn rule_4_9_an_upload_url_expires_in_15_minutes() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let (early, late) = (upload_url(&api).await, upload_url(&api).await);
    let expires: jiff::Timestamp =
        early.data()["expires_at"].as_str().expect("a time").parse().expect("ISO 8601");
    let now = jiff::Timestamp::try_from(clock.now()).expect("in range");
    assert_eq!(expires.as_second() - now.as_second(), 15 * 60);

    clock.advance(Duration::from_secs(15 * 60 - 1));
    let sent =
        api.ask(&Method::PUT, target_url(&early)).anonymous().body("image/png", png(8, 8)).await;
    assert!(matches!(sent.status, 200 | 201), "{}", sent.text);
    clock.advance(Duration::from_secs(2));
    let sent =
        api.ask(&Method::PUT, target_url(&late)).anonymous().body("image/png", png(8, 8)).await;
    assert!((400..500).contains(&sent.status), "{}: {}", sent.status, sent.text);
}

#[tokio::test]
async fn rule_4_9_every_upload_url_is_different() {
    let api = Api::cafe().await;
    let (one, two) = (upload_url(&api).await, upload_url(&api).await);
    assert_ne!(target_url(&one), target_url(&two));
    let never_issued = format!("{}x", target_url(&one).split(['?', '#']).next().expect("a start"));
    let sent = api.ask(&Method::PUT, &never_issued).anonymous().body("image/png", png(8, 8)).await;
    assert!((400..500).contains(&sent.status), "{}: {}", sent.status, sent.text);
}

#[tokio::test]
async fn an_image_url_must_be_a_uri() {
    let api = Api::cafe().await;
    for url in [
        "https:///a.png",
        "https:example.com/a.png",
        "https:/example.com/a.png",
        "https://example.com/a b.png",
        " https://example.com/a.png",
        "https://example.com/a.png\n",
        "https://exa\nmple.com/a.png",
        "https://example.com/\t.png",
        "https:\\\\example.com\\a.png",
        "https://example.com/%zz.png",
        "https://пример.example/a.png",
        "//example.com/a.png",
    ] {
        api.post("/files").json(&json!({"url": url})).await.names(&["url"]);
    }
    api.post("/files").json(&json!({"url": "https://example.com/%20.png?a=b#c"})).await.is(201);
}
