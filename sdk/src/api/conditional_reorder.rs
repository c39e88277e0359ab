//! Reorder of slots, made only if they are in the order that was read.

use crate::call_sender::CallSender;
use crate::conditional_write::{ConditionalWrite, WriteAttempt, WriteVerdict, write_if_unchanged};
use crate::error::Error;
use crate::generated::Client as Api;
use crate::generated::types::{SlotList, SlotOrder};
use crate::ids::SlotId;
use crate::operation;
use crate::slot::Slot;
use crate::transport::{Answer, Reservation};

pub(super) async fn reorder_if_unchanged(
    sender: CallSender,
    key: String,
    seen: Vec<SlotId>,
    order: Vec<SlotId>,
) -> Result<Vec<Slot>, Error> {
    if sender.is_not_sent() {
        let body = SlotOrder { order };
        let request = |api: Api<'_>| api.reorder_slots(&key, &body);
        return sender.send(operation::REORDER_SLOTS, request).await.map(|list| list.data);
    }
    let mut write = ConditionalReorder { sender: &sender, key, seen, order };
    let (client, options) = (&sender.client, &sender.options);
    let done =
        write_if_unchanged(client, operation::REORDER_SLOTS, options, None, &mut write).await;
    done.map_err(|stop| stop.into_error(operation::REORDER_SLOTS))
}

struct ConditionalReorder<'a> {
    sender: &'a CallSender,
    key: String,
    seen: Vec<SlotId>,
    order: Vec<SlotId>,
}

impl ConditionalWrite for ConditionalReorder<'_> {
    type Snapshot = (Vec<Slot>, Answer);
    type Done = Vec<Slot>;

    async fn read(&mut self, place: Reservation) -> Result<(Vec<Slot>, Answer), Error> {
        let key = self.key.clone();
        let request = |api: Api<'_>| api.list_slots(&key);
        let sender = self.sender.beside().reserved(place);
        let (SlotList { data, .. }, answer) =
            sender.send_decoded(operation::LIST_SLOTS, request).await?;
        Ok((data, answer))
    }

    fn decide(
        &mut self,
        (page, answer): Self::Snapshot,
        in_doubt: bool,
    ) -> WriteVerdict<Vec<Slot>> {
        let now: Vec<SlotId> = page.iter().map(|slot| slot.id).collect();
        if now == self.order && (in_doubt || now != self.seen) {
            self.sender.keep_answer(&answer);
            return WriteVerdict::Done(page);
        }
        let changes = changes(&self.seen, &now);
        if changes.is_empty() { WriteVerdict::Send } else { WriteVerdict::Changed(changes) }
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<Vec<Slot>, Error> {
        let (key, body) = (self.key.clone(), SlotOrder { order: self.order.clone() });
        let request = |api: Api<'_>| api.reorder_slots(&key, &body);
        let sender = self.sender.single_attempt(attempt);
        let (SlotList { data, .. }, answer) =
            sender.send_decoded(operation::REORDER_SLOTS, request).await?;
        self.sender.keep_answer(&answer);
        Ok(data)
    }
}

/// Describes the changes that another client made to the order of a page.
fn changes(seen: &[SlotId], now: &[SlotId]) -> Vec<String> {
    let new = now.iter().filter(|id| !seen.contains(id)).map(|id| format!("slot {id} is new"));
    let gone =
        seen.iter().filter(|id| !now.contains(id)).map(|id| format!("slot {id} was deleted"));
    let mut changes: Vec<String> = new.chain(gone).collect();
    if changes.is_empty() && seen != now {
        changes.push("the order of the slots".to_owned());
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn foreign_changes_of_an_order_are_named() {
        assert!(changes(&[1.into(), 2.into()], &[1.into(), 2.into()]).is_empty());
        assert_eq!(
            changes(&[1.into(), 2.into()], &[2.into(), 1.into()]),
            ["the order of the slots"]
        );
        assert_eq!(
            changes(&[1.into(), 2.into()], &[2.into(), 3.into()]),
            ["slot 3 is new", "slot 1 was deleted"]
        );
    }
}
