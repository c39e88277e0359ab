//! Files that are written whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes beside the target and moves into place, so that there is never half a file.
/// A file that is there already is replaced only where that is said.
///
/// # Errors
///
/// When the directory cannot be written to, or the file is there and not to be replaced.
pub(crate) fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    let target = if replace {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    };
    let folder = target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let missing = format!("there is no directory {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    finish(new_file(folder)?, &target, text.as_bytes(), replace)
}

/// Fills a new file and moves it to its place, over a file that is there if that is said. Everything is on disk when this returns.
pub(super) fn finish(
    mut file: NamedTempFile,
    target: &Path,
    bytes: &[u8],
    replace: bool,
) -> io::Result<()> {
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    links_sdk::crash_point("before_rename");
    if replace { file.persist(target) } else { file.persist_noclobber(target) }
        .map_err(|error| error.error)?;
    links_sdk::crash_point("after_rename");
    sync_directory(
        target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")),
    )
}

fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".links-");
    // A page is no secret: the user's own umask decides who reads it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Makes sure that a new name outlives a power cut. Windows knows no such thing.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        std::fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}
