//! `links slots types`

use clap::Args;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Column, Outcome, View};

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
    context.keep_slot_types(answer.body());
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}
