//! `--dry-run`: the flag of every command that writes.
//!
//! A command takes [`DryRunArgs`] and gets its client from [`Context::writer`](crate::context::Context::writer). Nothing else is needed:
//! the client of a dry run cannot write, and the first call that would have written ends the command with a result made in
//! [`output::dry_run`](crate::output::dry_run).

use clap::Args;

use crate::output::dry_run::DryRun;

// The flag that every command that writes has. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct DryRunArgs {
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "service",
        help = "Change nothing: ask the service whether it would accept this, or print the request"
    )]
    pub(crate) dry_run: Option<DryRun>,
}

impl From<DryRunArgs> for Option<DryRun> {
    fn from(args: DryRunArgs) -> Self {
        args.dry_run
    }
}
