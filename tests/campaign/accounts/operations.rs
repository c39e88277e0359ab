//! The operations of a machine, as the log tells them and as they were, and the rules for taking them back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use links_fixtures::Slot;
use serde_json::Value;

use super::history::{AccountCommand, Undoing};
use super::memory::Memory;
use super::names::{Names, mark_of};
use super::rules::AccountTrial;
use super::world::{AccountWorld, Owner, Place};
use crate::invariants::{Violate, Violation};
use crate::proxy::{Event, Request};
use crate::world::alike;

/// Key of the place that holds the order of the slots of a page.
const ORDER: &str = "order";

/// Key of the place that tells that a slot is there.
const KIND: &str = "type";

/// Everything that an undo restores, by its place.
type Content = BTreeMap<Place, Value>;

/// What an operation did, as the requests show.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    id: String,
    /// The values before and after it.
    changes: BTreeMap<Place, (Value, Value)>,
    /// The values that its commands have found.
    between: Vec<(Place, Value)>,
    before: Arc<AccountWorld>,
    after: Arc<AccountWorld>,
    /// Set if it succeeded in one command, and had the account for itself.
    is_clean: bool,
}

/// An operation as `links log` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    id: String,
    state: String,
    kind: String,
    undoes: Option<String>,
    undone: Option<String>,
    /// What is said of each page and form.
    parts: Vec<[String; 3]>,
}

/// The operations of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations {
    /// The newest first.
    rows: Vec<Row>,
    known: Vec<Operation>,
    names: Names,
    /// Slots that commands of the machine have made.
    made: BTreeSet<u64>,
    /// Those of them that an undo or redo has made again.
    restored: BTreeSet<u64>,
    /// Set if it is not known which of two commands has written what.
    is_blind: bool,
    /// Set once the log has told of a command that was cut short.
    was_cut_short: bool,
}

impl Operations {
    /// Takes the log after a command, and returns what is wrong with it, and with the command if that takes an operation back.
    pub(crate) fn check(&mut self, log: &Value, trial: &AccountTrial<'_>) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut violate = |rule: &'static str, text: String| found.push(Violation { rule, text });
        let rows: Vec<Row> = log["data"].as_array().into_iter().flatten().map(Row::of).collect();
        let old = std::mem::replace(&mut self.rows, rows);
        self.was_cut_short |= is_any_cut_short(&old);
        for event in trial.events {
            self.names.note(&event.before);
            self.names.note(&event.after);
        }
        self.names.note(trial.after);
        let own = self.changes(trial.events.iter().filter(|event| trial.is_own(event)));
        for event in trial.events.iter().filter(|event| trial.is_own(event)) {
            let (before, after) = (slot_ids(&event.before), slot_ids(&event.after));
            self.made.extend(after.difference(&before));
            if trial.command.undoing().is_some() {
                self.restored.extend(after.difference(&before));
            }
        }
        let is_old = |row: &Row| old.iter().any(|old| old.id == row.id && old.parts == row.parts);
        // Of a run that did not begin, it is not recorded which operation it belongs to.
        let grown = self.rows.iter().filter(|row| !is_old(row));
        let grown = grown.min_by_key(|row| row.state == "not_begun").cloned();
        // Of two commands at once, one may have been told what the other has made.
        let has_written = !own.is_empty() || trial.ended.exit == Some(0) || trial.is_concurrent;
        let grown = grown.filter(|_| has_written);
        let continued = grown.as_ref().and_then(|row| old.iter().find(|old| old.id == row.id));
        tells_the_truth(grown.as_ref(), continued, &own, trial, &mut violate);
        if let Some(how) = trial.command.undoing().filter(|_| !self.is_blind) {
            // Of a command that was killed before it wrote, it is not known what it was to write. Somebody else may have written the same.
            let undone = grown.as_ref().and_then(|row| row.undoes.as_deref());
            if !self.was_cut_short || undone.is_none_or(|id| self.known(id).is_some()) {
                self.takes_back_its_own(how, trial, &mut violate);
            }
            if trial.is_plain && !is_disturbed(trial) {
                self.restores(&old, grown.as_ref(), how, trial, &mut violate);
            }
        }
        if let Some(row) = grown.filter(|_| !self.is_blind) {
            // Of two commands at once, each may have sent what the other had just written.
            let sent = if trial.is_concurrent { self.changes(trial.events.iter()) } else { own };
            self.note(row, sent, trial);
        }
        found
    }

    /// Notes that two commands ran at once.
    pub(crate) fn lose_sight(&mut self) {
        self.is_blind = true;
        self.known.iter_mut().for_each(|operation| operation.is_clean = false);
    }

    /// Forgets everything, with the state of the machine.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    fn note(&mut self, row: Row, own: BTreeMap<Place, (Value, Value)>, trial: &AccountTrial<'_>) {
        let Some((first, last)) = trial.events.first().zip(trial.events.last()) else { return };
        let is_clean = trial.ended.exit == Some(0) && trial.is_fresh && !is_disturbed(trial);
        let own_is_empty = own.is_empty();
        // What others wrote a moment before a request is not what the command has seen.
        let mut seen = self.content(&first.before);
        let mut between: Vec<(Place, Value)> = own
            .keys()
            .map(|place| (place.clone(), seen.remove(place).unwrap_or_default()))
            .collect();
        if trial.ended.killed {
            // Its journal may have a request that was not sent, and somebody else may have written the same since.
            between.extend(seen);
        }
        // One command may write a value several times.
        for event in trial.events.iter().filter(|it| trial.is_own(it) && it.has_changed()) {
            let changes = self.differences(&event.before, &event.after).into_iter();
            between.extend(changes.map(|(place, (was, _))| (place, was)));
        }
        if let Some(operation) = self.known.iter_mut().find(|it| it.id == row.id) {
            between.extend(own.iter().map(|(place, (before, _))| (place.clone(), before.clone())));
            operation.between.append(&mut between);
            for (place, (before, after)) in own {
                operation.changes.entry(place).or_insert((before, Value::Null)).1 = after;
            }
            operation.is_clean &= own_is_empty;
            return;
        }
        self.known.push(Operation {
            id: row.id,
            changes: own,
            between,
            before: first.before.clone(),
            after: last.after.clone(),
            is_clean,
        });
    }

    fn known(&self, id: &str) -> Option<&Operation> {
        self.known.iter().find(|operation| operation.id == id)
    }

    /// Checks that each request reverses what an operation of this machine wrote, and is still there.
    fn takes_back_its_own(&self, how: Undoing, trial: &AccountTrial<'_>, violate: Violate<'_>) {
        let mut memory = trial.memory.clone();
        // Of a command that was killed, the journal may have a request that was not sent; somebody else may have written the same, and the
        // command that finished it has taken that for its own.
        let is_written = |place: &Place| {
            self.known.iter().any(|operation| operation.changes.contains_key(place))
        };
        for (nth, event) in trial.events.iter().enumerate() {
            let is_write = event.request.as_ref().is_some_and(Request::is_executed);
            if trial.is_own(event) && is_write && event.has_changed() {
                for (place, (was, is)) in self.differences(&event.before, &event.after) {
                    // Somebody else may have made the same slot in another way, which is not looked for.
                    if place.2 == ORDER
                        || self.is_twin(&place, &event.after, &memory)
                        || self.was_cut_short && !is_written(&place)
                    {
                        continue;
                    }
                    // Of an operation of several commands, each command is reversed for itself.
                    let reverses = |operation: &Operation| {
                        let between = || {
                            let between = operation.between.iter();
                            between.filter(|(at, _)| *at == place).map(|(_, then)| then)
                        };
                        operation.changes.get(&place).is_some_and(|(before, after)| {
                            (became(before, &is, &place)
                                || between().any(|then| became(then, &is, &place)))
                                && (how.overwrite
                                    || alike(after, &was)
                                    || between().any(|then| alike(then, &was)))
                        })
                    };
                    let known_by = self.names.slot(&place, &event.before).map(mark_of);
                    let known_by = known_by.unwrap_or(&place.1).to_owned();
                    let edited = (place.0.clone(), known_by, place.2.clone());
                    let unseen = memory.foreign.get(&edited).is_some_and(|foreign| {
                        let is_field = place.1.is_empty();
                        foreign.event.is_some() && !trial.has_seen(&place.0, is_field, foreign, nth)
                    });
                    if !unseen && !self.known.iter().any(reverses) {
                        let text = format!(
                            "{place:?} was {was} and became {is}, which reverses no operation"
                        );
                        violate("undo of others", text);
                    }
                    if let (Some(page), Owner::Page(id)) = (how.page, &place.0)
                        && *id != event.before.pages[page % event.before.pages.len()].id
                    {
                        violate("another page", format!("{place:?} became {is}"));
                    }
                }
            }
            memory.note(Some(nth), event, event.machine.is_none());
        }
    }

    /// Checks an undo or redo that nothing interfered with: which operation it takes back, and what the account has afterwards.
    fn restores(
        &self,
        old: &[Row],
        row: Option<&Row>,
        how: Undoing,
        trial: &AccountTrial<'_>,
        violate: Violate<'_>,
    ) {
        let before = trial.events.first().map_or(trial.after, |event| &event.before);
        let (was, is) = (self.content(before), self.content(trial.after));
        let expected = self.expected(old, trial.command).filter(|newest| {
            let is_of_page = how.page.is_none_or(|page| {
                let id = before.pages[page % before.pages.len()].id;
                newest.changes.keys().any(|(owner, ..)| *owner == Owner::Page(id))
            });
            trial.is_fresh
                && is_of_page
                && self.is_untouched(newest, before)
                && self.is_reversible(newest)
        });
        if trial.ended.exit != Some(0) {
            if let Some(expected) = expected {
                let text = format!("the operation {} was not taken back", expected.id);
                violate("not undone", text);
            }
            if trial.ended.exit == Some(7) && was != is {
                violate("refused", "it ended with 7, and something was written".to_owned());
            }
            return;
        }
        let target = row.and_then(|row| self.known(row.undoes.as_deref()?));
        if let (Some(expected), Some(target)) = (expected, target)
            && expected.id != target.id
        {
            let text = format!("{} was taken back, and {} is newer", target.id, expected.id);
            violate("which operation", text);
        }
        let Some(target) = target.filter(|it| it.is_clean) else { return };
        let is_begun = old.iter().any(|it| it.id == target.id && it.undone.is_some());
        let page = how.page.map(|page| Owner::Page(before.pages[page % before.pages.len()].id));
        let is_meant = |place: &Place| page.as_ref().is_none_or(|page| place.0 == *page);
        let value = |content: &Content, place: &Place| -> Value {
            content.get(place).cloned().unwrap_or_default()
        };
        for (place, (then, left)) in &target.changes {
            let (now, new) = (value(&was, place), value(&is, place));
            if place.2 == ORDER || !is_meant(place) || !self.can_restore(target, place, trial) {
                continue;
            }
            // A slot that others have made again, perhaps in another way, is one that came since.
            let slot = self.names.slot(place, before);
            let was_left = self.names.slot(place, &target.after).map(|slot| slot.id);
            let is_another = left.is_null() || slot.map(|slot| slot.id) != was_left;
            let first = self.names.slot(place, &target.before).map(|slot| slot.id);
            let first = first.or(was_left);
            let is_restored =
                |slot: &Slot| first.is_some_and(|first| self.has_restored(slot.id, first));
            if is_another && slot.is_some_and(|slot| !is_restored(slot)) {
                continue;
            }
            // An earlier command has made the slot again for this undo, and others have changed it since.
            if is_begun && is_another && alike(&new, &now) {
                continue;
            }
            // What others have deleted stays deleted, which the command says.
            if slot.is_none() && was_left.is_some_and(|id| is_told_as_left(trial, id)) {
                continue;
            }
            let is_changed = !alike(&now, then) && !alike(&now, left);
            // An earlier command has restored it, or kept what others had made of the slot.
            let was_restored = || {
                let mut undone = old.iter().filter(|row| row.undoes.as_ref() == Some(&target.id));
                undone.any(|row| {
                    self.known(&row.id).is_some_and(|undo| undo.changes.contains_key(place))
                })
            };
            let is_edited = target.is_edited(place, &was) || was_restored();
            if is_begun && is_edited && alike(&new, &now) {
                continue;
            }
            if is_changed && !how.keep_changed && !how.overwrite {
                violate("foreign", format!("{place:?} is {now}, was left as {left}: no conflict"));
            }
            let stays = how.keep_changed && target.is_edited(place, &was);
            let is_kept = stays && alike(&new, &now);
            if !is_kept && !became(then, &new, place) {
                violate("undone", format!("{place:?} was {then}, and is {new} after {now}"));
            }
        }
        for place in was.keys().chain(is.keys()) {
            // What an earlier command made again has a name of its own where others had made the same slot again.
            let again = self.names.slot(place, before).filter(|it| self.restored.contains(&it.id));
            let mark = again.map_or(&*place.1, mark_of).to_owned();
            let is_changed =
                |mark| target.changes.contains_key(&(place.0.clone(), mark, place.2.clone()));
            let is_written = is_changed(place.1.clone()) || is_changed(mark);
            let is_own = place.2 == ORDER || is_written && is_meant(place);
            let (now, new) = (value(&was, place), value(&is, place));
            let is_twin = || self.is_twin(place, trial.after, trial.memory);
            if !is_own && !alike(&now, &new) && !is_twin() {
                violate("undone", format!("{place:?} was {now}, and is {new}: nobody wrote it"));
            }
        }
        if how.page.is_none() && self.is_untouched(target, before) && self.is_reversible(target) {
            target.check_order(&self.content(&target.before), &is, violate);
        }
    }

    /// Returns whether a slot is there once more, made or edited by others: it does not count as the same.
    fn is_twin(&self, place: &Place, world: &AccountWorld, memory: &Memory) -> bool {
        self.names.twins(place, world).any(|twin| self.is_of_others(&place.0, twin, memory))
    }

    /// Returns whether others have made or edited a slot.
    fn is_of_others(&self, page: &Owner, slot: &Slot, memory: &Memory) -> bool {
        let is_of_it = |(owner, mark, _): &Place| owner == page && mark == mark_of(slot);
        !self.made.contains(&slot.id) || memory.foreign.keys().any(is_of_it)
    }

    /// Returns whether a slot is another one, or what this machine has made again of it.
    fn has_restored(&self, id: u64, earlier: u64) -> bool {
        let came_for = |id: &u64| self.names.came_for(*id).filter(|_| self.restored.contains(id));
        std::iter::successors(Some(id), came_for).any(|id| id == earlier)
    }

    /// Returns whether the pages and forms of an operation are as it left them, with the slots that it left.
    fn is_untouched(&self, operation: &Operation, now: &AccountWorld) -> bool {
        let owners: BTreeSet<&Owner> = operation.changes.keys().map(|(owner, ..)| owner).collect();
        let of = |world: &AccountWorld| -> Content {
            let of = self.content(world).into_iter();
            of.filter(|((owner, ..), _)| owners.contains(owner)).collect()
        };
        let pages = now.pages.iter().filter(|page| owners.contains(&Owner::Page(page.id)));
        let left = slot_ids(&operation.after);
        let is_own = |id: u64| left.iter().any(|left| self.has_restored(id, *left));
        of(now) == of(&operation.after)
            && pages.flat_map(|page| &page.slots).all(|slot| is_own(slot.id))
    }

    /// Returns whether all of an operation can be taken back without another word.
    fn is_reversible(&self, operation: &Operation) -> bool {
        let start = self.content(&operation.before);
        let is_of_old = |(owner, ..): &Place| start.keys().any(|(of, ..)| of == owner);
        let is_new_key = |(place, (then, _)): (&Place, &(Value, Value))| {
            then.is_null() && !operation.is_new_slot(place)
        };
        !operation.changes.is_empty()
            && operation.changes.keys().all(|place| is_of_old(place) && place.2 != "login")
            && !operation.changes.iter().any(is_new_key)
    }

    /// Returns whether a place is one that the program can restore: neither in a new page or form, nor a value that the service cannot clear.
    fn can_restore(&self, operation: &Operation, place: &Place, trial: &AccountTrial<'_>) -> bool {
        let (owner, _, key) = place;
        let start = self.content(&operation.before);
        let (then, _) = &operation.changes[place];
        start.keys().any(|(of, ..)| of == owner)
            && key != "login"
            && (!then.is_null()
                || operation.is_new_slot(place)
                || !trial.output().contains(key.as_str()))
    }

    /// Returns what requests have changed: each value before and after them.
    fn changes<'e>(
        &self,
        events: impl Iterator<Item = &'e Event<AccountWorld>>,
    ) -> BTreeMap<Place, (Value, Value)> {
        let mut own: BTreeMap<Place, (Value, Value)> = BTreeMap::new();
        for event in events.filter(|event| event.has_changed()) {
            for (place, (before, after)) in self.differences(&event.before, &event.after) {
                own.entry(place).or_insert((before, Value::Null)).1 = after;
            }
        }
        own.retain(|_, (before, after)| !alike(before, after));
        own
    }

    /// Returns the places at which two accounts differ, with both values.
    fn differences(
        &self,
        one: &AccountWorld,
        other: &AccountWorld,
    ) -> BTreeMap<Place, (Value, Value)> {
        let (mut before, mut after) = (self.content(one), self.content(other));
        let places: BTreeSet<Place> = before.keys().chain(after.keys()).cloned().collect();
        let pair = |place: Place| {
            let pair = [&mut before, &mut after].map(|it| it.remove(&place).unwrap_or_default());
            let [was, is] = pair;
            (!alike(&was, &is)).then_some((place, (was, is)))
        };
        places.into_iter().filter_map(pair).collect()
    }

    fn content(&self, world: &AccountWorld) -> Content {
        let mut content = Content::new();
        for page in &world.pages {
            let mut put = |name: &str, key: &str, value: Value| {
                content.insert((Owner::Page(page.id), name.to_owned(), key.to_owned()), value)
            };
            put("", "login", page.login.as_str().into());
            put("", "title", page.title.clone().into());
            put("", "description", page.description.clone().into());
            for slot in &page.slots {
                put(self.names.of(slot), KIND, slot.kind.as_str().into());
                for (key, value) in &slot.data {
                    put(self.names.of(slot), key, value.clone());
                }
            }
            let order = page.slots.iter().map(|slot| self.names.of(slot)).collect();
            put("", ORDER, order);
        }
        for form in &world.forms {
            let mut put = |key: &str, value: Value| {
                content.insert((Owner::Form(form.id.clone()), String::new(), key.to_owned()), value)
            };
            put("title", form.title.as_str().into());
            put("buttonText", form.button_text.as_str().into());
            put("successMessage", form.success_message.as_str().into());
            put("fields", form.fields.iter().map(|field| field.label.as_str()).collect());
        }
        content
    }

    /// Returns the operation that has to be taken back, if all that is newer is surely taken back or not meant.
    fn expected(&self, rows: &[Row], command: AccountCommand) -> Option<&Operation> {
        let is_meant = |row: &Row| match command {
            AccountCommand::Redo(_) => row.kind == "undo",
            _ => row.kind == "write",
        };
        for row in rows {
            let operation = self.known(&row.id)?;
            if !operation.is_clean || row.state != "done" {
                return None;
            }
            match row.undone.as_deref() {
                Some("whole") => {}
                Some(_) => return None,
                None if is_meant(row) && !operation.changes.is_empty() => return Some(operation),
                None => {}
            }
        }
        None
    }
}

/// Returns whether an undo says of a slot that it was not restored.
fn is_told_as_left(trial: &AccountTrial<'_>, id: u64) -> bool {
    let said: Value = serde_json::from_str(&trial.ended.out).unwrap_or_default();
    said["data"]["notRestored"].as_array().into_iter().flatten().any(|slot| slot["id"] == id)
}

impl Operation {
    fn is_new_slot(&self, (owner, name, _): &Place) -> bool {
        let kind = (owner.clone(), name.clone(), KIND.to_owned());
        self.changes.get(&kind).is_some_and(|(then, _)| then.is_null())
    }

    /// Returns whether others have changed the value, or anything of the slot.
    fn is_edited(&self, (owner, name, key): &Place, now: &Content) -> bool {
        self.changes.iter().any(|(place, (then, left))| {
            let is_same_slot = !name.is_empty() && place.1 == *name || place.2 == *key;
            let value = now.get(place).unwrap_or(&Value::Null);
            place.0 == *owner && is_same_slot && !alike(value, then) && !alike(value, left)
        })
    }

    fn check_order(&self, before: &Content, now: &Content, violate: Violate<'_>) {
        for place in self.changes.keys().filter(|(.., key)| key == ORDER) {
            if before.get(place) != now.get(place) {
                let text =
                    format!("{place:?} was {:?}, and is {:?}", before.get(place), now.get(place));
                violate("undone", text);
            }
        }
    }
}

impl Row {
    fn of(row: &Value) -> Self {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        let part = |part: &Value| ["run", "state", "summary"].map(|name| part[name].to_string());
        Self {
            id: text("operation").unwrap_or_default(),
            state: text("state").unwrap_or_default(),
            kind: text("kind").unwrap_or_default(),
            undoes: text("undoes"),
            undone: text("undone"),
            parts: row["parts"].as_array().into_iter().flatten().map(part).collect(),
        }
    }
}

/// Checks what the log says of a command that has just ended.
fn tells_the_truth(
    row: Option<&Row>,
    continued: Option<&Row>,
    own: &BTreeMap<Place, (Value, Value)>,
    trial: &AccountTrial<'_>,
    violate: Violate<'_>,
) {
    let Some(row) = row else {
        if !own.is_empty() {
            violate("log", format!("nothing is in the log of {own:?}"));
        }
        return;
    };
    if own.is_empty() {
        return;
    }
    if ["refused", "not_sent", "not_begun"].contains(&row.state.as_str()) {
        violate("log", format!("it wrote {own:?}, and the log says {row:?}"));
    }
    // What the earlier command has left on a page may have been done by others since, or by its write whose answer was lost. Its page may not
    // be in the files any more.
    let is_left =
        |old: &Row| row.parts.iter().all(|part| part[1] == "\"done\"" || old.parts.contains(part));
    let is_continued = continued.is_some();
    let is_part = is_continued && ["partial", "unknown"].contains(&row.state.as_str())
        || continued.is_some_and(is_left);
    // An undo that is continued on one page leaves the others as they are.
    let is_of_page = trial.command.undoing().is_some_and(|how| how.page.is_some());
    let is_part = is_part || is_continued && is_of_page;
    if trial.ended.exit == Some(0) && row.state != "done" && !is_part {
        violate("log", format!("it succeeded, and the log says {row:?}"));
    }
    let kind = match trial.command {
        AccountCommand::Undo(_) => row.kind != "write",
        AccountCommand::Redo(_) => row.kind == "redo",
        _ => row.kind == "write",
    };
    if !kind || row.undoes.is_some() != trial.command.undoing().is_some() {
        violate("log", format!("the log says {row:?}"));
    }
}

/// Returns whether anybody else has changed the account meanwhile.
fn is_disturbed(trial: &AccountTrial<'_>) -> bool {
    trial.events.iter().any(|event| !trial.is_own(event) && event.has_changed())
}

/// Returns whether a value is restored. The service sets some that were not there.
fn became(wanted: &Value, value: &Value, (_, _, key): &Place) -> bool {
    alike(wanted, value) || wanted.is_null() && ["style", "view"].contains(&key.as_str())
}

fn slot_ids(world: &AccountWorld) -> BTreeSet<u64> {
    world.pages.iter().flat_map(|page| page.slots.iter().map(|slot| slot.id)).collect()
}

/// Returns whether a log tells of a command that was cut short.
fn is_any_cut_short(rows: &[Row]) -> bool {
    rows.iter().any(|row| ["unfinished", "unknown"].contains(&&*row.state))
}
