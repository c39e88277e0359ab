//! Check of the server that shares the rate limits between machines.

use links_sdk::{Clock, RedisPacer, SystemClock};

use super::finding::Finding;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::settings::connection::SharedPacing;

/// Name of the check.
const CHECK: &str = "shared rate limits";

pub(super) async fn check(SharedPacing { server, .. }: &SharedPacing) -> Finding {
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match RedisPacer::new(server.clone(), "doctor").check(&clock).await {
        Ok(()) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            Finding::good(CHECK, format!("{server} answered in {took} ms"))
        }
        Err(error) => Finding::bad(CHECK, &CommandError::new(Exit::Network, error.to_string())),
    }
}
