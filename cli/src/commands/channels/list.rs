//! `links channels list`

use clap::Args;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Column, Outcome, View};

/// Arguments of `links channels list`.
#[derive(Args, Debug)]
pub(crate) struct ChannelsListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("CHANNEL", "channel"),
    Column::at("LABEL", "label"),
    Column::at("RECIPIENT", "recipient"),
    Column::at("ACTIVE", "isActive"),
];

pub(crate) async fn run(context: &mut Context, _: ChannelsListArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.notification_channels().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}
