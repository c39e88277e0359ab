//! Diagnostics of a page file, shown at their places in the file.

use std::borrow::Cow;
use std::fmt;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::node::{Key, Node, Span};
use crate::sanitize;

/// Maximum number of problems that one report shows.
const SHOWN: usize = 20;

/// Maximum number of bytes of a line that is shown: a longer one, such as JSON without line breaks, would fill the terminal.
const LINE_MAX: usize = 1000;

/// Problem of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDiagnostic {
    /// Path in the document, such as `slots.2.data.link`. Empty for the document itself.
    pub path: String,
    /// Span to mark.
    pub span: Span,
    /// Message as a lowercase fragment.
    pub message: String,
    /// Hint for the user.
    pub help: Option<String>,
    /// Place that the message begins with, if the line cannot be shown.
    place: Option<String>,
}

/// Part of a field that a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Key, for a field that should not exist.
    Key,
    /// Value, present or missing.
    Value,
}

impl FieldDiagnostic {
    /// Creates a diagnostic at a place.
    pub fn new(path: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self { path: path.into(), span, message: message.into(), help: None, place: None }
    }

    /// Moves the diagnostic to another place.
    #[must_use]
    pub fn at(self, span: &Span) -> Self {
        Self { span: span.clone(), ..self }
    }

    /// Adds a hint.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub fn help_if(self, help: Option<impl Into<String>>) -> Self {
        Self { help: help.map(Into::into).or(self.help), ..self }
    }
}

impl Node {
    /// Returns a diagnostic at the value.
    pub fn problem(&self, path: impl Into<String>, message: impl Into<String>) -> FieldDiagnostic {
        FieldDiagnostic::new(path, self.span.clone(), message)
    }

    /// Returns a diagnostic of a value of the wrong type: what it must be, and what it is.
    pub fn wrong(&self, path: impl Into<String>, must: &str) -> FieldDiagnostic {
        self.problem(path, format!("{must}, not {}", self.kind()))
    }
}

impl Key {
    /// Returns a diagnostic at the key.
    pub fn problem(&self, path: impl Into<String>, message: impl Into<String>) -> FieldDiagnostic {
        FieldDiagnostic::new(path, self.span.clone(), message)
    }
}

/// All diagnostics of one file, with its text to show the lines.
#[derive(Debug)]
pub struct FileDiagnostics {
    name: String,
    source: NamedSource<String>,
    problems: Vec<FieldDiagnostic>,
}

impl FileDiagnostics {
    /// Creates the diagnostics of a file with this name and text, in the order of the text.
    pub fn new(name: &str, text: &str, mut problems: Vec<FieldDiagnostic>) -> Self {
        problems.sort_by_key(|it| it.span.start);
        for problem in &mut problems {
            problem.span = first_line(text, problem.span.clone());
        }
        let is_too_long =
            problems.iter().take(SHOWN).any(|it| line_length(text, it.span.start) > LINE_MAX);
        if is_too_long {
            let mut places = Places::new(text);
            for problem in &mut problems {
                let (line, column) = places.of(problem.span.start);
                problem.place = Some(format!("{}:{line}:{column}: ", sanitize::line(name)));
            }
        }
        let source = NamedSource::new(sanitize::line(name), showable(text));
        Self { name: name.to_owned(), source, problems }
    }

    /// Name of the file as the user wrote it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Problems with line and column, both counted from 1, the column in characters.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize, &FieldDiagnostic)> {
        let mut places = Places::new(self.source.inner());
        self.problems.iter().map(move |problem| {
            let (line, column) = places.of(problem.span.start);
            (line, column, problem)
        })
    }
}

/// Lines and columns of places in a text. Places that are asked for in their order cost one pass over the text.
pub struct Places<'t> {
    text: &'t str,
    /// The last place, in bytes, with its line and column.
    last: (usize, usize, usize),
}

impl<'t> Places<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, last: (0, 1, 1) }
    }

    /// Returns the line and the column of a place, both counted from 1, the column in characters.
    pub fn of(&mut self, at: usize) -> (usize, usize) {
        let at = if self.text.is_char_boundary(at) { at } else { self.text.len() };
        if at < self.last.0 {
            self.last = (0, 1, 1);
        }
        let (from, line, column) = self.last;
        let passed = &self.text[from..at];
        let (line, column) = match passed.rfind('\n') {
            Some(end) => {
                (line + passed.matches('\n').count(), passed[end + 1..].chars().count() + 1)
            }
            None => (line, column + passed.chars().count()),
        };
        self.last = (at, line, column);
        (line, column)
    }
}

impl fmt::Display for FileDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problems[..] {
            [only] => only.fmt(f),
            more => write!(f, "{} has {} problems", sanitize::line(&self.name), more.len()),
        }
    }
}

impl std::error::Error for FileDiagnostics {}

impl Diagnostic for FileDiagnostics {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        if self.has_places() { None } else { Some(&self.source) }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only()?.labels()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self.only() {
            Some(only) => only.help(),
            None if self.problems.len() > SHOWN => Some(Box::new(format!(
                "only the first {SHOWN} are shown; use `-o json` to list all"
            ))),
            None => None,
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.only() {
            Some(_) => None,
            None => {
                Some(Box::new(self.problems.iter().take(SHOWN).map(|it| it as &dyn Diagnostic)))
            }
        }
    }
}

impl FileDiagnostics {
    /// Tells whether the messages begin with their places, because a line is too long to be shown.
    fn has_places(&self) -> bool {
        self.problems.first().is_some_and(|problem| problem.place.is_some())
    }

    fn only(&self) -> Option<&FieldDiagnostic> {
        match &self.problems[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for FieldDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.place.as_deref().unwrap_or_default())?;
        f.write_str(&sanitize::line(&in_own_words(&self.message)))
    }
}

impl std::error::Error for FieldDiagnostic {}

impl Diagnostic for FieldDiagnostic {
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.place.is_some() {
            return None;
        }
        let span = self.span.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new(None, span.start, span.len()))))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|it| Box::new(sanitize::line(it)) as Box<dyn fmt::Display>)
    }
}

/// Returns a message in the words of this program: a sentence of the service as a lowercase fragment with the field in backticks, and any other
/// text unchanged.
pub fn in_own_words(message: &str) -> Cow<'_, str> {
    let Some(text) = message.strip_suffix('.').filter(|it| !it.contains(". ")) else {
        return message.into();
    };
    let rule = text.strip_prefix("The ").and_then(|it| it.split_once(" field "));
    let Some((field, rule)) = rule else {
        let text = text.replace("Profile not", "Page not");
        let (first, rest) = text.split_at_checked(1).unwrap_or(("", &text));
        return (first.to_lowercase() + rest).into();
    };
    let name = field.rsplit('.').next().unwrap_or(field);
    match rule {
        "is unknown" => format!("unknown field `{name}`"),
        "is required" => format!("`{name}` is missing"),
        "must be a valid URL" => format!("`{name}` must be a URL"),
        rule => format!("`{name}` {rule}"),
    }
    .into()
}

/// Number of bytes of the line at a place.
fn line_length(text: &str, at: usize) -> usize {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    before.len() - start + after.find('\n').unwrap_or(after.len())
}

/// Part of a span on its first line, because a problem of the whole file need not show the whole file.
fn first_line(text: &str, span: Span) -> Span {
    let line = text.get(span.clone()).and_then(|part| part.find('\n'));
    span.start..line.map_or(span.end, |length| span.start + length)
}

/// Replaces every character that is unsafe on a terminal by a harmless one of the same length, so that no span in the text moves.
fn showable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\r' => ' ',
            _ if !sanitize::is_unsafe(c) => c,
            _ => ['?', '¿', '\u{fffd}', '\u{1f3f4}'][c.len_utf8() - 1],
        })
        .collect()
}
