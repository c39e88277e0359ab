//! Checks of this machine: the settings, the origin of the token, and the permissions of files and directories; and those that ask a server:
//! the connection, the clock, the abilities of the token and the limits, and the one that shares the rate limits.

use std::time::{Duration, SystemTime};

use links_sdk::{Clock, RedisPacer, RedisServer, SystemClock};

use crate::commands::prelude::*;
use crate::context::no_service;
use crate::env_vars::{CACHE_DIR, CONFIG_DIR, STATE_DIR};
use crate::settings::config_file::Config;
use crate::settings::{ServiceTarget, Settings, TokenOrigin, config_file};

/// Result of one check.
pub(super) struct Finding {
    /// Name of the check.
    pub(super) check: &'static str,
    pub(super) state: FindingState,
    pub(super) message: String,
}

/// State of what was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingState {
    Good,
    Doubtful,
    /// Commands fail because of it, with this exit code.
    Bad(Exit),
}

impl FindingState {
    /// Name in the data.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad(_) => "bad",
        }
    }
}

impl Finding {
    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Good, message: message.into() }
    }

    pub(super) fn doubtful(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Doubtful, message: message.into() }
    }

    fn good_if(is_good: bool, check: &'static str, message: String) -> Self {
        if is_good { Self::good(check, message) } else { Self::doubtful(check, message) }
    }

    pub(super) fn bad(check: &'static str, failure: &CommandError) -> Self {
        Self { check, state: FindingState::Bad(failure.exit()), message: failure.to_string() }
    }
}

/// Runs all checks that need no client.
pub(super) fn of_machine(settings: &Settings) -> Vec<Finding> {
    vec![
        configuration(settings),
        directory("configuration directory", settings.config_directory()),
        directory("state directory", settings.state_directory()),
        directory("cache directory", settings.cache_directory()),
    ]
}

fn configuration(settings: &Settings) -> Finding {
    let check = "configuration";
    let path = settings.needed_config_directory().map(|directory| config_file::path(&directory));
    match path.and_then(|path| Config::load(&path).map(|_| path)) {
        Ok(path) if path.exists() => Finding::good(check, path.display().to_string()),
        Ok(path) => Finding::good(check, format!("no configuration file at {}", path.display())),
        Err(failure) => Finding::bad(check, &failure),
    }
}

/// Checks the URL of the service.
pub(super) fn service(target: &ServiceTarget) -> Finding {
    let check = "service";
    match target {
        ServiceTarget::Service(url) => match url.base() {
            Ok(base) => Finding::good(check, format!("{base} (from {})", url.from)),
            Err(failure) => Finding::bad(check, &failure),
        },
        ServiceTarget::Sandbox(_) => Finding::good(check, "the sandbox on this machine"),
        ServiceTarget::Unset => Finding::bad(check, &no_service()),
    }
}

/// Checks the token of a client, or why there is no client.
pub(super) fn token(settings: &Settings, client: &Result<Client>) -> Finding {
    let check = "token";
    match (client, &settings.token) {
        (Err(failure), _) => Finding::bad(check, failure),
        _ if matches!(settings.target, ServiceTarget::Sandbox(_)) => {
            Finding::good(check, "the sandbox has its own token")
        }
        (_, TokenOrigin::File(path)) if others_may(path, 0o077) => {
            let message =
                format!("{} is readable by others; run `chmod 600` on it", path.display());
            Finding::doubtful(check, message)
        }
        (_, TokenOrigin::Account(name, _)) => Finding::good(check, format!("from account {name}")),
        (_, token) => Finding::good(check, format!("from {}", token.source())),
    }
}

fn directory(check: &'static str, directory: Option<PathBuf>) -> Finding {
    let Some(directory) = directory else {
        return Finding::doubtful(
            check,
            format!("no home directory found; set {CONFIG_DIR}, {STATE_DIR} and {CACHE_DIR}"),
        );
    };
    let name = directory.display();
    let existing = nearest_existing(&directory);
    match existing.metadata() {
        _ if others_may(&directory, 0o022) => Finding::doubtful(
            check,
            format!("{name} is writable by others; run `chmod go-w` on it"),
        ),
        // On Windows, this attribute of a directory means something else.
        Ok(found) if cfg!(unix) && found.permissions().readonly() => {
            Finding::doubtful(check, format!("{name} is read-only"))
        }
        Ok(found) if !found.is_dir() => {
            Finding::doubtful(check, format!("{} is not a directory", existing.display()))
        }
        _ => Finding::good(check, name.to_string()),
    }
}

/// Returns the directory itself, or its nearest existing ancestor.
fn nearest_existing(directory: &Path) -> &Path {
    directory.ancestors().find(|it| it.exists()).unwrap_or(directory)
}

#[cfg(unix)]
fn others_may(path: &Path, bits: u32) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.permissions().mode() & bits != 0)
}

#[cfg(not(unix))]
fn others_may(_: &Path, _: u32) -> bool {
    false
}

/// Name of the check that the service can be reached.
pub(super) const CONNECTION: &str = "connection";
/// Name of the check of what the token may do.
const SCOPES: &str = "scopes";

/// Maximum clock skew. A greater one affects decisions that depend on times, such as the age of idempotency keys.
const SKEW_MAX: Duration = Duration::from_secs(30);

/// Runs all checks that ask the service; only the first one if the service cannot be reached.
pub(super) async fn of_service(context: &Context, client: &Client) -> Vec<Finding> {
    let mut findings = Vec::new();
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match client.index().answer().await {
        Ok(answer) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            findings.push(Finding::good(CONNECTION, format!("reached the service in {took} ms")));
            findings.extend(answer.header("date").map(|date| skew(date, clock.wall())));
        }
        Err(error) => {
            let missing = "no service found at this URL, which must include the version segment, such as /api/v1";
            let failure = match error {
                error if error.is_not_found() => CommandError::not_found(missing),
                error => error.into(),
            };
            findings.push(Finding::bad(CONNECTION, &failure));
            return findings;
        }
    }
    match client.me().await {
        Ok(me) => {
            let (profiles, tokens) = (&me.limits.profiles, &me.limits.tokens);
            let used = format!(
                "{} of {} pages and {} of {} tokens in use",
                profiles.used, profiles.max, tokens.used, tokens.max
            );
            let may = format!("{}: {}", me.name, me.abilities.join(", "));
            findings.extend([
                Finding::good_if(me.can_write, SCOPES, may),
                Finding::good_if(profiles.used < profiles.max, "limits", used),
            ]);
        }
        Err(error) => {
            let unknown = "the service does not recognize this token; it was revoked, or is for another service";
            let failure = match error {
                error if error.is_not_authenticated() => {
                    CommandError::new(Exit::NotAuthenticated, unknown)
                }
                error => error.into(),
            };
            findings.push(Finding::bad(SCOPES, &failure));
        }
    }
    if let Some(left) = context.requests_left() {
        findings.push(Finding::good("requests", format!("{left} left this minute")));
    }
    findings
}

fn skew(date: &str, now: SystemTime) -> Finding {
    let check = "clock";
    let Ok(there) = httpdate::parse_http_date(date) else {
        return Finding::doubtful(check, "the service sends no valid Date header");
    };
    let (off, way) = match now.duration_since(there) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    let message = format!("the local clock is {} s {way} the service", off.as_secs());
    Finding::good_if(off <= SKEW_MAX, check, message)
}

/// Checks the server that shares the rate limits between machines.
pub(super) async fn shared_limits(server: &RedisServer) -> Finding {
    let check = "shared rate limits";
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match RedisPacer::new(server.clone(), "doctor").check(&clock).await {
        Ok(()) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            Finding::good(check, format!("{server} responded in {took} ms"))
        }
        Err(error) => Finding::bad(check, &CommandError::new(Exit::Network, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::global_args::SandboxMode;

    #[test]
    fn a_missing_service_url_is_bad_unless_the_sandbox_is_used() {
        assert_eq!(service(&ServiceTarget::Unset).state, FindingState::Bad(Exit::Usage));
        assert_eq!(
            service(&ServiceTarget::Sandbox(SandboxMode::Unlimited)).state,
            FindingState::Good
        );
    }

    #[test]
    fn a_missing_directory_is_checked_at_its_nearest_existing_parent() {
        let temporary = tempfile::tempdir().unwrap();
        assert_eq!(nearest_existing(&temporary.path().join("a/b")), temporary.path());
        let file = temporary.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(
            directory("cache directory", Some(file.join("a"))).state,
            FindingState::Doubtful
        );
        assert_eq!(directory("cache directory", None).state, FindingState::Doubtful);
    }
}

#[cfg(test)]
mod service_tests {
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
