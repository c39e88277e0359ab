//! What an interrupted rewrite has written. A filter may give something else for its own result, so that no slot may pass it twice.

use std::collections::{BTreeMap, BTreeSet};

use links_pages::apply::{DesiredPage, DesiredSlot, JournalEntries, PlannedUpdate, same};
use links_sdk::{Object, Slot, SlotId};
use serde_json::Value;

/// Slots that an interrupted rewrite has written, and what it was asked for.
#[derive(Debug, Default)]
pub(super) struct WrittenSlots {
    written: BTreeSet<SlotId>,
    /// Updates of which it is unknown whether they were executed.
    doubtful: Vec<PlannedUpdate>,
    /// What the newest run was asked for; empty if that is not known.
    asked: Vec<DesiredSlot>,
}

impl WrittenSlots {
    /// Collects what runs have written: an unfinished one, and those that it has replaced, the newest first.
    pub(super) fn of(runs: &[JournalEntries]) -> Self {
        let Some(newest) = runs.first() else { return Self::default() };
        let written = runs.iter().flat_map(JournalEntries::updates).map(|update| update.id);
        let doubtful = runs.iter().flat_map(JournalEntries::doubtful_updates);
        let planned = newest.plan().into_iter().flat_map(|plan| &plan.updates);
        let in_doubt = newest.doubtful_updates();
        let mut asked: BTreeMap<usize, DesiredSlot> = BTreeMap::new();
        for update in newest.updates().iter().chain(&in_doubt).chain(planned) {
            asked.entry(update.index).or_insert_with(|| DesiredSlot {
                id: Some(update.id),
                kind: update.kind.clone(),
                data: update.changed.clone(),
            });
        }
        let asked: Vec<DesiredSlot> = asked.into_values().collect();
        let is_asked = newest.opening().is_of(&DesiredPage::from(asked.clone()));
        Self {
            written: written.collect(),
            doubtful: doubtful.collect(),
            asked: if is_asked { asked } else { Vec::new() },
        }
    }

    /// Tells whether a slot was written. One whose request may have been executed was, unless it has the values from before.
    pub(super) fn has(&self, slot: &Slot) -> bool {
        let is_untouched = |update: &PlannedUpdate| {
            update.changed.keys().all(|key| same(held(&slot.data, key), held(&update.before, key)))
        };
        self.written.contains(&slot.id)
            || self.doubtful.iter().any(|update| update.id == slot.id && !is_untouched(update))
    }

    /// Returns the items of the run, and the values that they have now. It is the interrupted run that goes on, if it was asked for all of the
    /// slots that are left; else a new one.
    pub(super) fn continued(
        &self,
        left: Vec<DesiredSlot>,
    ) -> (Vec<DesiredSlot>, BTreeMap<SlotId, Object>) {
        let known: BTreeSet<SlotId> = self.asked.iter().filter_map(|item| item.id).collect();
        if known.is_empty() || !left.iter().filter_map(|item| item.id).all(|id| known.contains(&id))
        {
            return (left, BTreeMap::new());
        }
        let mut instead: BTreeMap<SlotId, Object> =
            known.into_iter().map(|id| (id, Object::default())).collect();
        instead.extend(left.into_iter().filter_map(|item| Some((item.id?, item.data))));
        (self.asked.clone(), instead)
    }
}

fn held<'d>(data: &'d Object, key: &str) -> &'d Value {
    data.get(key).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(id: SlotId, title: &str) -> DesiredSlot {
        serde_json::from_value(json!({"id": id, "type": "button", "data": {"title": title}}))
            .unwrap()
    }

    fn slot(id: SlotId, title: &str) -> Slot {
        serde_json::from_value(
            json!({"id": id, "type": "button", "data": {"title": title, "link": "x"}, "supported": true}),
        )
        .unwrap()
    }

    #[test]
    fn a_slot_of_a_request_in_doubt_was_written_unless_it_is_as_before() {
        let update = json!({
            "id": 7, "index": 0, "type": "button", "label": null, "changed": {"title": "A!"}, "before": {"title": "A"},
        });
        let doubtful = vec![serde_json::from_value(update).unwrap()];
        let done = WrittenSlots { written: [5.into()].into(), doubtful, asked: Vec::new() };
        let found = [
            slot(5.into(), "x"),
            slot(6.into(), "x"),
            slot(7.into(), "A"),
            slot(7.into(), "A!"),
            slot(7.into(), "Foreign"),
        ];
        assert_eq!(found.map(|slot| done.has(&slot)), [true, false, false, true, true]);
    }

    #[test]
    fn a_run_goes_on_with_the_slots_that_are_left() {
        let asked = vec![item(1.into(), "A!"), item(2.into(), "B!"), item(3.into(), "C!")];
        let done = WrittenSlots { asked: asked.clone(), ..WrittenSlots::default() };
        let (items, instead) =
            done.continued(vec![item(2.into(), "Foreign!"), item(3.into(), "C!")]);
        assert_eq!(items, asked);
        assert_eq!(
            json!(instead),
            json!({"1": {}, "2": {"title": "Foreign!"}, "3": {"title": "C!"}})
        );
        // A slot that is new on the page makes it another run.
        let left = vec![item(2.into(), "B!"), item(4.into(), "D!")];
        assert_eq!(done.continued(left.clone()), (left.clone(), BTreeMap::new()));
        assert_eq!(WrittenSlots::default().continued(left.clone()), (left, BTreeMap::new()));
    }
}
