//! Page before a run, as far as the service can restore it.

use std::collections::{BTreeSet, HashSet};

use links_sdk::apply::{DesiredPage, DesiredSlot, SlotTypes};
use links_sdk::{Slot, SlotId};
use serde_json::{Value, json};

use crate::output::{Style, StyledLine};

/// Differences between the page before a run and the page that can be restored.
pub(super) struct Restoration {
    /// Slots that are gone and cannot be created again.
    lost: Vec<DesiredSlot>,
    /// Indices of the other slots that are gone.
    gone: BTreeSet<usize>,
    /// Keys that were added since and cannot be cleared, with the ids of their slots.
    uncleared: Vec<(SlotId, String)>,
}

impl Restoration {
    /// Changes the content of a backup to the page that can be restored, given the slots that the page has now.
    pub(super) fn of(content: &mut DesiredPage, now: &[Slot], types: &SlotTypes) -> Self {
        let there: HashSet<SlotId> = now.iter().map(|slot| slot.id).collect();
        let is_gone = |slot: &DesiredSlot| slot.id.is_some_and(|id| !there.contains(&id));
        let (lost, mut kept): (Vec<_>, Vec<_>) = std::mem::take(&mut content.slots)
            .into_iter()
            .partition(|slot| is_gone(slot) && !can_be_created(slot, types));
        let mut gone = BTreeSet::new();
        for (index, slot) in kept.iter_mut().enumerate().filter(|(_, slot)| is_gone(slot)) {
            slot.id = None;
            gone.insert(index);
        }
        content.slots = kept;
        let uncleared = content.clear_unmentioned(now, types);
        Self { lost, gone, uncleared }
    }

    /// Returns the indices of the slots that are gone: no slot that was added since is taken for one of them, unless it holds the same.
    pub(super) fn gone(&self) -> &BTreeSet<usize> {
        &self.gone
    }

    /// Returns the lines that tell the differences.
    pub(super) fn lines(&self) -> Vec<StyledLine> {
        let lost = self.lost.iter().map(|slot| {
            let (kind, id) = (&slot.kind, slot.id.unwrap_or_default());
            let text = format!("{kind} {id} cannot be restored: such a slot cannot be created");
            StyledLine::new(Style::Removed, text)
        });
        let uncleared = self.uncleared.iter().map(|(id, key)| {
            let text = format!(
                "slot {id}: `{key}` was added since and is kept: the service cannot clear it"
            );
            StyledLine::new(Style::Changed, text)
        });
        lost.chain(uncleared).collect()
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

#[cfg(test)]
mod tests {
    use links_sdk::apply::{Plan, PlanOptions};

    use super::*;

    /// Returns the plan that restores a page.
    fn plan(backup: Value, now: Value) -> Plan {
        let mut types = SlotTypes::default();
        for kind in ["text", "button", "divider"] {
            let schema = json!({ "properties": {
                "title": { "type": ["string", "null"] },
                "note": { "type": ["string", "null"] },
                "style": { "enum": ["primary", "outline"], "default": "primary" },
                "html": { "type": "string", "readOnly": true },
            } });
            types.insert(kind, true, schema);
        }
        let mut content: DesiredPage = serde_json::from_value(json!({ "slots": backup })).unwrap();
        let now: Vec<Slot> = serde_json::from_value(now).unwrap();
        let exact = Restoration::of(&mut content, &now, &types).gone;
        let options = PlanOptions { types, exact, ..PlanOptions::default() };
        Plan::new(&now, &content, &options).unwrap()
    }

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
        assert_eq!(ids, [None, Some(8.into())]);
        assert_eq!(restoration.not_restored(), [json!({ "id": 6, "type": "event" })]);
        let lost = "event 6 cannot be restored: such a slot cannot be created";
        let lines = restoration.lines();
        assert_eq!(lines.iter().map(StyledLine::text).collect::<Vec<_>>(), [lost]);
        assert_eq!(*restoration.gone(), BTreeSet::from([0]));
    }

    #[test]
    fn a_newer_slot_is_not_taken_for_a_deleted_one_that_it_resembles() {
        let backup = json!([{ "id": 1, "type": "text", "data": { "title": "Menu" } }]);
        for newer in [
            json!({ "title": "Menu", "note": "New" }),
            json!({ "title": "Menu", "style": "outline" }),
            json!({ "title": "Menus" }),
            json!({ "note": "Menu" }),
            json!({}),
        ] {
            let now = json!([{ "id": 9, "type": "text", "data": newer, "supported": true }]);
            let plan = plan(backup.clone(), now);
            assert_eq!((plan.creates.len(), plan.updates.len()), (1, 0), "{newer}");
            assert_eq!(plan.kept[0].id, 9, "{newer}");
        }
        let other =
            json!([{ "id": 9, "type": "button", "data": { "title": "Menu" }, "supported": true }]);
        assert_eq!(plan(backup, other).creates.len(), 1);
    }

    #[test]
    fn a_slot_that_was_created_again_is_found_whatever_the_service_filled_in() {
        let backup =
            json!([{ "id": 1, "type": "text", "data": { "title": "Menu", "note": null } }]);
        for created in [
            json!({ "title": "Menu" }),
            json!({ "title": " Menu ", "note": "" }),
            json!({ "title": "Menu", "style": "primary", "html": "<p>Menu</p>", "other": 7 }),
        ] {
            let now = json!([{ "id": 9, "type": "text", "data": created, "supported": true }]);
            assert!(plan(backup.clone(), now).is_empty(), "{created}");
        }
    }

    #[test]
    fn each_of_several_equal_slots_is_found_or_created_once() {
        let divider = |id| json!({ "id": id, "type": "divider", "data": {}, "supported": true });
        let item = |id| json!({ "id": id, "type": "divider" });
        for (now, created) in
            [(vec![], 3), (vec![8], 2), (vec![8, 9], 1), (vec![7, 8, 9], 0), (vec![3, 8], 1)]
        {
            let now: Vec<_> = now.into_iter().map(divider).collect();
            let plan = plan(json!([item(1), item(2), item(3)]), json!(now));
            assert_eq!(plan.creates.len(), created, "{now:?}");
            assert!(plan.updates.is_empty() && plan.kept.is_empty(), "{now:?}");
        }
    }
}
