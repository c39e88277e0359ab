//! The URL of the service as it was given, parsed once, with what gave it.

use links_sdk::{BaseUrl, InvalidBaseUrl};

use crate::error::CommandError;

/// The URL of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceUrl {
    text: String,
    /// The flag, variable or file that it came from.
    pub(crate) from: &'static str,
    parsed: Result<BaseUrl, InvalidBaseUrl>,
}

impl ServiceUrl {
    pub(crate) fn new(text: String, from: &'static str) -> Self {
        Self { parsed: BaseUrl::new(&text), text, from }
    }

    /// Returns the URL as it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the parsed URL.
    ///
    /// # Errors
    ///
    /// When it cannot be the URL of a service; the message names where it came from.
    pub(crate) fn base(&self) -> Result<&BaseUrl, CommandError> {
        self.parsed.as_ref().map_err(|error| CommandError::usage(format!("{}: {error}", self.from)))
    }

    /// Returns why it cannot be the URL of a service.
    pub(crate) fn invalid(&self) -> Option<&InvalidBaseUrl> {
        self.parsed.as_ref().err()
    }

    /// Returns its origin, if it can be the URL of a service.
    pub(crate) fn origin(&self) -> Option<String> {
        self.parsed.as_ref().ok().map(BaseUrl::origin)
    }
}
