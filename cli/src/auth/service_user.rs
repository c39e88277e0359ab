//! Whom pages and page files belong to.

use links_sdk::BaseUrl;

use super::accounts::{AccountName, Accounts};

/// A user of a service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServiceUser {
    pub(crate) service: String,
    pub(crate) user: i64,
}

impl ServiceUser {
    /// Returns the user of a text that [`text`](Self::text) has made.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (service, user) = text.rsplit_once(' ')?;
        Some(Self { service: service.to_owned(), user: user.parse().ok()? })
    }

    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.service, self.user)
    }

    /// Returns the account of this machine.
    pub(crate) fn account(&self, accounts: &Accounts) -> Option<AccountName> {
        accounts.of_user(&BaseUrl::new(&self.service).ok()?.origin(), self.user).cloned()
    }
}
