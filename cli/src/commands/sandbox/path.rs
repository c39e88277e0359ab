//! `links sandbox path`: prints the path of the embedded service's state.

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::sandbox;

#[derive(Args, Debug)]
#[command(examples = ["links sandbox path"])]
pub(crate) struct SandboxPathArgs {}

pub(crate) fn run(context: &Context, _: &SandboxPathArgs) -> Result<CommandOutput, CommandError> {
    let path = sandbox::state_file(&context.settings)?.display().to_string();
    Ok(CommandOutput::own(
        json!({ "path": path }),
        View::Lines(vec![StyledLine::new(Style::Plain, path)]),
    ))
}
