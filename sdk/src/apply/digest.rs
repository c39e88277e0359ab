//! A hash that is the same on every machine and in every version, unlike those of maps.

/// The halves of a product, folded, for every eight bytes. It does not resist someone who seeks a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    /// Of nothing yet.
    pub(super) const NEW: Self = Self(0x243f_6a88_85a3_08d3);

    pub(super) fn take(&mut self, word: u64) {
        /// Odd, and with about as many ones as zeros.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let word = self.0 ^ word;
        let upper = (u128::from(word) * u128::from(FACTOR)) >> 64;
        self.0 = word.wrapping_mul(FACTOR) ^ upper as u64;
    }

    /// Behind their number, so that nothing runs into what comes next.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.take(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.take(u64::from_le_bytes(*word));
        }
        self.take(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }

    pub(super) fn field(&mut self, key: &str, value: u64) {
        self.bytes(key.as_bytes());
        self.take(value);
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
    fn it_is_the_same_tomorrow() {
        assert_eq!(of(&[]), 0x243f_6a88_85a3_08d3);
        assert_eq!(of(&["Opening hours"]), 0x53f9_b02e_1dd2_ec49);
    }

    #[test]
    fn texts_that_differ_in_little_have_different_ones() {
        let mut texts: Vec<String> = (0..100_000).map(|n| format!("Question {n}?")).collect();
        texts.extend((0..40).map(|n| "\0".repeat(n)));
        texts.extend((0..40).map(|n| format!("{}x", " ".repeat(n))));
        let known: HashSet<u64> = texts.iter().map(|text| of(&[text])).collect();
        assert_eq!(known.len(), texts.len());
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab", ""]), of(&["ab"]));
    }
}
