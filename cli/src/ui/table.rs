//! Rendering of grids as tables.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::cut;
use crate::output::Fit;
use crate::output::format::Grid;
use links_pages::sanitize;

/// Maximum width of a cell in columns; `-o json` shows the whole value.
const CELL_MAX: usize = 60;

/// Minimum width of a column that is cut.
const FITTED_MIN: usize = 12;

/// Number of spaces between columns.
const PADDING: usize = PADDING_RIGHT as usize;
const PADDING_RIGHT: u16 = 2;

/// Minimum width of a terminal; a smaller width means that the terminal does not report its width.
const WIDTH_MIN: u16 = 20;

/// Renders one line per row. On a terminal the columns share its width; elsewhere no row is wrapped.
pub(super) fn render(grid: &Grid, terminal: bool) -> String {
    let mut table = Table::new();
    // Without borders, and as wide as the terminal, if that is known.
    table.load_style(presets::NOTHING);
    let width = table.width().filter(|width| terminal && *width >= WIDTH_MIN);
    if !terminal {
        table.force_no_tty();
    } else if width.is_some() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    if grid.headings.is_empty() {
        for row in &grid.rows {
            table.add_row(row.iter().map(|it| sanitize::line(it)));
        }
    } else {
        table.set_header(grid.headings.iter().map(|it| sanitize::line(it)));
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(grid.rows.len());
        for row in &grid.rows {
            let cell = |(at, text): (usize, &String)| match grid.fits.get(at) {
                Some(Fit::Whole) => sanitize::line(text).into_owned(),
                _ => cut(&sanitize::line(text), CELL_MAX),
            };
            rows.push(row.iter().enumerate().map(cell).collect());
        }
        if let Some(width) = width {
            fit(&grid.headings, &mut rows, &grid.fits, width.into());
        }
        table.add_rows(rows);
        // The first column identifies the record and is copied into other commands, so that it is never wrapped.
        if let Some(first) = table.column_mut(0) {
            first.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, PADDING_RIGHT));
    }
    // Without trailing white space.
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Cuts the cells of the columns that are not wrapped so that the table fits a width: the widest of them gives way first, none becomes narrower
/// than [`FITTED_MIN`].
fn fit(headings: &[String], rows: &mut [Vec<String>], fits: &[Fit], width: usize) {
    let of_column = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
        cells.max().unwrap_or(0).max(headings[at].width())
    };
    let mut widths: Vec<usize> = (0..headings.len()).map(of_column).collect();
    let is_fitted = |at: &usize| fits.get(*at).is_some_and(|fit| *fit != Fit::Wrapped);
    let mut excess = (widths.iter().sum::<usize>() + PADDING * widths.len()).saturating_sub(width);
    while excess > 0 {
        let widest = (0..widths.len()).filter(is_fitted).max_by_key(|at| widths[*at]);
        let Some(at) = widest.filter(|at| widths[*at] > FITTED_MIN) else { break };
        widths[at] -= 1;
        excess -= 1;
    }
    for row in rows {
        for (at, cell) in row.iter_mut().enumerate().filter(|(at, _)| is_fitted(at)) {
            *cell = cut(cell, widths[at]);
        }
    }
}

/// Width of the terminal on stdout or stderr in columns, or 100 without a terminal.
pub(crate) fn width() -> usize {
    let stdout = Table::new().width();
    let width = stdout.or_else(|| Table::new().use_stderr().width());
    width.filter(|width| *width >= WIDTH_MIN).map_or(100, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_fitted_column_gives_way_first_and_no_other() {
        let headings = ["ID", "CONTENT", "LINK", "NOTE"].map(str::to_owned);
        let fits = [Fit::Wrapped, Fit::Cut, Fit::Whole, Fit::Wrapped];
        let row =
            ["1001", "A menu for 日本 and others", "https://qara.example/a/long/path", "legacy"];
        let fitted = |width| {
            let mut rows = vec![row.map(str::to_owned).to_vec()];
            fit(&headings, &mut rows, &fits, width);
            rows.remove(0)
        };
        let taken = |row: &[String]| row.iter().map(|cell| cell.width() + PADDING).sum::<usize>();
        assert_eq!(fitted(100), row);
        let narrow = fitted(70);
        assert_eq!((&*narrow[1], &*narrow[2]), (row[1], "https://qara.example/a/lo…"));
        for width in 45..100 {
            let narrow = fitted(width);
            assert!(taken(&narrow) <= width, "{width}: {narrow:?}");
            assert_eq!((&*narrow[0], &*narrow[3]), (row[0], row[3]));
        }
        assert_eq!(fitted(10)[2].width(), FITTED_MIN);
    }
}
