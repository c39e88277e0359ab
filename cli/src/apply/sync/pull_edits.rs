//! Edits of a page file that take over what changed on its page.

use links_pages::apply::literal;
use links_pages::sync::{ConflictMark, Pull, PulledItem};

use crate::context::prelude::*;
use links_pages::page_file::page::item as item_of;
use links_pages::page_file::patch::{Edit, MarkedConflict, Path, moves};

/// Returns the edits that a pull asks for. `fields` are the profile fields of the file.
pub(super) fn edits(pull: &Pull, fields: &Object) -> Vec<Edit> {
    let slots = || Path::root().key("slots");
    let item = |nth: usize| slots().item(nth);
    let mut edits = Vec::new();
    for (key, value) in pull.fields.iter() {
        let path = Path::root().key(key);
        match (fields.get(key), value) {
            (Some(Value::Array(said)), Value::Array(taken)) => {
                edits.extend(list_edits(&path, said, taken));
            }
            (_, value) => edits.push(Edit::Set { path, value: value.clone() }),
        }
    }
    for taken in &pull.keys {
        let (key, value) = escaped(&taken.key, &taken.value);
        edits.push(Edit::Set { path: item(taken.item).key("data").key(key), value });
    }
    edits.extend(pull.unnamed.iter().map(|nth| Edit::Remove { path: item(*nth).key("id") }));
    edits.extend(pull.removed.iter().map(|nth| Edit::Remove { path: item(*nth) }));

    let mut order = Vec::new();
    for placed in &pull.order {
        match placed {
            PulledItem::Item(nth) => order.push(*nth),
            PulledItem::Inserted(nth) => {
                let Some(slot) = pull.inserted.get(*nth) else { continue };
                let mark = pull.marks.iter().find_map(|mark| match mark {
                    ConflictMark::DeletedHere { inserted, id } if inserted == nth => {
                        Some(MarkedConflict::Kept(*id))
                    }
                    _ => None,
                });
                let mut recorded = pull.base.slots.iter();
                let is_locked = recorded.any(|entry| entry.is_locked && Some(entry.id) == slot.id);
                let value = item_of(slot, false, is_locked);
                let (list, after) = (slots(), order.last().copied());
                edits.push(Edit::Insert { list, after, value, mark });
            }
        }
    }
    if pull.is_reordered {
        edits.extend(moves(&slots(), &order));
    }
    edits.extend(pull.marks.iter().filter_map(|mark| {
        let (path, conflict) = match mark {
            ConflictMark::Value { item: Some(nth), key, page } => {
                let (key, value) = escaped(key, page);
                (item(*nth).key("data").key(key), MarkedConflict::Changed(value))
            }
            ConflictMark::Value { item: None, key, page } => {
                (Path::root().key(key), MarkedConflict::Changed(page.clone()))
            }
            ConflictMark::DeletedThere { item: nth, .. } => (item(*nth), MarkedConflict::Removed),
            ConflictMark::Resembles { item: nth, ids } => {
                (item(*nth), MarkedConflict::Twin(*ids.first()?))
            }
            ConflictMark::Order { page } => (slots(), MarkedConflict::Order(page.clone())),
            ConflictMark::DeletedHere { .. } => return None,
        };
        Some(Edit::Mark { path, conflict })
    }));
    edits
}

/// Returns the edits that make one list of another, which leave the items that both have as they are.
fn list_edits(path: &Path, said: &[Value], taken: &[Value]) -> Vec<Edit> {
    let texts = |items: &[Value]| items.iter().map(Value::to_string).collect::<Vec<_>>();
    let (said_texts, taken_texts) = (texts(said), texts(taken));
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &said_texts, &taken_texts);
    if !ops.iter().any(|op| op.tag() == similar::DiffTag::Equal) {
        return vec![Edit::Set { path: path.clone(), value: taken.into() }];
    }
    let mut edits = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != similar::DiffTag::Equal) {
        edits.extend(op.old_range().map(|nth| Edit::Remove { path: path.clone().item(nth) }));
        let after = op.old_range().end.checked_sub(1);
        let insert = |nth: usize| {
            let (list, value) = (path.clone(), taken[nth].clone());
            Edit::Insert { list, after, value, mark: None }
        };
        edits.extend(op.new_range().map(insert));
    }
    edits
}

/// Returns a key and its value as they are written, so that nothing of the page is a reference.
fn escaped(key: &str, value: &Value) -> (String, Value) {
    let whole: Object = [(key.to_owned(), value.clone())].into_iter().collect();
    literal(&whole).0.into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use links_pages::apply::DesiredSlot;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_changed_item_by_item_and_keeps_its_comments() {
        let text = "socials:\n  - a # first\n  - b # second\n  - c # third\n";
        let changed = |taken: Value| {
            let Value::Array(taken) = taken else { panic!("{taken}") };
            let said = [json!("a"), json!("b"), json!("c")];
            let edits = list_edits(&Path::root().key("socials"), &said, &taken);
            links_pages::page_file::patch::patch(text, &edits).unwrap()
        };
        let all = "socials:\n  - a # first\n  - b # second\n  - c # third\n";
        assert_eq!(changed(json!(["a", "b", "c"])), all);
        assert_eq!(changed(json!(["a", "b", "c", "d", "e"])), format!("{all}  - d\n  - e\n"));
        assert_eq!(changed(json!(["x", "b"])), "socials:\n  - x\n  - b # second\n");
        assert_eq!(changed(json!(["c", "a"])).lines().count(), 3);
        assert_eq!(changed(json!(["x"])), "socials:\n  - x\n");
        assert_eq!(changed(json!([])), "socials: []\n");
    }

    #[test]
    fn nothing_of_the_page_becomes_a_reference() {
        let value = json!([{ "$upload": "x" }]);
        let (key, written) = escaped("$form", &value);
        assert_eq!((key.as_str(), written), ("$$form", json!([{ "$$upload": "x" }])));
        let slot = json!({ "id": 7, "type": "text", "data": { "a": { "$form": "y" } } });
        let slot: DesiredSlot = serde_json::from_value(slot).unwrap();
        let expected = json!({ "id": 7, "type": "text", "data": { "a": { "$$form": "y" } } });
        assert_eq!(super::item_of(&slot, false, false), expected);
    }
}
