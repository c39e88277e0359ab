//! `links sandbox reset`: deletes the state of the embedded service.

use std::io::ErrorKind;

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::sandbox;

#[derive(Args, Debug)]
#[command(examples = ["links sandbox reset"])]
pub(crate) struct SandboxResetArgs {}

pub(crate) fn run(context: &Context, _: &SandboxResetArgs) -> Result<CommandOutput, CommandError> {
    let path = sandbox::state_file(&context.settings)?;
    let rate = path.with_file_name(sandbox::RATE);
    let rate_removed = match std::fs::remove_file(&rate) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    for (file, removed) in
        [(&path, links_fixtures::remove_state_file(&path)), (&rate, rate_removed)]
    {
        removed.map_err(|error| {
            CommandError::usage(format!("cannot remove {}: {error}", file.display()))
        })?;
    }
    let line = StyledLine::new(Style::Plain, "the sandbox was reset");
    Ok(CommandOutput::own(json!({ "path": path.display().to_string() }), View::Lines(vec![line])))
}
