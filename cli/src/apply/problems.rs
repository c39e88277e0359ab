//! Diagnostics of a plan at their places in the page file: errors of planning, schema violations and refusals by the service.

use std::collections::{HashMap, HashSet};

use links_pages::apply::{
    DesiredPage, DesiredSlot, ItemError, ItemProblem, ItemRefusal, Plan, PlanError, PlanOptions,
    Wanted,
};
use links_sdk::Slot;

use crate::context::prelude::*;
use crate::schema::validate::{self, SchemaViolation, Schemas};
use links_pages::page_file::{At, FieldDiagnostic};
use links_pages::suggest::suggest;

/// Maximum number of problems of a page or a file that are listed.
const LISTED: usize = 20;

/// Returns the error for a page of which no plan can be made. What it says of items is at their places in the file. `page_of_slot` says which
/// other page has a slot.
pub(crate) fn unplannable(
    error: &PlanError,
    file: &PageFile,
    page_of_slot: &dyn Fn(SlotId) -> Option<String>,
) -> CommandError {
    let exit = match error {
        PlanError::Items(items) => {
            return file.document.bad(of_items(items, file, None, page_of_slot)).into();
        }
        PlanError::TooManySlots { .. } => Exit::Conflict,
        PlanError::RepeatedIds(_) => Exit::Server,
    };
    CommandError::new(exit, error)
}

/// Diagnostics of the items that cannot be planned.
pub(crate) fn of_items(
    items: &[ItemError],
    file: &PageFile,
    described: Option<&SlotTypeCatalog>,
    page_of_slot: &dyn Fn(SlotId) -> Option<String>,
) -> Vec<FieldDiagnostic> {
    let problem = |item: &ItemError| {
        let (mut message, mut help) = (item.problem.to_string(), None);
        let below = match &item.problem {
            ItemProblem::NotOnPage { id } => {
                help = page_of_slot(*id);
                vec!["id"]
            }
            ItemProblem::RepeatedId { .. } => vec!["id"],
            ItemProblem::TypeDiffers { .. } => vec!["type"],
            ItemProblem::NotCreatable { kind } => {
                if let Some(described) = described {
                    if described.get(kind).is_some() {
                        help = Some("such slots can only be created in the dashboard".to_owned());
                    } else {
                        message = format!("unknown slot type `{kind}`");
                        help = suggest(kind, described.creatable());
                    }
                }
                vec!["type"]
            }
            ItemProblem::NotClearable { key, .. } => vec!["data", key],
            ItemProblem::NotEditable { keys, .. } => {
                keys.first().map_or(vec![], |key| vec!["data", key])
            }
            _ => vec![],
        };
        at(file, item.index, &below, At::Value, message, help)
    };
    items.iter().map(problem).collect()
}

/// Schema violations of all data that would be sent. `index` maps an item of the plan to the item of the file.
pub(crate) fn of_plan(
    plan: &Plan,
    page: &[Slot],
    file: &PageFile,
    described: &SlotTypeCatalog,
    index: impl Fn(usize) -> usize,
) -> Vec<FieldDiagnostic> {
    let mut found = Vec::new();
    for (nth, fault) in violations(plan, page, described) {
        let index = index(nth);
        // The path of an image or the id of a form is not chosen by the user, and may not be known yet.
        let mut places = file.references.iter().map(|reference| &reference.place);
        if fault.at == At::Value
            && places.any(|place| place.item == Some(index) && place.path == fault.path)
        {
            continue;
        }
        let mut below = vec!["data"];
        below.extend(fault.path.iter().map(String::as_str));
        // A missing field is reported at the item, whether or not the item has data.
        if fault.path.is_empty() {
            below.clear();
        }
        found.push(at(file, index, &below, fault.at, fault.message, fault.help));
    }
    found
}

/// Schema violations of all data that would be sent, each with the index of its item.
pub(crate) fn violations(
    plan: &Plan,
    page: &[Slot],
    described: &SlotTypeCatalog,
) -> Vec<(usize, SchemaViolation)> {
    let schemas = Schemas::new(described);
    let creates = plan.creates.iter();
    let created = creates.map(|it| (it.index, schemas.check(&it.kind, it.data.0.clone(), None)));
    let current: HashMap<SlotId, &Slot> = page.iter().map(|slot| (slot.id, slot)).collect();
    let updated = plan.updates.iter().map(|update| {
        let held = current.get(&update.id).map(|slot| slot.data.0.clone());
        let mut merged = held.unwrap_or_default();
        merged.extend(update.changed.0.clone());
        (update.index, schemas.check(&update.kind, merged, Some(&update.changed)))
    });
    let found = created.chain(updated);
    found.flat_map(|(index, faults)| faults.into_iter().map(move |it| (index, it))).collect()
}

/// Schema violations of the items that can be planned, where other items cannot.
pub(crate) fn of_others(
    failed: &[ItemError],
    page: &[Slot],
    file: &PageFile,
    options: &PlanOptions,
    described: &SlotTypeCatalog,
) -> Vec<FieldDiagnostic> {
    let failed: HashSet<usize> = failed.iter().map(|it| it.index).collect();
    let items = file.page.content.slots.iter().enumerate();
    let (others, slots): (Vec<usize>, Vec<DesiredSlot>) = items
        .filter(|(index, _)| !failed.contains(index))
        .map(|(index, it)| (index, it.clone()))
        .unzip();
    let options = PlanOptions { created: BTreeMap::new(), ..options.clone() };
    let wanted = Wanted::bind(page, DesiredPage::from(slots), &options);
    match wanted.and_then(|wanted| Plan::new(page, &wanted, &options)) {
        Ok(plan) => of_plan(&plan, page, file, described, |nth| others[nth]),
        Err(_) => Vec::new(),
    }
}

/// Diagnostics of the profile fields that the service refused. `errors` are their paths in the request, with the service's messages.
pub(crate) fn of_refused_fields<'e>(
    errors: impl Iterator<Item = (&'e str, &'e str)>,
    file: &PageFile,
) -> Vec<FieldDiagnostic> {
    let place = |(path, message): (&str, &str)| {
        let name = path.split('.').next().unwrap_or_default();
        let path: Vec<&str> = path.split('.').filter(|key| *key != "link").collect();
        let is_known = file.page.content.fields.contains_key(name);
        is_known.then(|| file.document.locate(&path, At::Value, message))
    };
    errors.filter_map(place).collect()
}

/// Diagnostics of the items that the service refused.
pub(crate) fn of_refusals(
    items: &[ItemRefusal],
    file: &PageFile,
    described: Option<&SlotTypeCatalog>,
) -> Vec<FieldDiagnostic> {
    let mut problems = Vec::new();
    for item in items {
        let below: Vec<_> = item.path.iter().map(String::as_str).collect();
        let known = file
            .page
            .content
            .slots
            .get(item.index)
            .and_then(|slot| described.and_then(|it| it.get(&slot.kind)));
        let (place, help) = match (item.path.split_first(), known) {
            (Some((data, path)), Some(known)) if data == "data" => validate::placed(known, path),
            _ => (At::Value, None),
        };
        for message in &item.messages {
            let message = strip_path_prefix(message, &item.path);
            problems.push(at(file, item.index, &below, place, message, help.clone()));
        }
    }
    problems
}

/// Returns a problem of an item, or below it.
pub(super) fn at(
    file: &PageFile,
    index: usize,
    below: &[&str],
    at: At,
    message: String,
    help: Option<String>,
) -> FieldDiagnostic {
    let nth = index.to_string();
    let path = [&["slots", nth.as_str()], below].concat();
    file.document.locate(&path, at, message).help_if(help)
}

/// Returns the error for items that cannot be written, one a line.
pub(crate) fn invalid(mut lines: Vec<String>) -> CommandError {
    let failure = |line: String| CommandError::invalid(line);
    let listed = match lines.len() {
        count @ ..=LISTED => format!("{count} problems"),
        count => format!("{count} problems; the first {LISTED} are listed"),
    };
    let message = format!("{listed}; nothing was written");
    lines.truncate(LISTED);
    match <[String; 1]>::try_from(lines) {
        Ok([line]) => failure(format!("{line}; nothing was written")),
        Err(lines) => CommandError::of_several(lines.into_iter().map(failure).collect(), &message),
    }
}

/// Message of the service without the path in the request, which is not the path in the file: `The slots.0.data.link field must be ...`.
fn strip_path_prefix(message: &str, path: &[String]) -> String {
    let Some(name) = path.last() else { return message.to_owned() };
    let below = format!(".{}", path.join("."));
    let Some((before, after)) = message.split_once(&below) else { return message.to_owned() };
    match before.rsplit_once("slots.") {
        Some((before, nth)) if nth.parse::<usize>().is_ok() => format!("{before}{name}{after}"),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::strip_path_prefix;

    #[test]
    fn messages_of_the_service_name_the_field_without_its_path_in_the_request() {
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        for (message, at, expected) in [
            ("The slots.0.data.link field is bad.", "data.link", "The link field is bad."),
            ("slots.12.data.items.3.q: bad", "data.items.3.q", "q: bad"),
            ("The link field is bad.", "data.link", "The link field is bad."),
            ("a.data.link slots.x.data.link", "data.link", "a.data.link slots.x.data.link"),
            ("", "", ""),
        ] {
            assert_eq!(strip_path_prefix(message, &path(at)), expected);
        }
    }
}
