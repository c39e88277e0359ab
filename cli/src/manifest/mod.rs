//! Page files: a page as a user writes it down, in YAML or JSON.

mod check;
mod node;
mod parse;
mod problem;
mod read;
mod write;

use std::path::Path;

use links_sdk::ProfileKey;
use serde_json::{Map, Value};

use node::Node;
pub(crate) use problem::{BadFile, Problem};
pub(crate) use read::Unreadable;
pub(crate) use write::to_yaml;

/// What a page file says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    /// Whose page it is.
    pub(crate) profile: ProfileKey,
    /// The blocks in page order, at most 500.
    pub(crate) slots: Vec<Block>,
}

/// One block of a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The slot's id, if the file names one.
    pub(crate) id: Option<i64>,
    /// The slot's type.
    pub(crate) kind: String,
    /// The content; what is not mentioned stays as it is.
    pub(crate) data: Map<String, Value>,
}

/// A page file that was read, with what is needed to point into it.
#[derive(Debug)]
pub(crate) struct PageFile {
    /// The name as the user wrote it.
    pub(crate) name: String,
    /// What the file says.
    pub(crate) page: Page,
    text: String,
    root: Node,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPage {
    /// The file could not be read at all.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The file was read and does not describe a page.
    #[error("{0}")]
    Bad(Box<BadFile>),
}

impl PageFile {
    /// Reads a page file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, NoPage> {
        let (name, bytes) = read::read(path)?;
        Self::from_bytes(&name, bytes).map_err(|bad| NoPage::Bad(Box::new(bad)))
    }

    /// Reads a page from bytes; the name is what messages call them.
    pub(crate) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, BadFile> {
        let text = parse::decode(bytes)
            .map_err(|(text, problem)| BadFile::new(name, &text, vec![problem]))?;
        let bad = |problems| BadFile::new(name, &text, problems);
        let root = parse::parse(&text).map_err(bad)?;
        let page = check::check(&root).map_err(bad)?;
        Ok(Self { name: name.to_owned(), page, text, root })
    }

    /// Points at what was refused: each path (`slots.2.data.link`) with the messages for it.
    pub(crate) fn refuse<'a>(
        &self,
        errors: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> BadFile {
        let problems = errors.into_iter().flat_map(|(path, messages)| {
            let span = self.root.locate(&self.text, path.split('.'));
            messages.iter().map(move |message| Problem::new(path, span.clone(), message))
        });
        BadFile::new(&self.name, &self.text, problems.collect())
    }
}

#[cfg(test)]
mod tests;
