//! Program that prints what its own clients of HTTP and TLS and its own JSON do, for `run` to compare with and without the SDK.
//!
//! `embedding before` and `embedding after` call the service by the SDK before or after that, if the program has it. `embedding json` prints
//! the part on JSON alone.

#[cfg(feature = "http")]
mod http;
mod json;
#[cfg(feature = "service")]
mod service;
#[cfg(feature = "tls")]
mod tls;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let order = std::env::args().nth(1).expect("`before`, `after` or `json`");
    // What the README of the SDK tells a program that brings the provider.
    #[cfg(feature = "sdk-no-provider")]
    {
        service::is_refused_without_a_provider();
        rustls::crypto::ring::default_provider().install_default().expect("no other one");
    }
    #[cfg(feature = "service")]
    if order == "before" {
        service::call().await;
    }
    println!("{}", json::report());
    if order == "json" {
        return;
    }
    #[cfg(feature = "tls")]
    println!("{}", tls::report());
    #[cfg(feature = "http")]
    println!("{}", http::report().await);
    #[cfg(feature = "service")]
    if order == "after" {
        service::call().await;
    }
}
