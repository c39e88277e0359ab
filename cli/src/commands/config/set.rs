//! `links config set`: sets or removes a key in the configuration file.

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::config_file;
use crate::settings::config_file::Config;

#[derive(Args, Debug)]
#[command(examples = ["links config set base-url https://links.example/api/v1", "links config set output --unset"])]
pub(crate) struct ConfigSetArgs {
    /// The key, as `links config list` shows it
    #[arg(value_name = "NAME")]
    name: String,
    /// Its value
    #[arg(required_unless_present = "unset")]
    value: Option<String>,
    /// Remove the key from the file
    #[arg(long, conflicts_with = "value")]
    unset: bool,
}

pub(crate) fn run(context: &Context, args: &ConfigSetArgs) -> Result<CommandOutput, CommandError> {
    let key = config_file::key(&args.name)?;
    let path = super::location::file(context)?;
    Config::change(&path, key, args.value.as_deref())?;
    let name = path.display().to_string();
    let text = match &args.value {
        Some(value) => format!("{} set to {value} in {name}", key.name),
        None => format!("{} is no longer set in {name}", key.name),
    };
    let data = json!({ "key": key.name, "value": args.value, "file": name });
    Ok(CommandOutput::own(data, View::Lines(vec![StyledLine::new(Style::Plain, text)])))
}
