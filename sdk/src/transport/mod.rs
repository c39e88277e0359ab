//! Transport of every request: pacing, sending and retries.

mod admission;
pub(crate) mod answer;
mod attempt_loop;
pub(crate) mod before_send;
pub(crate) mod body_reader;
mod call_result;
pub(crate) mod caller_headers;
pub(crate) mod clock;
pub(crate) mod connection_options;
pub(crate) mod http_client;
pub(crate) mod http_sender;
pub(crate) mod idempotency;
mod lost_answer;
mod make_request;
pub(crate) mod observer;
mod options;
pub(crate) mod pacing;
#[cfg(any(feature = "oauth", feature = "link-check"))]
pub(crate) mod public_resolver;
#[cfg(feature = "redis")]
pub(crate) mod redis_server;
mod reservation;
pub(crate) mod retry;
pub(crate) mod retry_after;
pub(crate) mod retry_budget;
pub(crate) mod retry_policy;
mod send;
mod shared;
mod stall_detector;
pub(crate) mod tls;
pub(crate) mod trace;
pub(crate) mod write_tally;

pub(crate) use answer::Answer;
pub(crate) use call_result::{AttemptCounts, BrokenAttempt, CallFailure, CallResult, NextAttempt};
pub(crate) use http_sender::BrokenBody;
pub(crate) use make_request::{BoxFuture, MakeRequest, RequestResult, TypedRequest};
pub(crate) use options::{CallOptions, SingleAttempt};
pub(crate) use reservation::Reservation;
pub(crate) use shared::Shared;
