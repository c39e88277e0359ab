//! Atomic writes: a file is written completely or not at all.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use links_sdk::private_file::finish;
pub(crate) use links_sdk::private_file::sync_directory;
use tempfile::{NamedTempFile, TempPath};

use super::{directory_of, named};

/// Writes a temporary file beside the target and renames it, so that the target is never incomplete. An existing file is replaced only if
/// `replace` is true, and keeps its permissions; a device or a pipe is written to, not replaced.
///
/// # Errors
///
/// When the directory cannot be written to, or the file exists and `replace` is false.
pub fn write(path: &Path, bytes: &(impl AsRef<[u8]> + ?Sized), replace: bool) -> io::Result<()> {
    let bytes = bytes.as_ref();
    let target = if replace {
        named::resolve(path)?
    } else {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        named::resolve(directory_of(path))?.join(name)
    };
    let directory = directory_of(&target);
    if !directory.is_dir() {
        // The message names it by the path as written.
        let missing = format!("directory {} not found", directory_of(path).display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    let replaced = target.metadata().ok().filter(|_| replace);
    if let Some(found) = &replaced {
        if !found.is_file() || named::is_stream(&target) {
            return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
        }
        refuse_read_only(found)?;
    }
    let file = new_file(directory)?;
    if let Some(replaced) = replaced {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    let (mut file, new) = file.into_parts();
    finish(&mut file, &target, bytes, || rename(new, &target, replace))
}

/// Checks that an existing file can be replaced as [`write`] does it, and leaves it as it is.
///
/// # Errors
///
/// When it could not be written.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let target = named::resolve(path)?;
    let found = target.metadata()?;
    if !found.is_file() {
        return OpenOptions::new().write(true).open(&target).map(drop);
    }
    refuse_read_only(&found)?;
    new_file(directory_of(&target))?.close()
}

/// Refuses a file that Windows would not replace. Unix asks only for the permissions of the directory.
fn refuse_read_only(found: &Metadata) -> io::Result<()> {
    if cfg!(windows) && found.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    Ok(())
}

fn rename(new: TempPath, target: &Path, replace: bool) -> io::Result<()> {
    if !replace {
        return new.persist_noclobber(target).map_err(|error| error.error);
    }
    // Unlike `persist`, this replaces a file that another process is reading on Windows too.
    let path = new.keep().map_err(|error| error.error)?;
    fs::rename(&path, target).inspect_err(|_| drop(fs::remove_file(&path)))
}

fn new_file(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".links-");
    // A page is not secret: the umask of the user decides who can read the file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.yaml");
        write(&path, "old", false).unwrap();
        for mode in [0o600, 0o660] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            write(&path, "new", true).unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_target_that_cannot_be_replaced_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("directory");
        std::fs::create_dir(&target).unwrap();
        let file = new_file(directory.path()).unwrap();
        rename(file.into_temp_path(), &target, true).unwrap_err();
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_directory_in_a_file_system_that_syncs_none_is_left_at_that() {
        std::fs::File::open("/proc").unwrap().sync_all().unwrap_err();
        sync_directory(Path::new("/proc")).unwrap();
    }

    #[test]
    fn a_file_in_shared_memory_is_replaced() {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = directory.path().join("links.lock");
        write(&path, "a longer text", false).unwrap();
        write(&path, "a text", true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a text");
        let link = directory.path().join("link");
        symlink(&path, &link).unwrap();
        assert_eq!(named::resolve(&link).unwrap(), path);
    }

    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let link = directory.path().join("plan.json");
        symlink(format!("/proc/self/fd/{}", writer.as_raw_fd()), &link).unwrap();
        write(&link, "plan", true).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        drop(writer);
        assert_eq!(io::read_to_string(reader).unwrap(), "plan");
    }
}
