//! Transport of every request: pacing, sending and retries.

mod admission;
pub(crate) mod answer;
mod attempt_loop;
pub(crate) mod caller_headers;
pub(crate) mod clock;
pub(crate) mod connection_options;
pub(crate) mod exchange;
pub(crate) mod http_sender;
pub(crate) mod observer;
pub(crate) mod pacing;
#[cfg(feature = "redis")]
pub(crate) mod redis_server;
pub(crate) mod retry;
pub(crate) mod retry_policy;
mod service_time;
mod shared;
pub(crate) mod tls;
pub(crate) mod trace;
pub(crate) mod write_tally;

use std::error::Error as StdError;

pub(crate) use admission::AdmittedRequest;
pub(crate) use answer::Answer;
pub(crate) use exchange::{CallFailure, CallOptions, CallResult, MakeRequest, NextAttempt};
pub(crate) use http_sender::BrokenBody;
pub(crate) use retry::AttemptCounts;
pub(crate) use shared::Shared;

/// Error of a library, of the system or of the program.
pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;
