//! Clock shared by the client and the service under test; sleeping moves it on.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use links_fixtures::Clock as ServiceClock;

/// A clock for the client that shares its time with the contract server.
#[derive(Debug)]
pub struct SharedClock {
    service: ServiceClock,
    start: SystemTime,
    slept: Mutex<Vec<Duration>>,
}

impl SharedClock {
    /// Returns a clock that shows an arbitrary moment; the second one is for the server.
    pub fn new() -> (std::sync::Arc<Self>, ServiceClock) {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let service = ServiceClock::manual(start);
        let clock = Self { service: service.clone(), start, slept: Mutex::default() };
        (std::sync::Arc::new(clock), service)
    }

    /// Returns every wait so far.
    pub fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap().clone()
    }
}

impl links_sdk::Clock for SharedClock {
    fn monotonic(&self) -> Duration {
        self.service.now().duration_since(self.start).unwrap()
    }

    fn wall(&self) -> SystemTime {
        self.service.now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.slept.lock().unwrap().push(duration);
        self.service.advance(duration);
        Box::pin(ready(()))
    }
}
