//! Accounts, and where their secrets are kept. An account names a service and a place; the place holds the secret, which says itself
//! which origin it belongs to.

mod account;
mod command;
mod connection;
mod file;
mod keyring;
mod secret;
mod source;
mod store;

pub(crate) use account::{Account, AccountName, Accounts, AccountsFile, Kept};
pub(crate) use command::TokenCommand;
pub(crate) use keyring::check as check_keyring;
pub(crate) use secret::{Secret, Value};
pub(crate) use source::{Given, given};
pub(crate) use store::{Store, StoreError};
