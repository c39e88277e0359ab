//! State that all calls of one client share, and the lines in which they wait: first come, first served.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::header::HeaderMap;
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::caller_headers::BeforeSend;
use super::clock::Clock;
use super::connection_options::ConnectionOptions;
use super::exchange::CallFailure;
use super::http_sender::{HttpClient, Timeouts};
use super::observer::Observer;
use super::pacing::{MustWait, Pacer, RateLimits};
use super::retry_policy::{RetryBudget, RetryPolicy};
use super::service_time::ServiceTime;
use super::trace;
use super::write_tally::WriteTally;
use crate::base_url::BaseUrl;
use crate::operation::Operation;
use crate::secrets::Secrets;
use crate::token::TokenSource;

/// State that all calls of one client share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) base: BaseUrl,
    pub(crate) http: HttpClient,
    /// Options of the connections, for those to hosts that the service names.
    pub(crate) connection: Arc<ConnectionOptions>,
    /// Headers of every request to the service.
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) before_send: Option<BeforeSend>,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: RetryPolicy,
    pub(crate) token: Option<Arc<dyn TokenSource>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) service_time: Arc<ServiceTime>,
    pub(crate) pacer: Arc<dyn Pacer>,
    /// Upper bounds of the limits of every token.
    pub(crate) limits: Option<RateLimits>,
    pub(crate) observer: Arc<dyn Observer>,
    /// Stands for the URL in reports, without the request and the answer, if that is a secret.
    pub(crate) shown: Option<&'static str>,
    pub(crate) requests: Arc<AtomicU64>,
    pub(crate) tally: Arc<WriteTally>,
    /// Number of waits of this client's calls.
    pub(crate) waits: Arc<AtomicU64>,
    /// Tells the calls that no other request is to be sent: waits end, and requests under way come to their end.
    pub(crate) stop: CancellationToken,
    pub(crate) budget: Arc<RetryBudget>,
    /// Lines of waiting requests, by the number of the bucket: one for all, and one for each bucket with a limit of its own, so that a wait
    /// for that limit does not delay the others.
    pub(crate) queue: Arc<[WaitingLine; 3]>,
    /// The tokens that this client has sent.
    pub(crate) secrets: Secrets,
    /// Collection of the program, for the tokens of all its clients.
    pub(crate) collection: Option<Secrets>,
}

impl Shared {
    /// Returns the state of a client for another token: the same connections and settings, and its own pacing, counts and budget.
    pub(crate) fn for_token(
        &self,
        token: Option<Arc<dyn TokenSource>>,
        pacer: Arc<dyn Pacer>,
    ) -> Self {
        Self {
            token,
            pacer,
            requests: Arc::default(),
            tally: Arc::default(),
            waits: Arc::default(),
            stop: CancellationToken::new(),
            budget: Arc::new(RetryBudget::full(self.retry)),
            queue: Arc::default(),
            secrets: Secrets::default(),
            ..self.clone()
        }
    }

    /// Returns the number of waits.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Reports that a call is about to wait.
    pub(crate) fn report_wait(&self, operation: &'static Operation, wait: MustWait) {
        trace::waiting(operation, wait.duration, wait.reason);
        self.observer.waiting(operation.id, wait.duration, wait.reason);
    }

    /// Returns the result of a future that a call awaits, or a failure once the deadline of the call has passed.
    pub(crate) async fn within<T>(
        &self,
        deadline: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, CallFailure> {
        tokio::select! {
            biased;
            result = future => Ok(result),
            () = self.clock.until(deadline) => Err(CallFailure::PASSED),
        }
    }

    pub(crate) async fn sleep(&self, operation: &'static Operation, wait: MustWait) {
        if !wait.duration.is_zero() {
            self.waits.fetch_add(1, Ordering::Relaxed);
            self.report_wait(operation, wait);
            tokio::select! {
                biased;
                () = self.stop.cancelled() => {}
                () = self.clock.sleep(wait.duration) => {}
            }
        }
    }
}

/// Line of waiting requests: first come, first served. A request that stops waiting leaves the line.
#[derive(Debug, Default)]
pub(crate) struct WaitingLine {
    head: Mutex<()>,
    length: AtomicUsize,
    /// Time by which the head takes its next step, in milliseconds of the monotonic clock.
    due: AtomicU64,
}

/// A place in a line.
pub(super) struct Place<'a> {
    line: &'a WaitingLine,
    /// Number of places ahead in the line.
    pub(super) ahead: usize,
}

/// Head of a line, held until it is dropped; without a guard, a place that has passed a head that takes no step.
pub(super) type QueueGuard<'a> = (Place<'a>, Option<MutexGuard<'a, ()>>);

impl WaitingLine {
    pub(super) fn enter(&self) -> Place<'_> {
        Place { line: self, ahead: self.length.fetch_add(1, Ordering::Relaxed) }
    }
}

impl<'a> Place<'a> {
    /// Takes the head of the line, if no place is ahead.
    pub(super) fn try_acquire(self) -> Result<QueueGuard<'a>, Self> {
        match self.line.head.try_lock() {
            Ok(guard) => Ok((self, Some(guard))),
            Err(_) => Err(self),
        }
    }

    /// Waits until all places ahead have been left, and takes the head of the line.
    pub(super) fn acquire(&self) -> impl Future<Output = MutexGuard<'a, ()>> + Send + use<'a> {
        self.line.head.lock()
    }

    /// Returns the time by which the head of the line takes its next step.
    pub(super) fn due(&self) -> Duration {
        Duration::from_millis(self.line.due.load(Ordering::Relaxed))
    }
}

/// Notes the time by which these heads take their next step.
pub(super) fn note_due<'g, 'a: 'g>(
    heads: impl IntoIterator<Item = &'g QueueGuard<'a>>,
    due: Duration,
) {
    let due = u64::try_from(due.as_millis()).unwrap_or(u64::MAX);
    for (place, _) in heads.into_iter().filter(|(_, guard)| guard.is_some()) {
        place.line.due.store(due, Ordering::Relaxed);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.line.length.fetch_sub(1, Ordering::Relaxed);
    }
}
