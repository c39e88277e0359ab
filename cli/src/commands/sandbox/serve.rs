//! `links sandbox serve`: runs the embedded service for other programs.

use std::future::poll_fn;
use std::task::Poll;

use clap::Args;
use serde_json::json;

use crate::context::Context;
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

pub(crate) async fn run(
    context: &Context,
    args: SandboxServeArgs,
) -> Result<CommandOutput, CommandError> {
    let server =
        sandbox::start(&context.settings, args.port, args.limits && !args.no_limits).await?;
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
