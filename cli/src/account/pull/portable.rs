//! What a portable file leaves out of a page: what no other page can have.

use links_pages::apply::{PageSnapshot, SlotTypes};
use links_sdk::Slot;

/// Slots of a page that a portable file leaves out.
pub(super) struct LeftOut {
    /// Their indices.
    pub(super) slots: Vec<usize>,
    /// Comment that says so.
    pub(super) comment: Option<String>,
}

impl LeftOut {
    /// Finds the events, the legacy slots, and the forms that the account does not have.
    pub(super) fn of(
        page: &PageSnapshot,
        types: &SlotTypes,
        has_form: impl Fn(&str) -> bool,
    ) -> Self {
        let reason = |slot: &Slot| {
            if !slot.supported {
                return Some("legacy slot");
            }
            if types.is_read_only(&slot.kind) {
                return Some("read-only slot");
            }
            let form = slot.data.get("formId").filter(|_| slot.kind == "form")?.as_str()?;
            (!has_form(form)).then_some("slot of a form that is not on the account")
        };
        let found = page.slots.iter().enumerate();
        let found: Vec<_> =
            found.filter_map(|(nth, slot)| Some((nth, slot, reason(slot)?))).collect();
        let words: Vec<_> = found
            .iter()
            .map(|(_, slot, reason)| format!("{} {} ({reason})", slot.kind, slot.id))
            .collect();
        let comment = (!words.is_empty())
            .then(|| format!("left out of {}: {}", page.login, words.join(", ")));
        Self { slots: found.into_iter().map(|(nth, ..)| nth).collect(), comment }
    }
}
