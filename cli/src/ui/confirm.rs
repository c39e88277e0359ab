//! Confirmation of actions that cannot be undone.

use super::Ui;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Asks for confirmation, unless the command line gives it.
///
/// # Errors
///
/// When the answer is no, or there is no terminal.
pub(crate) fn agree(ui: &Ui, agreed: bool, question: &str) -> Result<(), CommandError> {
    if agreed {
        return Ok(());
    }
    match ui.ask(question) {
        Some(true) => Ok(()),
        Some(false) => Err(CommandError::new(Exit::Refused, "not confirmed; nothing was written")),
        None => Err(CommandError::new(
            Exit::Refused,
            "this cannot be undone, and there is no terminal to ask on; nothing was written",
        )
        .hint("pass --yes to confirm")),
    }
}
