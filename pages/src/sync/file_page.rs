//! What a page file and its page say.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apply::PageSnapshot;
use links_sdk::{Object, ProfileId, Slot, SlotId};

const LOGIN: &str = "login";

/// Content of a page file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilePage {
    /// The profile fields in the file, in the format of [`LivePage::fields`].
    #[serde(default)]
    pub fields: Object,
    /// Values that the references in `fields` stand for, by field; see [`FileSlot::resolved`].
    #[serde(default)]
    pub resolved: Object,
    /// The slots in page order.
    #[serde(default)]
    pub slots: Vec<FileSlot>,
    /// Set if the file does not contain slots. The slots of the page and their record are not changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_slots: bool,
}

/// A slot in a page file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSlot {
    /// The ID in the file.
    #[serde(default, skip_serializing_if = "FileSlotId::is_absent")]
    pub id: FileSlotId,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The keys in the file. A reference is identified by its target, not by the location of the target: an image by the hash of its
    /// content, a form by its ID or local name. Only these values are hashed.
    #[serde(default)]
    pub data: Object,
    /// True if the item has `locked: true`.
    #[serde(default, rename = "locked", skip_serializing_if = "std::ops::Not::not")]
    pub is_locked: bool,
    /// By key, the complete values to send if they differ from `data` because references in them are resolved. A key with unresolved
    /// references is absent, and its value counts as different from the page's.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub resolved: Object,
}

/// ID of a slot in a page file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FileSlotId {
    /// The file has no ID.
    #[default]
    Absent,
    /// `new`: the slot is not one of the slots that were created on the page since the last sync, even if it is similar to one.
    New,
    /// The ID of a slot on the page.
    Id(SlotId),
}

impl FileSlotId {
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Returns the ID of the slot that the file names.
    pub(crate) fn named(self) -> Option<SlotId> {
        match self {
            Self::Id(id) => Some(id),
            Self::Absent | Self::New => None,
        }
    }
}

impl FileSlot {
    /// Returns the value of a key to send.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.resolved.get(key).or_else(|| self.data.get(key))
    }

    /// Returns the data to send.
    pub fn values(&self) -> Object {
        let value = |key: &String| Some((key.clone(), self.value(key)?.clone()));
        self.data.keys().filter_map(value).collect()
    }
}

impl FilePage {
    /// Returns the value of a field to send.
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.resolved.get(key).or_else(|| self.fields.get(key))
    }
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
    /// ID of the page.
    pub id: ProfileId,
    /// Login of the page.
    pub login: String,
    /// The profile fields that were read, in the format of page files: `socials` as a list of links, `languageCode` as a code. A field that
    /// was not read is absent, and its record is not changed. Include `login` only if the file contains it.
    pub fields: Object,
    /// The slots in page order.
    pub slots: Vec<Slot>,
}

impl LivePage {
    /// Returns the content of a page, to compare with this file.
    pub fn of(page: &PageSnapshot, file: &FilePage) -> Self {
        let mut fields = page.fields();
        if !file.fields.contains_key(LOGIN) {
            fields.remove(LOGIN);
        }
        Self { id: page.id, login: page.login.clone(), fields, slots: page.slots.clone() }
    }

    /// Returns the page without its fields. The records of the fields are not changed.
    #[must_use]
    pub fn without_fields(self) -> Self {
        Self { fields: Object::default(), ..self }
    }
}
