//! Rendering of grids as tables.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use super::cut;
use crate::output::format::Grid;
use crate::sanitize;

/// Maximum width of a cell in columns; `-o json` shows the whole value.
const CELL_MAX: usize = 60;

/// Minimum width of a terminal; a smaller width means that the terminal does not report its width.
const WIDTH_MIN: u16 = 20;

/// Renders one line per row. On a terminal the columns share its width; elsewhere no row is wrapped.
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
        // The first column identifies the record and is copied into other commands, so that it is never wrapped.
        if let Some(first) = table.column_mut(0) {
            first.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    lines(table)
}

/// Creates a table without borders that fits the width of the terminal, if known.
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

/// Width of the terminal on stdout or stderr in columns.
pub(super) fn terminal_width() -> Option<usize> {
    let stdout = Table::new().width();
    let width = stdout.or_else(|| Table::new().use_stderr().width());
    width.filter(|width| *width >= WIDTH_MIN).map(usize::from)
}

/// Text of a table, without trailing white space.
fn lines(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
