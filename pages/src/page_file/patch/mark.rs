//! Marks of conflicts: comments on lines of their own, one for each conflict.
//!
//! ```yaml
//! # <<< page: data.title: "Shop" (changed on the page since the last sync; keep the value below or take this one, then delete this line)
//! ```
//!
//! A comment on a line of its own that begins with `# <<< page:` or `# <<< form:` is a mark, whatever follows, so that a mark that was edited is
//! still one.

use std::fmt::Write;

use granit_parser::{Event, Parser};

use super::edit::{MarkedConflict, Path, PathStep};
use crate::page_file::document::Document;
use crate::page_file::emit::{json_text, quoted};
use crate::page_file::lex::{line_end, skip_blanks};
use crate::page_file::node::Span;
use crate::page_file::report::{FieldDiagnostic, FileDiagnostics};

/// Begin of a mark in a page file.
const PREFIX: &str = "# <<< page:";

/// Begin of a mark in a form file.
const FORM_PREFIX: &str = "# <<< form:";

/// Returns the spans of all marks, also of a text with errors.
pub(super) fn marks(text: &str) -> Vec<Span> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    if ![PREFIX, FORM_PREFIX].iter().any(|prefix| content.contains(prefix)) {
        return Vec::new();
    }
    let before = text.len() - content.len();
    let events = Parser::new_from_str(content).map_while(Result::ok);
    let scalars = events.filter(|(event, _)| matches!(event, Event::Scalar(..)));
    let scalars: Vec<Span> = scalars.filter_map(|(_, at)| at.byte_range()).collect();
    let mut found = Vec::new();
    let mut line = 0;
    while line < content.len() {
        let (start, end) = (skip_blanks(content, line), line_end(content, line));
        let next = scalars.partition_point(|scalar| scalar.end <= start);
        let is_inside = scalars.get(next).is_some_and(|scalar| scalar.start <= start);
        let is_mark =
            [PREFIX, FORM_PREFIX].iter().any(|prefix| content[start..].starts_with(prefix));
        if is_mark && !is_inside {
            found.push(before + start..before + end);
        }
        line = content[end..].find('\n').map_or(content.len(), |length| end + length + 1);
    }
    found
}

/// Returns the text without the lines of its marks.
pub fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks(text) {
        let indent = text[from..mark.start].trim_end_matches([' ', '\t']).len();
        kept += &text[from..from + indent];
        from = text[mark.end..].find('\n').map_or(text.len(), |length| mark.end + length + 1);
    }
    kept + &text[from..]
}

/// Refuses a document with marks.
///
/// # Errors
///
/// A diagnostic at each mark.
pub fn refuse_marks(document: &Document) -> Result<(), FileDiagnostics> {
    let problem = |span: Span| {
        let (what, help) = if document.text()[span.clone()].starts_with(FORM_PREFIX) {
            (
                "form",
                "settle it as the line says, then delete the line; or `links pull --all --force` takes what the form has",
            )
        } else {
            ("page", "settle it as the line says, then delete the line")
        };
        FieldDiagnostic::new("", span, format!("a conflict with the {what} is marked here"))
            .help(help)
    };
    let problems: Vec<_> = marks(document.text()).into_iter().map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(document.bad(problems)) }
}

/// Returns the line of a mark for a conflict at a path.
pub(super) fn line(path: &Path, conflict: &MarkedConflict) -> String {
    let label = label(path);
    let separator = if label.is_empty() { "" } else { ": " };
    match conflict {
        MarkedConflict::Changed(value) => format!(
            "{PREFIX} {label}{separator}{} (changed on the page since the last sync; keep the value below or take this one, then delete this line)",
            json_text(value)
        ),
        MarkedConflict::Differs(value) => format!(
            "{FORM_PREFIX} {label}{separator}{} (differs from the value below; keep that or take this one, then delete this line)",
            json_text(value)
        ),
        MarkedConflict::Removed => format!(
            "{PREFIX} {label}{separator}nothing (removed on the page since the last sync; keep the value below or remove it, then delete this line)"
        ),
        MarkedConflict::Twin(id) => format!(
            "{PREFIX} {label}{separator}slot {id} (made on the page too; remove this item or that one if they are the same, then delete this line)"
        ),
        MarkedConflict::Kept(id) => format!(
            "{PREFIX} {label}{separator}slot {id} (removed from this file, changed on the page since the last sync; keep the item below or remove it, then delete this line)"
        ),
        MarkedConflict::Order(ids) => format!(
            "{PREFIX} {label}{separator}order {} (changed on the page since the last sync; keep the order below or take this one, then delete this line)",
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Path from the closest item of a list: `data.title`. A name with other characters than those of a word is quoted.
fn label(path: &Path) -> String {
    let mut label = String::new();
    for step in &path.0 {
        match step {
            PathStep::Item(_) => label.clear(),
            PathStep::Key(name) => {
                label.push_str(if label.is_empty() { "" } else { "." });
                let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
                let is_plain = !name.is_empty() && name.chars().all(is_word);
                let name = if is_plain { name.clone() } else { quoted(name) };
                // Writing to a string cannot fail.
                let _ = write!(label, "{name}");
            }
        }
    }
    label
}
