//! Reservation within the rate limits, made before its request is sent.

use std::fmt;
use std::sync::Arc;

use super::pacing::Ticket;
use super::shared::Shared;

/// Admitted request that is not sent yet. It counts from the time at which it is answered, or dropped.
#[derive(Clone)]
pub(crate) struct Reservation(Arc<ReservedTicket>);

struct ReservedTicket {
    shared: Arc<Shared>,
    ticket: Ticket,
}

impl Reservation {
    pub(super) fn new(shared: Arc<Shared>, ticket: Ticket) -> Self {
        Self(Arc::new(ReservedTicket { shared, ticket }))
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.0.ticket
    }
}

impl Drop for ReservedTicket {
    fn drop(&mut self) {
        self.shared.pacer.settle(self.ticket, &*self.shared.clock);
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reservation").field(&self.0.ticket).finish()
    }
}
