//! Dry run of a plan: the service validates the creates and updates, or the requests are shown.

use std::collections::BTreeSet;

use links_pages::apply::{
    FieldsRequest, PageSnapshot, Plan, PlanBatch, PlannedCreate, PlannedDelete, PlannedUpdate,
};
use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{Client, Error, NewProfile, Object, RequestView};
use serde_json::{Value, json};

use super::execute::at_fields;
use super::fail_on::FailOn;
use super::planned::PlannedPage;
use super::{problems, report};
use crate::error::CommandError;
use crate::output::dry_run::{curl, described};
use crate::output::{CommandOutput, Style, StyledLine, View};

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
        notes.push(StyledLine::new(Style::Faint, text));
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
            notes.push(StyledLine::new(Style::Faint, text));
        }
        return Ok(notes);
    }
    let problems = problems::of_refusals(&refused, &planned.file, planned.described.as_ref());
    Err(planned.file.document.bad(problems).into())
}

/// Note at the end of a dry run.
pub(crate) fn nothing_changed() -> StyledLine {
    StyledLine::new(Style::Faint, "a dry run: nothing was changed")
}

/// Adds notes below the lines of an output.
pub(crate) fn with_notes(mut output: CommandOutput, notes: Vec<StyledLine>) -> CommandOutput {
    if let Some(lines) = output.view.lines_mut() {
        lines.extend(notes);
    }
    output
}

fn change(update: &PlannedUpdate) -> SlotChange {
    SlotChange::new(update.id, update.changed.clone())
}

fn new(create: &PlannedCreate) -> NewSlot {
    let mut slot = NewSlot::of(&create.kind);
    slot.data = Some(create.data.clone());
    slot
}

/// Returns the write requests of a plan, which the client does not send. A request with values known only during the run is replaced by a
/// note.
pub(crate) async fn requests(planned: &PlannedPage) -> Result<CommandOutput, CommandError> {
    let requests = unsent_requests(planned).await?;
    Ok(listed(requests).exit(report::exit(planned, FailOn::Pending)))
}

/// Output of requests that were not sent.
pub(crate) fn listed(requests: Vec<UnsentRequest>) -> CommandOutput {
    let (data, text): (Vec<Value>, Vec<String>) = requests.into_iter().unzip();
    let text = text.into_iter().map(|line| line + "\n").collect();
    CommandOutput::own(data, View::Document(text))
}

/// A request that was not sent, for scripts and as a command.
pub(crate) type UnsentRequest = (Value, String);

/// Returns the write requests of a plan, without sending them.
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
    let slots = client.profile(page.id).slots();
    let ids = |batch: &[PlannedDelete]| batch.iter().map(|it| it.id).collect::<Vec<_>>();
    let mut shown = Vec::new();
    for batch in plan.batches() {
        let answer = match batch {
            PlanBatch::Fields(request, fields) => {
                let body = fields.body(request);
                let page = client.profile(page.id);
                if operation_of(request, &body) == UPDATE_PROFILE {
                    not_sent(page.update(body).await)
                } else {
                    not_sent(page.update_settings(body).await)
                }
            }
            PlanBatch::Update(batch) => {
                not_sent(slots.update_batch(batch.iter().map(change)).await)
            }
            PlanBatch::Create(batch) => not_sent(slots.create_batch(batch.iter().map(new)).await),
            PlanBatch::Delete(batch) | PlanBatch::MakeRoom(batch) => {
                not_sent(slots.delete_batch(ids(batch)).await)
            }
            PlanBatch::Reorder if plan.creates.is_empty() => {
                let page: Vec<_> = page.slots.iter().map(|slot| slot.id).collect();
                let Some(order) = plan.resolve_order(&page, &[]) else { continue };
                not_sent(slots.reorder(order).await)
            }
            PlanBatch::Reorder => {
                shown.push(later(
                    "reorderSlots",
                    "it also names the new slots, whose ids are not known yet",
                ));
                continue;
            }
            // This batch writes nothing.
            PlanBatch::TryCreate(_) => continue,
        };
        let request = answer?;
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

const UPDATE_PROFILE: &str = "updateProfile";

/// Returns the operation that writes these profile fields.
fn operation_of(request: FieldsRequest, body: &Object) -> &'static str {
    if request == FieldsRequest::Profile || body.contains_key("languageId") {
        UPDATE_PROFILE
    } else {
        "updateProfileSettings"
    }
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
        let counted = |count: usize| match count {
            1 => "1 slot".to_owned(),
            several => format!("{several} slots"),
        };
        let (operation, what) = match batch {
            PlanBatch::Fields(request, fields) => {
                let body = fields.body(request);
                let names: Vec<&str> = body.keys().map(String::as_str).collect();
                (operation_of(request, &body), names.join(", "))
            }
            PlanBatch::Update(batch) => ("updateSlots", counted(batch.len())),
            PlanBatch::Create(batch) => ("createSlots", counted(batch.len())),
            PlanBatch::Delete(batch) | PlanBatch::MakeRoom(batch) => {
                ("deleteSlots", counted(batch.len()))
            }
            PlanBatch::Reorder => ("reorderSlots", "the order".to_owned()),
            // This batch writes nothing.
            PlanBatch::TryCreate(_) => continue,
        };
        let note = format!(
            "{what}; its URL has the id of the new page, which is known only when that is created"
        );
        shown.push(later(operation, &note));
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
