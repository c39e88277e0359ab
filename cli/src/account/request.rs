//! Arguments of a run over the files of an account.

use std::path::PathBuf;

use links_sdk::ProfileKey;

use super::files::named_files;
use crate::apply::apply_args::{ApplyArgs, SyncArgs};
use crate::confine::NamedFiles;
use links_pages::profile_key;

// Files, and what is made of them, for `plan` and `apply`. Not a doc comment: clap would take it for the text of the command.
#[derive(clap::Args, Debug)]
pub(crate) struct FilesArgs {
    /// Page files, form files and directories; by default that of the closest links.lock
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Refuse files that are for another page than these
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Vec<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Write a status again that is not shown any more
    #[arg(long, hide_short_help = true)]
    renew_mood: bool,
}

impl FilesArgs {
    /// Returns the files that the arguments name. `writes` tells whether their locks are written.
    pub(crate) fn named_files(&self, writes: bool) -> NamedFiles {
        named_files(&self.paths, &self.apply_args.upload_root, writes)
    }

    /// Returns the request for the files, which allows nothing that cannot be undone and waits for no other run.
    pub(crate) fn request(self) -> AccountRequest {
        let Self { paths, profile: profiles, apply_args, sync, renew_mood } = self;
        let apply_args = ApplyArgs { sync, profiles, renew_mood, ..apply_args };
        let allowed = Allowed::default();
        AccountRequest { paths, plan: None, apply_args, allowed, wait: false }
    }
}

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

// What cannot be undone and needs a flag of its own where no user can be asked. Not a doc comment, as above.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    /// Create up to N pages and forms, which cannot be deleted again
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true)]
    pub(crate) allow_create: usize,
    /// Change logins, which breaks every link to the page
    #[arg(long)]
    pub(crate) allow_rename: bool,
}
