//! Three-way sync of page files with pages: what changed in the file, what changed on the page, and what excludes each other.
//!
//! Everything here is a pure function over plain data. The record of the last sync, [`PageBase`], holds a pair of hashes for each value: what
//! the file said, and what the page stored. [`Merge`] decides what to write to the page, [`Pull`] what to write into the file, and both
//! give the record of the next sync. [`Lock`] is the document `links.lock`, in which the records of an account are kept.
//!
//! For every value, with what the last sync recorded:
//!
//! | file | page | [`Merge`] | [`Pull`] |
//! |---|---|---|---|
//! | both hold the same | | nothing | nothing |
//! | changed | unchanged | written | stays |
//! | unchanged | changed | kept, and listed as [`RemoteChange`] | taken into the file |
//! | changed | changed | [`Conflict`] | [`ConflictMark`]; the file keeps its value |
//! | not mentioned | any | stays | taken into the file if it changed |
//!
//! Slots that the last sync knew and that the file lacks are deleted, unless they changed on the page; slots that the page lacks are not
//! created again. Slots that only the page has are kept. The order of the slots is one value.
//!
//! ```
//! use links_pages::apply::PlanOptions;
//! use links_pages::sync::{FilePage, LivePage, Merge, Pull, RemoteChange};
//! use serde_json::json;
//!
//! let file: FilePage = serde_json::from_value(json!({"slots": [{"type": "text", "data": {"title": "Hours"}}]}))?;
//! let page = |title: &str, note: &str| {
//!     let slots = json!([{"id": 7, "type": "text", "data": {"title": title, "note": note}, "supported": true}]);
//!     serde_json::from_value::<LivePage>(json!({"id": 1, "login": "cafe", "fields": {}, "slots": slots}))
//! };
//! let options = PlanOptions::default();
//! let first = Merge::new(None, &file, &page("Hours", "")?, &options)?;
//! let base = first.base_after(None, &file, &page("Hours", "")?, &Default::default(), &options.types);
//!
//! // Another client changes the title; the file changes nothing.
//! let merge = Merge::new(Some(&base), &file, &page("Opening hours", "")?, &options)?;
//! assert!(matches!(merge.remote[..], [RemoteChange::Key { .. }]));
//! let pull = Pull::new(Some(&base), &file, &page("Opening hours", "")?, &options.types)?;
//! assert_eq!(pull.apply_to(&file).slots[0].data["title"], "Opening hours");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
mod bound;
mod conflict;
mod file_page;
mod hashed;
mod identity;
mod lock;
mod merge;
mod next_base;
mod pull;
#[cfg(test)]
mod tests;
mod value_hash;

pub use crate::apply::IdentityProblem;
pub use base::{HashPair, PageBase, SlotBase, held_slots};
pub use conflict::{
    Conflict, ConflictMark, Deletion, DeletionReason, PulledItem, PulledKey, RemoteChange,
    Replaced, SyncNote,
};
pub use file_page::{FilePage, FileSlot, FileSlotId, LivePage};
pub use lock::{ImagePaths, Lock, LockFileError};
pub use merge::Merge;
pub use pull::Pull;
pub use value_hash::{InvalidValueHash, ValueHash};
