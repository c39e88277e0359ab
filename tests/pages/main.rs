//! Tests of pages, their plans and their runs, against the contract server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod apply;
mod apply_call;
mod concurrent_edits;
mod edits_during_waits;
mod errors;
mod examples;
mod executor;
mod faults;
mod foreign_edit;
mod page_fields;
mod readme;

mod recorded_run;
mod resume;
mod run_orders;
mod two_runners;
mod undo;

use links_test_support::service::{cafe, cafe_with, client_elsewhere, client_of};
