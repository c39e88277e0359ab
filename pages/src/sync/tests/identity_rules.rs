//! Rules by which items find their slots, by example.

use links_sdk::SlotId;
use serde_json::{Value, json};

use super::examples::{file, page, synced};
use crate::apply::{ItemError, ItemProblem, Plan, PlanError, PlanOptions};
use crate::sync::{Conflict, FilePage, FileSlotId, LivePage, Merge, PageBase};

/// Returns the slot of each item: `None` where it is new.
fn slots(base: &PageBase, file: &FilePage, page: &LivePage) -> Vec<Option<i64>> {
    let options = PlanOptions { overwrite: false, ..PlanOptions::default() };
    let merge = Merge::new(Some(base), file, page, &options).unwrap();
    merge.bindings.iter().map(|binding| binding.slot.map(SlotId::get)).collect()
}

/// Returns the problem of an item whose ID names nothing.
fn not_on_page(index: usize, id: i64) -> ItemError {
    ItemError { index, problem: ItemProblem::NotOnPage { id: id.into() } }
}

/// Returns the problems of items whose slots are unclear.
fn unclear(
    items: &[usize],
    ids: &[i64],
    problem: fn(Vec<SlotId>) -> ItemProblem,
) -> Vec<ItemError> {
    let ids: Vec<SlotId> = ids.iter().map(|id| (*id).into()).collect();
    items.iter().map(|item| ItemError { index: *item, problem: problem(ids.clone()) }).collect()
}

/// Returns the problems of items that may each be any of these slots.
fn ambiguous(items: &[usize], ids: &[i64]) -> Vec<ItemError> {
    unclear(items, ids, |ids| ItemProblem::Ambiguous { ids })
}

fn problems(base: &PageBase, file: &FilePage, page: &LivePage) -> Vec<ItemError> {
    match Merge::new(Some(base), file, page, &PlanOptions::default()) {
        Err(PlanError::Items(problems)) => problems,
        other => panic!("no refusal: {other:?}"),
    }
}

fn button(title: &str, link: &str) -> Value {
    json!(["button", {"title": title, "link": format!("https://{link}.example")}])
}

fn text(title: &str) -> Value {
    json!(["text", {"title": title}])
}

fn divider() -> Value {
    json!(["divider", {}])
}

fn named(id: Value, item: &Value) -> Value {
    json!([id, item[0], item[1]])
}

#[test]
fn the_only_item_that_may_be_a_deleted_slot_rewritten_is_that_slot() {
    let text = |title: &str| json!(["text", {"title": title}]);
    let base = synced(&[(1, text("First")), (2, text("A")), (3, text("B")), (4, text("Last"))]);
    let there = page(&[(1, text("First")), (4, text("Last"))]);
    let rewritten = file(&[text("First"), text("New"), text("Last")]);
    let merge = Merge::new(Some(&base), &rewritten, &there, &PlanOptions::default()).unwrap();
    assert!(matches!(merge.conflicts[..], [Conflict::DeletedThere { item: 1, .. }]), "{merge:?}");
    // Said to be new, it is; two of them are in doubt.
    let mut new = rewritten.clone();
    new.slots[1].id = FileSlotId::New;
    let merge = Merge::new(Some(&base), &new, &there, &PlanOptions::default()).unwrap();
    assert!(merge.conflicts.is_empty() && merge.desired.slots.len() == 3, "{merge:?}");
    let two = file(&[text("First"), text("New"), text("Newer"), text("Last")]);
    Merge::new(Some(&base), &two, &there, &PlanOptions::default()).unwrap_err();
}

#[test]
fn rule_1_an_id_decides_also_an_earlier_one() {
    let live = [(1, text("Hello")), (2, text("World"))];
    let mut base = synced(&live);
    base.slots[1].was = vec![9.into()];
    let swapped = file(&[named(json!(9), &text("Hello")), named(json!(1), &text("World"))]);
    assert_eq!(slots(&base, &swapped, &page(&live)), [Some(2), Some(1)]);
}

#[test]
fn rule_1_no_record_of_another_slot_claims_the_id_of_a_live_one() {
    let live = [(1, text("Hello")), (5, text("World"))];
    let mut base = synced(&live[1..]);
    base.slots[0].was = vec![1.into()];
    let edited = file(&[named(json!(1), &text("Hello there"))]);
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(1)]);
    // Both have an entry, and the wrong one comes first.
    let mut base = synced(&[live[1].clone(), live[0].clone()]);
    base.slots[0].was = vec![1.into()];
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(1)]);
}

#[test]
fn rule_1_ids_in_error_are_refused() {
    let live = [(1, text("Hello")), (2, text("World"))];
    let base = synced(&live);
    let wrong = file(&[
        named(json!(1), &text("Hello")),
        named(json!(1), &text("Hello")),
        named(json!(2), &button("World", "a")),
        named(json!(5), &text("New")),
    ]);
    let found = problems(&base, &wrong, &page(&live));
    let repeated = ItemProblem::RepeatedId { id: 1.into(), first: 0 };
    let repeated = ItemError { index: 1, problem: repeated };
    assert!(found.contains(&repeated), "{found:?}");
    assert!(found.contains(&not_on_page(3, 5)));
    let differs = |it: &ItemError| matches!(it, ItemError { index: 2, problem: ItemProblem::TypeDiffers { id, .. } } if *id == 2);
    assert!(found.iter().any(differs));
    let twice = page(&[(1, text("Hello")), (1, text("Hello"))]);
    let merged = Merge::new(Some(&base), &file(&[text("Hello")]), &twice, &PlanOptions::default());
    assert_eq!(merged, Err(PlanError::RepeatedIds(vec![1.into()])));
}

#[test]
fn rule_2_equal_items_keep_their_slots_wherever_they_are() {
    let live = [(1, text("Hello")), (2, divider()), (3, text("World")), (4, divider())];
    let base = synced(&live);
    let moved = file(&[text("World"), divider(), text("Hello"), divider()]);
    assert_eq!(slots(&base, &moved, &page(&live)), [Some(3), Some(2), Some(1), Some(4)]);
    // Copies are new.
    let copied = file(&[text("Hello"), divider(), text("Hello"), text("World"), divider()]);
    let found = slots(&base, &copied, &page(&live));
    assert_eq!(found.iter().flatten().count(), 4);
}

#[test]
fn rule_2_fewer_equal_items_than_unequal_slots_are_refused() {
    let live = [(1, divider()), (2, text("Hello")), (3, divider())];
    let base = synced(&live);
    let fewer = file(&[text("Hello"), divider()]);
    assert_eq!(slots(&base, &fewer, &page(&live)).iter().flatten().count(), 2);
    let changed =
        page(&[(1, json!(["divider", {"style": "bold"}])), (2, text("Hello")), (3, divider())]);
    let expected = ambiguous(&[1], &[1, 3]);
    assert_eq!(problems(&base, &fewer, &changed), expected);
    let settled = file(&[text("Hello"), named(json!(3), &divider())]);
    let merge = Merge::new(Some(&base), &settled, &changed, &PlanOptions::default()).unwrap();
    assert_eq!(merge.conflicts.len(), 1, "the other one was deleted here and changed there");
}

#[test]
fn an_item_of_which_every_value_may_have_been_removed_is_refused_where_the_slot_that_it_equals_changed()
 {
    let empty = json!(["text", {}]);
    let base = synced(&[(1, empty.clone()), (2, text("Hello"))]);
    let last = file(std::slice::from_ref(&empty));
    let expected = ambiguous(&[0], &[1, 2]);
    for there in [&[(2, text("Hello"))][..], &[(1, text("World")), (2, text("Hello"))]] {
        assert_eq!(problems(&base, &last, &page(there)), expected);
        let named = file(&[named(json!(2), &empty)]);
        assert_eq!(slots(&base, &named, &page(there)), [Some(2)]);
    }
    let unchanged = page(&[(1, empty), (2, text("Hello"))]);
    assert_eq!(slots(&base, &last, &unchanged), [Some(1)]);
}

#[test]
fn rule_3_a_slot_made_on_both_sides_is_adopted() {
    let base = synced(&[(1, text("Hello"))]);
    let both = file(&[text("Hello"), button("Menu", "a")]);
    let there = page(&[
        (1, text("Hello")),
        (2, json!(["button", {"title": "Menu", "link": "https://a.example", "style": "primary"}])),
    ]);
    assert_eq!(slots(&base, &both, &there), [Some(1), Some(2)]);
    // The service may have added the scheme.
    let bare = file(&[text("Hello"), json!(["button", {"title": "Menu", "link": "a.example"}])]);
    let merge = Merge::new(Some(&base), &bare, &there, &PlanOptions::default()).unwrap();
    assert_eq!(merge.bindings[1].slot, Some(2.into()));
    assert!(merge.desired.slots[1].data.is_empty() && merge.conflicts.is_empty());
}

#[test]
fn rule_3_a_slot_made_there_that_only_resembles_is_refused() {
    let base = synced(&[(1, text("Hello"))]);
    let both = file(&[text("Hello"), button("Our menu", "a")]);
    let there = page(&[(1, text("Hello")), (2, button("Their menu", "a"))]);
    let expected = unclear(&[1], &[2], |ids| ItemProblem::Resembles { ids });
    assert_eq!(problems(&base, &both, &there), expected);
    let new = file(&[text("Hello"), named(json!("new"), &button("Our menu", "a"))]);
    assert_eq!(slots(&base, &new, &there), [Some(1), None]);
    let options = PlanOptions { overwrite: true, ..PlanOptions::default() };
    let settled = Merge::new(Some(&base), &both, &there, &options).unwrap();
    assert_eq!(settled.bindings[1].slot, Some(2.into()));
    assert_eq!(settled.desired.slots[1].data["title"], "Our menu");
    // With its id, what differs is a conflict: nothing tells which value is newer.
    let one = file(&[text("Hello"), named(json!(2), &button("Our menu", "a"))]);
    let merge = Merge::new(Some(&base), &one, &there, &PlanOptions::default()).unwrap();
    assert!(matches!(merge.conflicts[..], [Conflict::Value { recorded: false, .. }]));
}

#[test]
fn an_edited_item_that_a_new_slot_equals_is_refused_where_its_own_slot_would_be_deleted() {
    let base = synced(&[(1, text("Hello"))]);
    let long = json!(["text", {"title": "Hello", "description": "World"}]);
    let there = page(&[(1, text("Hello")), (2, long.clone())]);
    let expected = ambiguous(&[0], &[1, 2]);
    assert_eq!(problems(&base, &file(std::slice::from_ref(&long)), &there), expected);
    // An id settles it, and so does `id: new`.
    assert_eq!(slots(&base, &file(&[named(json!(1), &long)]), &there), [Some(1)]);
    assert_eq!(slots(&base, &file(&[named(json!("new"), &long)]), &there), [Some(2)]);
    // Where the own slot has another item, nothing is in doubt.
    assert_eq!(slots(&base, &file(&[text("Hello"), long]), &there), [Some(1), Some(2)]);
}

#[test]
fn an_item_said_to_be_new_is_the_slot_that_an_earlier_run_made_beside_a_deleted_one() {
    let short = json!(["button", {"link": "https://a.example"}]);
    let other = (2, button("World", "a"));
    let base = synced(&[(1, button("Hello", "a")), other.clone()]);
    let there = page(&[other.clone(), (3, short.clone())]);
    let copy = file(&[named(json!("new"), &short), other.1]);
    assert_eq!(slots(&base, &copy, &there), [Some(3), Some(2)]);
}

#[test]
fn rule_3_slots_without_telling_values_are_adopted_only_after_the_same_neighbour() {
    let base = synced(&[(1, text("Hello")), (2, text("World"))]);
    let more = file(&[text("Hello"), divider(), text("World")]);
    let after = |slots: &[(i64, Value)]| self::slots(&base, &more, &page(slots));
    assert_eq!(after(&[(1, text("Hello")), (3, divider()), (2, text("World"))])[1], Some(3));
    assert_eq!(after(&[(1, text("Hello")), (2, text("World")), (3, divider())])[1], None);
}

#[test]
fn rule_6_an_item_is_the_slot_that_another_copy_of_the_file_made_equal_to_it() {
    let base = synced(&[(1, button("Menu", "a")), (2, text("Hello")), (3, text("World"))]);
    let moved = file(&[text("Hello"), text("World"), button("Shop", "b")]);
    let there = page(&[(1, button("Shop", "b")), (2, text("Hello")), (3, text("World"))]);
    assert_eq!(slots(&base, &moved, &there), [Some(2), Some(3), Some(1)]);
    let merge = Merge::new(Some(&base), &moved, &there, &PlanOptions::default()).unwrap();
    assert!(merge.conflicts.is_empty() && merge.deletions.is_empty(), "{merge:?}");
    // One that is said to be new is another slot.
    let new = named(json!("new"), &button("Shop", "b"));
    assert_eq!(slots(&base, &file(&[text("Hello"), text("World"), new]), &there)[2], None);
}

#[test]
fn rule_4_one_equal_telling_value_is_enough() {
    let live = [(1, button("Menu", "a")), (2, button("Shop", "b")), (3, button("Blog", "c"))];
    let base = synced(&live);
    let edited = file(&[button("Weblog", "c"), button("Our menu", "a"), button("Shop", "b2")]);
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(3), Some(1), Some(2)]);
    // Neighbors decide where a value is shared.
    let live = [(1, button("Menu", "a")), (2, divider()), (3, button("Shop", "a"))];
    let base = synced(&live);
    let edited = file(&[button("Our menu", "a"), divider(), button("Our shop", "a")]);
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(1), Some(2), Some(3)]);
}

#[test]
fn rule_4_an_empty_value_in_common_tells_nothing() {
    let base = synced(&[(1, button("Menu", "a"))]);
    let cleared = |data: Value| json!(["button", data]);
    let kept = cleared(json!({"title": "", "link": "https://a.example"}));
    let said = file(&[cleared(json!({"title": ""})), divider(), kept]);
    assert_eq!(slots(&base, &said, &page(&[(1, button("Menu", "a"))])), [None, None, Some(1)]);
}

#[test]
fn rule_4_a_choice_that_matters_is_refused_and_one_that_does_not_is_made() {
    let live = [(1, button("Menu", "a")), (2, button("Shop", "a"))];
    let base = synced(&live);
    let edited = file(&[button("Our menu", "a"), button("Our shop", "a")]);
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(1), Some(2)]);
    let changed = page(&[(1, button("Menu", "z")), (2, button("Shop", "a"))]);
    let expected = ambiguous(&[0, 1], &[1, 2]);
    assert_eq!(problems(&base, &edited, &changed), expected);
}

#[test]
fn rule_5_the_only_item_between_the_same_neighbours_is_its_slot() {
    let live = [(1, text("A a")), (2, text("B b")), (3, divider()), (4, text("C c"))];
    let base = synced(&live);
    let edited = file(&[text("A a"), text("X x"), divider(), text("Y y")]);
    assert_eq!(slots(&base, &edited, &page(&live)), [Some(1), Some(2), Some(3), Some(4)]);
    // Rewritten from end to end elsewhere, an item is a new slot.
    let moved = file(&[text("X x"), text("A a"), divider(), text("C c")]);
    assert_eq!(slots(&base, &moved, &page(&live)), [None, Some(1), Some(3), Some(4)]);
}

#[test]
fn rule_5_a_copy_of_another_item_is_not_a_slot_that_changed_there() {
    let live = [(1, button("Menu", "a")), (2, button("Shop", "b"))];
    let base = synced(&live);
    let copied = file(&[button("Menu", "a"), button("Menu", "c")]);
    assert_eq!(slots(&base, &copied, &page(&live)), [Some(1), Some(2)]);
    let styled = json!(["button", {"title": "Shop", "link": "https://b.example", "style": "bold"}]);
    let changed = page(&[(1, button("Menu", "a")), (2, styled)]);
    let merge = Merge::new(Some(&base), &copied, &changed, &PlanOptions::default()).unwrap();
    assert_eq!(merge.bindings[1].slot, None);
    assert!(matches!(merge.conflicts[..], [Conflict::DeletedHere { id, .. }] if id == 2));
    // A slot that was deleted there may be meant.
    let expected = unclear(&[1], &[2], |ids| ItemProblem::PerhapsDeleted { ids });
    assert_eq!(problems(&base, &copied, &page(&live[..1])), expected);
}

#[test]
fn a_copy_said_to_be_new_is_no_slot_that_changed_there() {
    let live = [(3, button("Menu", "a")), (1, button("Menu", "a"))];
    let base = synced(&live);
    let copy = json!(["button", {"title": "", "link": "https://a.example"}]);
    let said = file(&[named(json!("new"), &copy), named(json!(3), &button("Menu", "a"))]);
    assert_eq!(slots(&base, &said, &page(&live)), [Some(1), Some(3)]);
    let styled = json!(["button", {"title": "Menu", "link": "https://a.example", "style": "bold"}]);
    let changed = page(&[(3, button("Menu", "a")), (1, styled)]);
    let merge = Merge::new(Some(&base), &said, &changed, &PlanOptions::default()).unwrap();
    assert_eq!(merge.bindings[0].slot, None);
    assert!(matches!(merge.conflicts[..], [Conflict::DeletedHere { id, .. }] if id == 1));
}

#[test]
fn an_edited_copy_of_a_named_item_is_refused_where_its_twin_changed_there() {
    let live = [(3, button("Menu", "a")), (1, button("Menu", "a"))];
    let base = synced(&live);
    let copy = json!(["button", {"title": "", "link": "https://a.example"}]);
    let said = file(&[copy.clone(), named(json!(3), &button("Menu", "a"))]);
    assert_eq!(slots(&base, &said, &page(&live)), [Some(1), Some(3)]);
    let styled = json!(["button", {"title": "Menu", "link": "https://a.example", "style": "bold"}]);
    let changed = page(&[(3, button("Menu", "a")), (1, styled)]);
    let expected = ambiguous(&[0], &[1]);
    assert_eq!(problems(&base, &said, &changed), expected);
    let one = file(&[named(json!(1), &copy), named(json!(3), &button("Menu", "a"))]);
    assert_eq!(slots(&base, &one, &changed), [Some(1), Some(3)]);
}

#[test]
fn an_item_said_to_be_new_is_no_unknown_slot_with_a_further_telling_value() {
    let base = synced(&[(1, text("Hello"))]);
    let there = page(&[
        (1, text("Hello")),
        (3, json!(["text", {"title": "World", "description": "Hours"}])),
    ]);
    let less = json!(["text", {"description": "Hours"}]);
    let new = file(&[text("Hello"), named(json!("new"), &less)]);
    assert_eq!(slots(&base, &new, &there), [Some(1), None]);
    let expected = unclear(&[1], &[3], |ids| ItemProblem::Resembles { ids });
    assert_eq!(problems(&base, &file(&[text("Hello"), less]), &there), expected);
}

#[test]
fn a_slot_that_came_back_with_another_id_is_bound_again() {
    let live = [(1, text("Hello")), (2, button("Menu", "a"))];
    let base = synced(&live);
    let there = page(&[(1, text("Hello")), (5, button("Menu", "a"))]);
    let edited = file(&[text("Hello"), named(json!(2), &button("Our menu", "a"))]);
    let merge = Merge::new(Some(&base), &edited, &there, &PlanOptions::default()).unwrap();
    assert_eq!(merge.bindings[1].slot, Some(5.into()));
    assert_eq!(merge.desired.slots[1].id, Some(5.into()));
    let mut after = there.clone();
    after.slots[1].data.insert("title".into(), json!("Our menu"));
    let next = super::examples::base_of(&merge, Some(&base), &edited, &after);
    assert_eq!((next.slots[1].id, &next.slots[1].was[..]), (5.into(), &[2.into()][..]));
    assert_eq!(slots(&next, &edited, &after), [Some(1), Some(5)]);
    // Where its item was deleted, it is a slot that another client made.
    let gone =
        Merge::new(Some(&base), &file(&[text("Hello")]), &there, &PlanOptions::default()).unwrap();
    assert!(gone.deletions.is_empty() && gone.remote.len() == 1);
}

/// The file and the record are those from before a deletion that was applied and undone, or the file alone is.
#[test]
fn an_unknown_id_is_that_of_the_new_slot_that_equals_its_item() {
    let there = page(&[(1, text("Hello")), (7, divider()), (8, button("Menu", "a"))]);
    let base = synced(&[(1, text("Hello"))]);
    let before = |title: &str| {
        file(&[
            named(json!(1), &text("Hello")),
            named(json!(2), &divider()),
            named(json!(3), &button(title, "a")),
        ])
    };
    let merge = Merge::new(Some(&base), &before("Menu"), &there, &PlanOptions::default()).unwrap();
    let slots_of = |merge: &Merge| merge.bindings.iter().map(|it| it.slot).collect::<Vec<_>>();
    assert_eq!(slots_of(&merge), [1, 7, 8].map(|id| Some(id.into())));
    assert!(merge.conflicts.is_empty() && merge.remote.is_empty() && merge.deletions.is_empty());
    let next = super::examples::base_of(&merge, Some(&base), &before("Menu"), &there);
    let ids: Vec<_> = next.slots.iter().map(|slot| (slot.id, slot.was.clone())).collect();
    assert_eq!(ids, [(1.into(), vec![]), (7.into(), vec![2.into()]), (8.into(), vec![3.into()])]);
    assert_eq!(slots(&next, &before("New menu"), &there), [Some(1), Some(7), Some(8)]);
    let pull = crate::sync::Pull::new(
        Some(&base),
        &before("Menu"),
        &there,
        &crate::apply::SlotTypes::default(),
        &std::collections::BTreeSet::new(),
    );
    let pulled: Vec<_> = pull.unwrap().base.slots.into_iter().map(|slot| slot.was).collect();
    assert_eq!(pulled, [vec![], vec![2], vec![3]]);
    // Nothing tells whether an item that differs is that slot.
    let expected = not_on_page(2, 3);
    assert_eq!(problems(&base, &before("New menu"), &there), [expected]);
    // A divider elsewhere may be another one.
    let elsewhere = page(&[(7, divider()), (1, text("Hello")), (8, button("Menu", "a"))]);
    let expected = not_on_page(1, 2);
    assert_eq!(problems(&base, &before("Menu"), &elsewhere), [expected]);
}

#[test]
fn an_edited_item_beside_its_copy_is_refused_where_the_slot_changed_there() {
    let base = synced(&[(1, button("Menu", "a"))]);
    let copied = file(&[button("Our menu", "a"), button("Menu", "a")]);
    assert_eq!(slots(&base, &copied, &page(&[(1, button("Menu", "a"))])), [None, Some(1)]);
    let changed = page(&[(1, button("Their menu", "a"))]);
    let expected = ambiguous(&[0, 1], &[1]);
    assert_eq!(problems(&base, &copied, &changed), expected);
    let settled = file(&[named(json!(1), &button("Our menu", "a")), button("Menu", "a")]);
    let merge = Merge::new(Some(&base), &settled, &changed, &PlanOptions::default()).unwrap();
    assert_eq!(merge.conflicts.len(), 1);
}

#[test]
fn new_items_that_may_be_slots_deleted_there_are_refused() {
    let base = synced(&[(1, text("Hello"))]);
    let two = file(&[text("Hello there"), text("Something else")]);
    let expected = unclear(&[0, 1], &[1], |ids| ItemProblem::PerhapsDeleted { ids });
    assert_eq!(problems(&base, &two, &page(&[])), expected);
    let new = file(&[
        named(json!("new"), &text("Hello there")),
        named(json!("new"), &text("Something else")),
    ]);
    assert_eq!(slots(&base, &new, &page(&[])), [None, None]);
}

#[test]
fn ids_of_an_interrupted_run_are_taken() {
    let base = synced(&[(1, text("Hello"))]);
    let more = file(&[text("Hello"), divider()]);
    let there = page(&[(7, divider()), (1, text("Hello"))]);
    let options = PlanOptions { created: [(1, 7.into())].into(), ..PlanOptions::default() };
    let merge = Merge::new(Some(&base), &more, &there, &options).unwrap();
    assert_eq!(merge.bindings[1].slot, Some(7.into()));
}

#[test]
fn a_slot_that_an_interrupted_run_made_in_place_of_one_that_is_gone_is_not_made_again() {
    let divider = |style: &str| json!(["divider", {"style": style}]);
    let base = synced(&[(1, text("Hello")), (5, divider("plain"))]);
    let edited = file(&[text("Hello"), named(json!(5), &divider("wavy"))]);
    let there = page(&[(1, text("Hello")), (9, divider("wavy"))]);
    let created = [(1, 9.into())].into();
    let mut options = PlanOptions { overwrite: true, prune: true, created, ..Default::default() };
    let merge = Merge::new(Some(&base), &edited, &there, &options).unwrap();
    let plan = Plan::new(&there.slots, &merge.wanted(), &options).unwrap();
    assert!(plan.is_empty(), "{plan}");
    // Without it, the slot is another one, and a new one is made.
    options.created.clear();
    let merge = Merge::new(Some(&base), &edited, &there, &options).unwrap();
    let plan = Plan::new(&there.slots, &merge.wanted(), &options).unwrap();
    assert_eq!((plan.creates.len(), plan.deletes.len()), (1, 1), "{plan}");
}

#[test]
fn an_item_that_two_people_made_at_once_is_not_taken_for_the_slot_that_is_gone() {
    let base = synced(&[(7, text("Hello")), (8, text("Hello"))]);
    let there = page(&[(7, text("Hello, all"))]);
    let options = PlanOptions { created: [(0, 8.into())].into(), ..PlanOptions::default() };
    let merged =
        |options: &PlanOptions| Merge::new(Some(&base), &file(&[text("Hello")]), &there, options);
    let Err(PlanError::Items(found)) = merged(&options) else { panic!("it is clear") };
    let expected = ambiguous(&[0], &[7, 8]);
    assert_eq!(found, expected);
}

#[test]
fn an_event_is_found_by_its_id_or_by_content_that_only_it_has() {
    let event = |title: &str| json!(["event", {"title": title}]);
    let there = page(&[(1, event("Concert")), (2, event("Reading")), (3, event("Reading"))]);
    let base = PageBase::default();
    assert_eq!(slots(&base, &file(&[event("Concert")]), &there), [Some(1)]);
    let found = problems(&base, &file(&[event("Reading")]), &there);
    assert_eq!(found, ambiguous(&[0], &[2, 3]));
}

#[test]
fn an_edited_item_beside_a_copy_of_it_is_refused_where_its_slot_changed() {
    let base = synced(&[(1, button("A", "a"))]);
    let there = page(&[(1, json!(["button", {"title": "A"}]))]);
    let edited = json!(["button", {"title": "B"}]);
    let both = file(&[edited.clone(), button("B", "a")]);
    let expected = ambiguous(&[0, 1], &[1]);
    assert_eq!(problems(&base, &both, &there), expected);
    // Where the slot is as it was, nothing is lost either way.
    let same = page(&[(1, button("A", "a"))]);
    assert_eq!(slots(&base, &both, &same), [None, Some(1)]);
}
