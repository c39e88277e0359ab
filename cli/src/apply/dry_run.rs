//! Dry run of a plan: the service validates the creates and updates, or the requests are shown.

use links_pages::apply::PlanBatch;
use links_sdk::{Error, NewProfile};

use super::execute::at_fields;
use super::planned::PlannedPage;
use super::problems;
use crate::context::prelude::*;
use crate::output::dry_run::{curl, described};

/// Sends the creates and updates of a plan as dry runs and collects the refusals. Deletes have no dry run: they are refused only for
/// unknown ids, and the ids were just read. Returns notes about what was checked.
pub(crate) async fn check_on_service(
    client: &Client,
    planned: &PlannedPage,
) -> Result<Vec<StyledLine>> {
    let (mut notes, plan) = (Vec::new(), planned.plan());
    let pending = || planned.file.images.iter().filter(|image| !image.is_uploaded);
    let waiting: BTreeSet<usize> = pending().filter_map(|it| it.place.item).collect();
    if !waiting.is_empty() {
        let slots = count(waiting.len(), "slot");
        let text = format!("did not check {slots}, because the images are not uploaded yet");
        notes.push(StyledLine::faint(text));
    }
    let fields = pending().filter(|it| it.place.item.is_none());
    let fields = fields.filter_map(|it| it.place.path.first().map(String::as_str)).collect();
    if planned.page.exists() {
        let checked = plan.fields.check(client, planned.page.id, &fields).await;
        checked.map_err(|error| at_fields(CommandError::from(error), planned))?;
    }
    let refused = plan.check(client, planned.page.id, &waiting).await?;
    let checked = plan.updates.iter().map(|it| it.index);
    let mut checked = checked.chain(plan.creates.iter().map(|it| it.index));
    if refused.is_empty() {
        if checked.any(|index| !waiting.contains(&index)) {
            let which = if waiting.is_empty() { "the" } else { "the other" };
            let text = format!("the service would accept {which} new and changed slots");
            notes.push(StyledLine::faint(text));
        }
        return Ok(notes);
    }
    if let Some(edited) = &planned.edited {
        return Err(problems::invalid(edited.refusals(&refused)));
    }
    let problems = problems::of_refusals(&refused, &planned.file, planned.described.as_ref());
    Err(planned.file.document.bad(problems).into())
}

/// A request that was not sent, for scripts and as a command.
pub(crate) type UnsentRequest = (Value, String);

/// Returns the write requests of a plan, which the client does not send. A request with values known only during the run is replaced by a
/// note.
pub(crate) async fn unsent_requests(
    client: &Client,
    planned: &PlannedPage,
) -> Result<Vec<UnsentRequest>> {
    let (page, plan) = (&planned.page, planned.plan());
    let images: BTreeSet<_> =
        planned.file.images.iter().filter(|it| !it.is_uploaded).map(|it| &it.name).collect();
    let upload = |name: &String| {
        let note = format!("replace \"(upload {name})\" with the path from the response");
        later("uploadFile", &note)
    };
    let mut shown: Vec<UnsentRequest> = images.into_iter().map(upload).collect();
    if !page.exists() {
        let create = client.profiles().create(NewProfile::with_login(&page.login));
        shown.push(not_sent(create.await)?);
    }
    for batch in plan.batches() {
        let order = match batch {
            // This batch writes nothing.
            PlanBatch::TryCreate(_) => continue,
            _ if !page.exists() => {
                let note = "the URL contains the ID of the new page, which is not known yet";
                shown.push(later(batch.operation(), note));
                continue;
            }
            PlanBatch::Reorder if !plan.creates.is_empty() => {
                let note = "the request contains the IDs of the new slots, which are not known yet";
                shown.push(later(batch.operation(), note));
                continue;
            }
            PlanBatch::Reorder => {
                let page: Vec<_> = page.slots.iter().map(|slot| slot.id).collect();
                let Some(order) = plan.resolve_order(&page, &BTreeMap::new()) else { continue };
                order
            }
            _ => Vec::new(),
        };
        let sent = batch.send(&client.profile(page.id), order, false).await;
        shown.push(not_sent(sent)?);
    }
    Ok(shown)
}

/// Placeholder for a request whose content is not known yet.
fn later(operation: &str, note: &str) -> UnsentRequest {
    let data = json!({ "dryRun": "request", "operation": operation, "note": note });
    (data, format!("# {operation}: {note}"))
}

/// Returns the request of a call that was not sent.
pub(crate) fn not_sent<T>(answer: Result<T, Error>) -> Result<UnsentRequest> {
    let Err(error) = answer else {
        return Err(CommandError::internal("the dry run wrote something"));
    };
    match error.not_sent() {
        Some(request) => Ok((described(request), curl(request))),
        None => Err(error.into()),
    }
}
