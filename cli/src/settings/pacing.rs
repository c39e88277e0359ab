//! Sharing of the rate limits between machines.

#[cfg(feature = "redis")]
use links_sdk::{RedisServer, WhenUnreachable};

use crate::env_vars::PACER;
#[cfg(feature = "redis")]
use crate::env_vars::PACER_UNREACHABLE;
use crate::error::CommandError;

/// Server that shares the rate limits between machines, and what happens while it cannot be reached.
#[cfg(feature = "redis")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedPacing {
    pub(crate) server: RedisServer,
    pub(crate) when_unreachable: WhenUnreachable,
}

/// This program was built without Redis.
#[cfg(not(feature = "redis"))]
pub(crate) use std::convert::Infallible as SharedPacing;

#[cfg(feature = "redis")]
pub(super) fn of(
    set: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<SharedPacing>, CommandError> {
    let Some(url) = set(PACER) else { return Ok(None) };
    let server = RedisServer::new(&url)
        .map_err(|error| CommandError::usage(format!("{PACER} is {error}")))?;
    let when_unreachable = set(PACER_UNREACHABLE).map_or(Ok(WhenUnreachable::Wait), |word| {
        when_unreachable(&word).ok_or_else(|| {
            CommandError::usage(format!(
                "{PACER_UNREACHABLE} must be wait, fail or share:N, not `{word}`"
            ))
        })
    })?;
    Ok(Some(SharedPacing { server, when_unreachable }))
}

#[cfg(not(feature = "redis"))]
pub(super) fn of(
    set: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<SharedPacing>, CommandError> {
    match set(PACER) {
        None => Ok(None),
        Some(_) => Err(CommandError::usage(format!(
            "{PACER} is set, but this program was built without Redis"
        ))),
    }
}

#[cfg(feature = "redis")]
fn when_unreachable(word: &str) -> Option<WhenUnreachable> {
    match (word, word.strip_prefix("share:")) {
        ("wait", _) => Some(WhenUnreachable::Wait),
        ("fail", _) => Some(WhenUnreachable::Fail),
        (_, Some(shares)) => {
            shares.parse().ok().filter(|shares| *shares > 0).map(WhenUnreachable::Share)
        }
        _ => None,
    }
}

#[cfg(all(test, feature = "redis"))]
mod tests {
    use super::*;

    fn of_variables(url: &str, unreachable: &str) -> Result<Option<SharedPacing>, String> {
        let set = |name: &str| match name {
            PACER => Some(url.to_owned()).filter(|it| !it.is_empty()),
            PACER_UNREACHABLE => Some(unreachable.to_owned()).filter(|it| !it.is_empty()),
            _ => None,
        };
        of(&set).map_err(|error| error.to_string())
    }

    #[test]
    fn the_server_and_what_happens_without_it_are_read_from_variables() {
        let without = |word| {
            of_variables("redis://:canary@redis.example", word)
                .map(|it| it.unwrap().when_unreachable)
        };
        assert_eq!(of_variables("", "share:x"), Ok(None));
        assert_eq!(without(""), Ok(WhenUnreachable::Wait));
        assert_eq!(without("wait"), Ok(WhenUnreachable::Wait));
        assert_eq!(without("fail"), Ok(WhenUnreachable::Fail));
        assert_eq!(without("share:16"), Ok(WhenUnreachable::Share(16)));
        for word in ["share", "share:", "share:0", "share:-1", "Wait", "no"] {
            let expected =
                format!("{PACER_UNREACHABLE} must be wait, fail or share:N, not `{word}`");
            assert_eq!(without(word), Err(expected));
        }
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let pacing = of_variables("redis://:canary@redis.example", "").unwrap();
        assert!(!format!("{pacing:?}").contains("canary"));
        for url in ["http://:canary@redis.example", "redis://:canary@[", "redis://h/canary"] {
            let error = of_variables(url, "").unwrap_err();
            assert!(error.starts_with("LINKS_PACER is not the URL of a Redis server: "), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
    }
}
