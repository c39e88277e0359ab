//! `links apply` in a clone, and the checks of what it did.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::repo::{Doc, Kind, Place};
use super::truth::{Truth, common};
use super::world::GitWorld;
use crate::apply::{Plan, PlanOptions, same};
use crate::sync::tests::service::stored;
use crate::sync::{Conflict, FilePage, LineKey, Merge, RemoteChange};
use links_sdk::SlotId;

impl GitWorld {
    pub(super) fn apply_all(&mut self, m: usize) {
        for doc in 0..2 {
            self.apply(m, doc);
        }
        self.now += 1;
    }

    fn fail(&mut self, text: String) {
        self.found.push(text);
    }

    fn count(&mut self, what: &'static str) {
        *self.noise.entry(what).or_default() += 1;
    }

    fn apply(&mut self, m: usize, doc: usize) {
        let said = self.clones[m].files.docs[doc].clone();
        let file = said.file();
        let Some(known) = self.known(m, doc, &file, false) else {
            return self.fail("no base".to_owned());
        };
        let live = self.live[doc].read(doc);
        let options = PlanOptions { types: Self::types(), ..PlanOptions::default() };
        self.count("applies");
        let head = self.repo.commits[self.head(m)].clone();
        let is_clean = said == head.files.docs[doc];
        if is_clean && self.clones[m].files.locks[doc] == head.files.locks[doc] {
            self.check_shallow(m, doc, &file, &live);
        }
        let Ok(merge) = Merge::new(Some(&known.base), &file, &live, &options) else {
            return self.count("refused");
        };
        let (edits, syncs) = (head.edits | self.clones[m].edits, head.syncs | self.clones[m].syncs);
        let before = self.live[doc].values();
        let truth: BTreeMap<LineKey, Truth> = before
            .iter()
            .map(|(key, value)| (key.clone(), self.truth(doc, key, value, edits, syncs, &said)))
            .collect();
        let reported = reported(&merge);
        for key in &reported {
            if let Some(truth) = truth.get(key)
                && !truth.is_foreign
            {
                self.count(if truth.is_known { "needless" } else { "needless, settled before" });
            }
        }
        let about: Vec<Place> = head
            .about
            .iter()
            .filter(|(of, _)| *of == doc && is_clean)
            .map(|(_, place)| place.clone())
            .collect();
        if !merge.conflicts.is_empty() {
            self.count("conflicts");
            let excuse =
                reported.iter().any(|key| truth.get(key).is_none_or(|truth| !truth.is_known));
            if !about.is_empty() && head.kind != Kind::Plain && !excuse {
                self.fail(format!("{:?} without effect: conflict in {reported:?}", head.kind));
            }
            return;
        }
        let slots = self.live[doc].page.slots.clone();
        let plan = match Plan::new(&slots, &merge.wanted(), &options) {
            Ok(plan) => plan,
            Err(error) => return self.fail(format!("no plan: {error}")),
        };
        self.check_twice(doc, &said, &plan);
        let created = self.execute(doc, &said, &merge, &plan);
        let after = self.live[doc].values();
        let written = self.check_written(doc, (&before, &after), &truth, edits);
        let read = self.live[doc].read(doc);
        let next = merge.base_after(Some(&known.base), &file, &read, &created, &Self::types());
        let at = self.repo.place(self.head(m));
        let lines = known.lines_after(&next, &written, self.now / self.tick, at);
        let made = merge.remote.iter().filter_map(|change| match change {
            RemoteChange::Made { id, .. } => Some(LineKey::Slot(*id)),
            _ => None,
        });
        let listed = made.chain(reported.iter().cloned()).collect();
        for place in about.iter().filter(|_| head.kind != Kind::Plain) {
            self.check_about(doc, place, (&said, &after), &listed, &truth);
        }
        self.check_silence(doc, &said, &after, &reported, &written);
        let Some(lines) = lines.filter(|lines| *lines != self.clones[m].files.locks[doc]) else {
            return;
        };
        self.note_sync(m, doc, &said, edits, &written, &after);
        self.clones[m].files.locks[doc] = lines;
        self.clones[m].files.lock_paths[doc] = said.path();
    }

    /// Carries a plan out. Returns the new slots by the index of their item.
    fn execute(
        &mut self,
        doc: usize,
        said: &Doc,
        merge: &Merge,
        plan: &Plan,
    ) -> BTreeMap<usize, SlotId> {
        let ids = self.live[doc].page.execute(plan);
        for (key, value) in merge.fields.iter() {
            self.live[doc].page.fields.insert(key.clone(), stored(key, value));
        }
        let tags = said.tags();
        let mut created = BTreeMap::new();
        for (create, id) in plan.creates.iter().zip(&ids) {
            created.insert(create.index, *id);
            self.live[doc].tag_of.insert(*id, tags[create.index]);
        }
        // An item may be given to the slot of another one that was removed.
        for (item, slot) in merge.items.iter().zip(&merge.desired.slots) {
            if let Some(id) = slot.id {
                self.live[doc].tag_of.insert(id, tags[*item]);
            }
        }
        created
    }

    /// Nothing that is foreign is replaced. Returns the keys that were written.
    fn check_written(
        &mut self,
        doc: usize,
        (before, after): (&BTreeMap<LineKey, Value>, &BTreeMap<LineKey, Value>),
        truth: &BTreeMap<LineKey, Truth>,
        edits: u128,
    ) -> BTreeSet<LineKey> {
        let mut written = BTreeSet::new();
        for key in before.keys().chain(after.keys()).cloned().collect::<BTreeSet<LineKey>>() {
            let [was, is] =
                [before, after].map(|values| values.get(&key).cloned().unwrap_or_default());
            let is_moved = key != LineKey::Order || common(&was, &is) != common(&is, &was);
            if same(&was, &is) || !is_moved {
                continue;
            }
            if let Some(truth) = truth.get(&key)
                && truth.is_foreign
                && !self.was_set_here(doc, &key, &was, truth.writer, edits)
            {
                self.fail(format!(
                    "file {doc}: {key:?} was {was} by {:?}, and is {is}",
                    truth.writer
                ));
            }
            written.insert(key);
        }
        written
    }

    fn check_twice(&mut self, doc: usize, said: &Doc, plan: &Plan) {
        let tags = said.tags();
        let live = &self.live[doc];
        let there: BTreeMap<u32, SlotId> = live
            .page
            .slots
            .iter()
            .filter_map(|slot| Some((*live.tag_of.get(&slot.id)?, slot.id)))
            .collect();
        let mut found = Vec::new();
        for create in &plan.creates {
            let Some(id) = there.get(&tags[create.index]) else { continue };
            let keeps = create
                .data
                .iter()
                .any(|(key, value)| same(&stored(key, value), &live.page.value(*id, key)));
            if keeps {
                found.push(format!(
                    "item {} is slot {id}, and is created again",
                    tags[create.index]
                ));
            }
        }
        self.found.extend(found);
    }

    /// What a revert or a merge changed in the file is on the page afterwards, or reported.
    fn check_about(
        &mut self,
        doc: usize,
        place: &Place,
        (said, after): (&Doc, &BTreeMap<LineKey, Value>),
        reported: &BTreeSet<LineKey>,
        truth: &BTreeMap<LineKey, Truth>,
    ) {
        let slot_of = |tag: u32| {
            let live = &self.live[doc];
            live.page.ids().into_iter().rfind(|id| live.tag_of.get(id) == Some(&tag))
        };
        let (key, is_as_said) = match place {
            Place::Field(name) => {
                let key = LineKey::Field(name.clone());
                let value = after.get(&key).cloned().unwrap_or_default();
                (key, same(&stored(name, &said.value(place)), &value))
            }
            Place::Item(tag) => {
                let is_wanted = said.value(place) == true;
                let slot = slot_of(*tag);
                let is_gone = self.live[doc]
                    .tag_of
                    .iter()
                    .filter(|(_, of)| *of == tag)
                    .map(|(id, _)| *id)
                    .max();
                let Some(id) = slot.or(is_gone) else { return };
                (LineKey::Slot(id), is_wanted == slot.is_some())
            }
            Place::Value(tag, name) => {
                if said.value(&Place::Item(*tag)) != true {
                    return;
                }
                let Some(id) = slot_of(*tag) else { return };
                let key = LineKey::Key(id, name.clone());
                let value = after.get(&key).cloned().unwrap_or_default();
                (key, same(&stored(name, &said.value(place)), &value))
            }
            Place::Order => {
                let value = after.get(&LineKey::Order).cloned().unwrap_or_default();
                (LineKey::Order, self.agrees(said, place, &LineKey::Order, &value, doc))
            }
            Place::Path => return,
        };
        let is_known = truth.get(&key).is_some_and(|truth| truth.is_known);
        if !is_as_said && (is_known || !reported.contains(&key)) {
            self.fail(format!("file {doc}: a revert or merge of {place:?} without effect on {key:?}: {:?}, reported {reported:?}", truth.get(&key)));
        }
    }

    /// Nothing written and nothing reported: then page and file are one.
    fn check_silence(
        &mut self,
        doc: usize,
        said: &Doc,
        after: &BTreeMap<LineKey, Value>,
        reported: &BTreeSet<LineKey>,
        written: &BTreeSet<LineKey>,
    ) {
        if !reported.is_empty() || !written.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for (key, value) in after {
            let Some(place) = self.place(doc, key) else { continue };
            let is_in_file = match &place {
                Place::Value(tag, _) => said.value(&Place::Item(*tag)) == true,
                _ => true,
            };
            if is_in_file
                && said.values.contains_key(&place)
                && !self.agrees(said, &place, key, value, doc)
            {
                found.push(format!("file {doc}: {key:?} is {value} without a word"));
            }
        }
        self.found.extend(found);
    }

    /// A shallow clone of HEAD writes nothing that the whole history would keep.
    fn check_shallow(
        &mut self,
        m: usize,
        doc: usize,
        file: &FilePage,
        live: &crate::sync::LivePage,
    ) {
        let Some(known) = self.known(m, doc, file, true) else { return };
        let options = PlanOptions { types: Self::types(), ..PlanOptions::default() };
        let Ok(merge) = Merge::new(Some(&known.base), file, live, &options) else { return };
        if !merge.conflicts.is_empty() || known.is_unsure(live) {
            return self.count("refused in a shallow clone");
        }
        let head = self.repo.commits[self.head(m)].clone();
        let said = head.files.docs[doc].clone();
        let mut changed: Vec<LineKey> =
            merge.fields.keys().map(|name| LineKey::Field(name.clone())).collect();
        for slot in &merge.desired.slots {
            if let Some(id) = slot.id {
                changed.extend(slot.data.keys().map(|name| LineKey::Key(id, name.clone())));
            }
        }
        changed.extend(merge.deletions.iter().map(|it| LineKey::Slot(it.id)));
        let values = self.live[doc].values();
        for key in changed {
            let Some(value) = values.get(&key) else { continue };
            let truth = self.truth(doc, &key, value, head.edits, head.syncs, &said);
            if truth.is_foreign && !self.was_set_here(doc, &key, value, truth.writer, head.edits) {
                self.fail(format!(
                    "in a shallow clone, file {doc}: {key:?} is {value} by {:?}, and is replaced",
                    truth.writer
                ));
            }
        }
    }
}

/// Returns what a merge keeps or refuses.
fn reported(merge: &Merge) -> BTreeSet<LineKey> {
    let remote = merge.remote.iter().filter_map(|change| match change {
        RemoteChange::Key { id, key, .. } => Some(LineKey::Key(*id, key.clone())),
        RemoteChange::Field { key, .. } => Some(LineKey::Field(key.clone())),
        RemoteChange::Deleted { id, .. } => Some(LineKey::Slot(*id)),
        RemoteChange::Order { .. } => Some(LineKey::Order),
        RemoteChange::Made { .. } => None,
        #[expect(unreachable_patterns, reason = "new kinds")]
        _ => None,
    });
    let conflicts = merge.conflicts.iter().map(|conflict| match conflict {
        Conflict::Value { slot: Some((_, id)), key, .. } => LineKey::Key(*id, key.clone()),
        Conflict::Value { slot: None, key, .. } => LineKey::Field(key.clone()),
        Conflict::DeletedThere { id, .. } | Conflict::DeletedHere { id, .. } => LineKey::Slot(*id),
        Conflict::Order { .. } => LineKey::Order,
    });
    remote.chain(conflicts).collect()
}
