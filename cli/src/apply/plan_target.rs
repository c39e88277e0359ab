//! What a plan is to reach: the slots of a file, or what a merge with the page makes of them.

use std::sync::Arc;

use links_pages::apply::{DesiredPage, PageSnapshot, PlanError, PlanOptions, SyncedRun};
use links_pages::sync::{Conflict, Merge, MergeOptions, PageBase, RemoteChange, SyncError};

use super::problems;
use crate::apply::apply_args::{ApplyArgs, SyncArgs};
use crate::apply::image::Image;
use crate::apply::sync::{self, SyncRecord};
use crate::args::fields::contested;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use links_pages::page_file::{FileScope, PageFile};
use links_pages::sanitize::quoted;

/// Keeps the slots that were removed from a text, which are deleted only if that was asked for.
fn keep_removed(merge: &mut Merge) {
    merge.deletions.clear();
    merge.conflicts.retain(|conflict| !matches!(conflict, Conflict::DeletedHere { .. }));
}

/// Returns the command that takes over into a file what changed on its page.
fn pull_command(file: &PageFile, page: &PageSnapshot) -> String {
    let command = match file.scope {
        FileScope::Page => "pull",
        FileScope::Slots => "slots pull",
    };
    format!("links {command} {} -O {}", quoted(&page.login), quoted(file.document.name()))
}

/// What a plan is to reach.
pub(super) struct PlanTarget {
    pub(super) desired: Arc<DesiredPage>,
    pub(super) options: PlanOptions,
    /// The merge, if there is a record of the last sync.
    pub(super) merge: Option<Merge>,
    /// The record of the last sync with which the merge was made.
    pub(super) base: Option<PageBase>,
}

/// Returns what the journal of a run says of its merge.
fn run(record: &SyncRecord, apply_args: &ApplyArgs) -> SyncedRun {
    let base = record.base().map(PageBase::digest).unwrap_or_default();
    let SyncArgs { overwrite, exact } = apply_args.sync;
    SyncedRun { file: record.file(), base, overwrite, exact, locked: apply_args.locked }
}

impl PlanTarget {
    /// Returns the target of a file. Items of which it is unclear which slots they are, are reported at their places.
    pub(super) fn of(
        file: &PageFile,
        images: &[Image],
        page: &PageSnapshot,
        record: Option<&SyncRecord>,
        options: &PlanOptions,
        apply_args: &ApplyArgs,
    ) -> Result<Self, CommandError> {
        // Where no lock governs a file, its first sync has nothing to merge.
        let Some(record) = record.filter(|it| it.is_in_lock() || it.base().is_some()) else {
            let (mut desired, options) = (file.page.content.clone(), options.clone());
            if !file.page.has_slots {
                Arc::make_mut(&mut desired).slots = page.unchanged_slots();
            }
            return Ok(Self { desired, options, merge: None, base: None });
        };
        // A text that was opened has every slot of that time: those that it lacks were made by others, or removed from it.
        let is_text = record.text().is_some();
        let merge_options = MergeOptions {
            overwrite: apply_args.sync.overwrite,
            prune: apply_args.prune && !is_text,
            exact: apply_args.sync.exact,
            types: options.types.clone(),
            created: options.created.clone(),
        };
        let merged = record.merge(file, images, page, &merge_options).map_err(|error| {
            let problems = match error {
                SyncError::Identity(error) => sync::identity_problems(&error, file),
                SyncError::Plan(PlanError::Items(items)) => problems::of_items(&items, file, None),
                SyncError::Plan(error) => {
                    return CommandError::new(Exit::Server, error.to_string());
                }
            };
            CommandError::from(file.document.bad(problems))
        })?;
        let (mut merge, base) = merged;
        if is_text && !apply_args.prune {
            keep_removed(&mut merge);
        }
        let mut desired = DesiredPage { fields: merge.fields.clone(), ..merge.desired.clone() };
        let mut options = merge.plan_options(options);
        for change in &merge.remote {
            if let RemoteChange::Field { key, page, .. } = change
                && let Some(renewed) = options.renewed_mood.get_mut(key)
            {
                renewed.clone_from(page);
            }
        }
        if let Some(merged) = &mut options.merged {
            merged.run = record.text().is_none().then(|| run(record, apply_args));
        }
        if !file.page.has_slots {
            desired.slots = page.unchanged_slots();
            if let Some(merged) = &mut options.merged {
                merged.items = (0..desired.slots.len()).collect();
            }
        }
        Ok(Self { desired: desired.into(), options, merge: Some(merge), base })
    }

    pub(super) fn is_free_of_conflicts(&self) -> bool {
        self.merge.as_ref().is_none_or(|merge| merge.conflicts.is_empty())
    }

    /// Refuses changes of both sides that exclude each other, at their places in the file.
    pub(super) fn refuse_conflicts(
        &self,
        file: &PageFile,
        page: &PageSnapshot,
        record: Option<&SyncRecord>,
    ) -> Result<(), CommandError> {
        let Some(merge) = self.merge.as_ref().filter(|it| !it.conflicts.is_empty()) else {
            return Ok(());
        };
        if let Some(text) = record.and_then(SyncRecord::text) {
            let problems = text.show(&merge.conflicts, file, page);
            return Err(contested().at(file.document.bad(problems)));
        }
        let pull = pull_command(file, page);
        let problems = sync::conflicts(merge, file, &pull);
        let message =
            "the file and the page were both changed since the last sync; nothing was written";
        let hint = format!(
            "`{pull}` marks each conflict in the file, to be settled there; or --overwrite writes what the file says"
        );
        Err(CommandError::new(Exit::Conflict, message)
            .with_hint(hint)
            .at(file.document.bad(problems)))
    }
}
