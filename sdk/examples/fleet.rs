//! One of several machines that read the pages of many accounts. Each token has its own rate limits; all machines keep within them together,
//! through a Redis server. While that server is away, each machine uses its share of the limits.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKENS="lnk_one lnk_two" LINKS_PACER=redis://redis.example MACHINES=4 \
//!     cargo run -p links-sdk --features redis --example fleet
//! ```

use std::error::Error;
use std::sync::Arc;

use links_sdk::{BaseUrl, Client, RedisPacer, RedisServer, Token, WhenUnreachable};

/// Returns the number of slots of each account. One connection to the Redis server serves all of them.
pub async fn run(
    base: BaseUrl,
    tokens: Vec<Token>,
    redis: RedisServer,
    machines: usize,
) -> Result<Vec<usize>, Box<dyn Error + Send + Sync>> {
    let service = Client::builder(base.as_str()).build()?;
    let mut accounts = tokio::task::JoinSet::new();
    for (account, token) in tokens.into_iter().enumerate() {
        let pacer = RedisPacer::new(redis.clone(), RedisPacer::name(&base, &token))
            .when_unreachable(WhenUnreachable::Share(machines));
        let client = service.with_token(token).with_pacer(Arc::new(pacer));
        accounts.spawn(async move {
            let mut slots = 0;
            for profile in client.profiles().list().await?.items {
                slots += client.profile(profile.login.as_str()).slots().list().await?.len();
            }
            Ok::<_, links_sdk::Error>((account, slots))
        });
    }
    let mut counts = accounts.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    counts.sort_unstable();
    Ok(counts.into_iter().map(|(_, slots)| slots).collect())
}

/// Prints the number of slots of each account.
#[expect(clippy::print_stdout, reason = "it is a program")]
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let base = BaseUrl::new(&std::env::var("LINKS_BASE_URL")?)?;
    let tokens = std::env::var("LINKS_TOKENS")?;
    let tokens = tokens.split_whitespace().map(Token::new).collect::<Result<_, _>>()?;
    let redis = RedisServer::new(&std::env::var("LINKS_PACER")?)?;
    let machines = std::env::var("MACHINES")?.parse()?;
    for (account, slots) in run(base, tokens, redis, machines).await?.into_iter().enumerate() {
        println!("account {account}: {slots} slots");
    }
    Ok(())
}
