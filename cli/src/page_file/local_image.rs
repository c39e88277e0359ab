//! Local images that a page file names: regular files beneath its directory, or beneath one that the command line adds. Files elsewhere are
//! refused with the same message whether they exist or not.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use links_sdk::{ImageType, MAX_UPLOAD_BYTES};
use sha2::{Digest, Sha256};

use super::image_flaw::flaw;
use crate::fs::named::{self, Refusal};

/// Directories that may contain images, and the directory that image names are relative to.
#[derive(Clone, Debug)]
pub(crate) struct ImageRoots {
    /// Directory as the user wrote it, for messages.
    shown: PathBuf,
    /// Directory with links resolved. `None` if the directory does not exist.
    directory: Option<PathBuf>,
    roots: Vec<Root>,
}

#[derive(Clone, Debug)]
struct Root {
    /// Path with links resolved.
    path: PathBuf,
    dir: Arc<Dir>,
}

/// Image that may be uploaded.
#[derive(Clone, Debug)]
pub(crate) struct LocalImage {
    root: Root,
    beneath: PathBuf,
    /// Image type according to the content.
    pub(crate) image_type: ImageType,
    /// Number of bytes.
    pub(crate) size: u64,
    /// What is wrong with it, as words after its name.
    pub(crate) flaw: Option<String>,
    /// SHA-256 of the content when the image was found.
    pub(crate) hash: String,
}

/// Reason why a name is not a usable image.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    /// URL instead of a file name.
    #[error("{0} is a URL, not a file")]
    Url(String),
    /// Absolute path, or a path out of every permitted directory, whether the file exists or not.
    #[error("{0} is outside the page file's directory")]
    Outside(String),
    /// File whose name begins with a dot, or a file in such a directory.
    #[error("{0} is a hidden file or is in a hidden directory")]
    Hidden(String),
    /// Directory, device or named pipe.
    #[error("{0} is not a file")]
    NotAFile(String),
    /// Empty file.
    #[error("{0} is empty")]
    Empty(String),
    /// File larger than the service accepts.
    #[error("{0} is larger than 50 MB")]
    TooLarge(String),
    /// File of another type according to its content.
    #[error("{0} is not an image: only jpeg, png, webp and gif can be uploaded")]
    NotAnImage(String),
    /// Missing file, or a file that this user may not read.
    #[error("cannot read {0}: {1}")]
    ReadError(String, io::Error),
}

impl ImageError {
    /// Hint for the user.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::Url(_) => Some("`links files upload URL` prints the path to write here instead"),
            Self::Outside(_) => {
                Some("--upload-root DIR allows images below another directory, by relative paths")
            }
            _ => None,
        }
    }
}

/// Error for an additional directory that cannot be opened.
#[derive(Debug)]
pub(crate) struct RootError(pub(crate) PathBuf, pub(crate) io::Error);

impl ImageRoots {
    /// Returns the roots for a page file in this directory.
    ///
    /// # Errors
    ///
    /// When an additional directory cannot be opened.
    pub(crate) fn new(directory: &Path, more: &[PathBuf]) -> Result<Self, RootError> {
        Self::within(directory, directory, more)
    }

    /// Returns roots without any directory.
    pub(crate) fn none() -> Self {
        Self { shown: PathBuf::new(), directory: None, roots: Vec::new() }
    }

    /// Returns the roots for names relative to `directory`, which is itself ignored if it lies outside of `trusted`.
    ///
    /// # Errors
    ///
    /// When an additional directory cannot be opened.
    pub(crate) fn within(
        directory: &Path,
        trusted: &Path,
        more: &[PathBuf],
    ) -> Result<Self, RootError> {
        let shown = directory.to_owned();
        let mut roots = Vec::new();
        for path in more {
            let root = Root::open(path).map_err(|error| RootError(path.clone(), error))?;
            roots.push(root);
        }
        let resolved = std::fs::canonicalize(here(directory)).ok();
        let trusted = Root::open(trusted).ok();
        let is_trusted =
            |path: &PathBuf| trusted.iter().chain(&roots).any(|root| path.starts_with(&root.path));
        let directory = resolved.filter(is_trusted);
        // The directory of the page file comes first, so that a hidden directory above it does not count.
        roots.splice(..0, directory.as_deref().and_then(|path| Root::open(path).ok()));
        Ok(Self { shown, directory, roots })
    }

    /// Finds the image that a page file names, and reads the properties needed to show and check it.
    pub(crate) fn find(&self, name: &str) -> Result<LocalImage, ImageError> {
        if name.contains("://") {
            return Err(ImageError::Url(name.to_owned()));
        }
        let outside = || ImageError::Outside(name.to_owned());
        if is_absolute(name) {
            return Err(outside());
        }
        if is_hidden(Path::new(name)) {
            return Err(ImageError::Hidden(name.to_owned()));
        }
        let directory = self.directory.as_deref().ok_or_else(outside)?;
        let wanted = named::normal(&directory.join(name));
        let found = self.root_of(&wanted).ok_or_else(outside)?;
        let (root, beneath) = match resolved(&found.0.dir, &found.1) {
            Ok(Some(beneath)) => (found.0, beneath),
            Ok(None) => return Err(ImageError::NotAFile(self.shown(name))),
            // A link may lead to another root. The error must not reveal whether a file elsewhere exists.
            Err(error) if leaves_the_root(&error) => {
                let resolved = std::fs::canonicalize(&wanted).map_err(|_| outside())?;
                self.root_of(&resolved).ok_or_else(outside)?
            }
            Err(error) => return Err(ImageError::ReadError(self.shown(name), error)),
        };
        if is_hidden(&beneath) {
            return Err(ImageError::Hidden(name.to_owned()));
        }
        LocalImage::read_first(root.clone(), beneath, self.shown(name))
    }

    /// Returns the root above a path with resolved links, and the path relative to the root.
    fn root_of(&self, path: &Path) -> Option<(&Root, PathBuf)> {
        self.roots.iter().find_map(|root| {
            let beneath = path.strip_prefix(&root.path).ok()?;
            Some((root, here(beneath).to_owned()))
        })
    }

    fn shown(&self, name: &str) -> String {
        self.shown.join(name).components().collect::<PathBuf>().display().to_string()
    }
}

impl Root {
    fn open(path: &Path) -> io::Result<Self> {
        let path = std::fs::canonicalize(here(path))?;
        let dir = Arc::new(Dir::open_ambient_dir(&path, ambient_authority())?);
        Ok(Self { path, dir })
    }
}

impl LocalImage {
    fn read_first(root: Root, beneath: PathBuf, shown: String) -> Result<Self, ImageError> {
        let bytes = match bytes(&root, &beneath) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(ImageError::NotAFile(shown)),
            Err(error) => return Err(ImageError::ReadError(shown, error)),
        };
        let size = bytes.len() as u64;
        if size == 0 {
            return Err(ImageError::Empty(shown));
        }
        if size > MAX_UPLOAD_BYTES {
            return Err(ImageError::TooLarge(shown));
        }
        let Some(image_type) = ImageType::of(&bytes) else {
            return Err(ImageError::NotAnImage(shown));
        };
        let flaw = flaw(&bytes);
        Ok(Self { root, beneath, image_type, size, flaw, hash: hash_of(&bytes) })
    }

    /// Reads the image again. Returns `None` if the content has changed.
    ///
    /// # Errors
    ///
    /// When the image cannot be read any more.
    pub(crate) fn read(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(bytes(&self.root, &self.beneath)?.filter(|bytes| hash_of(bytes) == self.hash))
    }

    /// Returns the path with links resolved, relative to the current directory if it lies beneath that.
    pub(crate) fn path(&self) -> PathBuf {
        let path = self.root.path.join(&self.beneath);
        let here = std::env::current_dir().and_then(std::fs::canonicalize).ok();
        match here.and_then(|here| path.strip_prefix(here).map(Path::to_owned).ok()) {
            Some(path) => path,
            None => path,
        }
    }

    /// Returns the file name of the image.
    pub(crate) fn file_name(&self) -> String {
        self.beneath.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Reads a regular file up to one byte more than may be uploaded; `None` for anything else.
fn bytes(root: &Root, beneath: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match named::open_beneath(&root.path, &root.dir, beneath) {
        Err(error) if matches!(Refusal::of(&error), Some(Refusal::NotAFile(_))) => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_UPLOAD_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Resolves the links in the path of a regular file beneath a directory; `None` for anything else. Anything but a regular file is not even
/// opened, which resolving may do: a pipe would block.
fn resolved(dir: &Dir, beneath: &Path) -> io::Result<Option<PathBuf>> {
    if !dir.metadata(beneath)?.is_file() {
        return Ok(None);
    }
    dir.canonicalize(beneath).map(Some)
}

/// Tells whether a path is absolute on any platform: `/etc`, `C:\`, `\\server\share`.
fn is_absolute(name: &str) -> bool {
    let bytes = name.as_bytes();
    name.starts_with(['/', '\\'])
        || Path::new(name).is_absolute()
        || (bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':'))
}

/// Tells whether any part of the path is hidden; `.` and `..` are not.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// Tells whether a path leads out of its directory, which is reported without an error code of the system.
fn leaves_the_root(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Tells whether an existing path lies beneath a directory, with links resolved.
pub(crate) fn lies_beneath(path: &Path, directory: &Path) -> bool {
    let resolved = |path: &Path| std::fs::canonicalize(here(path)).ok();
    resolved(path)
        .zip(resolved(directory))
        .is_some_and(|(path, directory)| path.starts_with(directory))
}

/// Replaces the empty path, which `Path::parent` returns for the current directory, by `.`.
pub(crate) fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}
