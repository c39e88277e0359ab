//! Reasons why a `links.lock` cannot be used.

use links_sdk::{ProfileId, SlotId};

/// Reason why a `links.lock` cannot be used. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockFileError {
    /// The file has the markers of a merge that git could not finish.
    #[error(
        "line {line} is a conflict marker of git; take either side of the merge, then rebuild the record of the pages that differ"
    )]
    MergeConflict {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The file has a version that this program does not know.
    #[error("version {found} is not supported, only version {supported} is; update this program")]
    UnknownVersion {
        /// Version of the file.
        found: u64,
        /// Version that is supported.
        supported: u64,
    },
    /// The hashes of the file are of another canonical form.
    #[error(
        "hashes of form {found} are not supported, only those of form {supported} are; update this program"
    )]
    UnknownCanon {
        /// Form of the file.
        found: u64,
        /// Form that is supported.
        supported: u64,
    },
    /// The file is damaged, or was edited by hand.
    #[error("line {line}, column {column}: {reason}")]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// The problem.
        reason: String,
    },
    /// Two slots of a page have one id.
    #[error("slot {id} of {path} is there twice")]
    RepeatedSlot {
        /// Path of the page file.
        path: String,
        /// Id of the slot.
        id: SlotId,
    },
    /// Two files have one page.
    #[error("{first} and {second} are both recorded as page {id}")]
    RepeatedPage {
        /// Path of a page file.
        first: String,
        /// Path of another page file.
        second: String,
        /// Id of the page.
        id: ProfileId,
    },
    /// The file belongs to another account or another service.
    #[error("it belongs to user {found_user} of {found_service}, not to user {user} of {service}")]
    OtherAccount {
        /// Service of the file.
        found_service: String,
        /// User of the file.
        found_user: i64,
        /// Service that is used.
        service: String,
        /// User that is logged in.
        user: i64,
    },
}
