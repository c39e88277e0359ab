//! From the slots of a page and the slots that a file wants to a [`Plan`]: what to change, create, move and delete.
//!
//! A plan is data: it can be empty, printed, saved. [`ProfileHandle::apply`](crate::ProfileHandle::apply) reads, plans and
//! carries out; most else here only decides.
//!
//! An item of the file finds its slot by the first of these rules that applies; no slot serves two items.
//!
//! 1. By the `id` it names, else by the id that an interrupted run noted for it ([`Options::created`]).
//! 2. A read-only slot by content that only it has.
//! 3. If the page, read in order, already holds all that the file asks for, nothing is looked for any further.
//! 4. By the same content, else by content that lacks nothing the item mentions, so that as many items as possible need no write.
//! 5. By resemblance: the slot of its type that shares the most telling values (a title, a link; not one option out of a few).
//!
//! An item that finds none becomes a new slot. A slot that no item finds is kept behind its left neighbour, or deleted on request.
//!
//! ```
//! use links_sdk::Slot;
//! use links_sdk::apply::{DesiredPage, Options, Plan};
//!
//! let page: Vec<Slot> = serde_json::from_str(
//!     r#"[{"id": 7, "type": "button", "data": {"title": "Menu", "link": "https://cafe.example/menu"}, "supported": true}]"#,
//! )?;
//! let file: DesiredPage = serde_json::from_str(
//!     r#"{"slots": [{"type": "button", "data": {"title": "Our menu", "link": "https://cafe.example/menu"}}]}"#,
//! )?;
//! let plan = Plan::new(&page, &file, &Options::default())?;
//! assert_eq!(plan.updates[0].id, 7);
//! assert_eq!(plan.updates[0].changed["title"], "Our menu");
//! assert_eq!(plan.request_count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod content;
mod create;
mod delegate;
mod desired;
mod digest;
mod error;
mod execute;
mod failure;
mod flow;
mod guard;
mod journal;
mod last_seen;
mod literal;
mod matching;
mod normal;
mod options;
mod order;
mod page;
mod plan;
mod positions;
mod request;
mod resemblance;
mod schema;
mod schema_weight;
mod step;
#[cfg(test)]
mod tests;

pub use delegate::{ApplyDelegate, Confirmation, Proposal, Wanted};
pub use desired::{DesiredPage, DesiredSlot};
pub use error::{ItemError, ItemProblem, PlanError};
pub use failure::{ApplyCause, ApplyError, ItemRefusal};
pub use flow::{Applied, Planned};
pub use guard::{GuardRefusal, Limits, guard};
pub use journal::{
    BadJournal, Ending, Lock, LockError, Log, Opening, Owner, Recorded, Runs, State,
};
pub use literal::{literal, literal_key};
pub(crate) use normal::is_unchanged;
pub use normal::{fingerprint, same};
pub use options::{KeptReason, Options};
pub use page::Page;
pub use plan::{Batch, Create, Delete, Kept, Notice, Plan, SlotRef, Update};
pub use request::{Apply, Checked};
pub use schema::SlotTypes;
pub use schema_weight::is_bounded_schema;
pub use step::{Done, Step};
