//! A plan together with the inputs it was made from.

use std::sync::Arc;

use links_pages::apply::{GuardRefusal, ItemRefusal, Plan, Proposal};

use crate::apply::lock_only::LockOnly;
use crate::apply::sync::{self, MergedPage, Since, SyncRecord};
use crate::context::prelude::*;
use crate::ui;
use crate::ui::plan::{PlanStyle, PlanView, item_of_file};
use links_pages::page_file::{Image, local_image};

/// Name of the field that the heading of a page is about.
pub(crate) const LOGIN: &str = "login";

/// A page file, with the record of its last sync.
pub(crate) struct RecordedFile {
    pub(crate) file: PageFile,
    /// The record, which may be empty; `None` if there is no place for one.
    pub(crate) record: Option<Box<SyncRecord>>,
}

/// Plan together with the inputs it was made from.
pub(crate) struct PlannedPage {
    pub(crate) file: PageFile,
    /// Record of the last sync of the file, which may be empty.
    pub(crate) record: Option<Box<SyncRecord>>,
    pub(crate) page: Arc<PageSnapshot>,
    /// The plan, with what the page should have: the items of the file, or what a merge made of them.
    pub(crate) proposal: Proposal,
    /// Slot types. `None` if there is nothing to do and no slot types are cached.
    pub(crate) described: Option<SlotTypeCatalog>,
    /// Merge that the plan carries out, if there is a record of the last sync.
    pub(crate) merged: Option<Box<MergedPage>>,
    /// Reason why `apply` would refuse the plan.
    pub(crate) refusal: Option<GuardRefusal>,
    /// Slots to delete that no page file of an earlier commit held.
    pub(crate) lock_only: LockOnly,
    /// Set if an edit is planned, and not a file.
    pub(crate) edited: Option<EditedItems>,
}

/// What is said of the items of an edit that no file has.
#[derive(Clone, Default)]
pub(crate) struct EditedItems {
    /// Name of each item: a slot of a page, or a line of a table.
    pub(crate) names: Vec<String>,
    /// Notes for the user.
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
    /// Returns the plan.
    pub(crate) fn plan(&self) -> &Plan {
        &self.proposal.plan
    }

    /// View of the plan for output, including uploads.
    pub(crate) fn shown(&self) -> PlanView<'_> {
        let upload = |image: &Image| {
            let file = image.local.path().display().to_string();
            let (local, field) = (&image.local, image.place.path.join("."));
            let page_field = Some(&field).filter(|_| image.place.item.is_none());
            let why =
                local.flaw.clone().or_else(|| local_image::unsuited(page_field?, local.pixels?));
            ui::plan::Upload {
                index: image.place.item,
                path: field,
                media_type: local.image_type.media_type(),
                bytes: local.size,
                warning: why.map(|why| format!("{file} {why}")),
                file,
            }
        };
        let uploads = self.file.new_images().map(upload).collect();
        PlanView::of(self.plan(), &self.page.slots, uploads)
    }

    /// Human-readable lines of the plan, without that of the login. `is_full` says that a large plan is shown with all its lines.
    pub(crate) fn lines(&self, is_full: bool) -> Vec<StyledLine> {
        let shown = self.shown().without_field(LOGIN);
        let kept_reason = match self.merged.as_deref() {
            Some(MergedPage { since: Since::Opened, .. }) => "not in the edited text; kept",
            Some(MergedPage { .. }) if self.proposal.options.prune => {
                "created on the page since the last sync; kept, because it resembles an item whose slot was deleted"
            }
            Some(MergedPage { base: Some(_), .. }) => {
                "created on the page since the last sync; kept unless you pass --prune"
            }
            _ => "not in the file; kept unless you pass --prune",
        };
        let style = PlanStyle {
            kept_reason,
            is_full,
            item_name: &|index| match &self.edited {
                Some(edited) => edited.name(index),
                None => item_of_file(index),
            },
        };
        let mut lines = ui::plan::lines(&shown, style);
        lines.extend(self.merged.iter().flat_map(|it| it.lines()));
        lines.extend(self.lock_only_lines());
        lines.extend(self.edited.iter().flat_map(|edited| edited.notes.clone()));
        let is_first = self.record.as_ref().is_some_and(|record| record.page().is_none());
        let Plan { updates, fields, .. } = self.plan();
        let replaces = !updates.is_empty() || fields.before.values().any(|it| !it.is_null());
        lines.extend((is_first && replaces).then(|| sync::without_record("page")));
        lines
    }

    /// Lines about the slots to delete for which only the lock speaks.
    pub(crate) fn lock_only_lines(&self) -> Vec<StyledLine> {
        self.lock_only.lines(&self.plan().deletes, self.file.document.name())
    }

    /// Proposal for the SDK. The values of the file may be newer than when the plan was made.
    pub(crate) fn proposal(&self) -> Proposal {
        Proposal { file: self.file.page.content.clone(), ..self.proposal.clone() }
    }
}
