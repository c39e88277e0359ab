//! Confirmation of actions that cannot be undone.

use super::Ui;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Asks for confirmation, unless the command line gives it.
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
    match ui.ask(question) {
        Some(true) => Ok(()),
        Some(false) => Err(CommandError::new(Exit::Refused, "not confirmed; nothing was written")),
        None => Err(CommandError::new(
            Exit::Refused,
            "this cannot be undone and needs confirmation, but there is no terminal; nothing was written",
        )
        .with_hint("pass --yes")),
    }
}
