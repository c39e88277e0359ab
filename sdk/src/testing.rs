//! Tools for testing your program (feature `testing`): a clock that never waits, and records and errors without a service.
//!
//! `links-fixtures` simulates the service: a server on loopback that models the whole interface, with faults and edits by other clients.
//! With a [`TestClock`], a retry after a 503 takes no time:
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
//! For tests that should not wait for the rate limits either, use [`RateLimits::unlimited`](crate::RateLimits::unlimited).

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Notify;

use crate::blocking::locked;
pub use crate::error::FailedCall;
use crate::token::Hidden;
use crate::types::{
    File, LeadForm, LoginCheck, Me, MusicMatch, NotificationChannel, Profile, ProfileSettings,
    SlotType,
};
use crate::{Clock, Slot};

/// Records of a café, one of each type, as the service answers them.
const SAMPLES: &str = include_str!("testing/samples.json");

/// A record that [`sample`] returns.
#[doc(hidden)]
pub trait Sample: DeserializeOwned {
    /// Name of the record in the file of samples.
    #[doc(hidden)]
    const NAME: &'static str;
}

macro_rules! samples {
    ($($record:ident),*) => {$(
        #[doc(hidden)]
        impl Sample for $record {
            const NAME: &'static str = stringify!($record);
        }
    )*};
}

samples!(
    File,
    LeadForm,
    LoginCheck,
    Me,
    MusicMatch,
    NotificationChannel,
    Profile,
    ProfileSettings,
    Slot,
    SlotType
);

/// Returns a record as the service sends it: a café's page, a button, a form with three fields. There is one for each type of record that a
/// call returns alone or in a list: `File`, `LeadForm`, `LoginCheck`, `Me`, `MusicMatch`, `NotificationChannel`, `Profile`,
/// `ProfileSettings`, `Slot` and `SlotType`.
///
/// ```
/// use links_sdk::testing::sample;
/// use links_sdk::types::Profile;
///
/// assert_eq!(sample::<Profile>().login, "cafe");
/// ```
pub fn sample<T: Sample>() -> T {
    sample_with(Value::Object(serde_json::Map::new()))
}

/// Returns a record with other values for some of its fields, under the names of the interface.
///
/// ```
/// use links_sdk::Slot;
/// use links_sdk::testing::sample_with;
/// use serde_json::json;
///
/// let slot = sample_with::<Slot>(json!({"type": "divider", "data": {}, "supported": true}));
/// assert_eq!(slot.kind, "divider");
/// ```
///
/// # Panics
///
/// Panics if `fields` is not an object, or the record cannot have such a value.
pub fn sample_with<T: Sample>(fields: Value) -> T {
    let Value::Object(fields) = fields else { panic!("not an object: {fields}") };
    let samples: Value = serde_json::from_str(SAMPLES).expect("the samples are JSON");
    let mut record = samples[T::NAME].clone();
    let known = record.as_object_mut().expect("each sample is an object");
    known.extend(fields);
    match serde_json::from_value(record) {
        Ok(record) => record,
        Err(error) => panic!("not a {}: {error}", T::NAME),
    }
}

/// A clock for tests. It stands still: a task that waits moves it forward and continues at once.
///
/// If several tasks wait at the same time, each of them moves it. Pass it to [`ClientBuilder::clock`](crate::ClientBuilder::clock).
///
/// ```
/// use std::time::Duration;
///
/// use links_sdk::Clock;
/// use links_sdk::testing::TestClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = TestClock::new();
/// let noon = clock.wall();
/// clock.sleep(Duration::from_secs(3600)).await;
/// assert_eq!(clock.wall(), noon + Duration::from_secs(3600));
/// assert_eq!(clock.slept(), [Duration::from_secs(3600)]);
/// # }
/// ```
#[derive(Debug)]
pub struct TestClock {
    start: SystemTime,
    now: Hidden<Box<dyn Fn() -> SystemTime + Send + Sync>>,
    advance: Hidden<Box<dyn Fn(Duration) + Send + Sync>>,
    slept: Mutex<Vec<Duration>>,
    moved: Notify,
}

impl TestClock {
    /// Returns a clock that shows 15 January 2027.
    pub fn new() -> Self {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let time = Arc::new(Mutex::new(start));
        let shown = time.clone();
        Self::shared(move || *locked(&shown), move |by| *locked(&time) += by)
    }

    /// Returns a clock that reads and moves another clock, such as the clock of the contract server:
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use links_sdk::testing::TestClock;
    ///
    /// let of_server = links_fixtures::Clock::manual(SystemTime::UNIX_EPOCH);
    /// let shown = of_server.clone();
    /// let clock = TestClock::shared(move || shown.now(), move |by| of_server.advance(by));
    /// # drop(clock);
    /// ```
    pub fn shared(
        now: impl Fn() -> SystemTime + Send + Sync + 'static,
        advance: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        let start = now();
        let (now, advance) = (Hidden(Box::new(now) as _), Hidden(Box::new(advance) as _));
        Self { start, now, advance, slept: Mutex::default(), moved: Notify::new() }
    }

    /// Moves the clock forward, as if time had passed between two calls. A call in progress whose deadline has then passed fails.
    pub fn advance(&self, by: Duration) {
        (self.advance)(by);
        self.moved.notify_waiters();
    }

    /// Returns every wait so far, such as those before a retry and those for the rate limits.
    pub fn slept(&self) -> Vec<Duration> {
        locked(&self.slept).clone()
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn monotonic(&self) -> Duration {
        self.wall().duration_since(self.start).unwrap_or_default()
    }

    fn wall(&self) -> SystemTime {
        (self.now)()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        locked(&self.slept).push(duration);
        self.advance(duration);
        Box::pin(ready(()))
    }

    fn until(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let moved = self.moved.notified();
                if self.monotonic() >= time {
                    return;
                }
                moved.await;
            }
        })
    }
}
