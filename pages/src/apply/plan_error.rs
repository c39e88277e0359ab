//! Errors of planning.

use std::fmt;

use serde::Serialize;

use links_sdk::SlotId;

/// Reason why there is no plan, so that nothing may be written. All faulty items are named at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlanError {
    /// The service listed an id more than once; such a page cannot be trusted.
    #[error("the page lists {} more than once", list(.0))]
    RepeatedIds(Vec<SlotId>),
    /// Items that cannot be met, in the order of the file.
    #[error("{}", all(.0))]
    Items(Vec<ItemError>),
    /// The page would end with too many slots.
    #[error("the page would have {slots} slots, {max} are allowed{}", of_them(*.kept))]
    TooManySlots {
        /// Number of slots at the end.
        slots: usize,
        /// Number of slots among them that the file does not mention.
        kept: usize,
        /// Maximum number of slots of a page.
        max: usize,
    },
}

/// An item that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("slots[{index}]: {problem}")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ItemError {
    /// The index of the item in the file.
    pub index: usize,
    /// The problem.
    #[source]
    pub problem: ItemProblem,
}

/// Problem of an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ItemProblem {
    /// The id of the item belongs to no slot of the page.
    #[error("slot {id} is not on the page; without the id a new slot is created")]
    NotOnPage {
        /// Id as written.
        id: SlotId,
    },
    /// An earlier item has the same id.
    #[error("slot {id} was already named by slots[{first}]")]
    RepeatedId {
        /// Id as written.
        id: SlotId,
        /// The index of the earlier item.
        first: usize,
    },
    /// The id of the item belongs to a slot of another type.
    #[error(
        "slot {id} is of type {on_page}, not {in_file}, and a slot's type never changes; without the id a new slot is created"
    )]
    TypeDiffers {
        /// Id as written.
        id: SlotId,
        /// The type of the slot.
        on_page: String,
        /// The type of the item.
        in_file: String,
    },
    /// The item asks to change a slot that cannot be edited.
    #[error("slot {id} ({kind}) cannot be edited, but {} would change", list(keys))]
    NotEditable {
        /// Id of the slot.
        id: SlotId,
        /// Type of the slot.
        kind: String,
        /// The keys that differ.
        keys: Vec<String>,
    },
    /// Several read-only slots match the item, or the item and another one match the same slot.
    #[error(
        "several {kind} slots or items match each other ({}); name the slot by its id",
        list(ids)
    )]
    Ambiguous {
        /// The type.
        kind: String,
        /// Ids of the slots that match.
        ids: Vec<SlotId>,
    },
    /// The item is not on the page, and slots of its type cannot be created.
    #[error("no slot of the page matches, and slots of type {kind} cannot be created")]
    NotCreatable {
        /// The type.
        kind: String,
    },
    /// The item asks to clear a key that has to have a value.
    #[error(
        "`{key}` of a {kind} cannot be cleared: it allows no null and has no default; write a value or leave it out"
    )]
    NotClearable {
        /// The type.
        kind: String,
        /// The key.
        key: String,
    },
}

fn all(items: &[ItemError]) -> String {
    let (missing, mut lines) =
        items.iter().fold((Vec::new(), Vec::new()), |(mut missing, mut lines), item| {
            match item.problem {
                ItemProblem::NotOnPage { id } => missing.push(id),
                _ => lines.push(item.to_string()),
            }
            (missing, lines)
        });
    if !missing.is_empty() {
        lines.insert(0, format!("not on the page: {}", list(&missing)));
    }
    lines.join("\n")
}

fn list<T: fmt::Display>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn of_them(kept: usize) -> String {
    if kept == 0 { String::new() } else { format!(" ({kept} of them are not in the file)") }
}
