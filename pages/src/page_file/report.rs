//! Diagnostics of a page file, shown at their places in the file.

use std::borrow::Cow;
use std::fmt;

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::node::{Key, Node, Span};
use super::sources::{FilePlace, Places, Sources};
use crate::sanitize;

/// Maximum number of problems that one report shows.
const SHOWN: usize = 20;

/// Maximum number of bytes of a line that is shown: a longer one, such as JSON without line breaks, would fill the terminal.
const LINE_MAX: usize = 1000;

/// Problem of one field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", .place.as_deref().unwrap_or_default(), sanitize::line(&in_own_words(.message)))]
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

/// All diagnostics of one document, with its texts to show the lines.
#[derive(Debug)]
pub struct FileDiagnostics {
    sources: Sources,
    problems: Vec<FieldDiagnostic>,
}

impl FileDiagnostics {
    /// Creates the diagnostics of a document, in the order of its texts.
    pub fn new(sources: &Sources, mut problems: Vec<FieldDiagnostic>) -> Self {
        problems.sort_by_key(|it| it.span.start);
        for problem in &mut problems {
            problem.span = first_line(sources.text(), problem.span.clone());
            if let Some(chain) = sources.used_by(problem.span.start) {
                let help = problem.help.take();
                problem.help = Some(help.map_or(chain.clone(), |help| format!("{help} ({chain})")));
            }
        }
        let is_too_long =
            problems.iter().take(SHOWN).any(|it| sources.line_length(it.span.start) > LINE_MAX);
        if is_too_long {
            let mut places = Places::new(sources);
            for problem in &mut problems {
                let place = places.of(problem.span.start).to_string();
                problem.place = Some(format!("{}: ", sanitize::line(&place)));
            }
        }
        Self { sources: sources.showable(), problems }
    }

    /// Name of the document's own file as the user wrote it.
    pub fn name(&self) -> &str {
        &self.sources.files()[0].name
    }

    /// Problems with their places.
    pub fn places(&self) -> impl Iterator<Item = (FilePlace<'_>, &FieldDiagnostic)> {
        let mut places = Places::new(&self.sources);
        self.problems.iter().map(move |problem| (places.of(problem.span.start), problem))
    }

    fn only(&self) -> Option<&FieldDiagnostic> {
        match &self.problems[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for FileDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problems[..] {
            [only] => only.fmt(f),
            more => write!(f, "{} has {} problems", sanitize::line(self.name()), more.len()),
        }
    }
}

impl std::error::Error for FileDiagnostics {}

impl Diagnostic for FileDiagnostics {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A message begins with its place if a line is too long to be shown.
        let has_places = self.problems.iter().any(|problem| problem.place.is_some());
        (!has_places).then_some(&self.sources as &dyn SourceCode)
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
        if self.only().is_some() {
            return None;
        }
        Some(Box::new(self.problems.iter().take(SHOWN).map(|it| it as &dyn Diagnostic)))
    }
}

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
    let Some(text) =
        message.strip_suffix('.').filter(|it| !it.contains(". ") && !it.ends_with('.'))
    else {
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

/// Part of a span on its first line, because a problem of the whole file need not show the whole file.
fn first_line(text: &str, span: Span) -> Span {
    let line = text.get(span.clone()).and_then(|part| part.find('\n'));
    span.start..line.map_or(span.end, |length| span.start + length)
}
