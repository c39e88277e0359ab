//! A place within the rate limits that is taken before its request is sent.

use std::fmt;
use std::sync::Arc;

use super::pacing::Ticket;
use super::shared::Shared;

/// An admitted request that is not sent yet. It counts from when it is answered, or given up.
#[derive(Clone)]
pub(crate) struct Reserved(Arc<Place>);

struct Place {
    shared: Arc<Shared>,
    ticket: Ticket,
}

impl Reserved {
    pub(super) fn new(shared: Arc<Shared>, ticket: Ticket) -> Self {
        Self(Arc::new(Place { shared, ticket }))
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.0.ticket
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.pacer.settle(self.ticket, &*self.shared.clock);
    }
}

impl fmt::Debug for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reserved").field(&self.0.ticket).finish()
    }
}
