//! Run over one page file against a shadow of the service: plans as `links plan` does, and carries the plan out there. Nothing of it is
//! recorded, and no image leaves this machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use links_sdk::SlotId;
use links_sdk::account::PageRequest;
use links_sdk::apply::{
    AccountDelegate, Confirmation, DesiredPage, GuardRefusal, PageSnapshot, PageToConfirm, Proposal,
};

use super::confirm;
use super::files::AccountFiles;
use super::request::{AccountRequest, Allowed};
use super::session::AccountSession;
use super::{plan_pages, session};
use crate::apply::apply_args::ApplyArgs;
use crate::apply::execute::failed;
use crate::apply::image::Image;
use crate::apply::planned::PlannedPage;
use crate::apply::run_failure::RunFailure;
use crate::apply::sync::SyncRecord;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::StyledLine;

/// Slot types that the shadow knows: those of the interface (section 2.2).
pub(crate) const KNOWN_TYPES: [&str; 12] = [
    "button", "picture", "gallery", "text", "youtube", "faq", "divider", "event", "music", "form",
    "wishlist", "question",
];

/// Page of a shadow after the rehearsal.
#[derive(Debug)]
pub(crate) struct ShadowedPage {
    /// The page as the file makes it.
    pub(crate) page: Arc<PageSnapshot>,
    /// Images that the file names, with the paths that the page has for them.
    pub(crate) images: Vec<(Image, String)>,
    /// Reason why `links apply` would refuse the plan without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
    /// True if `links apply` would write anything.
    pub(crate) is_changed: bool,
    /// What has to be confirmed, such as `2 deletes`, and the lines that name each.
    pub(crate) irreversible: (Vec<String>, Vec<StyledLine>),
    /// Slots that are deleted.
    pub(crate) deletes: Vec<SlotId>,
}

/// Applies the only page of `files` to the shadow that the context's client is connected to.
pub(crate) async fn run_on_shadow(
    context: &mut Context,
    files: AccountFiles,
    apply_args: ApplyArgs,
) -> Result<ShadowedPage, CommandError> {
    let (paths, allowed) = (Vec::new(), Allowed::default());
    let request = AccountRequest { paths, plan: None, apply_args, allowed, wait: false };
    let (mut session, pages) = AccountSession::new(context, files, None, &request).await?;
    plan_pages(&mut session, pages.clone()).await?;
    let refusal = session.state.planned().find_map(|planned| planned.refusal);
    let deletes = session.state.planned().flat_map(|planned| &planned.plan.deletes);
    let deletes = deletes.map(|slot| slot.id).collect();
    let is_changed = session.state.pages.iter().any(|page| page.is_new)
        || session.state.planned().any(|planned| !planned.plan.is_empty());
    let (page, irreversible) = carried_out(&mut session, pages).await?;
    let images = session.state.planned().flat_map(images).collect();
    Ok(ShadowedPage { page, images, refusal, is_changed, irreversible, deletes })
}

async fn carried_out(
    session: &mut AccountSession<'_>,
    pages: Vec<PageRequest>,
) -> Result<(Arc<PageSnapshot>, (Vec<String>, Vec<StyledLine>)), CommandError> {
    let account = session.state.client.account();
    let mut shadow_run = ShadowRun { session, irreversible: Default::default() };
    let ended = Box::pin(account.apply_with(pages, &mut shadow_run).run()).await;
    let ShadowRun { session, irreversible } = shadow_run;
    let first = ended.and_then(|pages| {
        let none = || CommandError::internal("no page was applied").into();
        pages.into_iter().next().unwrap_or_else(|| Err(none()))
    });
    match first {
        Ok(applied) => Ok((applied.page, irreversible)),
        Err(RunFailure::Here(failure)) => Err(failure),
        Err(RunFailure::Run(error)) => {
            Err(failed(error, session.state.planned().next(), "").of_shadow())
        }
    }
}

fn images(planned: &PlannedPage) -> impl Iterator<Item = (Image, String)> {
    let content = &planned.file.page.content;
    planned.images.iter().filter_map(move |image| {
        let path = image.place.value(image.place.data(content)?)?.as_str()?.to_owned();
        Some((image.clone(), path))
    })
}

/// Delegate that carries out the plans of a session.
struct ShadowRun<'s, 'c> {
    session: &'s mut AccountSession<'c>,
    /// What has to be confirmed, and the lines that name each.
    irreversible: (Vec<String>, Vec<StyledLine>),
}

impl ShadowRun<'_, '_> {
    /// Refuses a plan that creates a slot of a type that only the service knows.
    fn require_known_types(&mut self, nth: usize) -> Result<(), RunFailure> {
        let creates = &self.planned(nth)?.plan.creates;
        let unknown = creates.iter().find(|create| !KNOWN_TYPES.contains(&create.kind.as_str()));
        let Some(create) = unknown else { return Ok(()) };
        let message = format!(
            "the preview does not know slots of the type {}, and cannot show the page; nothing was written",
            create.kind
        );
        let failure = CommandError::new(Exit::Refused, message);
        Err(failure.with_hint("`links plan` shows what `links apply` would write").into())
    }

    fn planned(&mut self, nth: usize) -> Result<&mut PlannedPage, RunFailure> {
        let planned = self.session.state.pages.get_mut(nth).and_then(|page| page.planned.as_mut());
        planned.ok_or_else(|| CommandError::internal("a page was not planned").into())
    }
}

impl AccountDelegate for ShadowRun<'_, '_> {
    type Error = RunFailure;

    async fn resolve(
        &mut self,
        nth: usize,
        _: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, RunFailure> {
        Ok(self.planned(nth)?.file.page.content.clone())
    }

    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, RunFailure> {
        let planned = self.planned(nth)?;
        if planned.page.exists() == page.exists() {
            return Ok(planned.proposal());
        }
        // The page was created since.
        self.session.plan(nth, page, created, is_resumed).await
    }

    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, RunFailure> {
        self.irreversible = confirm::irreversible(&self.session.state, pages);
        let mut confirmed = Vec::new();
        for page in pages {
            self.require_known_types(page.nth)?;
            let planned = self.planned(page.nth)?;
            confirmed.push(if planned.put_unsent_images() {
                Confirmation::Later(Box::new(planned.proposal()))
            } else {
                Confirmation::AsPlanned
            });
        }
        Ok(confirmed)
    }
}

/// Returns the keys of the page of a file, the first that exists counts, and whether the page is created where there is none.
pub(crate) fn page_request(
    context: &Context,
    files: &AccountFiles,
) -> Result<Option<PageRequest>, CommandError> {
    let Some((path, file)) = files.pages.first() else { return Ok(None) };
    let record = SyncRecord::of(context, path)?;
    Ok(Some(session::page_request(record.as_deref(), path, file, false)))
}
