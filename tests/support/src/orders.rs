//! Explorer of orders: of the actors that stop at a gate, it chooses who goes on, in every order with a bounded number of switches.
//!
//! An actor is a future, which the explorer polls itself, or a thread that the product has started. Nothing but what was let through runs
//! until all actors have stopped again, so the same choices always give the same order. A failure names its choices, for [`replay`].

use std::any::Any;
use std::fmt::Write;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::unconstrained;

/// Variable with the number of random orders that are run in addition.
const MORE: &str = "LINKS_RACES";
/// Time after which an actor that waits for no gate waits for ever. It is virtual, where the time is paused.
const FOR_EVER: Duration = Duration::from_secs(2 * 60);
/// Number of steps after which an order has no end.
const ENDLESS: usize = 10_000;

/// Runs the test in each order with up to this many switches. Without one, an actor goes on for as long as it can, and then the first by its
/// name; to let another one go on, or to drop an actor, is a switch. With `LINKS_RACES=NUMBER`, as many random orders follow. Returns what was
/// explored.
///
/// # Panics
///
/// When the test panics. The message has the choices of the order, and its steps.
pub fn explore(switches: usize, test: impl Fn(&mut Order)) -> String {
    let (mut next, mut orders, mut steps) = (Some(Vec::new()), 0, 0);
    while let Some(choices) = next {
        let order = run(Order::new(choices, None), &test);
        next = order.successor(switches);
        (orders, steps) = (orders + 1, steps + order.steps.len());
    }
    let more = std::env::var(MORE).ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    for seed in 0..more {
        steps += run(Order::new(Vec::new(), Some(seed)), &test).steps.len();
    }
    format!("{orders} orders with up to {switches} switches, {more} random ones, {steps} steps")
}

/// Runs the test in the order of these choices, as a failure has named them.
pub fn replay(choices: &[usize], test: impl Fn(&mut Order)) {
    run(Order::new(choices.to_vec(), None), &test);
}

fn run(mut order: Order, test: &impl Fn(&mut Order)) -> Order {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(&mut order))) {
        let choices: Vec<usize> = order.made.iter().map(|it| it.chosen).collect();
        let mut steps = String::new();
        for step in &order.steps {
            let _ = writeln!(steps, "  {step}");
        }
        panic!("{}\nin the order {choices:?}:\n{steps}", message(&*panic));
    }
    order
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

/// One order: the choices that were made, and those that are to be made.
#[derive(Debug)]
pub struct Order {
    prescribed: Vec<usize>,
    /// State of the random numbers for choices that are not prescribed; the first option without it.
    random: Option<u64>,
    made: Vec<Choice>,
    steps: Vec<String>,
}

#[derive(Debug)]
struct Choice {
    chosen: usize,
    /// The number of switches that each option counts as.
    costs: Vec<usize>,
}

impl Choice {
    fn cost(&self) -> usize {
        self.costs[self.chosen]
    }
}

impl Order {
    fn new(prescribed: Vec<usize>, seed: Option<u64>) -> Self {
        let random = seed.map(|seed| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Self { prescribed, random, made: Vec::new(), steps: Vec::new() }
    }

    /// Chooses one of several options with these costs.
    fn pick(&mut self, costs: Vec<usize>) -> usize {
        let random = self.random.as_mut().map(|state| {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            usize::try_from(*state % costs.len() as u64).unwrap()
        });
        let chosen = self.prescribed.get(self.made.len()).copied().or(random).unwrap_or(0);
        assert!(chosen < costs.len(), "the order is not one of this test any more");
        self.made.push(Choice { chosen, costs });
        chosen
    }

    /// Chooses one of this many courses of the test; each is one order more, whatever its number of switches.
    pub fn choose(&mut self, courses: usize) -> usize {
        let chosen = self.pick(vec![0; courses]);
        self.steps.push(format!("course {chosen}"));
        chosen
    }

    /// Returns the choices of the next order: the last choice that has another option within the bound is made in another way.
    fn successor(&self, switches: usize) -> Option<Vec<usize>> {
        (0..self.made.len()).rev().find_map(|last| {
            let spent: usize = self.made[..last].iter().map(Choice::cost).sum();
            let Choice { chosen, costs } = &self.made[last];
            let other = (chosen + 1..costs.len()).find(|it| spent + costs[*it] <= switches)?;
            Some(self.made[..last].iter().map(|it| it.chosen).chain([other]).collect())
        })
    }

    /// Runs the actors until all have ended. `settled` lets go on what is not polled here, and returns whether it has stopped.
    ///
    /// # Panics
    ///
    /// When an actor would wait for ever.
    pub async fn run(
        &mut self,
        gates: &Gates,
        mut actors: Vec<Actor<'_>>,
        settled: impl AsyncFn() -> bool,
    ) {
        let _closed = ClosedAtEnd(gates);
        let mut last = String::new();
        loop {
            for actor in &mut actors {
                actor.run_woken();
            }
            if !settled().await || actors.iter().any(Actor::is_woken) {
                continue;
            }
            assert!(self.steps.len() < ENDLESS, "the order has no end");
            let ready = gates.ready(&last);
            let mut costs: Vec<usize> = (0..ready.len()).map(|nth| nth.min(1)).collect();
            let running = actors.iter_mut().filter(|it| it.is_running());
            if costs.is_empty() {
                let mut running = running.map(|it| &*it.name).collect::<Vec<_>>().join(", ");
                if running.is_empty() {
                    return;
                }
                let _ = write!(running, "; at gates: {gates:?}");
                until_woken(&actors, &running).await;
                continue;
            }
            let mut droppable: Vec<_> = running.filter(|it| it.is_droppable).collect();
            costs.extend(vec![1; droppable.len()]);
            let chosen = self.pick(costs);
            if let Some((actor, step)) = ready.get(chosen) {
                self.steps.push(format!("{actor}: {step}"));
                last.clone_from(actor);
                gates.open(actor);
            } else {
                let dropped = droppable.swap_remove(chosen - ready.len());
                self.steps.push(format!("{}: dropped", dropped.name));
                dropped.future = None;
            }
        }
    }
}

impl Order {
    /// Runs actors that do nothing else between two gates than to ask a server, in a runtime whose time is not paused.
    pub async fn run_asking(&mut self, gates: &Gates, actors: Vec<Actor<'_>>) {
        let running = Rc::new(());
        let counted = actors.into_iter().map(|actor| {
            let running = running.clone();
            let Actor { name, future, is_droppable, .. } = actor;
            let counted = Actor::new(name, async move {
                future.unwrap().await;
                drop(running);
            });
            Actor { is_droppable, ..counted }
        });
        let counted = counted.collect();
        let settled = async || {
            tokio::task::yield_now().await;
            gates.stopped() == Rc::strong_count(&running) - 1
        };
        self.run(gates, counted, settled).await;
    }
}

/// Waits until an actor is woken, such as by a timer.
async fn until_woken(actors: &[Actor<'_>], running: &str) {
    let woken = poll_fn(|context| {
        for actor in actors {
            actor.woken.root(context.waker());
        }
        if actors.iter().any(Actor::is_woken) { Poll::Ready(()) } else { Poll::Pending }
    });
    let woken = tokio::time::timeout(FOR_EVER, woken).await;
    assert!(woken.is_ok(), "they wait for ever: {running}");
}

/// Lets another actor go on, if this one stops before each poll.
pub async fn give_way() {
    let mut has_given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns a runtime whose time passes when everything waits.
pub fn paused_runtime() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// A future of an order.
pub struct Actor<'a> {
    name: String,
    future: Option<Pin<Box<dyn Future<Output = ()> + 'a>>>,
    woken: Arc<Woken>,
    is_droppable: bool,
}

impl<'a> Actor<'a> {
    /// Returns an actor that stops at gates of its own.
    pub fn new(name: impl Into<String>, future: impl Future<Output = ()> + 'a) -> Self {
        let (name, woken) = (name.into(), Arc::new(Woken::default()));
        Self { name, future: Some(Box::pin(unconstrained(future))), woken, is_droppable: false }
    }

    /// Returns an actor that stops before each poll.
    pub fn polled(
        name: impl Into<String>,
        gates: &'a Gates,
        future: impl Future<Output = ()> + 'a,
    ) -> Self {
        let (name, mut future) = (name.into(), Box::pin(future));
        let (actor, mut gate) = (name.clone(), None);
        let each_poll = poll_fn(move |context| {
            let gate_now = gate.get_or_insert_with(|| gates.park(&actor, "goes on", false, None));
            let _ = ready!(Pin::new(gate_now).poll(context));
            gate = None;
            future.as_mut().poll(context)
        });
        Self::new(name, each_poll)
    }

    /// Lets the order drop the future at any step.
    pub fn drop_anywhere(&mut self) {
        self.is_droppable = true;
    }

    /// Returns whether the future has neither ended nor been dropped.
    fn is_running(&self) -> bool {
        self.future.is_some()
    }

    fn is_woken(&self) -> bool {
        self.is_running() && self.woken.is_woken.load(Ordering::SeqCst)
    }

    fn run_woken(&mut self) {
        while self.is_woken() {
            self.woken.is_woken.store(false, Ordering::SeqCst);
            let waker = Waker::from(self.woken.clone());
            let future = self.future.as_mut().unwrap().as_mut();
            if future.poll(&mut Context::from_waker(&waker)).is_ready() {
                self.future = None;
            }
        }
    }
}

struct Woken {
    is_woken: AtomicBool,
    root: Mutex<Waker>,
}

impl Default for Woken {
    fn default() -> Self {
        Self { is_woken: AtomicBool::new(true), root: Mutex::new(Waker::noop().clone()) }
    }
}

impl Woken {
    fn root(&self, waker: &Waker) {
        self.root.lock().unwrap().clone_from(waker);
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        self.root.lock().unwrap().wake_by_ref();
    }
}

/// The gates at which the actors of an order stop. Clones are the same gates.
#[derive(Clone, Default)]
pub struct Gates(Arc<Mutex<GateState>>);

#[derive(Default)]
struct GateState {
    parked: Vec<Parked>,
    is_closed: bool,
}

/// An actor that has stopped.
struct Parked {
    actor: String,
    step: String,
    is_thread: bool,
    /// Returns whether it can go on.
    when: Option<Box<dyn Fn() -> bool + Send>>,
    opened: oneshot::Sender<()>,
}

impl Gates {
    /// Stops a future before this step.
    pub async fn pass(&self, actor: &str, step: &str) {
        let _ = self.park(actor, step, false, None).await;
    }

    /// Stops a future until something is so.
    pub async fn pass_when(
        &self,
        actor: &str,
        step: &str,
        when: impl Fn() -> bool + Send + 'static,
    ) {
        let _ = self.park(actor, step, false, Some(Box::new(when))).await;
    }

    /// Stops a thread before this step.
    pub fn block(&self, actor: &str, step: &str) {
        self.block_until(actor, step, || true);
    }

    /// Stops a thread until something is so.
    pub fn block_until(&self, actor: &str, step: &str, when: impl Fn() -> bool + Send + 'static) {
        let _ = self.park(actor, step, true, Some(Box::new(when))).blocking_recv();
    }

    /// Returns the number of threads that have stopped.
    pub fn stopped_threads(&self) -> usize {
        self.state().parked.iter().filter(|it| it.is_thread).count()
    }

    /// Returns the number of futures that have stopped.
    fn stopped(&self) -> usize {
        self.state().parked.iter().filter(|it| !it.is_thread && !it.opened.is_closed()).count()
    }

    fn park(
        &self,
        actor: &str,
        step: &str,
        is_thread: bool,
        when: Option<Box<dyn Fn() -> bool + Send>>,
    ) -> oneshot::Receiver<()> {
        let (opened, gate) = oneshot::channel();
        let mut state = self.state();
        if !state.is_closed {
            let (actor, step) = (actor.to_owned(), step.to_owned());
            state.parked.push(Parked { actor, step, is_thread, when, opened });
        }
        gate
    }

    /// Returns the actors that can go on, in the order of their names, but first the last one.
    fn ready(&self, last: &str) -> Vec<(String, String)> {
        let mut state = self.state();
        state.parked.retain(|it| !it.opened.is_closed());
        let ready = state.parked.iter().filter(|it| it.when.as_ref().is_none_or(|when| when()));
        let mut ready: Vec<_> =
            ready.map(|it| (it.actor != last, it.actor.clone(), it.step.clone())).collect();
        ready.sort();
        ready.into_iter().map(|(_, actor, step)| (actor, step)).collect()
    }

    fn open(&self, actor: &str) {
        let mut state = self.state();
        let at = state.parked.iter().position(|it| it.actor == actor).unwrap();
        let _ = state.parked.remove(at).opened.send(());
    }

    fn state(&self) -> MutexGuard<'_, GateState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Gates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.state();
        f.debug_list().entries(state.parked.iter().map(|it| (&it.actor, &it.step))).finish()
    }
}

/// Lets all threads go on that still stand at a gate.
struct ClosedAtEnd<'a>(&'a Gates);

impl Drop for ClosedAtEnd<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        (state.is_closed, state.parked) = (true, Vec::new());
    }
}
