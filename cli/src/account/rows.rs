//! Rows of a plan and of a run for `-o csv` and `-o ids`: one for each page and each form.

use std::collections::BTreeMap;

use links_pages::apply::{AppliedChanges, PageSnapshot};
use serde_json::{Value, json};

use super::forms::PlannedForm;
use super::state::{AccountState, PageState};

/// Returns the rows of a plan.
pub(super) fn of_plan(state: &AccountState) -> Vec<Value> {
    let pages = state.pages.iter().filter_map(of_page);
    pages.chain(state.forms.iter().map(of_planned_form)).collect()
}

fn of_page(page: &PageState) -> Option<Value> {
    let planned = page.planned.as_ref()?;
    let plan = &planned.plan;
    let id = planned.page.exists().then_some(planned.page.id);
    let remote = planned.merged.as_ref().map_or(0, |merged| merged.merge.remote.len());
    Some(json!({
        "kind": "page", "id": id, "name": planned.page.login, "file": page.path.display().to_string(),
        "action": action(page.is_new, plan.is_empty()), "fields": plan.fields.changed.len(), "updates": plan.updates.len(),
        "creates": plan.creates.len(), "deletes": plan.deletes.len(), "remote": remote,
    }))
}

fn of_planned_form(form: &PlannedForm) -> Value {
    let plan = &form.plan;
    json!({
        "kind": "form", "id": plan.id, "name": plan.name, "file": form.path.display().to_string(),
        "action": action(plan.id.is_none(), plan.is_empty()), "fields": plan.changed.len(), "updates": 0, "creates": 0,
        "deletes": plan.removed.len(), "remote": 0,
    })
}

fn action(is_new: bool, is_unchanged: bool) -> &'static str {
    match (is_new, is_unchanged) {
        (true, _) => "create",
        (false, true) => "none",
        (false, false) => "change",
    }
}

/// Returns the row of a page that was applied.
pub(super) fn of_applied(page: &PageSnapshot, done: &AppliedChanges, file: &str) -> Value {
    let action = action(done.is_page_created, done.is_nothing());
    json!({
        "kind": "page", "id": page.id, "name": page.login, "file": file, "action": action, "fields": done.fields.len(),
        "updates": done.updated, "creates": done.created.len(), "deletes": done.deleted,
    })
}

/// Returns the row of a form after a run. `written` has the ids of those that were written, by name.
pub(super) fn of_form(form: &PlannedForm, written: &BTreeMap<String, String>) -> Value {
    let mut row = of_planned_form(form);
    if let Some(id) = written.get(&form.plan.name) {
        row["id"] = id.as_str().into();
    }
    if let Some(row) = row.as_object_mut() {
        row.remove("remote");
    }
    row
}
