//! Planning and execution of the changes that make a page match a file. A [`Plan`] lists what to change, create, move and delete.
//!
//! A plan is data: it can be empty, and you can print and save it. [`Apply`] reads, plans and executes; most other functions here only
//! decide.
//!
//! The slot of an item in the file is found by the first of these rules that applies. No slot is used for two items.
//!
//! 1. By the `id` of the item, otherwise by the ID that an interrupted run recorded for it ([`PlanOptions::created`]).
//! 2. A read-only slot, by content that is unique on the page.
//! 3. If the page, read in order, already has everything in the file, no further rule is tried.
//! 4. By the same content, otherwise by content that includes everything in the item, so that as many items as possible need no write.
//! 5. By similarity: the slot of the same type that shares the most distinctive values (a title or a link, but not one of a few options).
//!
//! An item without a match becomes a new slot. A slot without a match stays after its left neighbor, or is deleted on request.
//!
//! ```
//! use links_sdk::Slot;
//! use links_pages::apply::{DesiredPage, PlanOptions, Plan, Wanted};
//!
//! let page: Vec<Slot> = serde_json::from_str(
//!     r#"[{"id": 7, "type": "button", "data": {"title": "Menu", "link": "https://cafe.example/menu"}, "supported": true}]"#,
//! )?;
//! let file: DesiredPage = serde_json::from_str(
//!     r#"{"slots": [{"type": "button", "data": {"title": "Our menu", "link": "https://cafe.example/menu"}}]}"#,
//! )?;
//! let options = PlanOptions::default();
//! let wanted = Wanted::bind(&page, file, &options)?;
//! let plan = Plan::new(&page, &wanted, &options)?;
//! assert_eq!(plan.updates[0].id, 7);
//! assert_eq!(plan.updates[0].changed["title"], "Our menu");
//! assert_eq!(plan.request_count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply_error;
mod batch_request;
mod create;
mod created_slots;
mod desired;
mod guard;
mod journal;
mod known_page;
mod matching;
mod open_page;
mod page_fields;
mod page_run;
mod page_snapshot;
mod page_turns;
mod plan;
mod plan_error;
mod plan_options;
mod proposal;
mod request;
mod resemblance;
mod run;
mod run_effects;
mod run_settings;
mod schema;
mod schema_weight;
mod single_write;
mod step;
#[cfg(test)]
mod tests;
mod undo;
pub(crate) mod value_hash;
mod values;
mod wanted;

pub use apply_error::{ApplyCause, ApplyError, ItemRefusal};
pub use desired::{DesiredPage, DesiredSlot, literal, literal_key};
pub use guard::{DeleteLimits, GuardRefusal, guard};
pub use journal::{
    JournalEntries, JournalError, JournalStore, LockError, PageLock, RecordWrite, RecordedRun,
    RunCommand, RunEnding, RunHeader, RunOwner, RunState, SentValues,
};
pub(crate) use journal::{JournalEntry, SentSlot, is_run_name};
pub use links_sdk::runs::same;
pub(crate) use matching::choose_read_only;
pub use open_page::OpenPage;
pub use page_fields::{FieldsRequest, PAGE_FIELDS, PlannedFields, page_fields};
pub use page_run::{Applied, EndedPage};
pub use page_snapshot::{PageSnapshot, ReadPage};
pub use plan::{
    Notice, Plan, PlanBatch, PlannedCreate, PlannedDelete, PlannedUpdate, RetainedSlot, SlotRef,
};
pub(crate) use plan::{arrange, ids_of, label};
pub(crate) use plan_error::check_ids;
pub use plan_error::{ItemError, ItemProblem, PlanError};
pub use plan_options::{PlanOptions, RetainReason, SyncedRun};
pub use proposal::Proposal;
pub use request::{Apply, PlannedPage};
pub(crate) use resemblance::tells;
pub use run::{PageRequest, Run, execute};
pub use run_settings::{ReadPages, RunSettings};
pub(crate) use schema::SchemaNode;
pub use schema::SlotTypes;
pub use schema_weight::is_bounded_schema;
pub use single_write::{SingleWrite, record_in};
pub use step::{AppliedChanges, Step};
pub(crate) use undo::UndoFacts;
pub use undo::{NotRestored, Undo, UndoConflict};
pub use values::fingerprint;
pub(crate) use values::may_be_stored_as;
pub(crate) use wanted::take_created;
pub use wanted::{BoundItem, Wanted};
