//! CSV (RFC 4180): one header line, then one line per record.

use std::borrow::Cow;

use super::Grid;
use crate::error::CommandError;

/// First characters by which spreadsheets recognize a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Renders a grid as CSV. If `safe`, cells that a spreadsheet would evaluate get a leading quote; numbers stay numbers.
pub(crate) fn render(grid: &Grid, safe: bool) -> Result<String, CommandError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if !grid.headings.is_empty() {
        writer.write_record(cells(&grid.headings, safe)).map_err(CommandError::internal)?;
    }
    for row in &grid.rows {
        writer.write_record(cells(row, safe)).map_err(CommandError::internal)?;
    }
    let bytes = writer.into_inner().map_err(CommandError::internal)?;
    String::from_utf8(bytes).map_err(CommandError::internal)
}

fn cells(row: &[String], safe: bool) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let is_formula = |cell: &str| cell.starts_with(FORMULA) && cell.parse::<f64>().is_err();
    row.iter().map(move |cell| {
        if safe && is_formula(cell) {
            Cow::Owned(format!("'{cell}").into_bytes())
        } else {
            Cow::Borrowed(cell.as_bytes())
        }
    })
}
