//! The settings of this process: I/O around the resolution.

use super::config_file::{self, Config};
use super::global_args::{Color, GlobalArgs};
use super::{Settings, dirs, resolve};
use crate::auth::{Accounts, AccountsFile};
use crate::env_vars;
use crate::error::CommandError;

/// Returns the settings of this process: of its command line, environment, configuration file and accounts.
///
/// # Errors
///
/// When a variable or a key of the file has a value that it cannot have, or the file cannot be read.
pub(crate) fn of_process(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    let named = env(env_vars::CONFIG_DIR).filter(|it| !it.is_empty());
    let config = match dirs::config(named.map(Into::into)) {
        Some(directory) => Config::load(&config_file::path(Some(directory))?)?,
        None => Config::default(),
    };
    let settings = resolve::resolve(flags, &env, &config)?;
    let accounts = match settings.config_directory() {
        Some(directory) if settings.needs_accounts() => AccountsFile::new(directory).load()?,
        _ => Accounts::default(),
    };
    Ok(settings.with_accounts(&accounts))
}

/// Returns the settings without the configuration file, for the commands that repair it.
///
/// # Errors
///
/// When a variable has a value that it cannot have.
pub(crate) fn without_config(flags: &GlobalArgs) -> Result<Settings, CommandError> {
    resolve::resolve(flags, &env, &Config::default())
}

/// Returns the use of colour if only the environment is known.
pub(crate) fn color_of_process(flag: Option<Color>) -> Color {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    resolve::color(flag, &set).unwrap_or(Color::Auto)
}

/// Returns a variable of this process. Bytes that are no UTF-8 are replaced, so that the variable is reported rather than ignored.
fn env(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}
