//! One process that serves several accounts through a company's network: its certificate authority, its proxy and its gateway's key, with
//! one HTTP client for all accounts.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKENS="pps_one pps_two" COMPANY_CA=ca.pem \
//!     cargo run -p links-sdk --example own_transport
//! ```

#![expect(clippy::print_stdout, reason = "what a program is for")]

use std::error::Error;
use std::time::Duration;

use links_sdk::{Client, ConnectionOptions, RetryPolicy, Token};

/// How this program reaches the service.
pub struct Network {
    /// URL of the service, version segment included.
    pub base_url: String,
    /// Certificates of the company's authority, as PEM.
    pub authority: Option<Vec<u8>>,
    /// URL of the company's proxy.
    pub proxy: Option<String>,
    /// Key that the gateway in front of the service asks for.
    pub gateway_key: Option<String>,
}

/// Returns the profiles of each account. All requests use the same connections; each token has its own rate limits.
pub async fn run(network: Network, tokens: Vec<Token>) -> Result<Vec<Vec<String>>, Box<dyn Error>> {
    let mut connection = ConnectionOptions::default();
    if let Some(pem) = network.authority {
        connection = connection.root_certificate(pem)?;
    }
    if let Some(url) = network.proxy {
        connection = connection.proxy(&url)?;
    }
    let retry = RetryPolicy::default().max_attempts(2).max_total_wait(Duration::from_secs(20));
    let mut builder = Client::builder(network.base_url).connection(connection).retry(retry);
    if let Some(key) = network.gateway_key {
        builder = builder.header("X-Gateway-Key", key);
    }
    let service = builder.build()?;

    let mut accounts = tokio::task::JoinSet::new();
    for (account, token) in tokens.into_iter().enumerate() {
        let client = service.with_token(token);
        accounts.spawn(async move {
            let profiles = client.profiles().list().await?;
            let logins = profiles.items.into_iter().map(|profile| profile.login).collect();
            Ok::<_, links_sdk::Error>((account, logins))
        });
    }
    let mut found = accounts.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|(account, _)| *account);
    Ok(found.into_iter().map(|(_, logins)| logins).collect())
}

/// Reads the network and the tokens from the environment, and prints a line for each account.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    let network = Network {
        base_url: std::env::var("LINKS_BASE_URL")?,
        authority: std::env::var_os("COMPANY_CA").map(std::fs::read).transpose()?,
        proxy: std::env::var("COMPANY_PROXY").ok(),
        gateway_key: std::env::var("GATEWAY_KEY").ok(),
    };
    let tokens = std::env::var("LINKS_TOKENS")?;
    let tokens = tokens.split_whitespace().map(Token::new).collect::<Result<_, _>>()?;
    for logins in run(network, tokens).await? {
        println!("{}", logins.join(" "));
    }
    Ok(())
}
