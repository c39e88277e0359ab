//! The reverse of the runs of an operation, as an edit of their pages.

use links_pages::apply::{DesiredSlot, JournalEntries, OpenPage, RunCommand, Undo, Wanted};

use crate::account::edit::{AskedPage, PageEdit};
use crate::commands::prelude::*;

/// The reverse of a run for its page as it was read.
#[derive(Debug)]
pub(super) struct PageUndo {
    /// The command in the journal of the page.
    pub(super) command: RunCommand,
    /// File that the run was for.
    pub(super) file: Option<PathBuf>,
    pub(super) undo: Undo,
    /// The page that the reverse was made for.
    pub(super) seen: PageSnapshot,
    /// Set if there is anything to write.
    pub(super) has_changes: bool,
}

fn of_page<'p>(pages: &'p [PageUndo], page: &PageSnapshot) -> Result<&'p PageUndo> {
    let found = pages.iter().find(|it| it.seen.id == page.id);
    found.ok_or_else(|| CommandError::internal("undo of a page that was not read"))
}

/// The reverse of an operation, on all its pages.
impl PageEdit for Vec<PageUndo> {
    fn ask(
        &self,
        page: &PageSnapshot,
        _: &SlotTypeCatalog,
        _: &[JournalEntries],
    ) -> Result<AskedPage> {
        let PageUndo { undo, command, .. } = of_page(self, page)?;
        let lost = match undo.recreates.len() {
            0 => None,
            1 => Some(
                "recreates 1 deleted slot, with a new ID; its click statistics are lost".to_owned(),
            ),
            many => Some(format!(
                "recreates {many} deleted slots, with new IDs; their click statistics are lost"
            )),
        };
        Ok(AskedPage {
            content: undo.desired.clone(),
            command: Some(command.clone()),
            notes: lost.map(StyledLine::changed).into_iter().collect(),
            ..AskedPage::default()
        })
    }

    fn wanted(&self, _: &AskedPage, open: &OpenPage) -> Result<Wanted> {
        let page = open.snapshot();
        let PageUndo { undo, seen, .. } = of_page(self, page)?;
        undo.wanted(seen, page, &open.created()).ok_or_else(|| {
            let message = "another client changed the page in the meantime; nothing was written";
            CommandError::conflict(message).with_hint("run the same command again for a new plan")
        })
    }

    fn item_name(&self, login: &str, index: usize, item: &DesiredSlot) -> String {
        let page = self.iter().find(|page| page.seen.login == login);
        match (item.id, page.and_then(|page| page.undo.recreates.get(&index))) {
            (None, Some(old)) => format!("slot {old}, recreated"),
            (id, _) => format!("slot {}", id.unwrap_or_default()),
        }
    }
}

/// Returns the new ids of the slots that were created again, by their earlier ids.
pub(super) fn created_ids(
    created: &Value,
    recreates: &BTreeMap<usize, SlotId>,
) -> BTreeMap<SlotId, SlotId> {
    let id = |index: &usize| created.get(index.to_string())?.as_i64().map(SlotId::new);
    recreates.iter().filter_map(|(index, old)| Some((*old, id(index)?))).collect()
}
