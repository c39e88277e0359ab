//! Embedded service: the contract server in this process, with its state in a file.

use std::path::PathBuf;

use links_fixtures::{Choices, ContractServer, FileUrls, World};

use crate::env_vars::STATE_DIR;
use crate::error::CommandError;
use crate::settings::Settings;

const STATE: &str = "sandbox.json";

/// Name of the file through which commands on the sandbox share its rate limits, because its port differs from one command to the next.
pub(crate) const RATE: &str = "sandbox-rate.json";

/// Path of the file in which the sandbox keeps its state between commands.
///
/// # Errors
///
/// On a machine without a home directory.
pub(crate) fn state_file(settings: &Settings) -> Result<PathBuf, CommandError> {
    settings.state_directory().map(|directory| directory.join(STATE)).ok_or_else(|| {
        CommandError::usage("there is no home directory to keep state in")
            .with_hint(format!("set {STATE_DIR} to a directory"))
    })
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
) -> Result<ContractServer, CommandError> {
    let path = state_file(settings)?;
    if let Some(directory) = path.parent() {
        crate::fs::private::make_directory(directory).map_err(|error| {
            CommandError::usage(format!("cannot create {}: {error}", directory.display()))
        })?;
    }
    let mut builder = ContractServer::builder(World::cafe().with_random_tokens())
        .no_request_log()
        .choices(Choices { file_urls: FileUrls::Here, ..Choices::default() })
        .state_file(path);
    if let Some(port) = port {
        builder = builder.port(port);
    }
    if !limits {
        builder = builder.no_limits();
    }
    builder
        .start()
        .await
        .map_err(|error| CommandError::usage(format!("cannot start the sandbox: {error}")))
}
