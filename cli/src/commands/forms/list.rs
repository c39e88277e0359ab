//! `links forms list`

use clap::Args;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Column, Outcome, View};

/// Arguments of `links forms list`.
#[derive(Args, Debug)]
pub(crate) struct FormsListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TITLE", "title"),
    Column::at("ACTIVE", "active"),
    Column::of("FIELDS", |form| form["fields"].as_array().map_or(0, Vec::len).to_string()),
    Column::at("CREATED", "createdAt"),
];

pub(crate) async fn run(context: &mut Context, _: FormsListArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.forms().list().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}
