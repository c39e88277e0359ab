//! Error of a pacer.

use std::error::Error as StdError;
use std::fmt;

/// Reason why a pacer cannot tell whether a request may be sent. Its messages hold no secret.
#[derive(Debug)]
pub struct PacerError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl PacerError {
    /// Returns an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }
}

impl fmt::Display for PacerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for PacerError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
