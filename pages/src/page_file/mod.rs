//! Page files: the content of a page in YAML or JSON, written by users.

mod document;
pub mod emit;
mod expand;
pub mod fields;
mod lex;
pub mod local_image;
pub mod node;
mod origin;
pub mod page;
pub mod patch;
mod read;
mod references;
mod report;
mod said;
mod sources;
mod table;

use std::path::PathBuf;
use std::sync::Arc;

use crate::fs::named::{MAX_BYTES, too_large};
pub(crate) use document::FORM_SHAPE;
pub use document::{
    Document, DocumentError, FileKind, file_of, is_yaml_or_json, row_path, split_row, with_row_of,
};
pub(crate) use expand::expand;
pub use expand::{is_composed, values_files};
use local_image::ImageRoots;
use node::Node;
pub use origin::{Origins, PlacedEdit, patch_cells};
pub use page::PageContent;
pub use references::{Image, Reference, ReferencePlace, ReferenceTarget};
pub use report::{At, FieldDiagnostic, FileDiagnostics, in_own_words};
pub use sources::{FilePlace, Places, SourceFile, Sources};
pub use table::csv_rows;

/// Parsed page file.
#[derive(Debug)]
pub struct PageFile {
    /// Content of the page.
    pub page: PageContent,
    /// Document with the text and its spans.
    pub document: Document,
    /// References to resolve; until then the page holds them as written.
    pub references: Vec<Reference>,
    /// Images among the references that may be uploaded.
    pub images: Vec<Image>,
    /// Diagnostics of the references that cannot be resolved.
    pub missing: Vec<FieldDiagnostic>,
    /// Directories in which an image may be.
    pub roots: ImageRoots,
    /// Directory that image paths are relative to.
    pub directory: PathBuf,
    /// What the command takes of the file.
    pub scope: FileScope,
    /// Names of the fields that were removed by [`slots_only`](Self::slots_only).
    pub left_out: Vec<String>,
}

/// Part of a page file that a command takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileScope {
    /// Fields and slots.
    #[default]
    Page,
    /// Slots alone.
    Slots,
}

impl PageFile {
    /// Parses the bytes of a page file; `name` is the name in messages.
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        images: &ImageRoots,
    ) -> Result<Self, DocumentError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_large(name.to_owned(), MAX_BYTES).into());
        }
        Ok(Self::of(Document::of_page_or_form(name, bytes)?, images)?)
    }

    /// Converts a document to a page file. Reports all problems that can be found without the service together.
    pub fn of(mut document: Document, images: &ImageRoots) -> Result<Self, FileDiagnostics> {
        let problems = expand(&mut document, images);
        if !problems.is_empty() {
            return Err(document.bad(problems));
        }
        document.root.slot_data_mut().for_each(Node::unescape);
        let (references, mut problems) = references::find(&document.root);
        problems.extend(fields::local_paths(&document.root, images));
        let checked = page::check(&document.root);
        let roots = images.clone();
        let (images, missing) = references::images(&references, images);
        match checked {
            Ok(page) if problems.is_empty() => {
                let file = Self::without_references(page, document);
                Ok(Self { references, images, missing, roots, ..file })
            }
            checked => {
                problems.extend(checked.err().unwrap_or_default());
                problems.extend(missing);
                Err(document.bad(problems))
            }
        }
    }

    /// Converts a document that this program has written: nothing in it is a reference, whatever it looks like.
    pub fn literal(mut document: Document) -> Result<Self, FileDiagnostics> {
        document.root.slot_data_mut().for_each(Node::unescape);
        let page = page::check(&document.root).map_err(|problems| document.bad(problems))?;
        match page.content.fields.iter().find(|(_, value)| value.is_object()) {
            None => Ok(Self::without_references(page, document)),
            Some((name, _)) => {
                let problem = document.locate(&[name], At::Key, "references can't be used here");
                Err(document.bad(vec![problem]))
            }
        }
    }

    /// Returns a page that refers to nothing beside it.
    pub fn without_references(page: PageContent, document: Document) -> Self {
        Self {
            page,
            document,
            references: Vec::new(),
            images: Vec::new(),
            missing: Vec::new(),
            roots: ImageRoots::none(),
            directory: PathBuf::new(),
            scope: FileScope::Page,
            left_out: Vec::new(),
        }
    }

    /// Returns the file without its fields of the page, for a command that writes only slots.
    ///
    /// # Errors
    ///
    /// When the file has no slots.
    pub fn slots_only(mut self) -> Result<Self, FileDiagnostics> {
        if !self.page.has_slots {
            let problem = self.document.locate(&["slots"], At::Value, "this file has no `slots`");
            return Err(self
                .document
                .bad(vec![problem.help("write `slots: []` for an empty page")]));
        }
        let fields = std::mem::take(&mut Arc::make_mut(&mut self.page.content).fields).0;
        self.references.retain(|reference| reference.place.item.is_some());
        self.images.retain(|image| image.place.item.is_some());
        self.missing.retain(|problem| !fields.contains_key(&problem.path));
        self.scope = FileScope::Slots;
        self.left_out.extend(fields.into_iter().map(|(name, _)| name));
        Ok(self)
    }

    /// Returns the other files that the page file uses.
    pub fn used_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.document.sources.files().iter().skip(1);
        files.map(|file| file.path_from(&self.directory))
    }

    /// Returns the names of the fields that were left out, as words; `None` if there are none.
    pub fn left_out_words(&self) -> Option<String> {
        let (last, first) = self.left_out.split_last()?;
        Some(match first {
            [] => last.clone(),
            first => format!("{} and {last}", first.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests;
