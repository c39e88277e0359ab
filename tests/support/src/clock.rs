//! Clock shared by the client and the service under test; sleeping moves it on.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use links_fixtures::Clock as ServiceClock;
use links_sdk::testing::TestClock;

/// Returns a clock for the client, and the one of the contract server, whose time it shares.
pub fn shared_clock() -> (Arc<TestClock>, ServiceClock) {
    let service = ServiceClock::manual(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    let (shown, moved) = (service.clone(), service.clone());
    (Arc::new(TestClock::shared(move || shown.now(), move |by| moved.advance(by))), service)
}
