//! Accounts and storage of their secrets. An account names a service and a storage location; the stored secret itself records the origin
//! that it belongs to.

mod accounts;
mod keyring;
mod secret_store;
mod token_source;

use std::borrow::Cow;
use std::sync::LazyLock;

pub(crate) use accounts::{
    Account, AccountName, Accounts, AccountsFile, SecretLocation, ServiceUser,
};
pub(crate) use keyring::check as check_keyring;
use links_sdk::Secrets;
pub(crate) use secret_store::{Store, Value};
pub(crate) use token_source::{ClientAuth, TokenCommand, load_auth, save_logins};

static KNOWN: LazyLock<Secrets> = LazyLock::new(Secrets::default);

/// Set to which each client of this process adds the tokens that it sends.
pub(crate) fn known_secrets() -> Secrets {
    KNOWN.clone()
}

/// Returns a text with the known tokens masked.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    KNOWN.hide(text)
}
