//! Old runs: how many are kept, and which may be removed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::entries::{JournalError, RunState};
use super::entry::{JournalEntry, RunHeader};
use super::store::{
    JOURNAL, JournalStore, RecordedRun, entries, is_journal, is_run_name, order_of,
};
use crate::fs::private::if_there;
use links_sdk::runs::crash_point;

/// Number of newer runs for which an ended run of a page is kept; the same number applies to runs that were not begun.
const KEPT: usize = 50;
/// The same number for the commands of a service that write without a run.
const KEPT_COMMANDS: usize = 200;

impl JournalStore {
    /// Makes room for one more run. Nothing is read while there are few. What stays in doubt is neither removed nor counted.
    pub(super) fn make_room(&self) {
        let kept = if self.is_of_commands() { KEPT_COMMANDS } else { KEPT };
        let is_many = |all: Vec<PathBuf>| all.iter().filter(|it| is_journal(it)).count() >= kept;
        if entries(&self.directory).is_ok_and(is_many) {
            let old = self.old(kept - 1, None, true, |_| true);
            let _ = old.and_then(|old| self.remove_runs(&old));
        }
    }

    /// Returns the names of the ended runs that [`Self::remove_runs`] may remove, oldest first. The newest `keep` runs are left out, and with
    /// `before`, so are runs that started at that time or later, in seconds since 1970. With `keeps_doubt`, so are runs of which it is unknown
    /// what they did. Only runs whose header `may_remove` accepts are counted.
    ///
    /// Runs that did not start are counted separately, because a damaged journal can look the same. Other unreadable journals are kept with
    /// their backups, which may be the only copy of a page. Unfinished runs are kept, too, and runs that undo others for as long as those are
    /// kept: without them, what they undid would seem to be in effect.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub fn old(
        &self,
        keep: usize,
        before: Option<u64>,
        keeps_doubt: bool,
        may_remove: impl Fn(&RunHeader) -> bool,
    ) -> io::Result<Vec<String>> {
        let is_old = |run: &str| {
            before.is_none_or(|before| order_of(run).is_some_and(|it| it >> 8 < before))
        };
        let (mut ended, mut not_begun, mut old) = (0, 0, Vec::new());
        for stored in self.stored()?.rev() {
            let opening = stored.opening();
            if !may_remove(&opening) {
                continue;
            }
            // The plans of those that are kept are not decoded.
            if ended < keep && matches!(stored.ending(), Some(JournalEntry::Commit { .. })) {
                ended += 1;
                continue;
            }
            let RecordedRun { run, log, .. } = stored.into_recorded();
            let counted = match log {
                Ok(log) if log.state == RunState::Unfinished => continue,
                Ok(log) if keeps_doubt && log.is_unsettled() => continue,
                Ok(_) => &mut ended,
                Err(JournalError::NotBegun) => &mut not_begun,
                Err(_) => continue,
            };
            *counted += 1;
            if *counted > keep && is_old(&run) {
                old.push((run, opening.command.undoes));
            }
        }
        // The oldest first, because an undo may have been undone itself.
        let mut removed = BTreeSet::new();
        for (run, undoes) in old.into_iter().rev() {
            if undoes.is_none_or(|of| removed.contains(&of) || !self.has(&of)) {
                removed.insert(run);
            }
        }
        Ok(removed.into_iter().collect())
    }

    /// Returns whether a run is among those of the page, or of the commands.
    fn has(&self, run: &str) -> bool {
        let is_there = |directory: &PathBuf| directory.join(format!("{run}.{JOURNAL}")).exists();
        is_run_name(run) && [&self.directory, &self.service[1]].into_iter().any(is_there)
    }

    /// Removes runs with their backups.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub fn remove_runs(&self, runs: &[String]) -> io::Result<()> {
        for path in runs.iter().flat_map(|run| [self.backup(run), self.journal(run)]) {
            crash_point("before_remove");
            if_there(fs::remove_file(path))?;
            crash_point("after_remove");
        }
        Ok(())
    }
}
