//! Page files that a `links.lock` has a record of, and that are not there any more.

use super::files::from_here;
use crate::apply::runs;
use crate::apply::sync::{LOCK_NAME, LockStore};
use crate::context::prelude::*;
use links_pages::sanitize::quoted;

/// A page file that is not there any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AbsentFile {
    file: PathBuf,
    /// Id of its page.
    pub(super) id: ProfileId,
    login: String,
}

impl AbsentFile {
    /// Returns the absent files of directories, by the locks that govern these.
    pub(super) fn below(context: &Context, directories: &[PathBuf]) -> Result<Vec<Self>> {
        let service = runs::service(context).unwrap_or_default();
        let mut absent: Vec<Self> = Vec::new();
        for directory in directories {
            let Some(store) = LockStore::of(&directory.join(LOCK_NAME)) else { continue };
            let Ok(searched) = directory.canonicalize() else { continue };
            for (key, base) in &store.read(&service)?.pages {
                let file = store.path_of(key);
                let is_absent = file.starts_with(&searched) && is_absent(&file);
                if is_absent && absent.iter().all(|known| known.id != base.id) {
                    let login = base.login.clone();
                    absent.push(Self { file: from_here(&file), id: base.id, login });
                }
            }
        }
        Ok(absent)
    }

    /// Returns the line for the user.
    pub(super) fn line(&self) -> StyledLine {
        let (login, words) = (&self.login, self.words());
        StyledLine::faint(format!("= {login}: {words}"))
    }

    /// Describes what becomes of the page.
    pub(super) fn words(&self) -> String {
        let (login, file) = (&self.login, self.file.display());
        let (key, quoted) = (quoted(login), quoted(&file.to_string()));
        format!(
            "its file {file} is not there any more; the page stays as it is (`links pull {key} -O {quoted}` writes the file again, \
             `links init --refresh` removes its record from links.lock; only the dashboard deletes a page)"
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({ "file": self.file.display().to_string(), "id": self.id, "login": self.login })
    }
}

/// Returns whether there is no file with this path. One that cannot be looked at counts as there.
pub(crate) fn is_absent(file: &Path) -> bool {
    matches!(file.try_exists(), Ok(false))
}
