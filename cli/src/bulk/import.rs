//! Import of the rows of a CSV file as new slots.

use std::collections::BTreeMap;
use std::sync::Arc;

use links_pages::apply::{DesiredPage, DesiredSlot, JournalEntries, PageSnapshot};

use super::csv_rows::CsvRow;
use super::page_edit::{AskedPage, PageEdit};
use crate::error::CommandError;
use crate::schema::slot_types::SlotTypeCatalog;

/// Rows to be created on a page.
#[derive(Debug)]
pub(crate) struct Import {
    /// Name of the file, for messages.
    pub(crate) file: String,
    /// Type of the slots.
    pub(crate) kind: String,
    pub(crate) rows: Vec<CsvRow>,
    pub(crate) at_top: bool,
}

impl PageEdit for Import {
    fn command(&self) -> &'static str {
        "slots import"
    }

    fn ask(
        &self,
        _: &PageSnapshot,
        _: &SlotTypeCatalog,
        _: &[JournalEntries],
    ) -> Result<AskedPage, CommandError> {
        let slot = |row: &CsvRow| DesiredSlot {
            id: None,
            kind: self.kind.clone(),
            data: row.data.clone(),
        };
        let items: Vec<DesiredSlot> = self.rows.iter().map(slot).collect();
        Ok(AskedPage {
            items: Arc::new(items.into()),
            instead: BTreeMap::new(),
            at_top: self.at_top,
            notes: Vec::new(),
        })
    }

    fn item_name(&self, _: &str, _: &DesiredPage, index: usize) -> String {
        match self.rows.get(index) {
            Some(row) => format!("{}:{}", self.file, row.line),
            None => format!("item {index}"),
        }
    }

    fn question(&self, slots: usize, _: usize) -> String {
        let slots = if slots == 1 { "1 slot".to_owned() } else { format!("{slots} slots") };
        format!("Create {slots}?")
    }
}
