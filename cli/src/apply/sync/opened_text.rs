//! Text of a page that was opened in an editor: the page as it was then is what the edited text is merged by.

use std::cell::RefCell;
use std::rc::Rc;

use links_pages::apply::{PlanOptions, SlotTypes};
use links_pages::sync::{Conflict, FilePage, LivePage, Merge, PageBase};

use super::Since;
use super::merge_report::conflict;
use crate::context::prelude::*;
use links_pages::page_file::{FieldDiagnostic, PageContent};

/// Record of the page of a text that was opened. Its clones share what the user has seen of the conflicts with other clients.
#[derive(Clone, Debug)]
pub(crate) struct OpenedText(Rc<RefCell<PageBase>>);

impl OpenedText {
    /// Returns the text of a page as it was read.
    pub(crate) fn of(text: &PageContent, page: &PageSnapshot, types: SlotTypes) -> Result<Self> {
        let said = FilePage { slots: text.said_slots(), ..FilePage::default() };
        let live = LivePage::of(page, &said).without_fields();
        let options = PlanOptions { types, ..PlanOptions::default() };
        let merge = Merge::new(None, &said, &live, &options)
            .map_err(|error| CommandError::new(Exit::Server, error))?;
        let base = merge.base_after(None, &said, &live, &BTreeMap::new(), &options.types);
        Ok(Self(Rc::new(RefCell::new(base))))
    }

    /// Returns the record of the page, with what the user has seen since.
    pub(super) fn base(&self) -> PageBase {
        self.0.borrow().clone()
    }

    /// Returns the conflicts at their places in the edited text. The user sees them now, so that the next merge takes the text as intended.
    pub(crate) fn show(
        &self,
        conflicts: &[Conflict],
        file: &PageFile,
        page: &PageSnapshot,
    ) -> Vec<FieldDiagnostic> {
        let live = LivePage::of(page, &FilePage::default()).without_fields();
        self.0.replace_with(|seen| std::mem::take(seen).settled(conflicts, &live));
        let problem = |found: &Conflict| {
            let problem = conflict(found, &file.document, Since::Opened);
            match found {
                Conflict::DeletedThere { .. } => {
                    problem.help("remove its ID here to recreate the slot")
                }
                _ => problem,
            }
        };
        conflicts.iter().map(problem).collect()
    }
}
