//! Options of a run: the flags of `apply` and what its commands add to them, and the guards that flags lift.

use clap::Args;
use links_pages::apply::{GuardRefusal, ReadPages, RunCommand};

use crate::context::prelude::*;

// What may be done to make a page like a file. Not a doc comment: clap would take it for the text of the command.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ApplyArgs {
    /// Delete slots that are not in the file
    #[arg(long)]
    pub(crate) prune: bool,
    /// Delete legacy slots that are not in the file (they can't be recreated)
    #[arg(long, hide_short_help = true, help_heading = "Deletes")]
    pub(crate) prune_unsupported: bool,
    /// Don't ask for confirmation
    #[arg(short, long, alias = "auto-approve")]
    pub(crate) yes: bool,
    /// Trust links.lock for deletes and forms that no earlier commit confirms
    #[arg(long, hide_short_help = true, help_heading = "Deletes")]
    pub(crate) trust_lock: bool,
    /// Refuse to delete more than N slots; required to delete more than 20 slots or 30% of a page
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = "Deletes")]
    pub(crate) max_deletes: Option<usize>,
    /// Allow an empty file to delete slots, or a page to be unexpectedly empty
    #[arg(long, hide_short_help = true, help_heading = "Deletes")]
    pub(crate) allow_empty: bool,
    /// Allow changing, deleting and unlocking slots with `locked: true`
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    pub(crate) unlock: bool,
    /// Also allow images in this directory, not only next to the file
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true, help_heading = "Input")]
    pub(crate) upload_root: Vec<PathBuf>,
    /// Skip local validation; let the service validate the slots
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub(crate) no_validate: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub(crate) full: bool,
}

// What counts where the file and the page were changed since the last sync. Not a doc comment, as above.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct SyncArgs {
    /// Overwrite values that changed on the page since the last sync
    #[arg(long = "force")]
    pub(crate) overwrite: bool,
    /// Ignore the last sync; compare the file with the page only
    #[arg(
        long,
        hide_short_help = true,
        conflicts_with = "overwrite",
        help_heading = "Conflicts and sync"
    )]
    pub(crate) exact: bool,
}

// What cannot be undone and needs a flag of its own where no user can be asked. Not a doc comment, as above.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    /// Create up to N pages and forms (`links` can't delete them)
    ///
    /// With paths of several accounts, up to N in each account.
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true)]
    pub(crate) allow_create: usize,
    /// Allow changing logins, which breaks every link to the page
    #[arg(long)]
    pub(crate) allow_rename: bool,
}

/// Options of a run.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOptions {
    pub(crate) flags: ApplyArgs,
    /// What counts where both sides changed something.
    pub(crate) sync: SyncArgs,
    pub(crate) allowed: Allowed,
    /// The command that the run belongs to, for its journal.
    pub(crate) command: RunCommand,
    /// True for a command for the slots of one page, which has to exist.
    pub(crate) is_one_page: bool,
    /// Path of the page file by which `slots apply --resume` finds it again.
    pub(crate) path: Option<String>,
    /// Keys of the only pages that may be changed; any page if there are none.
    pub(crate) profiles: Vec<ProfileKey>,
    /// True if only what `links.lock` identifies may be written, and the lock stays as it is.
    pub(crate) locked: bool,
    /// True if the run waits for other runs on the same pages.
    pub(crate) wait: bool,
    /// True if the new slots are added each time, also while another machine adds the same ones.
    pub(crate) adds: bool,
    /// True if a status that has expired is written again.
    pub(crate) renew_status: bool,
    /// True if the record of the last sync is left out.
    pub(crate) is_unrecorded: bool,
    /// The only slots that may be deleted; any if it is `None`.
    pub(crate) only_deletes: Option<Vec<SlotId>>,
    /// Pages that were read to see whether there is anything to do.
    pub(crate) read: ReadPages,
}

/// Error for a guard's refusal, with a hint that names the flag to lift it.
pub(crate) fn refused(refusal: GuardRefusal) -> CommandError {
    let flag = match refusal {
        GuardRefusal::Empty => "pass --allow-empty to apply it anyway",
        GuardRefusal::ManyDeletes { .. } => "pass --max-deletes N to allow it",
        GuardRefusal::OverMaxDeletes { .. } => "raise --max-deletes to allow it",
    };
    CommandError::refused(refusal).with_hint(flag)
}
