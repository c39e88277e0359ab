//! Reservation within the rate limits, made before its request is sent.

use super::pacing::Ticket;

/// Ticket of an admitted request that is not sent yet. It counts from the time at which it was admitted, and again from that at which the
/// request is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation(pub(super) Ticket);
