//! Path of the configuration file.

use std::path::PathBuf;

use crate::context::Context;
use crate::error::CommandError;
use crate::settings::config_file;
pub(crate) fn file(context: &Context) -> Result<PathBuf, CommandError> {
    config_file::path(context.settings.config_directory())
}
