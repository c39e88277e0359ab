//! Tests of the program as its users run it: the real binary, a cleared environment, a contract server on this machine.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod account_output;
#[cfg(target_os = "linux")]
mod account_progress;
mod agents;
mod analytics;
mod api;
mod apply;
mod auth;
mod blocks;
mod branches;
mod browser;
mod bug_report;
#[cfg(target_os = "linux")]
mod bulk;
mod bulk_faults;
mod bulk_input;
#[cfg(target_os = "linux")]
mod bulk_interrupts;
mod canary;
#[cfg(target_os = "linux")]
mod certificates;
mod check;
mod chromium;
mod ci;
mod clicks;
mod completion;
mod config;
mod connect;
mod crash;
mod docs;
#[cfg(target_os = "linux")]
mod dry_run;
mod edit;
mod escape_hatches;
#[cfg(target_os = "linux")]
mod examples;
#[cfg(target_os = "linux")]
mod exits;
mod failures;
mod files;
mod first_contact;
mod fleet;
mod form_sync;
mod forms;
#[cfg(target_os = "linux")]
mod guides;
mod hints;
#[cfg(target_os = "linux")]
mod hostile_texts;
mod images;
#[cfg(unix)]
mod interrupts;
#[cfg(target_os = "linux")]
mod jq_process;
mod keyring;
#[cfg(target_os = "linux")]
mod keys;
#[cfg(target_os = "linux")]
mod leaves;
mod lint;
#[cfg(unix)]
mod lock_only;
mod music;
#[cfg(target_os = "linux")]
mod named_files;
mod names;
mod operation_files;
mod operations;
mod origins;
#[cfg(target_os = "linux")]
mod outcomes;
mod output;
mod output_schemas;
mod pacing;
mod pages;
#[cfg(target_os = "linux")]
mod plan_first;
mod preview;
#[cfg(unix)]
mod preview_browser;
#[cfg(unix)]
mod preview_serve;
mod pull;
mod pull_account;
mod pull_images;
mod pull_portable;
#[cfg(unix)]
mod recording;
mod reference;
mod references;
mod refreshed_images;
mod renewals;
mod requests;
mod restores;
mod runs;
mod sandbox;
mod saved_plans;
mod schemas;
mod search;
#[cfg(target_os = "linux")]
mod security;
mod served_sandbox;
#[cfg(unix)]
mod several_accounts;
mod single_files;
mod slots;
mod stderr;
mod steps;
mod surface;
mod sync;
#[cfg(target_os = "linux")]
mod terminal;
mod test_env;
mod time_zones;
#[cfg(unix)]
mod tmux;
mod unchanged;
mod undo;
mod undo_files;
mod uploads;
mod validation;
mod whole_files;
mod whole_plan;
#[cfg(unix)]
mod workflows;
mod write_log;
mod written_locks;
mod year_of_runs;
