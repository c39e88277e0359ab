//! `links config path`: prints the path of the configuration file.

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};

#[derive(Args, Debug)]
#[command(examples = ["links config path"])]
pub(crate) struct ConfigPathArgs {}

pub(crate) fn run(context: &Context, _: &ConfigPathArgs) -> Result<CommandOutput, CommandError> {
    let path = super::location::file(context)?;
    let name = path.display().to_string();
    let data = json!({ "path": name, "exists": path.exists() });
    Ok(CommandOutput::own(data, View::Lines(vec![StyledLine::new(Style::Plain, name)])))
}
