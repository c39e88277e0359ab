//! Preview of a page file: a shadow of the account in this process, to which the file is applied with the ordinary code. The service only
//! reads.

mod file_base;
mod live_account;
mod output;
mod preview_source;
mod rendering;
mod service_markdown;
mod shadow;
mod shadow_account;

use std::path::PathBuf;

use links_sdk::apply::GuardRefusal;
use live_account::LiveAccount;
pub(crate) use output::{PreviewOutputs, shown};
use preview_source::PreviewSource;
use rendering::{RenderedBy, TokenCount};
use shadow::Shadow;

use crate::account::files::AccountFiles;
use crate::apply::planned::ApplyArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Page file to preview, and the options that it would be applied with.
#[derive(Debug)]
pub(crate) struct PreviewRequest {
    pub(crate) path: PathBuf,
    pub(crate) apply_args: ApplyArgs,
    /// True if nothing is asked of the service.
    pub(crate) offline: bool,
}

/// A page as a file would make it.
#[derive(Debug)]
pub(crate) struct Preview {
    /// Name of the file in messages.
    pub(crate) file: String,
    pub(crate) login: String,
    /// Id of the page; `None` for a page that does not exist yet, and without the service.
    pub(crate) id: Option<i64>,
    /// The page as it is, rendered on this machine; empty for a page that does not exist yet.
    pub(crate) before: String,
    /// The page as the file makes it, rendered on this machine.
    pub(crate) after: String,
    pub(crate) rendered_by: RenderedBy,
    pub(crate) tokens: TokenCount,
    /// Reason why `links apply` would refuse the plan without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
}

/// Renders the page of a file as it would be after `links apply`.
pub(crate) async fn preview(
    context: &mut Context,
    request: &PreviewRequest,
) -> Result<Preview, CommandError> {
    let source = PreviewSource::read(&request.path, &request.apply_args.upload_root)?;
    let files = source.parse()?;
    if request.offline {
        return offline(context, request, files).await;
    }
    let mut live = LiveAccount::read(context, &files).await?;
    live.read_markdown(context).await?;
    let shown = render(context, request, &live, files).await;
    match shown {
        // The cached slot types may be out of date.
        Err(failure) if failure.exit() == Exit::Invalid && !live.types.fresh => {
            live.types = context.fetch_slot_types().await?;
            render(context, request, &live, source.parse()?).await
        }
        shown => shown,
    }
}

/// Applies the file to a shadow of the account as it was read.
async fn render(
    context: &mut Context,
    request: &PreviewRequest,
    live: &LiveAccount,
    files: AccountFiles,
) -> Result<Preview, CommandError> {
    let shadow = Shadow::of_live(live, &files).await?;
    let id = live.page.as_ref().map(|page| page.id);
    let before = match id {
        Some(id) => shadow.markdown(id).await?,
        None => String::new(),
    };
    let mut types = live.types.clone();
    // The shadow has no newer ones.
    types.fresh = true;
    let applied = shadow.apply(context, request.apply_args.clone(), types, files).await?;
    let after = applied.markdown;
    let rendered_by = match (&live.page, &live.markdown) {
        (None, _) => RenderedBy::ModelForNewPage,
        (Some(_), None) => RenderedBy::Model,
        (Some(_), Some(service)) if service.text == before => RenderedBy::Service,
        (Some(_), Some(_)) => RenderedBy::DifferentModel,
    };
    let tokens = TokenCount::of(&before, &after, live.markdown.as_ref());
    let login = applied.page.page.login.clone();
    let file = applied.file;
    Ok(Preview {
        file,
        login,
        id,
        before,
        after,
        rendered_by,
        tokens,
        refusal: applied.page.refusal,
    })
}

/// Renders the page as the file alone makes it.
async fn offline(
    context: &mut Context,
    request: &PreviewRequest,
    files: AccountFiles,
) -> Result<Preview, CommandError> {
    let shadow = Shadow::of_file(&files).await?;
    let apply_args =
        ApplyArgs { is_unrecorded: true, no_validate: true, ..request.apply_args.clone() };
    let types = shadow.slot_types().await?;
    let applied = shadow.apply(context, apply_args, types, files).await?;
    Ok(Preview {
        file: applied.file,
        login: applied.page.page.login.clone(),
        id: None,
        before: String::new(),
        tokens: TokenCount::of("", &applied.markdown, None),
        after: applied.markdown,
        rendered_by: RenderedBy::ModelOfFile,
        refusal: None,
    })
}
