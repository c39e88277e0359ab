//! Rules that hold for every command over an account, checked against the log of what the service has executed.

use links_fixtures::{Profile, Slot};
use serde_json::Value;

use super::bindings::{changed, slots};
use super::history::{AccountCommand, Flags};
use super::memory::{ForeignValue, Memory};
use super::names::mark_of;
use super::repository::Repository;
use super::world::{AccountWorld, Owner, Place, changing};
use crate::invariants::{Violate, Violation, bad_end, last_object};
use crate::process::Ended;
use crate::proxy::{Event, Request};

/// A command that has ended, with all observations of it.
pub(crate) struct AccountTrial<'t> {
    pub(crate) command: AccountCommand,
    pub(crate) machine: usize,
    pub(crate) ended: &'t Ended,
    pub(crate) events: &'t [Event<AccountWorld>],
    pub(crate) files: &'t Repository,
    /// What was known before the command.
    pub(crate) memory: &'t Memory,
    pub(crate) after: &'t AccountWorld,
    /// Set if another command ran at the same time.
    pub(crate) is_concurrent: bool,
    /// Set if no run of the machine was unfinished before.
    pub(crate) is_fresh: bool,
    /// Set if nothing interfered with the command.
    pub(crate) is_plain: bool,
    /// Number of requests that a plan has announced.
    pub(crate) announced: Option<usize>,
}

/// Requests that a stored answer costs: one that is refused, a read, the create again, and another read.
const STORED: usize = 4;

impl AccountTrial<'_> {
    /// Returns the violations by the command.
    pub(crate) fn check(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut violate = |rule: &'static str, text: String| found.push(Violation { rule, text });
        let Ended { exit, killed, out, err, .. } = self.ended;
        if let Some(Violation { rule, text }) = bad_end(*exit, *killed, out, err) {
            violate(rule, text);
        }
        if self.command.undoing().is_none() {
            self.checks_each_event(&mut violate);
        }
        self.tells_the_truth(&mut violate);
        let is_disturbed = self.events.iter().any(|it| it.machine.is_none() && it.has_changed());
        if *exit == Some(0) && !is_disturbed && !self.is_concurrent {
            self.matches_the_files(&mut violate);
        }
        let is_counted = |event: &&Event<AccountWorld>| {
            let request = event.request.as_ref();
            event.machine.is_some() && request.is_none_or(|request| request.status != Some(429))
        };
        let sent = self.events.iter().filter(is_counted).count();
        // A plan that knows that nothing has changed does not find out what a first record needs.
        let has_written = self.events.iter().any(|it| self.is_own(it) && it.has_changed());
        let more = self.empty_pages() + STORED * self.stored_answers();
        if let Some(announced) = self.announced.filter(|it| has_written && sent > it + more) {
            violate("announced", format!("{sent} requests, and the plan announced {announced}"));
        }
        found
    }

    /// Returns the number of creates that the service answered as it had answered an earlier one, and executed none.
    fn stored_answers(&self) -> usize {
        let is_stored = |event: &&Event<AccountWorld>| {
            let request = event.request.as_ref();
            let is_create = request.is_some_and(|request| {
                request.method == "POST"
                    && request.path.contains("/slots")
                    && request.status == Some(201)
            });
            is_create && !event.has_changed()
        };
        self.events.iter().filter(is_stored).count()
    }

    /// Returns the number of pages that a run reads twice, because they are empty.
    fn empty_pages(&self) -> usize {
        let before = self.events.first().map(|event| &event.before.pages);
        before.into_iter().flatten().filter(|page| page.slots.is_empty()).count()
    }

    fn flags(&self) -> Flags {
        self.command.flags()
    }

    pub(crate) fn output(&self) -> String {
        format!("{}{}", self.ended.out, self.ended.err)
    }

    pub(crate) fn is_own(&self, event: &Event<AccountWorld>) -> bool {
        event.machine == Some(self.machine)
    }

    fn checks_each_event(&self, violate: Violate<'_>) {
        let mut memory = self.memory.clone();
        for (nth, event) in self.events.iter().enumerate() {
            let is_write = event.request.as_ref().is_some_and(Request::is_executed);
            if self.is_own(event) && is_write && event.has_changed() {
                if !matches!(self.command, AccountCommand::Apply(_)) {
                    violate("plan", "a command that only reads has written something".to_owned());
                }
                self.deletes_only_what_it_may(event, &memory, nth, violate);
                self.creates_nothing_twice(event, &memory, violate);
                self.overwrites_nothing_unsaid(event, &memory, nth, violate);
            }
            self.note(&mut memory, Some(nth), event);
        }
    }

    /// Notes an event of the command, or one that came between.
    fn note(&self, memory: &mut Memory, nth: Option<usize>, event: &Event<AccountWorld>) {
        memory.note(nth, event, event.machine.is_none());
        if self.is_own(event) {
            memory.bound.note_written(usize::MAX, event, self.files);
        }
    }

    /// Returns whether the command has read the page or the form after the edit and before the write.
    pub(crate) fn has_seen(
        &self,
        owner: &Owner,
        is_field: bool,
        foreign: &ForeignValue,
        at: usize,
    ) -> bool {
        let Some(edited) = foreign.event else { return true };
        self.events[edited + 1..at].iter().filter(|event| self.is_own(event)).any(|event| {
            let Some(request) = event.request.as_ref().filter(|it| it.is_intact()) else {
                return false;
            };
            let page = |id: u64| event.before.pages.iter().find(|page| page.id == id);
            match owner {
                _ if request.method != "GET" => false,
                Owner::Form(id) => {
                    request.path == "/forms" || request.path == format!("/forms/{id}")
                }
                Owner::Page(id) => {
                    let path = request.path.trim_start_matches("/profiles/");
                    let (key, rest) = path.split_once('/').unwrap_or((path, ""));
                    let is_page =
                        key == id.to_string() || page(*id).is_some_and(|page| page.login == key);
                    is_page && if is_field { rest.is_empty() } else { request.is_look() }
                }
            }
        })
    }

    fn deletes_only_what_it_may(
        &self,
        event: &Event<AccountWorld>,
        memory: &Memory,
        at: usize,
        violate: Violate<'_>,
    ) {
        let after = event.after.marks();
        let flags = self.flags();
        for (page, slot) in deleted(event) {
            let (id, mark) = (&page.id, &mark_of(slot).to_owned());
            if after.contains(&(*id, mark.clone())) {
                // A copy is left.
                continue;
            }
            let file = self.files.file_of(page).unwrap_or_default();
            let items = self.files.marks(file);
            let own = memory.bound.of(*id, slot.id);
            let is_it = |item: &String| {
                // A slot that others made is not the item, even if it resembles it, where the item's own slot was deleted.
                let may_be = !flags.prune || memory.bound.newest(*id, item).is_none();
                (own == Some(item) || may_be)
                    && self.slots(item, page, memory).iter().any(|it| it.id == slot.id)
            };
            let left = event.after.pages.iter().find(|left| left.id == *id);
            let is_left =
                |item: &String| left.is_some_and(|left| !self.slots(item, left, memory).is_empty());
            let had = |item: &String| {
                !items.contains(item)
                    && memory.once_in_file.contains(&(file.to_owned(), item.clone()))
            };
            // With --force a slot that the file has no more is deleted, whatever others have made of it.
            let was_in_file = had(mark) || flags.overwrite && own.is_some_and(had);
            let is_in_file = items.iter().any(|item| is_it(item) && !is_left(item));
            if is_in_file || !flags.prune && !was_in_file {
                violate("lost", format!("{mark} was deleted from {}", page.login));
            }
            let is_left = after.iter().any(|(_, left)| left == mark);
            if !is_left && self.is_wanted(mark, &event.after, memory) {
                violate(
                    "nowhere",
                    format!("{mark} was deleted from {} and is on no page", page.login),
                );
            }
            let edited = memory.foreign.iter().find(|((owner, of, _), foreign)| {
                *owner == Owner::Page(*id)
                    && of == mark
                    && foreign.was_synced
                    && self.has_seen(owner, false, foreign, at)
            });
            let is_known = memory.up_to_date.contains(&self.machine);
            if edited.is_some() && is_known && !flags.prune && !flags.overwrite {
                let text = format!("{mark} on {} was edited by others: {edited:?}", page.login);
                violate("deleted edited", text);
            }
        }
    }

    /// Returns the slots of a page that an item of its file is. What was recorded of it may be unknown.
    fn slots<'w>(&self, item: &str, page: &'w Profile, memory: &Memory) -> Vec<&'w Slot> {
        if memory.up_to_date.contains(&self.machine) {
            let file = self.files.file_of(page).unwrap_or_default();
            return memory.bound.slots(item, page, &self.files.marks(file));
        }
        let is_its = |slot: &&Slot| {
            let bound = memory.bound.of(page.id, slot.id);
            mark_of(slot) == item || bound.is_some_and(|bound| bound == item)
        };
        page.slots.iter().filter(is_its).collect()
    }

    /// Returns whether others have removed the slot of an item, or made it into another one.
    fn is_given_up(&self, item: &str, page: u64, memory: &Memory) -> bool {
        let is_up_to_date = memory.up_to_date.contains(&self.machine) && !self.is_concurrent;
        let place = (page, item.to_owned());
        // One that an undo has made again is not bound, and is known by its title.
        memory.removed.contains(&place)
            || match memory.bound.newest(page, item).filter(|_| is_up_to_date) {
                Some(slot) => memory.by_others.contains(&slot),
                None => !is_up_to_date && memory.deleted.contains(&place),
            }
    }

    /// Returns whether a file of a page has the item, and others have not given it up there.
    fn is_wanted(&self, item: &str, world: &AccountWorld, memory: &Memory) -> bool {
        self.files.pages.keys().filter(|name| self.files.marks(name).contains(item)).any(|name| {
            self.files.page_of(name, world).is_none_or(|page| {
                let is_there = !self.slots(item, page, memory).is_empty();
                !is_there && !self.is_given_up(item, page.id, memory)
            })
        })
    }

    fn creates_nothing_twice(
        &self,
        event: &Event<AccountWorld>,
        memory: &Memory,
        violate: Violate<'_>,
    ) {
        let (before, after) = (&event.before, &event.after);
        let is_known = memory.up_to_date.contains(&self.machine);
        for form in &after.forms {
            let is_new = before.forms.iter().all(|old| old.id != form.id);
            if is_new && !self.is_concurrent && before.forms.iter().any(|it| it.title == form.title)
            {
                violate("form twice", format!("there are two forms {}", form.title));
            }
        }
        for page in &after.pages {
            let Some(old) = before.pages.iter().find(|old| old.id == page.id) else {
                if self.files.file_of(page).is_none() {
                    violate("page", format!("{} was created, which is in no file", page.login));
                }
                let files = self.files.pages.values();
                for file in files.filter(|file| file.logins().any(|it| it == page.login)) {
                    if file.logins().filter(|login| after.page(login).is_some()).count() > 1 {
                        violate("page twice", format!("{} was created again", page.login));
                    }
                }
                continue;
            };
            if old.login != page.login && !self.flags().rename {
                violate("rename", format!("{} became {}", old.login, page.login));
            }
            let file = self.files.file_of(page).unwrap_or_default();
            let items = self.files.marks(file);
            for slot in page.slots.iter().filter(|slot| !has(old, slot)) {
                let mark = mark_of(slot);
                // A slot that was bound is that of its item, whatever it shows; without the record of that, nobody sees it. An undo may have made it
                // the slot of another item again.
                let is_its = |twin: &Slot| {
                    let shows = mark_of(twin);
                    let is_it = shows == mark || is_known && !items.contains(shows);
                    let item = memory.bound.of(page.id, twin.id);
                    item.map_or(shows == mark, |item| item == mark && is_it)
                };
                // One that the command deletes afterwards was that of another item, which is in the file no more.
                let is_cut_short = self.flags().overwrite && self.ended.exit != Some(0);
                let left = self.after.pages.iter().find(|left| left.id == page.id);
                let stays = |twin: &Slot| !is_cut_short && left.is_some_and(|left| has(left, twin));
                let is_double = |twin: &Slot| has(page, twin) && is_its(twin) && stays(twin);
                let twins = old.slots.iter().filter(|twin| is_double(twin)).count();
                let new = page.slots.iter().filter(|it| mark_of(it) == mark && !has(old, it));
                let is_twice = twins + new.count() > self.files.count(file, mark).max(1);
                if !mark.is_empty() && !self.is_concurrent && is_twice {
                    violate("slot twice", format!("{mark} was created again on {}", page.login));
                }
            }
        }
    }

    fn overwrites_nothing_unsaid(
        &self,
        event: &Event<AccountWorld>,
        memory: &Memory,
        at: usize,
        violate: Violate<'_>,
    ) {
        let (before, after) = (event.before.values(), event.after.values());
        let flags = self.flags();
        if flags.overwrite {
            return;
        }
        let output = self.output();
        for (place, foreign) in &memory.foreign {
            let (owner, mark, key) = place;
            if before.get(place) != Some(&foreign.value) || after.get(place) == before.get(place) {
                continue;
            }
            let is_slot = !mark.is_empty() && mark != "field";
            if is_slot && !Self::is_left(place, &foreign.value, event) {
                // The slot is gone, which is another rule.
                continue;
            }
            if !self.has_seen(owner, !is_slot, foreign, at) {
                continue;
            }
            let is_known = memory.up_to_date.contains(&self.machine);
            if foreign.was_synced && is_known {
                let text = format!("{} of {}, set by others, was overwritten", key, show(place));
                violate("overwritten", text);
            } else if flags.text
                && key != "fields"
                && !self.ended.killed
                && !output.contains(name(&foreign.value))
            {
                let text = format!(
                    "{} of {}, set by others, was replaced, and nothing says so",
                    foreign.value,
                    show(place)
                );
                violate("silently", text);
            }
        }
    }

    /// Returns whether a slot of this mark that had the value is still there. Another one may be known by the same.
    fn is_left((owner, mark, key): &Place, value: &str, event: &Event<AccountWorld>) -> bool {
        let page = event.before.pages.iter().filter(|page| *owner == Owner::Page(page.id));
        let mut slots = page.flat_map(|page| &page.slots).filter(|slot| {
            slot.data.get(key).and_then(Value::as_str) == Some(value)
                && super::world::mark(&slot.kind, &slot.data) == Some(mark)
        });
        let after = || event.after.pages.iter().flat_map(|page| &page.slots);
        slots.any(|slot| after().any(|it| it.id == slot.id))
    }

    /// Checks the outcome that a failure tells, and that it says what to do.
    fn tells_the_truth(&self, violate: Violate<'_>) {
        if self.ended.exit == Some(0) || self.ended.exit.is_none() || self.flags().text {
            return;
        }
        let Some(failure) = last_object(&self.ended.err).filter(|it| it.get("outcome").is_some())
        else {
            if self.ended.exit != Some(3) {
                violate("failure", "it failed without saying why".to_owned());
            }
            return;
        };
        let own = || self.events.iter().filter(|event| self.is_own(event));
        let requests = || own().filter_map(|event| event.request.as_ref());
        let is_executed = requests().any(Request::is_executed);
        let has_changed = own().any(Event::has_changed);
        match failure["outcome"].as_str().unwrap_or_default() {
            "not_executed" if has_changed => {
                violate("outcome", format!("something was written, and it says {failure}"));
            }
            "executed" if !is_executed && self.is_fresh => {
                violate("outcome", format!("nothing was executed, and it says {failure}"));
            }
            "unknown" if !requests().any(Request::is_write) => {
                violate("outcome", format!("no write was sent, and it says {failure}"));
            }
            _ => {}
        }
        let is_refusal = matches!(self.ended.exit, Some(7 | 8 | 14));
        let says_more = |failure: &Value| {
            let errors = failure["errors"].as_object();
            failure["hint"].is_string() || errors.is_some_and(|errors| !errors.is_empty())
        };
        let more = failure["failures"].as_array().into_iter().flatten().any(says_more);
        if is_refusal && !says_more(&failure) && !more {
            violate("advice", format!("it does not say what to do: {failure}"));
        }
    }

    /// Returns whether the slot or the form was there twice, by two people at once or an undo: which of them a file is for, only a lock says.
    fn has_twin(&self, (owner, mark, _): &Place) -> bool {
        let worlds = || self.events.first().map(|it| &*it.before).into_iter().chain([self.after]);
        let forms = &self.after.forms;
        match owner {
            Owner::Page(id) => worlds()
                .flat_map(|world| &world.pages)
                .filter(|page| page.id == *id)
                .any(|page| !mark.is_empty() && count(page, mark) > 1),
            Owner::Form(id) => forms.iter().filter(|form| form.id == *id).any(|form| {
                forms.iter().any(|other| other.id != form.id && other.title == form.title)
            }),
        }
    }

    /// Checks what a pull has made of the page files.
    pub(crate) fn check_pull(&self, pulled: &Repository) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut violate = |text: String| found.push(Violation { rule: "pull", text });
        let is_disturbed = self.events.iter().any(|it| it.machine.is_none() && it.has_changed());
        if is_disturbed || self.is_concurrent {
            return found;
        }
        let (before, after) = (self.files.values(self.after), pulled.values(self.after));
        let live = self.after.values();
        let memory = self.memory;
        let is_known = self.ended.exit == Some(0) && memory.up_to_date.contains(&self.machine);
        // Forms are not pulled with the pages.
        let of_page = |(place, _): &(&Place, &String)| matches!(place.0, Owner::Page(_));
        for (place, said) in before.iter().filter(of_page) {
            let (now, stored) = (after.get(place), live.get(place));
            if now.is_none() && stored.is_some() && !self.has_twin(place) {
                violate(format!("{} with {said} is lost", show(place)));
            }
            let Some(now) = now else { continue };
            if now != said && Some(now) != stored {
                violate(format!("{} was {said} and is {now}, not {stored:?}", show(place)));
            }
            let synced = memory.synced.get(place);
            let is_clear = is_known && !memory.unclear.contains(place) && !self.has_twin(place);
            if is_clear
                && synced.is_some()
                && synced != Some(said)
                && stored == synced
                && now != said
            {
                violate(format!("{} was changed to {said}, and is {now}", show(place)));
            }
            let is_foreign = memory.foreign.get(place).is_some_and(|it| it.was_synced);
            if is_clear && is_foreign && synced == Some(said) && Some(now) != stored {
                violate(format!("{} is {now}, and others set it to {stored:?}", show(place)));
            }
        }
        for (place, now) in after.iter().filter(|(place, _)| !before.contains_key(place)) {
            // A slot that was made into another one keeps what the file says of it.
            let (owner, mark, key) = place;
            let pages = self.after.pages.iter().filter(|page| *owner == Owner::Page(page.id));
            let mut items = pages.flat_map(|page| {
                let slots = page.slots.iter().filter(|slot| mark_of(slot) == mark);
                slots.filter_map(|slot| memory.bound.of(page.id, slot.id))
            });
            let was_said = items
                .any(|item| before.get(&(owner.clone(), item.clone(), key.clone())) == Some(now));
            if live.get(place) != Some(now) && !was_said {
                violate(format!("{} is {now}, and the file did not say it", show(place)));
            }
        }
        let on_pages = self.after.marks();
        for name in self.files.pages.keys() {
            let page = self.files.page_of(name, self.after);
            let has =
                |mark: &String| page.is_some_and(|it| on_pages.contains(&(it.id, mark.clone())));
            let kept = pulled.marks(name);
            for mark in self.files.marks(name).difference(&kept) {
                // The slot may be known by another title, which the item has now.
                let slots = page.map(|page| self.slots(mark, page, memory)).unwrap_or_default();
                if slots.iter().any(|slot| kept.contains(mark_of(slot))) {
                    continue;
                }
                let was_there = page.is_some_and(|page| self.is_given_up(mark, page.id, memory));
                if has(mark) || !slots.is_empty() || is_known && !was_there {
                    violate(format!("the item {mark} of {name} is lost"));
                }
            }
        }
        found
    }

    /// Checks that all that the files say is in the account, but for what others have changed there.
    fn matches_the_files(&self, violate: Violate<'_>) {
        let AccountCommand::Apply(flags) = self.command else { return };
        let is_up_to_date = self.memory.up_to_date.contains(&self.machine);
        let mut memory = self.memory.clone();
        for event in self.events {
            self.note(&mut memory, None, event);
        }
        let marks = self.after.marks();
        for name in self.files.pages.keys() {
            let Some(page) = self.files.page_of(name, self.after) else {
                violate("missing page", format!("exit 0, yet the page of {name} is not there"));
                continue;
            };
            for mark in self.files.marks(name) {
                let place = (page.id, mark);
                let is_kept = self.is_given_up(&place.1, page.id, &memory);
                if !marks.contains(&place) && (flags.overwrite || !is_kept) {
                    let text = format!("exit 0, yet {} is not on {}", place.1, page.login);
                    violate("missing", text);
                }
            }
        }
        let stored = self.after.values();
        for (page, slot) in slots(self.after).into_values() {
            let Some((name, (key, _))) = self.files.file_of(page).zip(changing(&slot.kind, ""))
            else {
                continue;
            };
            let item = memory.bound.of(page.id, slot.id);
            let place = (Owner::Page(page.id), mark_of(slot).to_owned(), key.to_owned());
            let is_own = is_up_to_date
                && item == Some(&place.1)
                && memory.synced.contains_key(&place)
                && !memory.foreign.contains_key(&place)
                && !memory.unclear.contains(&place)
                && !self.has_twin(&place);
            if is_own && !self.files.marks(name).contains(&place.1) {
                violate("left", format!("exit 0, yet {} is on no file", show(&place)));
            }
        }
        for (place, said) in self.files.values(self.after) {
            let Some(value) = stored.get(&place) else { continue };
            let page = self.after.pages.iter().find(|page| place.0 == Owner::Page(page.id));
            // A slot that shows what the item says may be that of another one.
            let is_it = |page: &Profile| {
                let slots = self.slots(&place.1, page, &memory);
                place.1.is_empty() || slots.iter().any(|slot| mark_of(slot) == place.1)
            };
            if self.has_twin(&place) || !page.is_none_or(is_it) {
                continue;
            }
            let is_kept = memory.foreign.contains_key(&place)
                || memory.unclear.contains(&place)
                || !is_up_to_date;
            if *value != said && (flags.overwrite || !is_kept) {
                let text = format!("exit 0, yet {} is {value} and not {said}", show(&place));
                violate("value", text);
            }
        }
    }
}

/// Returns the slots that an event has deleted, each with its page. A slot that gets another content is still there.
fn deleted(event: &Event<AccountWorld>) -> impl Iterator<Item = (&Profile, &Slot)> {
    let gone = changed(event).into_iter().filter(|(_, _, is)| is.is_none());
    gone.filter_map(|(page, was, _)| Some((page, was.filter(|slot| !mark_of(slot).is_empty())?)))
}

fn has(page: &Profile, slot: &Slot) -> bool {
    page.slots.iter().any(|it| it.id == slot.id)
}

/// Returns the number of slots that are known by the same.
fn count(page: &Profile, mark: &str) -> usize {
    page.slots.iter().filter(|slot| mark_of(slot) == mark).count()
}

/// Returns the part of a value that is its alone.
fn name(value: &str) -> &str {
    value.trim_start_matches("https://").split('.').next().unwrap_or_default()
}

fn show((owner, mark, key): &Place) -> String {
    format!("{owner:?} {mark} {key}")
}
