//! Names that completion offers: pages, slots and forms seen by the last commands, in one small file per service. Errors are ignored: a
//! file that cannot be read or written counts as missing.
//!
//! Slots are learned when a page is read as a whole. What a command writes to single slots is learned when the page is read next, except that
//! deleted slots are removed at once.
//!
//! The first line of the file has everything but the slots. Each further line has the slots of one page as JSON, in the order of the pages:
//! a line costs far less to find than a value in a document, and those that are not needed are not parsed.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use bytes::Bytes;
use links_sdk::SlotId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use twox_hash::XxHash3_64;

use super::load_text;
use crate::output::{data, label};
use links_pages::fs::private;

/// Operations with long responses that are often the same as the last time.
const LONG: &[&str] = &["listProfiles", "getProfile", "listSlots", "listForms"];

/// Seed of the digests of responses. It has to change with what is kept of a response, so that a file of another version is not trusted.
const WHAT_IS_KEPT: u64 = 4;

/// Seconds after which it is written down again that a page is still as it was.
const SEEN_AGAIN: u64 = 60 * 60;

/// Response that may contain names of resources.
#[derive(Clone, Debug)]
pub(crate) struct SeenAnswer {
    /// Operation id in the API document.
    pub(crate) operation: &'static str,
    /// Request target: path and query.
    pub(crate) target: String,
    /// Body of the response.
    pub(crate) body: Bytes,
}

/// Known resources of a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResourceNames {
    /// Login and title of each page by its id.
    pub(crate) profiles: BTreeMap<i64, NamedResource>,
    /// Title of each form by its id.
    pub(crate) forms: BTreeMap<String, String>,
    /// Digests of the long responses after which no other response has changed a name, by request target. The same response again has
    /// nothing to add.
    seen: BTreeMap<String, u64>,
    /// Slots of each page in page order, by the key used in the request.
    slots: BTreeMap<String, PageSlots>,
}

/// Login and title of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedResource {
    pub(crate) login: String,
    pub(crate) title: String,
}

/// Slots of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PageSlots {
    /// Time at which they were last read as a whole, in seconds since 1970. It may be earlier by [`SEEN_AGAIN`].
    read: u64,
    /// Line of the slots, which is decoded when they are needed: most commands need those of one page or none.
    #[serde(skip)]
    line: String,
}

/// Slot as it is kept, and as a response has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct NamedSlot {
    pub(crate) id: i64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) data: SlotSummary,
}

/// What is kept of a slot, read from its content. It is written as content of which it would be read.
#[derive(Default, Deserialize, Serialize)]
#[serde(from = "Value")]
pub(crate) struct SlotSummary {
    /// Label of the slot; empty if there is none.
    #[serde(rename = "title")]
    pub(crate) label: String,
    /// Id of the form that the slot shows.
    #[serde(rename = "formId")]
    pub(crate) form: Option<String>,
}

impl From<Value> for SlotSummary {
    fn from(content: Value) -> Self {
        let label = content.as_object().and_then(label).unwrap_or_default();
        let form = content["formId"].as_str().filter(|id| !id.trim().is_empty());
        Self { label: label.to_owned(), form: form.map(str::to_owned) }
    }
}

/// Page in a response.
#[derive(Deserialize)]
struct ProfileRecord {
    id: i64,
    login: String,
    #[serde(default)]
    title: Option<String>,
    /// Slots, if the request asked for them.
    #[serde(default)]
    slots: Option<Vec<NamedSlot>>,
}

impl ProfileRecord {
    fn named(self) -> NamedResource {
        NamedResource { login: self.login, title: self.title.unwrap_or_default() }
    }
}

/// Form in a response.
#[derive(Deserialize)]
struct FormRecord {
    id: String,
    title: String,
}

impl PageSlots {
    /// Returns the slots; none if they are not what this version writes.
    fn get(&self) -> Vec<NamedSlot> {
        serde_json::from_str(&self.line).unwrap_or_default()
    }

    /// Notes that the slots were read and are as they were, if that is worth writing down.
    fn note_read(&mut self, now: u64) {
        if now.abs_diff(self.read) >= SEEN_AGAIN {
            self.read = now;
        }
    }
}

/// Key of the page in a request target.
fn page_of(target: &str) -> Option<&str> {
    target.split("/profiles/").nth(1)?.split(['/', '?']).next()
}

impl ResourceNames {
    /// Loads the names from a file.
    pub(crate) fn load(path: &Path) -> Self {
        load_text(path).and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        // A file that ends within a line was not written to its end.
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let mut names: Self = serde_json::from_str(lines.next()?).ok()?;
        for page in names.slots.values_mut() {
            lines.next()?.clone_into(&mut page.line);
        }
        Some(names)
    }

    fn store(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string(self)? + "\n";
        for page in self.slots.values() {
            text += &page.line;
            text.push('\n');
        }
        private::write_unsynced(path, text.as_bytes())
    }

    /// Adds the names in responses; the file is written only if something changed. `now` is in seconds since 1970.
    pub(crate) fn remember(path: &Path, answers: &[SeenAnswer], now: u64) {
        if answers.is_empty() {
            return;
        }
        let before = Self::load(path);
        let mut names = before.clone();
        for answer in answers {
            // A response that cannot be read has no names.
            let _ = names.take(answer, now);
        }
        if names != before {
            let _ = names.store(path);
        }
    }

    /// Returns whether a page with this id or login is known.
    pub(crate) fn has_page(&self, key: &str) -> bool {
        self.slots.contains_key(key) || self.page(key).is_some()
    }

    fn page(&self, key: &str) -> Option<(&i64, &NamedResource)> {
        self.profiles.iter().find(|(id, page)| page.login == key || id.to_string() == key)
    }

    /// Slots of a page by its id or login; slots of all pages if the page is not known.
    pub(crate) fn slots_of(&self, key: Option<&str>) -> Vec<NamedSlot> {
        let found = key.and_then(|key| {
            self.slots.get(key).or_else(|| {
                let (id, named) = self.page(key)?;
                self.slots.get(&named.login).or_else(|| self.slots.get(&id.to_string()))
            })
        });
        match found {
            Some(slots) => slots.get(),
            None => self.slots.values().flat_map(PageSlots::get).collect(),
        }
    }

    /// Returns the pages that show a form, as far as this machine has seen them: the login of each page, or its key if that is not known, with
    /// the ids of the slots; and the time since which no known page was read again, in seconds since 1970. `None` if the slots of no page are
    /// known.
    pub(crate) fn pages_with(&self, form: &str) -> Option<(BTreeMap<String, Vec<SlotId>>, u64)> {
        // A page may be known by its login and by its id.
        let mut newest: BTreeMap<String, &PageSlots> = BTreeMap::new();
        for (key, slots) in &self.slots {
            let of_page = newest.entry(self.login_of(key)).or_insert(slots);
            if of_page.read < slots.read {
                *of_page = slots;
            }
        }
        let as_of = newest.values().map(|slots| slots.read).min()?;
        let ids = |slots: &PageSlots| {
            let is_shown = |slot: &NamedSlot| slot.data.form.as_deref() == Some(form);
            let shows = slots.get().into_iter().filter(is_shown);
            shows.map(|slot| SlotId::new(slot.id)).collect::<Vec<_>>()
        };
        let pages = newest.into_iter().map(|(login, slots)| (login, ids(slots)));
        Some((pages.filter(|(_, ids)| !ids.is_empty()).collect(), as_of))
    }

    /// Returns the login of a page by the key of a request; the key if it is not known.
    fn login_of(&self, key: &str) -> String {
        let named = key.parse().ok().and_then(|id: i64| self.profiles.get(&id));
        named.map_or_else(|| key.to_owned(), |named| named.login.clone())
    }

    /// Notes that a page was read that is as it was.
    fn note_same(&mut self, target: &str, now: u64) {
        let Some(key) = page_of(target) else { return };
        let login = self.login_of(key);
        let known = if self.slots.contains_key(key) { key } else { &login };
        if let Some(slots) = self.slots.get_mut(known) {
            slots.note_read(now);
        }
    }

    /// Adds the names in a response, unless it is one that is known to add none.
    fn take(&mut self, answer: &SeenAnswer, now: u64) -> serde_json::Result<()> {
        let SeenAnswer { operation, target, body } = answer;
        let is_long = LONG.contains(operation);
        let digest = is_long.then(|| XxHash3_64::oneshot_with_seed(WHAT_IS_KEPT, body));
        if digest.is_some() && self.seen.get(target) == digest.as_ref() {
            if *operation == "listSlots" || target.contains("include=slots") {
                self.note_same(target, now);
            }
            return Ok(());
        }
        let before = self.clone();
        self.learn(answer, now)?;
        if *self != before {
            self.seen.clear();
        }
        self.seen.extend(digest.map(|digest| (target.clone(), digest)));
        Ok(())
    }

    fn learn(&mut self, answer: &SeenAnswer, now: u64) -> serde_json::Result<()> {
        let SeenAnswer { operation, target, body } = answer;
        match *operation {
            "listProfiles" => {
                let listed: Vec<ProfileRecord> = data(body)?;
                let listed = listed.into_iter().map(|it| (it.id, it.named())).collect();
                self.move_slots(&listed);
                self.profiles = listed;
            }
            "listForms" => {
                let listed: Vec<FormRecord> = data(body)?;
                self.forms = listed.into_iter().map(|it| (it.id, it.title)).collect();
            }
            "showForm" | "createForm" | "updateForm" => {
                let form: FormRecord = data(body)?;
                self.forms.insert(form.id, form.title);
            }
            "listSlots" | "reorderSlots" => {
                if let Some(key) = page_of(target) {
                    self.read_page(key, data(body)?, now)?;
                }
            }
            "deleteSlots" => {
                let id = |part: &str| part.split_once('=')?.1.parse().ok();
                let gone: Vec<i64> = target.split(['?', '&']).filter_map(id).collect();
                // A page may be known by its login and by its id.
                for page in self.slots.values_mut() {
                    let mut slots = page.get();
                    slots.retain(|slot| !gone.contains(&slot.id));
                    page.line = serde_json::to_string(&slots)?;
                }
            }
            "getProfile" | "createProfile" | "updateProfile" => {
                let mut profile: ProfileRecord = data(body)?;
                if let Some(slots) = profile.slots.take() {
                    self.read_page(&profile.login, slots, now)?;
                }
                let (id, named) = (profile.id, profile.named());
                self.move_slots(&BTreeMap::from([(id, named.clone())]));
                self.profiles.insert(id, named);
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps the slots of renamed pages under their new logins alone.
    fn move_slots(&mut self, named: &BTreeMap<i64, NamedResource>) {
        for (id, NamedResource { login, .. }) in named {
            let before = self.profiles.get(id).filter(|before| before.login != *login);
            if let Some(slots) = before.and_then(|before| self.slots.remove(&before.login)) {
                self.slots.entry(login.clone()).or_insert(slots);
            }
        }
    }

    /// Sets the slots of a page that was read.
    fn read_page(&mut self, key: &str, slots: Vec<NamedSlot>, now: u64) -> serde_json::Result<()> {
        let line = serde_json::to_string(&slots)?;
        match self.slots.get_mut(key).filter(|known| known.line == line) {
            Some(known) => known.note_read(now),
            None => {
                self.slots.insert(key.to_owned(), PageSlots { read: now, line });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
