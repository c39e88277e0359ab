//! Confirmation of changes.

use super::Ui;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Asks for confirmation, unless the command line has it.
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
            "the changes need confirmation, but there is no terminal; nothing was written",
        )
        .with_hint("pass --yes")),
    }
}
