//! Content of the service at one moment, as far as the campaign checks it, and the equality of its values.

use links_fixtures::{Account, FormField, Slot};
use serde_json::{Map, Value};

use crate::content::FORM;
use crate::edits;
use crate::history::Edit;
use crate::proxy::Observed;

/// The id of the page.
pub(crate) const PAGE: u64 = 101;

/// The page and the form at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    pub(crate) slots: Vec<Slot>,
    pub(crate) fields: Vec<FormField>,
    /// Set if legacy slots are shown with a type that others have too.
    pub(crate) legacy_as_buttons: bool,
}

impl Observed for World {
    type Edit = Edit;

    fn of(account: &Account, legacy_as_buttons: bool) -> Self {
        let page = account.profiles.iter().find(|page| page.id == PAGE).unwrap();
        let form = account.forms.iter().find(|form| form.id == FORM).unwrap();
        Self { slots: page.slots.clone(), fields: form.fields.clone(), legacy_as_buttons }
    }

    fn carry_out(account: &mut Account, edit: &Edit) {
        edits::carry_out(account, edit);
    }
}

impl World {
    pub(crate) fn slot(&self, id: u64) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == id)
    }

    pub(crate) fn ids(&self) -> Vec<u64> {
        self.slots.iter().map(|slot| slot.id).collect()
    }

    /// Returns the type as the service shows it.
    pub(crate) fn kind<'a>(&self, slot: &'a Slot) -> &'a str {
        if !slot.supported && self.legacy_as_buttons { "button" } else { &slot.kind }
    }
}

/// Returns whether the service may store one for the other: spaces around strings, and which empty value stands for nothing, do not count.
pub(crate) fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        _ if is_nothing(one) || is_nothing(other) => is_nothing(one) && is_nothing(other),
        (Value::String(one), Value::String(other)) => one.trim() == other.trim(),
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => alike_maps(one, other),
        _ => one == other,
    }
}

pub(crate) fn alike_maps(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let held = |map: &Map<String, Value>, key: &str| map.get(key).cloned().unwrap_or_default();
    one.keys().chain(other.keys()).all(|key| alike(&held(one, key), &held(other, key)))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_nothing),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
