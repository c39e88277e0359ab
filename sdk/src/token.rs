//! Bearer token, kept out of every output.

use std::fmt;
use std::sync::{Arc, Weak};

use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// An access token (the interface, section 5). Its text can be sent, not shown: `Debug` prints a placeholder. It is wiped from memory with
/// its last clone.
///
/// ```
/// let token = links_sdk::Token::new("lnk_secret")?;
/// assert_eq!(format!("{token:?}"), "Token(***)");
/// # Ok::<(), links_sdk::InvalidToken>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<Zeroizing<String>>);

/// Reason why a string cannot be a token. The string itself is never part of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidToken {
    /// The text is empty or white space.
    #[error("the token is empty")]
    Empty,
    /// The text has a line break, a space, or another character that is not allowed in a token.
    #[error(
        "the token has a line break, a space or another character that is not allowed in a token"
    )]
    Character,
}

impl Token {
    /// Maximum size of a token in bytes.
    pub const MAX_BYTES: usize = 16 * 1024;

    /// Reads a token as it was pasted: white space around it is dropped.
    ///
    /// # Errors
    ///
    /// When nothing is left, or when a character is not visible ASCII.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidToken> {
        let text = text.as_ref().trim();
        if text.is_empty() {
            return Err(InvalidToken::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidToken::Character);
        }
        Ok(Self(Arc::new(Zeroizing::new(text.to_owned()))))
    }

    /// Returns the text of the token, to be stored or sent.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Returns a reference to the text that ends with its last clone.
    pub(crate) fn owner(&self) -> Weak<Zeroizing<String>> {
        Arc::downgrade(&self.0)
    }

    pub(crate) fn header(&self) -> HeaderValue {
        let text = Zeroizing::new(format!("Bearer {}", self.secret()));
        // Visible ASCII can always be sent.
        let mut header =
            HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("Bearer"));
        header.set_sensitive(true);
        header
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_79_a_token_is_trimmed_and_refused_with_other_invalid_characters() {
        assert_eq!(Token::new(" abc\n").unwrap().header(), "Bearer abc");
        assert_eq!(Token::new(" \n").unwrap_err(), InvalidToken::Empty);
        for text in ["a\nb", "a b", "a\u{7f}", "é"] {
            assert_eq!(Token::new(text).unwrap_err(), InvalidToken::Character, "{text:?}");
        }
        assert!(!format!("{:?}", Token::new("abc").unwrap().header()).contains("abc"));
    }

    #[test]
    fn a_token_is_wiped_with_its_last_clone() {
        fn is_wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
        let token = Token::new("abc").unwrap();
        is_wiped(&*token.0);
        assert_eq!(Arc::strong_count(&token.0), 1);
        assert_eq!(Arc::strong_count(&token.clone().0), 2, "clones share the one text");
    }
}
