//! A short hash for names of files and for comparisons.

use sha2::{Digest, Sha256};

/// Returns a hash of 128 bits in hexadecimal.
pub(super) fn short_hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let half = hash.iter().take(16).fold(0_u128, |half, byte| half << 8 | u128::from(*byte));
    format!("{half:032x}")
}
