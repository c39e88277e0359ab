//! Rules of the pull, by example.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::examples::{file, page, synced};
use crate::apply::{Plan, PlanOptions, SlotTypes};
use crate::sync::{
    Conflict, ConflictMark, FilePage, HashPair, LivePage, Merge, PageBase, Pull, PulledItem,
    ValueHash,
};

fn pull(base: &PageBase, file: &FilePage, page: &LivePage) -> Pull {
    Pull::new(Some(base), file, page, &SlotTypes::default(), &BTreeSet::new()).unwrap()
}

fn text(title: &str) -> Value {
    json!(["text", {"title": title}])
}

fn named(id: i64, title: &str) -> Value {
    json!([id, "text", {"title": title}])
}

fn items(file: &FilePage) -> Value {
    json!(file.slots)
}

/// Checks that nothing is left to be applied.
fn assert_nothing_pending(pull: &Pull, file: &FilePage, page: &LivePage) {
    let file = pull.apply_to(file);
    let merge = Merge::new(Some(&pull.base), &file, page, &PlanOptions::default()).unwrap();
    let options = PlanOptions::default();
    let plan = Plan::new(&page.slots, &merge.wanted(), &options);
    assert!(
        plan.unwrap().is_empty()
            && merge.fields.is_empty()
            && merge.remote.is_empty()
            && merge.conflicts.is_empty()
    );
    assert!(
        super::super::Pull::new(
            Some(&pull.base),
            &file,
            page,
            &SlotTypes::default(),
            &BTreeSet::new()
        )
        .unwrap()
        .is_empty()
    );
}

#[test]
fn values_changed_there_are_taken_and_those_changed_here_stay() {
    let base = synced(&[(1, text("A a")), (2, text("B b"))]);
    let ours = file(&[text("Our a"), text("B b")]);
    let theirs = page(&[(1, text("A a")), (2, text("Their b"))]);
    let found = pull(&base, &ours, &theirs);
    assert_eq!(items(&found.apply_to(&ours)), items(&file(&[text("Our a"), text("Their b")])));
    assert!(found.marks.is_empty());
    assert_eq!(found.base.slots[0], base.slots[0]);
    assert_eq!(found.base.slots[1].pair("title"), HashPair::of(ValueHash::of(&json!("Their b"))));
}

#[test]
fn keys_that_the_file_does_not_mention_are_taken_where_they_changed() {
    let base = synced(&[(1, text("A a"))]);
    let theirs = page(&[(1, json!(["text", {"title": "A a", "note": "new"}]))]);
    let found = pull(&base, &file(&[text("A a")]), &theirs);
    assert_eq!(found.apply_to(&file(&[text("A a")])).slots[0].data["note"], "new");
    assert_nothing_pending(&found, &file(&[text("A a")]), &theirs);
    let cleared =
        pull(&found.base, &found.apply_to(&file(&[text("A a")])), &page(&[(1, text("A a"))]));
    assert_eq!(cleared.keys[0].value, Value::Null);
}

#[test]
fn a_conflict_is_marked_and_removing_the_mark_means_mine() {
    let base = synced(&[(1, text("A a"))]);
    let (ours, theirs) = (file(&[text("Our a")]), page(&[(1, text("Their a"))]));
    let found = pull(&base, &ours, &theirs);
    assert!(matches!(found.marks[..], [ConflictMark::Value { item: Some(0), .. }]));
    assert_eq!(items(&found.apply_to(&ours)), items(&ours));
    let merge = Merge::new(Some(&found.base), &ours, &theirs, &PlanOptions::default()).unwrap();
    assert!(merge.conflicts.is_empty());
    assert_eq!(merge.desired.slots[0].data["title"], "Our a");
}

#[test]
fn slots_made_there_are_inserted_after_their_left_neighbour() {
    let base = synced(&[(1, text("A a")), (2, text("B b"))]);
    let ours = file(&[text("A a"), text("N n"), text("B b")]);
    let theirs = page(&[
        (8, text("X x")),
        (1, text("A a")),
        (9, text("Y y")),
        (7, text("Z z")),
        (2, text("B b")),
    ]);
    let found = pull(&base, &ours, &theirs);
    let expected = file(&[
        named(8, "X x"),
        text("A a"),
        named(9, "Y y"),
        named(7, "Z z"),
        text("N n"),
        text("B b"),
    ]);
    assert_eq!(items(&found.apply_to(&ours)), items(&expected));
    assert!(!found.is_reordered);
    assert_eq!(found.base.slots.iter().map(|it| it.id).collect::<Vec<_>>(), [8, 1, 9, 7, 2]);
}

#[test]
fn a_slot_deleted_there_takes_its_item_along_unless_that_was_edited() {
    let base = synced(&[(1, text("A a")), (2, text("B b"))]);
    let there = page(&[(1, text("A a"))]);
    let same = file(&[text("A a"), text("B b")]);
    let found = pull(&base, &same, &there);
    assert_eq!(found.removed, [1]);
    assert_nothing_pending(&found, &same, &there);
    let edited = file(&[text("A a"), named(2, "Our b")]);
    let found = pull(&base, &edited, &there);
    assert!(matches!(found.marks[..], [ConflictMark::DeletedThere { item: 1, id }] if id == 2));
    assert_eq!(found.unnamed, [1]);
    let kept = found.apply_to(&edited);
    let merge = Merge::new(Some(&found.base), &kept, &there, &PlanOptions::default()).unwrap();
    assert_eq!(merge.desired.slots[1].id, None, "removing the mark creates it again");
}

#[test]
fn a_slot_deleted_here_stays_deleted_unless_it_changed_there() {
    let base = synced(&[(1, text("A a")), (2, text("B b"))]);
    let ours = file(&[text("A a")]);
    let found = pull(&base, &ours, &page(&[(1, text("A a")), (2, text("B b"))]));
    assert!(found.is_empty());
    assert_eq!(found.base, base, "it is still to be deleted");
    let changed = page(&[(1, text("A a")), (2, text("Their b"))]);
    let found = pull(&base, &ours, &changed);
    assert!(matches!(found.marks[..], [ConflictMark::DeletedHere { inserted: 0, id }] if id == 2));
    // Deleted again, it is deleted.
    let merge = Merge::new(Some(&found.base), &ours, &changed, &PlanOptions::default()).unwrap();
    assert_eq!(merge.deletions[0].id, 2);
}

#[test]
fn an_item_kept_after_its_slot_was_deleted_there_takes_a_slot_deleted_here_unless_that_changes_there()
 {
    let base = synced(&[(1, text("A a")), (2, text("B b"))]);
    let ours = file(&[json!(["text", {"title": "B b", "description": "Ours"}])]);
    let found = pull(&base, &ours, &page(&[(1, text("A a"))]));
    assert!(matches!(found.marks[..], [ConflictMark::DeletedThere { item: 0, id }] if id == 2));
    // With the mark removed, the item replaces the slot that the file deleted.
    let after = |theirs: &LivePage| {
        Merge::new(Some(&found.base), &ours, theirs, &PlanOptions::default()).unwrap()
    };
    let kept = after(&page(&[(1, text("A a"))]));
    assert!(kept.conflicts.is_empty() && kept.deletions.is_empty());
    assert_eq!(json!(kept.desired.slots[0].data), json!({"title": "B b", "description": "Ours"}));
    let changed = after(&page(&[(1, text("Their a"))]));
    assert!(
        matches!(&changed.conflicts[..], [Conflict::Value { slot: Some((0, id)), key, .. }] if *id == 1 && key == "title")
    );
}

#[test]
fn an_order_changed_there_is_taken() {
    let base = synced(&[(1, text("A a")), (2, text("B b")), (3, text("C c"))]);
    let ours = file(&[text("A a"), text("N n"), text("B b"), text("C c")]);
    let theirs = page(&[(3, text("C c")), (1, text("A a")), (2, text("B b"))]);
    let found = pull(&base, &ours, &theirs);
    assert!(found.is_reordered);
    assert_eq!(found.order, [3, 0, 1, 2].map(PulledItem::Item));
    let moved = file(&[text("B b"), text("A a"), text("C c")]);
    let both = pull(&base, &moved, &theirs);
    assert!(matches!(both.marks[..], [ConflictMark::Order { .. }]) && !both.is_reordered);
    let merge = Merge::new(Some(&both.base), &moved, &theirs, &PlanOptions::default()).unwrap();
    assert!(merge.conflicts.is_empty() && merge.remote.is_empty());
}

#[test]
fn a_new_item_that_resembles_a_new_slot_is_marked_and_both_stay() {
    let base = synced(&[(1, text("A a"))]);
    let button = |title: &str| json!(["button", {"title": title, "link": "https://a.example"}]);
    let ours = file(&[text("A a"), button("Our menu")]);
    let theirs = page(&[(1, text("A a")), (2, button("Their menu"))]);
    let found = pull(&base, &ours, &theirs);
    assert!(matches!(&found.marks[..], [ConflictMark::Resembles { item: 1, ids }] if ids == &[2]));
    let patched = found.apply_to(&ours);
    let merge = Merge::new(Some(&found.base), &patched, &theirs, &PlanOptions::default()).unwrap();
    assert_eq!(merge.desired.slots.iter().filter(|slot| slot.id.is_none()).count(), 1);
}

#[test]
fn a_slot_made_on_both_sides_is_adopted() {
    let base = synced(&[(1, text("A a"))]);
    let ours = file(&[text("A a"), text("N n")]);
    let theirs = page(&[(1, text("A a")), (2, text("N n"))]);
    let found = pull(&base, &ours, &theirs);
    assert!(found.is_empty());
    assert_eq!(found.base.slots[1].id, 2);
}

#[test]
fn profile_fields_are_pulled_like_keys() {
    let fields =
        |value: Value| FilePage { fields: serde_json::from_value(value).unwrap(), ..file(&[]) };
    let live =
        |value: Value| LivePage { fields: serde_json::from_value(value).unwrap(), ..page(&[]) };
    let (said, held) =
        (fields(json!({"title": "Cafe"})), live(json!({"title": "Cafe", "description": null})));
    let base = pull_first(&said, &held);
    let theirs = live(json!({"title": "Their cafe", "description": "Coffee"}));
    let found = pull(&base, &said, &theirs);
    assert_eq!(
        json!(found.apply_to(&said).fields),
        json!({"title": "Their cafe", "description": "Coffee"})
    );
    assert_nothing_pending(&found, &said, &theirs);
    let both = pull(&base, &fields(json!({"title": "Our cafe"})), &theirs);
    assert!(matches!(both.marks[..], [ConflictMark::Value { item: None, .. }]));
}

fn pull_first(file: &FilePage, page: &LivePage) -> PageBase {
    Pull::new(None, file, page, &SlotTypes::default(), &BTreeSet::new()).unwrap().base
}

#[test]
fn without_a_record_what_differs_is_marked_and_nothing_is_removed() {
    let ours =
        file(&[json!(["button", {"title": "Our menu", "link": "https://a.example"}]), text("N n")]);
    let theirs = page(&[
        (1, json!(["button", {"title": "Their menu", "link": "https://a.example"}])),
        (2, text("X x")),
    ]);
    let found = Pull::new(None, &ours, &theirs, &SlotTypes::default(), &BTreeSet::new()).unwrap();
    assert!(
        matches!(&found.marks[..], [ConflictMark::Value { item: Some(0), key, .. }] if key == "title")
    );
    assert_eq!(found.apply_to(&ours).slots.len(), 3);
}

#[test]
fn a_pull_into_an_empty_file_is_the_page() {
    let theirs = page(&[(1, text("A a")), (2, json!(["event", {"title": "Concert"}]))]);
    let found =
        Pull::new(None, &file(&[]), &theirs, &SlotTypes::default(), &BTreeSet::new()).unwrap();
    assert_eq!(
        items(&found.apply_to(&file(&[]))),
        json!([{"id": 1, "type": "text", "data": {"title": "A a"}}, {"id": 2, "type": "event", "data": {}}])
    );
    assert_nothing_pending(&found, &file(&[]), &theirs);
}
