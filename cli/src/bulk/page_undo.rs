//! The reverse of the runs of an operation, as an edit of their pages.

use links_pages::apply::{DesiredSlot, OpenPage, RunCommand, Undo, Wanted};

use super::AskedPage;
use crate::apply::planned::EditedItems;
use crate::context::prelude::*;

/// The reverse of a run for its page as it was read.
#[derive(Debug)]
pub(crate) struct PageUndo {
    /// The command in the journal of the page.
    pub(crate) command: RunCommand,
    /// File that the run was for.
    pub(crate) file: Option<PathBuf>,
    pub(crate) undo: Undo,
    /// The page that the reverse was made for.
    pub(crate) seen: PageSnapshot,
    /// Set if there is anything to write.
    pub(crate) has_changes: bool,
}

impl PageUndo {
    /// Returns the reverse for a page, of those for all pages of an operation.
    pub(crate) fn of<'p>(pages: &'p [Self], page: &PageSnapshot) -> Result<&'p Self> {
        let found = pages.iter().find(|it| it.seen.id == page.id);
        found.ok_or_else(|| CommandError::internal("undo of a page that was not read"))
    }

    /// Returns what is asked of the page.
    pub(crate) fn ask(&self) -> AskedPage {
        let Self { undo, command, .. } = self;
        let lost = match undo.recreates.len() {
            0 => None,
            1 => Some(
                "recreates 1 deleted slot, with a new ID; its click statistics are lost".to_owned(),
            ),
            many => Some(format!(
                "recreates {many} deleted slots, with new IDs; their click statistics are lost"
            )),
        };
        let name = |(index, item): (usize, &DesiredSlot)| match undo.recreates.get(&index) {
            Some(old) if item.id.is_none() => format!("slot {old}, recreated"),
            _ => format!("slot {}", item.id.unwrap_or_default()),
        };
        AskedPage {
            content: undo.desired.clone(),
            command: Some(command.clone()),
            items: EditedItems {
                names: undo.desired.slots.iter().enumerate().map(name).collect(),
                notes: lost.map(StyledLine::changed).into_iter().collect(),
            },
            ..AskedPage::default()
        }
    }

    /// Returns the whole page as it should be.
    pub(crate) fn wanted(&self, open: &OpenPage) -> Result<Wanted> {
        self.undo.wanted(&self.seen, open.snapshot(), &open.created()).ok_or_else(|| {
            let message = "another client changed the page in the meantime; nothing was written";
            CommandError::conflict(message).with_hint("run the same command again for a new plan")
        })
    }
}

/// Returns the new ids of the slots that were created again, by their earlier ids.
pub(crate) fn created_ids(
    created: &Value,
    recreates: &BTreeMap<usize, SlotId>,
) -> BTreeMap<SlotId, SlotId> {
    let id = |index: &usize| created.get(index.to_string())?.as_i64().map(SlotId::new);
    recreates.iter().filter_map(|(index, old)| Some((*old, id(index)?))).collect()
}
