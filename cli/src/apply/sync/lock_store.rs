//! The `links.lock` that governs a page file: the one in the directory of the file, or in the closest directory above.

use std::sync::{Arc, Mutex};

use links_pages::sync::{Lock, LockFileError};

use super::state_records::short;
use super::{LockWrites, other_account};
use crate::apply::runs;
use crate::context::prelude::*;
use crate::{git, signal};
use links_pages::fs::named::ReadError;
pub(crate) use links_pages::fs::named::{LOCK_NAME, from_here};
use links_pages::page_file::{file_of, with_row_of};

/// Maximum size in bytes: 100 pages of 500 slots with 20 keys each take less.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The locks as they were read last, with their text, by their paths. Each page of a run reads the lock again, and most find it as it was.
static LAST: Mutex<BTreeMap<PathBuf, (String, Arc<Lock>)>> = Mutex::new(BTreeMap::new());

/// Forgets the locks beneath a directory.
#[cfg(debug_assertions)]
pub(crate) fn forget(directory: &Path) {
    signal::lock(&LAST).retain(|path, _| !path.starts_with(directory));
}

/// A `links.lock` on disk.
#[derive(Clone, Debug)]
pub(crate) struct LockStore {
    /// Its directory, absolute and without symbolic links.
    directory: PathBuf,
    /// The directory below from which it was found.
    found_from: PathBuf,
}

impl PartialEq for LockStore {
    fn eq(&self, other: &Self) -> bool {
        self.directory == other.directory
    }
}

impl Eq for LockStore {}

impl LockStore {
    /// Returns the lock that governs a file. A directory of a git repository is not left: what lies above belongs to something else. A lock that
    /// another user put into a directory for temporary files does not count.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let found_from = directory_of(file).ok()?;
        let directory = closest(&found_from, LOCK_NAME)?;
        Some(Self { directory, found_from })
    }

    /// Returns the lock of a directory, which may not exist yet.
    pub(crate) fn at(directory: &Path) -> io::Result<Self> {
        let directory = named::resolve(directory)?.canonicalize()?;
        Ok(Self { found_from: directory.clone(), directory })
    }

    /// Returns its directory, absolute and without symbolic links.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.join(LOCK_NAME)
    }

    /// Returns the name under which the lock has the record of a file: its path from the directory of the lock, with `/`. `None` for a path that
    /// not every system has as such.
    pub(crate) fn key(&self, file: &Path) -> Option<String> {
        git::path_below(&self.directory, &absolute_path(file)?).filter(|key| is_key(key))
    }

    /// Returns the path of a file that the lock names.
    pub(crate) fn path_of(&self, key: &str) -> PathBuf {
        self.directory.join(key)
    }

    /// Reads the lock.
    ///
    /// # Errors
    ///
    /// When the lock cannot be read, is damaged, or belongs to another service.
    pub(crate) fn read(&self, context: &Context) -> Result<Arc<Lock>> {
        self.read_of(&runs::service(context).unwrap_or_default())
    }

    /// Reads the lock, and refuses one of another user.
    pub(super) fn read_own(&self, context: &Context) -> Result<Arc<Lock>> {
        let lock = self.read(context)?;
        self.check_user(context, lock.user)?;
        Ok(lock)
    }

    fn read_of(&self, service: &str) -> Result<Arc<Lock>> {
        let text = self.text().map_err(Self::unreadable)?;
        let mut last = signal::lock(&LAST);
        if let Some((read, lock)) = last.get(&self.path())
            && *read == text
            && lock.service == service
        {
            return Ok(lock.clone());
        }
        let lock = Arc::new(self.parse(&text)?);
        if lock.service != service {
            let why = format!("it is for {}, not for {service}", lock.service);
            let hint =
                "use an account on the service that links.lock is for, or use another directory";
            return Err(self.unusable(&why, hint));
        }
        last.insert(self.path(), (text, lock.clone()));
        Ok(lock)
    }

    /// Returns the lock that governs a file, with its content. Refuses one of another user.
    pub(crate) fn read_for(context: &Context, file: &Path) -> Result<Option<(Self, Arc<Lock>)>> {
        let Some(store) = Self::of(file) else { return Ok(None) };
        let lock = store.read_own(context)?;
        Ok(Some((store, lock)))
    }

    /// Returns the lock if there is one, unless it is damaged in a way that `links init --refresh` mends.
    pub(crate) fn parsed(&self) -> Result<Option<Lock>> {
        let text = match self.text() {
            Ok(text) => text,
            Err(ReadError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(Self::unreadable(error)),
        };
        if Lock::parse(&text).is_err_and(|error| is_mended(&error, &text)) {
            return Ok(None);
        }
        self.parse(&text).map(Some)
    }

    fn parse(&self, text: &str) -> Result<Lock> {
        let lock = Lock::parse(text).map_err(|error| {
            let hint = if is_mended(&error, text) {
                "restore it from version control, or run `links init --refresh`"
            } else {
                "restore it from version control"
            };
            self.unusable(&error.to_string(), hint)
        })?;
        // A lock does not name files elsewhere than below its directory.
        let is_elsewhere =
            |key: &&String| !is_key(key) || named::resolve(&self.path_of(key)).is_err();
        if let Some(key) = lock.pages.keys().find(is_elsewhere) {
            let why = format!("`{key}` is not a file below its directory; nothing was written");
            let hint = "restore links.lock from version control, or correct the path";
            return Err(self.unusable(&why, hint));
        }
        Ok(lock)
    }

    fn unusable(&self, why: &str, hint: &str) -> CommandError {
        let message = format!("cannot use {}: {why}", self.path().display());
        CommandError::refused(message).with_hint(hint)
    }

    /// Returns whether the lock is in a Git work tree, and may thus come from somebody else.
    pub(crate) fn is_shared(&self) -> bool {
        named::git_work_tree(&self.directory).is_some()
    }

    /// Changes the lock. It is read again under a lock against other commands of this machine, so that no record of another page is lost.
    pub(crate) fn update(&self, context: &Context, change: impl FnOnce(&mut Lock)) -> Result<()> {
        let _turn = context.lock(&format!("lock-{}", short(&self.directory.to_string_lossy())));
        let before = self.read(context)?;
        let mut lock = Lock::clone(&before);
        change(&mut lock);
        // The marks of a merge that Git could not finish do not stay.
        if lock == *before && !self.has_marks() {
            return Ok(());
        }
        self.write(&lock, true)?;
        LockWrites::of(context, &self.path()).add(&before, &lock);
        Ok(())
    }

    /// Returns the text of the lock as it was read last.
    pub(crate) fn last_text(&self) -> Option<String> {
        signal::lock(&LAST).get(&self.path()).map(|(text, _)| text.clone())
    }

    /// Returns whether the lock that was read last has marks of a merge that Git could not finish.
    pub(super) fn has_marks(&self) -> bool {
        self.last_text().is_some_and(|text| text.lines().any(|line| line == "======="))
    }

    /// Writes the lock, as a whole.
    pub(crate) fn write(&self, lock: &Lock, replace: bool) -> Result<()> {
        let write = || atomic::write(&self.path(), &lock.to_string(), replace);
        self.check_owners().and_then(|()| write()).map_err(|error| {
            let path = self.path();
            if error.kind() == io::ErrorKind::AlreadyExists {
                return CommandError::refused(format!("{} already exists", path.display()))
                    .with_hint("run `links init --refresh` to rebuild its records");
            }
            cannot("write", &path)(error)
        })
    }

    /// Refuses a lock that belongs to another user than that of the requests, as far as the latter is known.
    pub(crate) fn check_user(&self, context: &Context, owner: i64) -> Result<()> {
        context.note_lock(self.path(), owner);
        match context.known_user().filter(|user| *user != owner) {
            Some(user) => Err(other_account::refusal(context, &self.path(), owner, user)),
            None => Ok(()),
        }
    }

    /// Refuses a lock that cannot be written.
    pub(super) fn check_writable(&self) -> Result<()> {
        atomic::check_writable(&self.path()).map_err(|error| {
            cannot_begin(&self.path())(error).with_hint(
                "make the directory writable, or pass --locked, which does not change links.lock",
            )
        })
    }

    fn text(&self) -> Result<String, ReadError> {
        let path = self.path();
        let failed = |error| ReadError::Io(path.display().to_string(), error);
        self.check_owners().map_err(failed)?;
        let (_, bytes) = named::read_most(&path, MAX_BYTES)?;
        // Git would compare the text of the link, not that of the file.
        if path.is_symlink() {
            return Err(failed(io::Error::other("it is a symbolic link")));
        }
        String::from_utf8(bytes).map_err(|error| failed(io::Error::other(error.utf8_error())))
    }

    /// Refuses a lock below which directories belong to other users.
    fn check_owners(&self) -> io::Result<()> {
        let mut way = self.found_from.ancestors().take_while(|it| it.starts_with(&self.directory));
        way.try_for_each(named::check_owner_of)
    }

    fn unreadable(error: ReadError) -> CommandError {
        let failure = CommandError::from(error);
        match failure.exit() {
            Exit::Refused => failure,
            _ => CommandError::refused(failure)
                .with_hint("check that it is a regular file and that you can read it"),
        }
    }
}

/// Returns whether a text is the path of a file below a directory on every system: names with `/` between them, none of which Git or this
/// program uses itself.
fn is_key(key: &str) -> bool {
    let is_drive = key.as_bytes().get(1) == Some(&b':');
    let is_name = |name: &str| {
        !["", ".", ".."].contains(&name)
            && ![".git", LOCK_NAME].iter().any(|it| it.eq_ignore_ascii_case(name))
    };
    !is_drive && !key.contains(['\\', '\0']) && key.split('/').all(is_name)
}

/// Returns whether `links init --refresh` writes a lock with this error anew.
fn is_mended(error: &LockFileError, text: &str) -> bool {
    // A file of another program with this name stays as it is.
    let is_lock = text.trim().is_empty() || text.contains("links.lock ");
    is_lock && matches!(error, LockFileError::Malformed { .. })
}

/// Returns the closest directory, at or above one without links, that has a file of this name.
fn closest(directory: &Path, name: &str) -> Option<PathBuf> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let end = directory.ancestors().position(|it| is_there(&it.join(".git")));
    let mut within = directory.ancestors().take(end.map_or(usize::MAX, |end| end + 1));
    let found = within.find(|directory| {
        let file = directory.join(name);
        is_there(&file) && !named::is_dropped(&file)
    });
    found.map(Path::to_owned)
}

/// Returns the file of this name that governs another file, as [`LockStore::of`] finds a lock.
pub(crate) fn governing(file: &Path, name: &str) -> Option<PathBuf> {
    Some(closest(&directory_of(file).ok()?, name)?.join(name))
}

/// Returns the path of a file, which need not exist, absolute and without symbolic links in its directory.
pub(super) fn absolute(file: &Path) -> Option<String> {
    absolute_path(file)?.to_str().map(str::to_owned)
}

fn absolute_path(file: &Path) -> Option<PathBuf> {
    Some(as_on_disk(directory_of(file).ok()?.join(file.file_name()?)))
}

/// Returns a path without links in its directory, with the capital letters of the disk: macOS and Windows also find a file by others.
pub(super) fn as_on_disk(path: PathBuf) -> PathBuf {
    if !cfg!(any(windows, target_vendor = "apple")) {
        return path;
    }
    match file_of(&path).canonicalize() {
        Ok(found) => with_case_of(found, path),
        Err(_) => path,
    }
}

/// Returns a path with the capital letters of the file that was found by it, unless that has another name.
fn with_case_of(found: PathBuf, path: PathBuf) -> PathBuf {
    let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    if folded(&found) == folded(file_of(&path)) { with_row_of(found, &path) } else { path }
}

/// Directory of a file, which need not exist, absolute and without symbolic links.
fn directory_of(file: &Path) -> io::Result<PathBuf> {
    named::resolve(links_pages::fs::directory_of(file))?.canonicalize()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_closest_lock_within_the_repository_governs_a_file() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let pages = root.join("repository/site/pages");
        fs::create_dir_all(&pages).unwrap();
        let file = pages.join("cafe.yaml");
        let found = || LockStore::of(&file).map(|it| (it.path(), it.key(&file).unwrap()));
        assert_eq!(found(), None);
        fs::write(root.join(LOCK_NAME), "").unwrap();
        assert_eq!(found(), Some((root.join(LOCK_NAME), "repository/site/pages/cafe.yaml".into())));
        fs::create_dir(root.join("repository/.git")).unwrap();
        assert_eq!(found(), None);
        fs::write(root.join("repository").join(LOCK_NAME), "").unwrap();
        let expected = root.join("repository").join(LOCK_NAME);
        assert_eq!(found(), Some((expected, "site/pages/cafe.yaml".into())));
        fs::write(root.join("repository/site").join(LOCK_NAME), "").unwrap();
        let expected = root.join("repository/site").join(LOCK_NAME);
        assert_eq!(found(), Some((expected, "pages/cafe.yaml".into())));
        assert_eq!(LockStore::of(Path::new("/no/such/directory/cafe.yaml")), None);
        let store = LockStore::at(&pages).unwrap();
        assert_eq!(store.key(&root.join("other.yaml")), None);
    }

    #[test]
    fn a_path_has_the_capital_letters_of_its_file() {
        let named = |found: &str, path: &str| with_case_of(found.into(), path.into());
        assert_eq!(named("/pages/Cafe.yaml", "/pages/CAFE.yaml"), Path::new("/pages/Cafe.yaml"));
        let row = named("/pages/Places.yaml", "/pages/places.yaml#Almaty");
        assert_eq!(row, Path::new("/pages/Places.yaml#Almaty"));
        let link = named("/pages/other.yaml", "/pages/cafe.yaml");
        assert_eq!(link, Path::new("/pages/cafe.yaml"));
    }

    #[test]
    fn a_lock_that_is_as_it_was_is_parsed_once() {
        let directory = tempfile::tempdir().unwrap();
        let store = LockStore::at(directory.path()).unwrap();
        let write = |user| fs::write(store.path(), Lock::new("s", user).to_string()).unwrap();
        write(1);
        let first = store.read_of("s").unwrap();
        assert!(Arc::ptr_eq(&first, &store.read_of("s").unwrap()));
        assert!(store.read_of("other").is_err());
        write(2);
        assert_eq!(store.read_of("s").unwrap().user, 2);
        fs::remove_file(store.path()).unwrap();
        assert!(store.read_of("s").is_err());
    }
}
