//! The client against the contract server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod apply;
mod applying;
mod batch;
#[cfg(feature = "oauth")]
mod connector;
mod editors;
mod faults;
mod memory;
mod one_call;
mod operations;
mod pacing;
mod raw;
mod reading;
#[cfg(feature = "oauth")]
mod readme;
#[cfg(feature = "oauth")]
mod refreshing;
mod rename;
mod resume;
mod token_source;
mod truth;
mod unchanged;
mod upload;
mod waits;
mod writes;
mod writing;

use links_fixtures::{ContractServer, World};
use links_sdk::{Client, Token};

/// A server without rate limits, and its owner's client.
async fn cafe() -> (ContractServer, Client) {
    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let client = client_of(&server);
    (server, client)
}

fn client_of(server: &ContractServer) -> Client {
    let builder = Client::builder(server.base_url()).token(Token::new(&server.token()).unwrap());
    builder.rate_limits(no_limits()).build().unwrap()
}

/// Limits that no test reaches, so that none has to wait.
fn no_limits() -> links_sdk::RateLimits {
    let mut limits = links_sdk::RateLimits::default();
    limits.per_second = 1_000_000;
    limits.per_minute = 1_000_000;
    limits.analytics_per_minute = 1_000_000;
    limits.music_per_minute = 1_000_000;
    limits
}
