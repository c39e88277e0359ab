//! Page before a run, as far as the service can restore it.

use std::collections::HashSet;

use links_sdk::Slot;
use links_sdk::apply::{DesiredPage, DesiredSlot, SlotTypes};
use serde_json::{Value, json};

use crate::output::{Style, StyledLine};

/// Differences between the page before a run and the page that can be restored.
pub(super) struct Restoration {
    /// Slots that are gone and cannot be created again.
    lost: Vec<DesiredSlot>,
    /// Number of deleted slots that are created again.
    created: usize,
    /// Keys that were added since and cannot be cleared, with the ids of their slots.
    uncleared: Vec<(i64, String)>,
}

impl Restoration {
    /// Changes the content of a backup to the page that can be restored, given the slots that the page has now.
    pub(super) fn of(content: &mut DesiredPage, now: &[Slot], types: &SlotTypes) -> Self {
        let there: HashSet<i64> = now.iter().map(|slot| slot.id).collect();
        let is_gone = |slot: &DesiredSlot| slot.id.is_some_and(|id| !there.contains(&id));
        let (lost, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut content.slots)
            .into_iter()
            .partition(|slot| is_gone(slot) && !can_be_created(slot, types));
        let created = kept.iter().filter(|slot| is_gone(slot)).count();
        content.slots = kept
            .into_iter()
            .map(|slot| DesiredSlot { id: slot.id.filter(|_| !is_gone(&slot)), ..slot })
            .collect();
        let uncleared = content.clear_unmentioned(now, types);
        Self { lost, created, uncleared }
    }

    /// Returns the lines that tell the differences.
    pub(super) fn lines(&self) -> Vec<StyledLine> {
        let lost = self.lost.iter().map(|slot| {
            let (kind, id) = (&slot.kind, slot.id.unwrap_or_default());
            let text = format!("{kind} {id} cannot be restored: such a slot cannot be created");
            StyledLine::new(Style::Removed, text)
        });
        let uncleared = self.uncleared.iter().map(|(id, key)| {
            format!("slot {id}: `{key}` was added since and is kept: the service cannot clear it")
        });
        let changed = created_again(self.created).into_iter().chain(uncleared);
        lost.chain(changed.map(|text| StyledLine::new(Style::Changed, text))).collect()
    }

    /// Returns the slots that cannot be created again, and the keys that cannot be cleared.
    pub(super) fn not_restored(&self) -> Vec<Value> {
        let lost = self
            .lost
            .iter()
            .map(|slot| json!({ "id": slot.id.unwrap_or_default(), "type": slot.kind }));
        let uncleared = self.uncleared.iter().map(|(id, key)| json!({ "id": id, "key": key }));
        lost.chain(uncleared).collect()
    }
}

/// Tells whether a slot can be created again: the backup has a legacy slot without its content, and its type may not be creatable.
fn can_be_created(slot: &DesiredSlot, types: &SlotTypes) -> bool {
    types.is_creatable(&slot.kind) && (!slot.data.is_empty() || slot.kind == "divider")
}

fn created_again(number: usize) -> Option<String> {
    match number {
        0 => None,
        1 => Some(
            "1 deleted slot is created again, with a new id; its click statistics are lost"
                .to_owned(),
        ),
        many => Some(format!(
            "{many} deleted slots are created again, with new ids; their click statistics are lost"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleted_slots_are_restored_without_their_ids_or_reported_as_lost() {
        let mut content: DesiredPage = serde_json::from_value(json!({ "slots": [
            { "id": 6, "type": "event" },
            { "id": 7, "type": "text", "data": { "title": "Menu" } },
            { "id": 8, "type": "text", "data": { "title": "Hours" } },
        ] }))
        .unwrap();
        let now: Vec<Slot> = serde_json::from_value(json!([
            { "id": 8, "type": "text", "data": { "title": "Hours" }, "supported": true },
        ]))
        .unwrap();
        let restoration = Restoration::of(&mut content, &now, &SlotTypes::default());
        let ids: Vec<_> = content.slots.iter().map(|slot| slot.id).collect();
        assert_eq!(ids, [None, Some(8)]);
        assert_eq!(restoration.not_restored(), [json!({ "id": 6, "type": "event" })]);
        let lines = restoration.lines();
        let lines: Vec<_> = lines.iter().map(StyledLine::text).collect();
        let lost = "event 6 cannot be restored: such a slot cannot be created";
        let created =
            "1 deleted slot is created again, with a new id; its click statistics are lost";
        assert_eq!(lines, [lost, created]);
    }
}
