//! `links forms get`: shows one form.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links forms get 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"])]
pub(crate) struct FormsGetArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsGetArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.form(args.id).get().answer().await?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::forms::view::FIRST),
    ))
}
