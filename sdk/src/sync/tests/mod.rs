//! Tests of syncs, by example and over random histories.

mod histories;
mod merge_branches;
mod service;
mod world;
