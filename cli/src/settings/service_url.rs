//! URL of the service as the user gave it, parsed once, with its origin among the settings.

use links_sdk::{BaseUrl, InvalidBaseUrl};

use crate::error::CommandError;

/// URL of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceUrl {
    text: String,
    /// Flag, variable or file that the URL comes from.
    pub(crate) from: &'static str,
    parsed: Result<BaseUrl, InvalidBaseUrl>,
}

impl ServiceUrl {
    /// Parses a URL; an invalid one is reported when it is needed.
    pub(crate) fn new(text: String, from: &'static str) -> Self {
        Self { parsed: BaseUrl::new(&text), text, from }
    }

    /// Returns the URL as the user gave it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the parsed URL.
    ///
    /// # Errors
    ///
    /// When this cannot be the URL of a service; the message names the flag, variable or file.
    pub(crate) fn base(&self) -> Result<&BaseUrl, CommandError> {
        self.parsed.as_ref().map_err(|error| CommandError::usage(format!("{}: {error}", self.from)))
    }

    /// Returns the reason why this cannot be the URL of a service.
    pub(crate) fn invalid(&self) -> Option<&InvalidBaseUrl> {
        self.parsed.as_ref().err()
    }

    /// Returns the origin of a valid URL.
    pub(crate) fn origin(&self) -> Option<String> {
        self.parsed.as_ref().ok().map(BaseUrl::origin)
    }
}
