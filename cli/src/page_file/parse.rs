//! Parser of YAML 1.2, and of JSON as its subset, into a tree with spans.

use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DefaultMessageFormatter, Error, Location, MessageFormatter};

use super::compose::compose;
use super::node::{Node, Span, Tree};
use super::report::FieldDiagnostic;
use super::scalar::options;

/// Decodes the text of a file: UTF-8, without a byte order mark and NUL characters.
///
/// # Errors
///
/// Text with invalid bytes replaced, and a diagnostic.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, (String, FieldDiagnostic)> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let problem = FieldDiagnostic::new(
            "",
            at..at + '\u{fffd}'.len_utf8(),
            "the file is not UTF-8 from here on",
        )
        .help("save it as UTF-8");
        (text, problem)
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    match text.find('\0') {
        Some(at) => {
            Err((text, FieldDiagnostic::new("", at..at + 1, "there is a NUL character here")))
        }
        None => Ok(text),
    }
}

/// Parses one document.
///
/// # Errors
///
/// Diagnostics, if the text is not exactly one YAML or JSON document of plain values.
pub(crate) fn parse(text: &str) -> Result<Node, Vec<FieldDiagnostic>> {
    match compose(text) {
        Some(root) => Ok(root),
        None => parse_any(text),
    }
}

/// Parses one document of any kind, as [`parse`] does.
pub(super) fn parse_any(text: &str) -> Result<Node, Vec<FieldDiagnostic>> {
    let root = serde_saphyr::from_str_with_options(text, options())
        .map_err(|error| vec![problem(text, &error)])?;
    let mut problems = Vec::new();
    spelling(&root, text, &mut String::new(), &mut problems);
    if problems.is_empty() { Ok(root) } else { Err(problems) }
}

/// Refuses numbers that would be written differently, because they may be meant as strings: `+7701`, `007`, `1.50`, `0x1F`, and numbers
/// with too many digits.
fn spelling(node: &Node, text: &str, path: &mut String, problems: &mut Vec<FieldDiagnostic>) {
    let mut below = |name: &str, value: &Node| {
        let end = path.len();
        path.push_str(if end == 0 { "" } else { "." });
        path.push_str(name);
        spelling(value, text, path, problems);
        path.truncate(end);
    };
    match &node.tree {
        Tree::List(items) => {
            for (at, item) in items.iter().enumerate() {
                below(&at.to_string(), item);
            }
        }
        Tree::Map(entries) => {
            for (key, value) in entries {
                below(&key.name, value);
            }
        }
        Tree::Number(number) => {
            let (written, read) =
                (text.get(node.span.clone()).unwrap_or_default().trim(), number.to_string());
            if written != read && !is_scientific(written) {
                let problem = FieldDiagnostic::new(
                    path.clone(),
                    node.span.clone(),
                    format!("{written} is the number {read}"),
                );
                problems.push(
                    problem.help(format!(
                        "write \"{written}\" for the string, or {read} for the number"
                    )),
                );
            }
        }
        _ => {}
    }
}

fn problem(text: &str, error: &Error) -> FieldDiagnostic {
    let error = error.without_snippet();
    let span = error.location().map_or(0..0, |it| place(text, &it));
    let (message, help) = explain(error);
    let problem = FieldDiagnostic::new("", span, message);
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

fn too_deep() -> (String, Option<&'static str>) {
    (
        "nested more than 32 levels deep".to_owned(),
        Some("no slot needs that; look for an unclosed bracket"),
    )
}

fn explain(error: &Error) -> (String, Option<&'static str>) {
    let with_help = |message: &str, help| (message.to_owned(), Some(help));
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            (format!("`{key}` is repeated here"), Some("keep one of the two"))
        }
        Error::MultipleDocuments { .. }
        | Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => with_help(
            "a second document begins here",
            "one file describes one page: remove the `---`",
        ),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => too_deep(),
        // Limit of the scanner, which a run of many brackets reaches before the budget is checked.
        Error::ExternalMessage { msg, .. } if msg.contains("recursion limit") => too_deep(),
        Error::Budget { breach: BudgetBreach::Aliases { .. }, .. } => {
            with_help("aliases (`*name`) are not supported", "write the value out")
        }
        Error::MergeKeyNotAllowed { .. } => {
            with_help("merge keys (`<<`) are not supported", "write the fields out")
        }
        Error::NonFiniteFloat { value, .. } => (
            format!("{value} is not a number that JSON can represent"),
            Some("quote it if it is a string"),
        ),
        Error::UnsupportedTag { tag, .. } => (format!("the tag `{tag}` is not supported"), None),
        other => (plain(&DefaultMessageFormatter.format_message(other)), None),
    }
}

/// Tells whether a number is in scientific notation (`1e5`), which has many spellings.
fn is_scientific(written: &str) -> bool {
    written.contains(['e', 'E'])
        && !written.starts_with('+')
        && written.bytes().all(|it| !it.is_ascii_alphabetic() || matches!(it, b'e' | b'E'))
}

/// Message of the parser as a lowercase fragment.
fn plain(message: &str) -> String {
    let mut chars = message.trim().chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Byte range of a location, computed from line and column if the parser counted no bytes.
fn place(text: &str, location: &Location) -> Span {
    let Some(start) = location.span().byte_offset() else {
        let before = location.line().saturating_sub(1).try_into().unwrap_or(usize::MAX);
        let line: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
        let column = location.column().saturating_sub(1).try_into().unwrap_or(usize::MAX);
        let start = line + text[line..].chars().take(column).map(char::len_utf8).sum::<usize>();
        return start..start;
    };
    let whole = |at: u64| {
        let most = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
        (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    whole(start)..whole(start + location.span().byte_len().unwrap_or(0))
}
