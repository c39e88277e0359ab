//! Base URL of the service, checked before anything is sent to it.

use std::borrow::Cow;
use std::fmt;

use url::{Host, Url};

/// The service's base URL, version segment included (`https://example.test/api/v1`).
///
/// Only https is accepted, except for this machine itself: a token is never sent unencrypted.
///
/// ```
/// use links_sdk::BaseUrl;
///
/// assert_eq!(BaseUrl::new("http://127.0.0.1:8080/api/v1/")?.as_str(), "http://127.0.0.1:8080/api/v1");
/// assert!(BaseUrl::new("http://links.example/api/v1").is_err());
/// # Ok::<(), links_sdk::InvalidBaseUrl>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// Reasons why a URL cannot be the service's base URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBaseUrl {
    /// The text is not a URL.
    #[error("not a URL: {0}")]
    Syntax(String),
    /// Neither https, nor http to this machine.
    #[error("the URL must be https (http only for 127.0.0.1, [::1] and localhost)")]
    Insecure,
    /// `user:password@host`.
    #[error("the URL must not hold a user name or a password")]
    UserInfo,
    /// `?` or `#`.
    #[error("the URL must end with its path: no `?` and no `#`")]
    QueryOrFragment,
}

impl BaseUrl {
    /// Reads and checks a URL; a trailing `/` is dropped.
    ///
    /// # Errors
    ///
    /// See [`InvalidBaseUrl`].
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidBaseUrl> {
        Self::parse(text.as_ref(), is_loopback)
    }

    /// Reads and checks a URL that may be http on any host.
    pub(crate) fn with_http(text: &str) -> Result<Self, InvalidBaseUrl> {
        Self::parse(text, Url::has_host)
    }

    fn parse(text: &str, may_be_http: impl FnOnce(&Url) -> bool) -> Result<Self, InvalidBaseUrl> {
        let mut url =
            Url::parse(text.trim()).map_err(|error| InvalidBaseUrl::Syntax(error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidBaseUrl::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidBaseUrl::QueryOrFragment);
        }
        match url.scheme() {
            "https" if url.has_host() => {}
            "http" if may_be_http(&url) => {}
            _ => return Err(InvalidBaseUrl::Insecure),
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Returns a URL, valid or not, for display: the part before an `@`, a name and a password, is replaced.
    ///
    /// ```
    /// use links_sdk::BaseUrl;
    ///
    /// assert_eq!(BaseUrl::without_user_info("https://me:secret@links.example/v1"), "https://***@links.example/v1");
    /// ```
    pub fn without_user_info(url: &str) -> Cow<'_, str> {
        let start = url.find("//").map_or(0, |at| at + 2);
        let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
        match url[start..end].rfind('@') {
            Some(at) => format!("{}***{}", &url[..start], &url[start + at..]).into(),
            None => url.into(),
        }
    }

    /// Returns the URL, without a trailing `/`.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Returns the host, without its port.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn port(&self) -> Option<u16> {
        self.0.port_or_known_default()
    }

    /// Returns host and port, as errors name them, without the default port of the scheme.
    pub(crate) fn authority(&self) -> String {
        match self.0.port() {
            Some(port) => format!("{}:{port}", self.host()),
            None => self.host().to_owned(),
        }
    }

    /// Returns scheme, host and port, to which credentials belong.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Returns the URL of a path below this one.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

/// Returns whether a URL names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_78_a_token_never_travels_in_the_clear() {
        for text in [
            "http://127.0.0.1.evil.test/",
            "http://links.test",
            "http://10.0.0.1/",
            "ftp://links.test/",
            "file:///etc",
        ] {
            assert_eq!(BaseUrl::new(text), Err(InvalidBaseUrl::Insecure), "{text}");
        }
        for text in [
            "http://localhost@evil.test/",
            "https://user:pw@links.test/",
            "https://@links.test:443@evil.test/",
        ] {
            assert_eq!(BaseUrl::new(text), Err(InvalidBaseUrl::UserInfo), "{text}");
        }
        assert_eq!(BaseUrl::new("https://links.test/?a"), Err(InvalidBaseUrl::QueryOrFragment));
        assert!(matches!(BaseUrl::new("links.test"), Err(InvalidBaseUrl::Syntax(_))));
        for text in [
            "https://links.test/api/v1",
            "http://localhost:1/api",
            "http://[::1]:1",
            "http://127.9.9.9",
        ] {
            assert_eq!(BaseUrl::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn found_h_the_shown_url_holds_no_password() {
        for (url, shown) in [
            ("https://links.test/a@b", "https://links.test/a@b"),
            ("https://me:pw@links.test", "https://***@links.test"),
            ("http://a@b:p@links.test:80/x?y@z", "http://***@links.test:80/x?y@z"),
            ("me:pw@links.test/x", "***@links.test/x"),
            ("//me:pw@links.test", "//***@links.test"),
            ("", ""),
        ] {
            assert_eq!(BaseUrl::without_user_info(url), shown);
        }
    }

    #[test]
    fn the_trailing_slash_is_dropped() {
        assert_eq!(
            BaseUrl::new(" https://links.test/api/v1// ").unwrap().as_str(),
            "https://links.test/api/v1"
        );
        assert_eq!(BaseUrl::new("https://links.test/").unwrap().as_str(), "https://links.test");
        assert_eq!(
            BaseUrl::new("https://links.test:444/x").unwrap().origin(),
            "https://links.test:444"
        );
    }
}
