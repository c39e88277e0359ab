//! Local images that a page file names: regular files beneath its directory, or beneath one that the command line adds. Files elsewhere are
//! refused with the same message whether they exist or not. What is wrong with an image that is uploaded all the same, and strings that
//! are evidently paths of this machine.

use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use links_sdk::{ImageType, ImageUse, MAX_UPLOAD_BYTES, image_size_of};
use sha2::{Digest, Sha256};

use crate::fs::named::{self, MAX_BYTES, ReadError, Refusal};

/// Directories that may contain images, and the directory that image names are relative to.
#[derive(Clone, Debug, Default)]
pub struct ImageRoots {
    /// Directory as the user wrote it, for messages.
    shown: PathBuf,
    /// Directory with links resolved. `None` if the directory does not exist.
    directory: Option<PathBuf>,
    roots: Vec<Root>,
    /// Directory that may contain texts, too.
    project: Option<Root>,
    texts: Option<Texts>,
}

type ReadText = dyn Fn(&Path) -> Option<Vec<u8>> + Send + Sync;

/// Returns the content of a text file by its path relative to the directory of the page file, if there is one.
#[derive(Clone)]
struct Texts(Arc<ReadText>);

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Texts")
    }
}

#[derive(Clone, Debug)]
struct Root {
    /// Path with links resolved.
    path: PathBuf,
    dir: Arc<Dir>,
}

/// Image that may be uploaded.
#[derive(Clone, Debug)]
pub struct LocalImage {
    root: Root,
    beneath: PathBuf,
    /// Image type according to the content.
    pub image_type: ImageType,
    /// Number of bytes.
    pub size: u64,
    /// What is wrong with it, as words after its name.
    pub flaw: Option<String>,
    /// Width and height in pixels, if they can be read.
    pub pixels: Option<(usize, usize)>,
    /// SHA-256 of the content when the image was found.
    pub hash: String,
}

/// Reason why a name is not a usable image.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ImageError {
    /// Reason as words, with the name.
    pub message: String,
    /// Hint for the user.
    pub help: Option<&'static str>,
    /// True if there is no such file in a permitted directory.
    pub(super) is_missing: bool,
}

impl ImageError {
    fn of(name: &str, why: &str) -> Self {
        Self { message: format!("{name} {why}"), help: None, is_missing: false }
    }

    /// Absolute path, or a path out of every permitted directory, whether the file exists or not.
    fn outside(name: &str) -> Self {
        let help = "use --upload-root DIR to allow images in another directory";
        Self { help: Some(help), ..Self::of(name, "is outside the page file's directory") }
    }

    fn hidden(name: &str) -> Self {
        Self::of(name, "is a hidden file or is in a hidden directory")
    }

    fn unread(name: &str, why: &io::Error) -> Self {
        Self { message: format!("cannot read {name}: {why}"), help: None, is_missing: false }
    }
}

impl ImageRoots {
    /// Returns the roots for a page file in this directory.
    ///
    /// # Errors
    ///
    /// When an additional directory cannot be opened.
    pub fn new(directory: &Path, more: &[PathBuf]) -> Result<Self, ReadError> {
        Self::within(directory, directory, more)
    }

    /// Returns roots without any directory.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the roots for names relative to `directory`, which is itself ignored if it lies outside of `trusted`.
    ///
    /// # Errors
    ///
    /// When an additional directory cannot be opened.
    pub fn within(directory: &Path, trusted: &Path, more: &[PathBuf]) -> Result<Self, ReadError> {
        let shown = directory.to_owned();
        let opened = |path: &PathBuf| {
            let name = || format!("--upload-root {}", path.display());
            Root::open(path).map_err(|error| ReadError::Io(name(), error))
        };
        let mut roots = more.iter().map(opened).collect::<Result<Vec<_>, _>>()?;
        let resolved = std::fs::canonicalize(here(directory)).ok();
        let trusted = Root::open(trusted).ok();
        let is_trusted =
            |path: &PathBuf| trusted.iter().chain(&roots).any(|root| path.starts_with(&root.path));
        let directory = resolved.filter(is_trusted);
        // The directory of the page file comes first, so that a hidden directory above it does not count.
        roots.splice(..0, directory.as_deref().and_then(|path| Root::open(path).ok()));
        Ok(Self { shown, directory, roots, ..Self::default() })
    }

    /// Reads texts with a function, in place of the files: those of a commit, or of a saved plan. It gets a path relative to the directory.
    #[must_use]
    pub fn with_texts(
        self,
        read: impl Fn(&Path) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self { texts: Some(Texts(Arc::new(read))), ..self }
    }

    /// Allows text files, but no images, in the directory of the project too, if there is one.
    #[must_use]
    pub fn with_project(self, directory: Option<&Path>) -> Self {
        Self { project: directory.and_then(|it| Root::open(it).ok()), ..self }
    }

    /// Tells whether a file may be read, whether it exists or not.
    pub(super) fn contains(&self, name: &str) -> bool {
        let wanted = self.directory.as_deref().map(|it| named::normal(&it.join(name)));
        let is_beneath = |wanted: PathBuf| self.root_of(&wanted, true).is_some();
        self.texts.is_some() || wanted.is_some_and(is_beneath)
    }

    /// Returns the name in messages and the text of a file that a page file uses, without a byte order mark.
    pub(super) fn text(&self, name: &str) -> Result<(String, String), ImageError> {
        let shown = self.shown(name);
        let found = match &self.texts {
            Some(texts) => texts.0(Path::new(name)),
            None => match self.locate(name, true) {
                Ok((root, beneath)) => bytes(root, &beneath, MAX_BYTES)
                    .map_err(|error| ImageError::unread(&shown, &error))?,
                Err(error) if error.is_missing => None,
                Err(error) => return Err(error),
            },
        };
        let Some(bytes) = found else {
            let error = ImageError::of(&shown, "does not exist");
            return Err(ImageError { is_missing: true, ..error });
        };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ImageError::of(&shown, "is larger than 5 MB"));
        }
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| ImageError::of(&shown, "is not UTF-8"))?;
        Ok((shown, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
    }

    /// Finds the image that a page file names, and reads the properties needed to show and check it.
    pub fn find(&self, name: &str) -> Result<LocalImage, ImageError> {
        if name.contains("://") {
            let help = "upload it with `links files upload URL` and put the printed path here";
            return Err(ImageError {
                help: Some(help),
                ..ImageError::of(name, "must be a file, not a URL")
            });
        }
        let (root, beneath) = self.locate(name, false)?;
        LocalImage::read_first(root.clone(), beneath, &self.shown(name))
    }

    /// Tells whether a text names an image of this machine: one that a page file could upload, or surely a path of this machine.
    pub fn is_local_image(&self, text: &str) -> bool {
        has_image_ending(text) && (is_local(text) || self.find(text).is_ok())
    }

    /// Finds a file beneath the roots, with links resolved: an image or a text.
    fn locate(&self, name: &str, is_text: bool) -> Result<(&Root, PathBuf), ImageError> {
        let outside = || ImageError::outside(name);
        if is_absolute(name) {
            return Err(outside());
        }
        if is_hidden(Path::new(name)) {
            return Err(ImageError::hidden(name));
        }
        let directory = self.directory.as_deref().ok_or_else(outside)?;
        let wanted = named::normal(&directory.join(name));
        let found = self.root_of(&wanted, is_text).ok_or_else(outside)?;
        let (root, beneath) = match resolved(&found.0.dir, &found.1) {
            Ok(Some(beneath)) => (found.0, beneath),
            Ok(None) => return Err(ImageError::of(&self.shown(name), "is not a file")),
            // A link may lead to another root. The error must not reveal whether a file elsewhere exists.
            // A path that leads out of its directory is reported without an error code of the system.
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied
                    && error.raw_os_error().is_none() =>
            {
                let resolved = std::fs::canonicalize(&wanted).map_err(|_| outside())?;
                self.root_of(&resolved, is_text).ok_or_else(outside)?
            }
            Err(error) => {
                let is_missing = error.kind() == io::ErrorKind::NotFound;
                let error = ImageError::unread(&self.shown(name), &error);
                return Err(ImageError { is_missing, ..error });
            }
        };
        if is_hidden(&beneath) {
            return Err(ImageError::hidden(name));
        }
        Ok((root, beneath))
    }

    /// Returns the root above a path with resolved links, and the path relative to the root.
    fn root_of(&self, path: &Path, is_text: bool) -> Option<(&Root, PathBuf)> {
        let project = self.project.iter().filter(|_| is_text);
        self.roots.iter().chain(project).find_map(|root| {
            let beneath = path.strip_prefix(&root.path).ok()?;
            Some((root, here(beneath).to_owned()))
        })
    }

    /// Returns the name of a file in messages.
    pub(super) fn shown(&self, name: &str) -> String {
        joined(&self.shown, Path::new(name)).display().to_string()
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
    fn read_first(root: Root, beneath: PathBuf, shown: &str) -> Result<Self, ImageError> {
        let refused = |why: &str| Err(ImageError::of(shown, why));
        let bytes = bytes(&root, &beneath, MAX_UPLOAD_BYTES);
        let Some(bytes) = bytes.map_err(|error| ImageError::unread(shown, &error))? else {
            return refused("is not a file");
        };
        let size = bytes.len() as u64;
        if size == 0 {
            return refused("is empty");
        }
        if size > MAX_UPLOAD_BYTES {
            return refused("is larger than 50 MB");
        }
        let Some(image_type) = ImageType::of(&bytes) else {
            return refused("is not a JPEG, PNG, WebP or GIF image");
        };
        let (flaw, pixels, hash) = (flaw(&bytes), image_size_of(&bytes), hash_of(&bytes));
        Ok(Self { root, beneath, image_type, size, flaw, pixels, hash })
    }

    /// Reads the image again. Returns `None` if the content has changed.
    ///
    /// # Errors
    ///
    /// When the image cannot be read any more.
    pub fn read(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(bytes(&self.root, &self.beneath, MAX_UPLOAD_BYTES)?
            .filter(|bytes| hash_of(bytes) == self.hash))
    }

    /// Returns the path with links resolved, relative to the current directory if it lies beneath that.
    pub fn path(&self) -> PathBuf {
        named::from_here(&self.root.path.join(&self.beneath))
    }

    /// Returns the file name of the image.
    pub fn file_name(&self) -> String {
        self.beneath.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Reads a regular file up to one byte more than `most`; `None` for anything else.
fn bytes(root: &Root, beneath: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match named::open_beneath(&root.path, &root.dir, beneath) {
        Err(error) if matches!(Refusal::of(&error), Some(Refusal::NotAFile(_))) => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
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
    name.starts_with(['/', '\\'])
        || Path::new(name).is_absolute()
        || matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Tells whether any part of the path is hidden; `.` and `..` are not.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// Tells whether an existing path lies beneath a directory, with links resolved.
pub fn lies_beneath(path: &Path, directory: &Path) -> bool {
    let resolved = |path: &Path| std::fs::canonicalize(here(path)).ok();
    resolved(path)
        .zip(resolved(directory))
        .is_some_and(|(path, directory)| path.starts_with(directory))
}

/// Returns a path below or beside a directory, without the names that `..` takes back.
pub(super) fn joined(directory: &Path, path: &Path) -> PathBuf {
    let mut joined = directory.to_owned();
    for part in path.components() {
        match (part, joined.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => _ = joined.pop(),
            (Component::CurDir, _) => {}
            (part, _) => joined.push(part),
        }
    }
    joined
}

/// Replaces the empty path, which `Path::parent` returns for the current directory, by `.`.
pub fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Number of pixels per side beyond which an image is larger than any page shows: twice the width of a background.
const USEFUL_PIXELS: usize = 3200;

/// Returns what is wrong with an image, as words after its name.
pub fn flaw(bytes: &[u8]) -> Option<String> {
    let Some((width, height)) = image_size_of(bytes) else {
        return Some("may be damaged: its width and height cannot be read".to_owned());
    };
    let is_whole = match ImageType::of(bytes) {
        Some(ImageType::Jpeg) => has_end(bytes),
        Some(ImageType::Png) => bytes.windows(4).any(|it| it == b"IEND"),
        _ => true,
    };
    if !is_whole {
        return Some("may be damaged: a part of it is missing or cannot be read".to_owned());
    }
    (width.max(height) > USEFUL_PIXELS).then(|| {
        format!(
            "has {width}x{height} pixels, more than pages show; {USEFUL_PIXELS} per side is enough"
        )
    })
}

/// Tells whether a JPEG has an end behind its first pixels. A thumbnail is within a segment before them; other data may follow the end.
fn has_end(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(&[0xff, marker, high, low]) = bytes.get(at..at + 4) {
        match marker {
            0xda => return bytes[at..].windows(2).any(|it| it == [0xff, 0xd9]),
            // Any number of these bytes may stand before a segment.
            0xff => at += 1,
            _ => at += 2 + usize::from(u16::from_be_bytes([high, low])),
        }
    }
    false
}

/// Returns why an image of this width and height does not suit a field of a page, as words after its name.
pub fn unsuited(field: &str, (width, height): (usize, usize)) -> Option<String> {
    let image_use = match field {
        "avatar" => ImageUse::Avatar,
        "bgImage" => ImageUse::Background,
        _ => return None,
    };
    let why = image_use.check(width, height).err()?;
    Some(format!("does not suit `{field}`: {why}"))
}

/// Directories in which users and CI services keep files. A path of the service may begin with `/` too, but not with one of these.
const LOCAL_ROOTS: [&str; 9] = [
    "/home/",
    "/Users/",
    "/root/",
    "/tmp/",
    "/private/",
    "/mnt/",
    "/Volumes/",
    "/workspace/",
    "/builds/",
];

const IMAGE_ENDINGS: [&str; 10] =
    ["jpg", "jpeg", "png", "webp", "gif", "svg", "heic", "avif", "bmp", "tiff"];

/// Tells by the text alone whether it looks like a path of this machine: `./a`, `../a`, `~/a`, `/a`, `C:\a`, `\\server\a`.
pub fn looks_local(text: &str) -> bool {
    text.starts_with('/') || is_local(text)
}

/// Tells by the text alone whether it is surely a path of this machine, even where paths of the service begin with `/`.
pub fn is_local(text: &str) -> bool {
    let starts = ["./", "../", "~", ".\\", "..\\", "\\"];
    starts.iter().chain(&LOCAL_ROOTS).any(|start| text.starts_with(start))
        || matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Tells whether the text ends like the name of an image file.
pub fn has_image_ending(text: &str) -> bool {
    text.rsplit_once('.')
        .is_some_and(|(_, ending)| IMAGE_ENDINGS.iter().any(|it| ending.eq_ignore_ascii_case(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG of 8x8 pixels, with a thumbnail in its metadata.
    fn jpeg() -> Vec<u8> {
        let part = |marker: u8, data: &[u8]| {
            let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
            [&[0xff, marker], &length[..], data].concat()
        };
        let thumbnail = [0xff, 0xd8, 0xff, 0xdb, 0xff, 0xd9];
        let size = [8, 0, 8, 0, 8, 1, 1, 0x11, 0];
        let pixels = [0x12, 0xff, 0, 0x34, 0xff, 0xd0, 0x56];
        let first = [part(0xe1, &thumbnail), part(0xc0, &size), part(0xda, &[1, 1, 0, 0, 63, 0])];
        let second = part(0xda, &[1, 1, 0, 0, 63, 0]);
        let all = [&[0xff, 0xd8], &first.concat()[..], &pixels, &second, &pixels, &[0xff, 0xff]];
        [&all.concat()[..], &[0xd9, b'e', b'n', b'd']].concat()
    }

    #[test]
    fn a_jpeg_that_was_cut_off_is_noticed() {
        let whole = jpeg();
        assert_eq!(flaw(&whole), None);
        let motion_photo = [&whole[..], &[0xff, 0xd9, 1, 0xff, 0xda, 2]].concat();
        assert_eq!(flaw(&motion_photo), None);
        for length in 2..whole.len() - 5 {
            assert!(flaw(&whole[..length]).is_some_and(|it| it.contains("damaged")), "{length}");
        }
    }

    #[test]
    fn a_png_that_was_cut_off_is_noticed() {
        let header =
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08\x08\0\0\0\0abcd\0\0\0\x01IDATx";
        assert!(flaw(header).is_some_and(|it| it.contains("a part of it is missing")));
        assert_eq!(flaw(&[&header[..], b"efgh\0\0\0\0IEND\xae\x42\x60\x82"].concat()), None);
    }

    #[test]
    fn local_paths_and_image_extensions_are_recognised() {
        for text in ["./a.png", "../a.png", "~/a.png", "/home/a.png", "C:\\a.png", "\\\\x\\a.png"] {
            assert!(looks_local(text) && is_local(text) && has_image_ending(text), "{text}");
        }
        for text in ["uploads/1/a.png", "a.png", "", ".", "c:a.png", "https://x.example/a.png"] {
            assert!(!looks_local(text), "{text}");
        }
        assert!(!has_image_ending("/menu") && has_image_ending("./A.JPEG"));
        assert!(looks_local("/storage/a.png") && !is_local("/storage/a.png"));
    }
}
