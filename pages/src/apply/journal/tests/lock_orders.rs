//! Orders of runs on one page, two in one process and one in another, each of which may be dropped: one at a time holds the page, and each
//! is told if another one has written since it read.

use std::cell::Cell;

use links_test_support::orders::{Actor, Gates, Order, explore};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use super::*;
use crate::apply::page_turns::{PageTurn, ended_turns};

/// A page on which several runs write.
struct SharedPage<'a> {
    env: &'a JournalEnv,
    gates: &'a Gates,
    /// Changes with each write.
    version: Cell<u32>,
    is_held: Cell<bool>,
    finished: Cell<usize>,
    /// Set if journals are kept. Without them, runs of one process exclude each other.
    has_journal: bool,
}

/// Marks the page as held until this is dropped.
struct HeldPage<'a>(&'a Cell<bool>);

impl<'a> HeldPage<'a> {
    fn of(is_held: &'a Cell<bool>) -> Self {
        assert!(!is_held.replace(true), "two runs hold the page");
        Self(is_held)
    }
}

impl Drop for HeldPage<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl SharedPage<'_> {
    /// Runs as `Run::open` and `OpenPage` do: marks, a read, the turn and the lock, another read if it is needed, a journal, a write.
    async fn run(&self, name: &str, process: &str) {
        let Self { env, gates, version, .. } = self;
        gates.pass(name, "begins").await;
        let (turns, runs) = (ended_turns(), env.runs.clone());
        let mark = runs.mark();
        gates.pass(name, "reads").await;
        let read = version.get();
        gates.pass(name, "locks").await;
        let turn = PageTurn::take((process.to_owned(), 101.into()), true).await.unwrap();
        let lock =
            if self.has_journal { Some(runs.lock_when_free(true).await.unwrap()) } else { None };
        let held = HeldPage::of(&self.is_held);
        let was_awaited = lock.as_ref().is_some_and(|it| it.was_awaited);
        let is_told = !turn.is_first_since(turns) || was_awaited || runs.mark() != mark;
        assert!(is_told || version.get() == read, "{name} does not know of the other run");
        gates.pass(name, "opens a journal").await;
        let options = PlanOptions::default();
        let header = RunHeader::new(SERVICE, &env.page, &env.file, &options);
        let mut journal = lock.map(|lock| env.begin(lock, header));
        gates.pass(name, "writes").await;
        version.set(version.get() + 1);
        gates.pass(name, "commits").await;
        if let Some(journal) = &mut journal {
            journal.commit(2);
        }
        gates.pass(name, "ends").await;
        drop((held, journal, turn));
        self.finished.set(self.finished.get() + 1);
    }
}

fn run_orders(order: &mut Order, drops: bool) {
    // One thread that may block: when it is free, all that was to be done there is done.
    let mut builder = Builder::new_current_thread();
    let builder = builder.enable_all().start_paused(true).max_blocking_threads(1);
    builder.build().unwrap().block_on(async {
        let (mut env, gates) = (JournalEnv::new(), Gates::default());
        // In memory where that is possible, because each journal is synced several times.
        if let Ok(state) = tempfile::tempdir_in("/dev/shm") {
            (env.runs, env.state) = (JournalStore::of(state.path(), SERVICE, 101), state);
        }
        let (version, is_held, finished) = Default::default();
        let has_journal = order.choose(2) == 1;
        let page = SharedPage { env: &env, gates: &gates, version, is_held, finished, has_journal };
        let actor =
            |name: &'static str, process: &'static str| Actor::new(name, page.run(name, process));
        let other = if has_journal { "b" } else { "a" };
        let mut actors = vec![actor("run 1", "a"), actor("run 2", "a"), actor("run 3", other)];
        if drops {
            actors[..2].iter_mut().for_each(Actor::drop_anywhere);
        }
        let settled = async || spawn_blocking(|| true).await.unwrap();
        order.run(&gates, actors, settled).await;
        assert!(page.finished.get() == 3 || drops && page.finished.get() > 0);
        assert!(env.runs.lock().is_ok(), "the page is still locked");
    });
}

#[test]
fn one_run_at_a_time_holds_a_page_and_knows_of_those_before_it() {
    for (drops, switches) in [(false, 2), (true, 1)] {
        let explored = explore(switches, |order| run_orders(order, drops));
        println!("runs, dropped: {drops}: {explored}");
    }
}
