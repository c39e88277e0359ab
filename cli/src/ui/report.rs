//! Rendering of an error with miette, with its related diagnostics below it in the same form.

use std::fmt::{self, Write as _};

use miette::{Diagnostic, LabeledSpan, MietteHandler, ReportHandler, Severity, SourceCode};

/// Renders a diagnostic with all related diagnostics.
pub(super) fn draw(handler: &MietteHandler, diagnostic: &dyn Diagnostic) -> String {
    let mut text = String::new();
    add(&mut text, handler, Part { diagnostic, source: None });
    text
}

fn add(text: &mut String, handler: &MietteHandler, part: Part<'_>) {
    let _ = write!(text, "{:?}", Rendered(handler, &part));
    for diagnostic in part.diagnostic.related().into_iter().flatten() {
        text.push('\n');
        add(text, handler, Part { diagnostic, source: part.source_code() });
    }
}

/// Adapter for miette, which renders through `Debug`.
struct Rendered<'a>(&'a MietteHandler, &'a Part<'a>);

impl fmt::Debug for Rendered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(self.1, f)
    }
}

/// Diagnostic without its related diagnostics. Without a source of its own, its labels refer to the source of its parent.
struct Part<'a> {
    diagnostic: &'a dyn Diagnostic,
    source: Option<&'a dyn SourceCode>,
}

impl<'a> Part<'a> {
    fn source_code(&self) -> Option<&'a dyn SourceCode> {
        self.diagnostic.source_code().or(self.source)
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.diagnostic, f)
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.diagnostic, f)
    }
}

impl std::error::Error for Part<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.diagnostic.source()
    }
}

impl Diagnostic for Part<'_> {
    fn severity(&self) -> Option<Severity> {
        self.diagnostic.severity()
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.diagnostic.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Part::source_code(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.diagnostic.labels()
    }
}
