//! The files of the pages that words name: paths, and the keys of pages that have a file in the directory of the closest `links.lock`, else in the
//! current one.

use super::files::{DEPTH, named_files, or_all};
use super::pull::{PullDirectory, default_directory};
use crate::args::page::{self, PageWord};
use crate::confine::NamedFiles;
use crate::context::prelude::*;
use crate::lint::rule_file;
use links_pages::page_file::local_image::here;
use links_pages::sanitize::quoted;

/// Returns the paths that words name, with the files of the pages that they name by their keys.
///
/// # Errors
///
/// When a page has no file, or several.
pub(crate) fn paths(context: &Context, words: Vec<PageWord>) -> Result<Vec<PathBuf>> {
    let (mut paths, keys) = page::split(words);
    if keys.is_empty() {
        return Ok(paths);
    }
    let directory = PullDirectory::read(context, default_directory())?;
    let mut failures = Vec::new();
    for key in keys {
        match directory.file_of(&key) {
            Ok(Some(path)) => paths.push(path),
            // A file of another kind is refused when it is read.
            Ok(None) if Path::new(&key.to_string()).symlink_metadata().is_ok() => {
                paths.push(PathBuf::from(key.to_string()));
            }
            Ok(None) => failures.push(no_file(&key)),
            Err(failure) => failures.push(failure),
        }
    }
    CommandError::if_any(failures, "pages have no file; nothing was written")?;
    Ok(paths)
}

/// Returns the files that a command opens for words, with their house rules. `writes` tells whether their locks are written.
pub(crate) fn named(words: Vec<PageWord>, roots: &[PathBuf], writes: bool) -> NamedFiles {
    let (mut paths, keys) = page::split(words);
    if !keys.is_empty() {
        paths.push(here(&default_directory()).to_owned());
    }
    let mut named = named_files(&paths, roots, writes);
    let rules = rule_file::all(&or_all(&paths).unwrap_or_default(), DEPTH);
    // A link would widen the confinement to where it leads. It is refused when the rules are read.
    named.read.extend(rules.into_iter().filter(|path| !path.is_symlink()));
    named
}

fn no_file(key: &ProfileKey) -> CommandError {
    let message = format!(
        "`{key}` is neither a file nor a directory, nor a page that has a file in {}; nothing was written",
        here(&default_directory()).display()
    );
    let name = quoted(&key.to_string());
    CommandError::not_found(message).with_hint(format!(
        "create one with `links pull {name} -O {name}.yaml`, or see the current page with `links profile preview {name}`"
    ))
}
