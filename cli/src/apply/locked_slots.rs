//! Slots that a page file locks: a plan neither changes nor deletes nor unlocks them unless `--unlock` allows it.

use links_pages::apply::Plan;
use links_pages::page_file::{At, FieldDiagnostic};

use super::plan_target::PlanTarget;
use super::problems::at;
use crate::context::prelude::*;
use crate::output::named_slot;

/// Refuses a plan that changes slots which the file locks, or did at the last sync.
pub(super) fn check(file: &PageFile, target: &PlanTarget, plan: &Plan) -> Result<()> {
    let base = target.merged.as_ref().and_then(|merged| merged.base.as_ref());
    let entries = base.into_iter().flat_map(|base| &base.slots);
    let recorded: BTreeSet<SlotId> =
        entries.filter(|entry| entry.is_locked).map(|entry| entry.id).collect();
    let locked = &file.page.locked;
    if recorded.is_empty() && locked.is_empty() {
        return Ok(());
    }
    let place = |item: usize, below: &[&str], message: String| {
        at(file, item, below, At::Value, message, None)
    };
    let mut problems: Vec<FieldDiagnostic> = Vec::new();
    for update in &plan.updates {
        if locked.contains(&update.index) || recorded.contains(&update.id) {
            let message = format!("slot {} is locked", update.id);
            let keys = update.changed.keys();
            problems.extend(keys.map(|key| place(update.index, &["data", key], message.clone())));
        }
    }
    let unlocked = target.wanted.bound.iter().filter(|bound| !locked.contains(&bound.item));
    for bound in unlocked {
        if let Some(id) = bound.slot.filter(|id| recorded.contains(id)) {
            let message = format!("slot {id} is locked since the last sync, but not in this file");
            problems.push(place(bound.item, &[], message));
        }
    }
    for slot in plan.deletes.iter().filter(|slot| recorded.contains(&slot.id)) {
        let slot = named_slot(&slot.kind, slot.id, slot.label.as_deref());
        let message = format!("{slot} is locked, but was removed from this file");
        problems.push(file.document.locate(&["slots"], At::Key, message));
    }
    if problems.is_empty() {
        return Ok(());
    }
    let problems = problems.into_iter().map(|problem| problem.help("pass --unlock to allow it"));
    let failure = CommandError::refused("locked slots would change; nothing was written");
    Err(failure.at(file.document.bad(problems.collect())))
}
