//! Rows of texts as lines of a table.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use super::cut;
use crate::output::format::Grid;
use crate::sanitize;

/// Most columns of a value that a cell shows; `-o json` shows all.
const CELL_MAX: usize = 60;

/// A narrower terminal is one that does not say how wide it is.
const WIDTH_MIN: u16 = 20;

/// One line for each row. On a terminal the columns share its width; elsewhere each row stays on its line.
pub(super) fn render(grid: &Grid, terminal: bool) -> String {
    let mut table = frame(terminal);
    if grid.headings.is_empty() {
        for row in &grid.rows {
            table.add_row(row.iter().map(|it| sanitize::line(it)));
        }
    } else {
        table.set_header(grid.headings.iter().map(|it| sanitize::line(it)));
        for row in &grid.rows {
            table.add_row(row.iter().map(|it| cut(&sanitize::line(it), CELL_MAX)));
        }
        // The first column names the record, and is copied into the next command.
        if let Some(first) = table.column_mut(0) {
            first.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    lines(table)
}

/// A table without lines, which shares out the width of a terminal that has one.
fn frame(terminal: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if !terminal {
        table.force_no_tty();
    } else if table.width().is_some_and(|width| width >= WIDTH_MIN) {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table
}

/// Columns of the terminal that stdout or stderr leads to.
pub(super) fn terminal_width() -> Option<usize> {
    let stdout = Table::new().width();
    let width = stdout.or_else(|| Table::new().use_stderr().width());
    width.filter(|width| *width >= WIDTH_MIN).map(usize::from)
}

/// The text of a table, without the white space that fills it up on the right.
fn lines(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
