//! Program that uses the SDK, and checks that TLS provider and JSON features stay its own choice.

use links_sdk::{Client, Token};

fn main() {
    let token = Token::new("lnk_secret").expect("a token");
    for base in ["https://links.example/api/v1", "http://127.0.0.1:1/api/v1"] {
        Client::builder(base).token(token.clone()).build().expect("a client");
    }
    rustls::crypto::ring::default_provider()
        .install_default()
        .expect("the provider of TLS is for the program to choose");

    let text = r#"{"b":1,"a":2}"#;
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#, "`preserve_order` is for the program to choose");
    println!("the program's TLS and JSON are its own");
}
