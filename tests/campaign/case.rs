//! A history of either kind: of one page, or of an account.

use serde::{Deserialize, Serialize};

use crate::accounts::{self, AccountHistory};
use crate::execute;
use crate::generate::{self, Settings};
use crate::history::History;
use crate::invariants::Violation;
use crate::process::Program;
use crate::shorten;
use crate::tally::Tally;

/// A history that can be stored, replayed and shortened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Case {
    Account(AccountHistory),
    Page(History),
}

/// Kinds of histories that a campaign has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    All,
    Account,
    /// Histories of an account with Git.
    Git,
    Page,
}

/// One of so many histories is that of an account.
const ACCOUNTS: u64 = 2;

impl Case {
    /// Returns the history of a seed.
    pub(crate) fn of(seed: u64, kinds: Kinds, settings: Settings) -> Self {
        let is_account = match kinds {
            Kinds::All => seed.is_multiple_of(ACCOUNTS),
            Kinds::Account | Kinds::Git => true,
            Kinds::Page => false,
        };
        if is_account {
            Self::Account(accounts::history(seed, settings, kinds == Kinds::Git))
        } else {
            Self::Page(generate::history(seed, settings))
        }
    }

    /// Plays the history to its end or to the first violation. Returns the counts, and the violation with its step.
    pub(crate) fn play(&self, program: &Program) -> (Tally, Option<(usize, Violation)>) {
        match self {
            Self::Account(history) => accounts::play(history, program),
            Self::Page(history) => execute::play(history, program),
        }
    }

    /// Returns histories with a part left out, those with a large part first.
    pub(crate) fn candidates(&self) -> Vec<Self> {
        match self {
            Self::Account(history) => history.candidates().into_iter().map(Self::Account).collect(),
            Self::Page(history) => {
                shorten::candidates(history).into_iter().map(Self::Page).collect()
            }
        }
    }
}
