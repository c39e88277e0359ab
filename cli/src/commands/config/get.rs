//! `links config get`: prints the value of one key.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::config_file;
use crate::settings::config_file::Config;

#[derive(Args, Debug)]
#[command(examples = ["links config get output"])]
pub(crate) struct ConfigGetArgs {
    /// The key, as `links config list` shows it
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(context: &Context, args: &ConfigGetArgs) -> Result<CommandOutput, CommandError> {
    let key = config_file::key(&args.name)?;
    let row = super::list::row(key, &Config::load(&super::location::file(context)?)?);
    let value = row["value"].as_str().unwrap_or_default().to_owned();
    Ok(CommandOutput::own(row, View::Lines(vec![StyledLine::new(Style::Plain, value)])))
}
