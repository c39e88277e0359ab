//! Sends a call: unless the client withholds writes, with retries, and with a read where the answer of a write is of no use.

use super::exchange::Exchange;
use super::make_request::MakeRequest;
use super::options::Options;
use super::shared::Shared;
use super::{look, run};
use crate::operation::{Effect, Operation};
use crate::writes::Writes;

impl Shared {
    /// Sends one call over the network.
    pub(crate) async fn run(
        &self,
        operation: &'static Operation,
        options: &Options,
        make: &mut MakeRequest<'_>,
    ) -> Exchange {
        if options.writes != Writes::Send && operation.effect != Effect::Read && !options.dry_run {
            return Exchange::withheld(operation, make().await);
        }
        // Boxed, so that the futures of the callers stay small.
        let exchange = Box::pin(run::over_network(self, operation, options, &mut *make)).await;
        look::after(self, options, make, exchange).await
    }
}
