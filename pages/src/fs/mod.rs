//! File system access: named files, private files, atomic writes and locks.

pub mod atomic;
pub mod named;
pub mod private;

use std::io::{self, Read};

pub use links_sdk::private_file::directory_of;
pub(crate) use links_sdk::private_file::sync;
use links_sdk::private_file::{mode, own_id, owner};

/// Mode bit for write access of all users.
const ANYBODY_WRITES: u32 = 0o002;

/// Maximum number of symbolic links to follow, as in operating systems.
const MOST_LINKS: usize = 40;

/// Reads up to a number of bytes; `None` if there are more.
fn bounded(source: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}
