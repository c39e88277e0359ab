//! The description of the service, the generator made from it, and checks of the repository's files: dependencies, documents and test targets.
#![expect(clippy::unwrap_used, reason = "a test may stop")]

mod commands;
mod dependencies;
mod documents;
mod examples;
mod faults;
mod features;
mod guide;
mod interface;
mod layers;
mod links;
mod modules;
mod names;
mod open_types;
mod openapi;
mod repository;
mod targets;
mod variables;
