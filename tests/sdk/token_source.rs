//! Tests of tokens that change during the lifetime of a client.

use std::sync::{Arc, Mutex};

use links_fixtures::{ContractServer, Token as ServerToken};
use links_sdk::{Client, Error, Outcome, Token, TokenError, TokenFuture, TokenSource};

use crate::{cafe, idempotency_keys};

/// Source that returns the first of its tokens, and goes on to the next when one is refused.
#[derive(Debug)]
struct RotatingTokens {
    tokens: Mutex<Vec<&'static str>>,
    asked_again: Mutex<usize>,
}

impl RotatingTokens {
    fn of(tokens: impl Into<Vec<&'static str>>) -> Arc<Self> {
        Arc::new(Self { tokens: Mutex::new(tokens.into()), asked_again: Mutex::default() })
    }

    fn current(&self) -> Result<Token, TokenError> {
        match self.tokens.lock().unwrap().first() {
            Some(token) => Ok(Token::new(token).unwrap()),
            None => Err(TokenError::login_needed("the ring is empty")),
        }
    }

    fn turn(&self, refused: &Token) -> bool {
        *self.asked_again.lock().unwrap() += 1;
        let mut tokens = self.tokens.lock().unwrap();
        assert_eq!(Token::new(tokens[0]).unwrap(), *refused);
        if tokens.len() > 1 {
            tokens.remove(0);
            return true;
        }
        false
    }
}

impl TokenSource for RotatingTokens {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(std::future::ready(self.current()))
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(std::future::ready(Ok(self.turn(token))))
    }
}

async fn with(ring: &Arc<RotatingTokens>) -> (ContractServer, Client) {
    let (server, _) = cafe().await;
    server.edit(|account| account.tokens.push(ServerToken::personal("pps_second")));
    let builder = Client::builder(server.base_url()).token(ring.clone());
    let client = builder.rate_limits(links_sdk::RateLimits::unlimited()).build().unwrap();
    (server, client)
}

fn sent_tokens(server: &ContractServer) -> Vec<String> {
    let seen = server.requests();
    seen.iter().map(|it| it.header("authorization").unwrap_or("none").to_owned()).collect()
}

#[tokio::test]
async fn a_refused_token_is_replaced_and_the_request_sent_once_more() {
    let ring = RotatingTokens::of(["pps_old", "pps_second"]);
    let (server, client) = with(&ring).await;
    let profile =
        client.profiles().create(links_sdk::NewProfile::with_login("brand.new")).await.unwrap();
    assert_eq!(profile.login, "brand.new");
    assert_eq!(sent_tokens(&server), ["Bearer pps_old", "Bearer pps_second"]);
    let keys = idempotency_keys(&server);
    assert!(keys[0].is_some() && keys[0] == keys[1], "{keys:?}");

    client.me().await.unwrap();
    assert_eq!(sent_tokens(&server)[2], "Bearer pps_second", "and kept from then on");
}

#[tokio::test]
async fn a_second_refusal_ends_the_call() {
    let ring = RotatingTokens::of(["pps_old", "pps_wrong", "pps_second"]);
    let (server, client) = with(&ring).await;
    let error: Error = client.me().await.unwrap_err();
    assert!(error.is_not_authenticated() && error.status() == Some(401), "{error}");
    assert_eq!((error.attempts(), error.outcome()), (2, Outcome::NotExecuted));
    assert_eq!(sent_tokens(&server), ["Bearer pps_old", "Bearer pps_wrong"]);
    assert_eq!(*ring.asked_again.lock().unwrap(), 1);
}

#[tokio::test]
async fn only_a_401_asks_for_another_token() {
    let ring = RotatingTokens::of(["pps_second"]);
    let (server, client) = with(&ring).await;
    server.edit(|account| account.tokens[1].abilities.clear());
    assert!(client.me().await.unwrap_err().is_forbidden());
    assert_eq!(*ring.asked_again.lock().unwrap(), 0);
}

#[tokio::test]
async fn without_a_token_nothing_is_sent() {
    let ring = RotatingTokens::of([]);
    let (server, client) = with(&ring).await;
    let error = client.me().await.unwrap_err();
    assert!(error.is_not_authenticated() && !error.is_network() && !error.is_safe_to_repeat());
    assert_eq!((error.to_string().as_str(), error.attempts()), ("the ring is empty", 0));
    assert!(server.requests().is_empty());
}
