//! Store of credentials in a file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zeroize::Zeroizing;

use super::{CredentialStore, Credentials, StoreLock};
use crate::private_file::{
    self, LONGEST_WRITE, MOST_BYTES, at, beginning, denied, directory_of, if_there, make_directory,
    mode, own_id, owner, writable,
};

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

impl CredentialStore for FileCredentialStore {
    fn load(&self) -> io::Result<Option<Credentials>> {
        at(&self.path, |path| {
            let Some(file) = if_there(open(path, OpenOptions::new().read(true)))? else {
                return Ok(None);
            };
            refuse_foreign_directory(directory_of(path))?;
            if mode(&file.metadata()?) & 0o077 != 0 {
                denied("other users have access to it; run `chmod 600` on it")?;
            }
            let mut text = Zeroizing::new(Vec::new());
            file.take(MOST_BYTES).read_to_end(&mut text)?;
            // The reason could quote a secret.
            let foreign = |_| io::Error::new(io::ErrorKind::InvalidData, "not a credentials file");
            serde_json::from_slice(&text).map(Some).map_err(foreign)
        })
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        at(&self.path, |path| {
            prepare(path)?;
            let text = Zeroizing::new(serde_json::to_vec(credentials)?);
            private_file::write(path, &text)
        })
    }

    fn forget(&self) -> io::Result<()> {
        at(&self.path, |path| {
            refuse_foreign_at(path)?;
            if_there(fs::remove_file(path)).map(drop)
        })
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        at(&self.path, |path| {
            prepare(path)?;
            let lock = path.with_file_name(beginning(path) + "lock");
            let lock = open(&lock, writable().read(true).create(true).truncate(false))?;
            let Some(lock) = private_file::locked(lock)? else { return Ok(None) };
            // One that saves now may not hold the lock: its file is young.
            private_file::remove_stale(path, LONGEST_WRITE)?;
            // The refresh token can be used once: its successor has to find a place.
            private_file::reserve(path)?;
            Ok(Some(Box::new(lock) as StoreLock))
        })
    }
}

/// Creates the directory if it is missing, and refuses one in which others can replace the file, and a file that must not be replaced.
fn prepare(path: &Path) -> io::Result<()> {
    let directory = directory_of(path);
    make_directory(directory)?;
    refuse_foreign_directory(directory)?;
    refuse_foreign_at(path)
}

/// Opens a regular file of the user. Anything else in its place is refused, without waiting for a pipe.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    refuse_foreign_at(path)?;
    let file = private_file::open(options, path, false)?;
    refuse_foreign(&file.metadata()?)?;
    Ok(file)
}

/// Refuses a file at this path, if there is one, unless it is a regular file of this user.
fn refuse_foreign_at(path: &Path) -> io::Result<()> {
    if_there(fs::symlink_metadata(path))?.map_or(Ok(()), |found| refuse_foreign(&found))
}

/// Refuses anything but a regular file of this user.
fn refuse_foreign(found: &Metadata) -> io::Result<()> {
    if found.is_symlink() {
        return denied("must not be a symbolic link");
    }
    if !found.is_file() {
        return denied("must be a regular file");
    }
    private_file::refuse_foreign(found)
}

/// Refuses a directory in which others can replace files.
fn refuse_foreign_directory(directory: &Path) -> io::Result<()> {
    let found = fs::metadata(directory)?;
    let is_known = [0, own_id()].contains(&owner(&found));
    // In a sticky directory, such as that for temporary files, each user can replace only their own files.
    if !is_known || mode(&found) & 0o022 != 0 && mode(&found) & 0o1000 == 0 {
        return denied("other users can replace files in its directory");
    }
    Ok(())
}
