//! Verdicts on links, with their reasons.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Verdict on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Visitors get there.
    #[default]
    Fine,
    /// A program cannot tell.
    Unsure,
    /// Visitors do not get there.
    Broken,
}

/// Verdict on a link with its reason and notes. By default, the link is fine.
#[derive(Clone, Debug, Default)]
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
    pub(crate) fn broken(code: &'static str, words: impl Into<String>) -> Self {
        Self { verdict: Verdict::Broken, ..Self::unsure(code, words) }
    }

    pub(crate) fn unsure(code: &'static str, words: impl Into<String>) -> Self {
        let reason = Some((code, words.into()));
        Self { verdict: Verdict::Unsure, reason, ..Self::default() }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, code: &'static str, words: impl Into<String>) {
        self.notes.push((code, words.into()));
    }
}
