//! A page file that exists, and takes over what changed on its page. Everything else in it stays as it is.

use crate::account::files::read_page;
use crate::apply::sync::SyncRecord;
use crate::apply::sync::page_path::read_file;
use crate::context::prelude::*;
use links_pages::page_file::{Document, DocumentError, FileKind, FileScope};
use links_pages::profile_key;
use links_pages::sanitize::quoted;

/// A page file as it was read.
pub(crate) struct ExistingFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) file: PageFile,
}

impl ExistingFile {
    /// Reads a page file. Refuses one with marks of conflicts.
    pub(crate) fn read(path: &Path, scope: FileScope) -> Result<Self> {
        let read = read_page(path, &[]);
        let (file, bytes) = read.map_err(|failure| no_page_file(path).unwrap_or(failure))?;
        let text = utf8(file.document.name(), bytes)?;
        let file = if scope == FileScope::Slots { file.slots_only()? } else { file };
        Ok(Self { path: path.to_owned(), text, file })
    }

    /// Returns the note about the fields of the page that the command for slots alone leaves out, if the file has any. `pull` has them.
    pub(super) fn left_out_note(&self, what: &str, page: &str, flags: &str) -> Option<StyledLine> {
        let names = self.file.left_out_words()?;
        let (page, file) = (quoted(page), self.path.display().to_string());
        let file = quoted(&file);
        let more = if flags.is_empty() { "include the rest" } else { "write the whole page" };
        let text =
            format!("{what}, not {names}; to {more}, run `links pull {page} -O {file}{flags}`");
        Some(StyledLine::changed(text))
    }

    /// Refuses the file of another page, where no lock says whose it is.
    pub(super) fn check_profile(&self, record: &SyncRecord, page: &PageSnapshot) -> Result<()> {
        let is_login = |login: &str| login.eq_ignore_ascii_case(&page.login);
        if profile_key::names(&self.file.page.profile, page.id, &page.login)
            || self.file.page.login.as_deref().is_some_and(is_login)
            || record.page().is_some_and(|base| base.id == page.id)
        {
            return Ok(());
        }
        let message = format!(
            "{} is for the page {}, not for {} (ID {}); nothing was written",
            self.path.display(),
            self.file.page.profile,
            page.login,
            page.id
        );
        Err(CommandError::refused(message).with_hint("use a separate file for each page"))
    }
}

/// Returns the error for a file that is not a page file, nor one with mistakes.
pub(super) fn no_page_file(path: &Path) -> Option<CommandError> {
    let (name, bytes) = read_file(path).ok()?;
    let is_none = match Document::of_page_or_form(&name, bytes) {
        Err(error) => matches!(error, DocumentError::Foreign(..)),
        Ok(document) => matches!(FileKind::of(&document.root), Ok(None)),
    };
    let message = format!("{name} is not a page file; nothing was written");
    let failure = CommandError::invalid(message);
    is_none.then(|| failure.with_hint("use --force to replace it, or pass another file"))
}

/// Replaces the text of a file. Refuses one that was changed since it was read, also if its text stays.
pub(crate) fn replace(path: &Path, read: &str, text: &str) -> Result<()> {
    if !named::read(path).is_ok_and(|(_, now)| now == read.as_bytes()) {
        return Err(CommandError::changed(path.display()));
    }
    if text == read { Ok(()) } else { write_file(path, text, true) }
}

/// Writes a file. Unless it `replaces`, one that is there is kept.
pub(crate) fn write_file(path: &Path, text: &str, replaces: bool) -> Result<()> {
    atomic::write(path, text, replaces).map_err(not_written(path))
}

/// Returns what makes the error for a file that cannot be written.
pub(crate) fn not_written(path: &Path) -> impl Fn(io::Error) -> CommandError {
    move |error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            CommandError::refused(format!("{} already exists", path.display()))
                .with_hint("use --force to replace it")
        }
        _ => cannot("write", path)(error),
    }
}
