//! Reasons why it is unclear which slot an item is.

use std::fmt;

use serde::Serialize;

use links_sdk::SlotId;

/// Items of which it is unclear which slots they are. Nothing may be written, and all of them are named at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("{}", lines(.0))]
pub struct IdentityError(pub Vec<IdentityProblem>);

/// Reason why it is unclear which slots some items are. Items are named by their index in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum IdentityProblem {
    /// The page lists a slot more than once; such a page cannot be trusted.
    #[error("the page lists slot {id} more than once")]
    RepeatedOnPage {
        /// Id of the slot.
        id: SlotId,
    },
    /// Two items have one id.
    #[error("slots[{item}]: slot {id} was already named by slots[{first}]")]
    RepeatedId {
        /// The later item.
        item: usize,
        /// The earlier item.
        first: usize,
        /// Id as written.
        id: SlotId,
    },
    /// The id of an item belongs to no slot of the page, and the last sync did not know it.
    #[error("slots[{item}]: slot {id} is not on the page; without the id a new slot is created")]
    NotOnPage {
        /// The item.
        item: usize,
        /// Id as written.
        id: SlotId,
    },
    /// The id of an item belongs to a slot of another type.
    #[error(
        "slots[{item}]: slot {id} is of type {actual}, not {written}, and a slot's type never changes; without the id a new slot is created"
    )]
    TypeDiffers {
        /// The item.
        item: usize,
        /// Id as written.
        id: SlotId,
        /// The type of the slot.
        actual: String,
        /// The type of the item.
        written: String,
    },
    /// Items fit slots that differ on the page, and nothing tells which item is which slot.
    #[error(
        "{}: which of the slots {} is meant is unclear; write the id",
        places(items),
        list(ids)
    )]
    Ambiguous {
        /// The items.
        items: Vec<usize>,
        /// Ids of the slots.
        ids: Vec<SlotId>,
    },
    /// New items may be slots that were deleted on the page since the last sync.
    #[error(
        "{}: may be slot {}, deleted on the page since the last sync; write the id if so, or `id: new`",
        places(items),
        list(ids)
    )]
    PerhapsDeleted {
        /// The items.
        items: Vec<usize>,
        /// Ids that the slots had.
        ids: Vec<SlotId>,
    },
    /// A new item resembles slots that were made on the page since the last sync.
    #[error(
        "slots[{item}]: slot {} was made on the page since the last sync and resembles it; write its id if they are one slot, or `id: new` if they are two",
        list(ids)
    )]
    Resembles {
        /// The item.
        item: usize,
        /// Ids of the slots.
        ids: Vec<SlotId>,
    },
}

fn lines(problems: &[IdentityProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn places(items: &[usize]) -> String {
    items.iter().map(|item| format!("slots[{item}]")).collect::<Vec<_>>().join(", ")
}

fn list<T: fmt::Display>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
