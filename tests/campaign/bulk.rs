//! Rewrites and imports: their filters and files, and what the runs of one have done until it ends.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::Slot;
use serde_json::{Map, Value};

use crate::history::{Import, Rewrite, RewriteEdit};
use crate::invariants::held;
use crate::proxy::{Event, Request};
use crate::world::World;

/// A rewrite or an import.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bulk {
    Rewrite(Rewrite),
    Import(Import),
}

impl Rewrite {
    /// Key that the edit changes.
    pub(crate) fn key(&self) -> &str {
        match &self.edit {
            RewriteEdit::Append(_) | RewriteEdit::Prepend(_) => "title",
            RewriteEdit::Put(key, _) | RewriteEdit::Clear(key) => key,
        }
    }

    pub(crate) fn where_filter(&self) -> String {
        let has_key = format!("(.data.{} | type) == \"string\"", self.key());
        match &self.kind {
            Some(kind) => format!(".type == \"{kind}\" and {has_key}"),
            None => has_key,
        }
    }

    pub(crate) fn edit_filter(&self) -> String {
        match &self.edit {
            RewriteEdit::Append(mark) => format!(".data.title += {}", Value::from(mark.as_str())),
            RewriteEdit::Prepend(mark) => {
                format!(".data.title |= {} + .", Value::from(mark.as_str()))
            }
            RewriteEdit::Put(key, value) => format!(".data.{key} = {value}"),
            RewriteEdit::Clear(key) => format!("del(.data.{key})"),
        }
    }

    /// Returns the value that a slot with these data gets; `None` if the filter does not select it.
    pub(crate) fn made(&self, kind: &str, data: &Map<String, Value>) -> Option<Value> {
        let value = held(data, self.key()).as_str()?;
        if self.kind.as_ref().is_some_and(|it| it != kind) {
            return None;
        }
        Some(match &self.edit {
            RewriteEdit::Append(mark) => format!("{value}{mark}").into(),
            RewriteEdit::Prepend(mark) => format!("{mark}{value}").into(),
            RewriteEdit::Put(_, value) => value.clone(),
            RewriteEdit::Clear(_) => Value::Null,
        })
    }
}

impl Import {
    /// Returns the CSV file.
    pub(crate) fn csv(&self) -> String {
        let keys: BTreeSet<&String> = self.rows.iter().flat_map(Map::keys).collect();
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let mut text = line(keys.iter().map(|key| (*key).clone()).collect());
        for row in &self.rows {
            let cell = |key: &&String| {
                let value = held(row, key).as_str().unwrap_or_default();
                format!("\"{}\"", value.replace('"', "\"\""))
            };
            text.push_str(&line(keys.iter().map(cell).collect()));
        }
        text
    }

    /// Returns whether a slot has the content of a row.
    pub(crate) fn is_of_row(&self, slot: &Slot, row: &Map<String, Value>) -> bool {
        let has = |(key, value): (&String, &Value)| same_text(value, held(&slot.data, key));
        slot.kind == self.kind && row.iter().all(has)
    }
}

/// Returns whether two strings differ in nothing but spaces, or two values are equal.
pub(crate) fn same_text(one: &Value, other: &Value) -> bool {
    let text = |value: &Value| -> Option<String> {
        let text = if value.is_null() { "" } else { value.as_str()? };
        Some(text.chars().filter(|it| !it.is_whitespace()).collect())
    };
    match (text(one), text(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// Returns whether the service may store the value of a rewrite as this one.
pub(crate) fn became(made: &Value, value: &Value) -> bool {
    let is_default = made.is_null() && (value == "primary" || value == "button");
    same_text(made, value) || is_default
}

/// What the runs of a rewrite or import have done.
#[derive(Clone, Debug)]
pub(crate) struct BulkProgress {
    pub(crate) asked: Bulk,
    /// Set if it is certain that the first of the runs continued no other.
    pub(crate) is_known: bool,
    /// Slots that were rewritten, with the value before that.
    pub(crate) rewritten: BTreeMap<u64, Value>,
    /// Slots that were created.
    pub(crate) created: Vec<Slot>,
    /// Slots that others have changed or deleted since the first of the runs.
    pub(crate) touched: BTreeSet<u64>,
    /// Slots that others have created since the first of the runs.
    pub(crate) foreign: Vec<Slot>,
    /// Set if others have changed anything since the first of the runs.
    pub(crate) is_disturbed: bool,
}

impl BulkProgress {
    pub(crate) fn new(asked: Bulk, is_known: bool) -> Self {
        Self {
            asked,
            is_known,
            rewritten: BTreeMap::new(),
            created: Vec::new(),
            touched: BTreeSet::new(),
            foreign: Vec::new(),
            is_disturbed: false,
        }
    }

    /// Takes note of an event that another client or machine caused.
    pub(crate) fn see(&mut self, event: &Event) {
        let change = event.change();
        self.touched.extend(change.updated().into_iter().map(|(id, _)| id));
        self.touched.extend(change.deleted().iter().map(|slot| slot.id));
        let ids = change.created().into_iter();
        self.foreign.extend(ids.filter_map(|id| event.after.slot(id).cloned()));
        self.is_disturbed |= event.before.slots != event.after.slots;
    }

    /// Takes note of what a run of this machine, and others meanwhile, have done.
    pub(crate) fn advance(&mut self, machine: usize, events: &[Event]) {
        for event in events {
            if event.machine != Some(machine) {
                self.see(event);
            } else if event.request.as_ref().is_some_and(Request::is_executed) {
                self.note(event);
            }
        }
    }

    /// Takes note of an executed write of this machine.
    pub(crate) fn note(&mut self, event: &Event) {
        let change = event.change();
        for (id, key) in change.updated() {
            let before = event.before.slot(id).map(|slot| held(&slot.data, &key).clone());
            self.rewritten.entry(id).or_insert(before.unwrap_or_default());
        }
        let ids = change.created().into_iter();
        self.created.extend(ids.filter_map(|id| event.after.slot(id).cloned()));
    }

    /// Returns whether nothing was written.
    pub(crate) fn is_nothing(&self) -> bool {
        self.rewritten.is_empty() && self.created.is_empty()
    }

    /// Returns the slots of a world that the rewrite would change.
    pub(crate) fn to_rewrite<'w>(
        rewrite: &'w Rewrite,
        world: &'w World,
    ) -> impl Iterator<Item = &'w Slot> {
        world.slots.iter().filter(|slot| {
            let made = rewrite.made(world.kind(slot), &slot.data);
            let is_editable = slot.supported && slot.kind != "event";
            is_editable && made.is_some_and(|it| !became(&it, held(&slot.data, rewrite.key())))
        })
    }
}
