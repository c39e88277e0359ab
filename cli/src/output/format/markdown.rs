//! Markdown: a pipe table, or a fenced code block.

use super::Grid;
use links_pages::sanitize;

/// Characters that would be markup in a cell.
const MARKUP: &[char] = &['\\', '|', '`', '*', '<', '[', '~'];

pub(crate) fn table(grid: &Grid) -> String {
    let default = ["Field".to_owned(), "Value".to_owned()];
    let headings = if grid.headings.is_empty() { &default[..] } else { &grid.headings };
    let rule = vec!["---".to_owned(); headings.len()];
    let rows = [headings, &rule].into_iter().chain(grid.rows.iter().map(Vec::as_slice));
    let line = |(at, row): (usize, &[String])| {
        let cells: Vec<_> =
            row.iter().map(|it| if at == 1 { it.clone() } else { escaped(it) }).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    rows.enumerate().map(line).collect()
}

/// Fenced code block with a fence longer than any in the text.
pub(crate) fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitize::line(text).chars() {
        if MARKUP.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_written_on_one_line() {
        let grid = Grid {
            fits: Vec::new(),
            headings: vec!["A".into(), "B".into()],
            rows: vec![vec!["x|y\nz".into(), "\\`<b>".into()]],
        };
        assert_eq!(table(&grid), "| A | B |\n| --- | --- |\n| x\\|y z | \\\\\\`\\<b> |\n");
    }

    #[test]
    fn a_code_fence_is_longer_than_any_within_the_text() {
        assert_eq!(block("diff", "+ a\n"), "```diff\n+ a\n```\n");
        assert_eq!(block("", "a ```` b"), "`````\na ```` b\n`````\n");
    }
}
