//! Handling of Ctrl-C. The program restores the terminal, reports what may have happened and ends by the signal, so that the shell loop
//! around it ends, too; work that has its own way to stop handles the first Ctrl-C itself.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use links_sdk::{Client, Outcome, WriteSummary, runs};
use tokio::sync::watch;

use crate::error::Exit;
use crate::error::{CommandError, carried_out};

/// Number of tasks that handle Ctrl-C themselves.
static SUPPRESSED: AtomicUsize = AtomicUsize::new(0);

/// Number of Ctrl-C that such tasks have got.
static INTERRUPTS: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// What has stopped this process last: [`NOTHING`], the end of its [`INPUT`], or a [`CTRL_C`].
static STOPPED_BY: AtomicUsize = AtomicUsize::new(NOTHING);
const NOTHING: usize = 0;
const INPUT: usize = 1;
const CTRL_C: usize = 2;

/// What is done last, before the program ends. Returns errors to report.
static LAST: OnceLock<fn() -> Vec<CommandError>> = OnceLock::new();

/// True while Ctrl-C ends the program.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Number of tasks that must not be interrupted, and whether the program exits after the last of them.
static DEFERRED: Mutex<(usize, bool)> = Mutex::new((0, false));

/// Callback that reports a Ctrl-C to the user: the error with which the program ends now, or none if it ends as soon as the tasks that must
/// not be interrupted have ended.
type StopReport = Box<dyn Fn(Option<CommandError>) + Send>;

static REPORT: Mutex<Option<StopReport>> = Mutex::new(None);

/// Client of the command, which counts the writes, and whether the command is one that writes.
static CLIENT: Mutex<Option<(Client, bool)>> = Mutex::new(None);

/// Set if Ctrl-C asked a task to stop that may complete all the same.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Callback that restores the terminal.
type Undo = Box<dyn Fn() + Send>;

static UNDO: Mutex<Vec<(usize, Undo)>> = Mutex::new(Vec::new());

/// Registers the handler of Ctrl-C, which is active when this returns: the signal never gets the default action, which would end the
/// program without a message.
///
/// # Errors
///
/// When the handler cannot be registered, or its thread cannot be started.
pub(crate) fn install() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signal = {
        let _inside = runtime.enter();
        signal()?
    };
    let waiting = move || {
        runtime.block_on(async {
            while signal.recv().await.is_some() {
                // The process that has started this one ends its input at the same Ctrl-C.
                if STOPPED_BY.swap(CTRL_C, Ordering::SeqCst) != INPUT {
                    interrupted();
                }
            }
        });
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting).map(drop)
}

/// Acts on a Ctrl-C.
fn interrupted() {
    if SUPPRESSED.load(Ordering::SeqCst) > 0 {
        INTERRUPTS.send_modify(|count| *count += 1);
    } else if ENDING.load(Ordering::SeqCst) {
        end_by_signal();
    } else if !defer_exit() {
        // The end can take some seconds, during which another Ctrl-C ends the program at once.
        ENDING.store(true, Ordering::SeqCst);
        if std::thread::Builder::new().spawn(end).is_err() {
            end();
        }
    }
}

/// Acts on the end of the input as on a Ctrl-C, unless there was one: the process that has started this one holds the other end of the input,
/// and may have been killed. If a Ctrl-C follows, both count as one. Nothing else may read the input.
///
/// # Errors
///
/// When the thread that waits for it cannot be started.
pub(crate) fn stop_with_input() -> io::Result<()> {
    let waiting = || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let first = STOPPED_BY.compare_exchange(NOTHING, INPUT, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_ok() {
            interrupted();
        }
    };
    std::thread::Builder::new().name("input".to_owned()).spawn(waiting).map(drop)
}

#[cfg(unix)]
fn signal() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

#[cfg(windows)]
fn signal() -> io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

/// Completes at the next Ctrl-C, in the turn of the runtime in which it arrives.
pub(crate) async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Sets the callback that reports a Ctrl-C to the user.
pub(crate) fn report_by(report: impl Fn(Option<CommandError>) + Send + 'static) {
    *lock(&REPORT) = Some(Box::new(report));
}

fn report(end: Option<CommandError>) {
    if let Some(report) = lock(&REPORT).as_ref() {
        report(end);
    }
}

/// Defers the exit if a task must not be interrupted and this is its first Ctrl-C. Returns false otherwise.
fn defer_exit() -> bool {
    let mut deferred = lock(&DEFERRED);
    let is_first = deferred.0 > 0 && !deferred.1;
    if is_first {
        deferred.1 = true;
        report(None);
    }
    is_first
}

/// Locks a mutex; what another thread left when it panicked is used.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has something done before Ctrl-C ends the program.
pub(crate) fn do_last(last: fn() -> Vec<CommandError>) {
    let _ = LAST.set(last);
}

/// Never returns if Ctrl-C is ending the program.
pub(crate) fn wait_for_end() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

fn end() {
    ENDING.store(true, Ordering::SeqCst);
    for (_, undo) in lock(&UNDO).iter() {
        undo();
    }
    for lost in LAST.get().map(|last| last()).unwrap_or_default() {
        report(Some(lost));
    }
    let of_client = |(client, writes): &(Client, bool)| (runs::end_writes(client), *writes);
    let (written, writes) = lock(&CLIENT).as_ref().map(of_client).unwrap_or_default();
    report(Some(stopped(&written, writes)));
    end_by_signal()
}

/// Records that Ctrl-C asked a task to stop, which may complete all the same.
pub(crate) fn stop_requested() {
    REQUESTED.store(true, Ordering::SeqCst);
}

/// Tells whether Ctrl-C asked a task to stop.
pub(crate) fn is_stop_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Tells whether Ctrl-C ended the command, or came while it completed: in both cases nothing that follows it in a loop is to run.
pub(crate) fn ends(exit: Exit) -> bool {
    exit == Exit::Interrupted || exit == Exit::Ok && is_stop_requested()
}

/// Ends the process as SIGINT does, which shells report as 130 and take as a reason to end the loop that the command is part of. Where there
/// are no signals the exit code is 130.
#[expect(clippy::exit, reason = "the main thread may be waiting for the user")]
pub(crate) fn end_by_signal() -> ! {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::signal::SIGINT);
    std::process::exit(Exit::Interrupted.code().into())
}

/// Error of a command stopped by Ctrl-C, after these writes. `writes` says that it is one that writes.
fn stopped(written: &WriteSummary, writes: bool) -> CommandError {
    let nothing = writes && written.outcome() == Outcome::NotExecuted;
    let text = if nothing { "stopped by Ctrl-C; nothing was written" } else { "stopped by Ctrl-C" };
    let failure = CommandError::new(Exit::Interrupted, text).after_writes(written);
    let hint = match (written.outcome(), carried_out(written)) {
        (Outcome::NotExecuted, _) => return failure,
        (Outcome::Unknown, _) => {
            "check whether the write that was in progress was applied".to_owned()
        }
        (Outcome::Executed, done) => {
            format!("changes made before Ctrl-C are kept: {}", done.unwrap_or_default())
        }
    };
    failure.with_hint(hint)
}

/// Sets the client whose writes the final message reports. `writes` says that the command is one that writes.
pub(crate) fn report_writes_of(client: Client, writes: bool) {
    *lock(&CLIENT) = Some((client, writes));
}

/// Guard that keeps Ctrl-C from ending the program until it is dropped.
#[derive(Debug)]
pub(crate) struct SuppressInterrupt {
    /// Number of Ctrl-C before it.
    before: usize,
}

impl SuppressInterrupt {
    pub(crate) fn new() -> Self {
        let before = *INTERRUPTS.borrow();
        SUPPRESSED.fetch_add(1, Ordering::SeqCst);
        Self { before }
    }

    /// Completes when there were this many Ctrl-C since the guard was created, whether before or after this is called.
    pub(crate) fn interrupts(&self, count: usize) -> impl Future<Output = ()> + use<> {
        let (mut interrupts, awaited) = (INTERRUPTS.subscribe(), self.before + count);
        async move {
            // The sender is never dropped.
            let _ = interrupts.wait_for(|count| *count >= awaited).await;
        }
    }

    /// Keeps Ctrl-C suppressed for the rest of the process, because the program is about to exit with a better message.
    pub(crate) fn end_soon(self) {
        std::mem::forget(self);
    }
}

impl Drop for SuppressInterrupt {
    fn drop(&mut self) {
        SUPPRESSED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Guard that defers the exit after the first Ctrl-C until it is dropped.
#[derive(Debug)]
pub(crate) struct DeferInterrupt(());

impl DeferInterrupt {
    pub(crate) fn new() -> Self {
        lock(&DEFERRED).0 += 1;
        Self(())
    }

    /// Returns whether a Ctrl-C was deferred.
    #[expect(clippy::unused_self, reason = "only while one is deferred")]
    pub(crate) fn is_asked(&self) -> bool {
        lock(&DEFERRED).1
    }
}

impl Drop for DeferInterrupt {
    fn drop(&mut self) {
        let mut deferred = lock(&DEFERRED);
        deferred.0 -= 1;
        let is_asked = deferred.0 == 0 && std::mem::take(&mut deferred.1);
        drop(deferred);
        // The program exits here, not in the signal thread, so that no other work begins.
        if is_asked && SUPPRESSED.load(Ordering::SeqCst) == 0 {
            end();
        }
    }
}

/// Guard that restores the terminal when it is dropped, or when the program exits before that.
#[derive(Debug)]
pub(crate) struct RestoreOnExit(usize);

impl RestoreOnExit {
    /// Registers `undo`, which is called once.
    pub(crate) fn new(undo: impl Fn() + Send + 'static) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&UNDO).push((number, Box::new(undo)));
        Self(number)
    }
}

impl Drop for RestoreOnExit {
    fn drop(&mut self) {
        let mut registered = lock(&UNDO);
        let nth = registered.iter().position(|(number, _)| *number == self.0);
        let undo = nth.map(|nth| registered.remove(nth).1);
        drop(registered);
        if let Some(undo) = undo {
            undo();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// Tells whether this process has a handler for Ctrl-C (signal 2) according to the kernel.
    fn is_caught() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").expect("the kernel tells it");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
        caught.expect("the kernel tells it") & 0b10 != 0
    }

    #[test]
    fn the_process_catches_ctrl_c_once_the_handler_is_installed() {
        assert!(!is_caught());
        assert!(super::install().is_ok());
        assert!(is_caught());
    }
}
