//! Arguments of a run over the files of an account.

use std::path::PathBuf;

use crate::apply::planned::ApplyArgs;

/// What the files of an account are applied with.
pub(crate) struct AccountRequest {
    /// Files and directories; the directory of the closest `links.lock` if there are none.
    pub(crate) paths: Vec<PathBuf>,
    /// A saved plan instead of files.
    pub(crate) plan: Option<PathBuf>,
    pub(crate) apply_args: ApplyArgs,
    pub(crate) allowed: Allowed,
    /// True if the run waits for other runs on the same pages.
    pub(crate) wait: bool,
}

// What cannot be undone and needs a flag of its own where no user can be asked. Not a doc comment: clap would take it for the text of the command.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    /// Create up to N pages and forms, which cannot be deleted again
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true)]
    pub(crate) allow_create: usize,
    /// Change logins, which breaks every link to the page
    #[arg(long)]
    pub(crate) allow_rename: bool,
}
