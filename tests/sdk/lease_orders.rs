//! Orders of machines that lock a page through a Redis server, whose lease may end at any step: nobody writes under a lock that another
//! machine has had since. `tests/fleet/run` runs them.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use links_sdk::oauth::{CredentialStore, StoreKey, redis_store};
use links_sdk::{Pacer, RedisPacer, RedisServer};
use links_test_support::orders::{Actor, Gates, Order, explore};
use links_test_support::redis::RedisProcess;
use tokio::runtime::Builder;

use crate::renewal_orders::{Authority, Course, NEEDS};

const LIFETIME: Duration = Duration::from_secs(60);
const WRITES: usize = 2;

/// The page of one order, and its lock.
struct LeasedPage<'a> {
    name: String,
    gates: &'a Gates,
    server: RedisServer,
    /// Number of the newest lock.
    newest: Cell<u64>,
    holder: Cell<Option<usize>>,
    /// Set once the lease of a lock has ended before the lock was given up.
    has_ended: Cell<bool>,
    /// Number of machines that have lost their lock.
    lost: Cell<usize>,
}

impl LeasedPage<'_> {
    /// Locks the page as a run does: before each write. It ends at once while another machine has the lock.
    async fn write(&self, machine: usize) {
        let (name, pacer) =
            (format!("machine {machine}"), RedisPacer::new(self.server.clone(), "one"));
        let mut held = None;
        for _ in 0..WRITES {
            self.gates.pass(&name, "locks").await;
            let Some(number) = pacer.lock(&self.name, held, LIFETIME).await.unwrap() else {
                let is_lost = held.is_some_and(|held| held < self.newest.get());
                assert_eq!(
                    is_lost,
                    held.is_some(),
                    "{name} has lost a lock that nobody else has had"
                );
                assert!(held.is_some() || self.holder.get().is_some(), "{name}: the page is free");
                self.lost.set(self.lost.get() + usize::from(is_lost));
                return;
            };
            match held {
                Some(held) => assert_eq!(number, held),
                None => {
                    assert!(number > self.newest.get(), "{number} is not a new number");
                    let other = self.holder.get().filter(|_| !self.has_ended.get());
                    assert_eq!(other, None, "{name} has the lock of another machine");
                }
            }
            assert!(
                number >= self.newest.get(),
                "{name} writes, and another machine has had the lock"
            );
            self.newest.set(number);
            self.holder.set(Some(machine));
            self.has_ended.set(false);
            held = Some(number);
            self.gates.pass(&name, "writes").await;
        }
        self.gates.pass(&name, "unlocks").await;
        let number = held.unwrap();
        pacer.unlock(&self.name, number).await;
        if self.newest.get() == number {
            self.holder.set(None);
        }
    }

    /// Ends the lease, as when its time has passed.
    async fn end_lease(&self, process: &RedisProcess) {
        self.gates.pass("time", "ends the lease").await;
        let key = format!("links:lock:{}", self.name);
        if self.holder.get().is_some() {
            process.command(&["HSET", &key, "until", "0"]);
            self.has_ended.set(true);
        }
    }
}

fn run(order: &mut Order, process: &RedisProcess, name: String) -> usize {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let (gates, server) = (Gates::default(), RedisServer::new(process.url()).unwrap());
        let (newest, holder, has_ended, lost) = Default::default();
        let page = LeasedPage { name, gates: &gates, server, newest, holder, has_ended, lost };
        let mut actors: Vec<_> =
            (1..=2).map(|it| Actor::new(format!("machine {it}"), page.write(it))).collect();
        actors.push(Actor::new("time", page.end_lease(process)));
        // Each actor is at a gate, unless it asks the server.
        order.run_asking(&gates, actors).await;
        page.lost.get()
    })
}

#[test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
fn a_machine_that_lost_its_lease_notices_before_it_writes() {
    let process = RedisProcess::start();
    let (pages, lost) = (Cell::new(0), Cell::new(0));
    let explored = explore(3, |order| {
        pages.set(pages.get() + 1);
        lost.set(lost.get() + run(order, &process, format!("page {}", pages.get())));
    });
    println!("leases: {explored}, {} lost", lost.get());
    assert!(lost.get() > 0);
}

#[test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
fn machines_that_share_a_server_renew_a_login_once() {
    let (authority, process) = (Authority::start(), RedisProcess::start());
    let store = || -> Arc<dyn CredentialStore> {
        redis_store(RedisServer::new(process.url()).unwrap(), "login", StoreKey::new([7; 32]))
    };
    let explored = explore(2, |order| {
        let need = NEEDS[order.choose(3)];
        Course::of(&authority, need, vec![store(), store()]).run(order);
    });
    println!("machines: {explored}");
}
