//! Checks of this machine: the settings, the origin of the token, and the permissions of files and directories; and those that ask a server:
//! the connection, the clock, the abilities of the token and the limits, and the one that shares the rate limits.

use std::time::{Duration, SystemTime};

use links_sdk::types::Me;
use links_sdk::{BaseUrl, Clock, Error, SystemClock};

use crate::commands::prelude::*;
use crate::env_vars::{self, BASE_URL, CACHE_DIR, CONFIG_DIR, STATE_DIR, TOKEN_FILE};
use crate::settings::config_file::Config;
use crate::settings::{MissingToken, ServiceTarget, Settings, TokenOrigin, config_file};

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

impl Finding {
    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Good, message: message.into() }
    }

    pub(super) fn doubtful(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Doubtful, message: message.into() }
    }

    pub(super) fn bad(check: &'static str, failure: &CommandError) -> Self {
        Self { check, state: FindingState::Bad(failure.exit()), message: failure.to_string() }
    }
}

/// Name of the check of the service URL.
pub(super) const SERVICE: &str = "service";
/// Name of the check of the token.
pub(super) const TOKEN: &str = "token";

/// Runs all checks that need no service.
pub(super) fn of_machine(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![configuration(settings), service(&settings.target), token(settings)];
    findings.extend(directories(settings));
    findings
}

fn configuration(settings: &Settings) -> Finding {
    let check = "configuration";
    let path = config_file::path(settings.config_directory());
    match path.and_then(|path| Config::load(&path).map(|_| path)) {
        Ok(path) if path.exists() => Finding::good(check, path.display().to_string()),
        Ok(path) => Finding::good(check, format!("none; it would be {}", path.display())),
        Err(failure) => Finding::bad(check, &failure),
    }
}

fn service(target: &ServiceTarget) -> Finding {
    match target {
        ServiceTarget::Service(url) => match url.invalid() {
            None => Finding::good(SERVICE, format!("{}, from {}", url.text(), url.from)),
            Some(why) => {
                let shown = BaseUrl::without_user_info(url.text());
                let message = format!("{} is {shown}: {why}", url.from);
                Finding::bad(SERVICE, &CommandError::usage(message))
            }
        },
        ServiceTarget::Sandbox(_) => Finding::good(SERVICE, "the sandbox of this machine"),
        ServiceTarget::Unset => Finding::bad(
            SERVICE,
            &CommandError::usage(format!(
                "none is configured: set {BASE_URL}, give --base-url, or try --sandbox"
            )),
        ),
    }
}

fn token(settings: &Settings) -> Finding {
    if matches!(settings.target, ServiceTarget::Sandbox(_)) {
        return Finding::good(TOKEN, "the sandbox has its own");
    }
    match &settings.token {
        TokenOrigin::Variable(_) => Finding::good(TOKEN, format!("from {}", env_vars::TOKEN)),
        TokenOrigin::File(path) => token_file(path),
        TokenOrigin::Account(name, _) => Finding::good(TOKEN, format!("from the account {name}")),
        TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)) => no_token(format!(
            "{variable} is not sent to a URL of config.toml: set the URL with {BASE_URL} or --base-url"
        )),
        TokenOrigin::Nowhere(_) => no_token(format!(
            "there is none: log in with `links auth login`, or set {} or {TOKEN_FILE}",
            env_vars::TOKEN
        )),
    }
}

fn token_file(path: &Path) -> Finding {
    let name = path.display();
    if std::fs::File::open(path).is_err() {
        let message = format!("the file {name} cannot be read");
        return Finding::bad(TOKEN, &CommandError::usage(message));
    }
    if others_may(path, 0o002) == Some(true) {
        return no_token(format!("anyone can write to {name}: chmod 600 it"));
    }
    match others_may(path, 0o077) {
        Some(true) => Finding::doubtful(TOKEN, format!("others can read {name}: chmod 600 it")),
        _ => Finding::good(TOKEN, format!("from the file {name}")),
    }
}

fn no_token(message: impl Into<String>) -> Finding {
    Finding::bad(TOKEN, &CommandError::new(Exit::NotAuthenticated, message))
}

fn directories(settings: &Settings) -> [Finding; 3] {
    [
        directory("configuration directory", settings.config_directory()),
        directory("state directory", settings.state_directory()),
        directory("cache directory", settings.cache_directory()),
    ]
}

fn directory(check: &'static str, directory: Option<PathBuf>) -> Finding {
    let Some(directory) = directory else {
        return Finding::doubtful(
            check,
            format!("there is no home directory: set {CONFIG_DIR}, {STATE_DIR} and {CACHE_DIR}"),
        );
    };
    let name = directory.display();
    let existing = nearest_existing(&directory);
    match (others_may(&directory, 0o022), existing.metadata()) {
        (Some(true), _) => {
            Finding::doubtful(check, format!("others can write to {name}: chmod go-w it"))
        }
        (_, Ok(found)) if found.permissions().readonly() => {
            Finding::doubtful(check, format!("{name} cannot be written"))
        }
        (_, Ok(found)) if !found.is_dir() => {
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
fn others_may(path: &Path, bits: u32) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    Some(path.metadata().ok()?.permissions().mode() & bits != 0)
}

#[cfg(not(unix))]
fn others_may(_: &Path, _: u32) -> Option<bool> {
    None
}

/// Name of the check that the service can be reached.
pub(super) const CONNECTION: &str = "connection";
/// Name of the check of what the token may do.
const ABILITIES: &str = "abilities";

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
        return Finding::bad(CONNECTION, &CommandError::not_found(message));
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
