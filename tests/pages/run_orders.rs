//! Orders of the requests of two machines that apply one file, with and without a lock that they share, where a run may be dropped and the
//! lock may end at any request: each slot is created once, and the next run completes the page.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use links_pages::apply::{LockError, PlanOptions};
use links_sdk::{
    Bucket, Client, Clock, NotAdmitted, Pacer, PacerError, PacerFuture, PacerNote, ProfileKey,
    Ticket, Token,
};
use links_test_support::clock::shared_clock;
use links_test_support::orders::{Actor, Gates, Order, explore};
use links_test_support::proxy::Proxy;
use tokio::runtime::Builder;

use crate::recorded_run::{self, RunResult};
use crate::two_runners::{Locks, PAGE, count, file, is_lock, service, titles};

/// Pacer that stops its machine before each request.
#[derive(Debug)]
struct GatedPacer {
    machine: &'static str,
    gates: Gates,
    locks: Option<Arc<Locks>>,
}

impl Pacer for GatedPacer {
    fn admit<'a>(
        &'a self,
        _: Bucket,
        _: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(async {
            self.gates.pass(self.machine, "sends").await;
            Ok(Ticket(0))
        })
    }

    fn note<'a>(&'a self, _: PacerNote, _: &'a dyn Clock) -> PacerFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn lock<'a>(
        &'a self,
        _: &'a str,
        held: Option<u64>,
        _: Duration,
    ) -> PacerFuture<'a, Result<Option<u64>, PacerError>> {
        let locked = self.locks.as_ref().map_or(Ok(Some(0)), |locks| locks.lock(held));
        Box::pin(std::future::ready(locked))
    }

    fn unlock<'a>(&'a self, _: &'a str, held: u64) -> PacerFuture<'a, ()> {
        if let Some(locks) = &self.locks {
            locks.unlock(held);
        }
        Box::pin(std::future::ready(()))
    }
}

/// Runs both machines, and returns how many of them have lost their lock.
fn run(order: &mut Order, has_locks: bool, drops: bool) -> usize {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let (server, file, gates) = (service().await, file(order.choose(2) == 1), Gates::default());
        let locks = has_locks.then(Arc::<Locks>::default);
        // Each reaches the service by a name of its own, so no turn of this process excludes the others.
        let proxies = [(); 3].map(|()| Proxy::before(&server));
        let client = |machine: &'static str, nth: usize| {
            let pacer = GatedPacer { machine, gates: gates.clone(), locks: locks.clone() };
            let builder = Client::builder(proxies[nth].base_url()).clock(shared_clock().0);
            let builder = builder.token(Token::new(server.token()).unwrap());
            builder.pacer(Arc::new(pacer)).build().unwrap()
        };
        let apply = async |client: Client| -> RunResult {
            let options = PlanOptions { prune: true, ..PlanOptions::default() };
            let (key, mut watch) = (ProfileKey::Id(PAGE), |_| ControlFlow::Continue(()));
            recorded_run::apply(&client, &key, &file, &options, None, &mut watch).await
        };
        let results = RefCell::new(Vec::new());
        let machine = |name: &'static str, nth| {
            let (client, results, apply) = (client(name, nth), &results, &apply);
            Actor::new(name, async move {
                let result = apply(client).await;
                results.borrow_mut().push(result);
            })
        };
        let mut actors = vec![machine("machine 1", 0), machine("machine 2", 1)];
        if drops {
            actors[0].drop_anywhere();
        }
        if let Some(locks) = &locks {
            actors.push(Actor::new("time", async {
                gates.pass("time", "ends the lock").await;
                locks.expire();
            }));
        }
        order.run_asking(&gates, actors).await;
        let results = results.into_inner();
        let history = format!("{:?}, {results:?}", titles(&server));
        for title in ["New", "Newer"] {
            assert!(count(&server, title) < 2, "{history}");
        }
        assert!(drops || has_locks || results.iter().any(|it| it.result.is_ok()), "{history}");
        // The gates are open.
        if let Some(locks) = &locks {
            locks.expire();
        }
        apply(client("machine 3", 2)).await.result.unwrap();
        for title in ["New", "Newer", "Updated", "Stays"] {
            assert_eq!(count(&server, title), 1, "{history}");
        }
        assert_eq!(titles(&server).len(), 4, "{history}");
        results.iter().filter(|it| is_lock(it, |why| matches!(why, LockError::Lost))).count()
    })
}

#[test]
fn two_machines_create_each_slot_once_in_each_order_of_their_requests() {
    for (has_locks, drops, switches) in [(false, false, 2), (true, false, 1), (true, true, 1)] {
        let lost = Cell::new(0);
        let explored = explore(switches, |order| {
            lost.set(lost.get() + run(order, has_locks, drops));
        });
        let lost = lost.get();
        println!(
            "machines, with a lock: {has_locks}, dropped: {drops}: {explored}, {lost} locks lost"
        );
    }
}
