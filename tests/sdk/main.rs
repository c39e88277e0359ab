//! The client against the contract server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod apply;
mod apply_call;
mod batch;
mod concurrent_edits;
mod conditional_writes;
#[cfg(feature = "oauth")]
mod connector;
mod edits_during_waits;
mod faults;
mod foreign_edit;
mod login_change;
mod memory;
mod operations;
mod outcomes;
mod pacing;
mod raw;
#[cfg(feature = "oauth")]
mod readme;
mod recorded_run;
mod resume;
#[cfg(feature = "oauth")]
mod token_refresh;
mod token_source;
mod tolerant_reading;
mod upload;
mod write_mode;
mod write_requests;

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
