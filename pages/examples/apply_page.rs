//! A page sync: makes a page what a JSON file says, and can be killed at any moment. Run again, it goes on where the other run ended.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one PAGE=cafe \
//!     cargo run -p links-pages --example apply_page page.json
//! ```
//!
//! The file holds the slots as the service has them: `{"slots": [{"type": "button", "data": {"title": "Menu", "link": "https://..."}}]}`.

#![expect(clippy::print_stdout, reason = "the output of the program")]

use std::error::Error;
use std::path::Path;

use links_pages::apply::{Applied, Apply, DesiredPage, RunSettings, SlotTypes};
use links_sdk::{Client, Token};

/// Most slots that a run may delete without being asked again.
const MOST_DELETES: usize = 10;

/// Makes a page what `desired` says. The journal below `state` is what a later run continues; it also keeps two runs of this machine apart.
pub async fn run(
    client: &Client,
    page: &str,
    desired: DesiredPage,
    state: &Path,
) -> Result<Applied, links_sdk::Error> {
    let types = SlotTypes::fetch(client).await?;
    let apply = Apply::new(&client.profile(page), desired).types(types);
    let apply = apply.settings(RunSettings::new().journal(state));
    // The page is read again after each wait: what others changed meanwhile is not overwritten, but an error that names it.
    Ok(apply.prune(true).max_deletes(MOST_DELETES).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token, page] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    let file = std::env::args_os().nth(1).ok_or("name a file")?;
    let desired = serde_json::from_slice(&std::fs::read(file)?)?;
    let done = run(&client, &page?, desired, Path::new("state")).await?.done;
    println!("{} updated, {} created, {} deleted", done.updated, done.created.len(), done.deleted);
    Ok(())
}
