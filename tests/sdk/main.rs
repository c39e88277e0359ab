//! Tests of the client against the contract server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod arguments;
mod batch;
mod call_headers;
mod clock_jumps;
mod conditional_writes;
#[cfg(feature = "oauth")]
mod connector;
mod dates;
mod deadlines;
mod download;
mod errors;
mod examples;
mod executor;
mod faults;
#[cfg(feature = "oauth")]
mod file_store;
#[cfg(feature = "redis")]
mod fleet;
#[cfg(all(feature = "oauth", feature = "redis"))]
mod lease_orders;
mod login_change;
mod memory;
mod operations;
mod outcomes;
mod own_transport;
mod pacing;
mod raw;
#[cfg(feature = "oauth")]
mod readme;
#[cfg(feature = "oauth")]
mod renewal_orders;
#[cfg(feature = "oauth")]
mod renewals;
mod retry_dates;
mod suspends;
#[cfg(feature = "oauth")]
mod testing;
mod token_ends;
mod token_refresh;
mod token_source;
mod tolerant_reading;
#[cfg(feature = "tracing")]
mod traces;
mod upload;
mod upload_stream;
mod write_mode;
mod write_requests;

use links_test_support::service::{cafe, cafe_with, client_of, idempotency_keys, quick_cafe};
