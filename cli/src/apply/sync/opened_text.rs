//! Text of a page that was opened in an editor: the page as it was then is what the edited text is merged by.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use links_pages::apply::{PageSnapshot, PlanOptions, SlotTypes};
use links_pages::sync::{Conflict, FilePage, FileSlot, FileSlotId, Merge, PageBase};
use links_sdk::ProfileKey;
use serde_json::Value;

use super::live;
use super::merge_report::value_path;
use crate::args::fields::theirs_and_before;
use crate::error::{CommandError, Exit};
use links_pages::page_file::{At, FieldDiagnostic, FileScope, PageContent, PageFile};

/// Text that was opened. Its clones share what the user has seen of the conflicts with other clients.
#[derive(Clone, Debug)]
pub(crate) struct OpenedText {
    /// Key of the page as the text has it.
    profile: ProfileKey,
    seen: Rc<RefCell<SeenPage>>,
}

/// The page as the user has seen it.
#[derive(Debug)]
struct SeenPage {
    slots: Vec<FileSlot>,
    base: PageBase,
}

impl OpenedText {
    /// Returns the text of a page as it was read.
    pub(crate) fn of(
        text: &PageContent,
        page: &PageSnapshot,
        types: SlotTypes,
    ) -> Result<Self, CommandError> {
        let slots = text.content.slots.iter().map(|slot| FileSlot {
            id: slot.id.map_or(FileSlotId::Absent, FileSlotId::Id),
            kind: slot.kind.clone(),
            data: slot.data.clone(),
            ..FileSlot::default()
        });
        let said = FilePage { slots: slots.collect(), ..FilePage::default() };
        let (live, options) =
            (live(page, FileScope::Slots), PlanOptions { types, ..PlanOptions::default() });
        let merge = Merge::new(None, &said, &live, &options)
            .map_err(|error| CommandError::new(Exit::Server, error.to_string()))?;
        let base = merge.base_after(None, &said, &live, &BTreeMap::new(), &options.types);
        let seen = SeenPage { slots: said.slots, base };
        Ok(Self { profile: text.profile.clone(), seen: Rc::new(RefCell::new(seen)) })
    }

    /// Returns whether a key is the one that the text had.
    pub(super) fn is_for(&self, profile: &ProfileKey) -> bool {
        self.profile == *profile
    }

    /// Returns the record of the page, with what the user has seen since.
    pub(super) fn base(&self) -> PageBase {
        self.seen.borrow().base.clone()
    }

    /// Returns the conflicts at their places in the edited text. The user sees them now, so that the next merge takes the text as intended.
    pub(crate) fn show(
        &self,
        conflicts: &[Conflict],
        file: &PageFile,
        page: &PageSnapshot,
    ) -> Vec<FieldDiagnostic> {
        let mut seen = self.seen.borrow_mut();
        let problems = conflicts.iter().map(|it| problem(it, &seen.slots, file)).collect();
        let base = std::mem::take(&mut seen.base);
        seen.base = base.settled(conflicts, &live(page, FileScope::Slots));
        for conflict in conflicts {
            let Conflict::Value { slot: Some((_, id)), key, page, .. } = conflict else { continue };
            let slot = seen.slots.iter_mut().find(|slot| slot.id == FileSlotId::Id(*id));
            if let Some(slot) = slot {
                slot.data.insert(key.clone(), page.clone());
            }
        }
        problems
    }
}

fn problem(conflict: &Conflict, opened: &[FileSlot], file: &PageFile) -> FieldDiagnostic {
    let slots = "slots".to_owned();
    let (path, message) = match conflict {
        Conflict::Value { slot, key, page, .. } => {
            // An edited text is merged without the fields of its page.
            let is_it = |it: &&FileSlot| slot.is_some_and(|(_, id)| it.id == FileSlotId::Id(id));
            let before = opened.iter().find(is_it).and_then(|it| it.data.get(key));
            (value_path(*slot, key), theirs_and_before(before.unwrap_or(&Value::Null), page))
        }
        Conflict::DeletedThere { item, id, .. } => {
            let message = format!(
                "another client deleted the slot {id} meanwhile; remove its id here to create it again"
            );
            (vec![slots, item.to_string()], message)
        }
        Conflict::DeletedHere { id, kind, .. } => {
            let message = format!(
                "another client changed the slot {id} ({kind}) meanwhile, but this file no longer has it"
            );
            (vec![slots], message)
        }
        Conflict::Order { .. } => {
            (vec![slots], "another client moved the same slots meanwhile".to_owned())
        }
    };
    file.document.locate(&path, At::Value, message)
}
