//! `links sandbox reset`: deletes the state of the embedded service, and what this machine has recorded of it.

use clap::Args;
use serde_json::json;

use super::local_records::{self, not_removed, remove_file};
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
    // What is recorded of a sandbox that is gone would speak of slots that others deleted.
    local_records::remove(context)?;
    remove_file(&path.with_file_name(sandbox::RATE))?;
    links_fixtures::remove_state_file(&path).map_err(|error| not_removed(&path, &error))?;
    let lines = vec![
        StyledLine::new(Style::Plain, "the sandbox was reset"),
        StyledLine::new(Style::Faint, "a links.lock of its pages stays: delete it, too"),
    ];
    Ok(CommandOutput::own(json!({ "path": path.display().to_string() }), View::Lines(lines)))
}
