//! Page files: a page as a user writes it down, in YAML or JSON.

mod check;
mod document;
mod node;
mod parse;
mod problem;
mod read;
mod write;

use std::path::Path;

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

pub(crate) use document::{Document, NoDocument};
pub(crate) use problem::{At, BadFile, Problem};
pub(crate) use read::{Unreadable, read};

use crate::diagnostic::Failure;

/// What a page file says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    /// Whose page it is.
    pub(crate) profile: ProfileKey,
    /// The blocks in page order, at most 500.
    pub(crate) content: DesiredPage,
}

/// A page file that was read.
#[derive(Debug)]
pub(crate) struct PageFile {
    /// What the file says.
    pub(crate) page: Page,
    /// Where it says it.
    pub(crate) document: Document,
}

impl PageFile {
    /// Reads a page file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, NoDocument> {
        Ok(Self::of(Document::read(path)?)?)
    }

    /// A page as if it had been read from a file of this name.
    pub(crate) fn made(name: &str, page: &Page) -> Result<Self, Failure> {
        let text = serde_json::to_vec_pretty(page).map_err(Failure::internal)?;
        Ok(Self::of(Document::from_bytes(name, text)?)?)
    }

    fn of(document: Document) -> Result<Self, BadFile> {
        let page = check::check(&document.root).map_err(|problems| document.bad(problems))?;
        Ok(Self { page, document })
    }
}

#[cfg(test)]
mod tests;
