//! Checks of this machine: the settings, the origin of the token, and the permissions of files and directories.

use std::path::{Path, PathBuf};

use links_sdk::BaseUrl;

use super::finding::Finding;
use crate::env_vars::{self, BASE_URL, CACHE_DIR, CONFIG_DIR, STATE_DIR, TOKEN_FILE};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::settings::config_file::Config;
use crate::settings::{MissingToken, ServiceTarget, Settings, TokenOrigin, config_file};

/// Name of the check of the service URL.
pub(super) const SERVICE: &str = "service";
/// Name of the check of the token.
pub(super) const TOKEN: &str = "token";

/// Runs all checks that need no service.
pub(super) fn all(settings: &Settings) -> Vec<Finding> {
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

#[cfg(test)]
mod tests {
    use super::super::finding::FindingState;
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
