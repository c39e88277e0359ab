//! The page file of a preview, read once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::account::files::AccountFiles;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::error::file_error::unread_page_file;
use crate::fs::named;
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
        let (name, bytes) = named::read(path).map_err(unread_page_file)?;
        Ok(Self { path: path.to_owned(), name, bytes, roots: roots.to_vec() })
    }

    /// Reads a file whose preview is served: what is no file is never read from standard input instead.
    pub(super) fn read_served(path: &Path, roots: &[PathBuf]) -> Result<Self, CommandError> {
        Self::read(path, roots).map_err(|failure| match failure.exit() {
            Exit::Invalid if !path.is_file() => failure.with_hint("a page file is needed here"),
            _ => failure,
        })
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
