//! Records of the last sync of page files: where they are, and what a merge says of them.

mod form_sync;
pub(crate) mod history;
pub(crate) mod lock_store;
mod merge_report;
mod opened_text;
pub(crate) mod other_account;
pub(crate) mod page_path;
mod pull_edits;
mod pulled;
mod record;
pub(crate) mod recreated_slots;
mod state_records;
mod write_back;
mod written_locks;

pub(crate) use lock_store::{LOCK_NAME, LockStore, from_here, governing};
pub(crate) use merge_report::{
    MergedPage, Since, lines, note_on_input, refusal, remote, without_record,
};
pub(crate) use opened_text::OpenedText;
pub(crate) use pulled::{pull_summary, pulled_form_text, pulled_text};
pub(crate) use record::SyncRecord;
pub(crate) use state_records::{LockWrites, StateRecords};
pub(crate) use write_back::{ComposedPage, WriteBack};
pub(crate) use written_locks::WrittenLocks;
