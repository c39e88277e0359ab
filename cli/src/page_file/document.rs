//! Parsed YAML or JSON document with its text, for diagnostics at places in the text.

use std::path::Path;

use super::node::Node;
use super::read::ReadError;
use super::report::{FieldDiagnostic, FileDiagnostics};
use super::{parse, read};

/// Parsed document with its text.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    name: String,
    text: String,
    /// Root node.
    pub(crate) root: Node,
}

/// Reason why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    /// Unreadable file.
    #[error(transparent)]
    ReadError(#[from] ReadError),
    /// Readable file with invalid content.
    #[error("{0}")]
    Bad(#[from] FileDiagnostics),
}

impl Document {
    /// Reads and parses a file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, DocumentError> {
        let (name, bytes) = read::read(path)?;
        Ok(Self::from_bytes(&name, bytes)?)
    }

    /// Parses bytes; `name` is the name in messages.
    pub(crate) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        let text = parse::decode(bytes)
            .map_err(|(text, problem)| FileDiagnostics::new(name, &text, vec![problem]))?;
        let root =
            parse::parse(&text).map_err(|problems| FileDiagnostics::new(name, &text, problems))?;
        Ok(Self { name: name.to_owned(), text, root })
    }

    /// Name of the document in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Text of the document, without a byte order mark.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns diagnostics for this document.
    pub(crate) fn bad(&self, problems: Vec<FieldDiagnostic>) -> FileDiagnostics {
        FileDiagnostics::new(&self.name, &self.text, problems)
    }
}
