//! Bearer token, kept out of every output, and the sources of the token of each request.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::fmt;
use std::fs::{File, Metadata};
use std::future::{Future, ready};
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

use crate::blocking::{blocking, locked};
use crate::ids::InvalidValue;

/// An access token (the interface, section 5). Its text can be sent, not shown: `Debug` prints a placeholder. It is wiped from memory with
/// its last clone.
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

    /// Reads a token as it was pasted: white space around it is dropped.
    ///
    /// # Errors
    ///
    /// When nothing is left, or when a character is not visible ASCII.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidValue> {
        let text = text.as_ref().trim();
        if text.is_empty() {
            return Err(InvalidValue::new("the token is empty"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidValue::new(
                "the token has a line break, a space or another character that is not allowed in a token",
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

impl<T> DerefMut for Hidden<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Future that the methods of a [`TokenSource`] return.
pub type TokenFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, TokenError>> + Send + 'a>>;

/// Source of the token. The client asks it before each request, so that the token may change during the lifetime of the client.
///
/// A [`Token`] is a source by itself, and so is an `Arc` of a source that several clients share. [`EnvironmentToken`] reads again after a refusal, and `oauth::RefreshingTokenSource` renews tokens
/// that the connector has issued. Your own source can read it from any store of secrets:
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
    /// When there is no token. The call ends with this error, and nothing is sent.
    fn token(&self) -> TokenFuture<'_, Token>;

    /// Handles a 401 for this token. Returns whether [`TokenSource::token`] gives another one from now on; the request is then sent once
    /// more. The provided method returns `false`.
    ///
    /// # Errors
    ///
    /// When no token will be accepted, or another one cannot be obtained now. The call ends with this error.
    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        let _ = token;
        Box::pin(ready(Ok(false)))
    }
}

/// Reason why there is no token to send. Its messages hold no secret.
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
        Self { message: message.into(), temporary: false, retry_after: None, source: None }
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

    /// Returns whether a later call may succeed without anything being changed.
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

/// Source that reads the token from the environment: the variable `LINKS_TOKEN`, else the file that `LINKS_TOKEN_FILE` names. If the
/// content of the file has changed, as with mounted secrets, the new content is used as soon as the service refuses the old one. A pipe is
/// read once.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use links_sdk::{Client, EnvironmentToken};
///
/// let client = Client::builder("https://links.example/api/v1").token(EnvironmentToken::new()).build()?;
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct EnvironmentToken {
    last: Mutex<Option<Token>>,
}

impl EnvironmentToken {
    /// The variable that holds a token.
    pub const VARIABLE: &str = "LINKS_TOKEN";
    /// The variable that names a file with a token.
    pub const FILE_VARIABLE: &str = "LINKS_TOKEN_FILE";

    /// Returns a source that reads nothing before the first request.
    pub fn new() -> Self {
        Self::default()
    }

    async fn read(&self) -> Result<Token, TokenError> {
        let token = blocking(|| from_environment(&|name| std::env::var_os(name))).await?;
        Ok(locked(&self.last).insert(token).clone())
    }
}

impl TokenSource for EnvironmentToken {
    fn token(&self) -> TokenFuture<'_, Token> {
        Box::pin(async {
            let last = locked(&self.last).clone();
            match last {
                Some(token) => Ok(token),
                None => self.read().await,
            }
        })
    }

    fn refused<'a>(&'a self, token: &'a Token) -> TokenFuture<'a, bool> {
        Box::pin(async {
            let is_again = blocking(|| can_read_again(&|name| std::env::var_os(name))).await;
            Ok(is_again && self.read().await? != *token)
        })
    }
}

fn from_environment(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Token, TokenError> {
    let (name, text) = if let Some(text) = variable(EnvironmentToken::VARIABLE) {
        (EnvironmentToken::VARIABLE, Zeroizing::new(text.into_string().unwrap_or_default()))
    } else if let Some(path) = variable(EnvironmentToken::FILE_VARIABLE) {
        (EnvironmentToken::FILE_VARIABLE, read(path.as_ref())?)
    } else {
        let message = format!(
            "neither {} nor {} is set",
            EnvironmentToken::VARIABLE,
            EnvironmentToken::FILE_VARIABLE
        );
        return Err(TokenError::login_needed(message));
    };
    Token::new(&text).map_err(|error| TokenError::login_needed(format!("{name}: {error}")))
}

/// Returns whether the token can be read more than once: a pipe returns its content once, and opening it again would wait for another writer.
fn can_read_again(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    if variable(EnvironmentToken::VARIABLE).is_some() {
        return true;
    }
    let file = variable(EnvironmentToken::FILE_VARIABLE).map(std::fs::metadata);
    // Reading a file that is missing says so.
    file.is_none_or(|found| found.map_or(true, |it| it.is_file()))
}

/// Returns the text of a file that holds a token and nothing else.
fn read(path: &Path) -> Result<Zeroizing<String>, TokenError> {
    let failed = |why: &str| {
        let variable = EnvironmentToken::FILE_VARIABLE;
        TokenError::login_needed(format!("{variable}: {why} {}", path.display()))
    };
    let unreadable = |error: io::Error| failed("cannot read").caused_by(error);
    let file = File::open(path).map_err(unreadable)?;
    if is_public(&file.metadata().map_err(unreadable)?) {
        return Err(failed("anyone can write to"));
    }
    let mut text = Zeroizing::new(String::new());
    // One byte more than the maximum, so that a longer file is detected.
    let most = Token::MAX_BYTES as u64 + 1;
    file.take(most).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

/// Returns whether every user of this machine may write to a regular file.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no such permissions"))]
fn is_public(file: &Metadata) -> bool {
    #[cfg(unix)]
    return file.is_file() && std::os::unix::fs::MetadataExt::mode(file) & 0o002 != 0;
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_79_a_token_is_trimmed_and_refused_with_other_invalid_characters() {
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

    fn from(variables: &[(&str, &str)]) -> Result<Token, String> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        from_environment(&variable).map_err(|error| error.to_string())
    }

    #[test]
    #[cfg(unix)]
    fn found_h_a_file_that_everybody_can_write_to_gives_no_token() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        std::fs::write(&path, "of-the-file").unwrap();
        let file = [("LINKS_TOKEN_FILE", path.to_str().unwrap())];
        for (mode, is_taken) in [(0o666, false), (0o602, false), (0o644, true), (0o600, true)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(from(&file).is_ok(), is_taken, "{mode:o}: {:?}", from(&file));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_is_not_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let [pipe, file, missing] = ["pipe", "file", "missing"].map(|it| directory.path().join(it));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        std::fs::write(&file, "token").unwrap();
        let again = |name: &str, value: &Path| {
            can_read_again(&|asked| (asked == name).then(|| value.as_os_str().to_owned()))
        };
        assert!(!again("LINKS_TOKEN_FILE", &pipe));
        assert!(again("LINKS_TOKEN_FILE", &file) && again("LINKS_TOKEN_FILE", &missing));
        assert!(again("LINKS_TOKEN", Path::new("token")) && again("NEITHER", &pipe));
    }

    #[test]
    fn fault_79_the_variable_takes_precedence_over_the_file_even_when_it_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        std::fs::write(&path, " of-the-file\n").unwrap();
        let file = ("LINKS_TOKEN_FILE", path.to_str().unwrap());
        assert_eq!(from(&[file]).unwrap(), Token::new("of-the-file").unwrap());
        assert_eq!(from(&[("LINKS_TOKEN", "t"), file]).unwrap(), Token::new("t").unwrap());
        assert_eq!(
            from(&[("LINKS_TOKEN", ""), file]).unwrap_err(),
            "LINKS_TOKEN: the token is empty"
        );
        assert!(
            from(&[("LINKS_TOKEN", "two lines\nsecret")])
                .unwrap_err()
                .ends_with("is not allowed in a token")
        );
        assert!(from(&[("LINKS_TOKEN_FILE", "/no/such")]).unwrap_err().contains("/no/such"));
        assert_eq!(from(&[]).unwrap_err(), "neither LINKS_TOKEN nor LINKS_TOKEN_FILE is set");
    }
}
