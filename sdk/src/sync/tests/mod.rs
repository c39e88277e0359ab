//! Tests of syncs, by example and over random histories.

mod examples;
mod histories;
mod identity_rules;
mod lock_document;
mod merge_branches;
mod merge_rules;
mod pull_rules;
mod service;
mod world;
