//! Rendering of grids as tables.

use std::borrow::Cow;
use std::io::{stderr, stdout};
#[cfg(unix)]
use std::os::fd::AsFd;

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::cut;
use crate::output::format::Grid;
use links_pages::sanitize;

/// Maximum width of a cell in columns; `-o json` shows the whole value.
const CELL_MAX: usize = 60;

/// Number of spaces between columns.
const PADDING_RIGHT: u16 = 2;

/// Minimum width of a terminal; a smaller width means that the terminal does not report its width.
const WIDTH_MIN: u16 = 20;

/// Renders one line per row. On a terminal the columns share its width.
pub(super) fn render(grid: &Grid, terminal: bool) -> String {
    let mut table = Table::new();
    // Without borders, and as wide as the terminal, if that is known.
    table.load_style(presets::NOTHING);
    if let Some(width) = width_of(&stdout()).filter(|_| terminal) {
        table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic);
    }
    if grid.headings.is_empty() {
        for row in &grid.rows {
            table.add_row(row.iter().map(|it| sanitize::line(it)));
        }
    } else {
        table.set_header(grid.headings.iter().map(|it| sanitize::line(it)));
        for row in &grid.rows {
            let mut row = Row::from(row.iter().enumerate().map(|(nth, text)| {
                let text = sanitize::line(text);
                if grid.whole.contains(&nth) { text.into_owned() } else { cut(&text, CELL_MAX) }
            }));
            row.max_height(1);
            table.add_row(row);
        }
        // The first column identifies the record and is copied into other commands, so it is never cut.
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

/// Returns the cells of each row side by side. A column is as wide as its widest cell up to its limit; longer cells push the rest of their
/// row.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]], limits: [usize; N]) -> Vec<String> {
    let rows: Vec<[Cow<'_, str>; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| sanitize::one_line(cell))).collect();
    let widths: [usize; N] = std::array::from_fn(|nth| {
        let widths = rows.iter().map(|row| row[nth].width());
        widths.filter(|width| *width <= limits[nth]).max().unwrap_or_default()
    });
    let padded = |(cell, width): (&Cow<'_, str>, usize)| {
        format!("{cell}{}  ", " ".repeat(width.saturating_sub(cell.width())))
    };
    rows.iter().map(|row| row.iter().zip(widths).map(padded).collect()).collect()
}

/// Width of the terminal on stdout or stderr in columns, or 100 without a terminal.
pub(crate) fn width() -> usize {
    width_of(&stdout()).or_else(|| width_of(&stderr())).map_or(100, usize::from)
}

/// Returns the number of columns of a terminal that reports it. It may report no rows.
#[cfg(unix)]
fn width_of(terminal: &impl AsFd) -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    Some(size.ws_col).filter(|width| *width >= WIDTH_MIN)
}

#[cfg(not(unix))]
fn width_of<T>(_: &T) -> Option<u16> {
    let size = console::Term::stdout().size_checked();
    size.map(|(_, width)| width).filter(|width| *width >= WIDTH_MIN)
}
