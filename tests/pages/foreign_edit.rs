//! Edits by another client to a page on which a run updates, creates, moves and deletes slots.

use links_fixtures::{Account, Slot};
use links_pages::apply::DesiredPage;
use links_sdk::ProfileId;
use serde_json::{Map, json};

pub(crate) const PAGE: ProfileId = ProfileId::new(101);
/// Id of a slot whose title the file changes.
pub(crate) const UPDATED: u64 = 1;
/// Id of a slot that the file names without a change.
pub(crate) const NAMED: u64 = 2;
/// Id of a slot that the file does not name.
pub(crate) const DOOMED: u64 = 4;
/// Id of a slot that another client adds.
pub(crate) const FOREIGN: u64 = 9000;

/// Value that another client sets.
pub(crate) const THEIRS: &str = "of someone else";

/// Edit by another client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Edit {
    Add,
    Change(u64, &'static str),
    Delete(u64),
    Move,
}

impl Edit {
    pub(crate) fn make(self, account: &mut Account) {
        let slots = &mut account.profiles[0].slots;
        match self {
            Self::Add => slots.insert(1, Slot::new(FOREIGN, "divider", Map::new())),
            Self::Change(id, key) => {
                if let Some(slot) = slots.iter_mut().find(|slot| slot.id == id) {
                    slot.data.insert(key.to_owned(), THEIRS.into());
                }
            }
            Self::Delete(id) => slots.retain(|slot| slot.id != id),
            Self::Move => slots.reverse(),
        }
    }
}

/// Returns a slot of text.
pub(crate) fn text(id: u64, title: &str) -> Slot {
    let data = json!({ "title": title, "description": "as it was" });
    Slot::new(id, "text", data.as_object().unwrap().clone())
}

/// Returns a file that needs an update, a create, a new order and a delete.
pub(crate) fn every_step() -> DesiredPage {
    serde_json::from_value(json!({"slots": [
        {"type": "divider"},
        {"id": NAMED, "type": "text", "data": {"title": "Named"}},
        {"id": UPDATED, "type": "text", "data": {"title": "New"}},
    ]}))
    .unwrap()
}
