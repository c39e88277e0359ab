//! Ctrl-C. The program ends at once with its own exit code, gives the terminal back as it was, and says what may have happened; work
//! that ends better by itself looks after the first Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::ui::Ui;

/// How many pieces of work look after it themselves.
static TENDED: AtomicUsize = AtomicUsize::new(0);

/// Whether the command may write.
static WRITES: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back.
type Undo = Box<dyn Fn() + Send>;

static UNDO: Mutex<Vec<(usize, Undo)>> = Mutex::new(Vec::new());

/// From now on Ctrl-C ends the program, also where it waits for an answer or for the user.
pub(crate) fn watch(ui: Ui) {
    let waiting = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if TENDED.load(Ordering::SeqCst) == 0 {
                    end(&ui);
                }
            }
        });
    };
    // Without it Ctrl-C does what it does to every program.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting);
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
