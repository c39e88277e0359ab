//! `links undo`: undoes a write of this machine.

mod arguments;
mod conflict;
mod form;
mod page;
mod selection;

pub(crate) use self::arguments::UndoArgs;
use self::selection::UndoneWrite;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{CommandOutput, Style, StyledLine};

pub(crate) async fn run(
    context: &mut Context,
    args: UndoArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(args.dry_run).await?;
    let undone = UndoneWrite::select(context, args.run.as_deref())?;
    let of = undone.target();
    let text = format!("undoes `links {}` of {} ({of})", undone.line, undone.time);
    context.ui.say(&StyledLine::new(Style::Plain, text));
    for (run, what) in undone.companions(context)? {
        let text = format!("! the same command also wrote {what}: `links undo {run}` undoes that");
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    let outcome = if undone.form.is_some() {
        form::undo(context, &client, &undone, &args).await?
    } else {
        Box::pin(page::undo(context, &client, &undone, &args)).await?
    };
    if context.dry_run().is_none() {
        undone.close();
    }
    Ok(outcome)
}
