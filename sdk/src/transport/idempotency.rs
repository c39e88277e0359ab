//! `Idempotency-Key` (the interface, section 4.1.4).

use std::fmt;

use reqwest::header::{HeaderName, HeaderValue};
use uuid::Uuid;

pub(crate) const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// Key of one logical write: repeating the write with it within 24 hours returns the first answer and creates nothing.
///
/// Every call of an operation that declares keys gets a random one; set your own to repeat a call from another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// Reason why a string cannot be an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an idempotency key has 1 to 128 visible ASCII characters")]
pub struct InvalidIdempotencyKey;

impl IdempotencyKey {
    /// Returns a key of 1 to 128 visible ASCII characters.
    ///
    /// # Errors
    ///
    /// When it is empty, longer, or has other characters.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidIdempotencyKey> {
        let text = text.into();
        let fits =
            (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text)) } else { Err(InvalidIdempotencyKey) }
    }

    /// Returns a new random key.
    pub fn random() -> Self {
        Self(format!("links-{}", Uuid::new_v4()))
    }

    /// Returns the key as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_at_most_128_visible_characters() {
        for text in ["a", &"k".repeat(128), IdempotencyKey::random().as_str()] {
            assert!(IdempotencyKey::new(text).is_ok(), "{text}");
        }
        for text in ["", "a b", "a\n", "é", &"k".repeat(129)] {
            assert_eq!(IdempotencyKey::new(text), Err(InvalidIdempotencyKey), "{text}");
        }
        assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
    }
}
