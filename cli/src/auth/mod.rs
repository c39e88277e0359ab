//! Accounts and storage of their secrets. An account names a service and a storage location; the stored secret itself records the origin
//! that it belongs to.

mod accounts;
mod keyring;
mod secret_store;
mod service_user;
mod token_source;

use std::borrow::Cow;
use std::sync::OnceLock;

pub(crate) use accounts::{Account, AccountName, Accounts, AccountsFile, SecretLocation};
pub(crate) use keyring::check as check_keyring;
use links_sdk::Secrets;
pub(crate) use secret_store::{Secret, Store, Value};
pub(crate) use service_user::ServiceUser;
pub(crate) use token_source::{ClientAuth, TokenCommand, load_auth, save_logins};

static KNOWN: OnceLock<Secrets> = OnceLock::new();

/// Set to which each client of this process adds the tokens that it sends.
pub(crate) fn known_secrets() -> Secrets {
    KNOWN.get_or_init(Secrets::default).clone()
}

/// Returns a text with the known tokens masked.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    match KNOWN.get() {
        Some(known) => match known.hide(text) {
            Cow::Owned(hidden) => Cow::Owned(hidden),
            Cow::Borrowed(_) => Cow::Borrowed(text),
        },
        None => Cow::Borrowed(text),
    }
}
