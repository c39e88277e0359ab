//! `links config path`

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Line, Outcome, Tone, View};

/// Arguments of `links config path`.
#[derive(Args, Debug)]
pub(crate) struct ConfigPathArgs {}

pub(crate) fn run(context: &Context, _: &ConfigPathArgs) -> Result<Outcome, Failure> {
    let path = super::location::file(context)?;
    let name = path.display().to_string();
    let data = json!({ "path": name, "exists": path.exists() });
    Ok(Outcome::own(data, View::Lines(vec![Line::new(Tone::Plain, name)])))
}
