//! Calls of the service by the SDK.

use links_sdk::{Client, Token};

fn client(base: &str) -> Client {
    let token = Token::new("lnk_secret").expect("a token");
    Client::builder(base).token(token).build().expect("a client")
}

/// Builds a client with TLS, and calls a service that isn't one. A crash point that tests of the SDK may set must not end the program.
pub async fn call() {
    client("https://links.example/api/v1");
    let service = client("http://127.0.0.1:1/api/v1");
    let error = service.profile("cafe").slots().delete(1).await.expect_err("nobody listens there");
    assert!(error.is_network(), "{error}");
}

/// Shows that the error of a client that is built too early has the line that helps.
#[cfg(feature = "sdk-no-provider")]
pub fn is_refused_without_a_provider() {
    use std::error::Error;

    let error = Client::builder("https://links.example/api/v1").build().expect_err("no provider");
    let why = error.source().expect("a reason").to_string();
    assert!(why.contains("rustls::crypto::ring::default_provider().install_default()"), "{why}");
}
