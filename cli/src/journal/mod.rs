//! Journals of the commands that write: where they are, whose they are, and the recorder of a command that writes without a run of `apply`.

mod recorder;
mod typed_words;

use std::path::PathBuf;

use links_pages::apply::RunCommand;

use crate::context::Context;
use crate::env_vars::STATE_DIR;
use crate::error::CommandError;
use crate::settings::ServiceTarget;

pub(crate) use recorder::{CommandRecorder, identity, sent_fields, sent_page_fields};

/// Name of the embedded service, whose URL differs from one command to the next.
pub(crate) const SANDBOX: &str = "sandbox";

/// Name that identifies the configured service. `None` if no service is configured.
pub(crate) fn service(context: &Context) -> Option<String> {
    match &context.settings.target {
        ServiceTarget::Sandbox(_) => Some(SANDBOX.to_owned()),
        ServiceTarget::Service(url) => Some(match url.base() {
            Ok(base) => base.as_str().to_owned(),
            Err(_) => url.text().to_owned(),
        }),
        ServiceTarget::Unset => None,
    }
}

/// State directory, without which no run begins.
pub(crate) fn directory(context: &Context) -> Result<PathBuf, CommandError> {
    context.settings.state_directory().ok_or_else(|| {
        CommandError::usage("there is no home directory to keep state in")
            .with_hint(format!("set {STATE_DIR} to a directory"))
    })
}

/// The command of this process, for a journal.
pub(crate) fn command(context: &Context, name: &str) -> RunCommand {
    let words = typed_words::kept(&context.words);
    let call = Some(context.call().to_owned());
    RunCommand { name: name.to_owned(), words, call, ..RunCommand::default() }
}
