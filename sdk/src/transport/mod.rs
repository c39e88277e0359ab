//! Transport of every request: pacing, sending, retries, and the hooks of the generated client.

mod admission;
pub(crate) mod answer;
pub(crate) mod budget;
mod call_context;
pub(crate) mod clock;
mod exchange;
mod hooks;
pub(crate) mod idempotency;
mod look;
mod make_request;
pub(crate) mod observer;
mod options;
pub(crate) mod pacing;
mod reserved;
pub(crate) mod retry;
pub(crate) mod retry_after;
mod run;
mod send;
mod sending;
mod shared;
pub(crate) mod tally;
pub(crate) mod tls;
pub(crate) mod wire;

pub(crate) use answer::Answer;
pub(crate) use call_context::CallContext;
pub(crate) use exchange::{Again, Broken, Exchange, Failure, Tries};
pub(crate) use make_request::{BoxFuture, MakeRequest};
pub(crate) use options::{Once, Options};
pub(crate) use reserved::Reserved;
pub(crate) use shared::Shared;
