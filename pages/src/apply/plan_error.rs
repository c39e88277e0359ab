//! Errors of planning.

use std::collections::BTreeSet;
use std::fmt;

use foldhash::{HashSet, HashSetExt};
use serde::Serialize;

use super::DesiredSlot;
use links_sdk::{Slot, SlotId};

/// Reason why there is no plan, so that nothing may be written. All faulty items are named at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlanError {
    /// The service listed an id more than once; such a page cannot be trusted.
    #[error("duplicate slot IDs on the page: {}", list(.0))]
    RepeatedIds(Vec<SlotId>),
    /// Items that cannot be met, in the order of the file.
    #[error("{}", all(.0))]
    Items(Vec<ItemError>),
    /// Items of which it is unclear which slots they are.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Unclear(Vec<IdentityProblem>),
    /// The page would end with too many slots.
    #[error("the page would have {slots} slots, but can have at most {max}{}", of_them(*.kept))]
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
    #[error("slot {id} is not on this page; remove `id` to create a new slot")]
    NotOnPage {
        /// Id as written.
        id: SlotId,
    },
    /// An earlier item has the same id.
    #[error("slot {id} is already used by slots[{first}]")]
    RepeatedId {
        /// Id as written.
        id: SlotId,
        /// The index of the earlier item.
        first: usize,
    },
    /// The id of the item belongs to a slot of another type.
    #[error(
        "slot {id} has type {on_page}, not {in_file}, and types can't change; remove `id` to create a new slot"
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
    #[error("cannot tell which {kind} slot this is ({}); write the slot's `id`", list(ids))]
    Ambiguous {
        /// The type.
        kind: String,
        /// Ids of the slots that match.
        ids: Vec<SlotId>,
    },
    /// The item is not on the page, and slots of its type cannot be created.
    #[error("slots of type `{kind}` can't be created")]
    NotCreatable {
        /// The type.
        kind: String,
    },
    /// The item asks to clear a key that has to have a value.
    #[error("`{key}` of a {kind} can't be cleared; write a value or leave it out")]
    NotClearable {
        /// The type.
        kind: String,
        /// The key.
        key: String,
    },
}

/// Reason why it is unclear which slots some items are. Items are named by their index in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum IdentityProblem {
    /// The id of an item cannot be that of its slot.
    #[error(transparent)]
    Named(ItemError),
    /// Items fit slots that differ on the page, and nothing tells which item is which slot.
    #[error("{}: may be any of the slots {}; write the slot's `id`", places(items), list(ids))]
    Ambiguous {
        /// The items.
        items: Vec<usize>,
        /// Ids of the slots.
        ids: Vec<SlotId>,
    },
    /// New items may be slots that were deleted on the page since the last sync.
    #[error(
        "{}: may be slot {}, which was deleted on the page since the last sync; write that `id`, or `id: new` for a new slot",
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
        "slots[{item}]: may be slot {}, which was created on the page since the last sync; write that `id`, or `id: new` for a new slot",
        list(ids)
    )]
    Resembles {
        /// The item.
        item: usize,
        /// Ids of the slots.
        ids: Vec<SlotId>,
    },
}

/// Refuses a page that lists a slot twice.
pub(crate) fn check_ids(page: &[Slot]) -> Result<(), PlanError> {
    let mut seen = HashSet::new();
    let repeated: BTreeSet<SlotId> =
        page.iter().map(|slot| slot.id).filter(|id| !seen.insert(*id)).collect();
    if repeated.is_empty() {
        return Ok(());
    }
    Err(PlanError::RepeatedIds(repeated.into_iter().collect()))
}

/// Refuses a page that lists a slot twice, and more items than a page may have slots.
pub(super) fn check_page(page: &[Slot], items: usize, max: usize) -> Result<(), PlanError> {
    check_ids(page)?;
    if items > max {
        return Err(PlanError::TooManySlots { slots: items, kept: 0, max });
    }
    Ok(())
}

/// Returns why a slot cannot serve an item that names it.
pub(super) fn misfit(item: &DesiredSlot, id: SlotId, slot: Option<&Slot>) -> Option<ItemProblem> {
    let Some(slot) = slot else { return Some(ItemProblem::NotOnPage { id }) };
    let (on_page, in_file) = (slot.kind.clone(), item.kind.clone());
    (on_page != in_file).then_some(ItemProblem::TypeDiffers { id, on_page, in_file })
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

fn places(items: &[usize]) -> String {
    items.iter().map(|item| format!("slots[{item}]")).collect::<Vec<_>>().join(", ")
}

fn list<T: fmt::Display>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn of_them(kept: usize) -> String {
    match kept {
        0 => String::new(),
        1 => " (1 of them is not in the file)".to_owned(),
        _ => format!(" ({kept} of them are not in the file)"),
    }
}
