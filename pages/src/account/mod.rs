//! Pages and forms of an account, as they should be.
//!
//! [`ApplyAccount`] plans and applies a [`DesiredAccount`]: several pages, and the forms that they show, in one run. The desired content of
//! a page is merged with its current content, based on the record of their last sync (see [`sync`](crate::sync)). Across all pages,
//! additions come before removals.

mod account_error;
mod account_session;
mod desired_account;
mod form_plan;
mod known_forms;
mod read;
mod request;

pub use crate::form_file::DesiredForm;
pub use account_error::AccountError;
pub use desired_account::{
    AccountPage, AccountPlan, AppliedAccount, AppliedForm, AppliedPage, DesiredAccount, PagePlan,
};
pub use form_plan::{FormPlan, FormPlanError};
pub use known_forms::{KnownForms, UnknownForm};
pub use read::FileError;
pub use request::ApplyAccount;
