//! `--report`: a file with what a report of a bug needs. It is made of an explicit list of values, none of which is content of a page, a
//! secret, a name or a path.

use std::io::IsTerminal;
use std::path::Path;

use links_sdk::BaseUrl;
use serde_json::{Value, json};

use super::finding::{Finding, FindingState};
use crate::apply::write_log;
use crate::auth::redaction;
use crate::context::Context;
use crate::env_vars;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::atomic;
use crate::settings::config_file::{self, Config, KEYS};
use crate::settings::{ServiceTarget, TokenOrigin};

/// Number of the last writes that are listed.
const WRITES: usize = 20;

/// Checks whose messages hold numbers only.
const NUMBERS: [&str; 4] = ["clock", "connection", "limits", "requests"];

/// Variables of other programs that matter here.
const OF_OTHERS: [&str; 6] =
    ["ALL_PROXY", "CI", "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "WSL_DISTRO_NAME"];

/// Writes the file, which must not exist.
pub(super) fn write(
    context: &Context,
    findings: &[Finding],
    path: &Path,
) -> Result<(), CommandError> {
    let text = format!("{:#}\n", report(context, findings));
    atomic::write(path, &redaction::hidden(&text), false).map_err(|error| {
        CommandError::usage(format!("cannot write the report to {}: {error}", path.display()))
            .with_hint("name a file that does not exist")
    })
}

fn report(context: &Context, findings: &[Finding]) -> Value {
    json!({
        "links": {
            "version": env!("CARGO_PKG_VERSION"),
            "keyring": cfg!(feature = "keyring"),
            "redis": cfg!(feature = "redis"),
            "sandbox": cfg!(feature = "sandbox"),
            "debug": cfg!(debug_assertions),
        },
        "system": system(),
        "service": service(&context.settings.target),
        "token": token(&context.settings.token),
        "configKeys": config_keys(context),
        "variables": variables(),
        "checks": findings.iter().map(check).collect::<Vec<_>>(),
        "writes": writes(context),
    })
}

fn system() -> Value {
    let line = |path: &str| std::fs::read_to_string(path).ok();
    let name = line("/etc/os-release").and_then(|text| {
        let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(plain(name.trim_matches('"')))
    });
    let kernel = line("/proc/sys/kernel/osrelease").map(|text| plain(text.trim()));
    json!({
        "os": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "static": cfg!(target_env = "musl"),
        "name": name,
        "kernel": kernel,
        "terminal": std::io::stdout().is_terminal(),
    })
}

/// Returns a short text of letters, digits and a few signs.
fn plain(text: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || " .,:+()_-".contains(*c);
    text.chars().filter(is_plain).take(80).collect()
}

fn service(target: &ServiceTarget) -> Value {
    match target {
        ServiceTarget::Service(url) => {
            // What is no URL may be a token in the wrong place.
            let valid = url.base().ok().map(ToString::to_string);
            let valid = valid.as_deref().map(BaseUrl::without_user_info);
            let shown = valid.as_deref().and_then(|it| it.split(['?', '#']).next());
            json!({ "baseUrl": shown, "from": url.from })
        }
        ServiceTarget::Sandbox(_) => "the sandbox".into(),
        ServiceTarget::Unset => Value::Null,
    }
}

/// Returns where the token is from, without its place.
fn token(token: &TokenOrigin) -> &'static str {
    match token {
        TokenOrigin::Variable(_) => "variable",
        TokenOrigin::File(_) => "file",
        TokenOrigin::Account(..) => "account",
        TokenOrigin::Nowhere(_) => "none",
    }
}

/// Returns the keys that the configuration file sets; null if it cannot be read.
fn config_keys(context: &Context) -> Value {
    let config = config_file::path(context.settings.config_directory());
    let Ok(config) = config.and_then(|path| Config::load(&path)) else { return Value::Null };
    KEYS.iter().map(|key| key.name).filter(|name| config.get(name).is_some()).collect()
}

/// Returns the names of the variables that are set.
fn variables() -> Vec<&'static str> {
    let own = KEYS.iter().map(|key| key.variable);
    let about = env_vars::ABOUT.iter().flat_map(|(names, _)| names.split(", "));
    let all = own.chain(about).chain(OF_OTHERS);
    all.filter(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())).collect()
}

fn check(finding: &Finding) -> Value {
    let (state, exit) = match finding.state {
        FindingState::Good => ("good", None),
        FindingState::Doubtful => ("doubtful", None),
        FindingState::Bad(exit) => ("bad", Some(exit)),
    };
    // What the service says about a failure is text of others.
    let is_own = NUMBERS.contains(&finding.check) && exit.is_none();
    let message = is_own.then(|| plain(finding.message()));
    json!({ "check": finding.check, "state": state, "exit": exit.map(Exit::name), "message": message })
}

/// Returns the last writes of this account, without their words and what they wrote; null if they cannot be read.
fn writes(context: &Context) -> Value {
    let Ok(all) = write_log::all(context) else { return Value::Null };
    all.iter().rev().take(WRITES).map(write_log::LoggedWrite::without_content).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_with_numbers_are_reported() {
        let message = |finding: Finding| check(&finding)["message"].clone();
        assert_eq!(message(Finding::good("limits", "1 of 100 pages")), "1 of 100 pages");
        assert_eq!(message(Finding::good("token", "from /home/me/token")), Value::Null);
        let failure = CommandError::new(Exit::Server, "text of others");
        let bad = check(&Finding::bad("connection", &failure));
        assert_eq!((&bad["message"], &bad["exit"]), (&Value::Null, &"server".into()));
    }

    #[test]
    fn a_text_of_the_system_is_short_and_plain() {
        assert_eq!(
            plain("Debian GNU/Linux 12 (bookworm)\u{1b}[31m"),
            "Debian GNULinux 12 (bookworm)31m"
        );
        assert_eq!(plain(&"x".repeat(1000)).len(), 80);
    }
}
