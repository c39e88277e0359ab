//! Conflicts that the user has seen, and settles for the file.

use serde_json::{Value, json};

use super::examples::{file, page, synced};
use crate::apply::PlanOptions;
use crate::sync::{Conflict, FilePage, LivePage, Merge, PageBase};

fn text(title: &str, note: &str) -> Value {
    json!(["text", {"title": title, "note": note}])
}

fn slots() -> [(i64, Value); 3] {
    [(1, text("A", "a")), (2, text("B", "b")), (3, text("C", "c"))]
}

fn merged(base: &PageBase, file: &FilePage, page: &LivePage) -> Merge {
    Merge::new(Some(base), file, page, &PlanOptions::default()).unwrap()
}

/// Merges again with the record of what was seen.
fn again(file: &FilePage, page: &LivePage) -> (Vec<Conflict>, Merge) {
    let base = synced(&slots());
    let first = merged(&base, file, page);
    assert!(!first.conflicts.is_empty());
    let settled = base.settled(&first.conflicts, page);
    (first.conflicts, merged(&settled, file, page))
}

#[test]
fn a_key_that_was_seen_is_written_and_the_other_keys_stay_kept() {
    let theirs = page(&[(1, text("Theirs", "theirs")), slots()[1].clone(), slots()[2].clone()]);
    for mine in ["Mine", "A"] {
        let first = file(&[
            json!([1, "text", {"title": "Mine", "note": "a"}]),
            text("B", "b"),
            text("C", "c"),
        ]);
        let base = synced(&slots());
        let seen = merged(&base, &first, &theirs);
        assert_eq!(seen.conflicts.len(), 1, "{:?}", seen.conflicts);
        let settled = base.settled(&seen.conflicts, &theirs);
        // The value from before the conflict counts as typed, too.
        let second = file(&[
            json!([1, "text", {"title": mine, "note": "a"}]),
            text("B", "b"),
            text("C", "c"),
        ]);
        let merge = merged(&settled, &second, &theirs);
        assert!(merge.conflicts.is_empty(), "{:?}", merge.conflicts);
        assert_eq!(json!(merge.desired.slots[0].data), json!({"title": mine}));
    }
}

#[test]
fn a_slot_that_was_changed_there_is_deleted_once_that_was_seen() {
    let theirs = page(&[slots()[0].clone(), (2, text("Theirs", "b")), slots()[2].clone()]);
    let mine = file(&[text("A", "a"), text("C", "c")]);
    let (conflicts, merge) = again(&mine, &theirs);
    assert!(
        matches!(conflicts[..], [Conflict::DeletedHere { id, .. }] if id == 2),
        "{conflicts:?}"
    );
    assert!(merge.conflicts.is_empty(), "{:?}", merge.conflicts);
    assert_eq!(merge.deletions.iter().map(|it| it.id).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_slot_that_was_deleted_there_is_created_again_by_an_item_without_id() {
    let theirs = page(&slots()[1..]);
    let mine = |id: Value| {
        file(&[json!([id, "text", {"title": "Mine", "note": "a"}]), text("B", "b"), text("C", "c")])
    };
    let base = synced(&slots());
    let first = merged(&base, &mine(json!(1)), &theirs);
    assert!(matches!(first.conflicts[..], [Conflict::DeletedThere { id, .. }] if id == 1));
    let settled = base.settled(&first.conflicts, &theirs);
    let merge = merged(&settled, &mine(Value::Null), &theirs);
    assert!(merge.conflicts.is_empty() && merge.desired.slots[0].id.is_none(), "{merge:?}");
}

#[test]
fn the_order_of_the_file_is_taken_once_that_of_the_page_was_seen() {
    let [a, b, c] = slots();
    let theirs = page(&[c, a, b]);
    let mine = file(&[text("B", "b"), text("A", "a"), text("C", "c")]);
    let (conflicts, merge) = again(&mine, &theirs);
    assert!(matches!(conflicts[..], [Conflict::Order { .. }]), "{conflicts:?}");
    assert!(merge.conflicts.is_empty() && merge.remote.is_empty(), "{merge:?}");
    let ids: Vec<_> = merge.desired.slots.iter().map(|slot| slot.id.unwrap()).collect();
    assert_eq!(ids, [2, 1, 3]);
}

#[test]
fn a_slot_that_the_record_did_not_know_is_written_once_it_was_seen() {
    let [a, b, c] = slots();
    let theirs = page(&[a, (9, text("New", "new")), b, c]);
    let mine = file(&[
        text("A", "a"),
        json!([9, "text", {"title": "Mine"}]),
        text("B", "b"),
        text("C", "c"),
    ]);
    let (conflicts, merge) = again(&mine, &theirs);
    assert!(
        matches!(conflicts[..], [Conflict::Value { slot: Some((_, id)), recorded: false, .. }] if id == 9),
        "{conflicts:?}"
    );
    assert!(merge.conflicts.is_empty() && merge.deletions.is_empty(), "{merge:?}");
    assert_eq!(json!(merge.desired.slots[1].data), json!({"title": "Mine"}));
}
