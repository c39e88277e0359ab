//! `links config get`

use clap::Args;

use crate::config::{self, Config};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::{Line, Outcome, Tone, View};

/// Arguments of `links config get`.
#[derive(Args, Debug)]
pub(crate) struct ConfigGetArgs {
    /// The key, as `links config list` shows it
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(context: &Context, args: &ConfigGetArgs) -> Result<Outcome, Failure> {
    let key = config::key(&args.name)?;
    let row = super::list::row(key, &Config::load(&super::file(context)?)?);
    let value = row["value"].as_str().unwrap_or_default().to_owned();
    Ok(Outcome::own(row, View::Lines(vec![Line::new(Tone::Plain, value)])))
}
