//! Servers, clocks and proxies that the tests of several crates share.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test may stop")]

pub mod authority;
pub mod canned;
pub mod clock;
pub mod contended;
pub mod example;
pub mod executor;
pub mod guide;
pub mod link_site;
pub mod misbehaving_servers;
pub mod orders;
pub mod priorities;
pub mod proxy;
pub mod readings;
pub mod ready;
pub mod recording;
pub mod redis;
pub mod service;
pub mod tls_front;
