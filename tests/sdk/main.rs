//! Tests of the client against the contract server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod apply;
mod apply_call;
mod arguments;
mod batch;
mod call_headers;
mod concurrent_edits;
mod conditional_writes;
#[cfg(feature = "oauth")]
mod connector;
mod dates;
mod deadlines;
mod download;
mod edits_during_waits;
mod errors;
mod examples;
mod executor;
mod faults;
#[cfg(feature = "oauth")]
mod file_store;
#[cfg(feature = "redis")]
mod fleet;
mod foreign_edit;
#[cfg(feature = "link-check")]
mod link_check;
mod login_change;
mod memory;
mod operations;
mod outcomes;
mod own_transport;
mod pacing;
mod page_fields;
mod raw;
#[cfg(feature = "oauth")]
mod readme;
mod recorded_run;
#[cfg(feature = "oauth")]
mod renewals;
mod resume;
#[cfg(feature = "oauth")]
mod testing;
mod token_refresh;
mod token_source;
mod tolerant_reading;
#[cfg(feature = "tracing")]
mod traces;
mod upload;
mod upload_stream;
mod write_mode;
mod write_requests;

use links_fixtures::{Choices, Clock, ContractServer, World};
use links_sdk::{Client, RateLimits, Token};
use links_test_support::clock::shared_clock;

/// Returns a server without rate limits, and its owner's client.
async fn cafe() -> (ContractServer, Client) {
    cafe_with(Choices::default()).await
}

/// Returns a server without rate limits under these choices, and its owner's client.
async fn cafe_with(choices: Choices) -> (ContractServer, Client) {
    let builder = ContractServer::builder(World::cafe()).no_limits().choices(choices);
    let server = builder.start().await.unwrap();
    let client = client_of(&server);
    (server, client)
}

/// Returns the owner's client on another machine: runs of this process don't take turns with its runs.
fn client_elsewhere(server: &ContractServer) -> Client {
    let base = server.base_url().replace("127.0.0.1", "localhost");
    let builder = Client::builder(base).token(Token::new(server.token()).unwrap());
    builder.rate_limits(RateLimits::unlimited()).build().unwrap()
}

/// Returns a server without rate limits and its owner's client, with one clock on which waits take no time.
async fn quick_cafe() -> (ContractServer, Client, Clock) {
    let (clock, service_clock) = shared_clock();
    let builder = ContractServer::builder(World::cafe()).no_limits().clock(service_clock.clone());
    let server = builder.start().await.unwrap();
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.clock(clock).rate_limits(RateLimits::unlimited()).build().unwrap();
    (server, client, service_clock)
}

/// Returns the idempotency key of every request that the server received.
fn idempotency_keys(server: &ContractServer) -> Vec<Option<String>> {
    let requests = server.requests();
    requests.iter().map(|it| it.header("idempotency-key").map(str::to_owned)).collect()
}

fn client_of(server: &ContractServer) -> Client {
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    builder.rate_limits(RateLimits::unlimited()).build().unwrap()
}
