//! Confirmation of changes.

use super::Ui;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Asks for confirmation of an action that cannot be undone, unless the command line gives it.
///
/// # Errors
///
/// When the answer is no, or there is no terminal.
pub(crate) fn require_confirmation(
    ui: &Ui,
    is_confirmed: bool,
    question: &str,
) -> Result<(), CommandError> {
    if is_confirmed {
        return Ok(());
    }
    require_answer(ui, question, "this cannot be undone and needs confirmation")
}

/// Asks for confirmation of changes that can be undone.
///
/// # Errors
///
/// When the answer is no, or there is no terminal.
pub(crate) fn require_confirmed_change(ui: &Ui, question: &str) -> Result<(), CommandError> {
    require_answer(ui, question, "the changes need confirmation")
}

fn require_answer(ui: &Ui, question: &str, needs: &str) -> Result<(), CommandError> {
    match ui.ask(question) {
        Some(true) => Ok(()),
        Some(false) => Err(CommandError::new(Exit::Refused, "not confirmed; nothing was written")),
        None => Err(CommandError::new(
            Exit::Refused,
            format!("{needs}, but there is no terminal; nothing was written"),
        )
        .with_hint("pass --yes")),
    }
}
