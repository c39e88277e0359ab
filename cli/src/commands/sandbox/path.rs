//! `links sandbox path`

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Line, Outcome, Tone, View};
use crate::sandbox;

/// Arguments of `links sandbox path`.
#[derive(Args, Debug)]
pub(crate) struct SandboxPathArgs {}

pub(crate) fn run(context: &Context, _: &SandboxPathArgs) -> Result<Outcome, Failure> {
    let path = sandbox::state_file(&context.settings)?.display().to_string();
    Ok(Outcome::own(json!({ "path": path }), View::Lines(vec![Line::new(Tone::Plain, path)])))
}
