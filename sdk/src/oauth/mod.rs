//! Login at the connector (the interface, section 5.3), and renewal of its tokens.
//!
//! A [`Connector`] discovers the authorization server and registers this program; its [`Login`] has a URL to open in a browser, and takes
//! the URL at which the browser ends; the [`Credentials`] go into a [`CredentialStore`], from which [`RefreshingTokenSource`] takes the
//! tokens of a [`Client`](crate::Client):
//!
//! ```
//! use links_sdk::Client;
//! use links_sdk::oauth::{Connector, Credentials, MemoryStore, RefreshingTokenSource};
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
//!     let connector = Connector::discover(mcp_url).await?;
//!     let login = connector.begin("http://127.0.0.1:49152/callback", "Café planner", None).await?;
//!     let redirect = in_the_browser(login.url()).await?;
//!     Ok(login.finish(&redirect).await?)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = links_fixtures::ContractServer::start(links_fixtures::World::cafe()).await;
//! # let (base, mcp_url) = (server.base_url(), server.mcp_url());
//! let store = MemoryStore::new(connect(&mcp_url).await?);
//! let client = Client::builder(base).token(RefreshingTokenSource::new(store)).build()?;
//! assert!(client.me().await?.can_write);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is sent unencrypted, except to this machine if the connector itself is on it, and nothing to private hosts other than the
//! connector's; redirects are not followed, and answers over 64 KiB are refused.

mod connector;
mod credentials;
mod endpoint;
mod error;
mod file_store;
mod http;
#[cfg(feature = "redis")]
mod redis_store;
mod refresh;
mod refreshing_token_source;
mod secrets;
#[cfg(feature = "redis")]
mod store_key;

pub use connector::{Connector, Login};
pub use credentials::{CredentialStore, Credentials, MemoryStore, StoreLock};
pub use error::LoginError;
pub use file_store::FileCredentialStore;
#[cfg(feature = "redis")]
pub use redis_store::RedisCredentialStore;
pub use refreshing_token_source::RefreshingTokenSource;
#[cfg(feature = "redis")]
pub use store_key::{InvalidStoreKey, StoreKey};
