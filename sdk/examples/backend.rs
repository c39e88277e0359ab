//! A web backend with many tenants, each with a token of its own: one client for the connections, and one derived from it for each tenant.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 TENANTS='{"cafe": "pps_one", "bakery": "pps_two"}' \
//!     cargo run -p links-sdk --example backend
//! ```

#![expect(clippy::print_stdout, reason = "the output of the program")]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use links_sdk::types::Profile;
use links_sdk::{Client, Error, Token};
use serde_json::json;

/// The clients of the tenants. All of them share connections, TLS, proxy and observer; each has the rate limits of its own token.
pub struct Tenants {
    base: Client,
    clients: Mutex<HashMap<String, Client>>,
}

impl Tenants {
    /// Returns no tenants yet. `base` has no token.
    pub fn new(base: Client) -> Self {
        Self { base, clients: Mutex::default() }
    }

    /// Returns the client of a tenant: the same each time, so that its requests are paced together. Forget it with [`Tenants::remove`].
    pub fn client(&self, tenant: &str, token: impl FnOnce() -> Token) -> Client {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || self.base.with_token(token());
        clients.entry(tenant.to_owned()).or_insert_with(new).clone()
    }

    /// Forgets a tenant that has logged out, and its token.
    pub fn remove(&self, tenant: &str) {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).remove(tenant);
    }
}

/// Handles one request: gives a page of the tenant another title. `request_id` is that of your own log.
pub async fn set_title(
    client: Client,
    page: String,
    title: String,
    request_id: String,
) -> Result<Profile, Error> {
    let page = client.profile(page).get().header("X-Request-Id", &request_id).await?;
    let changes = json!({"title": title});
    client.profile(page.id).update(changes).header("X-Request-Id", request_id).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base = Client::builder(std::env::var("LINKS_BASE_URL")?).build()?;
    let tenants = Tenants::new(base);
    let mut requests = tokio::task::JoinSet::new();
    for (page, token) in
        serde_json::from_str::<HashMap<String, String>>(&std::env::var("TENANTS")?)?
    {
        let token = Token::new(&token)?;
        let client = tenants.client(&page, || token);
        requests.spawn(set_title(client, page, "Open".to_owned(), "1".to_owned()));
    }
    while let Some(done) = requests.join_next().await {
        match done? {
            Ok(page) => println!("{}", page.login),
            Err(error) => println!("{:?}: {error}", error.kind()),
        }
    }
    Ok(())
}
