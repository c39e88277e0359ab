//! `links slots rewrite`: changes slots of one or more pages with jq filters.

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::live_page::all_keys;
use crate::args::dry_run::DryRunArgs;
use crate::bulk::rewrite::Rewrite;
use crate::bulk::slot_filter::SlotFilter;
use crate::bulk::{self, BulkArgs, BulkRequest};
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    notes = "The filters see each slot as {page, id, type, data}. Only data can change; `empty` leaves a slot alone. All pages are read and checked before the first write.",
    long_examples = [
        r#"links slots rewrite cafe --where '.type == "button"' --edit '.data.title |= ascii_upcase' --yes"#,
        r#"links slots rewrite --all --where '.data.link' --edit '.data.link |= sub("qara.example"; "qara.kz")' --yes"#,
    ]
)]
pub(crate) struct SlotsRewriteArgs {
    /// Ids, logins or URLs of the pages
    #[arg(value_name = "KEY", value_parser = profile_key::parse, required_unless_present = "all")]
    profiles: Vec<ProfileKey>,
    /// Rewrite slots of every page of the account
    #[arg(long, conflicts_with = "profiles")]
    all: bool,
    /// jq filter that is true for the slots to rewrite; without it, all are
    #[arg(long = "where", value_name = "FILTER")]
    select: Option<String>,
    /// jq filter that gives the slot as it should be
    #[arg(long, value_name = "FILTER")]
    edit: String,
    #[command(flatten)]
    how: BulkArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsRewriteArgs,
) -> Result<CommandOutput, CommandError> {
    let SlotsRewriteArgs { profiles, all, select, edit, how, dry_run } = args;
    let filter = SlotFilter::new(select.as_deref(), &edit).map_err(CommandError::usage)?;
    let client = context.writer(dry_run).await?;
    let pages = if all { all_keys(&client).await? } else { profile_key::once(profiles) };
    bulk::run(context, BulkRequest { pages, how }, &Rewrite { filter }).await
}
