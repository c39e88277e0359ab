//! State that all calls of one client share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::clock::Clock;
use super::http_sender::Timeouts;
use super::observer::Observer;
use super::pacing::queue::Queue;
use super::pacing::{Pacer, WaitReason};
use super::retry_budget::RetryBudget;
use super::trace;
use super::write_tally::WriteTally;
use crate::base_url::BaseUrl;
use crate::operation::Operation;
use crate::secrets::Secrets;
use crate::token_source::TokenSource;

/// State that all calls of one client share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) base: BaseUrl,
    pub(crate) http: reqwest::Client,
    pub(crate) timeouts: Timeouts,
    pub(crate) token: Option<Arc<dyn TokenSource>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pacer: Arc<dyn Pacer>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) requests: Arc<AtomicU64>,
    pub(crate) tally: Arc<WriteTally>,
    /// Number of waits of this client's calls.
    pub(crate) waits: AtomicU64,
    pub(crate) budget: RetryBudget,
    pub(crate) queue: Queue,
    /// The tokens that were sent.
    pub(crate) secrets: Secrets,
}

impl Shared {
    /// Returns the number of waits.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Reports that a call is about to wait.
    pub(crate) fn report_wait(
        &self,
        operation: &'static Operation,
        wait: Duration,
        reason: WaitReason,
    ) {
        trace::waiting(operation, wait, reason);
        self.observer.waiting(operation.id, wait, reason);
    }

    pub(crate) async fn sleep(
        &self,
        operation: &'static Operation,
        wait: Duration,
        reason: WaitReason,
    ) {
        if !wait.is_zero() {
            self.waits.fetch_add(1, Ordering::Relaxed);
            self.report_wait(operation, wait, reason);
            self.clock.sleep(wait).await;
        }
    }
}
