//! `links undo`: undoes a write of this machine.

mod conflict;
mod form;
mod page;
mod selection;

use clap::Args;

use self::selection::UndoneWrite;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine};

#[derive(Args, Debug)]
#[command(
    notes = "Deleted slots come back with new ids, without their click statistics. What others changed since is a conflict, and nothing is written. An undo can be undone.",
    examples = ["links undo", "links undo \"$(links log -n 1 -o ids)\" --yes"]
)]
pub(crate) struct UndoArgs {
    /// The run to undo, as `links log` names it; a unique beginning is enough. Without it, the newest one that can be undone
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Restore also what was changed since the run
    #[arg(long)]
    overwrite: bool,
    /// Confirm the changes without being asked
    #[arg(long)]
    yes: bool,
    /// Current login of the page, which has to match if the login is changed back
    #[arg(long, value_name = "LOGIN", requires = "yes")]
    confirm: Option<String>,
    /// Wait for another run on the same page instead of refusing
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: UndoArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(args.dry_run).await?;
    let undone = UndoneWrite::select(context, args.run.as_deref())?;
    let text = format!("undoes `links {}` of {}", undone.line, undone.time);
    context.ui.say(&StyledLine::new(Style::Plain, text));
    let outcome = if undone.form.is_some() {
        form::undo(context, &client, &undone, &args).await?
    } else {
        page::undo(context, &client, &undone, &args).await?
    };
    if context.dry_run().is_none() {
        undone.close();
    }
    Ok(outcome)
}
