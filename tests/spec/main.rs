//! The description, the program that keeps the client true to it, and the rules of the house.
#![expect(clippy::unwrap_used, reason = "a test may stop")]

mod commands;
mod house;
mod openapi;
