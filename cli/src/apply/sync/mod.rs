//! Records of the last sync of page files: where they are, and what a merge says of them.

mod file_page;
mod live_page;
mod lock_store;
mod lock_writes;
mod merge_report;
mod merged_page;
mod opened_text;
pub(crate) mod other_account;
mod pull_edits;
mod pulled;
mod record;
pub(crate) mod recreated_slots;
mod since;
mod state_records;
mod written_locks;

pub(crate) use file_page::file_page;
pub(crate) use live_page::live;
pub(crate) use lock_store::{LOCK_NAME, LockStore};
pub(crate) use lock_writes::LockWrites;
pub(crate) use merge_report::{
    conflicts, identity_problems, lines, lines_without, note_on_input, remote_words,
};
pub(crate) use merged_page::MergedPage;
pub(crate) use opened_text::OpenedText;
pub(crate) use pulled::PulledFile;
pub(crate) use record::SyncRecord;
pub(crate) use since::Since;
pub(crate) use state_records::StateRecords;
pub(crate) use written_locks::WrittenLocks;
