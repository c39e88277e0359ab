//! What a merge and a pull find: conflicts, changes by other clients, deletions, replaced values, notes, and items of which it is unclear
//! which slots they are.

use links_sdk::SlotId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conflict between changes in the file and changes on the page. Nothing may be written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "conflict", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Conflict {
    /// File and page changed a value differently.
    Value {
        /// The index of the item in the file and the ID of its slot; `None` for a profile field.
        slot: Option<(usize, SlotId)>,
        /// The field, or the key of the data of the slot.
        key: String,
        /// Value in the file.
        file: Value,
        /// Value on the page.
        page: Value,
        /// Set if the last sync recorded the value. Otherwise it is unknown which of the two values is newer.
        recorded: bool,
    },
    /// The item of a slot was changed in the file, and the slot was deleted on the page.
    DeletedThere {
        /// The index of the item in the file.
        item: usize,
        /// ID of the slot.
        id: SlotId,
        /// The keys that the file changed.
        keys: Vec<String>,
    },
    /// The item of a slot was deleted in the file, and the slot was changed on the page.
    DeletedHere {
        /// ID of the slot.
        id: SlotId,
        /// The type.
        #[serde(rename = "type")]
        kind: String,
        /// Label of the slot, for display.
        label: Option<String>,
        /// The keys that changed on the page.
        keys: Vec<String>,
    },
    /// File and page moved slots differently.
    Order {
        /// IDs in the order of the page.
        page: Vec<SlotId>,
    },
}

/// A change on the page since the last sync that is not in the file. It is kept, and `pull` writes it into the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RemoteChange {
    /// A key of a slot was changed.
    Key {
        /// The index of the item in the file.
        item: usize,
        /// ID of the slot.
        id: SlotId,
        /// The key of its data.
        key: String,
        /// Value in the file.
        file: Value,
        /// Value on the page.
        page: Value,
    },
    /// A profile field was changed.
    Field {
        /// The field.
        key: String,
        /// Value in the file.
        file: Value,
        /// Value on the page.
        page: Value,
    },
    /// A slot was deleted, and its item is still in the file.
    Deleted {
        /// The index of the item in the file.
        item: usize,
        /// Former ID of the slot.
        id: SlotId,
    },
    /// A slot was created.
    Made {
        /// ID of the slot.
        id: SlotId,
        /// The type.
        #[serde(rename = "type")]
        kind: String,
        /// Label of the slot, for display.
        label: Option<String>,
    },
    /// Slots were moved.
    Order {
        /// IDs in the order of the page.
        page: Vec<SlotId>,
    },
}

/// A slot to delete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Deletion {
    /// ID of the slot.
    pub id: SlotId,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label of the slot, for display.
    pub label: Option<String>,
    /// Reason why it is deleted.
    pub reason: DeletionReason,
}

/// Reason why a slot is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DeletionReason {
    /// Its item was deleted in the file. Needs confirmation.
    DeletedHere,
    /// Its item was deleted in the file, another client has changed it since, and overwriting was requested.
    ChangedThere,
    /// Another client created it since the last sync, and `--prune` was given.
    MadeThere,
}

/// A value of the page that is replaced, although another client set it or may have set it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "replaced", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Replaced {
    /// Value of a key of a slot.
    Key {
        /// The index of the item in the file.
        item: usize,
        /// ID of the slot.
        id: SlotId,
        /// The key of its data.
        key: String,
        /// Value on the page.
        page: Value,
    },
    /// Value of a profile field.
    Field {
        /// The field.
        key: String,
        /// Value on the page.
        page: Value,
    },
    /// The order of the slots.
    Order {
        /// IDs in the order of the page.
        page: Vec<SlotId>,
    },
    /// The deletion of a slot. The slot is created again.
    Deletion {
        /// The index of the item in the file.
        item: usize,
        /// Former ID of the slot.
        id: SlotId,
    },
}

/// A fact about a merge that the user should know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SyncNote {
    /// A key was removed from the file. Its value stays on the page. Reported once.
    KeyStays {
        /// The index of the item in the file.
        item: usize,
        /// ID of the slot.
        id: SlotId,
        /// The key of its data.
        key: String,
    },
    /// A profile field was removed from the file. Its value stays on the page. Reported once.
    FieldStays {
        /// The field.
        key: String,
    },
    /// A slot that was created on the page equals a new item of the file, and is used for it.
    Adopted {
        /// The index of the item in the file.
        item: usize,
        /// ID of the slot.
        id: SlotId,
    },
    /// A slot was deleted and created again by another client or by an undo, with all its values.
    Recreated {
        /// The index of the item in the file.
        item: usize,
        /// Former ID of the slot.
        was: SlotId,
        /// ID of the slot.
        id: SlotId,
    },
}

impl SyncNote {
    /// Returns the note for a key or a field that was removed from the file.
    pub(super) fn stays(slot: Option<(usize, SlotId)>, key: &str) -> Self {
        let key = key.to_owned();
        match slot {
            Some((item, id)) => Self::KeyStays { item, id, key },
            None => Self::FieldStays { key },
        }
    }
}

/// A value of the page to write into the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PulledKey {
    /// The index of the item in the file.
    pub item: usize,
    /// The key of its data.
    pub key: String,
    /// Value on the page.
    pub value: Value,
}

/// An item of the file after a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PulledItem {
    /// The item with this index in the file.
    Item(usize),
    /// The slot with this index in [`Pull::inserted`](super::Pull::inserted).
    Inserted(usize),
}

/// A place in the file to mark as a conflict, above its line. Removing the mark resolves the conflict in favor of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ConflictMark {
    /// File and page changed a value differently; the file keeps its own.
    Value {
        /// The index of the item in the file; `None` for a profile field.
        item: Option<usize>,
        /// The field, or the key of the data of the item.
        key: String,
        /// Value on the page.
        page: Value,
    },
    /// The item was changed in the file, and its slot was deleted on the page. Delete the item, or remove the mark to create the slot
    /// again.
    DeletedThere {
        /// The index of the item in the file.
        item: usize,
        /// Former ID of the slot.
        id: SlotId,
    },
    /// The item was deleted in the file, and its slot was changed on the page. The item is inserted again. Delete it, or remove the mark to
    /// keep it.
    DeletedHere {
        /// The index in [`Pull::inserted`](super::Pull::inserted).
        inserted: usize,
        /// ID of the slot.
        id: SlotId,
    },
    /// The new item is similar to slots that were created on the page and are inserted. Delete one of them, or remove the mark to keep
    /// both.
    Resembles {
        /// The index of the item in the file.
        item: usize,
        /// IDs of the slots.
        ids: Vec<SlotId>,
    },
    /// File and page moved slots differently; the file keeps its order.
    Order {
        /// IDs in the order of the page.
        page: Vec<SlotId>,
    },
}
