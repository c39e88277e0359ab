//! Files that a user or a repository names, such as pages, lists and `links.lock`. A repository is input: a link in it leads to no file outside
//! of it, a file of another user is not trusted, and nothing is read without a limit.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, OpenOptions};

use super::{ANYBODY_WRITES, MOST_LINKS, directory_of, mode, own_id, owner};

/// Variable that names directories whose files are trusted whoever owns them.
pub const SAFE_DIRECTORY: &str = "LINKS_SAFE_DIRECTORY";
/// Name of the file with the identities and the last sync of the pages of a directory.
pub const LOCK_NAME: &str = "links.lock";
/// Maximum size of a page file in bytes.
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Name of `-` in messages.
const STDIN: &str = "<stdin>";

/// Directories whose files are trusted whoever owns them.
static SAFE: OnceLock<SafeDirectories> = OnceLock::new();

#[derive(Debug, Default)]
struct SafeDirectories {
    /// True for `*`.
    any: bool,
    /// Paths with links resolved.
    directories: Vec<PathBuf>,
}

/// Reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Missing file, or one that this user may not read or that is [refused](Refusal).
    #[error("cannot read {0}")]
    Io(String, #[source] io::Error),
    /// Directory, device or named pipe.
    #[error("{0} must be a file, not {1}")]
    NotAFile(String, &'static str),
    /// File larger than the limit.
    #[error("{0} is larger than {1} MB")]
    TooLarge(String, u64),
}

/// Reason why a file is not opened. It is the same whether a file outside exists or not.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A link leads out of the work tree that it is in.
    #[error("a symbolic link in its path points outside {}", .0.display())]
    Outside(PathBuf),
    /// The file, or a link or directory on the way, belongs to another user.
    #[error("{} belongs to another user (ID {})", .0.display(), .1)]
    Foreign(PathBuf, u32),
    /// Directory, device or named pipe.
    #[error("it must be a file, not {0}")]
    NotAFile(&'static str),
}

impl Refusal {
    /// Returns the refusal that an error reports.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// Returns a hint for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Outside(_) => Some(format!(
                "use the file's real path, or list the directory that the link points to in {SAFE_DIRECTORY}"
            )),
            Self::Foreign(..) => Some(format!(
                "if you trust its owner (in a container, for example), list the directory in {SAFE_DIRECTORY}"
            )),
            Self::NotAFile(_) => None,
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::other(refusal)
    }
}

/// Trusts the files of directories, whoever owns them. `list` has the form of `PATH`; `*` stands for all directories.
pub fn trust(list: &str) {
    let any = std::env::split_paths(list).any(|it| it.as_os_str() == "*");
    // A relative path would stand for another directory in each working directory.
    let absolute = std::env::split_paths(list).filter(|it| it.is_absolute());
    let directories = absolute.filter_map(|it| Some(plain(&fs::canonicalize(it).ok()?))).collect();
    let _ = SAFE.set(SafeDirectories { any, directories });
}

/// Returns the safe directory that a path without links is in.
fn safe_directory(path: &Path) -> Option<&'static Path> {
    let safe = SAFE.get_or_init(SafeDirectories::default);
    let path = plain(path);
    safe.directories.iter().map(PathBuf::as_path).find(|it| path.starts_with(it))
}

/// Reads a page file, or standard input for `-`. Returns its name for messages and its content.
pub fn read(path: &Path) -> Result<(String, Vec<u8>), ReadError> {
    read_most(path, MAX_BYTES)
}

/// Standard input as it was first read: a second argument `-` is the same text.
static INPUT: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Reads a file like [`read`], with a limit of `most` bytes.
pub fn read_most(path: &Path, most: u64) -> Result<(String, Vec<u8>), ReadError> {
    if path.as_os_str() == "-" {
        let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
        if input.is_none() {
            *input = Some(bounded(STDIN.to_owned(), io::stdin().lock(), most)?.1);
        }
        return bounded(STDIN.to_owned(), input.as_deref().unwrap_or_default(), most);
    }
    let name = path.display().to_string();
    match open(path) {
        Ok(file) => bounded(name, file, most),
        Err(error) => match Refusal::of(&error) {
            Some(Refusal::NotAFile(kind)) => Err(ReadError::NotAFile(name, kind)),
            _ => Err(ReadError::Io(name, error)),
        },
    }
}

/// Error for a file with more than `most` bytes.
pub fn too_large(name: String, most: u64) -> ReadError {
    ReadError::TooLarge(name, most / (1024 * 1024))
}

fn bounded(name: String, source: impl Read, most: u64) -> Result<(String, Vec<u8>), ReadError> {
    match super::bounded(source, most) {
        Ok(Some(bytes)) => Ok((name, bytes)),
        Ok(None) => Err(too_large(name, most)),
        Err(error) => Err(ReadError::Io(name, error)),
    }
}

/// Opens a regular file, or a pipe that the shell made for this process.
pub fn open(path: &Path) -> io::Result<File> {
    if is_own_stream(path) {
        return File::open(path);
    }
    let path = resolve(path)?;
    let Some(name) = path.file_name() else { return Err(Refusal::NotAFile("a directory").into()) };
    let directory = directory_of(&path);
    // The file is opened from the work tree, so nothing that replaces a directory meanwhile leads out of it.
    let base = work_tree(directory).unwrap_or(directory);
    let beneath = directory.strip_prefix(base).unwrap_or(Path::new("")).join(name);
    open_beneath(base, &Dir::open_ambient_dir(base, ambient_authority())?, &beneath)
}

/// Opens a regular file of a trusted user beneath a directory, whose path is `base`. The file itself must not be a link, and links in its path
/// do not leave the directory.
pub fn open_beneath(base: &Path, dir: &Dir, beneath: &Path) -> io::Result<File> {
    // Anything but a regular file is not even opened, for example a device; a pipe that replaces the file meanwhile must not block.
    regular(dir.symlink_metadata(beneath)?.file_type())?;
    let file = dir.open_with(beneath, &without_waiting())?;
    regular(file.metadata()?.file_type())?;
    let file = file.into_std();
    check_owner(&base.join(beneath), &file.metadata()?)?;
    Ok(file)
}

/// Returns a path without links. The last part need not exist.
///
/// # Errors
///
/// When a link leads out of the work tree that it is in, or belongs to another user.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    follow(std::env::current_dir()?, path, None, &mut 0)
}

/// Follows a path from a directory without links, and stays beneath `within`.
fn follow(
    mut at: PathBuf,
    path: &Path,
    within: Option<&Path>,
    links: &mut usize,
) -> io::Result<PathBuf> {
    for part in path.components() {
        match part {
            Component::ParentDir => _ = at.pop(),
            Component::CurDir => {}
            part => at.push(part),
        }
        if let Some(tree) = within.filter(|tree| !at.starts_with(tree)) {
            return Err(Refusal::Outside(tree.to_owned()).into());
        }
        if is_stream(&at) {
            continue;
        }
        if let Ok(target) = fs::read_link(&at) {
            *links += 1;
            if *links > MOST_LINKS {
                return Err(io::Error::other("too many levels of symbolic links"));
            }
            check_owner_of(&at)?;
            at.pop();
            let tree = within.or_else(|| work_tree(&at)).map(Path::to_owned);
            at = follow_link(at, &target, tree.as_deref(), links)?;
        }
    }
    Ok(at)
}

/// Tells whether a path is in a directory of devices and open files, where the links are none of a user: these are used as they are. Below
/// `/dev/shm` are files of users.
pub fn is_stream(path: &Path) -> bool {
    let is_device =
        |parent: &Path| ["/dev", "/dev/fd", "/dev/pts"].map(Path::new).contains(&parent);
    cfg!(unix) && (path.starts_with("/proc") || path.parent().is_some_and(is_device))
}

/// Follows a link in the directory `at`, to a place beneath `tree` or in a safe directory.
fn follow_link(
    at: PathBuf,
    target: &Path,
    tree: Option<&Path>,
    links: &mut usize,
) -> io::Result<PathBuf> {
    let Some(tree) = tree else { return follow(at, target, None, links) };
    let whole = plain(&at.join(target));
    let followed = match whole.strip_prefix(plain(tree)) {
        Ok(rest) => follow(tree.to_owned(), rest, Some(tree), links),
        Err(_) => Err(Refusal::Outside(tree.to_owned()).into()),
    };
    let is_outside = |error: &io::Error| matches!(Refusal::of(error), Some(Refusal::Outside(_)));
    if followed.as_ref().is_err_and(is_outside) {
        let whole = normal(&whole);
        if let Some(safe) = safe_directory(&whole)
            && let Ok(rest) = whole.strip_prefix(safe)
        {
            return follow(safe.to_owned(), rest, Some(safe), links);
        }
    }
    followed
}

/// Returns the Git work tree of a directory without links, else the directory of the closest `links.lock`.
fn work_tree(directory: &Path) -> Option<&Path> {
    let has_lock = |it: &&Path| it.join(LOCK_NAME).symlink_metadata().is_ok();
    git_work_tree(directory).or_else(|| directory.ancestors().find(has_lock))
}

/// Returns the Git work tree of a directory without links. A `.git` that another user put into a directory for temporary files does not
/// count.
pub fn git_work_tree(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|directory| {
        let git = directory.join(".git");
        git.symlink_metadata().is_ok() && !is_dropped(&git)
    })
}

/// Tells whether a path without links is trusted whoever owns it.
pub fn is_safe(path: &Path) -> bool {
    safe_directory(path).is_some() || SAFE.get().is_some_and(|safe| safe.any)
}

/// Tells whether a path is a directory, not a link, that belongs to root.
pub fn is_directory_of_root(path: &Path) -> bool {
    cfg!(unix) && path.symlink_metadata().is_ok_and(|it| it.is_dir() && owner(&it) == 0)
}

/// Refuses a file, directory or link that belongs to another user, unless it is in a safe directory.
pub fn check_owner_of(path: &Path) -> io::Result<()> {
    check_owner(path, &path.symlink_metadata()?)
}

/// Tells whether another user put a file into a directory that everybody can write to, such as one for temporary files.
pub fn is_dropped(path: &Path) -> bool {
    let directory = directory_of(path).metadata();
    check_owner_of(path).is_err() && directory.is_ok_and(|it| mode(&it) & ANYBODY_WRITES != 0)
}

fn check_owner(path: &Path, found: &Metadata) -> io::Result<()> {
    let (user, owner) = (own_id(), owner(found));
    let sudo = || std::env::var("SUDO_UID").ok()?.parse().ok();
    let is_trusted = [0, user].contains(&owner) || user == 0 && sudo() == Some(owner);
    if is_trusted || is_safe(path) {
        return Ok(());
    }
    Err(Refusal::Foreign(path.to_owned(), owner).into())
}

/// Returns a path of Windows without the prefix that canonical ones have there, so that the two compare as equal.
fn plain(path: &Path) -> PathBuf {
    let plain = path.to_str().filter(|_| cfg!(windows)).and_then(without_prefix);
    plain.map_or_else(|| path.to_owned(), PathBuf::from)
}

/// Returns `C:\x` for `\\?\C:\x`.
fn without_prefix(path: &str) -> Option<&str> {
    path.strip_prefix(r"\\?\").filter(|it| it.as_bytes().get(1) == Some(&b':'))
}

/// Returns a path from the current directory, where that is shorter.
pub fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => path.to_owned(),
    }
}

/// Returns the path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts
}

fn regular(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    #[cfg(unix)]
    let is_pipe = cap_std::fs::FileTypeExt::is_fifo(&found);
    #[cfg(not(unix))]
    let is_pipe = false;
    Err(Refusal::NotAFile(match () {
        () if found.is_dir() => "a directory",
        () if is_pipe => "a named pipe",
        () => "a device",
    })
    .into())
}

fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options
}

/// Tells whether a path is an open file of this process, for example what the shell writes for `<(command)`: a pipe that already has its
/// writer, so opening the path cannot block.
fn is_own_stream(path: &Path) -> bool {
    let number = || path.file_name()?.to_str()?.parse::<u32>().ok();
    let is_of_process =
        ["/dev/fd", "/proc/self/fd"].iter().any(|it| path.parent() == Some(Path::new(it)));
    cfg!(unix) && (path == Path::new("/dev/stdin") || is_of_process && number().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_above_the_size_limit_is_refused() {
        let error = bounded("x".into(), io::repeat(b'a'), MAX_BYTES).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge(..)));
        let (_, bytes) = bounded("x".into(), io::repeat(b'a').take(MAX_BYTES), MAX_BYTES).unwrap();
        assert_eq!(bytes.len() as u64, MAX_BYTES);
    }

    #[test]
    fn only_a_drive_is_named_without_the_prefix() {
        assert_eq!(without_prefix(r"\\?\C:\x"), Some(r"C:\x"));
        for other in [r"C:\x", r"\\?\UNC\server\share", r"\\server\share", "/x"] {
            assert_eq!(without_prefix(other), None);
        }
    }

    #[test]
    fn only_regular_files_within_the_size_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(read(directory.path()), Err(ReadError::NotAFile(_, "a directory"))));
        assert!(matches!(read(Path::new("/")), Err(ReadError::NotAFile(_, "a directory"))));
        assert!(matches!(read(&directory.path().join("absent")), Err(ReadError::Io(..))));
        let large = directory.path().join("large");
        File::create(&large).unwrap().set_len(100 << 20).unwrap();
        assert!(matches!(read(&large), Err(ReadError::TooLarge(..))));
        #[cfg(unix)]
        for device in ["/dev/zero", "/dev/fd/../zero"] {
            assert!(matches!(read(Path::new(device)), Err(ReadError::NotAFile(_, "a device"))));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_in_the_work_tree_that_it_is_in() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        fs::create_dir_all(at("repo/.git")).unwrap();
        fs::create_dir_all(at("repo/pages/deep")).unwrap();
        fs::create_dir_all(at("other/.git")).unwrap();
        for file in ["secret", "other/secret", "repo/page", "repo/pages/page"] {
            fs::write(at(file), file).unwrap();
        }
        let links = [
            ("repo/out", "../secret"),
            ("repo/dangling", "../absent"),
            ("repo/other", "../other"),
            ("repo/pages/deep/up", "../../../secret"),
            ("repo/pages/deep/absent", "../../../absent"),
            ("repo/hop", "out"),
            ("repo/in", "pages/deep/../page"),
            ("repo/pages/deep/in", "../../page"),
            ("repo/back", "../repo/page"),
            ("repo/loop", "loop"),
            ("mine", "repo/page"),
            ("mine-out", "repo/out"),
            ("tree", "repo"),
        ];
        for (link, target) in links {
            symlink(target, at(link)).unwrap();
        }
        symlink(at("repo/page"), at("repo/absolute")).unwrap();
        symlink(at("secret"), at("repo/absolute-out")).unwrap();
        let text = |path: &str| match open(&at(path)) {
            Ok(file) => io::read_to_string(file).unwrap(),
            Err(error) => error.to_string(),
        };
        let outside =
            format!("a symbolic link in its path points outside {}", at("repo").display());
        for path in [
            "repo/out",
            "repo/dangling",
            "repo/other/secret",
            "repo/other/absent",
            "repo/pages/deep/up",
            "repo/pages/deep/absent",
            "repo/hop",
            "repo/back",
            "repo/absolute-out",
            "mine-out",
            "tree/out",
            "tree/pages/../out",
        ] {
            assert_eq!(text(path), outside, "{path}");
        }
        for (path, file) in [
            ("repo/in", "repo/pages/page"),
            ("repo/pages/deep/in", "repo/page"),
            ("repo/absolute", "repo/page"),
            ("mine", "repo/page"),
            ("tree/pages/page", "repo/pages/page"),
            ("repo/../other/secret", "other/secret"),
        ] {
            assert_eq!(text(path), file, "{path}");
        }
        assert_eq!(text("repo/loop"), "too many levels of symbolic links");
    }
}
