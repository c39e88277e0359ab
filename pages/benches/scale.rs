//! What a process with many accounts costs. Run with `cargo bench -p links-pages --bench scale`; it needs Linux.
//!
//! 1,000 accounts of 100 pages with 14 slots each are planned, and nothing has changed. Time is injected: a clock advances by what a request
//! has to wait for, so all accounts stay at their limits and nobody sleeps. The contract server is a process of its own. Then 64 pages of 500 slots are open at once.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_pages::account::{ApplyAccount, DesiredAccount};
use links_pages::apply::PageSnapshot;
use links_sdk::testing::TestClock;
use links_sdk::{Client, RateLimits, Token};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const ACCOUNTS: usize = 1_000;
const PAGES: usize = 100;
const SLOTS: usize = 14;
/// Accounts of which all pages are planned; the others are the same.
const PLANNED: usize = 20;

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let words: Vec<String> = std::env::args().collect();
    if let [_, word, pages, slots] = &words[..]
        && word == SERVE
    {
        return runtime.block_on(serve(pages.parse()?, slots.parse()?));
    }
    runtime.block_on(async {
        let server = Server::start(PAGES, SLOTS)?;
        let many = || (0..ACCOUNTS).map(|_| server.client()).collect::<Result<Vec<_>, _>>();
        // What is loaded once is loaded for the first account.
        let first = server.client()?;
        first.me().await?;
        let before = resident()?;
        let accounts: Vec<Client> = many()?;
        for account in &accounts {
            account.me().await?;
        }
        let used = resident()?.saturating_sub(before);
        let (begun, asked) = (cpu(), requests(&accounts));
        for account in &accounts[..PLANNED] {
            let planned = ApplyAccount::new(account, desired(PAGES, SLOTS)?).plan().await?;
            assert!(planned.pages.iter().all(|page| page.plan.is_empty()));
        }
        let spent = cpu().saturating_sub(begun).as_micros();
        let each = u64::try_from(spent)? / (requests(&accounts) - asked);
        let pages = u64::try_from(PAGES)?;
        report("CPU time for an unchanged page, microseconds", each);
        report("CPU time for an account of 100 unchanged pages, microseconds", each * pages);
        report("memory for an account, KiB", used / u64::try_from(ACCOUNTS)?);
        let per_minute = u64::try_from(RateLimits::default().per_minute)?;
        report("accounts at their limits that one core serves", 60_000_000 / (each * per_minute));
        drop(accounts);

        let server = Server::start(64, 500)?;
        let client = server.client()?;
        // What one page takes while it is read is free afterwards.
        PageSnapshot::read(&client, &login(0).parse()?).await?;
        let before = resident()?;
        let mut open = Vec::new();
        for nth in 0..64 {
            open.push(PageSnapshot::read(&client, &login(nth).parse()?).await?);
        }
        report("memory for 64 pages of 500 slots, MiB", resident()?.saturating_sub(before) / 1024);
        Ok(())
    })
}

fn requests(accounts: &[Client]) -> u64 {
    accounts.iter().map(Client::requests_sent).sum()
}

/// First argument of the process that is the service.
const SERVE: &str = "serve";

/// The service, in a process of its own: what it uses does not count.
struct Server {
    process: Child,
    url: String,
    token: String,
}

impl Server {
    /// Starts a service with this many pages of this many slots.
    fn start(pages: usize, slots: usize) -> Result<Self, AnyError> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([SERVE, &pages.to_string(), &slots.to_string()]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdout = process.stdout.take().ok_or("the service has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let mut line = || lines.next().ok_or("the service has ended")?.map_err(AnyError::from);
        let (url, token) = (line()?, line()?);
        Ok(Self { process, url, token })
    }

    fn client(&self) -> Result<Client, AnyError> {
        client(&self.url, &self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::print_stdout, reason = "the table is what the program is for")]
fn report(name: &str, figure: u64) {
    println!("{name:<64}{figure:>10}");
}

fn login(nth: usize) -> String {
    format!("page.{nth}")
}

fn page(nth: usize, slots: usize) -> Value {
    let slot = |n: usize| {
        json!({ "type": "text", "data": {
            "title": format!("Dish {n}"),
            "description": format!("A sentence about the dish, its price and its story, number {n}."),
        }})
    };
    json!({ "profile": login(nth), "slots": (0..slots).map(slot).collect::<Vec<_>>() })
}

fn desired(pages: usize, slots: usize) -> Result<DesiredAccount, AnyError> {
    let pages: Vec<Value> = (0..pages).map(|nth| page(nth, slots)).collect();
    Ok(serde_json::from_value(json!({ "forms": [], "pages": pages }))?)
}

/// Is the service until it is killed. Prints its URL and its token.
#[expect(clippy::print_stdout, reason = "the other process reads it")]
async fn serve(pages: usize, slots: usize) -> Result<(), AnyError> {
    let server = ContractServer::builder(World::empty()).no_limits().no_request_log();
    let server = server.start().await?;
    let client = client(&server.base_url(), &server.token())?;
    let desired = desired(pages, slots)?;
    ApplyAccount { creates: pages, ..ApplyAccount::new(&client, desired) }.run().await?;
    println!("{}\n{}", server.base_url(), server.token());
    std::future::pending().await
}

fn client(url: &str, token: &str) -> Result<Client, AnyError> {
    let clock = Arc::new(TestClock::new());
    Ok(Client::builder(url).token(Token::new(token)?).clock(clock).build()?)
}

/// CPU time of this thread.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Resident memory of the process in KiB.
fn resident() -> Result<u64, AnyError> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.and_then(|line| line.split_whitespace().next()).ok_or("VmRSS is missing")?.parse()?)
}
