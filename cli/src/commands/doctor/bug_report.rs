//! `--report`: a file with what a report of a bug needs. It is made of an explicit list of values, none of which is content of a page, a
//! secret, a name or a path.

use std::io::IsTerminal;
use std::net::IpAddr;

use super::checks::{Finding, FindingState};
use crate::apply::write_log;
use crate::auth::redacted;
use crate::commands::prelude::*;
use crate::env_vars;
use crate::settings::ServiceTarget;
use crate::settings::config_file::{self, Config, KEYS};

/// Number of the last writes that are listed.
const WRITES: usize = 20;

/// Checks whose messages hold numbers only.
const NUMBERS: [&str; 4] = ["clock", "connection", "limits", "requests"];

/// Variables of other programs that matter here.
const OF_OTHERS: [&str; 6] =
    ["ALL_PROXY", "CI", "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "WSL_DISTRO_NAME"];

/// Writes the report to a file that does not exist.
pub(super) fn write(path: &Path, context: &Context, findings: &[Finding]) -> Result<()> {
    let text = format!("{:#}\n", report(context, findings));
    let written = if path.as_os_str() == "-" {
        Err(io::Error::other("standard output is used for the findings"))
    } else {
        atomic::write(path, &*redacted(&text), false)
    };
    written.map_err(|error| {
        let message = format!("cannot write the report to {}: {error}", path.display());
        CommandError::usage(message).with_hint("pass the name of a file that does not exist yet")
    })
}

fn report(context: &Context, findings: &[Finding]) -> Value {
    json!({
        "links": {
            "version": env!("CARGO_PKG_VERSION"),
            "debug": cfg!(debug_assertions),
        },
        "system": system(),
        "service": service(&context.settings.target),
        "token": context.settings.token.source(),
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

/// Returns what kind of URL the service has: its host and its path may be names, or a token in the wrong place.
fn service(target: &ServiceTarget) -> Value {
    match target {
        ServiceTarget::Service(url) => match url.base() {
            Ok(base) => json!({
                "from": url.from,
                "scheme": base.as_str().split(':').next(),
                "host": host_kind(base.host()),
                "isUsualPath": base.as_str().trim_end_matches('/').ends_with("/api/v1"),
            }),
            Err(_) => json!({ "from": url.from, "isUrl": false }),
        },
        ServiceTarget::Sandbox(_) => "the sandbox".into(),
        ServiceTarget::Unset => Value::Null,
    }
}

fn host_kind(host: &str) -> &'static str {
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => "loopback",
        Ok(_) => "address",
        Err(_) if host == "localhost" => "loopback",
        Err(_) => "name",
    }
}

/// Returns the keys that the configuration file sets; null if it cannot be read.
fn config_keys(context: &Context) -> Value {
    let directory = context.config_directory();
    let config = directory.and_then(|directory| Config::load(&config_file::path(&directory)));
    let Ok(config) = config else { return Value::Null };
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
    let Finding { check, state, message } = finding;
    let exit = if let FindingState::Bad(exit) = state { Some(exit.name()) } else { None };
    // What the service says about a failure is text of others.
    let is_own = NUMBERS.contains(check) && exit.is_none();
    let message = is_own.then(|| plain(message));
    json!({ "check": check, "state": state.word(), "exit": exit, "message": message })
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
    fn a_host_is_reported_by_its_kind() {
        for (host, kind) in [
            ("127.0.0.1", "loopback"),
            ("localhost", "loopback"),
            ("[::1]", "loopback"),
            ("192.0.2.1", "address"),
            ("pps-0123456789.example", "name"),
        ] {
            assert_eq!(host_kind(host), kind, "{host}");
        }
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
