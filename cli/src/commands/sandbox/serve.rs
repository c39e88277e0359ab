//! `links sandbox serve`: runs the embedded service for other programs.

use std::future::poll_fn;
use std::task::Poll;

use clap::Args;
use links_fixtures::ContractServer;
use links_sdk::{BaseUrl, Pacer, SharedFilePacer, Token};
use serde_json::json;

use crate::context::{Context, clock};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{Body, CommandOutput, View};
use crate::sandbox;
use crate::signal::SuppressInterrupt;

#[derive(Args, Debug)]
#[command(examples = ["links sandbox serve --port 8080"])]
pub(crate) struct SandboxServeArgs {
    /// Port on the loopback address; chosen automatically by default
    #[arg(long)]
    port: Option<u16>,
    /// Apply the rate limits of the service, with 429 beyond them
    #[arg(long)]
    limits: bool,
    /// Apply no rate limits, as without `--limits`
    #[arg(long, hide = true, conflicts_with = "limits")]
    no_limits: bool,
}

/// Records the limits of the service for the commands of this machine that reach it by its URL, as if one of them had read them from it.
async fn tell_limits(context: &Context, server: &ContractServer, has_limits: bool) {
    let (base, token) = (BaseUrl::new(server.base_url()), Token::new(server.token()));
    if let (Ok(base), Ok(token)) = (base, token)
        && let Some(directory) = context.settings.state_directory()
    {
        let file = directory.join(SharedFilePacer::name(&base, &token));
        let limits = sandbox::reported_limits(has_limits);
        SharedFilePacer::new(file).learn(limits, &*clock()).await;
    }
}

pub(crate) async fn run(
    context: &Context,
    args: SandboxServeArgs,
) -> Result<CommandOutput, CommandError> {
    let has_limits = args.limits && !args.no_limits;
    let server = sandbox::start(&context.settings, args.port, has_limits).await?;
    tell_limits(context, &server, has_limits).await;
    // The reader of the line may stop the service at once.
    let suppressed = SuppressInterrupt::new();
    let mut stopped = Box::pin(tokio::signal::ctrl_c());
    poll_fn(|context| Poll::Ready(stopped.as_mut().poll(context).is_ready())).await;
    let line = json!({ "baseUrl": server.base_url(), "mcpUrl": server.mcp_url(), "token": server.token() });
    Ok(CommandOutput {
        view: View::Document(format!("{line}\n")),
        body: Body::Own(line),
        exit: Exit::Ok,
        then: Some(Box::pin(async move {
            let ended = stopped.await;
            drop((server, suppressed));
            if ended.is_ok() { Exit::Interrupted } else { Exit::Internal }
        })),
    })
}
