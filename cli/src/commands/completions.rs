//! `links completions`

use serde_json::json;

use crate::complete::ShellArgs;
use crate::diagnostic::Failure;
use crate::outcome::{Outcome, View};

pub(crate) fn run(args: &ShellArgs) -> Result<Outcome, Failure> {
    let script = args.shell.script().map_err(Failure::internal)?;
    Ok(Outcome::own(json!({ "script": script }), View::Document(script)))
}
