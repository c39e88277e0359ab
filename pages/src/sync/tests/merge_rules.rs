//! Rules of the merge, by example.

use serde_json::{Value, json};

use super::examples::{base_of, file, page, synced};
use crate::apply::{Plan, PlanOptions};
use crate::sync::{
    Conflict, DeletionReason, FilePage, HashPair, LivePage, Merge, PageBase, RemoteChange,
    Replaced, SyncNote,
};

fn merge(base: &PageBase, file: &FilePage, page: &LivePage) -> Merge {
    merge_with(Some(base), file, page, &PlanOptions::default())
}

fn overwrite(base: &PageBase, file: &FilePage, page: &LivePage) -> Merge {
    let options = PlanOptions { overwrite: true, ..PlanOptions::default() };
    merge_with(Some(base), file, page, &options)
}

fn merge_with(
    base: Option<&PageBase>,
    file: &FilePage,
    page: &LivePage,
    options: &PlanOptions,
) -> Merge {
    Merge::new(base, file, page, options).unwrap()
}

fn plan(merge: &Merge, page: &LivePage) -> Plan {
    let options = PlanOptions::default();
    Plan::new(&page.slots, &merge.wanted(), &options).unwrap()
}

fn menu(title: &str) -> Value {
    json!(["button", {"title": title, "link": "https://a.example"}])
}

fn live_menu(title: &str) -> (i64, Value) {
    (1, menu(title))
}

#[test]
fn a_value_changed_here_is_written_and_one_changed_there_is_kept() {
    let base = synced(&[live_menu("Menu")]);
    let here = merge(&base, &file(&[menu("Our menu")]), &page(&[live_menu("Menu")]));
    let there = merge(&base, &file(&[menu("Menu")]), &page(&[live_menu("Their menu")]));
    assert_eq!(json!(here.desired.slots[0].data), json!({"title": "Our menu"}));
    assert_eq!(plan(&here, &page(&[live_menu("Menu")])).updates.len(), 1);
    assert!(plan(&there, &page(&[live_menu("Their menu")])).is_empty());
    let expected = RemoteChange::Key {
        item: 0,
        id: 1.into(),
        key: "title".into(),
        file: json!("Menu"),
        page: json!("Their menu"),
    };
    assert_eq!(there.remote, [expected]);
    assert!(here.remote.is_empty() && here.conflicts.is_empty() && there.conflicts.is_empty());
}

#[test]
fn different_changes_of_one_value_are_a_conflict_that_overwrite_settles() {
    let base = synced(&[live_menu("Menu")]);
    let (file, page) = (file(&[menu("Our menu")]), page(&[live_menu("Their menu")]));
    let found = merge(&base, &file, &page);
    let expected = Conflict::Value {
        slot: Some((0, 1.into())),
        key: "title".into(),
        file: json!("Our menu"),
        page: json!("Their menu"),
        recorded: true,
    };
    assert_eq!(found.conflicts, [expected]);
    let settled = overwrite(&base, &file, &page);
    assert!(settled.conflicts.is_empty());
    assert_eq!(settled.desired.slots[0].data["title"], "Our menu");
    assert!(matches!(settled.replaced[..], [Replaced::Key { item: 0, id, .. }] if id == 1));
}

#[test]
fn the_same_change_on_both_sides_is_nothing() {
    let base = synced(&[live_menu("Menu")]);
    let (file, page) = (file(&[menu("Our menu")]), page(&[live_menu(" Our menu")]));
    let found = merge(&base, &file, &page);
    assert!(found.conflicts.is_empty() && found.remote.is_empty());
    assert!(plan(&found, &page).is_empty());
    let next = base_of(&found, Some(&base), &file, &page);
    assert_eq!(
        next.slots[0].pair("title"),
        crate::sync::HashPair::of(crate::sync::ValueHash::of(&json!("Our menu")))
    );
}

#[test]
fn a_value_that_the_service_normalises_is_no_difference() {
    let file = file(&[json!(["button", {"title": "Menu", "link": "a.example"}])]);
    let there = page(&[(
        1,
        json!(["button", {"title": "Menu", "link": "https://a.example", "style": "primary"}]),
    )]);
    let first = merge_with(None, &file, &page(&[]), &PlanOptions::default());
    let base = first.base_after(
        None,
        &file,
        &there,
        &[(0, 1.into())].into(),
        &PlanOptions::default().types,
    );
    let found = merge(&base, &file, &there);
    assert!(plan(&found, &there).is_empty() && found.remote.is_empty());
    // The service's default is not in the file, and is no drift when it changes.
    let other = page(&[(
        1,
        json!(["button", {"title": "Menu", "link": "https://a.example", "style": "bold"}]),
    )]);
    assert!(merge(&base, &file, &other).remote.is_empty());
}

#[test]
fn a_key_removed_from_the_file_stays_on_the_page_and_is_noted_once() {
    let base = synced(&[live_menu("Menu")]);
    let (shorter, there) =
        (file(&[json!(["button", {"title": "Menu"}])]), page(&[live_menu("Menu")]));
    let found = merge(&base, &shorter, &there);
    assert_eq!(found.notes, [SyncNote::KeyStays { item: 0, id: 1.into(), key: "link".into() }]);
    assert!(plan(&found, &there).is_empty());
    let next = base_of(&found, Some(&base), &shorter, &there);
    assert!(
        next.slots[0].pair("link").file.is_none() && !next.slots[0].pair("link").page.is_empty()
    );
    assert!(merge(&next, &shorter, &there).notes.is_empty());
    // Mentioned again: written, unless another client changed it meanwhile.
    let again = file(&[json!(["button", {"title": "Menu", "link": "https://b.example"}])]);
    assert_eq!(merge(&next, &again, &there).desired.slots[0].data["link"], "https://b.example");
    let changed = page(&[(1, json!(["button", {"title": "Menu", "link": "https://c.example"}]))]);
    assert!(matches!(merge(&next, &again, &changed).conflicts[..], [Conflict::Value { .. }]));
}

#[test]
fn an_item_deleted_here_deletes_its_slot_unless_that_changed_there() {
    let slots = [live_menu("Menu"), (2, json!(["text", {"title": "Hours"}]))];
    let base = synced(&slots);
    let shorter = file(&[menu("Menu")]);
    let found = merge(&base, &shorter, &page(&slots));
    assert_eq!(found.deletions.len(), 1);
    assert_eq!(
        (found.deletions[0].id, found.deletions[0].reason),
        (2.into(), DeletionReason::DeletedHere)
    );
    assert_eq!(plan(&found, &page(&slots)).deletes[0].id, 2);
    // A key that the file never mentioned counts, too.
    let changed =
        page(&[live_menu("Menu"), (2, json!(["text", {"title": "Hours", "note": "new"}]))]);
    let refused = merge(&base, &shorter, &changed);
    assert!(
        matches!(&refused.conflicts[..], [Conflict::DeletedHere { id, keys, .. }] if *id == 2 && keys == &["note"])
    );
    let settled = overwrite(&base, &shorter, &changed);
    assert_eq!(settled.deletions[0].reason, DeletionReason::ChangedThere);
    // Deleted on both sides.
    let both = merge(&base, &shorter, &page(&[live_menu("Menu")]));
    assert!(both.deletions.is_empty() && both.conflicts.is_empty() && both.remote.is_empty());
}

#[test]
fn a_slot_deleted_there_is_not_created_again() {
    let slots = [live_menu("Menu"), (2, json!(["text", {"title": "Hours"}]))];
    let base = synced(&slots);
    let whole = file(&[menu("Menu"), json!(["text", {"title": "Hours"}])]);
    let there = page(&[live_menu("Menu")]);
    let found = merge(&base, &whole, &there);
    assert_eq!(found.remote, [RemoteChange::Deleted { item: 1, id: 2.into() }]);
    assert!(plan(&found, &there).is_empty());
    let next = base_of(&found, Some(&base), &whole, &there);
    assert_eq!(next, base, "it stays in the record until its item goes");
    let settled = overwrite(&base, &whole, &there);
    assert_eq!(plan(&settled, &there).creates.len(), 1);
    assert_eq!(settled.replaced, [Replaced::Deletion { item: 1, id: 2.into() }]);
    // An item that was edited here is in conflict.
    let edited = file(&[menu("Menu"), json!(["text", {"title": "Opening hours"}])]);
    assert!(matches!(
        merge(&base, &edited, &there).conflicts[..],
        [Conflict::DeletedThere { item: 1, id, .. }] if id == 2
    ));
    let next = base_of(
        &merge(&base, &file(&[menu("Menu")]), &there),
        Some(&base),
        &file(&[menu("Menu")]),
        &there,
    );
    assert_eq!(next.slots.len(), 1);
}

#[test]
fn a_slot_made_there_is_kept_and_listed_and_prune_deletes_it() {
    let base = synced(&[live_menu("Menu")]);
    let there = page(&[live_menu("Menu"), (2, json!(["text", {"title": "Hours"}]))]);
    let found = merge(&base, &file(&[menu("Menu")]), &there);
    assert!(matches!(found.remote[..], [RemoteChange::Made { id, .. }] if id == 2));
    assert!(plan(&found, &there).is_empty());
    let next = base_of(&found, Some(&base), &file(&[menu("Menu")]), &there);
    assert_eq!(next.slots.len(), 1, "it enters the record by a pull alone");
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let pruned = merge_with(Some(&base), &file(&[menu("Menu")]), &there, &options);
    assert_eq!(
        (pruned.deletions[0].id, pruned.deletions[0].reason),
        (2.into(), DeletionReason::MadeThere)
    );
    assert!(overwrite(&base, &file(&[menu("Menu")]), &there).deletions.is_empty());
}

#[test]
fn a_slot_like_one_that_the_file_still_has_is_not_pruned() {
    // Others deleted the slot of the item and made it again with another link.
    let base = synced(&[live_menu("Menu"), (2, json!(["text", {"title": "Hours"}]))]);
    let said = file(&[menu("Menu"), json!(["text", {"title": "Hours"}])]);
    let again = json!(["button", {"title": "Menu", "link": "https://b.example"}]);
    let there = page(&[(2, json!(["text", {"title": "Hours"}])), (3, again)]);
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let merge = merge_with(Some(&base), &said, &there, &options);
    assert!(merge.deletions.is_empty(), "{:?}", merge.deletions);
    assert!(matches!(merge.remote[..], [
        RemoteChange::Deleted { item: 0, .. },
        RemoteChange::Made { id, .. },
    ] if id == 3));
    assert_eq!(plan(&merge, &there).kept.len(), 1);
}

#[test]
fn what_was_made_there_can_be_kept_whatever_is_pruned() {
    let base = synced(&[live_menu("Menu")]);
    let mut there = page(&[live_menu("Menu"), (2, menu("New")), (3, menu("Legacy"))]);
    there.slots[2].supported = false;
    let options = PlanOptions { prune: true, prune_unsupported: true, ..PlanOptions::default() };
    let mut merge = merge_with(Some(&base), &file(&[]), &there, &options);
    assert_eq!(merge.deletions.iter().map(|it| it.id).collect::<Vec<_>>(), [1, 2, 3]);
    merge.keep_made();
    assert_eq!(merge.deletions.iter().map(|it| it.id).collect::<Vec<_>>(), [1]);
    assert!(merge.remote.iter().all(|it| matches!(it, RemoteChange::Made { .. })));
    assert_eq!((merge.remote.len(), merge.wanted().deleted.len()), (2, 1));
}

#[test]
fn the_order_is_one_value() {
    let text = |title: &str| json!(["text", {"title": title}]);
    let slot = |id: i64, title: &str| (id, text(title));
    let (a, b, c) = (slot(1, "A a"), slot(2, "B b"), slot(3, "C c"));
    let base = synced(&[a.clone(), b.clone(), c.clone()]);
    let same = file(&[text("A a"), text("B b"), text("C c")]);
    let moved = file(&[text("C c"), text("A a"), text("B b")]);
    let there = page(&[b.clone(), a.clone(), c.clone()]);
    let ids = |plan: &Plan| json!(plan.order);
    // Changed here.
    let page_as_synced = page(&[a.clone(), b.clone(), c.clone()]);
    let found = merge(&base, &moved, &page_as_synced);
    assert_eq!(
        ids(&plan(&found, &page_as_synced)),
        json!([{"existing": 3}, {"existing": 1}, {"existing": 2}])
    );
    // Changed there: kept; new items follow the item before them.
    let more = file(&[text("A a"), text("N n"), text("B b"), text("C c")]);
    let found = merge(&base, &more, &there);
    assert!(matches!(found.remote[..], [RemoteChange::Order { .. }]));
    assert_eq!(
        ids(&plan(&found, &there)),
        json!([{"existing": 2}, {"existing": 1}, {"created": 0}, {"existing": 3}])
    );
    // Both.
    let found = merge(&base, &moved, &there);
    assert!(matches!(found.conflicts[..], [Conflict::Order { .. }]));
    assert!(plan(&merge(&base, &same, &page_as_synced), &page_as_synced).is_empty());
    let settled = overwrite(&base, &moved, &there);
    assert_eq!(
        ids(&plan(&settled, &there)),
        json!([{"existing": 3}, {"existing": 1}, {"existing": 2}])
    );
}

#[test]
fn profile_fields_follow_the_same_table() {
    let with = |value: Value| {
        let mut file = file(&[]);
        file.fields = serde_json::from_value(value).unwrap();
        file
    };
    let live = |value: Value| {
        let mut page = page(&[]);
        page.fields = serde_json::from_value(value).unwrap();
        page
    };
    let links = json!(["https://a.example", "https://b.example"]);
    let (said, held) = (
        with(json!({"title": "Cafe", "socials": links})),
        live(json!({"title": "Cafe", "socials": links, "avatar": null})),
    );
    let base =
        base_of(&merge_with(None, &said, &held, &PlanOptions::default()), None, &said, &held);
    assert_eq!(base.fields["avatar"], HashPair::UNMENTIONED);
    let ours = with(json!({"title": "Our cafe", "socials": links}));
    let theirs =
        live(json!({"title": "Cafe", "socials": ["https://b.example"], "avatar": "uploads/a.png"}));
    let found = merge(&base, &ours, &theirs);
    assert_eq!(json!(found.fields), json!({"title": "Our cafe"}));
    assert!(matches!(&found.remote[..], [RemoteChange::Field { key, .. }] if key == "socials"));
    let next = base_of(
        &found,
        Some(&base),
        &ours,
        &live(
            json!({"title": "Our cafe", "socials": ["https://b.example"], "avatar": "uploads/a.png"}),
        ),
    );
    assert_eq!(
        next.fields["socials"], base.fields["socials"],
        "a value that was kept keeps its pair"
    );
    assert_eq!(next.fields["avatar"], base.fields["avatar"]);
    let conflict = merge(
        &base,
        &ours,
        &live(json!({"title": "Their cafe", "socials": links, "avatar": null})),
    );
    assert!(
        matches!(&conflict.conflicts[..], [Conflict::Value { slot: None, key, .. }] if key == "title")
    );
    let removed = merge(&base, &with(json!({"title": "Cafe"})), &held);
    assert_eq!(removed.notes, [SyncNote::FieldStays { key: "socials".into() }]);
    // A field that was never read has no record: the file wins, and the value is listed.
    let first = merge(
        &base,
        &with(json!({"title": "Cafe", "socials": links, "languageCode": "kk"})),
        &live(json!({"title": "Cafe", "socials": links, "languageCode": "ru"})),
    );
    assert_eq!(json!(first.fields), json!({"languageCode": "kk"}));
    assert_eq!(first.replaced, [Replaced::Field { key: "languageCode".into(), page: json!("ru") }]);
}

#[test]
fn without_a_record_the_file_wins_and_nothing_is_deleted() {
    let said = file(&[menu("Our menu"), json!(["divider", {}])]);
    let there = page(&[live_menu("Menu"), (2, json!(["text", {"title": "Hours"}]))]);
    let found = merge_with(None, &said, &there, &PlanOptions::default());
    let plan = plan(&found, &there);
    assert_eq!((plan.updates.len(), plan.creates.len(), plan.deletes.len()), (1, 1, 0));
    assert!(
        matches!(&found.replaced[..], [Replaced::Key { id, key, .. }] if *id == 1 && key == "title")
    );
    assert!(found.conflicts.is_empty());
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let pruned = merge_with(None, &said, &there, &options);
    assert_eq!(pruned.deletions.iter().map(|it| it.id).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_merge_that_overwrites_says_what_the_file_says() {
    let base = synced(&[live_menu("Menu")]);
    let there = page(&[live_menu("Their menu"), (2, json!(["divider", {}]))]);
    let options = PlanOptions { overwrite: true, ..PlanOptions::default() };
    let found = merge_with(Some(&base), &file(&[menu("Menu")]), &there, &options);
    assert_eq!(found.desired.slots[0].data["title"], "Menu");
    assert!(matches!(found.remote[..], [RemoteChange::Made { id, .. }] if id == 2));
}

#[test]
fn slots_that_cannot_be_edited_have_only_a_place() {
    let slots = [
        (1, json!(["event", {"title": "Concert"}])),
        (2, json!(["oldmap", {"zoom": 3}])),
        live_menu_as(3),
    ];
    let there = page(&slots);
    let said = file(&[json!([1, "event", {}]), json!([2, "oldmap", {}]), menu("Menu")]);
    let first = merge_with(None, &said, &there, &PlanOptions::default());
    let base = base_of(&first, None, &said, &there);
    assert!(base.slots[0].keys.is_empty() && base.slots[1].keys.is_empty());
    let without = merge(&base, &file(&[menu("Menu")]), &there);
    assert!(
        without.deletions.is_empty() && without.conflicts.is_empty() && without.remote.is_empty()
    );
    let moved = file(&[menu("Menu"), json!([1, "event", {}]), json!([2, "oldmap", {}])]);
    assert!(plan(&merge(&base, &moved, &there), &there).reorder);
    let changed = page(&[
        (1, json!(["event", {"title": "Concert tonight"}])),
        (2, json!(["oldmap", {"zoom": 4}])),
        live_menu_as(3),
    ]);
    assert!(merge(&base, &said, &changed).remote.is_empty());
}

fn live_menu_as(id: i64) -> (i64, Value) {
    (id, menu("Menu"))
}

#[test]
fn a_reference_that_is_not_resolved_yet_needs_no_upload_where_nothing_changed() {
    let mut said = file(&[json!(["picture", {"image": {"$upload": "5f3c"}, "title": "Cake"}])]);
    let there = page(&[(1, json!(["picture", {"image": "uploads/a.png", "title": "Cake"}]))]);
    said.slots[0].resolved = serde_json::from_value(json!({"image": "uploads/a.png"})).unwrap();
    let first = merge_with(None, &said, &page(&[]), &PlanOptions::default());
    assert_eq!(first.desired.slots[0].data["image"], "uploads/a.png");
    let base = first.base_after(
        None,
        &said,
        &there,
        &[(0, 1.into())].into(),
        &PlanOptions::default().types,
    );
    said.slots[0].resolved.clear();
    assert!(plan(&merge(&base, &said, &there), &there).is_empty());
    said.slots[0].data["image"] = json!({"$upload": "77aa"});
    assert_eq!(
        merge(&base, &said, &there).desired.slots[0].data["image"],
        json!({"$upload": "77aa"})
    );
}

#[test]
fn a_merge_is_data() {
    let base = synced(&[live_menu("Menu")]);
    let found = merge(&base, &file(&[menu("Our menu")]), &page(&[live_menu("Menu")]));
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Merge>(&text).unwrap(), found);
}

#[test]
fn an_order_of_which_nothing_is_known_is_in_conflict() {
    let slot = |id: i64| (id, menu(&format!("Menu {id}")));
    for (here, there) in [
        (vec![1, 2, 3], vec![3, 2, 1]),
        (vec![1, 2, 3], vec![2, 3, 1]),
        (vec![1, 2, 3], vec![2, 1, 3]),
        (vec![3, 1, 2, 4], vec![4, 2, 1, 3]),
    ] {
        let mut base = synced(&here.iter().copied().map(slot).collect::<Vec<_>>());
        let items: Vec<Value> = here.iter().map(|id| slot(*id).1).collect();
        let page = page(&there.iter().copied().map(slot).collect::<Vec<_>>());
        base.forget_order(&page);
        let merged = merge(&base, &file(&items), &page);
        assert!(matches!(merged.conflicts[..], [Conflict::Order { .. }]), "{here:?} {there:?}");
        let mut same = base.clone();
        same.slots.sort_by_key(|entry| there.iter().position(|id| entry.id == *id));
        let agreed = same.clone();
        same.forget_order(&page);
        assert_eq!(same, agreed);
    }
}
