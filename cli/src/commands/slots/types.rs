//! `links slots types`

use clap::Args;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::{Column, Outcome, View};
use crate::slot_types;

/// Arguments of `links slots types`.
#[derive(Args, Debug)]
pub(crate) struct SlotsTypesArgs {}

const COLUMNS: &[Column] = &[
    Column::at("TYPE", "type"),
    Column::at("TITLE", "title"),
    Column::at("WRITABLE", "writable"),
    Column::at("DESCRIPTION", "description"),
];

pub(crate) async fn run(context: &mut Context, _: SlotsTypesArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.slot_types().answer().await?;
    slot_types::keep(context, answer.body());
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}
