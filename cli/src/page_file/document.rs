//! Parsed YAML or JSON document with its text, for diagnostics at places in the text.

use std::cell::OnceCell;
use std::path::Path;

use super::foreign::ForeignFile;
use super::node::{Node, Tree};
use super::report::{FieldDiagnostic, FileDiagnostics};
use super::{json, parse};
use crate::fs::named::{self, ReadError};

/// Parsed document with its text.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    name: String,
    text: String,
    /// Root node.
    pub(crate) root: Node,
    /// Root with its spans, once it is needed, if [`root`](Self::root) has none.
    located: Option<OnceCell<Node>>,
}

/// Reason why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    /// Unreadable file.
    #[error(transparent)]
    ReadError(#[from] ReadError),
    /// File of another type.
    #[error("{0} is {1}, not a page file or a form file")]
    Foreign(String, ForeignFile),
    /// Readable file with invalid content.
    #[error("{0}")]
    Bad(#[from] FileDiagnostics),
}

impl Document {
    /// Reads and parses a file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, DocumentError> {
        let (name, bytes) = named::read(path)?;
        Ok(Self::from_bytes(&name, bytes)?)
    }

    /// Parses the bytes of a page file or a form file, with its spans. What is neither of them is told by its type.
    pub(crate) fn of_page_or_form(name: &str, bytes: Vec<u8>) -> Result<Self, DocumentError> {
        Self::of_page(name, bytes, Self::from_bytes)
    }

    /// Parses bytes with this function, unless they are of another type than a page file.
    pub(super) fn of_page(
        name: &str,
        bytes: Vec<u8>,
        parse: fn(&str, Vec<u8>) -> Result<Self, FileDiagnostics>,
    ) -> Result<Self, DocumentError> {
        let foreign = |what: ForeignFile| DocumentError::Foreign(name.to_owned(), what);
        if let Some(what) = ForeignFile::binary(&bytes) {
            return Err(foreign(what));
        }
        let of_text = ForeignFile::text(name, &bytes);
        let document = parse(name, bytes).map_err(|file| of_text.map_or(file.into(), foreign))?;
        match of_text {
            Some(what) if !matches!(document.root.tree, Tree::Map(_)) => Err(foreign(what)),
            None if matches!(document.root.tree, Tree::Text(_)) => {
                Err(foreign(ForeignFile::Text("plain text")))
            }
            _ => Ok(document),
        }
    }

    /// Parses bytes; `name` is the name in messages.
    pub(crate) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        Self::with_spans(name.to_owned(), decoded(name, bytes)?)
    }

    /// Parses bytes as [`from_bytes`](Self::from_bytes) does, but finds the spans of JSON only when they are needed.
    pub(super) fn without_spans(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        let (name, text) = (name.to_owned(), decoded(name, bytes)?);
        match json::parse(&text) {
            Some(root) => Ok(Self { name, text, root, located: Some(OnceCell::new()) }),
            None => Self::with_spans(name, text),
        }
    }

    fn with_spans(name: String, text: String) -> Result<Self, FileDiagnostics> {
        match parse::parse(&text) {
            Ok(root) => Ok(Self { name, text, root, located: None }),
            Err(problems) => Err(FileDiagnostics::new(&name, &text, problems)),
        }
    }

    /// Tells whether the nodes have no spans.
    pub(super) fn lacks_spans(&self) -> bool {
        self.located.is_some()
    }

    /// Parses a document without spans again.
    pub(super) fn parsed_again(self) -> Result<Self, FileDiagnostics> {
        Self::with_spans(self.name, self.text)
    }

    /// Returns the root of a page file with spans.
    pub(super) fn located(&self) -> &Node {
        let Some(located) = &self.located else { return &self.root };
        located.get_or_init(|| {
            let mut root = parse::parse(&self.text).unwrap_or_else(|_| self.root.clone());
            root.slot_data_mut().for_each(Node::unescape);
            root
        })
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

fn decoded(name: &str, bytes: Vec<u8>) -> Result<String, FileDiagnostics> {
    parse::decode(bytes).map_err(|(text, problem)| FileDiagnostics::new(name, &text, vec![problem]))
}
