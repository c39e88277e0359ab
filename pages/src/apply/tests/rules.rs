//! Tests of the rules of matching, one example each.

use super::*;
use links_sdk::SlotId;

/// Returns the final page as text: `7` a slot, `7*` an updated one, `+0` the item that becomes a new one; then the slots that are deleted.
fn outcome(plan: &Plan) -> String {
    let slot = |slot: &SlotRef| match slot {
        SlotRef::Existing(id) if plan.updates.iter().any(|update| update.id == *id) => {
            format!("{id}*")
        }
        SlotRef::Existing(id) => id.to_string(),
        SlotRef::Created(nth) => format!("+{}", plan.creates[*nth].index),
    };
    let mut words: Vec<_> = plan.order.iter().map(slot).collect();
    words.extend(plan.reorder.then(|| "moved".to_owned()));
    words.extend(plan.deletes.iter().map(|delete| format!("-{}", delete.id)));
    words.join(" ")
}

fn a(n: u32) -> Value {
    json!({"title": format!("Title {n}"), "link": format!("https://a.example/{n}"), "style": "primary"})
}

fn with(mut data: Value, key: &str, value: impl Into<Value>) -> Value {
    data[key] = value.into();
    data
}

#[test]
fn items_are_matched_to_slots_by_id_content_and_resemblance() {
    let text = |title: &str| json!({"title": title});
    #[rustfmt::skip]
    let cases = [
        // Nothing to do.
        (page(&[]), vec![], ""),
        (page(&[(1, "divider", json!([])), (2, "divider", json!({}))]), vec![json!(["divider", {}]), json!(["divider", {}])], "1 2"),
        (page(&[(1, "button", a(1)), (2, "text", text("A"))]), vec![json!(["button", a(1)]), json!(["text", {"title": " A "}])], "1 2"),
        // Keys that an item does not mention stay, and additions by the service are no change.
        (page(&[(1, "divider", json!({"line": "thin"}))]), vec![json!(["divider", {}])], "1"),
        (page(&[(1, "text", json!({"title": "A", "html": "<p>"}))]), vec![json!(["text", text("A")])], "1"),
        // By id, whatever the content.
        (page(&[(1, "text", text("A")), (2, "text", text("B"))]), vec![json!([2, "text", text("A")]), json!([1, "text", text("B")])], "2* 1* moved"),
        (page(&[(1, "text", text("A")), (2, "text", text("A"))]), vec![json!([2, "text", text("A")]), json!(["text", text("A")])], "2 1 moved"),
        // Equal content, k-th with k-th, comes before content that merely matches.
        (page(&[(1, "text", text("A")), (2, "text", text("B")), (3, "text", text("A"))]),
         vec![json!(["text", text("A")]), json!(["text", text("A")]), json!(["text", text("B")])], "1 3 2 moved"),
        (page(&[(1, "text", json!({"title": "A", "x": 1})), (2, "text", text("A"))]),
         vec![json!(["text", {"title": "A", "x": 1}]), json!(["text", text("A")])], "1 2"),
        (page(&[(1, "text", json!({"title": "A", "x": 1})), (2, "text", text("A")), (3, "divider", json!([]))]),
         vec![json!(["divider", {}]), json!(["text", text("A")])], "1 3 2 moved"),
        // An item moves on to another slot that fits, so that neither is written.
        (page(&[(1, "text", json!({"title": "A", "x": 1, "y": 1})), (2, "text", json!({"title": "A", "y": 1}))]),
         vec![json!(["text", text("A")]), json!(["text", {"title": "A", "x": 1}])], "2 1 moved"),
        // One that fits no free slot does not keep later ones from moving on.
        (page(&[(1, "text", json!({"title": "A", "x": 1})), (2, "text", json!({"title": "B", "x": 1, "y": 1})), (3, "text", json!({"title": "B", "y": 1}))]),
         vec![json!(["text", text("A")]), json!(["text", text("A")]), json!(["text", text("B")]), json!(["text", {"title": "B", "x": 1}])], "1 +1 3 2 moved"),
        // By resemblance: an equal link or title, not an equal style.
        (page(&[(1, "button", a(1))]), vec![json!(["button", with(a(1), "title", "New")])], "1*"),
        (page(&[(1, "button", a(1))]), vec![json!(["button", with(a(1), "link", "https://new.example")])], "1*"),
        (page(&[(1, "button", a(1))]), vec![json!(["button", a(2)])], "1 +0"),
        (page(&[(1, "text", text("A B"))]), vec![json!(["note", text("A B")])], "1 +0"),
        (page(&[(1, "button", a(1)), (2, "button", a(2))]),
         vec![json!(["button", with(a(2), "title", "New")]), json!(["button", with(a(1), "title", "Newer")])], "2* 1* moved"),
        // The rarer common value wins over one that all share.
        (page(&[(1, "button", with(a(1), "link", "https://x.example")), (2, "button", with(a(2), "link", "https://x.example"))]),
         vec![json!(["button", with(with(a(2), "link", "https://x.example"), "style", "bold")])], "1 2*"),
        (page(&[(1, "note", json!({"title": "A b", "by": "All of us"})), (2, "note", json!({"title": "C d", "by": "X y"})), (3, "note", json!({"title": "E f", "by": "All of us"}))]),
         vec![json!(["note", {"title": "C d", "by": "All of us"}])], "1 2* 3"),
        // Two common values win over one of the same rarity, and other equal values decide the rest.
        (page(&[(1, "note", json!({"a": "A b", "b": "?", "c": "?"})), (2, "note", json!({"a": "?", "b": "B c", "c": "C d"}))]),
         vec![json!(["note", {"a": "A b", "b": "B c", "c": "C d"}])], "1 2*"),
        (page(&[(1, "note", json!({"a": "A b", "n": 1})), (2, "note", json!({"a": "A b", "n": 2}))]),
         vec![json!(["note", {"a": "A b", "n": 2, "x": 1}])], "1 2*"),
        // A value counts once, however often a slot repeats it.
        (page(&[(1, "note", json!({"a": ["B b", "B b"], "x": "?"})), (2, "note", json!({"a": ["B b"], "x": "?"}))]),
         vec![json!(["note", {"a": ["B b", "B b", "C c"]}])], "1* 2"),
        (page(&[(1, "note", json!({"a": ["B b", "B b", "B b"]})), (2, "note", json!({"a": ["B b"], "x": "X x"}))]),
         vec![json!(["note", {"a": ["B b", "B b"], "x": "X x"}])], "1 2*"),
        // Inside lists, too.
        (page(&[(1, "faq", json!({"items": [{"q": "Open when?", "a": "At 8."}]})), (2, "faq", json!({"items": [{"q": "Where is it?", "a": "Here."}]}))]),
         vec![json!(["faq", {"items": [{"q": "Where is it?", "a": "There."}]}]), json!(["faq", {"items": [{"q": "Open when?", "a": "At 9."}]}])], "2* 1* moved"),
        // A slot without an item is kept after its left neighbor.
        (page(&[(1, "text", text("A")), (2, "text", text("B")), (3, "text", text("C"))]), vec![json!(["text", text("A")]), json!(["text", text("C")])], "1 2 3"),
        (page(&[(1, "text", text("A")), (2, "text", text("B")), (3, "text", text("C"))]), vec![json!(["text", text("C")]), json!(["text", text("A")])], "3 1 2 moved"),
        (page(&[(1, "divider", json!([]))]), vec![], "1"),
        // New slots are appended, whether or not that is their final place.
        (page(&[(1, "text", text("A"))]), vec![json!(["text", text("A")]), json!(["divider", {}])], "1 +1"),
        (page(&[(1, "text", text("A"))]), vec![json!(["divider", {}]), json!(["text", text("A")])], "+0 1 moved"),
        // Events and legacy slots.
        (page(&[(1, "event", text("A")), (2, "event", text("B"))]), vec![json!(["event", text("B")]), json!(["event", text("A")])], "2 1 moved"),
        (page(&[(1, "event", text("A"))]), vec![json!([1, "event", {}])], "1"),
        (page(&[(1, "event", json!({"title": "A", "x": 1})), (2, "event", text("A"))]), vec![json!(["event", text("A")])], "1 2"),
        (page(&[(1, "oldmap", text("A"))]), vec![json!([1, "oldmap", text("A")])], "1"),
    ];
    for (page, items, expected) in cases {
        let plan = plan_of(&page, &file(&items), &PlanOptions::default()).unwrap();
        assert_eq!(outcome(&plan), expected, "{items:?}");
        assert_eq!(plan.is_empty(), !expected.contains(['*', '+', 'm']), "{items:?}");
    }
}

#[test]
fn a_legacy_slot_is_never_edited_nor_taken_for_its_twin() {
    let mut page = page(&[(1, "text", json!({"title": "A"})), (2, "text", json!({"title": "A"}))]);
    page[0].supported = false;
    let twin = file(&[json!(["text", {"title": "A"}])]);
    assert_eq!(outcome(&plan_of(&page, &twin, &PlanOptions::default()).unwrap()), "1 2");
    let edited = file(&[json!([1, "text", {"title": "B"}])]);
    let problem =
        ItemProblem::NotEditable { id: 1.into(), kind: "text".into(), keys: vec!["title".into()] };
    let expected = PlanError::Items(vec![ItemError { index: 0, problem }]);
    assert_eq!(plan_of(&page, &edited, &PlanOptions::default()).unwrap_err(), expected);

    page.pop();
    let plan = plan_of(&page, &twin, &PlanOptions::default()).unwrap();
    assert_eq!(outcome(&plan), "1 +0");
    let mut service = service::PageModel::with(page, 500);
    service.run(&plan, usize::MAX);
    assert!(plan_of(&service.slots, &twin, &PlanOptions::default()).unwrap().is_empty());
}

#[test]
fn an_event_that_the_file_lacks_stays_and_one_that_could_be_two_is_an_error() {
    let event = |id: i64| (id, "event", json!({"title": "Concert"}));
    let two = page(&[(1, "text", json!({"title": "A"})), event(2), event(3)]);
    let plan = plan_of(&two, &file(&[json!(["divider", {}])]), &prune()).unwrap();
    assert_eq!(outcome(&plan), "2 3 +0 -1");
    assert!(plan.kept.iter().all(|kept| kept.reason == RetainReason::ReadOnly));

    let unnamed = file(&[json!(["event", {"title": "Concert"}])]);
    let problem = ItemProblem::Ambiguous { ids: vec![2.into(), 3.into()] };
    let expected = PlanError::Items(vec![ItemError { index: 0, problem }]);
    assert_eq!(plan_of(&two, &unnamed, &PlanOptions::default()).unwrap_err(), expected);
}

#[test]
fn slots_missing_from_the_file_are_deleted_only_on_request() {
    let slots = page(&[
        (1, "text", json!({"title": "A"})),
        (2, "event", json!([])),
        (3, "oldmap", json!([])),
        (4, "oldevent", json!([])),
    ]);
    let mut types = SlotTypes::default();
    types.insert("oldevent", false, json!({}));
    let item = file(&[json!(["divider", {}])]);
    for (prune, prune_unsupported, expected, reasons) in [
        (
            false,
            false,
            "1 2 3 4 +0",
            vec![
                RetainReason::NotInFile,
                RetainReason::ReadOnly,
                RetainReason::Unsupported,
                RetainReason::ReadOnly,
            ],
        ),
        (
            true,
            false,
            "2 3 4 +0 -1",
            vec![RetainReason::ReadOnly, RetainReason::Unsupported, RetainReason::ReadOnly],
        ),
        (
            false,
            true,
            "1 2 4 +0 -3",
            vec![RetainReason::NotInFile, RetainReason::ReadOnly, RetainReason::ReadOnly],
        ),
        (true, true, "2 4 +0 -1 -3", vec![RetainReason::ReadOnly, RetainReason::ReadOnly]),
    ] {
        types.insert("divider", true, json!({}));
        let options = PlanOptions {
            prune,
            prune_unsupported,
            types: types.clone(),
            ..PlanOptions::default()
        };
        let plan = plan_of(&slots, &item, &options).unwrap();
        assert_eq!(outcome(&plan), expected);
        assert_eq!(plan.kept.iter().map(|kept| kept.reason).collect::<Vec<_>>(), reasons);
    }
}

#[test]
fn the_slot_that_matches_least_is_pruned() {
    let slots =
        page(&[(1, "text", json!({"title": "A", "x": 1})), (2, "text", json!({"title": "A"}))]);
    let plan = plan_of(&slots, &file(&[json!(["text", {"title": "A"}])]), &prune()).unwrap();
    assert_eq!(outcome(&plan), "2 -1");
}

#[test]
fn an_update_sends_the_changed_keys_and_keeps_their_old_values() {
    let page = page(&[(
        1,
        "button",
        json!({"link": "https://a.example", "title": "A b", "n": 1, "gone": "x", "empty": ""}),
    )]);
    let items = file(&[json!(["button", {
        "new": [1], "title": " A b ", "link": "https://b.example", "n": 1.0, "gone": null, "empty": null, "never": [],
    }])]);
    let plan = plan_of(&page, &items, &PlanOptions::default()).unwrap();
    assert_eq!(
        serde_json::to_value(&plan.updates).unwrap(),
        json!([{
            "id": 1, "index": 0, "type": "button", "label": "A b",
            "changed": {"new": [1], "link": "https://b.example", "gone": null},
            "before": {"link": "https://a.example", "gone": "x"},
        }])
    );
    assert_eq!(plan.to_string(), "1 to update");
}

#[test]
fn null_clears_as_the_schema_allows() {
    let mut types = SlotTypes::default();
    let schema = json!({"properties": {
        "title": {"type": ["string", "null"]}, "style": {"enum": ["primary", "bold"], "default": "primary"}, "link": {"type": "string"},
    }});
    types.insert("button", true, schema);
    let options = PlanOptions { types, ..PlanOptions::default() };
    let clear = json!({"title": null, "style": null, "link": null});
    let plan = |page: &[Slot], item: Value| plan_of(page, &file(&[item]), &options);

    let cleared = page(&[(1, "button", json!({"title": "A", "style": "bold", "link": ""}))]);
    let update = plan(&cleared, json!([1, "button", clear])).unwrap().updates.remove(0);
    assert_eq!(*update.changed, *json!({"title": null, "style": "primary"}).as_object().unwrap());

    let unset = page(&[(1, "button", json!({"title": "", "style": "primary"}))]);
    assert!(plan(&unset, json!(["button", clear])).unwrap().is_empty());

    let fixed = page(&[(1, "button", json!({"link": "https://a.example"}))]);
    assert_eq!(
        plan(&fixed, json!([1, "button", clear])).unwrap_err().to_string(),
        "slots[0]: `link` of a button can't be cleared; write a value or leave it out"
    );

    let created = plan(&[], json!(["button", clear])).unwrap().creates.remove(0);
    assert_eq!(*created.data, *json!({"title": null}).as_object().unwrap());
}

#[test]
fn all_faulty_items_are_named_at_once() {
    let mut types = SlotTypes::default();
    for kind in ["text", "button", "oldmap"] {
        types.insert(kind, true, json!({}));
    }
    let options = PlanOptions { types, ..PlanOptions::default() };
    let text = json!({"title": "A"});
    let page = page(&[
        (1, "text", text.clone()),
        (2, "event", json!({"place": "P", "title": "E"})),
        (3, "oldmap", json!({"zoom": 1})),
        (4, "event", text.clone()),
        (5, "event", text.clone()),
        (6, "text", text.clone()),
    ]);
    let items = file(&[
        json!(["hologram", {}]),
        json!([9, "text", text]),
        json!([1, "button", text]),
        json!([1, "text", text]),
        json!([8, "text", text]),
        json!([2, "event", {"place": "Q", "title": "F"}]),
        json!([3, "oldmap", {"zoom": 2}]),
        json!(["event", text]),
        json!(["event", {"title": "none"}]),
        json!([6, "text", {"title": "fine"}]),
    ]);
    let error = plan_of(&page, &items, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "slots[0]: slots of type `hologram` can't be created
slots[1]: slot 9 is not on this page; remove `id` to create a new slot
slots[2]: slot 1 has type text, not button, and types can't change; remove `id` to create a new slot
slots[3]: slot 1 is already used by slots[2]
slots[4]: slot 8 is not on this page; remove `id` to create a new slot
slots[5]: slot 2 (event) cannot be edited, but place, title would change
slots[6]: slot 3 (oldmap) cannot be edited, but zoom would change
slots[7]: cannot tell which slot this is (4, 5); write the slot's `id`
slots[8]: slots of type `event` can't be created"
    );
    let PlanError::Items(items) = error else { panic!("{error}") };
    assert_eq!(items.iter().map(|item| item.index).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
}

#[test]
fn two_items_do_not_share_an_event() {
    let page = page(&[(1, "event", json!({"title": "A", "place": "P"}))]);
    let items = file(&[json!(["event", {"title": "A"}]), json!(["event", {"place": "P"}])]);
    let PlanError::Items(errors) = plan_of(&page, &items, &PlanOptions::default()).unwrap_err()
    else {
        panic!()
    };
    assert_eq!(errors.len(), 2);
    assert!(
        errors
            .iter()
            .all(|error| matches!(&error.problem, ItemProblem::Ambiguous { ids } if *ids == [1]))
    );
}

#[test]
fn an_event_is_found_by_content_only_if_it_is_free() {
    let event = |data: Value| json!(["event", data]);
    let two = page(&[(1, "event", json!({"title": "A"})), (2, "event", json!({"title": "A"}))]);
    let named = file(&[json!([2, "event", {}]), event(json!({"title": "A"}))]);
    assert_eq!(outcome(&plan_of(&two, &named, &PlanOptions::default()).unwrap()), "2 1 moved");

    let mut legacy = page(&[(1, "event", json!({"title": "A"}))]);
    legacy[0].supported = false;
    let error = plan_of(&legacy, &file(&[event(json!({}))]), &PlanOptions::default()).unwrap_err();
    let problem = ItemProblem::NotCreatable { kind: "event".into() };
    assert_eq!(error, PlanError::Items(vec![ItemError { index: 0, problem }]));
}

#[test]
fn a_page_that_repeats_an_id_is_refused() {
    let page = page(&[5, 1, 2, 1, 2, 1].map(|id| (id, "divider", json!([]))));
    let error = plan_of(&page, &file(&[]), &PlanOptions::default()).unwrap_err();
    assert_eq!(error, PlanError::RepeatedIds(vec![1.into(), 2.into()]));
    assert_eq!(error.to_string(), "duplicate slot IDs on the page: 1, 2");
}

#[test]
fn the_slot_that_an_earlier_run_created_for_an_item_keeps_what_was_added_to_it() {
    let mut types = SlotTypes::default();
    types.insert(
        "text",
        true,
        json!({"properties": {"title": {}, "note": {}, "size": {"type": "integer"}, "style": {"enum": ["plain", "bold"], "default": "plain"}}}),
    );
    let held = json!({"title": "B", "note": "n", "size": 3, "style": "bold"});
    let created = [(0, 7.into())].into();
    let options = PlanOptions { types, created, ..PlanOptions::default() };
    let file = file(&[json!(["text", {"title": "A"}])]);
    let plan = plan_of(&page(&[(7, "text", held.clone())]), &file, &options).unwrap();
    let [update] = &plan.updates[..] else { panic!("{plan:?}") };
    assert_eq!(json!(update.changed), json!({"title": "A"}));
    assert_eq!(json!(update.before), json!({"title": "B"}));
}

#[test]
fn ids_of_an_interrupted_run_come_before_content() {
    let page = page(&[
        (1, "text", json!({"title": "A"})),
        (2, "text", json!({"title": "A"})),
        (3, "divider", json!([])),
    ]);
    let text = json!(["text", {"title": "A"}]);
    let options = |created: &[(usize, i64)]| PlanOptions {
        created: created.iter().map(|(item, id)| (*item, (*id).into())).collect(),
        ..PlanOptions::default()
    };
    for (items, created, expected, removed) in [
        (vec![text.clone()], &[(0, 2)][..], "1 2 3", None),
        (vec![json!(["text", {"title": "B"}])], &[(0, 2)], "1 2* 3", None),
        (vec![json!(["text", {"title": "B"}])], &[(0, 3)], "1 2 3 +0", None),
        (vec![json!(["text", {"title": "B"}])], &[(0, 8)], "1 2 3 +0", Some((0, 8))),
        (vec![text.clone()], &[(0, 8)], "1 2 3", None),
        (vec![json!([1, "text", {"title": "B"}])], &[(0, 2)], "1* 2 3", None),
        (
            vec![json!([2, "text", {"title": "A"}]), text.clone()],
            &[(1, 2), (7, 1)],
            "2 3 1 moved",
            None,
        ),
    ] {
        let plan = plan_of(&page, &file(&items), &options(created)).unwrap();
        assert_eq!(outcome(&plan), expected, "{items:?} {created:?}");
        let notices: Vec<_> = removed
            .map(|(index, id)| Notice::RemovedSince { index, id: id.into() })
            .into_iter()
            .collect();
        assert_eq!(plan.notices, notices);
    }
}

#[test]
fn the_schema_decides_which_values_identify_a_slot() {
    let page = page(&[(
        1,
        "text",
        json!({"title": "menu", "look": "Wide Screen", "items": [{"look": "Two Columns"}]}),
    )]);
    let mut types = SlotTypes::default();
    let look = json!({"enum": ["Wide Screen", "Two Columns"]});
    let items = json!({"type": "array", "items": {"properties": {"look": look}}});
    types.insert(
        "text",
        true,
        json!({"properties": {"title": {"type": "string"}, "look": look, "items": items}}),
    );
    let known = PlanOptions { types, ..PlanOptions::default() };
    let unknown = PlanOptions::default();
    for (data, with_schema, by_looks) in [
        (json!({"title": "menu", "look": "x"}), "1*", "1 +0"),
        (json!({"title": "x", "look": "Wide Screen"}), "1 +0", "1*"),
        (json!({"title": "x", "items": [{"look": "Two Columns"}]}), "1 +0", "1*"),
    ] {
        let file = file(&[json!(["text", data])]);
        assert_eq!(outcome(&plan_of(&page, &file, &known).unwrap()), with_schema, "{data}");
        assert_eq!(outcome(&plan_of(&page, &file, &unknown).unwrap()), by_looks, "{data}");
    }
}

#[test]
fn requests_are_counted_as_they_are_batched() {
    let buttons =
        |range: std::ops::Range<u32>| range.map(|n| json!(["button", a(n)])).collect::<Vec<_>>();
    let slots = |range: std::ops::Range<u32>| {
        page(&range.map(|n| (i64::from(n) + 1, "button", a(n))).collect::<Vec<_>>())
    };
    let edited = |range: std::ops::Range<u32>| {
        range.map(|n| json!(["button", with(a(n), "title", "x")])).collect::<Vec<_>>()
    };
    for (page, items, requests, summary) in [
        (slots(0..3), buttons(0..3), (1, 1), "no changes"),
        (
            slots(0..3),
            edited(0..1).into_iter().chain(buttons(1..3)).collect(),
            (3, 4),
            "1 to update",
        ),
        (vec![], buttons(0..500), (12, 12), "500 to create"),
        (slots(0..120), edited(0..120), (5, 8), "120 to update"),
        (slots(0..100), buttons(0..49), (6, 6), "51 to delete"),
        (slots(0..51), buttons(1..52), (5, 6), "1 to create, 1 to delete"),
        (slots(0..3), buttons(0..3).into_iter().rev().collect(), (3, 4), "order changes"),
        (
            slots(0..2),
            buttons(1..3).into_iter().rev().collect(),
            (5, 7),
            "1 to create, 1 to delete, order changes",
        ),
    ] {
        let plan = plan_of(&page, &file(&items), &prune()).unwrap();
        assert_eq!(plan.to_string(), summary);
        assert_eq!((plan.requests(false), plan.requests(true)), requests, "{summary}");
    }
}

#[test]
fn a_full_page_makes_room_for_exactly_what_does_not_fit() {
    let text = |n: i64| json!({"title": format!("Text {n}")});
    let slots = |len: i64| page(&(0..len).map(|n| (n + 1, "text", text(n))).collect::<Vec<_>>());
    let items = |range: std::ops::Range<i64>| {
        file(&range.map(|n| json!(["text", text(n)])).collect::<Vec<_>>())
    };

    let plan = plan_of(&slots(500), &items(10..510), &prune()).unwrap();
    assert_eq!((plan.make_room, plan.deletes.len(), plan.creates.len()), (10, 10, 10));
    let [PlanBatch::TryCreate(tried), PlanBatch::MakeRoom(room), PlanBatch::Create(created)] =
        plan.batches()[..]
    else {
        panic!("{:?}", plan.batches())
    };
    assert_eq!((tried, created), (&plan.creates[..], &plan.creates[..]));
    assert_eq!(
        room.iter().map(|delete| delete.id).collect::<Vec<_>>(),
        (1..=10).collect::<Vec<_>>()
    );

    let plan = plan_of(&slots(495), &items(10..505), &prune()).unwrap();
    assert_eq!((plan.make_room, plan.deletes.len()), (5, 10));
    assert!(
        matches!(plan.batches()[..], [PlanBatch::TryCreate(_), PlanBatch::MakeRoom(room), PlanBatch::Create(_), PlanBatch::Delete(rest)] if room.len() == 5 && rest.len() == 5)
    );

    let refusal = |page: &[Slot], items: &DesiredPage, options: &PlanOptions| {
        plan_of(page, items, options).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(&[], &items(0..501), &prune()),
        "the page would have 501 slots, but can have at most 500"
    );
    assert_eq!(
        refusal(&slots(500), &items(10..510), &PlanOptions::default()),
        "the page would have 510 slots, but can have at most 500 (10 of them are not in the file)"
    );
    assert!(plan_of(&slots(500), &items(0..490), &PlanOptions::default()).unwrap().is_empty());
}

#[test]
fn the_order_is_resolved_against_the_page_as_it_is_then() {
    let text = |title: &str| json!({"title": title});
    let slots = page(&[(1, "text", text("A")), (2, "text", text("B")), (3, "text", text("C"))]);
    let items = file(&[
        json!(["text", text("C")]),
        json!(["text", text("N")]),
        json!(["text", text("A")]),
        json!(["text", text("M")]),
    ]);
    let plan = plan_of(&slots, &items, &prune()).unwrap();
    assert_eq!(outcome(&plan), "3 +1 1 +3 moved -2");
    for (now, created, expected) in [
        (&[1, 2, 3, 10, 11][..], &[10, 11][..], Some(vec![3, 10, 1, 11, 2])),
        (&[3, 2, 10, 1, 11], &[10, 11], None),
        (&[1, 2, 3, 10, 11, 99], &[10, 11], Some(vec![3, 10, 1, 11, 99, 2])),
        (&[99, 1, 98, 2, 97, 3, 10, 11], &[10, 11], Some(vec![99, 3, 10, 1, 98, 97, 11, 2])),
        (&[1, 3, 10], &[10, 11], Some(vec![3, 10, 1])),
        (&[1, 3], &[], Some(vec![3, 1])),
        (&[], &[], None),
    ] {
        let ids = |ids: &[i64]| ids.iter().copied().map(SlotId::new).collect::<Vec<_>>();
        let order = plan.resolve_order(&ids(now), &plan.made(&ids(created)));
        assert_eq!(order, expected.map(|order| ids(&order)), "{now:?}");
    }
}

#[test]
fn the_result_of_a_merge_is_matched_by_ids_alone() {
    let text = |title: &str| json!({"title": title});
    let slots = page(&[(1, "text", text("A")), (2, "text", text("B")), (3, "text", text("C"))]);
    let file: DesiredPage = serde_json::from_value(json!({"slots": [
        {"id": 3, "type": "text", "data": text("New")},
        {"type": "text", "data": text("A")},
    ]}))
    .unwrap();
    let bound = [(4, Some(3.into())), (7, None)];
    let bound = bound.map(|(item, slot)| BoundItem { item, slot }).into();
    let wanted = Wanted { bound, ..Wanted::by_id(file, [2.into()].into()) };
    let mut options = prune();
    let plan = Plan::new(&slots, &wanted, &options).unwrap();
    // Slot 1 has the content of the new item, but the merge did not say that it is the same; nor was it deleted.
    assert_eq!(outcome(&plan), "1 3* +7 -2");
    assert_eq!((plan.updates[0].index, plan.kept.len()), (4, 1));
    // An interrupted run created the slot of the new item.
    let slots = page(&[(1, "text", text("A")), (3, "text", text("New")), (9, "text", text("A"))]);
    let made = wanted.clone().with_created(&slots, &[(7, 9.into())].into(), &options.types);
    let plan = Plan::new(&slots, &made, &options).unwrap();
    assert!(plan.is_empty(), "{plan}");
    options.created = [(7, 8.into())].into();
    let plan = Plan::new(&slots, &wanted, &options).unwrap();
    assert_eq!(plan.notices, [Notice::RemovedSince { index: 7, id: 8.into() }]);
}
