//! A plan together with the inputs it was made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use links_pages::apply::{
    GuardRefusal, ItemRefusal, PageSnapshot, Plan, PlanOptions, PlannedDelete, Proposal, Wanted,
};
use links_sdk::Client;

use crate::apply::image::{Image, new_images};
use crate::apply::lock_only::LockOnly;
use crate::apply::sync::{self, MergedPage, SyncRecord};
use crate::output::StyledLine;
use crate::schema::SlotTypeCatalog;
use crate::ui;
use crate::ui::plan::{PlanStyle, PlanView, item_of_file};
use links_pages::page_file::{FieldDiagnostic, PageFile};

/// Page file whose references are resolved.
pub(crate) struct PlanInputs {
    pub(crate) file: PageFile,
    pub(crate) client: Client,
    /// Images that the file names.
    pub(crate) images: Vec<Image>,
    /// Diagnostics of references that cannot be resolved.
    pub(crate) broken: Vec<FieldDiagnostic>,
    /// Record of the last sync, if a `links.lock` governs the file.
    pub(crate) record: Option<Box<SyncRecord>>,
    /// Forms for which only the lock speaks.
    pub(crate) lock_only_forms: BTreeMap<String, String>,
}

/// Plan together with the inputs it was made from.
pub(crate) struct PlannedPage {
    pub(crate) file: PageFile,
    pub(crate) client: Client,
    pub(crate) page: Arc<PageSnapshot>,
    pub(crate) images: Vec<Image>,
    /// Slot types. `None` if there is nothing to do and no slot types are cached.
    pub(crate) described: Option<SlotTypeCatalog>,
    pub(crate) options: PlanOptions,
    /// What the page should have: the items of the file, or what a merge made of them.
    pub(crate) wanted: Wanted,
    /// Record of the last sync of the file, which may be empty.
    pub(crate) record: Option<Box<SyncRecord>>,
    /// Merge that the plan carries out, if there is such a record.
    pub(crate) merged: Option<Box<MergedPage>>,
    pub(crate) plan: Arc<Plan>,
    /// True if a large plan is shown with all its lines.
    pub(crate) is_full: bool,
    /// Number of requests sent while planning.
    pub(crate) sent: u64,
    /// Reason why slots that the file does not mention are kept.
    pub(crate) kept_reason: &'static str,
    /// True if the file describes an earlier state of the page: kept slots were added since, and new slots were deleted since.
    pub(crate) is_restore: bool,
    /// Reason why `apply` would refuse the plan.
    pub(crate) refusal: Option<GuardRefusal>,
    /// Slots to delete that no page file of an earlier commit held.
    pub(crate) lock_only: LockOnly,
    /// Set if an edit is planned, and not a file.
    pub(crate) edited: Option<EditedItems>,
}

/// What is said of the items of an edit that no file has.
pub(crate) struct EditedItems {
    /// Name of each item: a slot of a page, or a line of a table.
    pub(crate) names: Vec<String>,
    pub(crate) notes: Vec<StyledLine>,
}

impl EditedItems {
    pub(crate) fn name(&self, index: usize) -> String {
        self.names.get(index).cloned().unwrap_or_else(|| item_of_file(index))
    }

    /// Returns the refusals of the service: `slot 1002: data.link: must be a URL`.
    pub(crate) fn refusals(&self, refused: &[ItemRefusal]) -> Vec<String> {
        let line = |item: &ItemRefusal| {
            let (name, path) = (self.name(item.index), item.path.join("."));
            format!("{name}: {path}: {}", item.messages.join(" "))
        };
        refused.iter().map(line).collect()
    }
}

impl PlannedPage {
    /// One-line summary of the plan.
    pub(crate) fn summary(&self) -> StyledLine {
        let text = if self.plan.is_empty() {
            "no changes".to_owned()
        } else {
            format!("{} ({} requests)", self.plan, self.requests())
        };
        StyledLine::plain(text)
    }

    /// View of the plan for output, including uploads.
    pub(crate) fn shown(&self) -> PlanView<'_> {
        let upload = |image: &Image| {
            let file = image.local.path().display().to_string();
            ui::plan::Upload {
                index: image.place.item,
                path: image.place.path.join("."),
                media_type: image.local.image_type.media_type(),
                bytes: image.local.size,
                warning: image.local.flaw.as_ref().map(|flaw| format!("{file} {flaw}")),
                file,
            }
        };
        let uploads = new_images(&self.images).map(upload).collect();
        PlanView::of(&self.plan, &self.page.slots).with_uploads(uploads)
    }

    /// Human-readable lines of the plan; without those of a profile field.
    pub(crate) fn lines(&self, without: Option<&str>) -> Vec<StyledLine> {
        let shown = match without {
            Some(field) => self.shown().without_field(field),
            None => self.shown(),
        };
        let style = PlanStyle {
            kept_reason: self.kept_reason,
            is_full: self.is_full,
            item_name: &|index| match &self.edited {
                Some(edited) => edited.name(index),
                None => item_of_file(index),
            },
        };
        let mut lines = ui::plan::lines(&shown, style);
        lines.extend(self.merged.iter().flat_map(|it| sync::lines(it, without)));
        lines.extend(self.lock_only_lines());
        lines.extend(self.edited.iter().flat_map(|edited| edited.notes.clone()));
        let is_first = self.record.as_ref().is_some_and(|record| record.base().is_none());
        lines.extend((is_first && !self.plan.updates.is_empty()).then(|| {
            let text = "no earlier sync of this file is recorded here, so that its values replace those of the page";
            StyledLine::faint(text)
        }));
        lines
    }

    /// Lines about the slots to delete for which only the lock speaks.
    pub(crate) fn lock_only_lines(&self) -> Vec<StyledLine> {
        let is_meant = |slot: &&PlannedDelete| self.lock_only.slots.contains(&slot.id);
        let line = |slot: &PlannedDelete| {
            let label = slot.label.as_ref().map(|it| format!(" \"{it}\"")).unwrap_or_default();
            let (kind, id, file) = (&slot.kind, slot.id, self.file.document.name());
            let text = format!("! only links.lock says that {kind} {id}{label} was in {file}");
            StyledLine::removed(text)
        };
        let form_line = |(name, id): (&String, &String)| {
            let text = format!("! only links.lock says that form {name} is {id}");
            StyledLine::removed(text)
        };
        let forms = self.lock_only.forms.iter().filter(|_| !self.plan.is_empty()).map(form_line);
        let lines = self.plan.deletes.iter().filter(is_meant).map(line);
        lines.chain(forms).chain(self.lock_only.reason_line()).collect()
    }

    /// Note about slots that were deleted since and are created again, if there are any.
    pub(crate) fn created_again_note(&self) -> Option<StyledLine> {
        let text = match self.plan.creates.len() {
            0 => return None,
            1 => "1 deleted slot is created again, with a new id; its click statistics are lost"
                .to_owned(),
            many => format!(
                "{many} deleted slots are created again, with new ids; their click statistics are lost"
            ),
        };
        self.is_restore.then(|| StyledLine::changed(text))
    }

    /// Proposal for the SDK: the desired page, the options and the plan.
    pub(crate) fn proposal(&self) -> Proposal {
        let file = self.file.page.content.clone();
        let (wanted, options) = (self.wanted.clone(), self.options.clone());
        Proposal { file, wanted, options, plan: self.plan.clone() }
    }

    /// Returns what the plan was made of, for another plan of the same page.
    pub(crate) fn into_inputs(self) -> PlanInputs {
        let Self { file, client, images, record, lock_only, .. } = self;
        let lock_only_forms = lock_only.forms;
        PlanInputs { file, client, images, broken: Vec::new(), record, lock_only_forms }
    }

    /// Ends the use of the plan at the end of a command.
    pub(crate) fn leave(self) {
        let Self { file, page, described, options, wanted, merged, plan, .. } = self;
        // The process ends next: to free a plan of 500 slots value by value costs 9 million instructions.
        std::mem::forget((file, page, described, options, wanted, merged, plan));
    }

    /// Number of requests of the whole run if nothing fails, including those sent while planning.
    pub(crate) fn requests(&self) -> usize {
        // The plan counts the request that read the page.
        let sent = usize::try_from(self.sent).unwrap_or_default();
        sent + self.upload_requests() + self.plan.request_count() - 1
    }
}
