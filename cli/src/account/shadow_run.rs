//! Run over one page file against a shadow of the service: plans as `links plan` does, and carries the plan out there. Nothing of it is
//! recorded, and no image leaves this machine.

use std::sync::Arc;

use links_pages::apply::{GuardRefusal, OpenPage, PageRequest, Run, RunSettings};

use super::confirm::Irreversible;
use super::files::AccountFiles;
use super::pages_run::{PagesRun, page_request as page_request_of};
use super::report::plan_lines;
use super::request::RunSource;
use crate::apply::apply_args::RunOptions;
use crate::apply::execute::{RunFailure, failed};
use crate::apply::planned::PlannedPage;
use crate::apply::runs;
use crate::apply::sync::SyncRecord;
use crate::context::prelude::*;
use links_pages::page_file::Image;

/// Slot types that the shadow knows: those of the interface.
pub(crate) const KNOWN_TYPES: [&str; 12] = [
    "button", "picture", "gallery", "text", "youtube", "faq", "divider", "event", "music", "form",
    "wishlist", "question",
];

/// What `links apply` would do with a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApplyOutlook {
    /// True if anything would be written.
    pub(crate) is_changed: bool,
    /// Reason why the plan would be refused without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
    /// What would have to be confirmed, such as `2 deletes`.
    pub(crate) irreversible: Vec<String>,
    /// Lines of the plan.
    pub(crate) plan: Vec<StyledLine>,
    /// Slots that would be deleted.
    pub(crate) deletes: Vec<SlotId>,
}

/// Images that a file names, each with the path that the page has for it.
type NamedImages = Vec<(Image, String)>;

/// Applies the only page of `files` to the shadow that the context's client is connected to. Returns the page as the file makes it, and its
/// images.
pub(crate) async fn run_on_shadow(
    context: &mut Context,
    files: AccountFiles,
    options: RunOptions,
) -> Result<(Arc<PageSnapshot>, NamedImages, ApplyOutlook)> {
    let settings = runs::settings(context);
    let source = RunSource { files, ..RunSource::default() };
    let (mut session, pages) = PagesRun::new(context, source, options).await?;
    session.is_silent = true;
    let open = session.open_to_read(pages.clone(), settings).await?;
    session.check_planned()?;
    let refusal = session.state.planned().find_map(|planned| planned.refusal);
    let deletes = session.state.planned().flat_map(|planned| &planned.plan().deletes);
    let deletes = deletes.map(|slot| slot.id).collect();
    let is_changed = open.iter().any(OpenPage::has_changes);
    let irreversible = Irreversible::of(&session.state, &open).words();
    let mut plan = plan_lines(&session.state);
    // The requests are those to the shadow.
    plan.pop();
    session.state.planned().try_for_each(require_known_types)?;
    let page = Box::pin(carried_out(&mut session, pages)).await?;
    let images = session.state.planned().flat_map(images).collect();
    Ok((page, images, ApplyOutlook { is_changed, refusal, irreversible, plan, deletes }))
}

/// Carries out the plans of a session. Nothing of it is recorded.
async fn carried_out(
    session: &mut PagesRun<'_>,
    pages: Vec<PageRequest>,
) -> Result<Arc<PageSnapshot>> {
    let of_shadow = |error| failed(error, None, "").of_shadow();
    let run = Run::begin(&session.state.client, pages, RunSettings::new()).await;
    let run = run.map_err(of_shadow)?;
    let mut open = Vec::new();
    for planned in session.state.pages.iter_mut().filter_map(|page| page.planned.as_mut()) {
        let mut page = run.open(open.len()).await.map_err(of_shadow)?;
        page.settle(&planned.file.page.content).await.map_err(of_shadow)?;
        page.propose(planned.proposal()).map_err(of_shadow)?;
        if planned.put_unsent_images() {
            page.revise(planned.proposal());
        }
        open.push(page);
    }
    let open = session.create_pages(open).await;
    match session.execute(open).await.into_iter().next() {
        Some(Ok(applied)) => Ok(applied.page),
        Some(Err(RunFailure::Here(failure))) => Err(failure),
        Some(Err(failure)) => {
            let planned = session.state.planned().next();
            Err(failure.into_error(planned, "").of_shadow())
        }
        None => Err(CommandError::internal("no page was applied")),
    }
}

fn images(planned: &PlannedPage) -> impl Iterator<Item = (Image, String)> {
    let content = &planned.file.page.content;
    planned.file.images.iter().filter_map(move |image| {
        let path = image.place.value(image.place.data(content)?)?.as_str()?.to_owned();
        Some((image.clone(), path))
    })
}

/// Refuses a plan that creates a slot of a type that only the service knows.
fn require_known_types(planned: &PlannedPage) -> Result<()> {
    let creates = &planned.plan().creates;
    let unknown = creates.iter().find(|create| !KNOWN_TYPES.contains(&create.kind.as_str()));
    let Some(create) = unknown else { return Ok(()) };
    let message = format!(
        "cannot preview the page: unknown slot type `{}`; nothing was written",
        create.kind
    );
    let failure = CommandError::refused(message);
    Err(failure.with_hint("run `links plan` to see what `links apply` would write"))
}

/// Returns the keys of the page of a file, the first that exists counts, and whether the page is created where there is none.
pub(crate) fn page_request(
    record: Option<&SyncRecord>,
    files: &AccountFiles,
) -> Option<PageRequest> {
    let (path, file) = files.pages.first()?;
    Some(page_request_of(record, path, file, &RunOptions::default()))
}
