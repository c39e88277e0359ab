//! `links slots list`

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::Value;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Column, Outcome, View};
use crate::ui::label;

/// Arguments of `links slots list`.
#[derive(Args, Debug)]
pub(crate) struct SlotsListArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TYPE", "type"),
    Column::of("CONTENT", content),
    Column::of("NOTE", |slot| {
        if slot["supported"] == false { "legacy: cannot be edited".into() } else { String::new() }
    }),
];

pub(crate) async fn run(context: &mut Context, args: SlotsListArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.profile(args.profile).slots().list().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}

fn content(slot: &Value) -> String {
    slot["data"].as_object().and_then(label).unwrap_or_default().to_owned()
}
