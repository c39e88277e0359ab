//! Hash that is the same on every machine and in every version, unlike those of maps. It does not resist someone who seeks a collision.

use twox_hash::XxHash3_64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    /// Digest of no bytes.
    pub(super) const NEW: Self = Self(0);

    /// Returns the digest to start from for a kind of value; it differs between kinds.
    pub(super) fn of(kind: u64) -> Self {
        Self(kind)
    }

    pub(super) fn take(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Adds bytes. The digest so far is the seed, so that the boundaries between parts count.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0 = XxHash3_64::oneshot_with_seed(self.0, bytes);
    }

    pub(super) fn field(&mut self, key: &str, value: u64) {
        self.0 ^= value;
        self.bytes(key.as_bytes());
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn of(parts: &[&str]) -> u64 {
        let mut digest = Digest::NEW;
        for part in parts {
            digest.bytes(part.as_bytes());
        }
        digest.value()
    }

    #[test]
    fn digests_do_not_change_between_versions() {
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&["Opening hours"]), 0x24bf_6562_7cd1_19fd);
    }

    #[test]
    fn similar_texts_have_different_digests() {
        let mut texts: Vec<String> = (0..100_000).map(|n| format!("Question {n}?")).collect();
        texts.extend((0..40).map(|n| "\0".repeat(n)));
        texts.extend((0..40).map(|n| format!("{}x", " ".repeat(n))));
        let known: HashSet<u64> = texts.iter().map(|text| of(&[text])).collect();
        assert_eq!(known.len(), texts.len());
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab", ""]), of(&["ab"]));
    }
}
