//! Ctrl-C. The program ends at once with its own exit code, gives the terminal back as it was, and says what may have happened; work
//! that ends better by itself looks after the first Ctrl-C.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use links_sdk::{Client, Outcome, WriteSummary};

use crate::error::exit_code::Exit;
use crate::error::{CommandError, carried_out};

/// How many pieces of work look after it themselves.
static TENDED: AtomicUsize = AtomicUsize::new(0);

/// Number of pieces of work that are not to be broken off, and whether the program ends after the last of them.
static UNBROKEN: Mutex<(usize, bool)> = Mutex::new((0, false));

/// What the person has to be told of a Ctrl-C.
pub(crate) enum Interrupt {
    /// The program ends as soon as the work that must not be broken off has ended.
    Deferred,
    /// The program ends now, for this reason.
    Ended(Box<CommandError>),
}

/// Tells the person.
type Report = Box<dyn Fn(Interrupt) + Send>;

static REPORT: Mutex<Option<Report>> = Mutex::new(None);

/// Client of the command, which knows what was written.
static CLIENT: Mutex<Option<Client>> = Mutex::new(None);

/// Gives the terminal back.
type Undo = Box<dyn Fn() + Send>;

static UNDO: Mutex<Vec<(usize, Undo)>> = Mutex::new(Vec::new());

/// Registers the handler of Ctrl-C, which is in force when this returns: the signal is never left to the default action, which would
/// end the program without a word.
///
/// # Errors
///
/// When the handler cannot be registered, or nothing could wait for the signal.
pub(crate) fn install() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signal = {
        let _inside = runtime.enter();
        signal()?
    };
    let waiting = move || {
        runtime.block_on(async {
            while signal.recv().await.is_some() {
                if TENDED.load(Ordering::SeqCst) == 0 && !is_put_off() {
                    end();
                }
            }
        });
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting).map(drop)
}

#[cfg(unix)]
fn signal() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

#[cfg(windows)]
fn signal() -> io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

/// Sets how the person is told of a Ctrl-C.
pub(crate) fn report_by(report: impl Fn(Interrupt) + Send + 'static) {
    *lock(&REPORT) = Some(Box::new(report));
}

fn report(interrupt: Interrupt) {
    if let Some(report) = lock(&REPORT).as_ref() {
        report(interrupt);
    }
}

/// Whether something is not to be broken off, and this is the first Ctrl-C meanwhile.
fn is_put_off() -> bool {
    let mut unbroken = lock(&UNBROKEN);
    let is_first = unbroken.0 > 0 && !unbroken.1;
    if is_first {
        unbroken.1 = true;
        report(Interrupt::Deferred);
    }
    is_first
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::exit, reason = "the main thread may be waiting for the user")]
fn end() {
    for (_, undo) in lock(&UNDO).iter() {
        undo();
    }
    let written = lock(&CLIENT).as_ref().map(Client::write_summary).unwrap_or_default();
    report(Interrupt::Ended(Box::new(stopped(&written))));
    std::process::exit(Exit::Interrupted.code().into())
}

/// The end by Ctrl-C, after these writes.
fn stopped(written: &WriteSummary) -> CommandError {
    let failure = CommandError::new(Exit::Interrupted, "stopped by Ctrl-C").after_writes(written);
    let hint = match (written.outcome(), carried_out(written)) {
        (Outcome::NotExecuted, _) => return failure,
        (Outcome::Unknown, _) => {
            "a write that was under way may have been carried out all the same".to_owned()
        }
        (Outcome::Executed, done) => {
            format!("what was carried out before stays: {}", done.unwrap_or_default())
        }
    };
    failure.hint(hint)
}

/// Sets whose writes the last message tells of.
pub(crate) fn tell_of(client: Client) {
    *lock(&CLIENT) = Some(client);
}

/// While this lives, Ctrl-C does not end the program.
#[derive(Debug)]
pub(crate) struct SuppressInterrupt(());

impl SuppressInterrupt {
    pub(crate) fn new() -> Self {
        TENDED.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// The program ends by itself now, and has something better to say.
    pub(crate) fn end_soon(self) {
        std::mem::forget(self);
    }
}

impl Drop for SuppressInterrupt {
    fn drop(&mut self) {
        TENDED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// While this lives, the first Ctrl-C ends the program only when it does not live any more.
#[derive(Debug)]
pub(crate) struct DeferInterrupt(());

impl DeferInterrupt {
    pub(crate) fn new() -> Self {
        lock(&UNBROKEN).0 += 1;
        Self(())
    }
}

impl Drop for DeferInterrupt {
    fn drop(&mut self) {
        let mut unbroken = lock(&UNBROKEN);
        unbroken.0 -= 1;
        let is_asked = unbroken.0 == 0 && std::mem::take(&mut unbroken.1);
        drop(unbroken);
        // Here, and not where signals are waited for: nothing else is begun.
        if is_asked && TENDED.load(Ordering::SeqCst) == 0 {
            end();
        }
    }
}

/// While this lives, the terminal is otherwise than the user left it.
#[derive(Debug)]
pub(crate) struct RestoreOnExit(usize);

impl RestoreOnExit {
    /// `undo` is called where the program ends before.
    pub(crate) fn new(undo: impl Fn() + Send + 'static) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&UNDO).push((number, Box::new(undo)));
        Self(number)
    }
}

impl Drop for RestoreOnExit {
    fn drop(&mut self) {
        lock(&UNDO).retain(|(number, _)| *number != self.0);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// Whether this process has a handler of its own for Ctrl-C (signal 2), as the kernel sees it.
    fn is_caught() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").expect("the kernel tells it");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
        caught.expect("the kernel tells it") & 0b10 != 0
    }

    #[test]
    fn found_02_the_handler_is_in_force_when_it_is_installed() {
        assert!(!is_caught());
        assert!(super::install().is_ok());
        assert!(is_caught());
    }
}
