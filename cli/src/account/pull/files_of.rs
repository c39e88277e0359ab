//! The files of pages and forms that another command has written, so that they can follow.

use super::place::PullDirectory;
use crate::account::files::{from_here, parent};
use crate::apply::sync::page_path::is_there;
use crate::apply::sync::{LOCK_NAME, LockStore};
use crate::context::prelude::*;

/// A page or form whose file is looked for.
pub(crate) enum Filed {
    /// A page by its id and login, with the file that its journal names.
    Page(ProfileId, String, Option<PathBuf>),
    /// A form by its id, and whether its file was applied.
    Form(String, bool),
}

/// Finds the file of each page or form: the one that the journal names, else the one of the closest `links.lock`. Also returns the names of those
/// that have none.
pub(crate) fn files_of(context: &Context, all: &[Filed]) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let named = all.iter().filter_map(|filed| match filed {
        Filed::Page(_, _, Some(path)) if is_there(path) => Some(path.as_path()),
        _ => None,
    });
    let mut places = BTreeMap::new();
    for file in std::iter::once(Path::new(LOCK_NAME)).chain(named) {
        let store = LockStore::of(file);
        let directory = store.as_ref().map_or_else(|| parent(file), |it| it.directory()).to_owned();
        places.entry(directory).or_insert(store);
    }
    let (mut files, mut without) = (Vec::new(), Vec::new());
    for filed in all {
        let (name, file) = match filed {
            Filed::Page(_, login, Some(path)) if is_there(path) => (login, Some(path.clone())),
            Filed::Page(id, login, _) => {
                let mut file = None;
                for store in places.values().flatten() {
                    let lock = store.read(context)?;
                    let page = lock.pages.iter().find(|(_, page)| page.id == *id);
                    file = file.or(page.map(|(key, _)| store.path_of(key)));
                }
                (login, file.filter(|path| is_there(path)))
            }
            Filed::Form(id, _) => {
                let mut file = None;
                for directory in places.keys() {
                    let place = PullDirectory::read(context, directory.clone())?;
                    file = file.or(place.file_of_form(id));
                }
                (id, file)
            }
        };
        match file {
            Some(file) => files.push(from_here(&file)),
            None => without.push(name.clone()),
        }
    }
    Ok((files, without))
}
