//! Sending of a call, unless the client sends no writes: with retries, and with a read if the answer to a write cannot be used.

use super::call_result::{AttemptCounts, CallResult};
use super::make_request::MakeRequest;
use super::options::CallOptions;
use super::shared::Shared;
use super::{attempt_loop, lost_answer};
use crate::operation::{Effect, Operation};
use crate::success::RecordCheck;
use crate::write_mode::WriteMode;

impl Shared {
    /// Sends one call over the network.
    pub(crate) async fn run(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
        record: Option<RecordCheck<'_>>,
        make: &mut MakeRequest<'_>,
    ) -> CallResult {
        if options.writes != WriteMode::Send && operation.effect != Effect::Read && !options.dry_run
        {
            return match self.within(options.until, make()).await {
                Ok(made) => CallResult::not_sent(operation, made),
                Err(failure) => CallResult::unsent(operation, AttemptCounts::default(), failure),
            };
        }
        // Boxed, so that the futures of the callers stay small.
        let sent = attempt_loop::over_network(self, operation, options, record, &mut *make);
        let exchange = Box::pin(sent).await;
        match lost_answer::replacement(options, &exchange) {
            None => exchange,
            Some(read) => Box::pin(lost_answer::recover(self, options, make, read, exchange)).await,
        }
    }
}
