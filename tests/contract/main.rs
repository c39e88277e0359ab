//! Tests of the contract server against the interface, rule by rule over plain HTTP.
//!
//! Each test is named after the section and rule it shows; each has its own server and its own account.

mod calendar;
mod connector;
mod faults;
mod foreign_requests;
mod image;
mod operations;
mod shapes;
mod support;

mod s1_unavailable;
mod s2_profiles;
mod s2_records;
mod s2_slots;
mod s3_states;
mod s4_10_analytics;
mod s4_1_common;
mod s4_1_idempotency;
mod s4_2_operations;
mod s4_3_index;
mod s4_4_me;
mod s4_5_profiles;
mod s4_6_slot_batches;
mod s4_6_slots;
mod s4_7_forms;
mod s4_8_music;
mod s4_9_files;
mod s5_authentication;
mod s7_errors;
mod s8_limits;
mod s9_versioning;
mod server;
mod silences;
mod state_file;
