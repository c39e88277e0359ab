//! Files that only the user can read: made so, replaced as a whole, and never left half-written.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A larger file is not one of ours.
const MOST_BYTES: u64 = 1024 * 1024;
/// As many links as an operating system follows.
const MOST_LINKS: usize = 40;

/// The content of a file; `None` where there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(Some(bytes))
}

/// Replaces a file, or makes it. Whoever reads it meanwhile sees the old content or the new one; a link stays a link.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = behind_links(path)?;
    let folder = folder_of(&target);
    make_folder(folder)?;
    let mut file = tempfile::Builder::new().prefix(".links-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target)?;
    sync_folder(folder)
}

/// Removes a file if it is there, and the file that it links to.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let target = behind_links(path)?;
    for path in [target.as_path(), path] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Opens a file to be locked, and makes it if it is not there.
pub(super) fn open(path: &Path) -> io::Result<File> {
    make_folder(folder_of(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the folders that are missing. One that is there stays as its owner wants it.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Where a path leads, also where nothing is there yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links follow each other"))
}

/// Makes sure that a new name outlives a power cut. Windows knows no such thing.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    #[cfg(unix)]
    fn files_are_0600_and_folders_0700() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one/two/file");
        write(&path, b"first").unwrap();
        assert_eq!((mode(&path), mode(&folder.path().join("one/two"))), (0o600, 0o700));
        assert_eq!(mode(&folder.path().join("one")), 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, b"second").unwrap();
        assert_eq!((mode(&path), read(&path).unwrap().unwrap()), (0o600, b"second".to_vec()));
        open(&folder.path().join("one/lock")).unwrap();
        assert_eq!(mode(&folder.path().join("one/lock")), 0o600);
        let names = || fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(names(), 1, "nothing is left beside it");
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert_eq!((names(), read(&path).unwrap()), (0, None));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_its_target_is_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("elsewhere")).unwrap();
        symlink("elsewhere/real", at("second")).unwrap();
        symlink("second", at("first")).unwrap();
        for text in [b"made", b"kept"] {
            write(&at("first"), text).unwrap();
            assert!(at("first").is_symlink() && at("second").is_symlink());
            assert_eq!(fs::read(at("elsewhere/real")).unwrap(), text);
        }
        symlink("round", at("round")).unwrap();
        write(&at("round"), b"x").unwrap_err();
        remove(&at("first")).unwrap();
        assert!(!at("elsewhere/real").exists() && !at("first").is_symlink());
    }

    #[test]
    fn nobody_sees_half_of_what_two_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let texts = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
        write(&path, &texts[0]).unwrap();
        std::thread::scope(|scope| {
            let path = &path;
            let writers = texts
                .clone()
                .map(|text| scope.spawn(move || (0..50).for_each(|_| write(path, &text).unwrap())));
            while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                let seen = read(path).unwrap().unwrap();
                assert!(texts.contains(&seen), "{} bytes", seen.len());
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
