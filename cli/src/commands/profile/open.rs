//! `links profile open`: prints the URL of a page, and opens it in a browser on a terminal.

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::{process, profile_key};

#[derive(Args, Debug)]
#[command(examples = ["links profile open cafe"])]
pub(crate) struct ProfileOpenArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileOpenArgs,
) -> Result<CommandOutput, CommandError> {
    let page = context.client().await?.profile(args.profile).get().await?;
    let url = page.computed.url;
    if context.ui.is_read()
        && let Err(error) = process::browse(context.settings.browser.as_deref(), &url)
    {
        let text = format!("no browser was opened: {error}");
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    let data = json!({ "id": page.id, "login": page.login, "url": url });
    Ok(CommandOutput::own(data, View::Lines(vec![StyledLine::new(Style::Plain, url)])))
}
