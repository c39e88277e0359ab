//! Change of the social links of a page: reads the page, and writes the whole list unless the page was changed meanwhile.

use links_sdk::types::Social;
use links_sdk::{Object, ProfileChanges, ProfileKey};
use serde_json::json;

use crate::args::dry_run::DryRunArgs;
use crate::commands::profile::view::FIRST;
use crate::context::Context;
use crate::error::CommandError;
use crate::journal::{CommandRecorder, sent_page_fields};
use crate::output::{CommandOutput, Style, StyledLine, View};

/// Changes the social links of a page, unless the change leaves them as they are.
pub(super) async fn change(
    context: &mut Context,
    command: &'static str,
    key: &ProfileKey,
    dry_run: DryRunArgs,
    change: impl FnOnce(Vec<Social>) -> Result<Vec<Social>, CommandError>,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(dry_run).await?;
    let profile = client.profile(key);
    let page = profile.get().await?;
    let socials = change(page.socials.clone())?;
    if socials == page.socials {
        let line = StyledLine::new(Style::Plain, "no changes");
        return Ok(CommandOutput::own(json!({ "socials": socials }), View::Lines(vec![line])));
    }
    let sent: Object = [("socials", json!(socials))].into_iter().collect();
    let recorder = CommandRecorder::of_page(context, command, key);
    let call = profile.update_unchanged(&page, ProfileChanges::from(sent.clone())).answer();
    let changed = call.before_write(recorder.fields_update(&sent)).await;
    recorder.stored(0, &changed, |page| sent_page_fields(page.take(), &sent));
    recorder.finish(context, changed.is_ok());
    Ok(CommandOutput::service(changed?.body().clone(), View::Record(FIRST)))
}
