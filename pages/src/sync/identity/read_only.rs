//! Items of types that can only be read and moved: found by id, or by content that only one slot has.

use std::collections::BTreeMap;

use super::super::IdentityProblem;
use super::binder::Binder;
use crate::apply::{may_be_stored_as, same};

/// Binds items of read-only types that have no id. No other rule is tried for them.
pub(super) fn bind_read_only(binder: &mut Binder<'_>) {
    let mut claims: BTreeMap<usize, usize> = BTreeMap::new();
    let mut choices = Vec::new();
    let mut entries = vec![None; binder.slots.len()];
    for (entry, position) in binder.live.iter().enumerate() {
        if let Some(position) = position {
            entries[*position] = Some(entry);
        }
    }
    for item in binder.open_items() {
        let written = binder.items[item].item;
        if !binder.types.is_read_only(&written.kind) {
            continue;
        }
        binder.is_closed[item] = true;
        let is_free = |position: &usize| match entries[*position] {
            Some(entry) => binder.item_of_entry[entry].is_none(),
            None => !binder.taken[*position],
        };
        let fits = |position: &usize| {
            let slot = &binder.slots[*position];
            slot.slot.kind == written.kind
                && written.data.iter().all(|(key, value)| may_be_stored_as(value, slot.value(key)))
        };
        let fitting: Vec<usize> = (0..binder.slots.len()).filter(is_free).filter(fits).collect();
        let holds_no_more = |position: &usize| {
            let held = &binder.slots[*position].slot.data;
            held.iter().all(|(key, value)| {
                written.data.contains_key(key) || same(value, &serde_json::Value::Null)
            })
        };
        let exact: Vec<usize> = fitting.iter().copied().filter(holds_no_more).collect();
        let choice = if exact.len() == 1 { exact } else { fitting };
        for position in &choice {
            *claims.entry(*position).or_default() += 1;
        }
        choices.push((item, choice));
    }
    for (item, choice) in choices {
        match choice[..] {
            // The planner refuses it: such a slot cannot be created.
            [] => {}
            [position] if claims[&position] == 1 => match entries[position] {
                Some(entry) => binder.bind_entry(item, entry),
                None => binder.bind_slot(item, position),
            },
            _ => {
                let ids = choice.iter().map(|position| binder.slots[*position].slot.id).collect();
                binder.problems.push(IdentityProblem::Ambiguous { items: vec![item], ids });
            }
        }
    }
}
