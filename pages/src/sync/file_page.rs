//! What a page file says.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use links_sdk::Object;
use links_sdk::SlotId;

/// What a page file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilePage {
    /// The profile fields that the file mentions, as [`LivePage::fields`](super::LivePage::fields) has them.
    #[serde(default)]
    pub fields: Object,
    /// Values that references in `fields` stand for, by field; see [`FileSlot::resolved`].
    #[serde(default)]
    pub resolved: Object,
    /// The slots in page order.
    #[serde(default)]
    pub slots: Vec<FileSlot>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// Form of an id in JSON.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum IdJson {
    Number(SlotId),
    Word(IdWord),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum IdWord {
    New,
}

impl Serialize for FileSlotId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = match self {
            Self::Absent => None,
            Self::New => Some(IdJson::Word(IdWord::New)),
            Self::Id(id) => Some(IdJson::Number(*id)),
        };
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FileSlotId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::<IdJson>::deserialize(deserializer)? {
            None => Self::Absent,
            Some(IdJson::Word(IdWord::New)) => Self::New,
            Some(IdJson::Number(id)) => Self::Id(id),
        })
    }
}
