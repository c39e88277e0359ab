//! What a plan comes to over its pages and forms: its totals, and slots that move from one page to another.

use links_pages::apply::{PlannedCreate, PlannedDelete};

use super::estimate;
use super::state::AccountState;
use crate::apply::planned::PlannedPage;
use crate::context::prelude::*;
use crate::output::{counts, named_slot};

/// A slot that is deleted on one page and created on another with the same content.
pub(super) struct MovedSlot<'s> {
    slot: &'s PlannedDelete,
    /// Login of the page that it leaves.
    from: &'s str,
    /// Login of the page on which it is created.
    pub(super) to: &'s str,
    /// Index of its item in the file of that page.
    index: usize,
}

impl MovedSlot<'_> {
    pub(super) fn line(&self) -> StyledLine {
        let PlannedDelete { kind, id, label } = self.slot;
        StyledLine::changed(format!(
            "> {} moves here from {}: it gets a new ID and loses its click statistics",
            named_slot(kind, *id, label.as_deref()),
            self.from
        ))
    }

    pub(super) fn json(&self) -> Value {
        json!({ "id": self.slot.id, "from": self.from, "index": self.index })
    }
}

/// Returns the slots that move between the pages of a run.
pub(super) fn moved_slots(state: &AccountState) -> Vec<MovedSlot<'_>> {
    let deleted =
        state.planned().flat_map(|from| from.plan().deletes.iter().map(move |slot| (from, slot)));
    let mut deleted: Vec<_> = deleted.collect();
    let mut moved = Vec::new();
    for to in state.planned() {
        for create in &to.plan().creates {
            let is_same = |(from, slot): &(&PlannedPage, &PlannedDelete)| {
                from.page.id != to.page.id && holds(from, slot, create)
            };
            if let Some(nth) = deleted.iter().position(is_same) {
                let (from, slot) = deleted.swap_remove(nth);
                let (from, to) = (&from.page.login, &to.page.login);
                moved.push(MovedSlot { slot, from, to, index: create.index });
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
    let (pages, forms) = (state.pages.len(), state.forms.len());
    if pages + forms < 2 {
        return requests;
    }
    let sum = |of: fn(&PlannedPage) -> usize| state.planned().map(of).sum::<usize>();
    let changed = sum(|it| usize::from(!it.page.exists() || !it.plan().is_empty()));
    let of = |changed: usize, all: usize, what: &str| {
        (all > 0).then(|| format!("{changed} of {}", count(all, what)))
    };
    let what: Vec<String> =
        [of(changed, pages, "page"), of(state.changed_forms().count(), forms, "form")]
            .into_iter()
            .flatten()
            .collect();
    let counts = counts(&[
        (sum(|it| usize::from(!it.page.exists())), "new page"),
        (sum(|it| it.plan().creates.len()), "new slot"),
        (sum(|it| it.plan().updates.len()), "update"),
        (sum(|it| it.plan().deletes.len()), "delete"),
        (sum(|it| it.file.new_images().count()), "upload"),
    ]);
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    format!("{} change{counts}; {requests}", what.join(" and "))
}
