//! `links slots list`

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::Value;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Column, Outcome, View};

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

/// What people would know a block by: its title, else its first text. No list of fields is kept here, for the service has it.
fn content(slot: &Value) -> String {
    let text = |value: &Value| value.as_str().filter(|it| !it.trim().is_empty()).map(str::to_owned);
    let data = &slot["data"];
    text(&data["title"]).or_else(|| data.as_object()?.values().find_map(text)).unwrap_or_default()
}
