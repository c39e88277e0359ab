//! Store of credentials in a file.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use uuid::Uuid;
use zeroize::Zeroizing;

use super::{CredentialStore, Credentials, StoreLock};

/// Maximum size of the file in bytes. A larger one was not written by a store.
const MAX_BYTES: u64 = 256 * 1024;
/// Space in bytes that the successor of stored credentials may need beyond theirs.
const SLACK: u64 = 4 * 1024;
/// Age from which the file of a writer is that of an interrupted one.
const LONGEST_SAVE: Duration = Duration::from_secs(60);

/// Returns a [`CredentialStore`] in a file, for all processes of one user of this machine. The file and its directory are created when
/// credentials are saved.
///
/// Only the owner can access the file (mode 0600) and each directory that is created for it. The file is replaced as a whole, so another
/// process reads either the old credentials or the new ones. Next to it is a lock file, `NAME.lock`, which one process at a time holds for
/// a renewal. On Unix, the file is refused if it is a symbolic link, belongs to another user, can be read by others, or is in a directory
/// where others can replace it. On other systems, the file has the access rights of its directory, so use a directory of the user. Keep the
/// file on a local disk.
///
/// ```
/// # fn example(credentials: links_sdk::oauth::Credentials) -> Result<(), Box<dyn std::error::Error>> {
/// use links_sdk::Client;
/// use links_sdk::oauth::{RefreshingTokenSource, file_store};
///
/// let store = file_store("/var/lib/planner/login.json");
/// store.save(&credentials)?; // once, after the login
/// let source = RefreshingTokenSource::new(store);
/// let client = Client::builder("https://links.example/api/v1").token(source).build()?;
/// # let _ = client;
/// # Ok(()) }
/// ```
pub fn file_store(path: impl Into<PathBuf>) -> Arc<dyn CredentialStore> {
    Arc::new(FileCredentialStore { path: path.into() })
}

#[derive(Debug)]
struct FileCredentialStore {
    path: PathBuf,
}

impl FileCredentialStore {
    fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            _ => Path::new("."),
        }
    }

    /// Returns a path beside the file.
    fn beside(&self, ending: &str) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.directory().join(format!("{name}.{ending}"))
    }

    /// Creates the directory if it is missing, and refuses one in which others can replace the file, and a file that must not be replaced.
    fn prepare(&self) -> io::Result<()> {
        let mut directories = DirBuilder::new();
        directories.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut directories, 0o700);
        directories.create(self.directory())?;
        refuse_foreign_directory(self.directory())?;
        if_found(fs::symlink_metadata(&self.path))?.map_or(Ok(()), |found| refuse_foreign(&found))
    }

    /// Creates a file beside the stored one, which it can replace.
    fn begin(&self) -> io::Result<(PathBuf, File)> {
        let path = self.beside(&format!("{}.new", Uuid::new_v4().simple()));
        let file = private().write(true).create_new(true).open(&path)?;
        Ok((path, file))
    }

    /// Removes files of interrupted writers. One that saves now may not hold the lock: its file is young.
    fn remove_stale(&self) -> io::Result<()> {
        let beginning = self.beside("");
        let beginning = beginning.file_name().unwrap_or_default().to_string_lossy();
        for entry in fs::read_dir(self.directory())? {
            let entry = entry?;
            let name = entry.file_name();
            let middle = name.to_string_lossy();
            let middle = middle.strip_prefix(&*beginning).and_then(|it| it.strip_suffix(".new"));
            if middle.is_none_or(|it| Uuid::try_parse(it).is_err()) {
                continue;
            }
            let is_old = |it: SystemTime| it.elapsed().is_ok_and(|age| age > LONGEST_SAVE);
            let removed = entry
                .metadata()
                .and_then(|it| it.modified())
                .and_then(|it| if is_old(it) { fs::remove_file(entry.path()) } else { Ok(()) });
            // If it is missing, the save has ended meanwhile.
            if_found(removed)?;
        }
        Ok(())
    }

    /// Says which file an error is about.
    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }
}

impl CredentialStore for FileCredentialStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        let read = || {
            let Some(file) = if_found(open(&self.path, private().read(true)))? else {
                return Ok(None);
            };
            refuse_foreign_directory(self.directory())?;
            refuse_readable(&file.metadata()?)?;
            let mut text = Zeroizing::new(Vec::new());
            file.take(MAX_BYTES).read_to_end(&mut text)?;
            // The reason could quote a secret.
            let foreign = |_| io::Error::new(io::ErrorKind::InvalidData, "not a credentials file");
            serde_json::from_slice(&text).map(Some).map_err(foreign)
        };
        read().map_err(|error| self.named(error))
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        let write = || {
            self.prepare()?;
            let text = Zeroizing::new(serde_json::to_vec(credentials)?);
            let (path, mut file) = self.begin()?;
            let written = file.write_all(&text).and_then(|()| file.sync_all());
            let renamed = written.and_then(|()| fs::rename(&path, &self.path));
            if renamed.is_err() {
                let _ = fs::remove_file(&path);
            }
            renamed?;
            // Only Unix can open a directory to sync it, and only Unix needs it. The file is replaced already, whether that works or not.
            let _ = File::open(self.directory()).and_then(|directory| directory.sync_all());
            Ok(())
        };
        write().map_err(|error| self.named(error))
    }

    fn forget(&self) -> io::Result<()> {
        let remove = || {
            if let Some(found) = if_found(fs::symlink_metadata(&self.path))? {
                refuse_foreign(&found)?;
                if_found(fs::remove_file(&self.path))?;
            }
            Ok(())
        };
        remove().map_err(|error| self.named(error))
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        let lock = || {
            self.prepare()?;
            let path = self.beside("lock");
            let mut options = private();
            let lock = open(&path, options.read(true).write(true).create(true).truncate(false))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            self.remove_stale()?;
            // The refresh token can be used once: its successor has to find a place. A full disk has room for an empty file.
            let stored = if_found(fs::symlink_metadata(&self.path))?.map_or(0, |it| it.len());
            let (path, mut file) = self.begin()?;
            let space = io::repeat(b' ').take(stored.min(MAX_BYTES) + SLACK);
            let written = io::copy(&mut { space }, &mut file).and_then(|_| file.sync_all());
            fs::remove_file(path)?;
            written?;
            Ok(Some(Box::new(lock) as StoreLock))
        };
        lock().map_err(|error| self.named(error))
    }
}

/// Returns `None` for a file that is missing.
fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Returns options for a file with access for its owner only.
fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a regular file of the user. Anything else in its place is refused, without waiting for a pipe.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(refused("must not be a symbolic link"));
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    refuse_foreign(&file.metadata()?)?;
    Ok(file)
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// Refuses anything but a regular file of this user.
fn refuse_foreign(found: &Metadata) -> io::Result<()> {
    if found.is_symlink() {
        return Err(refused("must not be a symbolic link"));
    }
    if !found.is_file() {
        return Err(refused("must be a regular file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(found) != rustix::process::geteuid().as_raw() {
        return Err(refused("belongs to another user"));
    }
    Ok(())
}

/// Refuses a file that others can read or write.
#[cfg_attr(not(unix), expect(unused_variables, clippy::unnecessary_wraps, reason = "no one knows"))]
fn refuse_readable(found: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(found) & 0o077 != 0 {
        return Err(refused("other users have access to it; run `chmod 600` on it"));
    }
    Ok(())
}

/// Refuses a directory in which others can replace files.
#[cfg_attr(not(unix), expect(unused_variables, clippy::unnecessary_wraps, reason = "no one knows"))]
fn refuse_foreign_directory(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(directory)?;
        let is_known = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
        // In a sticky directory, such as that for temporary files, each user can replace only their own files.
        if !is_known || found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0 {
            return Err(refused("other users can replace files in its directory"));
        }
    }
    Ok(())
}
