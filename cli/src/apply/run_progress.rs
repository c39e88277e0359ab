//! Progress display of a run, and its reaction to Ctrl-C: the first ends the run after the request in flight, the second at once.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::ControlFlow;

use tokio::sync::Notify;

use crate::signal::{self, SuppressInterrupt};
use crate::ui::{Progress, Ui};

/// State shared between a run and the handler of Ctrl-C.
#[derive(Default)]
pub(crate) struct RunProgress {
    begun: Notify,
    stopping: Cell<bool>,
    progress: OnceCell<Progress>,
    suppressed: RefCell<Option<SuppressInterrupt>>,
}

impl RunProgress {
    /// Shows a step of a run that has so many. Breaks if the run is to end.
    pub(crate) fn step(&self, ui: &Ui, steps: usize, message: &str) -> ControlFlow<()> {
        if self.suppressed.borrow().is_some() {
            self.progress.get().into_iter().for_each(Progress::step);
        } else {
            self.suppressed.replace(Some(SuppressInterrupt::new()));
            self.begun.notify_one();
        }
        self.progress.get_or_init(|| ui.progress(steps)).now(message);
        if self.stopping.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Completes at the second Ctrl-C.
    pub(crate) async fn second_interrupt(&self) {
        self.begun.notified().await;
        if tokio::signal::ctrl_c().await.is_ok() {
            self.stopping.set(true);
            signal::stop_requested();
            if let Some(progress) = self.progress.get() {
                progress.now("stopping after the current request; Ctrl-C again stops at once");
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Takes the handling of Ctrl-C out of the run that has ended.
    pub(crate) fn ended(&self) -> Option<SuppressInterrupt> {
        self.suppressed.take()
    }
}
