//! Random histories of edits on both sides: after each sync every edit is on the page, in the file, or reported.

use std::sync::Mutex;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use super::merge_branches::merge_branches;
use super::service::{FIELDS, stored};
use super::world::{Checked, Figures, LockMode, World, object};
use crate::sync::{FileSlot, FileSlotId};
use links_sdk::SlotId;

/// One step of a history; the numbers choose what it is about.
#[derive(Clone, Copy, Debug)]
struct HistoryStep {
    action: u8,
    a: u16,
    b: u16,
    c: u16,
}

#[derive(Clone, Copy, Debug)]
struct HistoryKind {
    mode: LockMode,
    /// Set if items and slots are copied, so that many are equal.
    copies: bool,
    /// Set if the file keeps the IDs that a pull writes.
    keeps_ids: bool,
}

impl HistoryKind {
    /// Returns whether items keep a title, and nothing else makes it hard to tell them apart.
    fn is_ordinary(self) -> bool {
        self.mode == LockMode::Shared && !self.copies
    }
}

fn steps() -> impl Strategy<Value = Vec<HistoryStep>> {
    let step = (0..32_u8, any::<u16>(), any::<u16>(), any::<u16>());
    let step = step.prop_map(|(action, a, b, c)| HistoryStep { action, a, b, c });
    proptest::collection::vec(step, 4..36)
}

fn pick(len: usize, n: u16) -> Option<usize> {
    (len > 0).then(|| usize::from(n) % len)
}

fn keys_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "button" => &["title", "link"],
        "text" => &["title", "description"],
        _ => &[],
    }
}

impl World {
    fn run(kind: HistoryKind, steps: &[HistoryStep]) -> Result<Figures, (String, Figures)> {
        let mut world = Self::new(kind.mode);
        let result = world.start(kind, steps).and_then(|()| {
            steps.iter().enumerate().skip(1).try_for_each(|(nth, step)| {
                world.note_page();
                world.step(kind, *step).map_err(|problem| format!("step {nth} {step:?}: {problem}"))
            })
        });
        result.map(|()| world.figures).map_err(|problem| (problem, world.figures))
    }

    /// Describes the state after each step of a history.
    fn trace(kind: HistoryKind, steps: &[HistoryStep]) -> String {
        let mut world = Self::new(kind.mode);
        let mut result = world.start(kind, steps);
        let mut trace = vec![world.state()];
        for (nth, step) in steps.iter().enumerate().skip(1) {
            if result.is_err() {
                break;
            }
            world.note_page();
            result = world.step(kind, *step);
            trace.push(format!("step {nth} {step:?}{}", world.state()));
        }
        trace.join("\n")
    }

    fn start(&mut self, kind: HistoryKind, steps: &[HistoryStep]) -> Checked {
        for n in 0..2 + steps[0].a % 4 {
            let data = self.content(steps[0].b.wrapping_add(n), kind);
            self.service.create(data.0, &data.1, usize::MAX);
        }
        let title = stored("title", &self.word("title"));
        let empty = FIELDS.into_iter().map(|key| (key.to_owned(), Value::Null));
        self.service.fields = empty.collect();
        self.service.fields.insert("title".into(), title);
        self.reads_all_fields = steps[0].c.is_multiple_of(2);
        self.pull_and_trim(kind, None, 0)
    }

    fn content(&mut self, n: u16, kind: HistoryKind) -> (&'static str, links_sdk::Object) {
        match n % 7 {
            0..=2 => {
                ("button", object(&[("title", self.word("title")), ("link", self.word("link"))]))
            }
            3 | 4 => ("text", object(&[("title", self.word("title"))])),
            5 => (
                "text",
                object(&[("title", self.word("title")), ("description", self.word("title"))]),
            ),
            _ if kind.copies => ("divider", object(&[])),
            _ => ("button", object(&[("title", self.word("title"))])),
        }
    }

    fn pull_and_trim(
        &mut self,
        kind: HistoryKind,
        base: Option<crate::sync::PageBase>,
        choice: u16,
    ) -> Checked {
        self.pull(base, choice)?;
        if !kind.keeps_ids {
            self.drop_ids();
        }
        Ok(())
    }

    fn drop_ids(&mut self) {
        for slot in &mut self.here.file.slots {
            if matches!(slot.id, FileSlotId::Id(_)) {
                slot.id = FileSlotId::Absent;
            }
        }
    }

    fn step(&mut self, kind: HistoryKind, step: HistoryStep) -> Checked {
        let HistoryStep { action, a, b, c } = step;
        let item = pick(self.here.tags.len(), a);
        let slot = pick(self.service.slots.len(), a);
        match action {
            0..=3 => self.edit_item(item, b, c, kind),
            4 => {
                let (kind, data) = self.content(b, kind);
                let at = usize::from(a) % (self.here.tags.len() + 1);
                let slot = FileSlot { kind: kind.into(), data, ..FileSlot::default() };
                self.add_item(at, slot);
            }
            5 if kind.copies => {
                let Some(item) = item else { return Ok(()) };
                let copy =
                    FileSlot { id: FileSlotId::Absent, ..self.here.file.slots[item].clone() };
                let at = usize::from(b) % (self.here.tags.len() + 1);
                let original = self.here.tags[item];
                let tag = self.add_item(at, copy);
                self.here.copy_of.insert(tag, original);
            }
            6 => {
                let Some(item) = item else { return Ok(()) };
                let tag = self.here.tags[item];
                let slot = self.here.slot_of.get(&tag).copied();
                self.here.is_deletion_shared |=
                    slot.is_some_and(|id| self.service.position(id).is_none());
                self.here.deleted.extend(slot.filter(|id| self.service.position(*id).is_some()));
                self.remove_item(tag);
            }
            7 => {
                let Some(item) = item else { return Ok(()) };
                let (slot, tag) = (self.here.file.slots.remove(item), self.here.tags.remove(item));
                let at = usize::from(b) % (self.here.tags.len() + 1);
                self.here.file.slots.insert(at, slot);
                self.here.tags.insert(at, tag);
                self.here.is_moved |= at != item;
            }
            8 => self.forget_key(item, b, kind),
            9 => self.edit_field(b, c),
            10..=12 => self.edit_slot(slot, b, c),
            13 => {
                let (kind, data) = self.content(b, kind);
                let at = usize::from(a) % (self.service.slots.len() + 1);
                self.make_slot(kind, &data, at);
            }
            14 if kind.copies => {
                let Some(slot) = slot else { return Ok(()) };
                let at = usize::from(b) % (self.service.slots.len() + 1);
                self.copy_slot(slot, at);
            }
            15 => {
                let Some(slot) = slot else { return Ok(()) };
                self.delete_slot(self.service.slots[slot].id);
            }
            16 => {
                let Some(slot) = slot else { return Ok(()) };
                let before = self.service.ids();
                let slot = self.service.slots.remove(slot);
                let at = usize::from(b) % (self.service.slots.len() + 1);
                self.service.slots.insert(at, slot);
                let is_moved = self.service.ids() != before;
                self.each(|copy| copy.is_foreign_moved |= is_moved);
            }
            17 if kind.copies => {
                if let Some(position) = slot {
                    self.recreate_slot(position);
                }
            }
            18 => self.edit_page_field(a, b, c),
            19..=22 => return self.apply(self.record(a), c.is_multiple_of(11), true, c),
            23..=25 => return self.pull_and_trim(kind, self.record(a), c),
            26.. if kind.mode == LockMode::Unreliable => return self.disturb(action, kind, a, c),
            26 | 27 => self.edit_field(b, c),
            28 | 29 => self.edit_page_field(a, b, c),
            _ => {}
        }
        Ok(())
    }

    /// Returns the record that a sync uses.
    fn record(&self, a: u16) -> Option<crate::sync::PageBase> {
        let old = &self.here.old_bases;
        match (self.mode, a % 8) {
            (LockMode::Unreliable, 0) => {
                let nth = pick(old.len(), a / 8);
                nth.map(|nth| old[nth].clone()).or_else(|| self.here.base.clone())
            }
            (LockMode::Unreliable, 1) if a.is_multiple_of(3) => None,
            _ => self.here.base.clone(),
        }
    }

    /// Syncs of machines that do not share the newest record.
    fn disturb(&mut self, action: u8, kind: HistoryKind, a: u16, c: u16) -> Checked {
        match action {
            // The record of a run is lost.
            26 => self.apply(self.here.base.clone(), false, false, c),
            27 => {
                let nth = pick(self.here.old_bases.len(), a);
                if let Some(nth) = nth {
                    self.here.base = Some(self.here.old_bases[nth].clone());
                }
                Ok(())
            }
            28 => {
                if self.other.is_none() {
                    let copy = self.here.clone();
                    self.other = Some(Box::new((copy.clone(), copy)));
                }
                Ok(())
            }
            29 => {
                if let Some(other) = &mut self.other {
                    std::mem::swap(&mut self.here, &mut other.0);
                }
                Ok(())
            }
            30 => {
                if let Some(other) = self.other.take() {
                    let (there, start) = *other;
                    let here = std::mem::take(&mut self.here);
                    self.here = merge_branches(here, there, &start, c.is_multiple_of(2));
                }
                Ok(())
            }
            _ => self.pull_and_trim(kind, self.here.base.clone(), c),
        }
    }

    fn edit_item(&mut self, item: Option<usize>, b: u16, c: u16, kind: HistoryKind) {
        let Some(item) = item else { return };
        let keys = keys_of(&self.here.file.slots[item].kind);
        let Some(key) = pick(keys.len(), b).map(|nth| keys[nth]) else { return };
        let value = match c % 9 {
            0 | 1 if kind.is_ordinary() && key == "title" => self.word(key),
            0 => json!(null),
            1 => json!(""),
            _ => self.word(key),
        };
        let tag = self.here.tags[item];
        let slot = self.here.slot_of.get(&tag);
        let was = self.here.file.slots[item].data.insert(key.into(), value.clone());
        let known = slot.filter(|slot| !self.here.foreign.contains_key(&(**slot, key.to_owned())));
        let on_page = known.map(|slot| self.service.value(*slot, key));
        let is_empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
        // To clear what is empty is no edit.
        let before = was.or(on_page).filter(|before| !is_empty(before)).unwrap_or_default();
        self.here.note_edit(tag, key, &before, &value);
    }

    fn forget_key(&mut self, item: Option<usize>, b: u16, kind: HistoryKind) {
        let Some(item) = item else { return };
        let keys: Vec<String> = self.here.file.slots[item].data.keys().cloned().collect();
        let Some(key) = pick(keys.len(), b).map(|nth| keys[nth].clone()) else { return };
        if kind.is_ordinary() && key == "title" {
            return;
        }
        self.here.file.slots[item].data.remove(&key);
        self.here.edits.remove(&(self.here.tags[item], key));
    }

    fn edit_slot(&mut self, slot: Option<usize>, b: u16, c: u16) {
        let Some(slot) = slot else { return };
        let (id, kind) = (self.service.slots[slot].id, self.service.slots[slot].kind.clone());
        let keys = match &*kind {
            "button" => &["title", "link", "style"][..],
            "divider" => &["style"],
            kind => keys_of(kind),
        };
        let Some(key) = pick(keys.len(), b).map(|nth| keys[nth]) else { return };
        let value = match (key, c % 9) {
            ("style", _) => self.word(key),
            (_, 0) => Value::Null,
            _ => self.word(key),
        };
        let before = self.service.value(id, key);
        self.service.update(id, key, &value);
        self.note_foreign(id, key, &before);
    }

    fn note_foreign(&mut self, id: SlotId, key: &str, before: &Value) {
        let value = self.service.value(id, key);
        self.each(|copy| copy.note_foreign(id, key, before, &value));
    }

    fn make_slot(&mut self, kind: &str, data: &links_sdk::Object, at: usize) {
        let id = self.service.create(kind, data, at);
        self.each(|copy| {
            copy.foreign_made.insert(id);
        });
        for key in keys_of(kind) {
            if !self.service.value(id, key).is_null() {
                self.note_foreign(id, key, &Value::Null);
            }
        }
    }

    /// Copies a slot. Values that were known stay known.
    fn copy_slot(&mut self, position: usize, at: usize) {
        let slot = self.service.slots[position].clone();
        let id = self.service.create(&slot.kind, &slot.data, at);
        self.has_copies = true;
        self.each(|copy| {
            let foreign = copy.foreign.iter().filter(|((was, _), _)| *was == slot.id);
            let copied: Vec<_> =
                foreign.map(|((_, key), value)| ((id, key.clone()), value.clone())).collect();
            copy.foreign.extend(copied);
            copy.foreign_made.insert(id);
        });
    }

    /// Deletes a slot and creates it again, as an undo does.
    fn recreate_slot(&mut self, position: usize) {
        let id = self.service.slots[position].id;
        self.copy_slot(position, position);
        self.delete_slot(id);
    }

    fn delete_slot(&mut self, id: SlotId) {
        self.service.delete(id);
        self.each(|copy| {
            copy.foreign.retain(|(slot, _), _| *slot != id);
            copy.foreign_made.remove(&id);
            copy.foreign_deleted.insert(id);
            copy.is_deletion_shared |= copy.deleted.contains(&id);
        });
    }
}

/// Runs as many histories as `SYNC_HISTORIES` says, or `cases`, and returns the share of the syncs that were refused. `SYNC_SEED` chooses
/// other histories.
fn run_histories(name: &str, kind: HistoryKind, cases: u32) -> f64 {
    let variable = std::env::var("SYNC_HISTORIES").ok();
    let cases = variable.and_then(|text| text.parse().ok()).unwrap_or(cases);
    let seed = std::env::var("SYNC_SEED").ok().and_then(|text| text.parse::<u64>().ok());
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.unwrap_or(1).to_le_bytes());
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let all = Mutex::new((Figures::default(), 0_u32, 0_u32));
    let result = runner.run(&steps(), |steps| {
        let (figures, failed) = match World::run(kind, &steps) {
            Ok(figures) => (figures, None),
            Err((problem, figures)) => (figures, Some(problem)),
        };
        let mut all = all.lock().unwrap();
        all.0.applies += figures.applies;
        all.0.pulls += figures.pulls;
        all.0.conflicts += figures.conflicts;
        all.0.refusals += figures.refusals;
        all.0.swapped += figures.swapped;
        all.0.ambiguous += figures.ambiguous;
        all.0.perhaps_deleted += figures.perhaps_deleted;
        all.0.resembles += figures.resembles;
        all.1 += 1;
        all.2 += u32::from(figures.refusals > 0);
        failed.map_or(Ok(()), |problem| Err(TestCaseError::fail(problem)))
    });
    let (figures, histories, refused) = *all.lock().unwrap();
    println!("{name}: {histories} histories, {refused} with a refusal, {figures:?}");
    match result {
        Ok(()) => {}
        Err(TestError::Fail(problem, steps)) => {
            panic!("{name}: {problem}\n{}", World::trace(kind, &steps))
        }
        Err(error) => panic!("{name}: {error}"),
    }
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let syncs = figures.applies + figures.pulls;
    if kind.is_ordinary() && histories >= 1000 {
        let refused = share(refused as usize, histories as usize);
        assert!(refused < 0.01, "{refused} of the histories had a refusal");
    }
    share(figures.refusals, syncs)
}

#[test]
fn ordinary_histories_lose_nothing_and_are_hardly_ever_refused() {
    for keeps_ids in [false, true] {
        let kind = HistoryKind { mode: LockMode::Shared, copies: false, keeps_ids };
        let refused = run_histories(&format!("ordinary, ids {keeps_ids}"), kind, 120);
        assert!(refused < 0.01, "{refused} of the syncs were refused");
    }
}

#[test]
fn histories_full_of_copies_lose_nothing() {
    for keeps_ids in [false, true] {
        let kind = HistoryKind { mode: LockMode::Shared, copies: true, keeps_ids };
        run_histories(&format!("copies, ids {keeps_ids}"), kind, 120);
    }
}

#[test]
fn histories_with_stale_lost_and_merged_records_lose_nothing() {
    for copies in [false, true] {
        for keeps_ids in [false, true] {
            let kind = HistoryKind { mode: LockMode::Unreliable, copies, keeps_ids };
            run_histories(&format!("unreliable, copies {copies}, ids {keeps_ids}"), kind, 80);
        }
    }
}
