//! Content that an item asks for.

use serde_json::Value;

use super::schema::Clearing;
use super::values::NormalizedFields;
use super::{DesiredSlot, SlotTypes, same};
use links_sdk::runs::is_absent;

/// Content that an item asks for, in comparable form.
#[derive(Debug)]
pub(super) struct DesiredContent<'a> {
    pub kind: &'a str,
    /// Keys that have to hold a value.
    pub values: NormalizedFields<'a>,
    /// Keys that have to be empty, or hold the default that stands for it.
    cleared: NormalizedFields<'a>,
}

impl<'a> DesiredContent<'a> {
    pub(super) fn of(item: &'a DesiredSlot, types: &'a SlotTypes) -> Self {
        let (mut values, mut cleared) = (Vec::with_capacity(item.data.len()), Vec::new());
        for (key, value) in item.data.iter() {
            if !is_absent(value) {
                values.push((key.as_str(), value));
                continue;
            }
            let default = match types.clearing(&item.kind, key) {
                Clearing::Default(default) if value.is_null() => default,
                _ => value,
            };
            cleared.push((key.as_str(), default));
        }
        let (values, cleared) = (values.into_iter(), cleared.into_iter());
        Self {
            kind: &item.kind,
            values: NormalizedFields::new(values),
            cleared: NormalizedFields::new(cleared),
        }
    }

    /// Returns whether `content` holds the desired values of all keys.
    pub(super) fn is_held_by(&self, content: &NormalizedFields<'_>) -> bool {
        let clears = |(key, default): &(&str, &Value)| {
            content.get(key).is_none_or(|held| same(held, default))
        };
        self.values.0.iter().all(|(key, wanted)| holds(content, key, wanted))
            && self.cleared.0.iter().all(clears)
    }
}

fn holds(content: &NormalizedFields<'_>, key: &str, wanted: &Value) -> bool {
    content.get(key).is_some_and(|held| same(held, wanted))
}
