//! `links profile rename`: changes the login of a page.

use clap::Args;
use links_sdk::{ProfileKey, SettingsChanges};
use serde_json::json;

use super::login;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_page_fields};
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    notes = "The old URL stops working at once and is not redirected: links, QR codes and NFC tags that hold it break.",
    examples = ["links profile rename cafe cafe.mole", "links profile rename cafe cafe.mole --yes --confirm cafe"]
)]
pub(crate) struct ProfileRenameArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// New login: 4 to 60 of `a-z A-Z 0-9 . _`, not in use
    new: String,
    /// Confirm without being asked
    #[arg(long, requires = "confirm")]
    yes: bool,
    /// Current login of the page, which has to match
    #[arg(long, value_name = "LOGIN", requires = "yes")]
    confirm: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileRenameArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(args.dry_run).await?;
    let page = client.profile(args.profile).settings().await?;
    let old = page.login.clone();
    if old == args.new {
        let line = StyledLine::new(Style::Plain, format!("the login is already {old}"));
        let data = json!({ "profileId": page.profile_id, "login": old });
        return Ok(CommandOutput::own(data, View::Lines(vec![line])));
    }
    let id = ProfileKey::Id(page.profile_id);
    login::check_available(&client, &args.new, Some(&id)).await?;
    require_consent(context, &old, &page.computed.url, args.confirm)?;
    let changes = SettingsChanges::default().login(&args.new);
    let recorder = CommandRecorder::of_known_page(context, "profile rename", page.profile_id, &old);
    let call = client.profile(&id).update_settings_unchanged(&page, changes).answer();
    let sent = [("login", args.new.clone())].into_iter().collect();
    let changed = call.before_write(recorder.fields_update(&sent)).await;
    recorder.stored(0, &changed, |page| sent_page_fields(page.take(), &sent));
    recorder.finish(context, changed.is_ok());
    let answer = changed?;
    let line =
        StyledLine::new(Style::Plain, format!("the login was changed from {old} to {}", args.new));
    Ok(CommandOutput::service(answer.body().clone(), View::Lines(vec![line])))
}

/// Says what a new login breaks, and asks for consent unless this is a dry run.
pub(crate) fn require_consent(
    context: &Context,
    old: &str,
    url: &str,
    confirm: Option<String>,
) -> Result<(), CommandError> {
    let warning = format!(
        "{url} stops working at once and is not redirected: every link, QR code and NFC tag that leads there breaks, and another \
         account may take the login {old}."
    );
    context.ui.say(&StyledLine::new(Style::Removed, warning));
    if context.dry_run().is_some() {
        return Ok(());
    }
    confirm_rename(context, old, confirm)
}

/// Asks for the old login as a confirmation, which is not given by mistake.
fn confirm_rename(
    context: &Context,
    old: &str,
    confirm: Option<String>,
) -> Result<(), CommandError> {
    let question = format!("Type {old} to continue:");
    let refused = |message: String| Err(CommandError::new(Exit::Refused, message));
    match confirm.or_else(|| context.ui.ask_for(&question)) {
        Some(named) if named.trim() == old => Ok(()),
        Some(named) => {
            refused(format!("the login is {old}, not {}; nothing was changed", named.trim()))
        }
        None => {
            let message = "a new login breaks links to the old one and needs confirmation, but there is no terminal; nothing was changed";
            refused(message.to_owned())
                .map_err(|failure| failure.with_hint(format!("pass --yes --confirm {old}")))
        }
    }
}
