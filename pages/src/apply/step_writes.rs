//! Conditional writes of a run: each is sent only if the page is as the run knows it.

use super::known_page::KnownPage;
use super::plan::{Plan, PlannedUpdate};
use links_sdk::SlotId;
use links_sdk::runs::Reservation;
use links_sdk::runs::{ConditionalWrite, ReadTime, WriteAttempt, WriteVerdict};
use links_sdk::types::SlotChange;
use links_sdk::{Error, ProfileHandle, Slot};

/// Update of slots, by one request.
pub(super) struct StepUpdate<'w> {
    pub(super) handle: &'w ProfileHandle,
    pub(super) updates: &'w [PlannedUpdate],
    pub(super) seen: &'w mut KnownPage,
}

impl ConditionalWrite for StepUpdate<'_> {
    type Snapshot = Vec<Slot>;
    type Done = Vec<Slot>;

    async fn read(&mut self, place: Reservation) -> Result<Vec<Slot>, Error> {
        self.handle.slots().list().reserved(place).await
    }

    fn decide(&mut self, page: Vec<Slot>, in_doubt: bool) -> WriteVerdict<Vec<Slot>> {
        if in_doubt && self.updates.iter().all(|update| update.is_done(&page)) {
            return WriteVerdict::Done(page);
        }
        accept_page(self.seen, self.handle, &page)
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<Vec<Slot>, Error> {
        let change = |update: &PlannedUpdate| SlotChange::new(update.id, update.changed.clone());
        let changes = self.updates.iter().map(change);
        self.handle.slots().update_batch(changes).single_attempt(attempt).await
    }
}

/// Move of slots, by one request.
pub(super) struct StepReorder<'w> {
    pub(super) handle: &'w ProfileHandle,
    pub(super) plan: &'w Plan,
    pub(super) seen: &'w mut KnownPage,
    pub(super) created: &'w [SlotId],
    pub(super) order: Vec<SlotId>,
}

impl ConditionalWrite for StepReorder<'_> {
    type Snapshot = Vec<Slot>;
    /// Slots in the answer; `None` if there was nothing to move.
    type Done = Option<Vec<Slot>>;

    async fn read(&mut self, place: Reservation) -> Result<Vec<Slot>, Error> {
        self.handle.slots().list().reserved(place).await
    }

    fn decide(&mut self, page: Vec<Slot>, in_doubt: bool) -> WriteVerdict<Option<Vec<Slot>>> {
        if in_doubt && page.iter().map(|slot| slot.id).eq(self.order.iter().copied()) {
            return WriteVerdict::Done(Some(page));
        }
        let verdict = accept_page(self.seen, self.handle, &page);
        if let WriteVerdict::Send = verdict {
            match self.plan.resolve_order(self.seen.order(), self.created) {
                Some(order) => self.order = order,
                None => return WriteVerdict::Done(None),
            }
        }
        verdict
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<Option<Vec<Slot>>, Error> {
        let slots = self.handle.slots().reorder(self.order.clone()).single_attempt(attempt).await?;
        Ok(Some(slots))
    }
}

/// Accepts a page that was read, unless changes by another client forbid to continue.
fn accept_page<T>(seen: &mut KnownPage, handle: &ProfileHandle, page: &[Slot]) -> WriteVerdict<T> {
    let found = seen.conflicts(page, &[]);
    if !found.is_empty() {
        return WriteVerdict::Changed(found);
    }
    seen.refresh(page, ReadTime::now(&handle.client));
    WriteVerdict::Send
}
