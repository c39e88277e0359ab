//! The path of the configuration file.

use std::path::PathBuf;

use crate::context::Context;
use crate::error::Failure;
use crate::settings::config_file;
pub(crate) fn file(context: &Context) -> Result<PathBuf, Failure> {
    config_file::path(context.settings.config_directory())
}
