//! What was seen on the way to the end of a link.

use std::time::SystemTime;

/// Reason of [`VisitEnd::Connection`] where this machine has no way to the host.
pub const NETWORK_UNREACHABLE: &str = "the network cannot be reached";

/// What was seen when a link was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Visit {
    /// Redirects that were followed, in order. The last one may lead to what was not requested.
    pub hops: Vec<Hop>,
    /// End of the visit.
    pub end: VisitEnd,
    /// The earliest end of the certificates that were seen.
    pub certificate_ends: Option<SystemTime>,
    /// The link is http, and the same URL with https works.
    pub works_with_https: bool,
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Hop {
    /// Status of the answer.
    pub status: u16,
    /// URL that it leads to, with its fragment, without a user name and a password.
    pub to: String,
    /// The answer sets a cookie, which is not sent back.
    pub sets_cookie: bool,
    /// The URL held a user name or a password.
    pub had_credentials: bool,
}

/// End of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VisitEnd {
    /// An answer that is no redirect to another URL, with its status.
    Status(u16),
    /// A redirect to a URL that was requested before.
    RedirectLoop,
    /// More redirects than are followed.
    TooManyRedirects,
    /// A redirect to a URL of this scheme, which is not requested.
    RedirectScheme(String),
    /// A redirect to what is no URL.
    RedirectUnreadable,
    /// The name of the host does not exist.
    NoHost,
    /// The name of the host cannot be resolved at the moment.
    NameUnresolved,
    /// The URL names a private host, which visitors cannot reach.
    PrivateHost,
    /// The name of the host resolves to private hosts only.
    PrivateName,
    /// The certificate is not valid, with the reason.
    Certificate(String),
    /// There is no secure connection for another reason.
    Tls(String),
    /// No answer within the time limit.
    Timeout,
    /// No connection or no HTTP answer, with the reason.
    Connection(String),
    /// The host did not answer the requests before this one, so it was not asked.
    SilentHost,
}

impl Visit {
    /// Returns a visit that ended at once.
    pub fn ended(end: VisitEnd) -> Self {
        Self { hops: Vec::new(), end, certificate_ends: None, works_with_https: false }
    }
}
