//! Histories over an account: files of pages and forms, which two people apply from machines of their own.

mod bindings;
mod composed;
mod execute;
mod generate;
mod git;
mod history;
mod lineage;
mod memory;
mod names;
mod operations;
mod record;
mod repository;
mod rules;
mod shorten;
mod world;

pub(crate) use execute::play;
pub(crate) use generate::history;
pub(crate) use history::AccountHistory;
