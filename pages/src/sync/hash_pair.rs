//! Record of one value: its hashes in the file and on the page.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ValueHash;

/// Value of a key when file and page last agreed on it: what the file said, and what the page stored.
///
/// The two differ where the service normalises values. "Changed here" means that the file's half differs from the file of today, "changed
/// there" that the page's half differs from the page of today. Written as one string where both halves are equal, else as a list of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashPair {
    /// Hash of the file's value; `None` where the file did not mention the key.
    pub file: Option<ValueHash>,
    /// Hash of the page's value.
    pub page: ValueHash,
}

impl HashPair {
    /// The pair of a key that the file did not mention and that was empty on the page.
    pub const UNMENTIONED: Self = Self { file: None, page: ValueHash::EMPTY };

    /// Returns a pair of equal halves.
    pub fn of(hash: ValueHash) -> Self {
        Self { file: Some(hash), page: hash }
    }
}

impl Serialize for HashPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.file == Some(self.page) {
            self.page.serialize(serializer)
        } else {
            (self.file, self.page).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for HashPair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;

        impl<'de> Visitor<'de> for PairVisitor {
            type Value = HashPair;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a hash, or a list of two")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<HashPair, E> {
                text.parse().map(HashPair::of).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut halves: A) -> Result<HashPair, A::Error> {
                let length = |nth| A::Error::invalid_length(nth, &PairVisitor);
                let file = halves.next_element()?.ok_or_else(|| length(0))?;
                let page = halves.next_element()?.ok_or_else(|| length(1))?;
                if halves.next_element::<serde::de::IgnoredAny>()?.is_some() {
                    return Err(length(3));
                }
                Ok(HashPair { file, page })
            }
        }

        deserializer.deserialize_any(PairVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_written_as_short_as_possible_and_read_strictly() {
        for text in [
            r#""0d0c0c0b71d7""#,
            r#""-""#,
            r#"["0d0c0c0b71d7","-"]"#,
            r#"[null,"0d0c0c0b71d7"]"#,
            r#"[null,"-"]"#,
        ] {
            let pair: HashPair = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&pair).unwrap(), text);
        }
        for text in [r"[]", r#"["-"]"#, r#"["-","-","-"]"#, r#"["-",null]"#, "null", "1", r#""x""#]
        {
            serde_json::from_str::<HashPair>(text).unwrap_err();
        }
    }
}
