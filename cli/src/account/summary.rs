//! Summary of a plan in Markdown, for a job summary or a comment on a pull request.

use std::fs::OpenOptions;
use std::io::Write;

use crate::context::prelude::*;
use crate::output::format::{Format, code_block};

/// Maximum number of lines of a plan that are shown.
const LINES: usize = 2000;

/// Refuses a summary on standard output beside data for a program.
pub(crate) fn check(summary: Option<&Path>, format: Format) -> Result<()> {
    if summary.is_some_and(is_output) && format != Format::Table {
        let message = format!(
            "`--summary -` and `-o {}` both print to standard output; nothing was read",
            format.word()
        );
        return Err(CommandError::usage(message)
            .with_hint("write the summary to a file, or leave out one of the options"));
    }
    Ok(())
}

/// Appends Markdown to a file, which is created if there is none, or prints it (`-`) instead of the output.
pub(crate) fn put(path: &Path, text: String, output: CommandOutput) -> Result<CommandOutput> {
    if is_output(path) {
        return Ok(CommandOutput { view: View::Document(text), ..output });
    }
    append(path, &text)
        .map_err(|error| file_error(&format!("cannot write {}", path.display()), &error))?;
    Ok(output)
}

/// Returns the file that a summary is appended to.
pub(crate) fn file(summary: Option<&PathBuf>) -> Option<PathBuf> {
    summary.filter(|path| !is_output(path)).cloned()
}

fn is_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(named::resolve(path)?)?;
    file.write_all(text.as_bytes())
}

/// Formats the lines as a block that nothing in them can end.
pub(super) fn described(lines: &[StyledLine]) -> String {
    let (summary, changes) = match lines.split_last() {
        Some((last, changes)) => (last.text(), changes),
        None => ("", lines),
    };
    let heading = format!("### links plan: {summary}\n\n");
    if changes.is_empty() {
        return heading;
    }
    let shown: Vec<&str> = changes.iter().take(LINES).map(StyledLine::text).collect();
    // A leading sign is what colours a line.
    let block = code_block("diff", &shown.join("\n"));
    let more = match changes.len().saturating_sub(LINES) {
        0 => String::new(),
        more => format!("\n{more} more lines; `-o json` shows all.\n"),
    };
    format!("{heading}{block}{more}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_page_ends_the_block() {
        let lines = ["+ text: ```` <script>", "~ cafe", "2 requests"];
        let lines = lines.map(StyledLine::plain);
        assert_eq!(
            described(&lines),
            "### links plan: 2 requests\n\n`````diff\n+ text: ```` <script>\n~ cafe\n`````\n\n"
        );
        assert_eq!(described(&lines[2..]), "### links plan: 2 requests\n\n");
    }
}
