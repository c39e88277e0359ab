//! Names that completion offers: pages, slots and forms seen by the last commands, in one small file per service. Errors are ignored: a
//! file that cannot be read or written counts as missing.
//!
//! The first line of the file has everything but the slots. Each further line has the slots of one page, so that those that are not needed
//! are not parsed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use bytes::Bytes;
use links_sdk::SlotId;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::json_file;
use super::seen_records::{DataEnvelope, FormRecord, ProfileRecord, SlotRecord};
use crate::fs::private;
use crate::output::label::SlotSummary;

/// Operations whose responses contain names of resources.
const OPERATIONS: &[&str] = &[
    "listProfiles",
    "getProfile",
    "createProfile",
    "updateProfile",
    "listSlots",
    "reorderSlots",
    "getSlot",
    "createSlot",
    "createSlots",
    "updateSlot",
    "updateSlots",
    "deleteSlots",
    "listForms",
    "showForm",
    "createForm",
    "updateForm",
];

/// Operations with long responses that are often the same as the last time.
const LONG: &[&str] = &["listProfiles", "getProfile", "listSlots", "listForms"];

/// Seed of the digests of responses. It has to change with what is kept of a response, so that a file of another version is not trusted.
const WHAT_IS_KEPT: u64 = 2;

/// Seconds after which it is written down again that a page is still as it was.
const SEEN_AGAIN: u64 = 60 * 60;

/// Tells whether the responses of an operation contain names of resources.
pub(crate) fn is_named(operation: &str) -> bool {
    OPERATIONS.contains(&operation)
}

/// Response that contains names of resources.
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
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ResourceNames {
    /// Login and title of each page by its id.
    pub(crate) profiles: BTreeMap<i64, NamedResource>,
    /// Title of each form by its id.
    pub(crate) forms: BTreeMap<String, String>,
    /// Digests of the long responses after which no other response has changed a name, by request target. The same response again has
    /// nothing to add.
    seen: BTreeMap<String, u64>,
    /// Time at which the slots of a page were last read as a whole, in seconds since 1970, by the key of the page. It may be earlier by
    /// [`SEEN_AGAIN`].
    #[serde(default)]
    read: BTreeMap<String, u64>,
    /// Key of the page of each further line of the file.
    lines: Vec<String>,
    /// Slots of each page in page order, by the key used in the request.
    #[serde(skip)]
    pub(crate) slots: BTreeMap<String, PageSlots>,
}

/// Page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedResource {
    /// Login, the last part of the public URL.
    pub(crate) login: String,
    /// Title of the page.
    pub(crate) title: String,
}

/// Slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedSlot {
    /// Id of the slot.
    pub(crate) id: i64,
    /// Type of the slot.
    pub(crate) kind: String,
    /// Human-readable label of the slot.
    pub(crate) label: String,
    /// Id of the form that the slot shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<String>,
}

impl From<SlotRecord> for NamedSlot {
    fn from(SlotRecord { id, kind, data }: SlotRecord) -> Self {
        let SlotSummary { label, form } = data;
        Self { id, kind, label, form }
    }
}

/// Pages that show a form, as far as this machine has seen them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KnownFormUse {
    /// Login of each page, or its key if that is not known, with the ids of the slots.
    pub(crate) pages: BTreeMap<String, Vec<SlotId>>,
    /// Time since which no known page was read again, in seconds since 1970.
    pub(crate) as_of: u64,
}

/// Returns the id of a page, and its names.
fn named(record: ProfileRecord) -> (i64, NamedResource) {
    let title = record.title.unwrap_or_default();
    (record.id, NamedResource { login: record.login, title })
}

/// Slots of a page: a line of the file until they are needed, because most commands need those of one page or none.
#[derive(Debug)]
pub(crate) enum PageSlots {
    /// As in the file.
    Line(String),
    /// Decoded.
    Slots(Vec<NamedSlot>),
}

impl Default for PageSlots {
    fn default() -> Self {
        Self::Slots(Vec::new())
    }
}

impl PageSlots {
    /// Returns the slots; none if they are not what this version writes.
    pub(crate) fn get(&self) -> Cow<'_, [NamedSlot]> {
        match self {
            Self::Line(line) => Cow::Owned(serde_json::from_str(line).unwrap_or_default()),
            Self::Slots(slots) => Cow::Borrowed(slots),
        }
    }

    fn line(&self) -> serde_json::Result<Cow<'_, str>> {
        match self {
            Self::Line(line) => Ok(Cow::Borrowed(line)),
            Self::Slots(slots) => serde_json::to_string(slots).map(Cow::Owned),
        }
    }

    fn take(&mut self) -> Vec<NamedSlot> {
        match std::mem::take(self) {
            Self::Line(line) => serde_json::from_str(&line).unwrap_or_default(),
            Self::Slots(slots) => slots,
        }
    }

    /// Replaces the slots with the same ids, and appends new ones. Returns whether anything is different from before.
    fn update(&mut self, slots: Vec<SlotRecord>) -> bool {
        let mut known = self.take();
        let mut changed = false;
        for slot in slots.into_iter().map(NamedSlot::from) {
            match known.iter_mut().find(|it| it.id == slot.id) {
                Some(old) if *old == slot => continue,
                Some(old) => *old = slot,
                None => known.push(slot),
            }
            changed = true;
        }
        *self = Self::Slots(known);
        changed
    }

    /// Removes slots. Returns whether anything is different from before.
    fn remove(&mut self, ids: &[i64]) -> bool {
        let mut known = self.take();
        let before = known.len();
        known.retain(|it| !ids.contains(&it.id));
        let changed = known.len() != before;
        *self = Self::Slots(known);
        changed
    }
}

/// Key of the page in a request target.
fn page_of(target: &str) -> Option<&str> {
    target.split("/profiles/").nth(1)?.split(['/', '?']).next()
}

/// Id in one part of a query string.
fn id_in(part: &str) -> Option<i64> {
    part.split_once('=')?.1.parse().ok()
}

impl ResourceNames {
    /// Loads the names from a file.
    pub(crate) fn load(path: &Path) -> Self {
        json_file::read(path).and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        // A file that ends within a line was not written to its end.
        let (first, further) = text.strip_suffix('\n')?.split_once('\n').unwrap_or((text, ""));
        let mut names: Self = serde_json::from_str(first).ok()?;
        let mut further = further.lines();
        for key in std::mem::take(&mut names.lines) {
            names.slots.insert(key, PageSlots::Line(further.next()?.to_owned()));
        }
        Some(names)
    }

    fn store(&mut self, path: &Path) -> io::Result<()> {
        self.lines = self.slots.keys().cloned().collect();
        let mut text = serde_json::to_string(self)? + "\n";
        for slots in self.slots.values() {
            text += &slots.line()?;
            text.push('\n');
        }
        private::write_unsynced(path, text.as_bytes())
    }

    /// Adds the names in responses; the file is written only if something changed. `now` is in seconds since 1970.
    pub(crate) fn remember(path: &Path, answers: &[SeenAnswer], now: u64) {
        if answers.is_empty() {
            return;
        }
        let mut names = Self::load(path);
        let mut changed = false;
        for answer in answers {
            changed |= names.take(answer, now);
        }
        if changed {
            let _ = names.store(path);
        }
    }

    /// Slots of a page by its id or login; slots of all pages if the page is not known.
    pub(crate) fn slots_of(&self, key: Option<&str>) -> Vec<NamedSlot> {
        let of = |key: &str| self.slots.get(key);
        let profile = self
            .profiles
            .iter()
            .find(|(id, it)| key.is_some_and(|key| it.login == key || id.to_string() == key));
        let found = key.and_then(of).or_else(|| {
            let (id, named) = profile?;
            of(&named.login).or_else(|| of(&id.to_string()))
        });
        match found {
            Some(slots) => slots.get().into_owned(),
            None => self.slots.values().flat_map(|it| it.get().into_owned()).collect(),
        }
    }

    /// Returns the pages that show a form; `None` if the slots of no page are known.
    pub(crate) fn pages_with(&self, form: &str) -> Option<KnownFormUse> {
        // A page may be known by its login and by its id.
        let mut newest: BTreeMap<String, (u64, &PageSlots)> = BTreeMap::new();
        for (key, slots) in &self.slots {
            let Some(read) = self.read.get(key) else { continue };
            let of_page = newest.entry(self.login_of(key)).or_insert((*read, slots));
            if of_page.0 < *read {
                *of_page = (*read, slots);
            }
        }
        let as_of = newest.values().map(|(read, _)| *read).min()?;
        let shows = |slot: &NamedSlot| (slot.form.as_deref() == Some(form)).then_some(slot.id);
        let ids = |slots: &PageSlots| {
            slots.get().iter().filter_map(shows).map(SlotId::new).collect::<Vec<_>>()
        };
        let pages = newest.into_iter().map(|(login, (_, slots))| (login, ids(slots)));
        Some(KnownFormUse { pages: pages.filter(|(_, ids)| !ids.is_empty()).collect(), as_of })
    }

    /// Returns the login of a page by the key of a request; the key if it is not known.
    fn login_of(&self, key: &str) -> String {
        let named = key.parse().ok().and_then(|id: i64| self.profiles.get(&id));
        named.map_or_else(|| key.to_owned(), |named| named.login.clone())
    }

    /// Notes that the slots of a page were read. Returns whether that is worth writing down.
    fn note_read(&mut self, key: &str, now: u64) -> bool {
        let known = self.read.get(key);
        if known.is_some_and(|read| now.abs_diff(*read) < SEEN_AGAIN) {
            return false;
        }
        self.read.insert(key.to_owned(), now);
        true
    }

    /// Notes that a page was read that is as it was. Returns whether that is worth writing down.
    fn note_same(&mut self, target: &str, now: u64) -> bool {
        let Some(key) = page_of(target) else { return false };
        let keys = [key.to_owned(), self.login_of(key)];
        let known = keys.into_iter().find(|key| self.slots.contains_key(key));
        known.is_some_and(|key| self.note_read(&key, now))
    }

    /// Adds the names in a response. Returns whether anything is different from before.
    fn take(&mut self, answer: &SeenAnswer, now: u64) -> bool {
        let digest = LONG
            .contains(&answer.operation)
            .then(|| XxHash3_64::oneshot_with_seed(WHAT_IS_KEPT, &answer.body));
        if digest.is_some() && self.seen.get(&answer.target) == digest.as_ref() {
            let has_slots =
                answer.operation == "listSlots" || answer.target.contains("include=slots");
            return has_slots && self.note_same(&answer.target, now);
        }
        let Ok(changed) = self.learn(answer, now) else { return false };
        if changed {
            self.seen.clear();
        }
        if let Some(digest) = digest {
            self.seen.insert(answer.target.clone(), digest);
        }
        changed || digest.is_some()
    }

    /// Adds the names in a response. Returns whether a name changed.
    fn learn(&mut self, answer: &SeenAnswer, now: u64) -> serde_json::Result<bool> {
        let SeenAnswer { operation, target, body } = answer;
        let page = page_of(target);
        Ok(match *operation {
            "listProfiles" => {
                let listed = DataEnvelope::<Vec<ProfileRecord>>::read(body)?;
                replace(&mut self.profiles, listed.into_iter().map(named).collect())
            }
            "listForms" => {
                let listed = DataEnvelope::<Vec<FormRecord>>::read(body)?;
                replace(&mut self.forms, listed.into_iter().map(|it| (it.id, it.title)).collect())
            }
            "showForm" | "createForm" | "updateForm" => {
                let form = DataEnvelope::<FormRecord>::read(body)?;
                insert(&mut self.forms, form.id, form.title)
            }
            "listSlots" | "reorderSlots" => match page {
                Some(key) => self.page(key, DataEnvelope::read(body)?, now),
                None => false,
            },
            "getSlot" | "createSlot" | "createSlots" | "updateSlot" | "updateSlots" => {
                match page.and_then(|key| self.slots.get_mut(key)) {
                    Some(known) if operation.ends_with('s') => {
                        known.update(DataEnvelope::read(body)?)
                    }
                    Some(known) => known.update(vec![DataEnvelope::read(body)?]),
                    None => false,
                }
            }
            "deleteSlots" => {
                let ids: Vec<_> = target.split(['?', '&']).filter_map(id_in).collect();
                let known = page.and_then(|key| self.slots.get_mut(key));
                known.is_some_and(|known| known.remove(&ids))
            }
            _ => {
                let mut profile = DataEnvelope::<ProfileRecord>::read(body)?;
                let slots = profile.slots.take();
                let (id, named) = named(profile);
                let changed = slots.is_some_and(|slots| self.page(&named.login, slots, now));
                insert(&mut self.profiles, id, named) || changed
            }
        })
    }

    /// Sets the slots of a page.
    fn page(&mut self, key: &str, slots: Vec<SlotRecord>, now: u64) -> bool {
        let slots: Vec<_> = slots.into_iter().map(NamedSlot::from).collect();
        if self.slots.get(key).is_some_and(|known| *known.get() == *slots) {
            self.note_read(key, now);
            return false;
        }
        self.read.insert(key.to_owned(), now);
        self.slots.insert(key.to_owned(), PageSlots::Slots(slots));
        true
    }
}

/// Sets a value. Returns whether it is different from before.
fn insert<K: Ord, V: PartialEq>(map: &mut BTreeMap<K, V>, key: K, value: V) -> bool {
    if map.get(&key) == Some(&value) {
        return false;
    }
    map.insert(key, value);
    true
}

/// Sets all values. Returns whether they are different from before.
fn replace<K: Ord, V: PartialEq>(map: &mut BTreeMap<K, V>, all: BTreeMap<K, V>) -> bool {
    let changed = *map != all;
    *map = all;
    changed
}

#[cfg(test)]
mod tests;
