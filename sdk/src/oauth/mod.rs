//! Login at the connector, and renewal of its tokens.
//!
//! A [`Connector`] discovers the authorization server and registers this program. Its [`Login`] has a URL to open in a browser, and takes
//! the URL that the browser is redirected to. Store the resulting [`Credentials`] in a [`CredentialStore`]; from there, a
//! [`RefreshingTokenSource`] takes the tokens of a [`Client`](crate::Client):
//!
//! ```
//! use links_sdk::{Client, ConnectionOptions};
//! use links_sdk::oauth::{Connector, Credentials, RefreshingTokenSource, memory_store};
//!
//! /// Shows the URL to the user, and returns the URL at which the browser ends: here one of your own web application.
//! async fn in_the_browser(url: &str) -> Result<String, Box<dyn std::error::Error>> {
//! #   let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
//! #   let answer = browser.no_proxy().tls_certs_only([]).build()?.get(url).send().await?;
//! #   Ok(answer.headers()["location"].to_str()?.to_owned())
//! #   /*
//!     …
//! #   */
//! }
//!
//! async fn connect(mcp_url: &str) -> Result<Credentials, Box<dyn std::error::Error>> {
//!     let connector = Connector::discover(mcp_url, &ConnectionOptions::default()).await?;
//!     let login = connector.begin("http://127.0.0.1:49152/callback", "Café planner", None).await?;
//!     let redirect = in_the_browser(login.url()).await?;
//!     Ok(login.finish(&redirect).await?)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = links_fixtures::ContractServer::start(links_fixtures::World::cafe()).await;
//! # let (base, mcp_url) = (server.base_url(), server.mcp_url());
//! let store = memory_store(connect(&mcp_url).await?);
//! let client = Client::builder(base).token(RefreshingTokenSource::new(store)).build()?;
//! assert!(client.me().await?.can_write);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is sent unencrypted, except to this machine if the connector itself is on it. Private hosts other than the connector's are not
//! contacted, redirects are not followed, and responses over 64 KiB are refused.

use std::fmt;

pub use connector::{Connector, Login};
pub use credentials::{CredentialStore, Credentials, StoreLock, memory_store};
pub use file_store::file_store;
#[cfg(feature = "redis")]
pub use redis_store::{StoreKey, redis_store};
pub use refreshing_token_source::RefreshingTokenSource;

mod connector;
mod credentials;
mod file_store;
mod http;
#[cfg(feature = "redis")]
mod redis_store;
mod refreshing_token_source;

/// Error of a login. Its messages contain no secret, but they can contain text from the authorization server: sanitize them before you
/// print them to a terminal.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct LoginError(LoginErrorKind);

#[derive(Debug, thiserror::Error)]
pub(super) enum LoginErrorKind {
    #[error("cannot log in: {0}")]
    Refused(String),
    #[error("{0}")]
    Unreachable(String),
    #[error("access was denied ({error}){}", shown(.description.as_deref()))]
    Denied { error: String, description: Option<String> },
    #[error("the authorization server does not recognize this client")]
    UnknownClient,
}

fn shown(description: Option<&str>) -> String {
    description.map(|text| format!(": {text}")).unwrap_or_default()
}

impl LoginError {
    /// Returns the error for unacceptable input from the service or the caller.
    pub(super) fn refused(why: impl fmt::Display) -> Self {
        Self(LoginErrorKind::Refused(why.to_string()))
    }

    pub(super) fn unreachable(why: impl fmt::Display) -> Self {
        Self(LoginErrorKind::Unreachable(why.to_string()))
    }

    /// Returns whether the user or the authorization server denied access.
    pub fn is_denied(&self) -> bool {
        matches!(self.0, LoginErrorKind::Denied { .. })
    }

    /// Returns whether the authorization server could not be reached or failed, so a later login may succeed.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.0, LoginErrorKind::Unreachable(_))
    }

    /// Returns whether the authorization server does not know the given client. Without a client ID, [`Connector::begin`] registers a new
    /// one.
    pub fn is_unknown_client(&self) -> bool {
        matches!(self.0, LoginErrorKind::UnknownClient)
    }
}
