//! Base URL of the service, checked before anything is sent to it.

use std::borrow::Cow;
use std::fmt;

use url::{Host, Url};

use crate::ids::InvalidValue;

/// The service's base URL, including the version segment (`https://example.test/api/v1`).
///
/// Only https is accepted, except for this machine, so that a token is never sent unencrypted.
///
/// ```
/// use links_sdk::BaseUrl;
///
/// assert_eq!(BaseUrl::new("http://127.0.0.1:8080/api/v1/")?.as_str(), "http://127.0.0.1:8080/api/v1");
/// assert!(BaseUrl::new("http://links.example/api/v1").is_err());
/// # Ok::<(), links_sdk::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Reads and checks a URL; a trailing `/` is dropped.
    ///
    /// # Errors
    ///
    /// When it is neither https nor http to this machine, or contains a user name, a password, `?` or `#`.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidValue> {
        Self::parse(text.as_ref(), false)
    }

    /// Reads and checks a URL, which may be `http` on any host if that is allowed.
    pub(crate) fn parse(text: &str, allows_http: bool) -> Result<Self, InvalidValue> {
        let refused = |why: &str| Err(InvalidValue::new(format!("the URL must {why}")));
        let mut url = Url::parse(text.trim())
            .map_err(|error| InvalidValue::new(format!("not a URL: {error}")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return refused("not contain a user name or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refused("not contain `?` or `#`");
        }
        match url.scheme() {
            "https" if url.has_host() => {}
            "http" if is_loopback(&url) || allows_http && url.has_host() => {}
            _ => return refused("be https (http only for 127.0.0.1, [::1] and localhost)"),
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Returns a URL, valid or not, for display. The user name and password before an `@` are replaced.
    ///
    /// ```
    /// use links_sdk::BaseUrl;
    ///
    /// assert_eq!(BaseUrl::without_user_info("https://me:secret@links.example/v1"), "https://***@links.example/v1");
    /// ```
    pub fn without_user_info(url: &str) -> Cow<'_, str> {
        let start = url.find("://").map(|at| at + 3).or_else(|| Some(url.find("//")? + 2));
        let start = start.unwrap_or_default();
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

    /// Returns the scheme, host and port, for which credentials are valid.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Returns the URL of a path below this one.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }

    /// Returns the host of a URL without anything that may be secret.
    pub(crate) fn of_host(url: &Url) -> Self {
        let mut url = url.clone();
        url.set_path("");
        url.set_query(None);
        Self(url)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

/// Returns whether a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl AsRef<str> for BaseUrl {
    fn as_ref(&self) -> &str {
        self.as_str()
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

    fn refused(text: &str) -> String {
        BaseUrl::new(text).unwrap_err().to_string()
    }

    #[test]
    fn a_token_never_travels_in_the_clear() {
        for text in [
            "http://127.0.0.1.evil.test/",
            "http://links.test",
            "http://10.0.0.1/",
            "ftp://links.test/",
            "file:///etc",
        ] {
            assert!(refused(text).contains("must be https"), "{text}");
        }
        for text in [
            "http://localhost@evil.test/",
            "https://user:pw@links.test/",
            "https://@links.test:443@evil.test/",
        ] {
            assert!(refused(text).contains("user name"), "{text}");
        }
        assert!(refused("https://links.test/?a").contains("not contain `?`"));
        assert!(refused("links.test").contains("not a URL"));
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
    fn the_shown_url_holds_no_password() {
        for (url, shown) in [
            ("https://links.test/a@b", "https://links.test/a@b"),
            ("https://me:pw@links.test", "https://***@links.test"),
            ("http://a@b:p@links.test:80/x?y@z", "http://***@links.test:80/x?y@z"),
            ("me:pw@links.test/x", "***@links.test/x"),
            ("//me:pw@links.test", "//***@links.test"),
            ("a//b https://me:pw@links.test", "a//b https://***@links.test"),
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
