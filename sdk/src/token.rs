//! Bearer token, kept out of every output, and the sources of the token of each request.

use std::error::Error as StdError;
use std::fmt;
use std::future::ready;
use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

use crate::ids::InvalidValue;

/// An access token. Its text can be sent, but is not shown: `Debug` prints a placeholder. It is wiped from memory with its last clone.
///
/// ```
/// let token = links_sdk::Token::new("lnk_secret")?;
/// assert_eq!(format!("{token:?}"), "Token(***)");
/// # Ok::<(), links_sdk::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token(Hidden<Arc<Zeroizing<String>>>);

impl Token {
    /// Maximum size of a token in bytes.
    pub const MAX_BYTES: usize = 16 * 1024;

    /// Reads a token as pasted: white space around it is removed.
    ///
    /// # Errors
    ///
    /// When the text is empty, or contains a character that is not visible ASCII.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidValue> {
        let text = text.as_ref().trim();
        if text.is_empty() {
            return Err(InvalidValue::new("the token is empty"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidValue::new(
                "the token contains a character that is not allowed, such as a space or a line break",
            ));
        }
        Ok(Self(Hidden(Arc::new(Zeroizing::new(text.to_owned())))))
    }

    /// Returns the text of the token, to be stored or sent.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Returns a reference to the text that ends with its last clone.
    pub(crate) fn owner(&self) -> Weak<Zeroizing<String>> {
        Arc::downgrade(&self.0.0)
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

/// Value that `Debug` does not show: a secret, or a function.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hidden<T>(pub(crate) T);

impl<T> Deref for Hidden<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Future that the methods of a [`TokenSource`] return.
pub type TokenFuture<'a, T> = BoxFuture<'a, Result<T, TokenError>>;

/// Source of the token. The client asks it before each request, so the token can change during the lifetime of the client.
///
/// A [`Token`] is itself a source, and so is an `Arc` of a source that several clients share. `oauth::RefreshingTokenSource` renews tokens
/// that the connector has issued. You can also write a source that reads tokens from any secret store:
///
/// ```
/// use links_sdk::{Client, Token, TokenError, TokenFuture, TokenSource};
///
/// #[derive(Debug, Default)]
/// struct Vault {
///     last: std::sync::Mutex<Option<Token>>,
/// }
///
/// impl Vault {
///     async fn secret(&self) -> Result<String, std::io::Error> {
///         Ok("lnk_secret".to_owned())
///     }
/// }
///
/// impl TokenSource for Vault {
///     fn token(&self) -> TokenFuture<'_, Token> {
///         Box::pin(async {
///             let secret = self.secret().await;
///             let secret = secret.map_err(|error| TokenError::temporary("the vault is closed").caused_by(error))?;
///             let token = Token::new(&secret).map_err(|error| TokenError::login_needed(error.to_string()))?;
///             // While the source keeps a clone, the client hides the token in each message.
///             Ok(self.last.lock().unwrap().insert(token).clone())
///         })
///     }
/// }
///
/// let client = Client::builder("https://links.example/api/v1").token(Vault::default()).build()?;
/// # let _ = client;
/// # Ok::<(), links_sdk::BuildError>(())
/// ```
pub trait TokenSource: fmt::Debug + Send + Sync + 'static {
    /// Returns the token for the next request.
    ///
    /// # Errors
    ///
    /// When there is no token. The call fails with this error, and nothing is sent.
    fn token(&self) -> TokenFuture<'_, Token>;

    /// Handles a 401 for this token. Returns whether [`TokenSource::token`] now returns another token; then the request is sent once more.
    /// The provided method returns `false`.
    ///
    /// # Errors
    ///
    /// When no token will be accepted, or another token cannot be obtained now. The call fails with this error.
    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        let _ = token;
        Box::pin(ready(Ok(false)))
    }
}

/// Reason why there is no token to send. Its messages contain no secret.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct TokenError {
    message: String,
    temporary: bool,
    /// Time before which no call can succeed, if it is known.
    pub(crate) retry_after: Option<Duration>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TokenError {
    /// Returns an error that only the owner of the account can resolve: there is no token, or the service no longer accepts it.
    pub fn login_needed(message: impl Into<String>) -> Self {
        Self { temporary: false, ..Self::temporary(message) }
    }

    /// Returns an error after which a later call may succeed: the issuer of the token could not be reached.
    pub fn temporary(message: impl Into<String>) -> Self {
        Self { message: message.into(), temporary: true, retry_after: None, source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into().into()), ..self }
    }

    #[cfg(feature = "oauth")]
    pub(crate) fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        Self { retry_after, ..self }
    }

    /// Returns whether a later call may succeed without any changes.
    pub fn is_temporary(&self) -> bool {
        self.temporary
    }
}

/// Source that other clients have as well.
impl<S: TokenSource + ?Sized> TokenSource for Arc<S> {
    fn token(&self) -> TokenFuture<'_, Token> {
        (**self).token()
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        (**self).refused(token)
    }
}

/// Source that always returns the same token.
impl TokenSource for Token {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(ready(Ok(self.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_trimmed_and_refused_with_other_invalid_characters() {
        assert_eq!(Token::new(" abc\n").unwrap().header(), "Bearer abc");
        assert_eq!(Token::new(" \n").unwrap_err().to_string(), "the token is empty");
        for text in ["a\nb", "a b", "a\u{7f}", "é"] {
            assert!(Token::new(text).unwrap_err().to_string().contains("not allowed"), "{text:?}");
        }
        assert!(!format!("{:?}", Token::new("abc").unwrap().header()).contains("abc"));
    }

    #[test]
    fn a_token_is_wiped_with_its_last_clone() {
        fn is_wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
        let token = Token::new("abc").unwrap();
        is_wiped(&*token.0.0);
        assert_eq!(Arc::strong_count(&token.0.0), 1);
        assert_eq!(Arc::strong_count(&token.clone().0.0), 2, "clones share the one text");
    }
}
