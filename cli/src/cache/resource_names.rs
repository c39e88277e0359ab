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
use serde::{Deserialize, Serialize};
use serde_json::Value;
use twox_hash::XxHash3_64;

use super::load_text;
use crate::output::{data, label};
use links_pages::fs::private;

/// Operations with long responses that are often the same as the last time.
const LONG: &[&str] = &["listProfiles", "getProfile", "listSlots", "listForms"];

/// Seed of the digests of responses. It has to change with what is kept of a response, so that a file of another version is not trusted.
const WHAT_IS_KEPT: u64 = 5;

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
}

impl From<Value> for SlotSummary {
    fn from(content: Value) -> Self {
        let label = content.as_object().and_then(label).unwrap_or_default();
        Self { label: label.to_owned() }
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

    /// Adds the names in responses; the file is written only if something changed.
    pub(crate) fn remember(path: &Path, answers: &[SeenAnswer]) {
        let mut names = Self::load(path);
        // A response that cannot be read has no names.
        let adds = |answer| names.take(answer).unwrap_or_default();
        if answers.iter().map(adds).fold(false, |one, other| one | other) {
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

    /// Adds the names in a response, unless it is one that is known to add none. Returns whether anything is different.
    fn take(&mut self, answer: &SeenAnswer) -> serde_json::Result<bool> {
        let SeenAnswer { operation, target, body } = answer;
        let is_long = LONG.contains(operation);
        let digest = is_long.then(|| XxHash3_64::oneshot_with_seed(WHAT_IS_KEPT, body));
        if digest.is_some() && self.seen.get(target) == digest.as_ref() {
            return Ok(false);
        }
        let before = self.clone();
        self.learn(answer)?;
        let is_different = *self != before;
        if is_different {
            self.seen.clear();
        }
        self.seen.extend(digest.map(|digest| (target.clone(), digest)));
        Ok(is_different || is_long)
    }

    fn learn(&mut self, answer: &SeenAnswer) -> serde_json::Result<()> {
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
                    let slots: Vec<NamedSlot> = data(body)?;
                    self.read_page(key, &slots)?;
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
                    self.read_page(&profile.login, &slots)?;
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
    fn read_page(&mut self, key: &str, slots: &[NamedSlot]) -> serde_json::Result<()> {
        let line = serde_json::to_string(slots)?;
        self.slots.insert(key.to_owned(), PageSlots { line });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
