//! Errors of planning.

use std::collections::BTreeSet;
use std::fmt;

use foldhash::{HashSet, HashSetExt};

use super::DesiredSlot;
use links_sdk::{Slot, SlotId};

/// Reason why there is no plan. Nothing may be written then. All faulty items are reported at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlanError {
    /// The service listed an ID more than once. Such a page cannot be trusted.
    #[error("duplicate slot IDs on the page: {}", list(.0))]
    RepeatedIds(Vec<SlotId>),
    /// Items that are not possible, or whose slots are unclear.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Items(Vec<ItemError>),
    /// The page would have too many slots.
    #[error("the page would have {slots} slots, but can have at most {max}{}", of_them(*.kept))]
    TooManySlots {
        /// Number of slots after the changes.
        slots: usize,
        /// Number of these slots that are not in the file.
        kept: usize,
        /// Maximum number of slots of a page.
        max: usize,
    },
}

/// An item that is not possible, or whose slot is unclear.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ItemProblem {
    /// The ID of the item is not the ID of a slot on the page.
    #[error("slot {id} is not on this page; remove `id` to create a new slot")]
    NotOnPage {
        /// ID as written.
        id: SlotId,
    },
    /// An earlier item has the same ID.
    #[error("slot {id} is already used by slots[{first}]")]
    RepeatedId {
        /// ID as written.
        id: SlotId,
        /// The index of the earlier item.
        first: usize,
    },
    /// The ID of the item is the ID of a slot of another type.
    #[error(
        "slot {id} has type {on_page}, not {in_file}, and types can't change; remove `id` to create a new slot"
    )]
    TypeDiffers {
        /// ID as written.
        id: SlotId,
        /// The type of the slot.
        on_page: String,
        /// The type of the item.
        in_file: String,
    },
    /// The item changes a slot that cannot be edited.
    #[error("slot {id} ({kind}) cannot be edited, but {} would change", list(keys))]
    NotEditable {
        /// ID of the slot.
        id: SlotId,
        /// Type of the slot.
        kind: String,
        /// The keys that differ.
        keys: Vec<String>,
    },
    /// Several slots that differ match the item, or the item and another one match the same slot.
    #[error("cannot tell which slot this is ({}); write the slot's `id`", list(ids))]
    Ambiguous {
        /// IDs of the slots that match.
        ids: Vec<SlotId>,
    },
    /// The item is new, and may be a slot that was deleted on the page since the last sync.
    #[error(
        "may be slot {}, which was deleted on the page since the last sync; write that `id`, or `id: new` for a new slot",
        list(ids)
    )]
    PerhapsDeleted {
        /// Former IDs of the slots.
        ids: Vec<SlotId>,
    },
    /// The item is new, and similar to slots that were created on the page since the last sync.
    #[error(
        "may be slot {}, which was created on the page since the last sync; write that `id`, or `id: new` for a new slot",
        list(ids)
    )]
    Resembles {
        /// IDs of the slots.
        ids: Vec<SlotId>,
    },
    /// The item is not on the page, and slots of its type cannot be created.
    #[error("slots of type `{kind}` can't be created")]
    NotCreatable {
        /// The type.
        kind: String,
    },
    /// The item clears a key that must have a value.
    #[error("`{key}` of a {kind} can't be cleared; write a value or leave it out")]
    NotClearable {
        /// The type.
        kind: String,
        /// The key.
        key: String,
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
