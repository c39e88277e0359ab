//! Dry run of a plan: the service validates the creates and updates, or the requests are shown.

use std::collections::BTreeSet;

use links_pages::apply::{PageSnapshot, Plan, PlanBatch};
use links_sdk::{Client, Error, NewProfile, RequestView};
use serde_json::{Value, json};

use super::execute::at_fields;
use super::planned::PlannedPage;
use super::problems;
use crate::error::CommandError;
use crate::output::dry_run::{curl, described};
use crate::output::{CommandOutput, StyledLine, View};

/// Sends the creates and updates of a plan as dry runs and collects the refusals. Deletes have no dry run: they are refused only for
/// unknown ids, and the ids were just read. Returns notes about what was checked.
pub(crate) async fn check_on_service(
    planned: &PlannedPage,
) -> Result<Vec<StyledLine>, CommandError> {
    let mut notes = Vec::new();
    let waiting: BTreeSet<usize> =
        planned.images.iter().filter(|it| !it.uploaded).filter_map(|it| it.place.item).collect();
    if !waiting.is_empty() {
        let text = match waiting.len() {
            1 => "1 slot with an image that is not uploaded yet is not checked".to_owned(),
            several => {
                format!("{several} slots with images that are not uploaded yet are not checked")
            }
        };
        notes.push(StyledLine::faint(text));
    }
    let fields = planned.images.iter().filter(|it| !it.uploaded && it.place.item.is_none());
    let fields = fields.filter_map(|it| it.place.path.first().map(String::as_str)).collect();
    if planned.page.exists() {
        let checked = planned.plan.fields.check(&planned.client, planned.page.id, &fields).await;
        checked.map_err(|error| at_fields(CommandError::from(error), planned))?;
    }
    let refused = planned.plan.check(&planned.client, planned.page.id, &waiting).await?;
    let checked = planned.plan.updates.iter().map(|it| it.index);
    let mut checked = checked.chain(planned.plan.creates.iter().map(|it| it.index));
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

/// Note at the end of a dry run.
pub(crate) fn nothing_changed() -> StyledLine {
    StyledLine::faint("a dry run: nothing was changed")
}

/// Adds notes below the lines of an output.
pub(crate) fn with_notes(mut output: CommandOutput, notes: Vec<StyledLine>) -> CommandOutput {
    if let Some(lines) = output.view.lines_mut() {
        lines.extend(notes);
    }
    output
}

/// Output of requests that were not sent.
pub(crate) fn listed(requests: Vec<UnsentRequest>) -> CommandOutput {
    let (data, text): (Vec<Value>, Vec<String>) = requests.into_iter().unzip();
    let text = text.into_iter().map(|line| line + "\n").collect();
    CommandOutput::own(data, View::Document(text))
}

/// A request that was not sent, for scripts and as a command.
pub(crate) type UnsentRequest = (Value, String);

/// Returns the write requests of a plan, which the client does not send. A request with values known only during the run is replaced by a
/// note.
pub(crate) async fn unsent_requests(
    planned: &PlannedPage,
) -> Result<Vec<UnsentRequest>, CommandError> {
    let mut shown = uploads(planned);
    shown.extend(unsent_batches(&planned.client, &planned.page, &planned.plan).await?);
    Ok(shown)
}

/// Returns the requests of the batches of a plan, without sending them.
pub(crate) async fn unsent_batches(
    client: &Client,
    page: &PageSnapshot,
    plan: &Plan,
) -> Result<Vec<UnsentRequest>, CommandError> {
    let mut shown = Vec::new();
    for batch in plan.batches() {
        let mut order = Vec::new();
        match batch {
            // This batch writes nothing.
            PlanBatch::TryCreate(_) => continue,
            PlanBatch::Reorder if !plan.creates.is_empty() => {
                let note = "it also names the new slots, whose ids are not known yet";
                shown.push(later(batch.operation(), note));
                continue;
            }
            PlanBatch::Reorder => {
                let page: Vec<_> = page.slots.iter().map(|slot| slot.id).collect();
                let Some(ids) = plan.resolve_order(&page, &[]) else { continue };
                order = ids;
            }
            _ => {}
        }
        let request = not_sent(batch.send(&client.profile(page.id), order, false).await)?;
        shown.push((described(&request), curl(&request)));
    }
    Ok(shown)
}

/// Returns placeholders for the uploads of a plan.
fn uploads(planned: &PlannedPage) -> Vec<UnsentRequest> {
    let images: BTreeSet<_> =
        planned.images.iter().filter(|it| !it.uploaded).map(|it| &it.name).collect();
    let upload = |name: &String| {
        let note = format!("replace \"(upload {name})\" with the path from the response");
        later("uploadFile", &note)
    };
    images.into_iter().map(upload).collect()
}

/// Returns the request that creates a page, without sending it, and placeholders for those that write its content: their URLs have its id.
pub(crate) async fn requests_of_new_page(
    planned: &PlannedPage,
) -> Result<Vec<UnsentRequest>, CommandError> {
    let mut shown = uploads(planned);
    let page = NewProfile::with_login(&planned.page.login);
    let request = not_sent(planned.client.profiles().create(page).await)?;
    shown.push((described(&request), curl(&request)));
    for batch in planned.plan.batches() {
        let what = match (batch, batch.slots()) {
            // This batch writes nothing.
            (PlanBatch::TryCreate(_), _) => continue,
            (PlanBatch::Fields(request, fields), _) => {
                let (_, body) = fields.body(request);
                body.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            }
            (PlanBatch::Reorder, _) => "the order".to_owned(),
            (_, 1) => "1 slot".to_owned(),
            (_, several) => format!("{several} slots"),
        };
        let note = format!(
            "{what}; its URL has the id of the new page, which is known only when that is created"
        );
        shown.push(later(batch.operation(), &note));
    }
    Ok(shown)
}

/// Placeholder for a request whose content is not known yet.
pub(crate) fn later(operation: &str, note: &str) -> (Value, String) {
    let data = json!({ "dryRun": "request", "operation": operation, "note": note });
    (data, format!("# {operation}: {note}"))
}

pub(crate) fn not_sent<T>(answer: Result<T, Error>) -> Result<RequestView, CommandError> {
    match answer {
        Ok(_) => Err(CommandError::internal("a dry run has written something")),
        Err(error) => error.not_sent().cloned().ok_or_else(|| error.into()),
    }
}
