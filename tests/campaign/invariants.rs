//! Invariants that hold after every command, checked against the log of what the service has executed.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::Slot;
use serde_json::{Map, Value, json};

use crate::bulk::BulkProgress;
use crate::bulk_rules;
use crate::content;
use crate::history::Fault;
use crate::process::INTERRUPTED;
use crate::proxy::{Event, Request};
use crate::world::{World, alike};

/// Violation of an invariant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Violation {
    /// Name of the rule, by which a shorter history is recognised.
    pub(crate) rule: &'static str,
    pub(crate) text: String,
}

/// Whether a page file was synced with the page, and is the same since: what the page has was changed there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Synced {
    #[default]
    No,
    Yes,
    Unknown,
}

/// Intended result for the page.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
#[derive(Clone, Debug, Default)]
pub(crate) struct IntendedPage {
    /// Items of each page file that the page may match.
    pub(crate) files: Vec<Vec<Value>>,
    /// Set if slots that the file does not mention may be deleted.
    pub(crate) may_prune: bool,
    /// Set if legacy slots that the file does not mention may be deleted.
    pub(crate) may_prune_legacy: bool,
    /// Set if none of those slots is left in the end.
    pub(crate) leaves_none: bool,
    /// Set if the page was read before an editor was opened.
    pub(crate) was_opened: bool,
    /// Whether only what was changed on the page may differ from the file.
    pub(crate) synced: Synced,
    /// Set if slots that were deleted on the page since a sync, if there was one, are created again.
    pub(crate) recreates: bool,
}

/// Intent of a command.
#[derive(Clone, Debug)]
pub(crate) enum Intent {
    /// The page matches one of these files.
    Page(IntendedPage),
    Add,
    Set {
        id: u64,
        key: String,
        value: Value,
    },
    Delete {
        ids: Vec<u64>,
    },
    Order {
        moved: Option<u64>,
    },
    /// Keys of fields that may change or be removed, and the number of new ones.
    Fields {
        changed: Vec<String>,
        added: usize,
    },
    /// Slots are rewritten or created, each once, by this run and those that it continues.
    Bulk(Box<BulkProgress>),
    /// What a run did to the page is undone.
    Undo {
        /// Slots before the run, as its backup has them.
        before: Vec<Value>,
        /// Set if the page is as the run left it, and the run did nothing to a page that others wrote to meanwhile.
        is_alone: bool,
    },
    /// Nothing is written.
    Nothing,
}

/// A command that has ended, with all observations of it.
#[expect(clippy::struct_excessive_bools, reason = "each is an observation of its own")]
#[derive(Debug)]
pub(crate) struct Trial<'t> {
    pub(crate) intent: &'t Intent,
    pub(crate) machine: usize,
    /// Exit code; `None` if the process was killed.
    pub(crate) exit: Option<i32>,
    /// Set if the process was killed on purpose.
    pub(crate) killed: bool,
    /// Set if Ctrl-C was sent to the process.
    pub(crate) interrupted: bool,
    pub(crate) out: &'t str,
    pub(crate) err: &'t str,
    pub(crate) events: &'t [Event],
    /// The page after everything that happened meanwhile.
    pub(crate) after: &'t World,
    /// Set if no run of the machine was unfinished before.
    pub(crate) is_fresh: bool,
    /// Slots that interrupted runs of the same file have created.
    pub(crate) created_before: &'t BTreeSet<u64>,
    /// Types of slots that commands of the machine have deleted.
    pub(crate) deleted_before: &'t BTreeSet<String>,
    /// Set if the service honours idempotency keys.
    pub(crate) keys_count: bool,
}

impl IntendedPage {
    fn may_prune(&self, slot: &Slot) -> bool {
        let allowed = if slot.supported { self.may_prune } else { self.may_prune_legacy };
        allowed && slot.kind != "event"
    }
}

/// Values that the service takes for a key that is cleared although it cannot be null.
const DEFAULTS: [(&str, &str); 2] = [("style", "primary"), ("view", "button")];

impl Event {
    pub(crate) fn change(&self) -> Change<'_> {
        Change { before: &self.before, after: &self.after }
    }
}

impl<W: PartialEq> Event<W> {
    pub(crate) fn has_changed(&self) -> bool {
        self.before != self.after
    }
}

/// Effect of an event on the page.
pub(crate) struct Change<'e> {
    before: &'e World,
    after: &'e World,
}

impl Change<'_> {
    pub(crate) fn created(&self) -> Vec<u64> {
        let before: BTreeSet<u64> = self.before.slots.iter().map(|slot| slot.id).collect();
        self.after.slots.iter().map(|slot| slot.id).filter(|id| !before.contains(id)).collect()
    }

    pub(crate) fn deleted(&self) -> Vec<&Slot> {
        let after: BTreeSet<u64> = self.after.slots.iter().map(|slot| slot.id).collect();
        self.before.slots.iter().filter(|slot| !after.contains(&slot.id)).collect()
    }

    /// Returns the keys of slots whose values differ before and after.
    pub(crate) fn updated(&self) -> Vec<(u64, String)> {
        let after: BTreeMap<u64, &Slot> =
            self.after.slots.iter().map(|slot| (slot.id, slot)).collect();
        let mut updated = Vec::new();
        for old in &self.before.slots {
            let Some(new) = after.get(&old.id) else { continue };
            let keys: BTreeSet<&String> = old.data.keys().chain(new.data.keys()).collect();
            for key in keys {
                if !alike(held(&old.data, key), held(&new.data, key)) {
                    updated.push((old.id, key.clone()));
                }
            }
        }
        updated
    }
}

pub(crate) fn held<'m>(map: &'m Map<String, Value>, key: &str) -> &'m Value {
    map.get(key).unwrap_or(&Value::Null)
}

impl Request {
    pub(crate) fn is_write(&self) -> bool {
        self.method != "GET" && !self.is_dry_run
    }

    pub(crate) fn is_executed(&self) -> bool {
        self.is_write() && self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// Returns whether the client has read all of a good answer. A request without a key has none in flight, and is answered as ever.
    pub(crate) fn is_intact(&self) -> bool {
        let ok = self.status.is_some_and(|status| (200..300).contains(&status));
        let is_whole = |fault: &Fault| fault.is_harmless() || matches!(fault, Fault::InFlight);
        ok && self.fault.as_ref().is_none_or(is_whole)
    }

    /// Returns whether the client knows if the request was executed: it is a read, or the service's own answer says so.
    fn is_certain(&self) -> bool {
        let is_refused = self.status.is_some_and(|status| (400..500).contains(&status));
        let is_own = self.fault.as_ref().is_none_or(Fault::is_harmless);
        !self.is_write() || self.is_intact() || is_refused && is_own
    }

    /// Returns the slots in the answer.
    fn shown(&self) -> Vec<u64> {
        if !self.is_intact() || !self.path.starts_with("/profiles/") {
            return Vec::new();
        }
        let data = &self.answer["data"];
        let list = data.as_array().or_else(|| data["slots"].as_array());
        let one = std::slice::from_ref(data);
        let list = list.map_or(one, Vec::as_slice);
        list.iter().filter_map(|slot| slot["id"].as_u64()).collect()
    }

    /// Returns whether the answer shows the whole page.
    pub(crate) fn is_look(&self) -> bool {
        let shows_page = self.path.ends_with("/slots") && self.method == "GET"
            || self.path.ends_with("/slots/order")
            || self.method == "GET" && self.query.contains("include=slots");
        self.is_intact() && shows_page
    }

    fn is_form(&self) -> bool {
        self.path.starts_with("/forms/")
    }
}

/// Returns all violations by a command.
pub(crate) fn check(trial: &Trial<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut violate = |rule: &'static str, text: String| found.push(Violation { rule, text });
    trial.ends_well(&mut violate);
    trial.check_reported_outcome(&mut violate);
    trial.deletes_only_what_it_may(&mut violate);
    trial.check_no_lost_edits(&mut violate);
    match trial.intent {
        Intent::Page(page) => trial.makes_the_page(page, &mut violate),
        Intent::Add => trial.adds_one(&mut violate),
        Intent::Set { id, key, value } if trial.exit == Some(0) => {
            // A lost write still counts as done if the slot had the value before, or got it from another client.
            let done = trial.events.iter().any(|event| {
                event.after.slot(*id).is_some_and(|slot| alike(held(&slot.data, key), value))
            });
            if !done {
                violate("set", format!("exit 0, yet slot {id} never had {key} = {value}"));
            }
        }
        Intent::Delete { ids } if trial.exit == Some(0) => {
            let left: Vec<_> = ids.iter().filter(|id| trial.after.slot(**id).is_some()).collect();
            if !left.is_empty() {
                violate("delete", format!("exit 0, yet the slots {left:?} are there"));
            }
        }
        Intent::Order { moved } => trial.moves_only(*moved, &mut violate),
        Intent::Fields { changed, added } => trial.changes_fields(changed, *added, &mut violate),
        Intent::Set { .. } | Intent::Delete { .. } => {}
        Intent::Bulk(bulk) => bulk_rules::check(trial, bulk, &mut violate),
        Intent::Undo { before, is_alone } => trial.undoes(before, *is_alone, &mut violate),
        Intent::Nothing => {
            if trial.writes().any(Event::has_changed) {
                violate("nothing", "something was written".to_owned());
            }
        }
    }
    found
}

pub(crate) type Violate<'v> = &'v mut dyn FnMut(&'static str, String);

impl Trial<'_> {
    pub(crate) fn mine(&self) -> impl DoubleEndedIterator<Item = (usize, &Event, &Request)> {
        self.events.iter().enumerate().filter_map(|(at, event)| {
            let request = event.request.as_ref().filter(|_| event.machine == Some(self.machine));
            request.map(|request| (at, event, request))
        })
    }

    /// Writes that the service executed.
    pub(crate) fn writes(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.mine().filter(|(_, _, request)| request.is_executed()).map(|(_, event, _)| event)
    }

    /// Returns the JSON of a failure.
    pub(crate) fn failure(&self) -> Option<Value> {
        if self.exit == Some(0) {
            return None;
        }
        last_object(self.err).filter(|it| it.get("outcome").is_some())
    }

    fn ends_well(&self, violate: Violate<'_>) {
        let is_stopped = self.interrupted && self.exit == Some(INTERRUPTED);
        if let Some(Violation { rule, text }) =
            bad_end(self.exit, self.killed || is_stopped, self.out, self.err)
        {
            violate(rule, text);
        }
        let said = self.failure().and_then(|it| it["exit"].as_i64());
        if let Some(exit) = self.exit.filter(|exit| *exit != 0 && said != Some((*exit).into())) {
            violate("exit", format!("it ended with {exit} and said {said:?}: {}", self.err.trim()));
        }
    }

    /// Checks `outcome`, `written` and the counts against the log.
    fn check_reported_outcome(&self, violate: Violate<'_>) {
        let changed = self.writes().any(Event::has_changed);
        if let Some(failure) = self.failure() {
            let outcome = failure["outcome"].as_str().unwrap_or_default();
            let written = failure.get("written").is_some();
            // What another client wrote meanwhile cannot be distinguished from the effect of a request without its answer.
            let is_doubtful = self.mine().any(|(_, _, it)| !it.is_certain())
                && self
                    .events
                    .iter()
                    .any(|it| it.machine != Some(self.machine) && it.has_changed());
            let is_certain = self.is_fresh && !is_doubtful;
            match outcome {
                "not_executed" if changed => {
                    violate("outcome", format!("something was written, and it says {failure}"));
                }
                "executed" if self.writes().next().is_none() && is_certain => {
                    violate("outcome", format!("nothing was executed, and it says {failure}"));
                }
                // After Ctrl-C, one may have been under way that never arrived.
                "unknown" if !self.interrupted && self.mine().all(|(_, _, it)| it.is_certain()) => {
                    violate(
                        "outcome",
                        format!("no write was left without its answer, and it says {failure}"),
                    );
                }
                _ => {}
            }
            if written && self.writes().next().is_none() && is_certain {
                violate("outcome", format!("nothing was written, and it says {failure}"));
            }
            if self.exit == Some(12) && self.writes().next().is_none() && is_certain {
                violate("outcome", format!("nothing was applied, and it says {failure}"));
            }
        }
        if self.exit == Some(0)
            && self.is_fresh
            && let Some(done) = self.done()
            && done.is_object()
        {
            // A slot that another client deleted right after a lost answer was never seen, and is created once more.
            let theirs = || self.events.iter().filter(|it| it.machine != Some(self.machine));
            let ids = |event: &Event| -> Vec<u64> {
                event.change().deleted().iter().map(|slot| slot.id).collect()
            };
            let gone: BTreeSet<u64> = theirs().flat_map(ids).collect();
            let made: Vec<u64> = self.writes().flat_map(|event| event.change().created()).collect();
            let created = made.iter().filter(|id| !gone.contains(id)).count();
            // What others have done counts as the command's own where its answer was lost, or where the service has answered with what it had
            // answered them.
            let creates = self.mine().filter(|(_, _, it)| it.method == "POST");
            let shown: BTreeSet<u64> = creates.flat_map(|(_, _, it)| it.shown()).collect();
            let in_doubt = |method: &'static str| {
                let mine = self.mine().map(|(_, _, it)| it);
                mine.filter(move |it| it.method == method && !it.is_certain())
            };
            let may_be_made = |slot: &Slot| {
                let sent = |request: &Request| -> Vec<Value> {
                    let one = || vec![request.body.clone()];
                    request.body["slots"].as_array().cloned().unwrap_or_else(one)
                };
                let data = Value::Object(slot.data.clone());
                shown.contains(&slot.id)
                    || in_doubt("POST")
                        .flat_map(sent)
                        .any(|item| item["type"] == *slot.kind && holds(&data, &item["data"]))
            };
            let theirs_made = theirs().flat_map(|event| {
                let made = event.change().created();
                event.after.slots.iter().filter(move |slot| made.contains(&slot.id))
            });
            let most_created = made.len() + theirs_made.filter(|slot| may_be_made(slot)).count();
            let deleted: usize = self.writes().map(|event| event.change().deleted().len()).sum();
            let said_created = match &done["created"] {
                Value::Object(map) => map.len(),
                Value::Array(list) => list.len(),
                other => other.as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(0),
            };
            let said_deleted = done["deleted"].as_u64().unwrap_or(0);
            let is_asked = |id: &&u64| in_doubt("DELETE").any(|it| names(it, **id));
            let most_deleted = deleted + gone.iter().filter(is_asked).count();
            let is_true = (created..=most_created).contains(&said_created)
                && (deleted as u64..=most_deleted as u64).contains(&said_deleted);
            if !is_true {
                violate(
                    "counts",
                    format!("{created} created, {deleted} deleted, and it says {done}"),
                );
            }
        }
    }

    /// Returns what the command says that it has done.
    pub(crate) fn done(&self) -> Option<Value> {
        let data = last_object(self.out).map(|it| it["data"].clone())?;
        match self.intent {
            Intent::Page(_) | Intent::Undo { .. } | Intent::Bulk(_) => {
                Some(data["pages"][0]["done"].clone())
            }
            _ => None,
        }
    }

    fn deletes_only_what_it_may(&self, violate: Violate<'_>) {
        for event in self.writes() {
            for slot in event.change().deleted() {
                let may = match self.intent {
                    Intent::Page(page) => {
                        let is_named = |items: &Vec<Value>| {
                            items.iter().any(|item| item["id"].as_u64() == Some(slot.id))
                        };
                        let allowed = page.may_prune(slot);
                        allowed && !page.files.iter().all(is_named)
                    }
                    Intent::Delete { ids } => ids.contains(&slot.id),
                    Intent::Undo { before, .. } => {
                        before.iter().all(|item| item["id"].as_u64() != Some(slot.id))
                    }
                    _ => false,
                };
                if !may {
                    violate("lost", format!("slot {} ({}) was deleted", slot.id, slot.kind));
                }
            }
        }
    }

    /// Returns the last answer before a request that shows the page, if the command could send its writes since without another read: it
    /// had to wait for none of them. What another client did meanwhile is not seen.
    fn relied_on(&self, at: usize) -> Option<(usize, &Request)> {
        let earlier = || self.mine().rev().skip_while(move |(nth, ..)| *nth >= at);
        let mut since = earlier().take_while(|(_, _, it)| !it.is_look());
        let is_answered = since.all(|(_, _, it)| it.is_intact());
        let look = earlier().find(|(_, _, it)| it.is_look()).filter(|_| is_answered);
        look.map(|(nth, _, request)| (nth, request))
    }

    /// Checks that changes by other clients are neither overwritten nor deleted, but for those that cannot be seen: for an update since the
    /// answer that it relies on, for a delete since the read right before it.
    fn check_no_lost_edits(&self, violate: Violate<'_>) {
        if matches!(self.intent, Intent::Set { .. } | Intent::Fields { .. } | Intent::Add) {
            return;
        }
        let opened = matches!(self.intent, Intent::Page(page) if page.was_opened);
        // A run that is continued repeats its creates first, and plans only then.
        let is_planned = |request: &Request| self.is_fresh || request.method != "POST";
        let mut writes = self.mine().filter(|(_, _, it)| it.is_write() && is_planned(it));
        let first_write = writes.next().map(|(at, ..)| at);
        let Some(first_write) = first_write else { return };
        let mut looks = self.mine().filter(|(at, _, it)| *at < first_write && it.is_look());
        let base = if opened { looks.next() } else { looks.next_back() };
        let Some((base, ..)) = base else { return };
        for (at, event, request) in self.mine().filter(|(_, _, it)| it.is_executed()) {
            let before = self
                .mine()
                .rev()
                .find(|(earlier, _, it)| *earlier < at && (it.is_write() || it.is_look()));
            let seen_at = |id: u64| {
                before.and_then(|(at, _, request)| {
                    (request.is_look() && request.shown().contains(&id)).then_some(at)
                })
            };
            let foreign = |touches: &dyn Fn(&Event) -> bool| {
                let all = self.events[..at].iter().enumerate().skip(base + 1);
                all.filter(|(_, it)| it.machine != Some(self.machine) && touches(it))
                    .map(|(at, _)| at)
                    .last()
            };
            let change = event.change();
            for (id, key) in change.updated() {
                let edited = foreign(&|it| it.change().updated().contains(&(id, key.clone())));
                let relied_on = self.relied_on(at).filter(|(_, look)| look.shown().contains(&id));
                // One that made it as it was before the command counts as none.
                let value = |world: &World| {
                    world.slot(id).and_then(|slot| slot.data.get(&key).cloned()).unwrap_or_default()
                };
                let first = value(&self.events[base].after);
                let edited =
                    edited.filter(|edited| !alike(&value(&self.events[*edited].after), &first));
                if edited.is_some_and(|edited| relied_on.is_none_or(|(seen, _)| seen > edited)) {
                    let text = format!(
                        "{key} of slot {id} was edited by another client, then overwritten by {} {}",
                        request.method, request.path
                    );
                    violate("overwritten", text);
                }
            }
            for slot in change.deleted() {
                let edited = foreign(&|edit| {
                    edit.change().updated().iter().any(|(id, _)| *id == slot.id)
                        || edit.change().created().contains(&slot.id)
                });
                if edited.is_some_and(|edited| seen_at(slot.id).is_none_or(|seen| seen > edited)) {
                    let text =
                        format!("slot {} was edited by another client, then deleted", slot.id);
                    violate("deleted edited", text);
                }
            }
        }
    }

    fn makes_the_page(&self, page: &IntendedPage, violate: Violate<'_>) {
        let files = &page.files;
        for (_, event, request) in self.mine().filter(|(_, _, it)| it.is_executed()) {
            let known: Vec<_> =
                files
                    .iter()
                    .cloned()
                    .map(|items| {
                        if page.recreates { without_gone_ids(items, &event.before) } else { items }
                    })
                    .collect();
            updates_what_the_file_says(event, &known, violate);
            creates_what_the_file_says(event, request, &known, violate);
        }
        match page.synced {
            Synced::Yes => return self.leaves_what_was_changed(violate),
            Synced::Unknown => return,
            Synced::No => {}
        }
        // Changes by other clients while an editor is open are kept, whatever the file has there.
        let is_merged = page.was_opened
            && self.events.iter().any(|it| it.machine != Some(self.machine) && it.has_changed());
        if self.exit != Some(0) || files.is_empty() || is_merged {
            return;
        }
        let world = self.mine().rev().find(|(_, _, it)| it.is_look());
        let world = world.map_or(self.after, |(_, event, _)| &*event.after);
        let created: BTreeSet<u64> = self.writes().flat_map(|it| it.change().created()).collect();
        let must = |slot: &Slot| {
            page.leaves_none && page.may_prune(slot)
                || created.contains(&slot.id)
                || self.created_before.contains(&slot.id)
        };
        let fits =
            |items: &Vec<Value>| embeds(items, world, must, |item, slot| meets(item, slot, world));
        let files: Vec<_> = files
            .iter()
            .cloned()
            .map(|items| if page.recreates { without_gone_ids(items, world) } else { items })
            .collect();
        if !files.iter().any(fits) {
            let found: Vec<_> = world.slots.iter().map(|it| describe(it, must(it))).collect();
            let items: Vec<_> = files[0].iter().map(Value::to_string).collect();
            let text = format!(
                "exit 0, yet the page is\n  {}\nand not\n  {}",
                found.join("\n  "),
                items.join("\n  ")
            );
            violate("page", text);
        }
    }

    /// Checks that an undo creates only what the run has deleted; and, if nobody else has written since before the run, that the page is as
    /// it was then.
    fn undoes(&self, before: &[Value], is_alone: bool, violate: Violate<'_>) {
        for (_, event, request) in self.mine().filter(|(_, _, it)| it.is_executed()) {
            for id in event.change().created() {
                let slot = event.after.slot(id).unwrap();
                // The service may have added values to a slot, which are not sent again.
                let was_there = before.iter().any(|item| item["type"] == slot.kind);
                if !was_there && !self.deleted_before.contains(&slot.kind) {
                    violate(
                        "file",
                        format!("{} created {slot:?}, which no run has deleted", request.path),
                    );
                }
            }
        }
        let foreign = |it: &Event| it.machine != Some(self.machine) && it.has_changed();
        if self.exit != Some(0) || !is_alone || self.events.iter().any(foreign) {
            return;
        }
        let output = format!("{}{}", self.out, self.err);
        let world = self.events.last().map_or(self.after, |event| &*event.after);
        let meets = |item: &Value, slot: &Slot| {
            meets(item, slot, world) && holds_no_more(item, slot, &output)
        };
        let expected = restorable(before, world);
        if !embeds(&expected, world, |_| true, meets) {
            let found: Vec<_> = world.slots.iter().map(|it| describe(it, true)).collect();
            let items: Vec<_> = expected.iter().map(Value::to_string).collect();
            let text = format!(
                "exit 0, yet the page is\n  {}\nand not\n  {}",
                found.join("\n  "),
                items.join("\n  ")
            );
            violate("undone", text);
        }
    }

    /// Checks that a file that was synced replaces nothing that was changed on the page since.
    fn leaves_what_was_changed(&self, violate: Violate<'_>) {
        for event in self.writes() {
            let (created, updated) = (event.change().created(), event.change().updated());
            if !created.is_empty() || !updated.is_empty() {
                let text = format!("created {created:?}, updated {updated:?} after a sync");
                violate("synced", text);
            }
        }
    }

    fn adds_one(&self, violate: Violate<'_>) {
        let created: usize = self.writes().map(|event| event.change().created().len()).sum();
        if created > 1 && self.keys_count {
            violate("added twice", format!("{created} slots were created"));
        }
        if self.exit == Some(0) && created == 0 {
            violate("add", "exit 0, yet no slot was created".to_owned());
        }
    }

    /// Checks that the order of the other slots stays, unless another client moved them where the command could not see it.
    fn moves_only(&self, moved: Option<u64>, violate: Violate<'_>) {
        let Some(moved) = moved else { return };
        self.keeps_order(&|id| id == moved, violate);
    }

    /// Checks that the order of the slots that are not to be moved stays, unless another client moved them where the command could not see it.
    pub(crate) fn keeps_order(&self, is_moved: &dyn Fn(u64) -> bool, violate: Violate<'_>) {
        let others = |world: &World| -> Vec<u64> {
            world.ids().into_iter().filter(|id| !is_moved(*id)).collect()
        };
        for (at, event, _) in self.mine().filter(|(_, _, it)| it.is_executed()) {
            if others(&event.before) == others(&event.after) {
                continue;
            }
            let unseen = self.relied_on(at).is_some_and(|(looked, _)| {
                self.events[looked + 1..at].iter().any(|edit| {
                    edit.machine != Some(self.machine) && edit.before.ids() != edit.after.ids()
                })
            });
            if !unseen {
                violate(
                    "moved",
                    format!("{:?} became {:?}", event.before.ids(), event.after.ids()),
                );
            }
        }
    }

    fn changes_fields(&self, changed: &[String], added: usize, violate: Violate<'_>) {
        let mut own: BTreeSet<String> = changed.iter().cloned().collect();
        for (at, event, _) in self.mine().filter(|(_, _, it)| it.is_executed() && it.is_form()) {
            let (before, after) = (&event.before.fields, &event.after.fields);
            let keep = |fields: &[links_fixtures::FormField],
                        among: &[links_fixtures::FormField]| {
                let known: BTreeSet<_> = among.iter().map(|it| it.key.clone()).collect();
                let kept = fields.iter().filter(|it| !own.contains(&it.key));
                kept.filter(|it| added == 0 || known.contains(&it.key)).cloned().collect::<Vec<_>>()
            };
            let gone = before
                .iter()
                .any(|it| !own.contains(&it.key) && after.iter().all(|new| new.key != it.key));
            let new: Vec<_> =
                after.iter().filter(|it| before.iter().all(|old| old.key != it.key)).collect();
            if gone || new.len() > added || keep(before, after) != keep(after, before) {
                let looked =
                    self.mine().rev().find(|(earlier, _, it)| *earlier < at && it.is_form());
                let unseen = looked.is_some_and(|(looked, _, request)| {
                    request.is_intact()
                        && self.events[looked + 1..at].iter().any(|edit| {
                            edit.machine != Some(self.machine)
                                && edit.before.fields != edit.after.fields
                        })
                });
                if !unseen {
                    violate("fields", format!("{before:?} became {after:?}"));
                }
            }
            own.extend(new.iter().map(|it| it.key.clone()));
        }
        // A field that another client added meanwhile may equal the one to be added: they cannot be distinguished.
        let others_write = self
            .events
            .iter()
            .any(|it| it.machine != Some(self.machine) && it.before.fields != it.after.fields);
        // The fields were asked to be what they were, so it is true that they are.
        let is_no_change = self.mine().any(|(_, event, request)| {
            request.is_form() && request.body["fields"] == json!(event.before.fields)
        });
        let is_written = self.writes().next().is_some();
        if self.exit == Some(0) && !is_written && !others_write && !is_no_change {
            violate("fields", "exit 0, yet nothing was written".to_owned());
        }
    }
}

/// Checks that every value that a request changed is in the file.
fn updates_what_the_file_says(event: &Event, files: &[Vec<Value>], violate: Violate<'_>) {
    let change = event.change();
    let items = || files.iter().flatten();
    for (id, key) in change.updated() {
        let slot = change.after.slot(id).unwrap();
        let value = held(&slot.data, &key);
        let is_named = |item: &&Value| {
            item["id"].as_u64().is_none_or(|it| it == id) && item["type"] == change.after.kind(slot)
        };
        let says =
            |item: &Value| item["data"].get(&key).is_some_and(|said| wanted(&key, said, value));
        if !items().filter(is_named).any(says) {
            violate("file", format!("{key} of slot {id} became {value}, which no file says"));
        }
    }
}

/// Checks that every slot that a request created is in the file.
fn creates_what_the_file_says(
    event: &Event,
    request: &Request,
    files: &[Vec<Value>],
    violate: Violate<'_>,
) {
    let change = event.change();
    let items = || files.iter().flatten();
    for id in change.created() {
        let slot = change.after.slot(id).unwrap();
        let says = |item: &Value| {
            let data = item["data"].as_object().cloned().unwrap_or_default();
            item["type"] == slot.kind
                && data.iter().all(|(key, said)| wanted(key, said, held(&slot.data, key)))
        };
        if !items().any(says) {
            violate("file", format!("{} created {slot:?}, which no file says", request.path));
        }
    }
}

/// Returns a violation by the end of a process, whatever its intent. `killed` tells whether it was ended on purpose.
pub(crate) fn bad_end(exit: Option<i32>, killed: bool, out: &str, err: &str) -> Option<Violation> {
    let violation = |rule, text| Some(Violation { rule, text });
    if out.contains("panicked at") || err.contains("panicked at") {
        return violation("panic", err.to_owned());
    }
    let is_known = exit.is_some_and(|code| (0..=14).contains(&code) && code != 1);
    if is_known || killed {
        return None;
    }
    violation("exit", format!("it ended with {exit:?}: {}", err.trim()))
}

/// Returns whether the page holds all items in this order, and every slot that must serve one does.
fn embeds(
    items: &[Value],
    world: &World,
    must: impl Fn(&Slot) -> bool,
    meets: impl Fn(&Value, &Slot) -> bool,
) -> bool {
    let mut reached = vec![false; items.len() + 1];
    reached[0] = true;
    for slot in &world.slots {
        let skip = !must(slot);
        for count in (0..=items.len()).rev() {
            let serves = count > 0 && reached[count - 1] && meets(&items[count - 1], slot);
            reached[count] = serves || skip && reached[count];
        }
    }
    reached[items.len()]
}

/// Returns whether the page consists of these items, which name their slots.
pub(crate) fn is_page(items: &[Value], world: &World) -> bool {
    items.len() == world.slots.len()
        && items
            .iter()
            .zip(&world.slots)
            .all(|(item, slot)| item["id"].as_u64() == Some(slot.id) && meets(item, slot, world))
}

fn meets(item: &Value, slot: &Slot, world: &World) -> bool {
    let is_named = match item["id"].as_u64() {
        Some(id) => id == slot.id,
        None => slot.supported,
    };
    is_named
        && item["type"] == world.kind(slot)
        && item["data"].as_object().is_none_or(|data| {
            data.iter().all(|(key, said)| wanted(key, said, held(&slot.data, key)))
        })
}

/// Returns whether a value matches that of a file; `null` clears a value.
fn wanted(key: &str, said: &Value, value: &Value) -> bool {
    let is_default = || DEFAULTS.iter().any(|(name, default)| *name == key && value == default);
    alike(said, value) || said.is_null() && is_default()
}

/// Returns whether keys that the item does not have are empty, or the service cannot clear them, or the output names them.
fn holds_no_more(item: &Value, slot: &Slot, output: &str) -> bool {
    if !slot.supported || slot.kind == "event" {
        return true;
    }
    let more = slot.data.iter().filter(|(key, _)| item["data"].get(key.as_str()).is_none());
    more.into_iter().all(|(key, value)| {
        wanted(key, &Value::Null, value)
            || !content::is_clearable(&slot.kind, key)
            || output.contains(key.as_str())
    })
}

/// Returns the items of a backup as far as they can be restored: a slot that is gone gets a new id, or is gone for good.
fn restorable(items: &[Value], world: &World) -> Vec<Value> {
    let is_empty = |item: &Value| item["data"].as_object().is_none_or(Map::is_empty);
    items
        .iter()
        .filter_map(|item| {
            let mut item = item.clone();
            if item["id"].as_u64().is_some_and(|id| world.slot(id).is_none()) {
                if item["type"] == "event" || is_empty(&item) && item["type"] != "divider" {
                    return None;
                }
                item.as_object_mut()?.remove("id");
            }
            Some(item)
        })
        .collect()
}

/// Returns the items without the ids that are not on the page.
fn without_gone_ids(mut items: Vec<Value>, world: &World) -> Vec<Value> {
    for item in &mut items {
        if item["id"].as_u64().is_some_and(|id| world.slot(id).is_none())
            && let Some(fields) = item.as_object_mut()
        {
            fields.remove("id");
        }
    }
    items
}

fn describe(slot: &Slot, must: bool) -> String {
    let data = Value::Object(slot.data.clone());
    let mark = if must { "!" } else { " " };
    let legacy = if slot.supported { "" } else { " (legacy)" };
    format!("{mark} {} {}{legacy} {data}", slot.id, slot.kind)
}

/// Returns the last JSON object of a text that begins at the start of a line.
pub(crate) fn last_object(text: &str) -> Option<Value> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    let starts: Vec<usize> = starts.filter(|at| *at == 0 || text[..*at].ends_with('\n')).collect();
    starts.into_iter().rev().find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

/// Returns whether a slot has all that a request has set. The service may add to it.
fn holds(data: &Value, sent: &Value) -> bool {
    sent.as_object().is_none_or(|sent| sent.iter().all(|(key, value)| alike(&data[key], value)))
}

/// Returns whether a request to delete slots names this one.
fn names(request: &Request, slot: u64) -> bool {
    let mut values = request.query.split('&').filter_map(|pair| pair.split_once('='));
    values.any(|(_, value)| value == slot.to_string())
        || request.path.ends_with(&format!("/{slot}"))
}
