//! Small JSON cache files. A file that is missing, unreadable or invalid counts as empty.

use std::io::{self, Read};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fs::private;

/// Maximum size of a file in bytes; a larger file is not a cache file of this program.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Reads the content of a file.
pub(crate) fn load<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&read(path)?).ok()
}

/// Reads the text of a file.
pub(crate) fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    private::open_file(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Replaces the whole content of a file, without syncing it: what it holds can be read from the service again.
pub(crate) fn store(path: &Path, content: &impl Serialize) -> io::Result<()> {
    private::write_unsynced(path, &serde_json::to_vec(content)?)
}
