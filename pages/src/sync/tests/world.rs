//! A page, and the machines that hold a file of it, with what is known about who edited what.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::service::{ServicePage, types};
use super::working_copy::WorkingCopy;
use crate::apply::{PlanOptions, SlotTypes};
use crate::sync::{FileSlot, LivePage, PageBase};
use links_sdk::Object;
use links_sdk::SlotId;

/// Which record of the last sync a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockMode {
    /// Always the newest.
    Shared,
    /// Sometimes an older one, none, or one side of a merge.
    Unreliable,
}

/// Figures of a history.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) applies: usize,
    pub(super) pulls: usize,
    pub(super) conflicts: usize,
    pub(super) refusals: usize,
    pub(super) ambiguous: usize,
    pub(super) perhaps_deleted: usize,
    pub(super) resembles: usize,
    pub(super) swapped: usize,
}

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) service: ServicePage,
    pub(super) here: WorkingCopy,
    /// Another branch, and the file and the tags where both parted.
    pub(super) other: Option<Box<(WorkingCopy, WorkingCopy)>>,
    pub(super) mode: LockMode,
    pub(super) types: SlotTypes,
    pub(super) figures: Figures,
    /// The strings of slots that were deleted.
    pub(super) deleted_strings: BTreeMap<SlotId, BTreeSet<String>>,
    /// Every string that was on the page.
    pub(super) ever_on_page: BTreeSet<String>,
    /// Set if a slot was copied on the page.
    pub(super) has_copies: bool,
    /// Set unless a sync reads only the profile fields that every page file has, and those that the file mentions.
    pub(super) reads_all_fields: bool,
    pub(super) words: u32,
    pub(super) last_tag: u32,
}

pub(super) type Checked = Result<(), String>;

macro_rules! check {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

pub(super) use check;

impl World {
    pub(super) fn new(mode: LockMode) -> Self {
        Self {
            service: ServicePage::default(),
            here: WorkingCopy::default(),
            other: None,
            mode,
            types: types(),
            figures: Figures::default(),
            deleted_strings: BTreeMap::new(),
            ever_on_page: BTreeSet::new(),
            has_copies: false,
            reads_all_fields: true,
            words: 0,
            last_tag: 0,
        }
    }

    /// Returns a value that was never used.
    pub(super) fn word(&mut self, key: &str) -> Value {
        self.words += 1;
        match (key, self.words % 3) {
            ("link", 0) => format!("https://w{}.example", self.words).into(),
            ("link", _) => format!("w{}.example", self.words).into(),
            (_, 0) => format!(" Word {} ", self.words).into(),
            _ => format!("Word {}", self.words).into(),
        }
    }

    pub(super) fn tag(&mut self) -> u32 {
        self.last_tag += 1;
        self.last_tag
    }

    pub(super) fn live(&self) -> LivePage {
        let mut fields = self.service.fields.clone();
        fields.retain(|key, _| self.is_read(key));
        LivePage { id: 1.into(), login: "cafe".into(), fields, slots: self.service.slots.clone() }
    }

    /// Returns whether a sync reads a profile field.
    pub(super) fn is_read(&self, key: &str) -> bool {
        self.reads_all_fields || key != "socials" || self.here.file.fields.contains_key(key)
    }

    pub(super) fn note_page(&mut self) {
        for slot in &self.service.slots {
            let mut held = BTreeSet::new();
            slot.data.values().for_each(|value| strings(value, &mut held));
            self.ever_on_page.extend(held.iter().cloned());
            self.deleted_strings.insert(slot.id, held);
        }
        self.service.fields.values().for_each(|value| strings(value, &mut self.ever_on_page));
    }

    /// Describes the state, for a message.
    pub(super) fn state(&self) -> String {
        let items = self.here.tags.iter().zip(&self.here.file.slots);
        let items: Vec<String> = items
            .map(|(tag, slot)| {
                let was = self.here.slot_of.get(tag);
                format!(
                    "  item {tag} ({was:?}) {:?} {} {}",
                    slot.id,
                    slot.kind,
                    Value::from(slot.data.0.clone())
                )
            })
            .collect();
        let slots: Vec<String> = self
            .service
            .slots
            .iter()
            .map(|slot| {
                format!("  slot {} {} {}", slot.id, slot.kind, Value::from(slot.data.0.clone()))
            })
            .collect();
        format!(
            "\nfile {}\n{}\npage {}\n{}\nrecord {}\nedits {:?} {:?}\nforeign {:?} {:?}\n",
            Value::from(self.here.file.fields.0.clone()),
            items.join("\n"),
            Value::from(self.service.fields.0.clone()),
            slots.join("\n"),
            serde_json::to_string(&self.here.base).unwrap(),
            self.here.edits,
            self.here.field_edits,
            self.here.foreign,
            self.here.foreign_fields
        )
    }

    pub(super) fn options(&self) -> PlanOptions {
        PlanOptions { types: self.types.clone(), ..PlanOptions::default() }
    }

    /// Returns whether the record has a profile field.
    pub(super) fn knows_field(base: Option<&PageBase>, key: &str) -> bool {
        base.is_some_and(|base| base.fields.contains_key(key))
    }

    pub(super) fn knows(base: Option<&PageBase>, id: SlotId) -> bool {
        base.is_some_and(|base| base.slots.iter().any(|entry| entry.is_named(id)))
    }

    pub(super) fn each(&mut self, note: impl Fn(&mut WorkingCopy)) {
        note(&mut self.here);
        if let Some(other) = &mut self.other {
            note(&mut other.0);
        }
    }

    /// Removes an item from the file.
    pub(super) fn remove_item(&mut self, tag: u32) {
        let Some(at) = self.here.tags.iter().position(|other| *other == tag) else { return };
        self.here.tags.remove(at);
        self.here.file.slots.remove(at);
        self.here.edits.retain(|(edited, _), _| *edited != tag);
        self.here.slot_of.remove(&tag);
        self.here.wanted_again.remove(&tag);
    }

    /// Adds an item to the file.
    pub(super) fn add_item(&mut self, at: usize, slot: FileSlot) -> u32 {
        let tag = self.tag();
        let at = at.min(self.here.tags.len());
        for (key, value) in slot.data.iter() {
            self.here.edits.insert((tag, key.clone()), value.clone());
        }
        self.here.tags.insert(at, tag);
        self.here.file.slots.insert(at, slot);
        tag
    }
}

pub(super) fn object(pairs: &[(&str, Value)]) -> Object {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

/// Returns the strings that tell which slot an item is.
pub(super) fn telling_strings(data: &Object) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let telling = ["title", "link", "description"];
    let values = data.iter().filter(|(key, _)| telling.contains(&key.as_str()));
    values.for_each(|(_, value)| strings(value, &mut found));
    // An empty value tells nothing.
    found.remove("");
    found
}

/// Returns a string without what the service adds or removes.
pub(super) fn plain(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("https://").unwrap_or(text)
}

pub(super) fn strings(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(plain(text).to_owned());
        }
        Value::Array(all) => all.iter().for_each(|value| strings(value, found)),
        Value::Object(all) => all.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
