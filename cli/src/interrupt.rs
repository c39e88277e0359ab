//! Ctrl-C. The program ends at once with its own exit code, gives the terminal back as it was, and says what may have happened; work
//! that ends better by itself looks after the first Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::outcome::{Line, Tone};
use crate::ui::Ui;

/// How many pieces of work look after it themselves.
static TENDED: AtomicUsize = AtomicUsize::new(0);

/// How many pieces of work are not to be broken off, and what ends the program behind the last of them.
static UNBROKEN: Mutex<(usize, Option<Arc<Ui>>)> = Mutex::new((0, None));

/// Whether the command may write.
static WRITES: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back.
type Undo = Box<dyn Fn() + Send>;

static UNDO: Mutex<Vec<(usize, Undo)>> = Mutex::new(Vec::new());

/// From now on Ctrl-C ends the program, also where it waits for an answer or for the user.
pub(crate) fn watch(ui: Ui) {
    let ui = Arc::new(ui);
    let waiting = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if TENDED.load(Ordering::SeqCst) == 0 && !is_put_off(&ui) {
                    end(&ui);
                }
            }
        });
    };
    // Without it Ctrl-C does what it does to every program.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting);
}

/// Whether something is not to be broken off, and this is the first Ctrl-C meanwhile.
fn is_put_off(ui: &Arc<Ui>) -> bool {
    let mut unbroken = unbroken();
    let is_first = unbroken.0 > 0 && unbroken.1.is_none();
    if is_first {
        unbroken.1 = Some(ui.clone());
        let text = "stopping as soon as nothing is lost by it; Ctrl-C again stops at once";
        ui.say(&Line::new(Tone::Changed, text));
    }
    is_first
}

fn unbroken() -> MutexGuard<'static, (usize, Option<Arc<Ui>>)> {
    UNBROKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::exit, reason = "the main thread may be waiting for the user")]
fn end(ui: &Ui) {
    for (_, undo) in UNDO.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        undo();
    }
    ui.break_line();
    let failure = Failure::new(Exit::Interrupted, "stopped by Ctrl-C");
    ui.fail(&if WRITES.load(Ordering::SeqCst) {
        let hint = "a write that was under way may have been carried out all the same";
        failure.unknown().hint(hint)
    } else {
        failure
    });
    std::process::exit(Exit::Interrupted.code().into())
}

/// The command may write from now on.
pub(crate) fn may_have_written() {
    WRITES.store(true, Ordering::SeqCst);
}

/// Waits for the user: nothing is under way meanwhile.
pub(crate) fn while_asking<T>(ask: impl FnOnce() -> T) -> T {
    let writes = WRITES.swap(false, Ordering::SeqCst);
    let answer = ask();
    WRITES.store(writes, Ordering::SeqCst);
    answer
}

/// While this lives, Ctrl-C does not end the program.
#[derive(Debug)]
pub(crate) struct Tended(());

impl Tended {
    pub(crate) fn new() -> Self {
        TENDED.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// The program ends by itself now, and has something better to say.
    pub(crate) fn end_soon(self) {
        std::mem::forget(self);
    }
}

impl Drop for Tended {
    fn drop(&mut self) {
        TENDED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// While this lives, the first Ctrl-C ends the program only when it does not live any more.
#[derive(Debug)]
pub(crate) struct Unbroken(());

impl Unbroken {
    pub(crate) fn new() -> Self {
        unbroken().0 += 1;
        Self(())
    }
}

impl Drop for Unbroken {
    fn drop(&mut self) {
        let mut unbroken = unbroken();
        unbroken.0 -= 1;
        let asked = if unbroken.0 == 0 { unbroken.1.take() } else { None };
        drop(unbroken);
        // Here, and not where signals are waited for: nothing else is begun.
        if let Some(ui) = asked.filter(|_| TENDED.load(Ordering::SeqCst) == 0) {
            end(&ui);
        }
    }
}

/// While this lives, the terminal is otherwise than the user left it.
#[derive(Debug)]
pub(crate) struct Changed(usize);

impl Changed {
    /// `undo` is called where the program ends before.
    pub(crate) fn new(undo: impl Fn() + Send + 'static) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        UNDO.lock().unwrap_or_else(PoisonError::into_inner).push((number, Box::new(undo)));
        Self(number)
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        UNDO.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, _)| *number != self.0);
    }
}
