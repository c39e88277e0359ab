//! Journals of runs, with which another process can continue a run that was interrupted.
//!
//! Each run is one file of JSON lines that only grows. Correctness does not depend on the journal, because a page is always read again and
//! matched by content: the journal settles what reading alone cannot, namely which create may still be in progress and which of two equal
//! slots belongs to which item of the file. The file holds no token.

mod command_journal;
mod entries;
mod entry;
mod file;
mod hash;
mod lock;
mod owner;
mod positions;
mod resume;
mod sent;
mod service_directories;
mod settle;
mod state_file;
mod store;
#[cfg(test)]
mod tests;

pub use command_journal::{CommandJournal, CommandWrites};
pub use entries::{JournalEntries, JournalError, RunState};
pub use entry::{RecordWrite, RunCommand, RunEnding, RunHeader};
pub(in crate::apply) use file::Journal;
pub use lock::{LockError, PageLock};
pub use owner::RunOwner;
pub(in crate::apply) use positions::JournalPositions;
pub(crate) use sent::SentSlot;
pub use sent::SentValues;
pub(super) use settle::created_slots;
pub use store::{JournalStore, RecordedRun};
