//! Accounts and storage of their secrets. An account names a service and a storage location; the stored secret itself records the origin
//! that it belongs to.

mod accounts;
mod keyring;
mod oauth_store;
pub(crate) mod redaction;
mod secret;
mod secret_file;
mod secret_store;
mod token_command;
mod token_source;

pub(crate) use accounts::{Account, AccountName, Accounts, AccountsFile, SecretLocation};
pub(crate) use keyring::check as check_keyring;
pub(crate) use secret::{Secret, Value};
pub(crate) use secret_store::{Store, StoreError};
pub(crate) use token_command::TokenCommand;
pub(crate) use token_source::{ClientAuth, load_auth};
