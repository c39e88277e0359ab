//! Checks that ask a server: the connection, the clock, the abilities of the token and the limits; and the one that shares the rate limits.

use std::time::{Duration, SystemTime};

use links_sdk::types::Me;
use links_sdk::{Client, Clock, Error, SystemClock};

use super::finding::Finding;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Name of the check that the service can be reached.
pub(super) const CONNECTION: &str = "connection";
/// Name of the check of what the token may do.
const ABILITIES: &str = "abilities";

/// Maximum clock skew. A greater one affects decisions that depend on times, such as the age of idempotency keys.
const SKEW_MAX: Duration = Duration::from_secs(30);

/// Runs all checks that ask the service; only the first one if the service cannot be reached.
pub(super) async fn all(context: &Context, client: &Client) -> Vec<Finding> {
    let mut findings = Vec::new();
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match client.index().answer().await {
        Ok(answer) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            findings.push(Finding::good(CONNECTION, format!("it answered in {took} ms")));
            findings.extend(answer.header("date").map(|date| skew(date, clock.wall())));
        }
        Err(error) => {
            findings.push(unreachable(error));
            return findings;
        }
    }
    match client.me().await {
        Ok(me) => findings.extend([abilities(&me), limits(&me)]),
        Err(error) => findings.push(unknown_owner(error)),
    }
    if let Some(left) = context.requests_left() {
        findings.push(Finding::good("requests", format!("{left} left in this minute")));
    }
    findings
}

fn unreachable(error: Error) -> Finding {
    if error.is_not_found() {
        let message =
            "not found at this URL, which must include the version segment, such as /api/v1";
        return Finding::bad(CONNECTION, &CommandError::new(Exit::NotFound, message));
    }
    Finding::bad(CONNECTION, &error.into())
}

fn unknown_owner(error: Error) -> Finding {
    if error.is_not_authenticated() {
        let message =
            "the service does not know this token: it was revoked, or belongs to another service";
        return Finding::bad(ABILITIES, &CommandError::new(Exit::NotAuthenticated, message));
    }
    Finding::bad(ABILITIES, &error.into())
}

fn abilities(me: &Me) -> Finding {
    let may = me.abilities.join(", ");
    if me.can_write {
        Finding::good(ABILITIES, format!("{} may {may}", me.name))
    } else {
        Finding::doubtful(ABILITIES, format!("{} has read-only access ({may})", me.name))
    }
}

fn limits(me: &Me) -> Finding {
    let check = "limits";
    let (profiles, tokens) = (&me.limits.profiles, &me.limits.tokens);
    let message = format!(
        "{} of {} pages and {} of {} tokens are used",
        profiles.used, profiles.max, tokens.used, tokens.max
    );
    if profiles.used < profiles.max {
        Finding::good(check, message)
    } else {
        Finding::doubtful(check, message)
    }
}

fn skew(date: &str, now: SystemTime) -> Finding {
    let check = "clock";
    let Ok(there) = httpdate::parse_http_date(date) else {
        return Finding::doubtful(check, "the service sends no valid Date header");
    };
    let (off, way) = match now.duration_since(there) {
        Ok(ahead) => (ahead, "ahead"),
        Err(behind) => (behind.duration(), "behind"),
    };
    if off > SKEW_MAX {
        let message = format!("this machine is {} s {way} of the service", off.as_secs());
        Finding::doubtful(check, message)
    } else {
        Finding::good(check, "in sync with the service")
    }
}

/// Checks the server that shares the rate limits between machines.
#[cfg(feature = "redis")]
pub(super) async fn shared_limits(
    crate::settings::connection::SharedPacing { server, .. }: &crate::settings::connection::SharedPacing,
) -> Finding {
    let check = "shared rate limits";
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match links_sdk::RedisPacer::new(server.clone(), "doctor").check(&clock).await {
        Ok(()) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            Finding::good(check, format!("{server} answered in {took} ms"))
        }
        Err(error) => Finding::bad(check, &CommandError::new(Exit::Network, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::FindingState;
    use super::*;

    #[test]
    fn a_clock_skew_of_seconds_is_good_and_one_of_a_minute_is_not() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").unwrap();
        let state = |date| skew(date, now).state == FindingState::Good;
        assert!(state("Sat, 21 Nov 2026 10:00:20 GMT") && state("Sat, 21 Nov 2026 09:59:40 GMT"));
        assert!(!state("Sat, 21 Nov 2026 10:01:00 GMT") && !state("Sat, 21 Nov 2026 09:00:00 GMT"));
        assert!(!state("yesterday"));
    }
}
