//! A preview of a page file: the file is applied to a shadow, and the shadow renders the page.

use std::borrow::Cow;

use super::live_account::LiveAccount;
use super::shadow::Shadow;
use super::shown_page::{AS_THE_SERVICE, HERE, NEW_PAGE, Preview, TokenCount};
use crate::account::files::AccountFiles;
use crate::account::shadow_run::ApplyOutlook;
use crate::apply::apply_args::RunOptions;
use crate::apply::sync::page_path::read_file;
use crate::context::prelude::*;
use links_pages::page_file::is_composed;
use links_pages::page_file::local_image::hash_of;

/// Page file to preview, and the options that it would be applied with.
pub(crate) struct PreviewRequest {
    pub(crate) path: PathBuf,
    pub(crate) options: RunOptions,
    /// True if nothing is asked of the service.
    pub(crate) offline: bool,
}

/// Renders the pages of files as they would be after `links apply`. Adds why files cannot be previewed to `failures`.
///
/// # Errors
///
/// When a file fails for a reason that would be that of the others, too.
pub(crate) async fn previews(
    context: &mut Context,
    requests: Vec<PreviewRequest>,
    failures: &mut Vec<CommandError>,
) -> Result<Vec<Preview>> {
    let (mut shown, is_one) = (Vec::new(), requests.len() == 1);
    for request in &requests {
        match Box::pin(preview(context, request)).await {
            Ok(preview) => shown.push(preview),
            Err(failure) if failure.exit().is_general() => return Err(failure),
            Err(failure) if is_one || failure.is_of_file() => failures.push(failure),
            Err(failure) => failures.push(failure.about(&request.path.display().to_string())),
        }
    }
    Ok(shown)
}

async fn preview(context: &mut Context, request: &PreviewRequest) -> Result<Preview> {
    let source = PreviewSource::read(&request.path, &request.options.flags.upload_root)?;
    render(context, request, &source, &mut None).await
}

/// Renders the page of a file. `live` is the account if it was read before; it is read again if the file needs more of it.
pub(super) async fn render(
    context: &mut Context,
    request: &PreviewRequest,
    source: &PreviewSource,
    live: &mut Option<LiveAccount>,
) -> Result<Preview> {
    let files = source.parse()?;
    if request.offline {
        return offline(context, request, files).await;
    }
    let known = match live.take() {
        Some(known) if known.is_enough(context, &files)? => known,
        _ => LiveAccount::read(context, &files).await?,
    };
    let live = live.insert(known);
    let shown = render_live(context, request, live, files).await;
    match shown {
        // The cached slot types may be out of date.
        Err(failure) if failure.exit() == Exit::Invalid && !live.types.fresh => {
            live.types = context.fetch_slot_types().await?;
            render_live(context, request, live, source.parse()?).await
        }
        shown => shown,
    }
}

/// Applies the file to a shadow of the account that was read.
async fn render_live(
    context: &Context,
    request: &PreviewRequest,
    live: &LiveAccount,
    files: AccountFiles,
) -> Result<Preview> {
    let shadow = Shadow::of_live(live, &files)?;
    let before = match &live.page {
        Some(page) => shadow.markdown(page.id).await?,
        None => String::new(),
    };
    let mut types = live.types.clone();
    // The shadow has no newer ones.
    types.fresh = true;
    let made = shadow.apply(context, request.options.clone(), types, files).await?;
    let rendered_by = match (&live.page, &live.markdown) {
        (None, _) => NEW_PAGE,
        (Some(_), Some(service)) if service.text == before => AS_THE_SERVICE,
        (Some(_), _) => HERE,
    };
    let tokens = TokenCount::of(&before, &made.after, live.markdown.as_ref());
    let page = live.page.clone();
    Ok(Preview { before, rendered_by, tokens, live: page, ..made })
}

/// Renders the page as the file alone makes it.
async fn offline(
    context: &Context,
    request: &PreviewRequest,
    files: AccountFiles,
) -> Result<Preview> {
    let shadow = Shadow::of_file(&files)?;
    let mut options = RunOptions { is_unrecorded: true, ..request.options.clone() };
    options.flags.no_validate = true;
    let types = shadow.slot_types().await?;
    let made = shadow.apply(context, options, types, files).await?;
    Ok(Preview { outlook: ApplyOutlook::default(), ..made })
}

/// Text of a page file.
pub(super) struct PreviewSource {
    path: PathBuf,
    name: String,
    bytes: Vec<u8>,
    roots: Vec<PathBuf>,
    /// Other files that it uses, as far as they could be read.
    pub(super) used: Vec<PathBuf>,
    /// Hash of the text and of those that it uses.
    pub(super) fingerprint: String,
}

impl PreviewSource {
    pub(super) fn read(path: &Path, roots: &[PathBuf]) -> Result<Self> {
        let (name, bytes) = read_file(path)?;
        let mut source = Self {
            path: path.to_owned(),
            name,
            fingerprint: hash_of(&bytes),
            bytes,
            roots: roots.to_vec(),
            used: Vec::new(),
        };
        if let Some(files) = is_composed(&source.bytes).then(|| source.parse().ok()).flatten() {
            source.used = files.used_files().collect();
            let texts = files.pages.iter().map(|(_, file)| file.document.sources.text());
            source.fingerprint = hash_of(texts.collect::<String>().as_bytes());
        }
        Ok(source)
    }

    /// Returns the text, as far as it is Unicode.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Parses the text. Refuses what is no page file.
    pub(super) fn parse(&self) -> Result<AccountFiles> {
        let files = AccountFiles::of_text(&self.path, &self.name, self.bytes.clone(), &self.roots)?;
        if files.pages.is_empty() {
            let message = format!("{} is a form file, but only pages can be previewed", self.name);
            return Err(CommandError::usage(message)
                .with_hint("pass a page file, which starts with `profile: LOGIN`"));
        }
        Ok(files)
    }
}

/// Refuses what breaks a house rule.
pub(super) fn usable(mut files: AccountFiles, context: &Context) -> Result<AccountFiles> {
    files.check_rules(context)?;
    files.all_usable()
}

/// Returns what is wrong with a text as long as another file is missing: why it cannot be parsed, or which images cannot be read.
pub(super) fn lacking(parsed: &Result<AccountFiles>) -> Option<String> {
    match parsed {
        Ok(files) => {
            let missing = files.pages.iter().flat_map(|(_, file)| &file.missing);
            let missing: Vec<&str> = missing.map(|it| it.message.as_str()).collect();
            (!missing.is_empty()).then(|| missing.join("\n"))
        }
        Err(failure) => Some(failure.to_json().to_string()),
    }
}
