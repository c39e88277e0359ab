//! Ends of journals, by which a run learns whether another one was there.

use std::collections::BTreeMap;
use std::path::Path;

use super::store::{JournalPosition, JournalStore};
use links_sdk::ProfileId;

/// Ends of the journals of all pages of a service at one moment.
#[derive(Debug)]
pub(in crate::apply) struct JournalPositions(BTreeMap<ProfileId, JournalPosition>);

impl JournalPositions {
    pub(in crate::apply) fn of(state: &Path, service: &str) -> Self {
        let all = JournalStore::all(state, Some(service)).unwrap_or_default();
        Self(all.iter().filter_map(|runs| Some((runs.profile()?, runs.mark()))).collect())
    }

    /// Returns whether a run has written an entry for the page since; `now` is the end of its journals.
    pub(in crate::apply) fn are_past(&self, page: ProfileId, now: &JournalPosition) -> bool {
        self.0.get(&page).unwrap_or(&None) != now
    }
}
