//! Reasons why a file and its page cannot be compared.

use serde::Serialize;

use super::IdentityError;
use crate::apply::PlanError;

/// Reason why a file and its page cannot be compared. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SyncError {
    /// It is unclear which slots some items are.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// There is no record of the last sync, and the items do not fit the page.
    #[error(transparent)]
    Plan(#[from] PlanError),
}
