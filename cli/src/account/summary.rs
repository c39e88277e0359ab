//! Summary of a plan in Markdown, for a job summary or a comment on a pull request.

use std::fs::OpenOptions;
use std::io::{Read, Write};

use console::strip_ansi_codes;

use crate::auth::AccountName;
use crate::context::prelude::*;
use crate::output::format::{Format, code_block, fence};
use crate::ui::{PartUpdate, update};

/// Maximum number of lines of one part that are shown.
const LINES: usize = 2000;

/// Variable with the path of the summary of a job of GitHub Actions.
const JOB_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// What GitHub accepts: bytes of the summary of a step, and characters of a comment.
const MOST_BYTES: usize = 1 << 20;
const MOST_CHARACTERS: usize = 1 << 16;

/// Maximum size in bytes of a summary that is read to see how much fits.
const MOST_READ: u64 = 4 * MOST_BYTES as u64;

/// Room for the markup around the lines of a part, and for what is said of those that were left out.
const AROUND: usize = 160;

/// Part of a summary: a heading, and lines of which as many are shown as fit.
pub(crate) struct SummaryPart {
    /// Markdown that ends with an empty line.
    pub(crate) heading: String,
    /// Language of the block of lines.
    pub(crate) language: &'static str,
    pub(crate) lines: Vec<String>,
}

/// What a summary may hold, and how that is counted.
#[derive(Clone, Copy)]
struct SummaryLimit {
    most: usize,
    size: fn(&str) -> usize,
}

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

/// Appends Markdown to a file, which is created if there is none, or prints it (`-`) instead of the output. What GitHub would not accept is left
/// out: lines first.
pub(crate) fn put(
    path: &Path,
    parts: &[SummaryPart],
    output: CommandOutput,
) -> Result<CommandOutput> {
    if is_output(path) {
        let text = SummaryLimit::COMMENT.fitted(parts);
        return Ok(CommandOutput { view: View::Document(text), ..output });
    }
    add(path, parts)?;
    update(PartUpdate::Summary);
    Ok(output)
}

/// Appends Markdown to a file.
pub(crate) fn add(path: &Path, parts: &[SummaryPart]) -> Result<()> {
    append(path, parts).map_err(cannot("write", path))
}

/// Returns the file that a summary is appended to.
pub(crate) fn file(summary: Option<&PathBuf>) -> Option<PathBuf> {
    summary.filter(|path| !is_output(path)).cloned()
}

fn is_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn append(path: &Path, parts: &[SummaryPart]) -> io::Result<()> {
    let is_job = std::env::var_os(JOB_SUMMARY).is_some_and(|job| Path::new(&job) == path);
    let limit = if is_job { SummaryLimit::JOB } else { SummaryLimit::COMMENT };
    let target = named::resolve(path)?;
    // A device or a pipe is not read: it may wait for its own reader.
    let is_read = target.metadata().map_or(true, |found| found.is_file());
    let mut file = OpenOptions::new().create(true).append(true).read(is_read).open(target)?;
    let mut used = 0;
    if is_read {
        // The processes for several accounts take turns. Where files have no locks, their parts may be too large together.
        let _ = file.lock();
        let mut text = String::new();
        // A file that is too large, or cannot be read as text, is full.
        let is_text = file.metadata()?.len() <= MOST_READ && file.read_to_string(&mut text).is_ok();
        used = if is_text { (limit.size)(&text) } else { limit.most };
    }
    let text = SummaryLimit { most: limit.most.saturating_sub(used), ..limit }.fitted(parts);
    file.write_all(text.as_bytes())
}

/// Returns a plan as a part of a summary: that of an account, if there are several. `errors` counts what could not be planned.
pub(super) fn described(
    lines: &[StyledLine],
    account: Option<&AccountName>,
    errors: usize,
) -> SummaryPart {
    let (summary, changes) = match lines.split_last() {
        Some((last, changes)) => (last.text(), changes),
        None => ("", lines),
    };
    // Markdown would take characters of a name for markup.
    let of = account.map(|name| format!(", `{name}`")).unwrap_or_default();
    let errors = if errors > 0 { count(errors, "error") + "; " } else { String::new() };
    SummaryPart {
        heading: format!("### links plan{of}: {errors}{summary}\n\n"),
        // A leading sign is what colours a line.
        language: "diff",
        lines: changes.iter().map(|line| line.text().to_owned()).collect(),
    }
}

/// Returns the part of what could not be planned, with the reason. `of` says what it was.
pub(crate) fn failed(of: &str, said: &str) -> SummaryPart {
    let said = strip_ansi_codes(said.trim_end());
    SummaryPart {
        heading: format!("### links plan{of}\n\n"),
        language: "text",
        lines: sanitize::text(&said).lines().map(str::to_owned).collect(),
    }
}

impl SummaryLimit {
    const JOB: Self = Self { most: MOST_BYTES, size: str::len };
    const COMMENT: Self = Self { most: MOST_CHARACTERS, size: |text| text.chars().count() };

    /// Returns the parts, without what does not fit. Nothing in the lines of a part can end the block that they are in.
    fn fitted(self, parts: &[SummaryPart]) -> String {
        let mut left = self.most.saturating_sub(AROUND);
        let mut has_room = |needed: usize| {
            let fits = needed <= left;
            left = left.saturating_sub(needed);
            fits
        };
        let needed = |part: &SummaryPart| {
            (self.size)(&part.heading) + if part.lines.is_empty() { 0 } else { AROUND }
        };
        let kept = parts.iter().take_while(|part| has_room(needed(part))).count();
        let mut text = String::new();
        for SummaryPart { heading, language, lines } in &parts[..kept] {
            text += heading;
            if lines.is_empty() {
                continue;
            }
            has_room(2 * fence(&lines.join("\n"), 2).len());
            let fitting = lines.iter().take(LINES).map(String::as_str);
            let shown: Vec<&str> =
                fitting.take_while(|line| has_room((self.size)(line) + 1)).collect();
            if !shown.is_empty() {
                text.extend([&*code_block(language, &shown.join("\n")), "\n"]);
            }
            let more = lines.len() - shown.len();
            if more > 0 {
                let more = more.to_string();
                text.extend([&*more, " more lines don't fit here; `-o json` shows all.\n\n"]);
            }
        }
        match parts.len() - kept {
            0 => text,
            more => text + &format!("{more} more pages don't fit here; `-o json` shows all.\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_page_ends_the_block() {
        let lines = ["+ text: ```` <script>", "~ cafe", "2 requests"];
        let lines = lines.map(StyledLine::plain);
        let shown =
            |lines: &[StyledLine]| SummaryLimit::COMMENT.fitted(&[described(lines, None, 0)]);
        assert_eq!(
            shown(&lines),
            "### links plan: 2 requests\n\n`````diff\n+ text: ```` <script>\n~ cafe\n`````\n\n"
        );
        assert_eq!(shown(&lines[2..]), "### links plan: 2 requests\n\n");
        let name = "acme".parse().unwrap();
        let text = SummaryLimit::COMMENT.fitted(&[described(&lines[2..], Some(&name), 1)]);
        assert_eq!(text, "### links plan, `acme`: 1 error; 2 requests\n\n");
        let text = SummaryLimit::COMMENT
            .fitted(&[failed(", `acme`: failed", "\u{1b}[31merror\u{1b}[0m: `````\n")]);
        assert_eq!(text, "### links plan, `acme`: failed\n\n``````text\nerror: `````\n``````\n\n");
    }

    #[test]
    fn what_is_appended_at_once_fits_together() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary.md");
        let (heading, lines) = ("### page\n\n".to_owned(), vec!["+ text".repeat(4); LINES]);
        let part = SummaryPart { heading, language: "diff", lines };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| add(&path, std::slice::from_ref(&part)).unwrap());
            }
        });
        let size = std::fs::read_to_string(path).unwrap().chars().count();
        assert!(size <= MOST_CHARACTERS + 8 * AROUND, "{size}");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_said() {
        let part = |nth: usize, lines: usize| SummaryPart {
            heading: format!("### page {nth}\n\n"),
            language: "diff",
            lines: vec!["+ кофе `````".to_owned(); lines],
        };
        for limit in [SummaryLimit::JOB, SummaryLimit::COMMENT] {
            for (most, pages, lines) in [
                (limit.most, 3, 100_000),
                (limit.most, 100, 1000),
                (limit.most, 10_000, 1),
                (5000, 20, 20),
                (1000, 1, 100),
                (200, 3, 3),
                (0, 2, 2),
            ] {
                let parts: Vec<_> = (0..pages).map(|nth| part(nth, lines)).collect();
                let text = SummaryLimit { most, ..limit }.fitted(&parts);
                let size = (limit.size)(&text);
                assert!(size <= most.max(AROUND), "{size} of {most}: {pages} pages, {lines} lines");
                assert!(text.contains("don't fit here"), "{pages} pages, {lines} lines");
                // Headings go last.
                let headings = text.matches("### page").count();
                let is_cut = text.contains("more pages");
                assert_eq!(headings < pages, is_cut, "{text}");
            }
        }
        let text = SummaryLimit::COMMENT.fitted(&[part(0, 3)]);
        assert!(!text.contains("more") && text.matches("кофе").count() == 3, "{text}");
    }
}
