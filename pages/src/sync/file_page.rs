//! What a page file and its page say.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apply::PageSnapshot;
use links_sdk::{Object, ProfileId, Slot, SlotId};

const LOGIN: &str = "login";

/// What a page file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilePage {
    /// The profile fields that the file mentions, as [`LivePage::fields`] has them.
    #[serde(default)]
    pub fields: Object,
    /// Values that references in `fields` stand for, by field; see [`FileSlot::resolved`].
    #[serde(default)]
    pub resolved: Object,
    /// The slots in page order.
    #[serde(default)]
    pub slots: Vec<FileSlot>,
    /// Set if the file says nothing of the slots: those of the page stay as they are, and what is recorded of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_slots: bool,
}

/// A slot as a page file says it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSlot {
    /// The id that the file gives.
    #[serde(default, skip_serializing_if = "FileSlotId::is_absent")]
    pub id: FileSlotId,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The keys that the file mentions. A reference is named by what it refers to, not by where that is found: an image by the hash of
    /// its content, a form by its id or local name. Only these values are hashed.
    #[serde(default)]
    pub data: Object,
    /// By key, the whole values that would be sent where they differ from `data`, because references in them are resolved. A key whose
    /// references are not resolved yet is absent; its value counts as different from the page's.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub resolved: Object,
}

/// Id of a slot in a page file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FileSlotId {
    /// The file gives none.
    #[default]
    Absent,
    /// `new`: the slot is none of those that were made on the page since the last sync, although it resembles one.
    New,
    /// The id of a slot of the page.
    Id(SlotId),
}

impl FileSlotId {
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Returns the id of the slot that the file names.
    pub(crate) fn named(self) -> Option<SlotId> {
        match self {
            Self::Id(id) => Some(id),
            Self::Absent | Self::New => None,
        }
    }
}

impl FileSlot {
    /// Returns the value of a key as it would be sent.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.resolved.get(key).or_else(|| self.data.get(key))
    }

    /// Returns the data as it would be sent.
    pub fn values(&self) -> Object {
        let value = |key: &String| Some((key.clone(), self.value(key)?.clone()));
        self.data.keys().filter_map(value).collect()
    }
}

impl FilePage {
    /// Returns the value of a field as it would be sent.
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.resolved.get(key).or_else(|| self.fields.get(key))
    }
}

fn is_empty(object: &Object) -> bool {
    object.is_empty()
}

impl TryFrom<Value> for FileSlotId {
    type Error = serde_json::Error;

    fn try_from(written: Value) -> Result<Self, Self::Error> {
        Ok(match written {
            Value::Null => Self::Absent,
            Value::String(word) if word == "new" => Self::New,
            id => Self::Id(serde_json::from_value(id)?),
        })
    }
}

impl From<FileSlotId> for Value {
    fn from(id: FileSlotId) -> Self {
        match id {
            FileSlotId::Absent => Self::Null,
            FileSlotId::New => "new".into(),
            FileSlotId::Id(id) => id.into(),
        }
    }
}

/// A page as it was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LivePage {
    /// Id of the page.
    pub id: ProfileId,
    /// Login of the page.
    pub login: String,
    /// The profile fields that were read, in the form that page files have: `socials` as a list of links, `languageCode` as a code. A
    /// field that was not read is absent, and its record stays as it is. `login` belongs here only where the file mentions it.
    pub fields: Object,
    /// The slots in page order.
    pub slots: Vec<Slot>,
}

impl LivePage {
    /// Returns what a page holds, for a file that says this of it.
    pub fn of(page: &PageSnapshot, file: &FilePage) -> Self {
        let mut fields = page.fields();
        if !file.fields.contains_key(LOGIN) {
            fields.remove(LOGIN);
        }
        Self { id: page.id, login: page.login.clone(), fields, slots: page.slots.clone() }
    }

    /// Returns the page without its fields: their records stay as they are.
    #[must_use]
    pub fn without_fields(self) -> Self {
        Self { fields: Object::default(), ..self }
    }
}
