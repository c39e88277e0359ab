//! `links config`: commands for the configuration file.

use links_sdk::BaseUrl;

use super::prelude::*;
use crate::settings::config_file::{self, Config, ConfigKey, KEYS};

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ConfigCommand {
    /// Print the path of the configuration file
    #[command(examples = ["links config path"])]
    Path,
    /// List every key with its value and where the value comes from
    #[command(alias = "ls", examples = ["links config list"])]
    List,
    /// Print the value of one key
    #[command(examples = ["links config get output"])]
    Get {
        /// Key (see `links config list`)
        name: String,
    },
    /// Set a key in the configuration file, or remove it
    #[command(examples = ["links config set base-url https://links.example/api/v1", "links config set output --unset"])]
    Set {
        /// Key (see `links config list`)
        name: String,
        /// New value
        #[arg(required_unless_present = "unset")]
        value: Option<String>,
        /// Remove the key from the file
        #[arg(long, conflicts_with = "value")]
        unset: bool,
    },
}

const COLUMNS: &[Column] = &[
    Column::at("KEY", "key"),
    Column::at("VALUE", "value"),
    Column::at("FROM", "from"),
    Column::at("SETS", "about"),
];

impl ConfigCommand {
    pub(super) fn run(self, context: &Context) -> CommandResult {
        match self {
            Self::Path => {
                let path = file(context)?;
                let name = path.display().to_string();
                Ok(said(json!({ "path": name, "exists": path.exists() }), name))
            }
            Self::List => {
                let config = Config::load(&file(context)?)?;
                let rows: Vec<Value> = KEYS.iter().map(|key| row(key, &config)).collect();
                Ok(CommandOutput::own(rows, View::Table(COLUMNS)))
            }
            Self::Get { name } => {
                let row = row(config_file::key(&name)?, &Config::load(&file(context)?)?);
                let value = row["value"].as_str().unwrap_or_default().to_owned();
                Ok(said(row, value))
            }
            Self::Set { name, value, .. } => {
                let (key, path) = (config_file::key(&name)?, file(context)?);
                Config::change(&path, key, value.as_deref())?;
                let file = path.display().to_string();
                let text = match &value {
                    Some(value) => format!("set {} to {value} in {file}", key.name),
                    None => format!("removed {} from {file}", key.name),
                };
                Ok(said(json!({ "key": key.name, "value": value, "file": file }), text))
            }
        }
    }
}

/// Returns the path of the configuration file.
fn file(context: &Context) -> Result<PathBuf> {
    Ok(config_file::path(&context.config_directory()?))
}

/// Returns a key with the value that it has without a flag.
fn row(key: &ConfigKey, config: &Config) -> Value {
    let variable = std::env::var(key.variable).ok().filter(|it| !it.is_empty());
    let (value, from) = match (variable, config.get(key.name)) {
        (Some(value), _) => (Some(value), key.variable),
        (None, Some(value)) => (Some(value), "the file"),
        (None, None) => ((!key.default.is_empty()).then(|| key.default.to_owned()), "the default"),
    };
    let value = value.map(|it| BaseUrl::without_user_info(&it).into_owned());
    json!({ "key": key.name, "value": value, "from": from, "about": key.about })
}
