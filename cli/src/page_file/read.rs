//! Reading of a file or of standard input with a size limit.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a page file in bytes.
pub(crate) const MAX_BYTES: u64 = 5 * 1024 * 1024;

/// Reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Missing file, or a file that this user may not read.
    #[error("cannot read {0}")]
    Io(String, #[source] io::Error),
    /// Directory, device or named pipe.
    #[error("{0} is {1}, not a file")]
    NotAFile(String, &'static str),
    /// File larger than the limit.
    #[error("{0} is larger than {1} MB")]
    TooLarge(String, u64),
}

/// Name of `-` in messages.
const STDIN: &str = "<stdin>";

/// Reads a file, or standard input for `-`. Returns its name for messages and its content.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), ReadError> {
    read_most(path, MAX_BYTES)
}

/// Reads a file like [`read`], with a limit of `most` bytes.
pub(crate) fn read_most(path: &Path, most: u64) -> Result<(String, Vec<u8>), ReadError> {
    if path.as_os_str() == "-" {
        return bounded(STDIN.to_owned(), io::stdin().lock(), most);
    }
    let name = path.display().to_string();
    let known = std::fs::metadata(path).map_err(|error| ReadError::Io(name.clone(), error))?;
    if let Some(kind) = not_a_file(&known)
        && !is_own_pipe(path)
    {
        return Err(ReadError::NotAFile(name, kind));
    }
    if known.len() > most {
        return Err(too_large(name, most));
    }
    match File::open(path) {
        Ok(file) => bounded(name, file, most),
        Err(error) => Err(ReadError::Io(name, error)),
    }
}

/// Error for a file with more than `most` bytes.
pub(crate) fn too_large(name: String, most: u64) -> ReadError {
    ReadError::TooLarge(name, most / (1024 * 1024))
}

fn bounded(name: String, source: impl Read, most: u64) -> Result<(String, Vec<u8>), ReadError> {
    let mut bytes = Vec::new();
    match source.take(most + 1).read_to_end(&mut bytes) {
        Ok(size) if size as u64 > most => Err(too_large(name, most)),
        Ok(_) => Ok((name, bytes)),
        Err(error) => Err(ReadError::Io(name, error)),
    }
}

fn not_a_file(known: &Metadata) -> Option<&'static str> {
    if known.is_file() {
        return None;
    }
    if known.is_dir() {
        return Some("a directory");
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&known.file_type()) {
        return Some("a named pipe");
    }
    Some("a device")
}

/// Tells whether a path is what the shell writes for `<(command)`: a pipe that already has its writer, so that opening the path cannot
/// block.
fn is_own_pipe(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
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
    fn only_regular_files_within_the_size_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(read(directory.path()), Err(ReadError::NotAFile(_, "a directory"))));
        assert!(matches!(read(&directory.path().join("absent")), Err(ReadError::Io(..))));
        let large = directory.path().join("large");
        File::create(&large).unwrap().set_len(100 << 20).unwrap();
        assert!(matches!(read(&large), Err(ReadError::TooLarge(..))));
        #[cfg(unix)]
        assert!(matches!(read(Path::new("/dev/zero")), Err(ReadError::NotAFile(_, "a device"))));
    }
}
