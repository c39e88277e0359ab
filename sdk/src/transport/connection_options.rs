//! Options of the connections to the service: certificates, client certificate, proxy; and why a client cannot be built.

use std::fmt;
use std::time::Duration;

use reqwest::redirect::Policy;
use url::Url;

use super::BoxError;
use super::http_sender::HttpClient;
use super::tls::{self, Certificate, Identity};
use crate::base_url::{BaseUrl, is_loopback};
use crate::ids::InvalidValue;

/// Value of `User-Agent`, unless the program sets one.
pub(crate) const USER_AGENT_OF_SDK: &str = concat!("links-sdk/", env!("CARGO_PKG_VERSION"));

/// Options of the connections to the service and to its connector: trusted certificates, client certificate, proxy. Pass them to
/// [`ClientBuilder::connection`](crate::ClientBuilder::connection). Cloning is cheap.
///
/// Keys and passwords never appear in its `Debug` text.
///
/// ```
/// use links_sdk::{Client, ConnectionOptions};
///
/// let options = ConnectionOptions::default().proxy("http://proxy.example:3128")?;
/// let client = Client::builder("https://links.example/api/v1").connection(options).build()?;
/// # Ok::<(), links_sdk::BuildError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct ConnectionOptions {
    /// Trusted beside those of the system.
    roots: Vec<Certificate>,
    identity: Option<Identity>,
    proxy: Option<Url>,
}

impl ConnectionOptions {
    /// Adds the certificates of a PEM text to the trusted ones, in addition to the certificates of the system.
    ///
    /// ```no_run
    /// use links_sdk::ConnectionOptions;
    ///
    /// let options = ConnectionOptions::default().root_certificate(std::fs::read("company-ca.pem")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text contains no certificate, or one that cannot be read.
    pub fn root_certificate(mut self, pem: impl AsRef<[u8]>) -> Result<Self, BuildError> {
        let roots = tls::certificates(pem.as_ref())
            .map_err(BuildError::because("cannot use the root certificate"))?;
        self.roots.extend(roots);
        Ok(self)
    }

    /// Sets the client certificate and its private key, both in one PEM text. The certificate comes first, followed by the intermediate
    /// certificates up to its authority.
    ///
    /// ```no_run
    /// use links_sdk::ConnectionOptions;
    ///
    /// let pem = [std::fs::read("client.pem")?, std::fs::read("client.key")?].concat();
    /// let options = ConnectionOptions::default().identity(pem)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text contains no certificate or no private key, when one of them cannot be read (encrypted keys are not supported), or when
    /// the key does not match the certificate.
    pub fn identity(self, pem: impl AsRef<[u8]>) -> Result<Self, BuildError> {
        let identity = tls::identity(pem.as_ref())
            .map_err(BuildError::because("cannot use the client certificate"))?;
        Ok(Self { identity: Some(identity), ..self })
    }

    /// Sets the proxy for every connection, instead of the system's. The URL may contain a user name and a password.
    ///
    /// ```
    /// use links_sdk::ConnectionOptions;
    ///
    /// let options = ConnectionOptions::default().proxy("http://me:secret@proxy.example:3128")?;
    /// assert!(!format!("{options:?}").contains("secret"));
    /// assert!(ConnectionOptions::default().proxy("ftp://proxy.example").is_err());
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text is not an http or https URL.
    pub fn proxy(self, url: impl AsRef<str>) -> Result<Self, BuildError> {
        let url = url.as_ref();
        let shown = BaseUrl::without_user_info(url);
        let refused = BuildError::because(format!("cannot use the proxy {shown:?}"));
        let proxy = match Url::parse(url.trim()) {
            Ok(proxy) if matches!(proxy.scheme(), "http" | "https") => proxy,
            Ok(other) => {
                return Err(refused(format!("it must be http or https, not {}", other.scheme())));
            }
            Err(error) => return Err(refused(error.to_string())),
        };
        Ok(Self { proxy: Some(proxy), ..self })
    }

    /// Returns the same options without the client certificate, for hosts that are not the service.
    pub(crate) fn without_identity(&self) -> Self {
        Self { identity: None, ..self.clone() }
    }

    /// Returns whether an option is set.
    pub(crate) fn is_set(&self) -> bool {
        !self.roots.is_empty() || self.identity.is_some() || self.proxy.is_some()
    }

    /// Returns whether there is a client certificate.
    #[cfg(feature = "oauth")]
    pub(crate) fn has_identity(&self) -> bool {
        self.identity.is_some()
    }

    /// Returns the host of the proxy.
    #[cfg(feature = "oauth")]
    pub(crate) fn proxy_host(&self) -> Option<&str> {
        self.proxy.as_ref()?.host_str()
    }

    /// Returns an HTTP client with these options, for a host of this URL, that follows no redirect and repeats nothing. Connections within this
    /// machine use a proxy only if it is set.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up, or the client cannot start.
    pub(crate) fn client(
        &self,
        url: &Url,
        connect: Duration,
        set: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<HttpClient, BuildError> {
        let builder = set(reqwest::Client::builder())
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(connect);
        let is_https = self.proxy.iter().chain([url]).any(|url| url.scheme() == "https");
        let builder = tls::apply(builder, is_https, &self.roots, self.identity.as_ref())
            .map_err(BuildError::because("cannot set up TLS"))?;
        let proxy = self.proxy.as_ref().map(|proxy| reqwest::Proxy::all(proxy.as_str()));
        let client = match proxy.transpose() {
            Ok(Some(proxy)) => builder.proxy(proxy).build(),
            Ok(None) if is_loopback(url) => builder.no_proxy().build(),
            Ok(None) => builder.build(),
            Err(error) => Err(error.without_url()),
        };
        Ok(HttpClient::new(client.map_err(BuildError::because("cannot create the HTTP client"))?))
    }
}

impl fmt::Debug for ConnectionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proxy = self.proxy.as_ref().map(Url::as_str).map(BaseUrl::without_user_info);
        f.debug_struct("ConnectionOptions")
            .field("root_certificates", &self.roots.len())
            .field("identity", &self.identity.as_ref().map(|_| "***"))
            .field("proxy", &proxy)
            .finish()
    }
}

/// Reason why a client cannot be built. If an option cannot be used, the source has the reason.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct BuildError {
    what: String,
    source: Option<BoxError>,
}

impl BuildError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), source: None }
    }

    pub(crate) fn because<E: Into<BoxError>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        |why| Self { what, source: Some(why.into()) }
    }
}

impl From<InvalidValue> for BuildError {
    fn from(error: InvalidValue) -> Self {
        Self::new(error.to_string())
    }
}
