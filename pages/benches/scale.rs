//! What a process with many accounts costs. Run with `cargo bench -p links-pages --bench scale`; it needs Linux.
//!
//! 1,000 accounts of 100 pages with 14 slots each are planned, and nothing has changed. Time is injected: a clock advances by what a request
//! has to wait for, so all accounts stay at their limits and nobody sleeps. The contract server runs on a thread of its own, whose time does
//! not count. Then 64 pages of 500 slots are open at once.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_pages::account::{ApplyAccount, DesiredAccount};
use links_pages::apply::PageSnapshot;
use links_sdk::testing::TestClock;
use links_sdk::{Client, ProfileKey, RateLimits, Token};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const ACCOUNTS: usize = 1_000;
const PAGES: usize = 100;
const SLOTS: usize = 14;
/// Accounts of which all pages are planned; the others are the same.
const PLANNED: usize = 20;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let small: Vec<Value> = (0..PAGES).map(|nth| page(nth, SLOTS)).collect();
    let large: Vec<Value> = (0..64).map(|nth| page(nth, 500)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (small_server, large_server) = (serve(&small).await?, serve(&large).await?);
        let many = || (0..ACCOUNTS).map(|_| client(&small_server)).collect::<Result<Vec<_>, _>>();
        // What is free already is taken by the first accounts, so the second ones tell what each needs.
        let accounts: Vec<Client> = many()?;
        let before = resident()?;
        let others = many()?;
        let used = resident()?.saturating_sub(before);
        drop(others);
        let begun = cpu();
        for account in &accounts[..PLANNED] {
            let desired: DesiredAccount =
                serde_json::from_value(json!({ "forms": [], "pages": small }))?;
            let planned = ApplyAccount::new(account, desired).plan().await?;
            assert!(planned.pages.iter().all(|page| page.plan.is_empty()));
        }
        let spent = cpu().saturating_sub(begun).as_micros();
        let requests: u64 = accounts.iter().map(Client::requests_sent).sum();
        let each = u64::try_from(spent)? / requests;
        let pages = u64::try_from(PAGES)?;
        report("CPU time for an unchanged page, microseconds", each);
        report("CPU time for an account of 100 unchanged pages, microseconds", each * pages);
        report("memory for an account, KiB", used / u64::try_from(ACCOUNTS)?);
        let per_minute = u64::try_from(RateLimits::default().per_minute)?;
        report("accounts at their limits that one core serves", 60_000_000 / (each * per_minute));

        let client = client(&large_server)?;
        let (mut open, mut used) = (Vec::new(), 0);
        for _ in 0..2 {
            let before = resident()?;
            for nth in 0..large.len() {
                let key: ProfileKey = login(nth).parse()?;
                open.push(PageSnapshot::read(&client, &key).await?);
            }
            used = resident()?.saturating_sub(before);
        }
        report("memory for 64 pages of 500 slots, MiB", used / 1024);
        Ok(())
    })
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

/// Starts a service with these pages, on threads of its own.
async fn serve(pages: &[Value]) -> Result<ContractServer, Failure> {
    let server = ContractServer::builder(World::empty()).no_limits().no_request_log();
    let server = server.start().await?;
    let desired = serde_json::from_value(json!({ "forms": [], "pages": pages }))?;
    let client = client(&server)?;
    ApplyAccount { creates: pages.len(), ..ApplyAccount::new(&client, desired) }.run().await?;
    Ok(server)
}

fn client(server: &ContractServer) -> Result<Client, Failure> {
    let clock = Arc::new(TestClock::new());
    let token = Token::new(server.token())?;
    Ok(Client::builder(server.base_url()).token(token).clock(clock).build()?)
}

/// CPU time of this thread.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Resident memory of the process in KiB.
fn resident() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.and_then(|line| line.split_whitespace().next()).ok_or("VmRSS is missing")?.parse()?)
}
