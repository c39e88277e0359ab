//! What a plan comes to over its pages and forms: its totals, and slots that move from one page to another.

use links_pages::apply::{PlannedCreate, PlannedDelete};

use super::estimate;
use super::state::AccountState;
use crate::apply::planned::PlannedPage;
use crate::context::prelude::*;
use crate::output::{counts, named_slot};

/// A slot that is deleted on one page and created on another with the same content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MovedSlot<'s> {
    id: SlotId,
    kind: &'s str,
    label: Option<&'s str>,
    /// Login of the page that it leaves.
    from: &'s str,
    /// Login of the page on which it is created.
    pub(super) to: &'s str,
    /// Index of its item in the file of that page.
    index: usize,
}

impl MovedSlot<'_> {
    pub(super) fn line(&self) -> StyledLine {
        StyledLine::changed(format!(
            "> {} moves here from {}: it gets a new ID and loses its click statistics",
            named_slot(self.kind, self.id, self.label),
            self.from
        ))
    }

    pub(super) fn json(&self) -> Value {
        json!({ "id": self.id, "from": self.from, "index": self.index })
    }
}

/// Returns the slots that move between the pages of a run.
pub(super) fn moved_slots(state: &AccountState) -> Vec<MovedSlot<'_>> {
    let mut deleted: Vec<(&PlannedPage, &PlannedDelete)> = Vec::new();
    for planned in state.planned() {
        deleted.extend(planned.plan().deletes.iter().map(|slot| (planned, slot)));
    }
    let mut moved = Vec::new();
    for to in state.planned() {
        for create in &to.plan().creates {
            let is_same = |(from, slot): &(&PlannedPage, &PlannedDelete)| {
                from.page.id != to.page.id && holds(from, slot, create)
            };
            if let Some(nth) = deleted.iter().position(is_same) {
                let (from, slot) = deleted.swap_remove(nth);
                moved.push(MovedSlot {
                    id: slot.id,
                    kind: &slot.kind,
                    label: slot.label.as_deref(),
                    from: &from.page.login,
                    to: &to.page.login,
                    index: create.index,
                });
            }
        }
    }
    moved
}

/// Returns whether a slot to delete has all the content of one to create.
fn holds(from: &PlannedPage, slot: &PlannedDelete, create: &PlannedCreate) -> bool {
    let held = || from.page.slots.iter().find(|held| held.id == slot.id);
    slot.kind == create.kind
        && !create.data.is_empty()
        && held().is_some_and(|held| {
            create.data.iter().all(|(name, value)| held.data.get(name) == Some(value))
        })
}

/// Last line of a plan: how much changes where there are several pages or forms, and the requests.
pub(super) fn summary(state: &AccountState) -> String {
    let requests = estimate::words(estimate::requests(state));
    if !state.has_changes() {
        return format!("no changes ({requests})");
    }
    let requests = format!("up to {requests}");
    let (pages, forms) = (state.pages.len(), state.forms.len() + state.form_edits.len());
    if pages + forms < 2 {
        return requests;
    }
    let plans = || state.planned().map(PlannedPage::plan);
    let is_new = |planned: &&PlannedPage| !planned.page.exists();
    let new = state.planned().filter(is_new).count();
    let changed = state.planned().filter(|it| is_new(it) || !it.plan().is_empty());
    let changed_forms = state.forms.iter().filter(|form| !form.plan.is_empty()).count();
    let of = |changed: usize, all: usize, what: &str| {
        (all > 0).then(|| format!("{changed} of {}", count(all, what)))
    };
    let what: Vec<String> = [
        of(changed.count(), pages, "page"),
        of(changed_forms + state.form_edits.len(), forms, "form"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let sum = |of: fn(&links_pages::apply::Plan) -> usize| plans().map(of).sum::<usize>();
    let creates = sum(|plan| plan.creates.len());
    let (updates, deletes) = (sum(|plan| plan.updates.len()), sum(|plan| plan.deletes.len()));
    let uploads = state.planned().map(|it| it.shown().uploads().len()).sum();
    let counts = counts(&[
        (new, "new page"),
        (creates, "new slot"),
        (updates, "update"),
        (deletes, "delete"),
        (uploads, "upload"),
    ]);
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    format!("{} change{counts}; {requests}", what.join(" and "))
}
