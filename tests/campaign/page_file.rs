//! Page files: made from a page by a list of changes, as a user would make them in an editor.

use serde_json::{Value, json};

use crate::content;
use crate::history::{Change, Ids, SlotContent};

/// Applies the changes to the items of a page file.
pub(crate) fn changed(mut items: Vec<Value>, changes: &[Change]) -> Vec<Value> {
    for change in changes {
        let count = items.len();
        let at = |position: usize| (count > 0).then(|| position % count);
        match change {
            Change::Omit(position) => {
                if let Some(at) = at(*position) {
                    items.remove(at);
                }
            }
            Change::Set(position, key, value) => {
                // Most changes are good ones.
                if let Some(at) = at(*position).filter(|at| {
                    let kind = items[*at]["type"].as_str().unwrap_or_default();
                    content::takes(kind, key, value) || position % 20 == 0
                }) {
                    items[at]["data"][key] = value.clone();
                }
            }
            Change::Unmention(position) => {
                if let Some(data) = at(*position).and_then(|at| items[at]["data"].as_object_mut())
                    && let Some(key) = data.keys().next().cloned()
                {
                    data.remove(&key);
                }
            }
            Change::Insert(position, new_slot) => {
                items.insert(position % (count + 1), item(new_slot));
            }
            Change::Copy(from, to) => {
                if let Some(at) = at(*from) {
                    let mut copy = items[at].clone();
                    without_id(&mut copy);
                    items.insert(to % (count + 1), copy);
                }
            }
            Change::Move(from, to) => {
                if let Some(at) = at(*from) {
                    let item = items.remove(at);
                    items.insert(to % count, item);
                }
            }
            Change::Anonymous(position) => {
                if let Some(at) = at(*position) {
                    without_id(&mut items[at]);
                }
            }
        }
    }
    items
}

/// Removes the ids that are not to be named. Events and legacy slots keep theirs: nothing else identifies them for certain.
pub(crate) fn name(items: &mut [Value], ids: Ids, must_be_named: impl Fn(&Value) -> bool) {
    for (nth, item) in items.iter_mut().enumerate() {
        let is_named = match ids {
            Ids::All => true,
            Ids::None => false,
            Ids::Some(bits) => bits >> (nth % 64) & 1 == 1,
        };
        if !is_named && !must_be_named(item) {
            without_id(item);
        }
    }
}

fn item(new_slot: &SlotContent) -> Value {
    json!({ "type": new_slot.kind, "data": new_slot.data })
}

fn without_id(item: &mut Value) {
    if let Some(item) = item.as_object_mut() {
        item.remove("id");
    }
}
