//! CSV (RFC 4180): one header line, then one line for each record.

use super::Grid;
use crate::diagnostic::Failure;

pub(super) fn render(grid: &Grid) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if !grid.headings.is_empty() {
        writer.write_record(&grid.headings).map_err(Failure::internal)?;
    }
    for row in &grid.rows {
        writer.write_record(row).map_err(Failure::internal)?;
    }
    let bytes = writer.into_inner().map_err(Failure::internal)?;
    String::from_utf8(bytes).map_err(Failure::internal)
}
