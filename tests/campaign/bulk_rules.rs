//! Rules for rewrites and imports: each slot and each row once, whatever interrupts them, and nothing else.

use std::collections::BTreeSet;

use links_fixtures::Slot;
use serde_json::Value;

use crate::bulk::{Bulk, BulkProgress, became, same_text};
use crate::history::{Import, Rewrite};
use crate::invariants::{Trial, Violate, held};
use crate::proxy::{Event, Request};
use crate::world::World;

/// Checks a run that continues what was done so far.
pub(crate) fn check(trial: &Trial<'_>, so_far: &BulkProgress, violate: Violate<'_>) {
    let mut all = so_far.clone();
    all.advance(trial.machine, trial.events);
    match &so_far.asked {
        Bulk::Rewrite(rewrite) => {
            changes_slots_once(trial, rewrite, so_far, violate);
            if trial.exit == Some(0) && so_far.is_known {
                leaves_none(trial, rewrite, &all, violate);
            }
        }
        Bulk::Import(import) => {
            creates_rows_once(trial, import, &all, violate);
            if trial.exit == Some(0) && so_far.is_known {
                has_all_rows(trial, import, &all, violate);
            }
        }
    }
    if so_far.is_known && so_far.is_nothing() {
        says_what_was_written(trial, &all, violate);
    }
}

fn changes_slots_once(
    trial: &Trial<'_>,
    rewrite: &Rewrite,
    so_far: &BulkProgress,
    violate: Violate<'_>,
) {
    let mut progress = so_far.clone();
    for (at, event) in trial.events.iter().enumerate() {
        if event.machine != Some(trial.machine) {
            progress.see(event);
            continue;
        }
        if !event.request.as_ref().is_some_and(Request::is_executed) {
            continue;
        }
        let (before, after) = (&event.before, &event.after);
        if before.ids() != after.ids() {
            violate("rewrite", format!("{:?} became {:?}", before.ids(), after.ids()));
        }
        for (id, key) in event.change().updated() {
            let slot = after.slot(id).unwrap();
            let value = held(&slot.data, &key);
            if key != rewrite.key() || !slot.supported || slot.kind == "event" {
                violate("rewrite", format!("{key} of slot {id} became {value}"));
                continue;
            }
            // The value that it was made of was read before.
            let worlds = trial.events[..=at].iter().map(|it| &it.before);
            let made = |world: &World| {
                let slot = world.slot(id)?;
                rewrite.made(world.kind(slot), &slot.data)
            };
            if !worlds.filter_map(|it| made(it)).any(|it| became(&it, value)) {
                let was = before.slot(id).map(|slot| held(&slot.data, &key));
                violate("rewrite", format!("{key} of slot {id} became {value} from {was:?}"));
            }
            // One that others gave its value from before may be one whose request was not executed.
            let is_as_before = |was: &Value| {
                let now = before.slot(id).map(|slot| held(&slot.data, &key));
                progress.touched.contains(&id) && now.is_some_and(|now| same_text(now, was))
            };
            if progress.rewritten.get(&id).is_some_and(|was| !is_as_before(was)) {
                violate("rewritten twice", format!("{key} of slot {id} became {value}"));
            }
        }
        progress.note(event);
    }
}

/// Checks that no slot is left that was to be rewritten when the page was read, unless others have changed it.
fn leaves_none(trial: &Trial<'_>, rewrite: &Rewrite, all: &BulkProgress, violate: Violate<'_>) {
    let Some(world) = planned_for(trial) else { return };
    let left: Vec<u64> = BulkProgress::to_rewrite(rewrite, world)
        .map(|slot| slot.id)
        .filter(|id| !all.rewritten.contains_key(id) && !all.touched.contains(id))
        .collect();
    if !left.is_empty() {
        violate("rewrite", format!("exit 0, yet the slots {left:?} are as before"));
    }
}

/// Returns the page as it was read last before the first write.
fn planned_for<'t>(trial: &Trial<'t>) -> Option<&'t World> {
    let events = || trial.events.iter().filter(|it| it.machine == Some(trial.machine));
    let is = |event: &Event, what: fn(&Request) -> bool| event.request.as_ref().is_some_and(what);
    let until = events().take_while(|it| !is(it, Request::is_write));
    until.filter(|it| is(it, Request::is_look)).last().map(|event| &*event.after)
}

fn creates_rows_once(trial: &Trial<'_>, import: &Import, all: &BulkProgress, violate: Violate<'_>) {
    // A slot that others have added meanwhile stays beside its neighbour, which may be one of the new slots.
    let new: BTreeSet<u64> = all.created.iter().chain(&all.foreign).map(|slot| slot.id).collect();
    if all.is_known {
        trial.keeps_order(&|id| new.contains(&id), violate);
    }
    for event in trial.writes() {
        let updated = event.change().updated();
        if !updated.is_empty() {
            violate("import", format!("{updated:?} were changed"));
        }
    }
    // One that others deleted before its answer arrived was never seen.
    let gone = all.created.iter().filter(|slot| all.touched.contains(&slot.id)).count();
    let (more, _) = unmatched(import, &all.created);
    if more.len() > gone {
        violate("imported twice", format!("{more:?} were created, too"));
    }
}

/// Returns the slots that are those of no row, and the number of rows without a slot.
fn unmatched<'s>(import: &Import, slots: &'s [Slot]) -> (Vec<&'s Slot>, usize) {
    let mut rows: Vec<_> = import.rows.iter().collect();
    let mut more = Vec::new();
    for slot in slots {
        match rows.iter().position(|row| import.is_of_row(slot, row)) {
            Some(at) => drop(rows.swap_remove(at)),
            None => more.push(slot),
        }
    }
    (more, rows.len())
}

fn has_all_rows(trial: &Trial<'_>, import: &Import, all: &BulkProgress, violate: Violate<'_>) {
    let (_, missing) = unmatched(import, &all.created);
    // A slot of another client with the same content may be taken for one whose answer was lost.
    let is_alike = |slot: &&Slot| import.rows.iter().any(|row| import.is_of_row(slot, row));
    let alike = all.foreign.iter().filter(is_alike).count();
    if missing > alike {
        violate("import", format!("exit 0, yet {missing} rows were not created"));
        return;
    }
    if all.is_disturbed || missing > 0 {
        return;
    }
    let created: BTreeSet<u64> = all.created.iter().map(|slot| slot.id).collect();
    let (count, slots) = (import.rows.len(), &trial.after.slots);
    let from = if import.at_top { 0 } else { slots.len().saturating_sub(count) };
    let there = slots.iter().skip(from).take(count);
    let is_row =
        |(slot, row): (&Slot, _)| created.contains(&slot.id) && import.is_of_row(slot, row);
    if !there.zip(&import.rows).all(is_row) {
        let shown: Vec<_> = slots.iter().map(|it| (it.id, it.data.get("title"))).collect();
        violate("import", format!("exit 0, yet the page is {shown:?}"));
    }
}

/// Checks the numbers in the report of the first run of a rewrite or import.
fn says_what_was_written(trial: &Trial<'_>, all: &BulkProgress, violate: Violate<'_>) {
    let done = all.rewritten.len() + all.created.len();
    let is_certain = all.touched.is_empty() && all.foreign.is_empty();
    let said = match trial.exit {
        Some(0) => {
            let done = trial.done().unwrap_or_default();
            let created = done["created"].as_object().map_or(0, serde_json::Map::len);
            let updated = done["updated"].as_u64().and_then(|it| usize::try_from(it).ok());
            created + updated.unwrap_or_default()
        }
        Some(_) => {
            let Some(failure) = trial.failure() else { return };
            counted(failure["message"].as_str().unwrap_or_default())
        }
        None => return,
    };
    let is_true = if trial.exit == Some(0) { said == done } else { said <= done };
    if is_certain && !is_true {
        violate("counts", format!("{done} slots were written, and it says {said}"));
    }
}

/// Returns the sum of the numbers in `cafe: 3 created, 2 updated before that`.
fn counted(text: &str) -> usize {
    let words: Vec<&str> = text.split([' ', ',', '(', ')']).filter(|it| !it.is_empty()).collect();
    let numbers = words.windows(2).filter(|pair| ["created", "updated"].contains(&pair[1]));
    numbers.filter_map(|pair| pair[0].parse::<usize>().ok()).sum()
}
