//! Choice of the location for the secret of a new login.

use clap::ValueEnum;

use crate::auth::{AccountsFile, SecretLocation, check_keyring};
use crate::context::Context;
use crate::env_vars::TOKEN;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};

/// Location that the user can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StoreChoice {
    /// The keyring of the system
    Keyring,
    /// A file that only you can read
    File,
}

/// Returns the location for the secret. A file is used only if the user asks for it, so that no secret is in a file unexpectedly.
pub(super) fn choose(
    context: &Context,
    choice: Option<StoreChoice>,
    file: &AccountsFile,
) -> Result<SecretLocation, CommandError> {
    let directory = file.directory().display();
    if choice == Some(StoreChoice::File) {
        let text = format!(
            "the secret is stored unencrypted in a file below {directory} that only you can read"
        );
        context.ui.say(&StyledLine::new(Style::Faint, text));
        return Ok(SecretLocation::File);
    }
    let Err(error) = check_keyring() else { return Ok(SecretLocation::Keyring) };
    let question =
        format!("{error}. Keep the secret in a file below {directory} that only you can read?");
    if choice.is_none() && context.ui.ask(&question) == Some(true) {
        return Ok(SecretLocation::File);
    }
    Err(CommandError::new(Exit::Refused, error.to_string()).with_hint(format!(
        "--store file keeps the secret in a file below {directory} that only you can read; {TOKEN} needs no store at all"
    )))
}
