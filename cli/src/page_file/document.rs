//! A YAML or JSON file that was read, with what is needed to point into it.

use std::path::Path;

use super::node::Node;
use super::read::ReadError;
use super::report::{At, FieldDiagnostic, FileDiagnostics};
use super::{parse, read};

/// One document with its text.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    name: String,
    text: String,
    /// The document itself.
    pub(crate) root: Node,
}

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    /// The file could not be read at all.
    #[error(transparent)]
    ReadError(#[from] ReadError),
    /// The file was read and is not what it should be.
    #[error("{0}")]
    Bad(#[from] FileDiagnostics),
}

impl Document {
    /// Reads a file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, DocumentError> {
        let (name, bytes) = read::read(path)?;
        Ok(Self::from_bytes(&name, bytes)?)
    }

    /// Reads bytes; the name is what messages call them.
    pub(crate) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        let text = parse::decode(bytes)
            .map_err(|(text, problem)| FileDiagnostics::new(name, &text, vec![problem]))?;
        let root =
            parse::parse(&text).map_err(|problems| FileDiagnostics::new(name, &text, problems))?;
        Ok(Self { name: name.to_owned(), text, root })
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its text, without a byte order mark.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Points at what is wrong.
    pub(crate) fn bad(&self, problems: Vec<FieldDiagnostic>) -> FileDiagnostics {
        FileDiagnostics::new(&self.name, &self.text, problems)
    }

    /// A problem of the field at this path, be it one that should not be there at all.
    pub(crate) fn problem(
        &self,
        path: &[impl AsRef<str>],
        at: At,
        message: impl Into<String>,
    ) -> FieldDiagnostic {
        let keys = || path.iter().map(AsRef::as_ref);
        let span = match at {
            At::Key => self.root.key_span(keys()),
            At::Value => None,
        };
        let span = span.unwrap_or_else(|| self.root.locate(&self.text, keys()));
        FieldDiagnostic::new(keys().collect::<Vec<_>>().join("."), span, message)
    }

    /// Points at what was refused: each path (`slots.2.data.link`) with a message for it.
    pub(crate) fn refuse<'a>(
        &self,
        errors: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> FileDiagnostics {
        let problem = |(path, message): (&str, &str)| {
            self.problem(&path.split('.').collect::<Vec<_>>(), At::Value, message)
        };
        self.bad(errors.into_iter().map(problem).collect())
    }
}
