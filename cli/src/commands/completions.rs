//! `links completions`: prints the completion script of a shell.

use serde_json::json;

use crate::completion::shell::ShellArgs;
use crate::error::CommandError;
use crate::output::{CommandOutput, View};

pub(crate) fn run(args: &ShellArgs) -> Result<CommandOutput, CommandError> {
    let script = args.shell.script().map_err(CommandError::internal)?;
    Ok(CommandOutput::own(json!({ "script": script }), View::Document(script)))
}
