//! Progress display of a run, and its reaction to Ctrl-C: the first ends waits at once and the run after the request in flight, the second the
//! request, too.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::ControlFlow;

use links_sdk::{Client, runs};
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

    /// Carries a run out. Returns `None` if a second Ctrl-C ended it, after which the program is about to exit.
    pub(crate) async fn watch<T>(
        &self,
        client: &Client,
        run: impl Future<Output = T>,
    ) -> Option<T> {
        let ended = tokio::select! {
            // A Ctrl-C that came before the end counts.
            biased;
            () = self.second_interrupt(client) => None,
            ended = run => Some(ended),
        };
        if ended.is_none() {
            self.end_soon();
        }
        ended
    }

    /// Completes at the second Ctrl-C.
    async fn second_interrupt(&self, client: &Client) {
        self.begun.notified().await;
        tokio::select! {
            () = signal::interrupt() => {}
            // One that came before this was listening.
            () = self.interrupts(1) => {}
        }
        self.stopping.set(true);
        signal::stop_requested();
        runs::stop(client);
        if let Some(progress) = self.progress.get() {
            progress.now("stopping after the current request; press Ctrl-C again to stop at once");
        }
        self.interrupts(2).await;
    }

    /// Completes when there were this many Ctrl-C since the first step.
    async fn interrupts(&self, count: usize) {
        let interrupts = self.suppressed.borrow().as_ref().map(|it| it.interrupts(count));
        match interrupts {
            Some(interrupts) => interrupts.await,
            None => std::future::pending().await,
        }
    }

    /// Keeps Ctrl-C suppressed for the rest of the process, because the program is about to exit with a better message.
    pub(crate) fn end_soon(&self) {
        self.suppressed.take().into_iter().for_each(SuppressInterrupt::end_soon);
    }
}
