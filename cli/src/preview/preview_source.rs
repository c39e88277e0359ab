//! The page file of a preview, read once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::account::files::AccountFiles;
use crate::error::CommandError;
use crate::page_file;
use crate::page_file::local_image::hash_of;

/// Text of a page file.
#[derive(Debug)]
pub(super) struct PreviewSource {
    path: PathBuf,
    name: String,
    bytes: Vec<u8>,
    roots: Vec<PathBuf>,
}

impl PreviewSource {
    pub(super) fn read(path: &Path, roots: &[PathBuf]) -> Result<Self, CommandError> {
        let (name, bytes) = page_file::read(path)?;
        Ok(Self { path: path.to_owned(), name, bytes, roots: roots.to_vec() })
    }

    /// Returns the text, as far as it is Unicode.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns a hash of the text.
    pub(super) fn fingerprint(&self) -> String {
        hash_of(&self.bytes)
    }

    /// Parses the text. Refuses what is no page file.
    pub(super) fn parse(&self) -> Result<AccountFiles, CommandError> {
        let files = AccountFiles::of_text(&self.path, &self.name, self.bytes.clone(), &self.roots)?;
        if files.pages.is_empty() {
            let message = format!("{} is a form file; a preview shows a page", self.name);
            return Err(CommandError::usage(message)
                .with_hint("name a page file: one that begins with `profile: LOGIN`"));
        }
        Ok(files)
    }
}
