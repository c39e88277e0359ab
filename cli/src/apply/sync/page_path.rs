//! Paths of pages: that of a page file, or of a row of its table, as in `places.yaml#almaty`.

use super::{LOCK_NAME, LockStore};
use crate::context::prelude::*;
use crate::error::file_error::unread_page_file;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{Document, file_of, is_composed, row_path, with_row_of};

/// Returns the directories in which the files may be that a page file uses: its own, that of the `links.lock` that governs it, and those that the command line
/// adds.
pub(crate) fn roots_of(
    directory: &Path,
    document: &Document,
    more: &[PathBuf],
) -> Result<ImageRoots> {
    let roots = ImageRoots::new(directory, more)?;
    // Most page files use no other file.
    let is_composed = is_composed(document.text().as_bytes());
    let store = is_composed.then(|| LockStore::of(&directory.join(LOCK_NAME))).flatten();
    Ok(roots.with_project(store.as_ref().map(LockStore::directory)))
}

/// Reads the file of a page. Its name has the row of the page.
pub(crate) fn read_file(path: &Path) -> Result<(String, Vec<u8>)> {
    let (name, bytes) = named::read(file_of(path)).map_err(unread_page_file)?;
    let is_row = path != file_of(path);
    Ok((if is_row { path.display().to_string() } else { name }, bytes))
}

/// Returns a path without links, if it exists.
pub(crate) fn without_links(path: &Path) -> PathBuf {
    let file = file_of(path);
    with_row_of(file.canonicalize().unwrap_or_else(|_| file.to_owned()), path)
}

/// Returns the paths of the pages of a page file: its own, or that of each row of its table; `None` if it cannot be read.
pub(crate) fn pages_of(file: &Path) -> Option<Vec<PathBuf>> {
    let document = Document::read(file).ok()?;
    let directory = file.parent().unwrap_or(Path::new(""));
    let roots = roots_of(directory, &document, &[]).ok()?;
    Some(match document.row_keys(&roots).ok()? {
        Some(rows) => rows.iter().map(|row| row_path(file, row)).collect(),
        None => vec![file.to_owned()],
    })
}

/// Returns whether the file of a page exists, and its table has the row.
pub(crate) fn is_there(path: &Path) -> bool {
    file_of(path).is_file() && has_row(path)
}

/// Returns whether the table of a page file has the row of a path. A file that cannot be read counts as having it.
pub(crate) fn has_row(path: &Path) -> bool {
    let file = file_of(path);
    file == path || pages_of(file).is_none_or(|pages| pages.iter().any(|page| page == path))
}
