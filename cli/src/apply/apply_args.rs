//! Arguments of `apply`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use links_pages::apply::RunCommand;
use links_sdk::{Object, ProfileKey, SlotId};

// What may be done to make a page like a file. Not a doc comment: clap would take it for the text of the command.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ApplyArgs {
    /// Delete the slots that the file does not mention
    #[arg(long)]
    pub(crate) prune: bool,
    /// Delete the legacy slots that the file does not mention, which cannot be created again
    #[arg(long, hide_short_help = true)]
    pub(crate) prune_unsupported: bool,
    /// Confirm deletes and uploads without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Also confirm deletes and forms for which only a committed links.lock speaks
    #[arg(long, hide_short_help = true)]
    pub(crate) trust_lock: bool,
    /// Maximum number of deletes; required for large deletions
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_deletes: Option<usize>,
    /// Allow an empty file, or a page found unexpectedly empty
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_empty: bool,
    /// Also allow images below this directory, not only below the file's own
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    pub(crate) upload_root: Vec<PathBuf>,
    /// Leave the validation of the slots against the schemas of their types to the service
    #[arg(long, hide_short_help = true)]
    pub(crate) no_validate: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true)]
    pub(crate) full: bool,
    /// Reason why slots that the file does not mention are kept, if other than a missing `--prune`.
    #[arg(skip)]
    pub(crate) kept_reason: Option<&'static str>,
    /// Indices of the items that match only a slot with exactly their content.
    #[arg(skip)]
    pub(crate) exact: BTreeSet<usize>,
    /// What counts where both sides changed something.
    #[arg(skip)]
    pub(crate) sync: SyncArgs,
    /// True if only what `links.lock` identifies may be written, and the lock stays as it is.
    #[arg(skip)]
    pub(crate) locked: bool,
    /// True if the record of the last sync is left out.
    #[arg(skip)]
    pub(crate) is_unrecorded: bool,
    /// The only slots that may be deleted; any if it is `None`.
    #[arg(skip)]
    pub(crate) only_deletes: Option<Vec<SlotId>>,
    /// Keys of the only pages that may be changed; any page if there are none.
    #[arg(skip)]
    pub(crate) profiles: Vec<ProfileKey>,
    /// True if a status that has expired is written again.
    #[arg(skip)]
    pub(crate) renew_mood: bool,
    /// The command that the run belongs to, if it is not `slots apply`.
    #[arg(skip)]
    pub(crate) origin: Option<Box<RunOrigin>>,
}

/// Command that a run belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOrigin {
    /// The command, for the journal.
    pub(crate) command: RunCommand,
    /// Profile fields that the page has to have: the changes were decided for them.
    pub(crate) seen_fields: Object,
}

// What counts where the file and the page were changed since the last sync. Not a doc comment, as above.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct SyncArgs {
    /// Write what the file says also where the page was changed since the last sync (see `links init`)
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Compare the file with the page alone, whatever was changed since the last sync
    #[arg(long, hide_short_help = true, conflicts_with = "overwrite")]
    pub(crate) exact: bool,
}
