//! `links config path`

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::{Line, Outcome, Tone, View};

/// Arguments of `links config path`.
#[derive(Args, Debug)]
pub(crate) struct ConfigPathArgs {}

pub(crate) fn run(context: &Context, _: &ConfigPathArgs) -> Result<Outcome, Failure> {
    let path = super::file(context)?;
    let name = path.display().to_string();
    let data = json!({ "path": name, "exists": path.exists() });
    Ok(Outcome::own(data, View::Lines(vec![Line::new(Tone::Plain, name)])))
}
