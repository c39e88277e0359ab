//! Tests of downloads of images from URLs that the service gave for them.

use links_fixtures::Choices;
use links_sdk::{MAX_DOWNLOAD_BYTES, Upload};
use links_test_support::misbehaving_servers::PathServer;

use crate::{cafe, cafe_with};

const GIF: &str = "GIF89a and so on";

fn server(status: u16, header: &'static str, body: String) -> PathServer {
    PathServer::start(move |_| (status, header.to_owned(), body.clone()))
}

#[tokio::test]
async fn an_uploaded_image_is_downloaded_without_headers_of_the_caller() {
    let choices = Choices { files_here: true, ..Choices::default() };
    let (server, client) = cafe_with(choices).await;
    let image = Upload::bytes("a.gif", &b"GIF89a\x03\0\x04\0\0\0\0"[..]);
    let file = client.files().upload(image).await.unwrap();
    server.forget_requests();
    let bytes = client.files().download(&file.src).await.unwrap();
    assert!(bytes.starts_with(b"GIF89a\x03\0\x04\0"), "{bytes:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    for name in ["authorization", "cookie", "idempotency-key", "user-agent", "referer"] {
        assert_eq!(requests[0].header(name), None, "{name}");
    }
}

#[tokio::test]
async fn what_is_no_image_or_too_large_or_elsewhere_is_refused() {
    let (_server, client) = cafe().await;
    let large = format!("GIF89a{}", " ".repeat(MAX_DOWNLOAD_BYTES));
    for (status, header, body) in [
        (200, "Content-Type: image/gif\r\n", "<html></html>".to_owned()),
        (200, "", String::new()),
        (200, "", large),
        (404, "", GIF.to_owned()),
        (302, "Location: {here}/other\r\n", GIF.to_owned()),
        (206, "", GIF.to_owned()),
    ] {
        let other = server(status, header, body);
        let url = format!("http://{}/a.gif", other.address());
        let error = client.files().download(&url).await.unwrap_err();
        assert!(!error.is_network(), "{status} {error}");
        assert!(!other.asked().contains(&"/other".to_owned()), "{status}");
    }
    let good = server(200, "", GIF.to_owned());
    let url = format!("http://{}/a.gif", good.address());
    assert_eq!(client.files().download(&url).await.unwrap(), GIF.as_bytes());
    let (bytes, answer) = client.files().download(&url).with_answer().await.unwrap();
    assert_eq!((&bytes, answer.status()), (answer.body(), 200));
    assert_eq!(client.files().download(&url).answer().await.unwrap().body(), GIF.as_bytes());
}

#[tokio::test]
async fn only_https_urls_without_a_user_are_downloaded() {
    let (server, client) = cafe().await;
    for url in [
        "http://files.example/a.png",
        "ftp://files.example/a.png",
        "file:///etc/passwd",
        "https://user:secret@files.example/a.png",
        "uploads/a.png",
        "",
    ] {
        let error = client.files().download(url).await.unwrap_err();
        assert!(
            error.is_invalid_input() && !error.to_string().contains("secret"),
            "{url}: {error}"
        );
    }
    assert_eq!(server.requests().len(), 0);
}
