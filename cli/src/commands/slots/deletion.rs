//! Slots to delete: their selection, and what is told about them before they are deleted.

use links_sdk::Slot;
use links_sdk::SlotId;
use links_sdk::apply::SlotTypes;
use serde_json::Value;

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::label::label;
use crate::output::{Style, StyledLine};
use crate::sanitize;

/// Returns the slots with these ids, each once.
///
/// # Errors
///
/// When an id is not on the page.
pub(super) fn select<'p>(ids: &[SlotId], page: &'p [Slot]) -> Result<Vec<&'p Slot>, CommandError> {
    let on_page = |id: &SlotId| page.iter().any(|slot| slot.id == *id);
    let unknown_ids: Vec<_> =
        ids.iter().filter(|id| !on_page(id)).map(ToString::to_string).collect();
    if !unknown_ids.is_empty() {
        let message = format!("not on this page: {}; nothing was deleted", unknown_ids.join(" "));
        return Err(CommandError::new(Exit::NotFound, message)
            .with_hint("`links slots list` shows the ids"));
    }
    Ok(page.iter().filter(|slot| ids.contains(&slot.id)).collect())
}

/// Returns the line that shows what is lost with a slot.
pub(super) fn loss(slot: &Slot, clicks: Option<&u64>) -> StyledLine {
    let mut text = format!("- {} {}", slot.kind, slot.id);
    if let Some(label) = label(&slot.data) {
        text = format!("{text} \"{}\"", sanitize::line(label));
    }
    if let Some(link) = slot.data.get("link").and_then(Value::as_str) {
        text = format!("{text} {link}");
    }
    if let Some(clicks) = clicks {
        text = format!("{text}: {clicks} clicks in the last 28 days");
    }
    StyledLine::new(Style::Removed, text)
}

/// Returns a line for each slot whose type cannot be deleted.
pub(super) fn refusals(types: &SlotTypes, to_delete: &[&Slot]) -> Vec<StyledLine> {
    let refused = to_delete.iter().filter(|slot| types.is_read_only(&slot.kind));
    let line = |slot: &&Slot| {
        let Slot { kind, id, .. } = slot;
        let text = format!("the service refuses to delete {kind} {id}: no {kind} can be deleted");
        StyledLine::new(Style::Removed, text)
    };
    refused.map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Vec<Slot> {
        let data = json!({ "title": "Menu", "link": "https://a.example" });
        let page = json!([
            { "id": 7, "type": "button", "data": data, "supported": true },
            { "id": 8, "type": "event", "data": {}, "supported": true },
        ]);
        serde_json::from_value(page).unwrap()
    }

    #[test]
    fn repeated_ids_count_once_and_ids_that_are_not_on_the_page_are_refused() {
        let page = page();
        let ids: Vec<_> = select(&[8.into(), 7.into(), 8.into()], &page)
            .unwrap()
            .iter()
            .map(|slot| slot.id)
            .collect();
        assert_eq!(ids, [7, 8]);
        let refused = select(&[7.into(), 9.into(), 10.into()], &page).unwrap_err();
        assert_eq!(refused.to_string(), "not on this page: 9 10; nothing was deleted");
    }

    #[test]
    fn a_deleted_slot_is_shown_with_its_label_url_and_clicks() {
        let page = page();
        let text = "- button 7 \"Menu\" https://a.example: 3 clicks in the last 28 days";
        assert_eq!(loss(&page[0], Some(&3)).text(), text);
        assert_eq!(loss(&page[1], None).text(), "- event 8");
    }

    #[test]
    fn only_types_that_cannot_be_deleted_are_refused() {
        let page = page();
        let lines = refusals(&SlotTypes::default(), &page.iter().collect::<Vec<_>>());
        let text = "the service refuses to delete event 8: no event can be deleted";
        assert_eq!(lines, [StyledLine::new(Style::Removed, text)]);
    }
}
