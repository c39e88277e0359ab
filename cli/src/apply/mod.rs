//! Parts of a run: what a page file asks for, its plan, its record, and what is said of it.

pub(crate) mod apply_args;
pub(crate) mod dry_run;
pub(crate) mod execute;
pub(crate) mod fail_on;
pub(crate) mod image;
pub(crate) mod lock_only;
pub(crate) mod locked;
mod locked_slots;
pub(crate) mod operation_file;
pub(crate) mod operations;
pub(crate) mod plan;
mod plan_target;
pub(crate) mod planned;
pub(crate) mod preflight;
pub(crate) mod problems;
pub(crate) mod run_progress;
pub(crate) mod runs;
pub(crate) mod schema_line;
pub(crate) mod sync;
pub(crate) mod unfinished_runs;
pub(crate) mod uploads;
pub(crate) mod write_log;
