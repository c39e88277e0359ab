//! Tests of two runners that apply one file at the same moment, without a lock between them: they send the same keys, so the service
//! creates each slot once.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use links_fixtures::{Choices, ContractServer, World};
use links_pages::apply::{ApplyCause, ApplyError, DesiredPage, LockError, PlanOptions};
use links_sdk::{
    Bucket, Client, Clock, NotAdmitted, Pacer, PacerError, PacerFuture, PacerNote, ProfileId,
    ProfileKey, SlotId, Ticket, Token,
};
use links_test_support::clock::shared_clock;
use links_test_support::proxy::Proxy;
use serde_json::json;
use tokio::sync::Notify;

use crate::recorded_run::{self, RunResult};

pub(crate) const PAGE: ProfileId = ProfileId::new(101);

/// Pacer that stops its client before a request, until it is opened.
#[derive(Debug, Default)]
struct Gate {
    asked: AtomicUsize,
    /// Number of requests that pass.
    passing: AtomicUsize,
    reached: Notify,
    opened: Notify,
    /// Locks that several machines share, as a Redis server keeps them.
    locks: Option<Arc<Locks>>,
}

/// The lock of the only page.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    is_away: AtomicBool,
    last: AtomicU64,
    is_held: AtomicBool,
}

impl Locks {
    pub(crate) fn lock(&self, held: Option<u64>) -> Result<Option<u64>, PacerError> {
        if self.is_away.load(Ordering::Relaxed) {
            return Err(PacerError::new("cannot use the server to lock the page: it is away"));
        }
        match held {
            Some(number) => Ok(Some(number).filter(|it| *it == self.last.load(Ordering::Relaxed))),
            None if self.is_held.swap(true, Ordering::Relaxed) => Ok(None),
            None => Ok(Some(self.last.fetch_add(1, Ordering::Relaxed) + 1)),
        }
    }

    pub(crate) fn unlock(&self, held: u64) {
        if self.last.load(Ordering::Relaxed) == held {
            self.expire();
        }
    }

    /// Ends the lock, as after its lifetime.
    pub(crate) fn expire(&self) {
        self.is_held.store(false, Ordering::Relaxed);
    }
}

impl Gate {
    fn open(&self) {
        self.passing.store(usize::MAX, Ordering::Relaxed);
        self.opened.notify_one();
    }
}

impl Pacer for Gate {
    fn admit<'a>(
        &'a self,
        _: Bucket,
        _: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(async move {
            let nth = self.asked.fetch_add(1, Ordering::Relaxed);
            if nth >= self.passing.load(Ordering::Relaxed) {
                self.reached.notify_one();
                self.opened.notified().await;
            }
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

/// A service whose page has three slots.
pub(crate) async fn service() -> ContractServer {
    let mut account = World::cafe().into_account();
    let text = |id, title: &str| {
        let data = [("title".to_owned(), json!(title))].into_iter().collect();
        links_fixtures::Slot::new(id, "text", data)
    };
    account.profiles[0].slots = vec![text(1, "Old"), text(2, "Stays"), text(3, "Goes")];
    let builder = ContractServer::builder(World::of(account)).clock(shared_clock().1);
    builder.no_limits().choices(Choices::default()).start().await.unwrap()
}

/// A machine: a client that reaches the service by a name of its own, so no turn of this process excludes the others.
struct Machine {
    gate: Arc<Gate>,
    client: Client,
    _proxy: Arc<Proxy>,
}

impl Machine {
    /// Returns a machine that stops before its n-th request.
    fn new(server: &ContractServer, passing: usize) -> Self {
        Self::sharing(server, passing, None)
    }

    /// Returns one that shares locks with others.
    fn sharing(server: &ContractServer, passing: usize, locks: Option<Arc<Locks>>) -> Self {
        let (gate, proxy) = (Arc::new(Gate { locks, ..Gate::default() }), Proxy::before(server));
        gate.passing.store(passing, Ordering::Relaxed);
        let builder = Client::builder(proxy.base_url());
        let builder = builder.token(Token::new(server.token()).unwrap()).clock(shared_clock().0);
        Self { client: builder.pacer(gate.clone()).build().unwrap(), gate, _proxy: proxy }
    }

    async fn apply(&self, file: &DesiredPage) -> RunResult {
        let options = PlanOptions { prune: true, ..PlanOptions::default() };
        let (key, mut watch) = (ProfileKey::Id(PAGE), |_| ControlFlow::Continue(()));
        recorded_run::apply(&self.client, &key, file, &options, None, &mut watch).await
    }
}

/// Returns the writes that the service got.
fn writes(server: &ContractServer) -> Vec<&'static str> {
    let operations = server.requests().into_iter().filter_map(|request| request.operation);
    operations.filter(|it| !it.starts_with("get") && !it.starts_with("list")).collect()
}

pub(crate) fn is_lock(result: &RunResult, is_expected: impl Fn(&LockError) -> bool) -> bool {
    let cause = result.result.as_ref().err().map(ApplyError::cause);
    matches!(cause, Some(ApplyCause::Lock(error)) if is_expected(error))
}

fn text(title: &str) -> serde_json::Value {
    json!({"type": "text", "data": {"title": title}})
}

/// A file that updates, creates and deletes, and needs another order unless it `appends`.
pub(crate) fn file(appends: bool) -> DesiredPage {
    let old = json!({"id": 1, "type": "text", "data": {"title": "Updated"}});
    let stays = json!({"id": 2, "type": "text", "data": {"title": "Stays"}});
    let items = if appends {
        json!([old, stays, text("New"), text("Newer")])
    } else {
        json!([text("New"), old, text("Newer"), stays])
    };
    serde_json::from_value(json!({ "slots": items })).unwrap()
}

pub(crate) fn titles(server: &ContractServer) -> Vec<String> {
    let account = server.account();
    let title = |slot: &links_fixtures::Slot| slot.data["title"].as_str().unwrap().to_owned();
    account.profiles[0].slots.iter().map(title).collect()
}

pub(crate) fn count(server: &ContractServer, title: &str) -> usize {
    titles(server).iter().filter(|it| *it == title).count()
}

/// Applies a file on two machines at once: the first until it is stopped, then the second, then both to their ends.
async fn at_once(machines: &[Machine; 2], file: &DesiredPage) -> Vec<RunResult> {
    let mut runs = machines.iter().map(|machine| Box::pin(machine.apply(file)));
    let (mut one, mut two) = (runs.next().unwrap(), runs.next().unwrap());
    let (mut first, mut second) = (None, None);
    tokio::select! {
        biased;
        result = &mut one => first = Some(result),
        () = machines[0].gate.reached.notified() => {}
    }
    tokio::select! {
        biased;
        result = &mut two => second = Some(result),
        () = machines[1].gate.reached.notified() => {}
    }
    for machine in machines {
        machine.gate.open();
    }
    let first = if let Some(result) = first { result } else { one.await };
    let second = if let Some(result) = second { result } else { two.await };
    vec![first, second]
}

fn pauses(most: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..most).flat_map(move |first| (0..most).map(move |second| [first, second]))
}

#[tokio::test]
async fn two_runners_create_once_wherever_each_of_them_pauses() {
    let (mut histories, mut most) = (0, 0);
    for appends in [false, true] {
        let file = file(appends);
        for paused in pauses(9) {
            let server = service().await;
            let machines = paused.map(|passing| Machine::new(&server, passing));
            let results = at_once(&machines, &file).await;
            let history = format!("{appends}, {paused:?}: {:?}, {results:?}", titles(&server));
            assert_eq!((count(&server, "New"), count(&server, "Newer")), (1, 1), "{history}");
            assert!(results.iter().any(|it| it.result.is_ok()), "{history}");
            let last = Machine::new(&server, usize::MAX).apply(&file).await;
            assert!(last.done.created.is_empty(), "{history}");
            let expected = if appends {
                ["Updated", "Stays", "New", "Newer"]
            } else {
                ["New", "Updated", "Newer", "Stays"]
            };
            assert_eq!(titles(&server), expected, "{history}");
            histories += 1;
            most = most.max(machines[0].gate.asked.load(Ordering::Relaxed));
        }
    }
    println!("{histories} histories, with up to {most} requests of a machine");
    assert!(most < 9, "each machine was paused before each request: {most}");
}

#[tokio::test]
async fn slots_that_were_deleted_within_a_day_are_created_again() {
    for appends in [false, true] {
        let (server, file) = (service().await, file(appends));
        let before = server.account().profiles[0].slots.clone();
        let mut ids = BTreeSet::new();
        for nth in 0..8 {
            server.edit(|account| account.profiles[0].slots.clone_from(&before));
            let end = Machine::new(&server, usize::MAX).apply(&file).await;
            end.result.unwrap();
            let found = ["New", "Newer", "Goes"].map(|title| count(&server, title));
            assert_eq!(found, [1, 1, 0], "{nth}");
            let page = server.account().profiles[0].slots.clone();
            let on_page = |id: &SlotId| page.iter().any(|slot| id.get().unsigned_abs() == slot.id);
            assert!(end.done.created.values().all(on_page), "{:?}", end.done);
            ids.extend(end.done.created.into_values());
        }
        assert_eq!(ids.len(), 16, "each time other slots");
    }
}

#[tokio::test]
async fn two_runners_whose_slots_were_deleted_within_a_day_create_them_once() {
    for appends in [false, true] {
        for paused in pauses(12) {
            let (server, file) = (service().await, file(appends));
            let before = server.account().profiles[0].slots.clone();
            Machine::new(&server, usize::MAX).apply(&file).await.result.unwrap();
            server.edit(|account| account.profiles[0].slots.clone_from(&before));
            let machines = paused.map(|passing| Machine::new(&server, passing));
            let results = at_once(&machines, &file).await;
            let history = format!("{appends}, {paused:?}: {:?}, {results:?}", titles(&server));
            assert_eq!((count(&server, "New"), count(&server, "Newer")), (1, 1), "{history}");
        }
    }
}

#[tokio::test]
async fn with_a_shared_lock_one_runner_at_a_time_writes() {
    let mut refused = 0;
    for appends in [false, true] {
        for paused in pauses(9) {
            let (server, locks) = (service().await, Arc::new(Locks::default()));
            let machines =
                paused.map(|passing| Machine::sharing(&server, passing, Some(locks.clone())));
            let results = at_once(&machines, &file(appends)).await;
            let history = format!("{appends}, {paused:?}: {:?}, {results:?}", writes(&server));
            for result in &results {
                // The other one had written before this one had the lock, or was writing.
                let is_refused = is_lock(result, |it| matches!(it, LockError::Elsewhere));
                let is_changed = matches!(&result.result, Err(error)
                    if matches!(error.cause(), ApplyCause::Changed(..)) && result.done.is_nothing());
                assert!(result.result.is_ok() || is_refused || is_changed, "{history}");
                refused += usize::from(is_refused);
            }
            assert_eq!(
                writes(&server).iter().filter(|it| **it == "createSlots").count(),
                1,
                "{history}"
            );
            assert!(!locks.is_held.load(Ordering::Relaxed), "{history}");
        }
    }
    assert!(refused > 20, "{refused}");
}

#[tokio::test]
async fn a_runner_that_lost_its_lock_writes_nothing_more() {
    let mut lost = 0;
    for passing in 1..6 {
        let (server, locks, file) = (service().await, Arc::new(Locks::default()), file(false));
        let machine = |passing| Machine::sharing(&server, passing, Some(locks.clone()));
        let machines = [machine(passing), machine(usize::MAX)];
        let mut paused = Box::pin(machines[0].apply(&file));
        tokio::select! {
            result = &mut paused => panic!("{result:?}"),
            () = machines[0].gate.reached.notified() => {}
        }
        let before = writes(&server).len();
        locks.expire();
        machines[1].apply(&file).await.result.unwrap();
        let others = writes(&server).len();
        machines[0].gate.open();
        let result = paused.await;
        // The request before which it paused had the lock when it was about to be sent.
        let further = writes(&server).len() - others;
        assert!(further <= 1, "{passing}: {before}, {others}: {:?}", writes(&server));
        assert_eq!((count(&server, "New"), count(&server, "Newer")), (1, 1), "{passing}");
        lost += usize::from(is_lock(&result, |it| matches!(it, LockError::Lost)));
    }
    assert!(lost >= 2, "{lost}");
}

#[tokio::test]
async fn without_the_server_of_the_locks_nothing_more_is_written() {
    let mut stopped = 0;
    for passing in 0..6 {
        let (server, locks, file) = (service().await, Arc::new(Locks::default()), file(false));
        let machine = Machine::sharing(&server, passing, Some(locks.clone()));
        let mut paused = Box::pin(machine.apply(&file));
        tokio::select! {
            result = &mut paused => panic!("{result:?}"),
            () = machine.gate.reached.notified() => {}
        }
        locks.is_away.store(true, Ordering::Relaxed);
        let before = writes(&server).len();
        machine.gate.open();
        let result = paused.await;
        assert!(writes(&server).len() - before <= 1, "{passing}: {:?}", writes(&server));
        stopped += usize::from(is_lock(&result, |it| matches!(it, LockError::Unreachable(_))));
        locks.is_away.store(false, Ordering::Relaxed);
        locks.expire();
        let again = Machine::sharing(&server, usize::MAX, Some(locks)).apply(&file).await;
        again.result.unwrap();
        assert_eq!(titles(&server), ["New", "Updated", "Newer", "Stays"], "{passing}");
    }
    assert!(stopped >= 4, "{stopped}");
}
