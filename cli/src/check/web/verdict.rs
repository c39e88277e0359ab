//! Verdicts on links, with their reasons.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Reason why the link is not fine: its name in JSON, and its words.
    pub(crate) reason: Option<(&'static str, String)>,
    /// HTTP status, if that is the reason.
    pub(crate) status: Option<u16>,
    /// What else is to be known: the name of each note in JSON, and its words.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// URL that the link should be, because all of its redirects are permanent.
    pub(crate) moved_to: Option<String>,
    /// Time at which a certificate on the way ends, if that is noted.
    pub(crate) certificate_ends: Option<SystemTime>,
}

/// Name of the note that a link has moved.
pub(crate) const MOVED: &str = "moved";

impl Judgement {
    /// Returns the judgement of a link that is fine.
    pub(crate) const fn fine() -> Self {
        let (verdict, moved_to, certificate_ends) = (Verdict::Fine, None, None);
        Self { verdict, reason: None, status: None, notes: Vec::new(), moved_to, certificate_ends }
    }

    pub(crate) fn broken(code: &'static str, words: impl Into<String>) -> Self {
        Self { verdict: Verdict::Broken, ..Self::unsure(code, words) }
    }

    pub(crate) fn unsure(code: &'static str, words: impl Into<String>) -> Self {
        let reason = Some((code, words.into()));
        Self { verdict: Verdict::Unsure, reason, ..Self::fine() }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, code: &'static str, words: impl Into<String>) {
        self.notes.push((code, words.into()));
    }
}
