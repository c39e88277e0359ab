//! Tests of syncs, by example and over random histories.

mod apply_checks;
mod applying;
mod examples;
mod field_edits;
mod git_model;
mod histories;
mod identity_rules;
mod large_locks;
mod lock_document;
mod merge_branches;
mod merge_rules;
mod own_writes;
mod pull_checks;
mod pull_rules;
mod pulling;
mod service;
mod settling;
mod status_rules;
mod working_copy;
mod world;
