//! `links sandbox`: commands for the embedded service.

use std::fs;

use links_fixtures::ContractServer;
use links_sdk::{BaseUrl, Pacer, PacerNote, SharedFilePacer, Token};

use super::prelude::*;
use crate::apply::sync::StateRecords;
use crate::context::{SANDBOX_FILES, clock, uploads_file};
use crate::journal::SANDBOX;
use crate::sandbox;
use crate::signal::SuppressInterrupt;
use links_pages::apply::JournalStore;
use links_pages::fs::private;

/// Try everything on this machine, without an account
#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SandboxCommand {
    /// Run the sandbox for other programs, and print its URL and a token as one JSON line
    #[command(examples = ["links sandbox serve --port 8080"])]
    Serve {
        /// Port on the loopback address; chosen automatically by default
        #[arg(long)]
        port: Option<u16>,
        /// Apply the rate limits of the service
        #[arg(long)]
        limits: bool,
    },
    /// Delete everything written to the sandbox
    #[command(examples = ["links sandbox reset"])]
    Reset,
    /// Print the path of the sandbox's state file
    #[command(examples = ["links sandbox path"])]
    Path,
}

impl SandboxCommand {
    pub(super) async fn run(self, context: &Context) -> CommandResult {
        match self {
            Self::Serve { port, limits } => serve(context, port, limits).await,
            Self::Reset => reset(context),
            Self::Path => {
                let path = sandbox::state_file(&context.settings)?.display().to_string();
                Ok(said(json!({ "path": path }), path))
            }
        }
    }
}

async fn serve(context: &Context, port: Option<u16>, has_limits: bool) -> CommandResult {
    let server = sandbox::start(&context.settings, port, has_limits).await?;
    tell_limits(context, &server, has_limits).await;
    // The reader of the line may stop the service at once.
    let suppressed = SuppressInterrupt::new();
    let line = json!({ "baseUrl": server.base_url(), "mcpUrl": server.mcp_url(), "token": server.token() });
    let view = View::Document(format!("{line}\n"));
    let then = async move {
        suppressed.interrupts(1).await;
        drop(server);
        suppressed.end_soon();
        Exit::Interrupted
    };
    Ok(CommandOutput { then: Some(Box::pin(then)), ..CommandOutput::new(Body::Own(line), view) })
}

/// Records the limits of the service for the commands of this machine that reach it by its URL, as if one of them had read them from it.
async fn tell_limits(context: &Context, server: &ContractServer, has_limits: bool) {
    let (base, token) = (BaseUrl::new(server.base_url()), Token::new(server.token()));
    if let (Ok(base), Ok(token)) = (base, token)
        && let Some(directory) = context.settings.state_directory()
    {
        let file = directory.join(SharedFilePacer::name(&base, &token));
        let limits = sandbox::reported_limits(has_limits);
        SharedFilePacer::new(file).note(PacerNote::Learned(limits), &*clock()).await;
    }
}

/// Deletes the state of the embedded service, and what this machine has recorded of it.
fn reset(context: &Context) -> CommandResult {
    let path = sandbox::state_file(&context.settings)?;
    // What is recorded of a sandbox that is gone would speak of slots that others deleted.
    remove_records(context)?;
    remove_file(&path.with_file_name(sandbox::RATE))?;
    links_fixtures::remove_state_file(&path).map_err(cannot("remove", &path))?;
    let lines = vec![
        StyledLine::plain("reset the sandbox"),
        StyledLine::faint("if you have a links.lock for its pages, delete that file too"),
    ];
    Ok(CommandOutput::own(json!({ "path": path.display().to_string() }), View::Lines(lines)))
}

/// Removes what this machine has recorded of the sandbox: journals, records of syncs, uploaded images, and caches. Refuses while a run is in
/// progress on it.
fn remove_records(context: &Context) -> Result<()> {
    let state = runs::directory(context)?;
    JournalStore::remove_all(&state, SANDBOX)?;
    StateRecords::forget_service(&state, SANDBOX)?;
    remove_file(&state.join(uploads_file(SANDBOX_FILES)))?;
    let cache = context.settings.cache_directory();
    let entries = cache.and_then(|directory| fs::read_dir(directory).ok());
    for entry in entries.into_iter().flatten().flatten() {
        // A cache of another service costs a request if it is removed, too.
        if entry.file_name().to_string_lossy().contains(&format!("-{SANDBOX_FILES}.")) {
            remove_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a file, if it exists.
fn remove_file(path: &Path) -> Result<()> {
    private::remove(path).map_err(cannot("remove", path))
}
