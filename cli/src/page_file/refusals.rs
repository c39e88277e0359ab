//! Refused fields at their positions in the user's file: every refusal, by the service or by this program, is shown through here.

use super::{At, Document, FieldDiagnostic, FileDiagnostics};

impl Document {
    /// Returns a diagnostic of the field at a path, such as `["slots", "2", "data", "link"]`. A field that is missing in the file is
    /// reported at its nearest parent.
    pub(crate) fn locate(
        &self,
        path: &[impl AsRef<str>],
        at: At,
        message: impl Into<String>,
    ) -> FieldDiagnostic {
        let keys = || path.iter().map(AsRef::as_ref);
        let span = match at {
            At::Key => self.located().key_span(keys()),
            At::Value => None,
        };
        let span = span.unwrap_or_else(|| self.located().locate(self.text(), keys()));
        FieldDiagnostic::new(keys().collect::<Vec<_>>().join("."), span, message)
    }

    /// Returns diagnostics of refused values: each path (`slots.2.data.link`) with a message.
    pub(crate) fn refuse<'a>(
        &self,
        errors: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> FileDiagnostics {
        let diagnostic = |(path, message): (&str, &str)| {
            self.locate(&path.split('.').collect::<Vec<_>>(), At::Value, message)
        };
        self.bad(errors.into_iter().map(diagnostic).collect())
    }
}
