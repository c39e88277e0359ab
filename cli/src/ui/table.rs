//! Rendering of grids as tables.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::cut;
use crate::output::format::Grid;
use crate::sanitize;

/// Maximum width of a cell in columns; `-o json` shows the whole value.
const CELL_MAX: usize = 60;

/// Number of spaces between columns.
const PADDING: usize = PADDING_RIGHT as usize;
const PADDING_RIGHT: u16 = 2;

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
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(grid.rows.len());
        for row in &grid.rows {
            let cell = |(at, text): (usize, &String)| match grid.fitted {
                Some(fitted) if fitted == at => sanitize::line(text).into_owned(),
                _ => cut(&sanitize::line(text), CELL_MAX),
            };
            rows.push(row.iter().enumerate().map(cell).collect());
        }
        let width = if terminal { table.width().filter(|width| *width >= WIDTH_MIN) } else { None };
        if let Some((column, width)) = grid.fitted.zip(width) {
            fit(&grid.headings, &mut rows, column, width.into());
        }
        table.add_rows(rows);
        // The first column identifies the record and is copied into other commands, so that it is never wrapped.
        if let Some(first) = table.column_mut(0) {
            first.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    lines(table)
}

/// Cuts the cells of a column so that the table fits a width, as far as its heading allows.
fn fit(headings: &[String], rows: &mut [Vec<String>], column: usize, width: usize) {
    let of_column = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
        cells.max().unwrap_or(0).max(headings[at].width())
    };
    let others: usize =
        (0..headings.len()).filter(|at| *at != column).map(|at| of_column(at) + PADDING).sum();
    let room = width.saturating_sub(others + PADDING).max(headings[column].width());
    for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
        *cell = cut(cell, room);
    }
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
        column.set_padding((0, PADDING_RIGHT));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_column_gives_way_and_no_other() {
        let headings = ["ID", "CONTENT", "LINK", "NOTE"].map(str::to_owned);
        let row = ["1001", "Menu 日本", "https://qara.example/a/long/path", "legacy"];
        let fitted = |width| {
            let mut rows = vec![row.map(str::to_owned).to_vec()];
            fit(&headings, &mut rows, 2, width);
            rows.remove(0)
        };
        assert_eq!(fitted(100), row);
        let narrow = fitted(45);
        assert_eq!(narrow[2], "https://qara.exam…");
        assert_eq!((&*narrow[0], &*narrow[1], &*narrow[3]), (row[0], row[1], row[3]));
        assert!(narrow.iter().map(|cell| cell.width() + PADDING).sum::<usize>() <= 45);
        // Never narrower than the heading.
        assert_eq!(fitted(10)[2], "htt…");
    }
}
