//! Summary of a plan in Markdown, for a job summary or a comment on a pull request.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use crate::output::StyledLine;

/// Maximum number of lines of a plan that are shown.
const LINES: usize = 2000;

/// Appends the lines of a plan to a file.
pub(super) fn append(path: &Path, lines: &[StyledLine]) -> io::Result<()> {
    append_text(path, &markdown(lines))
}

/// Appends Markdown to a file, which is created if there is none.
pub(crate) fn append_text(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Formats the lines as a block that nothing in them can end.
fn markdown(lines: &[StyledLine]) -> String {
    let shown = lines.iter().take(LINES).map(StyledLine::text);
    let longest = shown.clone().map(longest_run).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let (summary, changes) = match lines.split_last() {
        Some((last, changes)) => (last.text(), changes.len()),
        None => ("", 0),
    };
    let heading = format!("### links plan: {summary}\n\n");
    if changes == 0 {
        return heading;
    }
    // A leading sign is what colours a line.
    let block: String = shown.take(changes).flat_map(|line| [line, "\n"]).collect();
    let more = match changes.saturating_sub(LINES) {
        0 => String::new(),
        more => format!("\n{more} more lines; `-o json` has all.\n"),
    };
    format!("{heading}{fence}diff\n{block}{fence}\n{more}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Style;

    #[test]
    fn no_text_of_a_page_ends_the_block() {
        let lines = ["+ text: ```` <script>", "~ cafe", "2 requests"];
        let lines = lines.map(|text| StyledLine::new(Style::Plain, text));
        assert_eq!(
            markdown(&lines),
            "### links plan: 2 requests\n\n`````diff\n+ text: ```` <script>\n~ cafe\n`````\n\n"
        );
        assert_eq!(markdown(&lines[2..]), "### links plan: 2 requests\n\n");
    }
}
