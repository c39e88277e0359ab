//! Tests of the reverse of a run, as a function of its journal and the page.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::apply::journal::{Journal, JournalEntry, RecordedPlan};
use crate::apply::{
    DesiredSlot, JournalEntries, JournalStore, NotRestored, PageSnapshot, Plan, PlannedCreate,
    PlannedDelete, PlannedFields, PlannedUpdate, RunCommand, RunHeader, SlotRef, SlotTypes, Undo,
    UndoConflict, UndoFacts,
};
use links_sdk::{Object, Outcome, Slot, SlotId};

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

fn slots(value: Value) -> Vec<Slot> {
    serde_json::from_value(value).unwrap()
}

fn text(id: i64, title: &str) -> Value {
    json!({ "id": id, "type": "text", "data": { "title": title }, "supported": true })
}

/// Returns the journal of a run that carried out its plan; with `doubt`, of one whose last request was lost.
fn run(plan: &Plan, created: &[(usize, SlotId)], doubt: bool) -> JournalEntries {
    run_of(RecordedPlan { plan: plan.clone(), ..RecordedPlan::default() }, created, doubt)
}

fn run_of(recorded: RecordedPlan, created: &[(usize, SlotId)], doubt: bool) -> JournalEntries {
    let plan = recorded.plan.clone();
    let state = tempfile::tempdir().unwrap();
    let store = JournalStore::of_commands(state.path(), "service");
    let header = RunHeader::of_command(
        "service",
        RunCommand::default(),
        (7, "cafe"),
        SystemTime::UNIX_EPOCH,
    );
    let entry = JournalEntry::Plan(Box::new(recorded));
    let types = SlotTypes::default();
    let mut journal = store.open(None, header, None, &types, |it| it.append(entry)).unwrap();
    let batches = plan.batches().len();
    for step in 0..batches {
        journal.begin(step, None).unwrap();
        if doubt && step + 1 == batches {
            journal.failed(step, Outcome::Unknown);
        } else {
            journal.end(step, created.iter().copied().collect(), plan.deletes.len(), None);
        }
    }
    if !doubt {
        journal.commit(0);
    }
    store.list().unwrap().remove(0).log.unwrap()
}

fn undo(run: &JournalEntries, before: Option<&[Value]>, now: &[Value], overwrite: bool) -> Undo {
    let before: Option<Vec<DesiredSlot>> = before.map(|slots| {
        let item =
            |slot: &Value| json!({ "id": slot["id"], "type": slot["type"], "data": slot["data"] });
        slots.iter().map(|slot| serde_json::from_value(item(slot)).unwrap()).collect()
    });
    let options = UndoFacts {
        types: &SlotTypes::default(),
        before: before.as_deref(),
        recreated: &BTreeMap::new(),
        unplaced: &BTreeSet::new(),
        overwrite,
    };
    Undo::of(run, &slots(json!(now)), &Object::default(), &options)
}

fn update(id: SlotId, before: Value, changed: Value) -> Plan {
    let (before, changed) = (object(before), object(changed));
    let kind = "text".to_owned();
    let update = PlannedUpdate { id, index: 0, kind, label: None, changed, before };
    Plan { updates: vec![update], ..Plan::default() }
}

fn delete(id: SlotId) -> PlannedDelete {
    PlannedDelete { id, kind: "text".to_owned(), label: None }
}

#[test]
fn values_are_restored_unless_they_were_changed_since() {
    let plan = update(1.into(), json!({ "title": "A" }), json!({ "title": "B", "note": "x" }));
    let now = |title: &str| json!({ "id": 1, "type": "text", "data": { "title": title, "note": "x" }, "supported": true });
    for doubt in [false, true] {
        let run = run(&plan, &[], doubt);
        let plain = undo(&run, None, &[now("B"), text(2, "other")], false);
        assert_eq!(plain.desired.slots[0].data, object(json!({ "title": "A", "note": null })));
        assert!(plain.desired.slots[1].data.is_empty() && plain.conflicts.is_empty());
        let again = undo(&run, None, &[text(1, "A")], false);
        assert!(again.conflicts.is_empty(), "it is as it was: {again:?}");
        let edited = undo(&run, None, &[now("C")], false);
        let [UndoConflict::Edited { id, key, left, now: shown, .. }] = &edited.conflicts[..] else {
            panic!("{edited:?}")
        };
        assert_eq!(*id, 1);
        assert_eq!((key.as_str(), left, shown), ("title", &json!("B"), &json!("C")));
        let forced = undo(&run, None, &[now("C")], true);
        assert!(forced.conflicts.is_empty());
        assert_eq!(forced.desired.slots[0].data["title"], "A");
    }
}

#[test]
fn a_deleted_slot_comes_back_between_its_neighbours() {
    let plan = Plan { deletes: vec![delete(2.into()), delete(3.into())], ..Plan::default() };
    let before = [text(1, "A"), text(2, "B"), text(3, "C"), text(4, "D")];
    let run = run(&plan, &[], false);
    let undo = undo(&run, Some(&before), &[text(9, "new"), text(1, "A"), text(4, "D")], false);
    let titles: Vec<_> =
        undo.desired.slots.iter().map(|slot| (slot.id, slot.data.get("title").cloned())).collect();
    assert_eq!(
        titles,
        [
            (Some(9.into()), None),
            (Some(1.into()), None),
            (None, Some("B".into())),
            (None, Some("C".into())),
            (Some(4.into()), None)
        ]
    );
    assert_eq!(undo.recreates, BTreeMap::from([(2, 2.into()), (3, 3.into())]));
}

#[test]
fn what_others_edited_before_a_later_plan_deleted_it_comes_back() {
    let state = tempfile::tempdir().unwrap();
    let store = JournalStore::of_commands(state.path(), "service");
    let command = RunCommand::default();
    let header = RunHeader::of_command("service", command, (7, "cafe"), SystemTime::UNIX_EPOCH);
    let page = |slots: &[Value]| {
        PageSnapshot::not_yet("cafe".to_owned()).with_slots(self::slots(json!(slots)))
    };
    let before = [text(1, "A"), text(2, "B"), text(4, "D")];
    let rewrite = update(1.into(), json!({ "title": "A" }), json!({ "title": "B", "note": "x" }));
    let types = SlotTypes::default();
    let write = |it: &mut Journal| it.plan(&rewrite, &page(&before), None);
    let mut journal = store.open(None, header, None, &types, write).unwrap();
    journal.begin(0, None).unwrap();
    journal.end(0, BTreeMap::new(), 0, None);
    let edited = json!({ "title": "B", "note": "x", "link": "theirs" });
    let edited = json!({ "id": 1, "type": "text", "data": edited, "supported": true });
    let remove = Plan { deletes: [1, 2, 3].map(|id| delete(id.into())).into(), ..Plan::default() };
    let now = [edited, text(2, "theirs"), text(3, "theirs"), text(4, "D")];
    journal.plan(&remove, &page(&now), None).unwrap();
    journal.begin(0, None).unwrap();
    journal.end(0, BTreeMap::new(), 3, None);
    journal.commit(1);
    let run = store.list().unwrap().remove(0).log.unwrap();
    let undo = undo(&run, Some(&before), &[text(4, "D")], false);
    let made = undo.desired.slots.iter().map(|slot| json!(slot.data)).collect::<Vec<_>>();
    let [whole, theirs] = [json!({ "title": "A", "link": "theirs" }), json!({ "title": "theirs" })];
    assert_eq!(made, [whole, theirs.clone(), json!({}), theirs]);
    assert!(undo.not_restored.is_empty() && undo.conflicts.is_empty(), "{undo:?}");
}

#[test]
fn a_deleted_slot_that_came_again_is_not_made_twice() {
    let plan = Plan { deletes: vec![delete(2.into()), delete(3.into())], ..Plan::default() };
    let before = [text(1, "A"), text(2, "B"), text(3, "B")];
    let run = run(&plan, &[], false);
    let recreated = |now: &[Value]| {
        let undo = undo(&run, Some(&before), now, false);
        undo.recreates.into_values().collect::<Vec<_>>()
    };
    let both = [SlotId::from(2), SlotId::from(3)];
    assert_eq!(recreated(&[text(1, "A")]), both);
    assert_eq!(recreated(&[text(1, "A"), text(7, "C")]), both);
    assert_eq!(recreated(&[text(1, "B"), text(7, "B")]), both[1..]);
    assert!(recreated(&[text(1, "A"), text(7, "B"), text(8, "B")]).is_empty());
}

#[test]
fn what_was_made_again_counts_as_new_only_if_it_was_not_there_before_the_run() {
    let plan = Plan { deletes: vec![delete(2.into())], ..Plan::default() };
    let run = run(&plan, &[], false);
    let before: Vec<DesiredSlot> =
        serde_json::from_value(json!([{ "id": 2, "type": "text", "data": { "title": "B" } }]))
            .unwrap();
    for (earlier, is_made) in [(1, true), (9, false)] {
        let recreated =
            BTreeMap::from([(SlotId::from(earlier), 11.into()), (11.into(), 12.into())]);
        let facts = UndoFacts {
            types: &SlotTypes::default(),
            before: Some(&before),
            recreated: &recreated,
            unplaced: &BTreeSet::new(),
            overwrite: false,
        };
        let now = slots(json!([text(12, "B")]));
        let undo = Undo::of(&run, &now, &Object::default(), &facts);
        assert_eq!(!undo.recreates.is_empty(), is_made, "{earlier}");
    }
}

#[test]
fn a_deleted_slot_that_came_again_is_known_beside_what_the_service_computes() {
    let plan = Plan { deletes: vec![delete(2.into())], ..Plan::default() };
    let run = run(&plan, &[], false);
    let mut types = SlotTypes::default();
    let properties = json!({ "title": { "type": "string" }, "html": { "readOnly": true } });
    types.insert("text", true, json!({ "properties": properties }));
    let before = json!([{ "id": 2, "type": "text", "data": { "title": "B" } }]);
    let before: Vec<DesiredSlot> = serde_json::from_value(before).unwrap();
    let facts = UndoFacts {
        types: &types,
        before: Some(&before),
        recreated: &BTreeMap::new(),
        unplaced: &BTreeSet::new(),
        overwrite: false,
    };
    let data = json!({ "title": "B", "html": "<p>B</p>" });
    let now = json!([{ "id": 7, "type": "text", "data": data, "supported": true }]);
    let undo = Undo::of(&run, &slots(now), &Object::default(), &facts);
    assert!(undo.recreates.is_empty(), "{undo:?}");
}

#[test]
fn without_a_backup_a_deleted_slot_is_lost() {
    let run = run(&Plan { deletes: vec![delete(2.into())], ..Plan::default() }, &[], false);
    let undo = undo(&run, None, &[text(1, "A")], false);
    assert_eq!(undo.not_restored, [NotRestored::Slot { id: 2.into(), kind: "text".to_owned() }]);
}

#[test]
fn a_created_slot_is_deleted_unless_it_was_edited() {
    let create = PlannedCreate {
        index: 0,
        kind: "text".to_owned(),
        data: object(json!({ "title": "N" })),
        order: None,
    };
    let plan = Plan { creates: vec![create], ..Plan::default() };
    let sure = run(&plan, &[(0, 5.into())], false);
    let plain = undo(&sure, None, &[text(1, "A"), text(5, "N")], false);
    assert_eq!((&plain.deletes, plain.desired.slots.len()), (&BTreeSet::from([5.into()]), 1));
    let edited = undo(&sure, None, &[text(1, "A"), text(5, "M")], false);
    assert_eq!(edited.conflicts.len(), 1);
    let gone = undo(&sure, None, &[text(1, "A")], false);
    assert!(gone.deletes.is_empty() && gone.conflicts.is_empty());

    let doubtful = run(&plan, &[], true);
    let unknown = undo(&doubtful, None, &[text(1, "N"), text(5, "N")], false);
    assert!(unknown.deletes.is_empty(), "an older slot may hold the same");
    assert_eq!(unknown.not_restored, [NotRestored::Create { kind: "text".to_owned() }]);
    let found = undo(&doubtful, Some(&[text(1, "N")]), &[text(1, "N"), text(5, "N")], false);
    assert_eq!(found.deletes, BTreeSet::from([5.into()]));
}

#[test]
fn an_order_is_restored_unless_slots_were_moved_since() {
    let order = [3, 1, 2].map(|id| SlotRef::Existing(id.into())).to_vec();
    let run = run(&Plan { order, reorder: true, ..Plan::default() }, &[], false);
    let before = [text(1, "A"), text(2, "B"), text(3, "C")];
    let page = |ids: &[i64]| ids.iter().map(|id| text(*id, "x")).collect::<Vec<_>>();
    let ids =
        |undo: &Undo| undo.desired.slots.iter().filter_map(|slot| slot.id).collect::<Vec<_>>();
    assert_eq!(ids(&undo(&run, Some(&before), &page(&[3, 9, 1, 2]), false)), [1, 2, 3, 9]);
    assert!(undo(&run, Some(&before), &page(&[1, 2, 3]), false).conflicts.is_empty());
    let moved = undo(&run, Some(&before), &page(&[2, 3, 1]), false);
    assert_eq!(
        moved.conflicts,
        [UndoConflict::Moved {
            left: vec![3.into(), 1.into(), 2.into()],
            now: vec![2.into(), 3.into(), 1.into()]
        }]
    );
    assert_eq!(ids(&undo(&run, Some(&before), &page(&[2, 3, 1]), true)), [1, 2, 3]);
}

#[test]
fn fields_are_restored_and_those_that_no_file_has_are_named() {
    let fields = PlannedFields {
        changed: object(json!({ "title": "B", "languageId": 2, "moodText": "Open" })),
        before: object(json!({ "title": "A", "languageId": 1 })),
    };
    let run = run(&Plan { fields, ..Plan::default() }, &[], false);
    let types = SlotTypes::default();
    let recreated = BTreeMap::new();
    let options = UndoFacts {
        types: &types,
        before: None,
        recreated: &recreated,
        unplaced: &BTreeSet::new(),
        overwrite: false,
    };
    let of = |title: &str| {
        let page = object(json!({ "title": title, "moodText": "Open" }));
        Undo::of(&run, &[], &page, &options)
    };
    let plain = of("B");
    assert_eq!(plain.desired.fields, object(json!({ "title": "A", "moodText": null })));
    assert_eq!(plain.not_restored, [NotRestored::Field { name: "languageId".to_owned() }]);
    assert_eq!(of("C").conflicts.len(), 1);
    assert!(of("A").conflicts.is_empty());
}

#[test]
fn a_status_that_had_expired_is_cleared_and_that_of_another_client_stays_whole() {
    let status = |text: &str, hours: u32| object(json!({ "moodText": text, "moodHours": hours }));
    let wrote =
        |changed, before| Plan { fields: PlannedFields { changed, before }, ..Plan::default() };
    let plan = wrote(status("Open", 4), status("Sale", 1));
    let (types, recreated, unplaced) = (SlotTypes::default(), BTreeMap::new(), BTreeSet::new());
    let undo_of = |plan: &Plan, had_expired_mood: bool, page: &Object, overwrite: bool| {
        let recorded = RecordedPlan { plan: plan.clone(), had_expired_mood, ..Default::default() };
        let facts = UndoFacts {
            types: &types,
            before: None,
            recreated: &recreated,
            unplaced: &unplaced,
            overwrite,
        };
        Undo::of(&run_of(recorded, &[], false), &[], page, &facts)
    };
    let undo = |had_expired_mood, page: &Object, overwrite| {
        undo_of(&plan, had_expired_mood, page, overwrite)
    };
    let none = object(json!({ "moodText": null, "moodHours": null }));
    let cleared = undo(true, &status("Open", 4), false);
    assert_eq!((cleared.desired.fields, cleared.conflicts.len()), (none.clone(), 0));
    assert_eq!(cleared.not_restored, [NotRestored::ExpiredStatus]);
    let shown = undo(false, &status("Open", 4), false);
    assert_eq!((shown.desired.fields, shown.not_restored.len()), (status("Sale", 1), 0));
    let as_before = undo(true, &status("Sale", 1), false);
    assert_eq!((as_before.desired.fields, as_before.not_restored.len()), (status("Sale", 1), 0));
    let theirs = undo(true, &status("Theirs", 4), false);
    assert_eq!((theirs.desired.fields, theirs.conflicts.len()), (Object::default(), 1));
    assert_eq!(undo(true, &status("Theirs", 4), true).desired.fields, none);
    let renewed = wrote(status("Sale", 1), status("Sale", 1));
    assert_eq!(undo_of(&renewed, true, &status("Sale", 1), false).desired.fields, none);
    let hours = |hours: u32| object(json!({ "moodHours": hours }));
    let hours_alone = undo_of(&wrote(hours(4), hours(1)), true, &status("Sale", 4), false);
    assert_eq!(hours_alone.desired.fields, Object::default());
    assert_eq!(hours_alone.not_restored, [NotRestored::Field { name: "moodHours".to_owned() }]);
}

#[test]
fn a_slot_that_was_created_again_is_found_under_its_new_id() {
    let plan = update(1.into(), json!({ "title": "A" }), json!({ "title": "B" }));
    let run = run(&plan, &[], false);
    let recreated = BTreeMap::from([(1.into(), 5.into()), (5.into(), 8.into())]);
    let types = SlotTypes::default();
    let options = UndoFacts {
        types: &types,
        before: None,
        recreated: &recreated,
        unplaced: &BTreeSet::new(),
        overwrite: false,
    };
    let undo = Undo::of(&run, &slots(json!([text(8, "B")])), &Object::default(), &options);
    assert!(undo.conflicts.is_empty());
    assert_eq!(undo.desired.slots[0].data["title"], "A");
}
