//! Small JSON files that the program keeps for itself. One that is missing, cannot be read or is not ours holds nothing.

use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fs::private;

/// A larger file is not one of ours.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What a file holds.
pub(crate) fn load<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut text = String::new();
    private::open_file(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Replaces what a file holds, as a whole.
pub(crate) fn store(path: &Path, content: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private::make_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(content)?)?;
    file.persist(path)?;
    Ok(())
}
