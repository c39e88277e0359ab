//! Page files that a `links.lock` has a record of, and that are not there any more.

use std::io::ErrorKind;

use crate::apply::sync::page_path::has_row;
use crate::apply::sync::{LOCK_NAME, LockStore, from_here};
use crate::context::prelude::*;
use links_pages::page_file::file_of;
use links_pages::sanitize::quoted;
use links_pages::sync::PageName;

/// A page file that is not there any more.
pub(super) struct AbsentFile {
    file: PathBuf,
    /// Id of its page.
    pub(super) id: ProfileId,
    login: String,
}

impl AbsentFile {
    /// Returns the absent files of directories, by the locks that govern these.
    pub(super) fn below(context: &Context, directories: &[PathBuf]) -> Result<Vec<Self>> {
        let mut absent: Vec<Self> = Vec::new();
        for directory in directories {
            for (file, PageName { id, login }) in recorded_below(context, directory)? {
                if is_absent(&file) && absent.iter().all(|known| known.id != id) {
                    absent.push(Self { file: from_here(&file), id, login });
                }
            }
        }
        Ok(absent)
    }

    /// Returns the line for the user.
    pub(super) fn line(&self) -> StyledLine {
        StyledLine::faint(format!("= {}: {}", self.login, self.words()))
    }

    /// Describes what becomes of the page.
    pub(super) fn words(&self) -> String {
        let (login, file) = (&self.login, self.file.display());
        let (key, quoted) = (quoted(login), quoted(&file.to_string()));
        if file_of(&self.file) != self.file {
            return format!(
                "{file} is no longer in its table, so its page is left alone; restore the row, or remove its record from links.lock with `links init --refresh` (to delete the page, use the dashboard)"
            );
        }
        format!(
            "{file} no longer exists, so its page is left alone; restore the file with `links pull {key} -O {quoted}`, or remove its record from links.lock with `links init --refresh` (to delete the page, use the dashboard)"
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({ "file": self.file.display().to_string(), "id": self.id, "login": self.login })
    }
}

/// Returns the page files below a directory that its lock records, each with its absolute path and its page.
pub(super) fn recorded_below(
    context: &Context,
    directory: &Path,
) -> Result<Vec<(PathBuf, PageName)>> {
    let store = LockStore::of(&directory.join(LOCK_NAME));
    let (Some(store), Ok(searched)) = (store, directory.canonicalize()) else {
        return Ok(Vec::new());
    };
    let lock = store.read(context)?;
    let files = lock.pages.iter().map(|(key, page)| (store.path_of(key), page.clone()));
    Ok(files.filter(|(file, _)| file.starts_with(&searched)).collect())
}

/// Returns whether nothing exists at this path. A broken link counts as existing, and so does a path that cannot be examined.
pub(crate) fn is_absent(path: &Path) -> bool {
    let file = file_of(path);
    file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        || !has_row(path)
}
