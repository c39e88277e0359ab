//! An agency's nightly check: plans the page files of all its clients, each with the client's own account, and prints a table. Thousands of
//! accounts fit into one process, because a client of an account costs little, and each account waits only for its own limits.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 \
//!     cargo run -p links-pages --example agency tokens.txt clients/*
//! ```
//!
//! Each argument is a directory with the page files and form files of one client. `tokens.txt` has a line `NAME TOKEN` for each directory of
//! that name; it belongs into no repository.

#![expect(clippy::print_stdout, reason = "the output of the program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use links_pages::account::{ApplyAccount, DesiredAccount};
use links_sdk::{Client, Token};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Number of accounts that are planned at the same time.
const AT_ONCE: usize = 100;

/// What was found out about an account.
#[derive(Debug)]
pub struct Row {
    /// Name of the client.
    pub name: String,
    /// Number of its pages, and of those that differ from their files; or why that is unknown.
    pub pages: Result<(usize, usize), String>,
}

/// An account with its files.
pub struct ClientAccount {
    /// Name of the client.
    pub name: String,
    /// Token of its account.
    pub token: Result<Token, String>,
    /// Its page files and form files.
    pub files: Vec<PathBuf>,
}

/// Plans all accounts, and returns a row for each, in the order of their names. An account that fails stops no other.
pub async fn plan_all(base: &Client, accounts: Vec<ClientAccount>) -> Vec<Row> {
    let (turns, mut tasks) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    for account in accounts {
        let (base, turns) = (base.clone(), turns.clone());
        tasks.spawn(async move {
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await;
            let pages = plan(&base, &account).await.map_err(|error| error.to_string());
            Row { name: account.name, pages }
        });
    }
    let mut rows = tasks.join_all().await;
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows
}

async fn plan(
    base: &Client,
    account: &ClientAccount,
) -> Result<(usize, usize), Box<dyn Error + Send + Sync>> {
    let client = base.with_token(account.token.clone()?);
    // Page files use blocks, values and tables of their client alone.
    let directory = account.files.first().and_then(|file| file.parent());
    let desired = DesiredAccount::read_within(directory, &account.files)?;
    let planned = ApplyAccount::new(&client, desired).plan().await?;
    let changed = planned.pages.iter().filter(|page| !page.plan.is_empty()).count();
    Ok((planned.pages.len(), changed))
}

/// Returns the page files and form files of a directory.
fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let is_page = |path: &PathBuf| {
        path.extension().is_some_and(|it| it == "yaml") && !path.ends_with("values.yaml")
    };
    Ok(paths.filter(is_page).collect())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let tokens = std::fs::read_to_string(arguments.next().ok_or("name the file with the tokens")?)?;
    let tokens: BTreeMap<&str, &str> =
        tokens.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut accounts = Vec::new();
    for directory in arguments {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let token = tokens.get(name.as_str()).ok_or("no token");
        let token = token.map_err(|why| (*why).to_owned());
        let token = token.and_then(|it| Token::new(it.trim()).map_err(|error| error.to_string()));
        accounts.push(ClientAccount { name, token, files: files(&directory)? });
    }
    let base = std::env::var("LINKS_BASE_URL").map_err(|_| "LINKS_BASE_URL is not set")?;
    let base = Client::builder(base).build()?;
    for Row { name, pages } in plan_all(&base, accounts).await {
        match pages {
            Ok((all, changed)) => println!("{name:<24} {changed} of {all} pages differ"),
            Err(why) => println!("{name:<24} failed: {why}"),
        }
    }
    Ok(())
}
