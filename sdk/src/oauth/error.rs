//! Errors of a login.

use std::fmt;

/// Error of a login. Its messages hold no secret, but they do hold text of the authorization server: clean them before they reach a
/// terminal.
#[derive(Debug)]
pub struct LoginError(LoginErrorKind);

#[derive(Debug)]
pub(super) enum LoginErrorKind {
    Refused(String),
    Unreachable(String),
    Denied { error: String, description: Option<String> },
    UnknownClient,
}

impl LoginError {
    /// Returns the error for unacceptable input from the service or the caller.
    pub(super) fn refused(why: impl fmt::Display) -> Self {
        Self(LoginErrorKind::Refused(why.to_string()))
    }

    pub(super) fn unreachable(why: impl fmt::Display) -> Self {
        Self(LoginErrorKind::Unreachable(why.to_string()))
    }

    pub(super) fn denied(error: impl Into<String>, description: Option<String>) -> Self {
        Self(LoginErrorKind::Denied { error: error.into(), description })
    }

    pub(super) fn unknown_client() -> Self {
        Self(LoginErrorKind::UnknownClient)
    }

    /// Returns whether the user or the authorization server refused access.
    pub fn is_denied(&self) -> bool {
        matches!(self.0, LoginErrorKind::Denied { .. })
    }

    /// Returns whether the authorization server could not be reached, or failed, so that a later login may succeed.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.0, LoginErrorKind::Unreachable(_))
    }

    /// Returns whether the authorization server does not know the client that was named. Without a client id,
    /// [`Connector::begin`](super::Connector::begin) registers a new one.
    pub fn is_unknown_client(&self) -> bool {
        matches!(self.0, LoginErrorKind::UnknownClient)
    }
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LoginErrorKind::Refused(why) => write!(f, "the login is refused: {why}"),
            LoginErrorKind::Unreachable(why) => write!(f, "the login cannot continue: {why}"),
            LoginErrorKind::Denied { error, description } => {
                write!(f, "access was not granted ({error})")?;
                description.iter().try_for_each(|text| write!(f, ": {text}"))
            }
            LoginErrorKind::UnknownClient => {
                f.write_str("this program's registration is no longer known")
            }
        }
    }
}

impl std::error::Error for LoginError {}
