//! Arguments of `links undo`.

use clap::Args;

use crate::args::dry_run::DryRunArgs;
use crate::help::HelpText;

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug)]
#[command(
    notes = "Deleted slots come back with new ids, without their click statistics. What others changed since is a conflict, and nothing is written. An undo can be undone.",
    examples = ["links undo", "links undo \"$(links log -n 1 -o ids)\" --yes"]
)]
pub(crate) struct UndoArgs {
    /// The run to undo, as `links log` names it; without it, the newest that can be undone
    #[arg(value_name = "RUN")]
    pub(super) run: Option<String>,
    /// Restore also what was changed since the run
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Confirm the changes without being asked
    #[arg(long)]
    pub(super) yes: bool,
    /// Current login of the page, which has to match if the login is changed back
    #[arg(long, value_name = "LOGIN", requires = "yes")]
    pub(super) confirm: Option<String>,
    /// Show every change of a large plan
    #[arg(long, hide_short_help = true)]
    pub(super) full: bool,
    /// Wait for another run on the same page instead of refusing
    #[arg(long, hide_short_help = true)]
    pub(super) wait: bool,
    #[command(flatten)]
    pub(super) dry_run: DryRunArgs,
}
