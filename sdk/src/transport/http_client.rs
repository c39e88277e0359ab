//! HTTP client of the network library, of which nothing is shown: its default headers and its proxy may hold secrets.

use std::fmt;

/// HTTP client. Clones share its connections.
#[derive(Clone)]
pub(crate) struct HttpClient(pub(crate) reqwest::Client);

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient(..)")
    }
}
