//! Verdicts on links, with their reasons.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::visit::VisitEnd;

/// Verdict on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Visitors get there.
    Fine,
    /// A program cannot tell.
    Unsure,
    /// Visitors do not get there.
    Broken,
}

/// Verdict on a link with its reason and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// Verdict.
    pub(crate) verdict: Verdict,
    /// Reason why the link is not fine.
    pub(crate) reason: Option<VerdictReason>,
    /// What else is to be known.
    pub(crate) notes: Vec<LinkNote>,
}

/// Reason why a link is not fine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VerdictReason {
    /// It is no URL, with what is wrong.
    Syntax(String),
    /// A URL of this scheme opens nothing for a visitor.
    Scheme(String),
    /// The redirects form a loop for a program that keeps no cookies.
    CookieLoop,
    /// A link to something within a site ends at the start page of the site.
    StartPage(String),
    /// The end of the visit.
    Visit(VisitEnd),
}

/// What is to be known about a link besides its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkNote {
    /// All redirects are permanent, so the link should be this URL.
    Moved(String),
    /// A certificate on the way ends in this number of days.
    CertificateEnds {
        /// Time at which it ends.
        at: SystemTime,
        /// Days until then.
        days: u64,
    },
    /// The same URL with https works, too.
    WorksWithHttps(String),
    /// The URL holds a user name or a password, which every visitor can read. It was requested without.
    Credentials,
    /// URLs of this scheme are not requested.
    NotRequested(String),
    /// The reason is that of this host, to which the link redirects.
    Redirected(String),
}

impl Judgement {
    /// Returns the judgement of a link that is fine.
    pub(crate) const fn fine(notes: Vec<LinkNote>) -> Self {
        Self { verdict: Verdict::Fine, reason: None, notes }
    }

    pub(crate) const fn broken(reason: VerdictReason) -> Self {
        Self { verdict: Verdict::Broken, reason: Some(reason), notes: Vec::new() }
    }

    pub(crate) const fn unsure(reason: VerdictReason) -> Self {
        Self { verdict: Verdict::Unsure, reason: Some(reason), notes: Vec::new() }
    }

    /// Returns the URL that the link should be, if it has moved for good.
    pub(crate) fn moved_to(&self) -> Option<&str> {
        self.notes.iter().find_map(|note| match note {
            LinkNote::Moved(to) => Some(to.as_str()),
            _ => None,
        })
    }
}

impl VerdictReason {
    /// Returns the name in JSON.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "syntax",
            Self::Scheme(_) => "scheme",
            Self::CookieLoop => "cookie_loop",
            Self::StartPage(_) => "start_page",
            Self::Visit(end) => end.code(),
        }
    }

    /// Returns the HTTP status, if that is the reason.
    pub(crate) const fn status(&self) -> Option<u16> {
        match self {
            Self::Visit(VisitEnd::Status(status)) => Some(*status),
            _ => None,
        }
    }
}

impl LinkNote {
    /// Returns the name in JSON.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Moved(_) => "moved",
            Self::CertificateEnds { .. } => "certificate_ends",
            Self::WorksWithHttps(_) => "works_with_https",
            Self::Credentials => "credentials",
            Self::NotRequested(_) => "not_requested",
            Self::Redirected(_) => "redirected",
        }
    }
}

impl fmt::Display for VerdictReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(what) => f.write_str(what),
            Self::Scheme(scheme) => write!(f, "a {scheme}: link opens nothing for a visitor"),
            Self::CookieLoop => f.write_str("redirects in a loop without cookies, look yourself"),
            Self::StartPage(url) => write!(f, "ends at the start page {url}"),
            Self::Visit(end) => end.fmt(f),
        }
    }
}

impl fmt::Display for LinkNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved(to) => write!(f, "moved to {to}"),
            Self::CertificateEnds { days: 0, .. } => {
                f.write_str("the certificate ends within a day")
            }
            Self::CertificateEnds { days: 1, .. } => f.write_str("the certificate ends in 1 day"),
            Self::CertificateEnds { days, .. } => write!(f, "the certificate ends in {days} days"),
            Self::WorksWithHttps(url) => write!(f, "works with https, too: {url}"),
            Self::Credentials => {
                f.write_str("holds a user name or a password, which every visitor can read")
            }
            Self::NotRequested(scheme) => write!(f, "{scheme}: links are not requested"),
            Self::Redirected(host) => write!(f, "after a redirect to {host}"),
        }
    }
}
