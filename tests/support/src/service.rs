//! The café's service and its owner's client.

use crate::clock::shared_clock;
use links_fixtures::{Choices, Clock, ContractServer, World};
use links_sdk::{Client, RateLimits, Token};

/// Returns a server without rate limits, and its owner's client.
pub async fn cafe() -> (ContractServer, Client) {
    cafe_with(Choices::default()).await
}

/// Returns a server without rate limits under these choices, and its owner's client.
pub async fn cafe_with(choices: Choices) -> (ContractServer, Client) {
    let builder = ContractServer::builder(World::cafe()).no_limits().choices(choices);
    let server = builder.start().await.unwrap();
    let client = client_of(&server);
    (server, client)
}

/// Returns the owner's client on another machine: runs of this process don't take turns with its runs.
pub fn client_elsewhere(server: &ContractServer) -> Client {
    let base = server.base_url().replace("127.0.0.1", "localhost");
    let builder = Client::builder(base).token(Token::new(server.token()).unwrap());
    builder.rate_limits(RateLimits::unlimited()).build().unwrap()
}

/// Returns a server without rate limits and its owner's client, with one clock on which waits take no time.
pub async fn quick_cafe() -> (ContractServer, Client, Clock) {
    let (clock, service_clock) = shared_clock();
    let builder = ContractServer::builder(World::cafe()).no_limits().clock(service_clock.clone());
    let server = builder.start().await.unwrap();
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.clock(clock).rate_limits(RateLimits::unlimited()).build().unwrap();
    (server, client, service_clock)
}

/// Returns the idempotency key of every request that the server received.
pub fn idempotency_keys(server: &ContractServer) -> Vec<Option<String>> {
    let requests = server.requests();
    requests.iter().map(|it| it.header("idempotency-key").map(str::to_owned)).collect()
}

/// Returns the owner's client of a server.
pub fn client_of(server: &ContractServer) -> Client {
    let builder = Client::builder(server.base_url()).token(Token::new(server.token()).unwrap());
    builder.rate_limits(RateLimits::unlimited()).build().unwrap()
}
