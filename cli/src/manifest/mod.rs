//! Page files: a page as a user writes it down, in YAML or JSON.

mod check;
mod document;
mod node;
mod parse;
mod problem;
mod read;
mod rearrange;
mod references;
mod write;

use std::path::{Path, PathBuf};

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

pub(crate) use document::{Document, NoDocument};
pub(crate) use problem::{At, BadFile, Problem};
pub(crate) use read::{MAX_BYTES, Unreadable, read, read_most, too_large};
pub(crate) use rearrange::Rearranged;
pub(crate) use references::{Place, Reference, Target};

use node::Node;

use crate::diagnostic::Failure;
use crate::local_image::{ImageRoots, LocalImage};

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
    /// The images among them, as far as there are any that may be uploaded.
    pub(crate) images: Vec<(Place, String, LocalImage)>,
    /// What is wrong with the other images.
    pub(crate) missing: Vec<Problem>,
    /// The directory that they are relative to.
    pub(crate) folder: PathBuf,
}

impl PageFile {
    /// Reads the bytes of a page file; the name is what messages call it.
    pub(crate) fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        images: &ImageRoots,
    ) -> Result<Self, NoDocument> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_large(name.to_owned(), MAX_BYTES).into());
        }
        Ok(Self::of(Document::from_bytes(name, bytes)?, images)?)
    }

    /// Reads a page file that this program has written: nothing in it is a reference, whatever it looks like.
    pub(crate) fn read_literal(path: &Path) -> Result<Self, NoDocument> {
        Ok(Self::literal(Document::read(path)?)?)
    }

    /// A page as if it had been read from a file of this name, without references.
    pub(crate) fn made(name: &str, page: &Page) -> Result<Self, Failure> {
        let text = serde_json::to_vec_pretty(page).map_err(Failure::internal)?;
        Ok(Self::literal(Document::from_bytes(name, text)?)?)
    }

    /// What a document says, if it is a page file. All that can be wrong with it and needs no service is reported together.
    pub(crate) fn of(mut document: Document, images: &ImageRoots) -> Result<Self, BadFile> {
        document.root.slot_data_mut().for_each(Node::unescape);
        let (references, mut problems) = references::find(&document.root);
        let (images, missing) = references::images(&references, images);
        match check::check(&document.root) {
            Ok(page) if problems.is_empty() => {
                let folder = PathBuf::new();
                Ok(Self { page, document, references, images, missing, folder })
            }
            checked => {
                problems.extend(checked.err().unwrap_or_default());
                problems.extend(missing);
                Err(document.bad(problems))
            }
        }
    }

    fn literal(mut document: Document) -> Result<Self, BadFile> {
        document.root.slot_data_mut().for_each(Node::unescape);
        let page = check::check(&document.root).map_err(|problems| document.bad(problems))?;
        let (references, images, missing) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { page, document, references, images, missing, folder: PathBuf::new() })
    }
}

#[cfg(test)]
mod tests;
