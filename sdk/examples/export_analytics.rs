//! An export of the last 28 days of each page as lines of JSON, in two processes that share the rate limits of one token.
//!
//! ```text
//! export LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one
//! cargo build -p links-sdk --example export_analytics
//! target/debug/examples/export_analytics 0 2 > first.jsonl &
//! target/debug/examples/export_analytics 1 2 > second.jsonl & wait
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, BaseUrl, Client, SharedFilePacer, Token};
use serde_json::json;

/// Returns a client that takes turns with every process of this machine whose client has the same token and directory.
pub fn client(base: &str, token: Token, state: &Path) -> Result<Client, Box<dyn Error>> {
    let file = state.join(SharedFilePacer::name(&BaseUrl::new(base)?, &token));
    let pacer = Arc::new(SharedFilePacer::new(file));
    Ok(Client::builder(base).token(token).pacer(pacer).build()?)
}

/// Writes a line for each page of this part of all pages. Analytics are limited to 20 requests a minute; the client waits for its turn.
pub async fn run(
    client: &Client,
    (part, parts): (usize, usize),
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let pages = client.profiles().list().await?.items;
    for page in pages.iter().skip(part).step_by(parts) {
        let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28);
        let found = client.profile(page.id).analytics(query).await?;
        let counted = found.meta.generated_at;
        writeln!(
            out,
            "{}",
            json!({"login": page.login, "countedAt": counted, "data": found.data})
        )?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token] = ["LINKS_BASE_URL", "LINKS_TOKEN"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let mut numbers = std::env::args().skip(1).map(|it| it.parse());
    let (Some(Ok(part)), Some(Ok(parts @ 1..))) = (numbers.next(), numbers.next()) else {
        return Err("say which part of how many: 0 2".into());
    };
    let client = client(&base?, Token::new(&token?)?, &std::env::temp_dir())?;
    run(&client, (part, parts), &mut io::stdout()).await
}
