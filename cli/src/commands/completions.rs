//! `links completions`

use serde_json::json;

use crate::completion::shell::ShellArgs;
use crate::error::Failure;
use crate::output::{Outcome, View};

pub(crate) fn run(args: &ShellArgs) -> Result<Outcome, Failure> {
    let script = args.shell.script().map_err(Failure::internal)?;
    Ok(Outcome::own(json!({ "script": script }), View::Document(script)))
}
