//! `links profile preview`

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::json;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Outcome, View};

/// Arguments of `links profile preview`.
#[derive(Args, Debug)]
pub(crate) struct ProfilePreviewArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfilePreviewArgs,
) -> Result<Outcome, Failure> {
    let page = context.client().await?.profile(args.profile).markdown().await?;
    let data = json!({ "markdown": page.text, "tokens": page.tokens });
    Ok(Outcome::own(data, View::Markdown(page.text)))
}
