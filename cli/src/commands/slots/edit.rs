//! `links slots edit`: edits a page in an editor and applies the result.

use crate::account::apply;
use crate::account::live_page::export;
use crate::account::request::RunSource;
use crate::apply::apply_args::{ApplyArgs, RunOptions};
use crate::apply::sync::OpenedText;
use crate::commands::prelude::*;
use crate::editor;
use links_pages::apply::fingerprint;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{Document, FileScope};

#[derive(Args, Debug)]
#[command(examples = ["links slots edit cafe"])]
pub(crate) struct SlotsEditArgs {
    /// ID, login or URL of the page
    key: PageKey,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    operation: OperationArgs,
}

/// Instructions at the head of the file in the editor.
const HEAD: &str = "\
# To update the page, change this file, then save and close it. If you change nothing, nothing happens.
# Slots that you remove here stay on the page, unless you passed --prune.
";

/// Maximum number of merges if others write at the same time.
const MOST_MERGES: u32 = 3;

pub(crate) async fn run(context: &mut Context, args: SlotsEditArgs) -> CommandResult {
    let client = operation_file::writer(context, args.operation).await?;
    args.key.page(&client).await?;
    let read = PageSnapshot::read(&client, &args.key).await?;
    let types = context.slot_types().await?.rules();
    let (page, _) = export(&read, &types, FileScope::Slots);
    let text = format!("{HEAD}{}", yaml(&page)?);
    let name = format!("{}.yaml", read.login);
    let opened = OpenedText::of(&page, &read, types)?;
    let apply = async |context: &mut Context, document: Document, path: &Path| {
        // References are relative to the user's directory, not to that of the draft.
        let images = ImageRoots::new(Path::new(""), &args.apply_args.upload_root)?;
        let mut tries = 1;
        loop {
            let file = PageFile::of(document.clone(), &images)?.slots_only()?;
            let (client, key) = (context.client().await?, ProfileKey::Id(read.id));
            let now = PageSnapshot::read(&client, &key).await?;
            let source = RunSource { opened: Some(opened.clone()), ..RunSource::text(file) };
            // A text that is merged with changes of others is not what a resumed run is to apply.
            let path = (fingerprint(&now.slots) == fingerprint(&read.slots)).then_some(path);
            let options = RunOptions {
                flags: args.apply_args.clone(),
                command: journal::command(context),
                is_one_page: true,
                path: path.map(|path| path.display().to_string()),
                ..RunOptions::default()
            };
            let applied = Box::pin(apply(context, source, options)).await;
            let is_conflict = applied.as_ref().is_err_and(|failure| {
                // Another client changed the page during the run. Conflicts in the text are for the user to settle.
                failure.exit() == Exit::Conflict && failure.file().is_none()
            });
            if tries < MOST_MERGES && is_conflict {
                let again = PageSnapshot::read(&client, &key).await?;
                if fingerprint(&again.slots) != fingerprint(&now.slots) {
                    tries += 1;
                    continue;
                }
            }
            return applied.map(Some);
        }
    };
    let instead = "`links slots set` or `links slots apply FILE`";
    Box::pin(editor::edit(context, &name, &text, instead, apply)).await
}
