//! Records of the last sync of page files: where they are, and what a merge says of them.

mod file_page;
mod live_page;
mod lock_store;
mod merge_report;
mod opened_text;
mod pull_edits;
mod pulled;
mod record;
pub(crate) mod recreated_slots;
mod since;
mod state_records;

pub(crate) use file_page::file_page;
pub(crate) use lock_store::{LOCK_NAME, LockStore};
pub(crate) use merge_report::{conflicts, identity_problems, lines, note_on_input, remote_words};
pub(crate) use opened_text::OpenedText;
pub(crate) use pulled::PulledFile;
pub(crate) use record::{MergedPage, SyncRecord, check_user};
pub(crate) use since::Since;
pub(crate) use state_records::StateRecords;
