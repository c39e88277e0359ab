//! Asks the service whether it would take what a plan sends, without writing anything.

use std::collections::HashSet;

use links_sdk::Error;
use links_sdk::apply::{Create, ItemRefusal, Update};
use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{SLOTS_PER_BATCH, SlotsHandle};

use super::planning::Planned;
use super::problems;
use crate::diagnostic::Failure;
use crate::outcome::{Line, Tone};
use crate::ui::Ui;

/// Sends the creates and updates of a plan as dry runs, and gathers what is refused. Deletes have none: they are refused for ids only,
/// and those were just read.
pub(super) async fn rehearse(it: &Planned, ui: &Ui) -> Result<(), Failure> {
    let waiting: HashSet<usize> =
        it.images.iter().filter(|it| !it.uploaded).map(|it| it.place.index).collect();
    if !waiting.is_empty() {
        let text = format!("{} blocks wait for an upload and are not checked", waiting.len());
        ui.say(&Line::new(Tone::Faint, text));
    }
    let slots = it.client.profile(it.page.id).slots();
    let updates: Vec<_> =
        it.plan.updates.iter().filter(|it| !waiting.contains(&it.index)).collect();
    let creates: Vec<_> =
        it.plan.creates.iter().filter(|it| !waiting.contains(&it.index)).collect();
    let mut refused = Vec::new();
    for batch in updates.chunks(SLOTS_PER_BATCH) {
        let answer = try_updates(&slots, batch).await;
        refused.extend(refusals(answer, |nth| batch.get(nth).map(|it| it.index))?);
    }
    for batch in creates.chunks(SLOTS_PER_BATCH) {
        let answer = try_creates(&slots, batch).await;
        refused.extend(refusals(answer, |nth| batch.get(nth).map(|it| it.index))?);
    }
    if refused.is_empty() {
        return Ok(());
    }
    let problems = problems::of_refusals(&refused, &it.file, it.described.as_ref());
    Err(it.file.document.bad(problems).into())
}

async fn try_updates(slots: &SlotsHandle, batch: &[&Update]) -> Result<(), Error> {
    let change = |it: &&Update| SlotChange { id: it.id, data: it.changed.clone() };
    slots.update_batch(batch.iter().map(change).collect()).dry_run().await
}

async fn try_creates(slots: &SlotsHandle, batch: &[&Create]) -> Result<(), Error> {
    let new =
        |it: &&Create| NewSlot { type_: it.kind.clone(), data: Some(it.data.clone()), order: None };
    slots.create_batch(batch.iter().map(new).collect()).dry_run().await
}

/// What was refused of which items of the file.
fn refusals(
    answer: Result<(), Error>,
    index: impl Fn(usize) -> Option<usize>,
) -> Result<Vec<ItemRefusal>, Failure> {
    let Err(error) = answer else { return Ok(Vec::new()) };
    let items: Vec<_> = error
        .field_errors()
        .iter()
        .filter_map(|(path, messages)| {
            let mut keys = path.split('.').map(str::to_owned);
            let nth = keys.by_ref().nth(1)?.parse().ok()?;
            Some(ItemRefusal {
                index: index(nth)?,
                path: keys.collect(),
                messages: messages.clone(),
            })
        })
        .collect();
    if error.is_validation() && !items.is_empty() { Ok(items) } else { Err(error.into()) }
}
