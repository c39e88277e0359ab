//! `links config list`: lists every key with its value and its origin.

use clap::Args;
use links_sdk::BaseUrl;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};
use crate::settings::config_file::{Config, ConfigKey, KEYS};

#[derive(Args, Debug)]
#[command(examples = ["links config list"])]
pub(crate) struct ConfigListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("KEY", "key"),
    Column::at("VALUE", "value"),
    Column::at("FROM", "from"),
    Column::at("SETS", "about"),
];

pub(crate) fn run(context: &Context, _: &ConfigListArgs) -> Result<CommandOutput, CommandError> {
    let path = super::location::file(context)?;
    let config = Config::load(&path)?;
    let rows: Vec<Value> = KEYS.iter().map(|key| row(key, &config)).collect();
    Ok(CommandOutput::own(rows, View::Table(COLUMNS)))
}

/// Returns a key with the value that it has without a flag.
pub(super) fn row(key: &ConfigKey, config: &Config) -> Value {
    let variable = std::env::var(key.variable).ok().filter(|it| !it.is_empty());
    let (value, from) = match (variable, config.get(key.name)) {
        (Some(value), _) => (Some(value), key.variable),
        (None, Some(value)) => (Some(value), "the file"),
        (None, None) => ((!key.default.is_empty()).then(|| key.default.to_owned()), "the default"),
    };
    let value = value.map(|it| BaseUrl::without_user_info(&it).into_owned());
    json!({ "key": key.name, "value": value, "from": from, "about": key.about })
}
