//! `links slots edit`: edits a page in an editor and applies the result.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::apply::{PageSnapshot, fingerprint};

use super::edited_page::EditedPage;
use crate::apply::export::pull;
use crate::apply::planned::{ApplyArgs, RunOrigin};
use crate::apply::{ApplyRequest, apply};
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, yaml};
use crate::page_file::Document;
use crate::{editor, journal, profile_key};

#[derive(Args, Debug)]
#[command(examples = ["links slots edit cafe"])]
pub(crate) struct SlotsEditArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Instructions at the head of the file in the editor.
const HEAD: &str = "\
# Save and close: the page is updated to match this file. Close without a change: nothing happens.
# A slot that is removed here stays on the page, unless --prune was given.
";

/// Maximum number of merges if others write at the same time.
const MOST_MERGES: u32 = 3;

pub(crate) async fn run(
    context: &mut Context,
    mut args: SlotsEditArgs,
) -> Result<CommandOutput, CommandError> {
    context.writer(args.dry_run).await?;
    let command = journal::command(context, "slots edit");
    args.apply_args.origin = Some(Box::new(RunOrigin { command, ..RunOrigin::default() }));
    let (page, read) = pull(context, args.profile.clone()).await?;
    let text = format!("{HEAD}{}", yaml::write(&page)?);
    let name = format!("{}.yaml", read.login);
    let mut opened = Arc::unwrap_or_clone(page.content).slots;
    let apply = async |context: &mut Context, document: Document, path: &Path| {
        for tries in 1.. {
            let now = PageSnapshot::read(&context.client().await?, &page.profile).await?;
            let merged =
                EditedPage::merge(context, &args.apply_args, &mut opened, &document, &now).await?;
            let applied = apply_to(context, &args, merged, path, &now).await;
            let is_conflict = applied.as_ref().is_err_and(|it| it.exit() == Exit::Conflict);
            if tries < MOST_MERGES && is_conflict {
                let again = PageSnapshot::read(&context.client().await?, &page.profile).await?;
                if fingerprint(&again.slots) != fingerprint(&now.slots) {
                    continue;
                }
            }
            return applied.map(Some);
        }
        Ok(None)
    };
    let applied = editor::edit(context, &name, &text, apply).await?;
    Ok(applied.unwrap_or_else(editor::unchanged))
}

/// Applies the file if the page is still the one that the file was merged with.
async fn apply_to(
    context: &mut Context,
    args: &SlotsEditArgs,
    EditedPage { file, is_merged }: EditedPage,
    path: &Path,
    now: &PageSnapshot,
) -> Result<CommandOutput, CommandError> {
    // A merged file has no path: its content differs from that of the draft.
    let path = (!is_merged).then(|| path.display().to_string());
    let (apply_args, dry_run) = (args.apply_args.clone(), args.dry_run);
    let seen = Some(fingerprint(&now.slots));
    let request = ApplyRequest {
        source: file.into(),
        path,
        apply_args,
        wait: false,
        ask: false,
        dry_run,
        seen,
    };
    apply(context, request).await
}
