//! `links doctor`: checks the configuration, the token, the connection to the service and the limits.

use std::path::Path;
use std::time::{Duration, SystemTime};

use clap::Args;
use links_sdk::{BaseUrl, Client, Clock, SystemClock};
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::config_file::Config;
use crate::settings::{MissingToken, ServiceTarget, TokenOrigin, config_file};

/// Arguments of `links doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {}

/// Maximum clock skew. A greater one affects decisions that depend on times, such as the age of idempotency keys.
const SKEW_MAX: Duration = Duration::from_secs(30);

/// Name of the check that the service can be reached.
const WAY: &str = "connection";

/// Names of the checks without which a connection is not tried.
const NEEDED: [&str; 2] = ["service", "token"];

/// Result of one check.
struct Finding {
    check: &'static str,
    state: State,
    said: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Doubtful,
    Bad(Exit),
}

impl State {
    fn is_bad(self) -> bool {
        matches!(self, Self::Bad(_))
    }
}

pub(crate) async fn run(
    context: &mut Context,
    _: DoctorArgs,
) -> Result<CommandOutput, CommandError> {
    let mut findings = vec![configuration(context), service(context), token(context)];
    findings.extend(permissions(context));
    if findings.iter().any(|it| NEEDED.contains(&it.check) && it.state.is_bad()) {
        findings.push(doubtful(WAY, "not tried, for what is missing above"));
        return Ok(report(&findings));
    }
    match context.client().await {
        Ok(client) => online(context, &client, &mut findings).await,
        Err(failure) => findings.push(bad(WAY, &failure)),
    }
    Ok(report(&findings))
}

fn configuration(context: &Context) -> Finding {
    let path = config_file::path(context.settings.config_directory());
    match path.and_then(|path| Config::load(&path).map(|_| path)) {
        Ok(path) if path.exists() => good("configuration", path.display().to_string()),
        Ok(path) => good("configuration", format!("none, it would be {}", path.display())),
        Err(failure) => bad("configuration", &failure),
    }
}

fn service(context: &Context) -> Finding {
    match &context.settings.target {
        ServiceTarget::Service(url) => match url.invalid() {
            None => good("service", format!("{}, named by {}", url.text(), url.from)),
            Some(why) => {
                let shown = BaseUrl::without_user_info(url.text());
                bad("service", &CommandError::usage(format!("{} is {shown}: {why}", url.from)))
            }
        },
        ServiceTarget::Sandbox => good("service", "the sandbox of this machine"),
        ServiceTarget::Unset => Finding {
            check: "service",
            state: State::Bad(Exit::Usage),
            said: "none is named: set LINKS_BASE_URL, give --base-url, or try --sandbox".to_owned(),
        },
    }
}

fn token(context: &Context) -> Finding {
    let check = "token";
    if context.settings.target == ServiceTarget::Sandbox {
        return good(check, "the sandbox has its own");
    }
    match &context.settings.token {
        TokenOrigin::Variable(_) => good(check, "from LINKS_TOKEN"),
        TokenOrigin::File(path) if std::fs::File::open(path).is_err() => {
            bad(check, &CommandError::usage(format!("the file {} cannot be read", path.display())))
        }
        TokenOrigin::File(path) if others_may(path, 0o002) == Some(true) => bad(
            check,
            &CommandError::new(
                Exit::NotAuthenticated,
                format!("anyone can write to {}: chmod 600 it", path.display()),
            ),
        ),
        TokenOrigin::File(path) => match others_may(path, 0o077) {
            Some(true) => {
                doubtful(check, format!("others can read {}: chmod 600 it", path.display()))
            }
            _ => good(check, format!("from the file {}", path.display())),
        },
        TokenOrigin::Account(name, _) => good(check, format!("that of the account {name}")),
        TokenOrigin::Nowhere(MissingToken::OnlyForNamed(variable)) => Finding {
            check,
            state: State::Bad(Exit::NotAuthenticated),
            said: format!(
                "{variable} is not sent to a URL of config.toml: name the service with LINKS_BASE_URL or --base-url"
            ),
        },
        TokenOrigin::Nowhere(_) => Finding {
            check,
            state: State::Bad(Exit::NotAuthenticated),
            said: "there is none: log in with `links auth login`, or set LINKS_TOKEN or LINKS_TOKEN_FILE"
                .to_owned(),
        },
    }
}

fn permissions(context: &Context) -> Vec<Finding> {
    let settings = &context.settings;
    let of = [
        ("configuration directory", settings.config_directory()),
        ("state directory", settings.state_directory()),
        ("cache directory", settings.cache_directory()),
    ];
    let look = |(check, folder): (&'static str, Option<std::path::PathBuf>)| {
        let Some(folder) = folder else {
            return doubtful(
                check,
                "there is no home directory: name one with LINKS_CONFIG_DIR, LINKS_STATE_DIR, LINKS_CACHE_DIR",
            );
        };
        let name = folder.display();
        let mine = nearest_existing(&folder);
        match (others_may(&folder, 0o022), mine.metadata()) {
            (Some(true), _) => {
                doubtful(check, format!("others can write to {name}: chmod go-w it"))
            }
            (_, Ok(found)) if found.permissions().readonly() => {
                doubtful(check, format!("{name} cannot be written"))
            }
            (_, Ok(found)) if !found.is_dir() => {
                doubtful(check, format!("{} is no directory", mine.display()))
            }
            _ => good(check, name.to_string()),
        }
    };
    of.into_iter().map(look).collect()
}

/// Returns the directory itself, or its nearest existing ancestor.
fn nearest_existing(folder: &Path) -> &Path {
    folder.ancestors().find(|it| it.exists()).unwrap_or(folder)
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

async fn online(context: &Context, client: &Client, findings: &mut Vec<Finding>) {
    let clock = SystemClock::new();
    let start = clock.monotonic();
    match client.index().answer().await {
        Ok(answer) => {
            let took = clock.monotonic().saturating_sub(start).as_millis();
            findings.push(good(WAY, format!("it answered in {took} ms")));
            findings.extend(answer.header("date").map(|date| skew(date, clock.wall())));
        }
        Err(error) if error.is_not_found() => {
            let said =
                "nothing answers at this URL; it ends with the version segment, such as /api/v1";
            findings.push(bad(WAY, &CommandError::new(Exit::NotFound, said)));
            return;
        }
        Err(error) => {
            findings.push(bad(WAY, &error.into()));
            return;
        }
    }
    match client.me().await {
        Ok(me) => {
            let may = me.abilities.join(", ");
            findings.push(if me.can_write {
                good("abilities", format!("{} may {may}", me.name))
            } else {
                doubtful("abilities", format!("{} may only read ({may})", me.name))
            });
            let (profiles, tokens) = (&me.limits.profiles, &me.limits.tokens);
            let said = format!(
                "{} of {} pages and {} of {} tokens are used",
                profiles.used, profiles.max, tokens.used, tokens.max
            );
            findings.push(if profiles.used < profiles.max {
                good("limits", said)
            } else {
                doubtful("limits", said)
            });
        }
        Err(error) if error.is_not_authenticated() => {
            let said = "the service does not know this token: it was revoked, or is that of another service";
            findings.push(bad("abilities", &CommandError::new(Exit::NotAuthenticated, said)));
        }
        Err(error) => findings.push(bad("abilities", &error.into())),
    }
    if let Some(left) = context.requests_left() {
        findings.push(good("requests", format!("{left} are left in this minute")));
    }
}

fn skew(date: &str, now: SystemTime) -> Finding {
    let check = "clock";
    let Ok(there) = httpdate::parse_http_date(date) else {
        return doubtful(check, "the service sends no readable Date");
    };
    let (off, way) = match now.duration_since(there) {
        Ok(ahead) => (ahead, "ahead"),
        Err(behind) => (behind.duration(), "behind"),
    };
    if off > SKEW_MAX {
        doubtful(check, format!("this machine is {} s {way} of the service", off.as_secs()))
    } else {
        good(check, "agrees with the service")
    }
}

fn good(check: &'static str, said: impl Into<String>) -> Finding {
    Finding { check, state: State::Good, said: said.into() }
}

fn doubtful(check: &'static str, said: impl Into<String>) -> Finding {
    Finding { check, state: State::Doubtful, said: said.into() }
}

fn bad(check: &'static str, failure: &CommandError) -> Finding {
    Finding { check, state: State::Bad(failure.exit()), said: failure.to_string() }
}

/// Returns the output with all findings; its exit code is that of the first bad one.
fn report(findings: &[Finding]) -> CommandOutput {
    let mut lines = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    let mut exit = Exit::Ok;
    for Finding { check, state, said } in findings {
        let (sign, tone, word) = match state {
            State::Good => ("✓", Style::Added, "good"),
            State::Doubtful => ("!", Style::Changed, "doubtful"),
            State::Bad(_) => ("✗", Style::Removed, "bad"),
        };
        if let (State::Bad(code), Exit::Ok) = (state, exit) {
            exit = *code;
        }
        lines.push(StyledLine::new(tone, format!("{sign} {check}: {said}")));
        rows.push(json!({ "check": check, "state": word, "message": said }));
    }
    CommandOutput::own(rows, View::Lines(lines)).exit(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_a_little_off() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").unwrap();
        let state = |date| skew(date, now).state == State::Good;
        assert!(state("Sat, 21 Nov 2026 10:00:20 GMT") && state("Sat, 21 Nov 2026 09:59:40 GMT"));
        assert!(!state("Sat, 21 Nov 2026 10:01:00 GMT") && !state("Sat, 21 Nov 2026 09:00:00 GMT"));
        assert!(!state("yesterday"));
    }
}
