//! What a plan is to reach: the slots of a file, or what a merge with the page makes of them.

use links_pages::apply::{PlanOptions, SyncedRun, Wanted};
use links_pages::sync::{Conflict, RemoteChange};

use super::problems::unplannable;
use crate::apply::apply_args::{RunOptions, SyncArgs};
use crate::apply::sync::{self, MergedPage, SyncRecord};
use crate::args::fields::contested;
use crate::context::prelude::*;
use links_pages::page_file::FileScope;
use links_pages::sanitize::quoted;

/// What a plan is to reach.
pub(super) struct PlanTarget {
    pub(super) wanted: Wanted,
    pub(super) options: PlanOptions,
    /// The merge, if there is a record of the last sync.
    pub(super) merged: Option<Box<MergedPage>>,
}

impl PlanTarget {
    /// Returns the target of a file. Reports items whose slots are unclear at their places in the file.
    pub(super) fn of(
        file: &PageFile,
        page: &PageSnapshot,
        record: Option<&SyncRecord>,
        options: &PlanOptions,
        run: &RunOptions,
    ) -> Result<Self> {
        // Where no lock governs a file, its first sync has nothing to merge.
        let Some(record) = record.filter(|it| it.is_in_lock() || it.page().is_some()) else {
            let content = &file.page.content;
            let wanted = if file.page.has_slots {
                Wanted::bind(&page.slots, content.clone(), options)
                    .map_err(|error| unplannable(&error, file, &|_| None))?
            } else {
                Wanted::of_fields(&page.slots, content.fields.clone())
            };
            return Ok(Self { wanted, options: options.clone(), merged: None });
        };
        // A text that was opened has every slot of that time: those that it lacks were made by others, or removed from it.
        let is_text = record.text().is_some();
        let merge_options = PlanOptions {
            // What is compared with the page alone counts as changed here wherever the two differ.
            overwrite: run.sync.overwrite || run.sync.exact,
            ..options.clone()
        };
        let mut merged = record
            .merge(file, page, &merge_options)
            .map_err(|error| record.unplannable(&error, file))?;
        if let Some(gap) = record.gap().filter(|_| merged.is_unsure && !merge_options.overwrite) {
            let message = format!(
                "links.lock lists slots that aren't in any version of {} that could be read from Git; nothing was written",
                file.document.name()
            );
            return Err(CommandError::refused(message)
                .with_hint(format!("earlier commits were not read: {gap}")));
        }
        let merge = &mut merged.merge;
        if is_text {
            merge.keep_made();
        }
        if (is_text || run.sync.exact) && !options.prune {
            // Slots that were removed from a text or file are deleted only if that was asked for.
            merge.deletions.clear();
            merge.conflicts.retain(|conflict| !matches!(conflict, Conflict::DeletedHere { .. }));
        }
        let mut options = options.clone();
        for change in &merge.remote {
            let RemoteChange::Field { key, page, .. } = change else { continue };
            if key == "moodText" {
                // Only the status of the file is posted again, never one that another client wrote.
                options.renewed_mood.clear();
            } else if let Some(renewed) = options.renewed_mood.get_mut(key) {
                renewed.clone_from(page);
            }
        }
        let SyncArgs { overwrite, exact } = run.sync;
        // What the journal of the run says of its merge.
        options.sync = (!is_text).then(|| SyncedRun {
            file: record.run_file(),
            base: record.digest(),
            overwrite,
            exact,
            locked: run.locked,
        });
        let wanted = if file.page.has_slots {
            merge.wanted()
        } else {
            Wanted::of_fields(&page.slots, merge.fields.clone())
        };
        Ok(Self { wanted, options, merged: Some(merged.into()) })
    }

    pub(super) fn is_free_of_conflicts(&self) -> bool {
        self.merged.as_ref().is_none_or(|merged| merged.merge.conflicts.is_empty())
    }

    /// Refuses changes of both sides that exclude each other, at their places in the file.
    pub(super) fn refuse_conflicts(
        &self,
        file: &PageFile,
        page: &PageSnapshot,
        record: Option<&SyncRecord>,
    ) -> Result<()> {
        let Some(merged) = self.merged.as_ref().filter(|_| !self.is_free_of_conflicts()) else {
            return Ok(());
        };
        if let Some(text) = record.and_then(SyncRecord::text) {
            let problems = text.show(&merged.merge.conflicts, file, page);
            return Err(contested().at(file.document.bad(problems)));
        }
        let command = match file.scope {
            FileScope::Page => "pull",
            FileScope::Slots => "slots pull",
        };
        let (login, path) = (quoted(&page.login), quoted(file.document.name()));
        let pull = format!("links {command} {login} -O {path}");
        let gap = record.and_then(SyncRecord::gap);
        Err(sync::refusal(&merged.merge, &file.document, pull, gap))
    }
}
