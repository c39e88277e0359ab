//! Journals of runs, with which another process can continue a run that was interrupted.
//!
//! Each run is one file of JSON lines that only grows. Correctness does not depend on the journal, because a page is always read again and
//! matched by content: the journal settles what reading alone cannot, namely which create may still be in progress and which of two equal
//! slots belongs to which item of the file. The file holds no token.

mod entries;
mod entry;
mod file;
mod lock;
mod old;
mod sent;
mod settle;
mod store;
#[cfg(test)]
mod tests;

pub use entries::{JournalEntries, JournalError, RunState};
pub(crate) use entry::{JournalEntry, RecordedPlan, short_hash};
pub use entry::{RecordWrite, RunCommand, RunEnding, RunHeader, RunOwner};
pub(crate) use file::Journal;
pub use lock::{LockError, PageLock};
pub(crate) use sent::SentSlot;
pub use sent::SentValues;
pub(crate) use store::{JournalPosition, is_run_name};
pub use store::{JournalStore, RecordedRun};
