//! What the tests of a program need (feature `testing`): a clock that never waits, and records and errors without a service.
//!
//! `links-fixtures` is the service itself: a server on loopback that models the whole interface, with faults and edits by other clients.
//! Together with a [`TestClock`], a retry after a 503 costs no time:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use links_fixtures::{ContractServer, Fault, World};
//! use links_sdk::testing::TestClock;
//! use links_sdk::{Client, Token};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ContractServer::start(World::cafe()).await;
//! let clock = Arc::new(TestClock::new());
//! let token = Token::new(&server.token())?;
//! let client = Client::builder(server.base_url()).token(token).clock(clock.clone()).build()?;
//!
//! server.fail([1], &Fault::Before(503));
//! assert_eq!(client.me().await?.name, "Aliya Serikova");
//! assert!(clock.slept().iter().sum::<Duration>() > Duration::ZERO);
//! # Ok(())
//! # }
//! ```
//!
//! [`RateLimits::unlimited`](crate::RateLimits::unlimited) is for the tests that shall not wait for the rate limits either.

mod sample;
mod test_clock;

pub use crate::error::FailedCall;
pub use sample::{Sample, sample, sample_with};
pub use test_clock::TestClock;
