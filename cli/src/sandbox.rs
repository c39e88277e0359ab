//! Embedded service: the contract server in this process, with its state in a file.

use std::path::PathBuf;

use links_fixtures::{Choices, Consent, ContractServer, ContractServerBuilder, Limits, World};
use links_sdk::RateLimits;

use crate::error::file_error::cannot;
use crate::error::{CommandError, Result};
use crate::settings::Settings;

const STATE: &str = "sandbox.json";

/// Name of the file through which commands on the sandbox share its rate limits, because its port differs from one command to the next.
pub(crate) const RATE: &str = "sandbox-rate.json";

/// Path of the file in which the sandbox keeps its state between commands.
///
/// # Errors
///
/// On a machine without a home directory.
pub(crate) fn state_file(settings: &Settings) -> Result<PathBuf> {
    Ok(settings.needed_state_directory()?.join(STATE))
}

/// Rate that a service without limits reports as its limit, and that no command reaches.
const OUT_OF_REACH: u32 = 1_000_000;

/// Turns the rate limits of a service off, also those that it reports: a client that reads them would pace itself.
pub(crate) fn without_limits(builder: ContractServerBuilder) -> ContractServerBuilder {
    let limits = Limits {
        requests_per_second: OUT_OF_REACH,
        requests_per_minute: OUT_OF_REACH,
        analytics_per_minute: OUT_OF_REACH,
        music_per_minute: OUT_OF_REACH,
        ..Limits::default()
    };
    builder.limits(limits).no_limits()
}

/// Returns the rate limits that a sandbox reports.
pub(crate) fn reported_limits(has_limits: bool) -> RateLimits {
    let mut limits = RateLimits::default();
    if !has_limits {
        let most = OUT_OF_REACH as usize;
        (limits.per_second, limits.per_minute) = (most, most);
        (limits.analytics_per_minute, limits.music_per_minute) = (most, most);
    }
    limits
}

/// Starts the service on a loopback port; it stops when it is dropped.
///
/// # Errors
///
/// When the port is taken or the state cannot be read or written.
pub(crate) async fn start(
    settings: &Settings,
    port: Option<u16>,
    limits: bool,
) -> Result<ContractServer> {
    let path = state_file(settings)?;
    if let Some(directory) = path.parent() {
        let made = links_pages::fs::private::make_directory(directory);
        made.map_err(cannot("create", directory))?;
    }
    // Another user of this machine reaches the port as well.
    let oauth_consent = Consent::AskForToken;
    let mut builder = ContractServer::builder(World::cafe().with_random_tokens())
        .no_request_log()
        .choices(Choices { files_here: true, oauth_consent, ..Choices::default() })
        .state_file(path);
    if let Some(port) = port {
        builder = builder.port(port);
    }
    if !limits {
        builder = without_limits(builder);
    }
    builder
        .start()
        .await
        .map_err(|error| CommandError::usage(format!("cannot start the sandbox: {error}")))
}
