//! Edits of a file that a pull asks for.

use links_sdk::SlotId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value of the page to write into the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PulledKey {
    /// The index of the item in the file.
    pub item: usize,
    /// The key of its data.
    pub key: String,
    /// Value on the page.
    pub value: Value,
}

/// A profile field of the page to write into the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PulledField {
    /// The field.
    pub key: String,
    /// Value on the page.
    pub value: Value,
}

/// An item of the file after a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PulledItem {
    /// The item with this index in the file.
    Item(usize),
    /// The slot with this index in [`Pull::inserted`](super::Pull::inserted).
    Inserted(usize),
}

/// A place of the file to mark as a conflict, above its line. Removing the mark settles it for what the file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ConflictMark {
    /// File and page changed a key to different values; the file keeps its own.
    Key {
        /// The index of the item in the file.
        item: usize,
        /// The key of its data.
        key: String,
        /// Value in the file.
        file: Value,
        /// Value on the page.
        page: Value,
    },
    /// File and page changed a profile field to different values; the file keeps its own.
    Field {
        /// The field.
        key: String,
        /// Value in the file.
        file: Value,
        /// Value on the page.
        page: Value,
    },
    /// The item was changed in the file, and its slot was deleted on the page: delete the item, or remove the mark to create it again.
    DeletedThere {
        /// The index of the item in the file.
        item: usize,
        /// Id that the slot had.
        id: SlotId,
    },
    /// The item was deleted in the file, and its slot was changed on the page: it is inserted again; delete it, or remove the mark to keep it.
    DeletedHere {
        /// The index in [`Pull::inserted`](super::Pull::inserted).
        inserted: usize,
        /// Id of the slot.
        id: SlotId,
    },
    /// The new item resembles slots that were made on the page and are inserted: delete one, or remove the mark to keep both.
    Resembles {
        /// The index of the item in the file.
        item: usize,
        /// Ids of the slots.
        ids: Vec<SlotId>,
    },
    /// File and page moved slots differently; the file keeps its order.
    Order {
        /// Ids in the order of the page.
        page: Vec<SlotId>,
    },
}
