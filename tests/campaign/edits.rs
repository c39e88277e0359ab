//! Edits of the account by other clients, in the dashboard or from another program.

use links_fixtures::{Account, FormField, Slot};

use crate::content::{self, FORM};
use crate::history::{Edit, SlotContent};
use crate::world::PAGE;

/// Returns a slot as it is on a page.
pub(crate) fn slot(id: u64, new_slot: &SlotContent) -> Slot {
    Slot {
        supported: !new_slot.legacy,
        ..Slot::new(id, new_slot.kind.clone(), new_slot.data.clone())
    }
}

/// Applies an edit to the account.
pub(crate) fn carry_out(account: &mut Account, edit: &Edit) {
    match edit {
        Edit::Add(at, new_slot) => {
            let new = slot(account.take_id(), new_slot);
            let slots = slots(account);
            if slots.len() < 500 {
                slots.insert(at % (slots.len() + 1), new);
            }
        }
        Edit::Set(at, key, value) => {
            let slots = slots(account);
            let count = slots.len().max(1);
            let slot = slots.get_mut(at % count);
            if let Some(slot) = slot.filter(|it| content::takes(&it.kind, key, value)) {
                slot.data.insert(key.clone(), value.clone());
            }
        }
        Edit::Delete(at) => {
            let slots = slots(account);
            if !slots.is_empty() {
                slots.remove(at % slots.len());
            }
        }
        Edit::Move(from, to) => {
            let slots = slots(account);
            if !slots.is_empty() {
                let count = slots.len();
                let slot = slots.remove(from % count);
                slots.insert(to % count, slot);
            }
        }
        Edit::FieldAdd(label) => {
            let key = format!("field_{}", account.take_id());
            fields(account).push(field(key, label));
        }
        Edit::FieldSet(at, label) => {
            let fields = fields(account);
            let count = fields.len().max(1);
            if let Some(field) = fields.get_mut(at % count) {
                field.label.clone_from(label);
            }
        }
        Edit::FieldRemove(at) => {
            let fields = fields(account);
            if fields.len() > 1 {
                fields.remove(at % fields.len());
            }
        }
    }
}

/// Returns a field of a form.
pub(crate) fn field(key: String, label: &str) -> FormField {
    FormField {
        key,
        kind: "text".to_owned(),
        label: label.to_owned(),
        placeholder: None,
        required: false,
        options: None,
        multi: None,
    }
}

fn slots(account: &mut Account) -> &mut Vec<Slot> {
    &mut account.profiles.iter_mut().find(|page| page.id == PAGE).unwrap().slots
}

fn fields(account: &mut Account) -> &mut Vec<FormField> {
    &mut account.forms.iter_mut().find(|form| form.id == FORM).unwrap().fields
}
