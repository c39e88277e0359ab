//! Page files: a page as a user writes it down, in YAML or JSON.

mod check;
mod document;
mod node;
mod parse;
mod problem;
mod read;
mod references;
mod write;

use std::path::{Path, PathBuf};

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

pub(crate) use document::{Document, NoDocument};
pub(crate) use problem::{At, BadFile, Problem};
pub(crate) use read::{MAX_BYTES, Unreadable, read, read_most, too_large};
pub(crate) use references::{Place, Reference, Target};

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
    /// The values that are still to be found out; until then the page holds them as they were written.
    pub(crate) references: Vec<Reference>,
    /// The folder that they are relative to.
    pub(crate) folder: PathBuf,
}

impl PageFile {
    /// Reads a page file, `-` for standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, NoDocument> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { folder, ..Self::of(Document::read(path)?)? })
    }

    /// Reads the bytes of a page file; the name is what messages call it, the folder what references are relative to.
    pub(crate) fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        folder: PathBuf,
    ) -> Result<Self, NoDocument> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_large(name.to_owned(), MAX_BYTES).into());
        }
        Ok(Self { folder, ..Self::of(Document::from_bytes(name, bytes)?)? })
    }

    /// A page as if it had been read from a file of this name.
    pub(crate) fn made(name: &str, page: &Page) -> Result<Self, Failure> {
        let text = serde_json::to_vec_pretty(page).map_err(Failure::internal)?;
        Ok(Self::of(Document::from_bytes(name, text)?)?)
    }

    /// What a document says, if it is a page file; references are relative to the current folder.
    pub(crate) fn of(document: Document) -> Result<Self, BadFile> {
        let page = check::check(&document.root).map_err(|problems| document.bad(problems))?;
        let references =
            references::find(&document.root).map_err(|problems| document.bad(problems))?;
        Ok(Self { page, document, references, folder: PathBuf::new() })
    }
}

#[cfg(test)]
mod tests;
