//! Tests of properties that hold for every page and every file.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::service::PageModel;
use super::*;
use links_sdk::Object;
use links_sdk::SlotId;

/// Generates data from few values, so that many are equal; `size` is also filled in by the service.
fn data() -> impl Strategy<Value = Object> {
    let title = select(vec![
        None,
        Some(json!("A a")),
        Some(json!(" A a")),
        Some(json!("B b")),
        Some(json!("menu")),
        Some(json!("")),
    ]);
    let link = select(vec![
        None,
        Some(json!("https://a.example")),
        Some(json!("https://b.example")),
        Some(json!(null)),
    ]);
    let style = select(vec![None, Some(json!("primary")), Some(json!("bold"))]);
    let size = select(vec![None, Some(json!(1)), Some(json!(1.0)), Some(json!(2))]);
    let items = select(vec![
        None,
        Some(json!([])),
        Some(json!([{"q": "Why so?"}])),
        Some(json!([{"q": "Why so?"}, {"q": "How?"}])),
    ]);
    (title, link, style, size, items).prop_map(|(title, link, style, size, items)| {
        let values =
            [("title", title), ("link", link), ("style", style), ("size", size), ("items", items)];
        values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    })
}

fn content() -> impl Strategy<Value = (&'static str, Object)> {
    (select(vec!["button", "text", "divider"]), data())
}

fn slots() -> impl Strategy<Value = Vec<Slot>> {
    let kind =
        select(vec!["button", "button", "button", "text", "text", "divider", "event", "oldmap"]);
    proptest::collection::vec((kind, data()), 0..9).prop_map(|contents| {
        let slot = |(nth, (kind, data)): (usize, (&str, Object))| {
            let id = 100 - i64::try_from(nth).unwrap();
            crate::slot(id, kind, data, !kind.starts_with("old"))
        };
        contents.into_iter().enumerate().map(slot).collect()
    })
}

/// Generates a page, and a file of some of its slots, with or without their IDs, as they are or edited, mixed with new items.
fn page_and_file() -> impl Strategy<Value = (Vec<Slot>, DesiredPage)> {
    slots().prop_flat_map(|page| {
        let taken = subsequence(page.clone(), 0..=page.len())
            .prop_flat_map(|taken| {
                let edits = (any::<bool>(), select(vec![0, 0, 1, 2]), data());
                let edits = proptest::collection::vec(edits, taken.len());
                (Just(taken), edits)
            })
            .prop_map(|(taken, edits)| {
                taken.into_iter().zip(edits).map(taken_over).collect::<Vec<_>>()
            });
        let new = proptest::collection::vec(content(), 0..5).prop_map(|new| {
            new.into_iter()
                .map(|(kind, data)| DesiredSlot { id: None, kind: kind.into(), data })
                .collect::<Vec<_>>()
        });
        let items = (taken, new).prop_map(|(taken, new)| [taken, new].concat()).prop_shuffle();
        (Just(page), items.prop_map(DesiredPage::from))
    })
}

fn taken_over((slot, (by_id, edit, other)): (Slot, (bool, u8, Object))) -> DesiredSlot {
    let Slot { id, kind, mut data, supported, .. } = slot;
    let editable = supported && kind != "event";
    match edit {
        1 if editable => data.extend(other.0),
        2 if editable => data = other,
        _ => {}
    }
    DesiredSlot { id: (by_id || !editable).then_some(id), kind, data }
}

fn options() -> impl Strategy<Value = PlanOptions> {
    let types = any::<bool>().prop_map(|known| {
        let mut types = SlotTypes::default();
        let schema = json!({"properties": {
            "title": {"type": ["string", "null"]}, "link": {"type": ["string", "null"]}, "style": {"enum": ["primary", "bold"]},
        }});
        for kind in ["button", "text", "divider", "oldmap"].iter().filter(|_| known) {
            types.insert(*kind, true, schema.clone());
        }
        types
    });
    (any::<bool>(), any::<bool>(), types).prop_map(|(prune, prune_unsupported, types)| {
        PlanOptions { prune, prune_unsupported, types, ..PlanOptions::default() }
    })
}

/// Generates any JSON, with words that mean something to a schema among its keys and strings.
fn anything() -> impl Strategy<Value = Value> {
    let words = [
        "title",
        "type",
        "enum",
        "const",
        "null",
        "anyOf",
        "allOf",
        "items",
        "properties",
        "default",
        "$ref",
        "#",
        "#/anyOf/0",
        "#/items",
    ];
    let word = select(words.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Object> {
    proptest::collection::vec((select(vec!["title", "a", "b", "items"]), anything()), 0..4)
        .prop_map(|fields| fields.into_iter().collect())
}

/// Returns whether a slot holds the data of an item, compared by [`same`] and without the code of matching.
fn holds(slot: &Slot, item: &DesiredSlot) -> bool {
    let value = |data: &Object, key: &str| data.get(key).cloned().unwrap_or(Value::Null);
    slot.kind == item.kind
        && item.data.keys().all(|key| same(&value(&slot.data, key), &value(&item.data, key)))
}

fn check_outcome(
    before: &[Slot],
    service: &PageModel,
    file: &DesiredPage,
    options: &PlanOptions,
) -> Result<(), TestCaseError> {
    let of_file: Vec<&Slot> = {
        let mut rest = service.slots.iter();
        file.slots
            .iter()
            .map_while(|item| {
                rest.find(|slot| {
                    item.id.map_or(holds(slot, item), |id| slot.id == id && holds(slot, item))
                })
            })
            .collect()
    };
    prop_assert_eq!(
        of_file.len(),
        file.slots.len(),
        "the page does not hold the items in order: {:#?}",
        service.slots
    );

    let again = plan_of(&service.slots, file, options).unwrap();
    prop_assert!(again.is_empty(), "a second run would change: {again:#?}");

    let named: BTreeSet<SlotId> = file.slots.iter().filter_map(|item| item.id).collect();
    for slot in before.iter().filter(|slot| service.deleted.contains(&slot.id)) {
        prop_assert!(slot.kind != "event" && !named.contains(&slot.id));
        let allowed = if slot.supported { options.prune } else { options.prune_unsupported };
        prop_assert!(allowed);
    }
    if options.prune {
        let surplus = service
            .slots
            .iter()
            .filter(|slot| slot.supported && slot.kind != "event" && !named.contains(&slot.id))
            .count();
        prop_assert_eq!(
            surplus,
            file.slots.iter().filter(|item| item.id.is_none() && item.kind != "event").count()
        );
    }
    Ok(())
}

/// Returns the number of items without ID that could have a slot of exactly their content.
fn twins(page: &[Slot], file: &DesiredPage) -> usize {
    let named: BTreeSet<SlotId> = file.slots.iter().filter_map(|item| item.id).collect();
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    let key = |kind: &str, data: &Object| fingerprint(&[crate::slot(0, kind, data.clone(), true)]);
    for slot in page.iter().filter(|slot| slot.supported && !named.contains(&slot.id)) {
        *held.entry(key(&slot.kind, &slot.data)).or_default() += 1;
    }
    let mut found = 0;
    for item in file.slots.iter().filter(|item| item.id.is_none()) {
        if let Some(left) = held.get_mut(&key(&item.kind, &item.data)).filter(|left| **left > 0) {
            *left -= 1;
            found += 1;
        }
    }
    found
}

#[test]
fn a_long_run_is_finished_wherever_it_stops() {
    let text =
        |n: usize| json!({"title": format!("Text {n}"), "link": format!("https://a.example/{n}")});
    let slots: Vec<_> =
        (0..320).map(|n| (i64::try_from(n).unwrap() + 1, "text", text(n))).collect();
    let slots = page(&slots);
    let mut items: Vec<Value> = (120..320).map(|n| json!(["text", text(n)])).collect();
    for item in &mut items[..110] {
        item[1]["link"] = json!("https://new.example");
    }
    items.extend((0..70).map(|_| json!(["divider", {}])));
    items.extend((400..460).map(|n| json!(["text", text(n)])));
    items.reverse();
    let file = file(&items);
    for max_slots in [450, 400] {
        let options = PlanOptions { max_slots, ..prune() };
        let plan = plan_of(&slots, &file, &options).unwrap();
        assert_eq!((plan.updates.len(), plan.creates.len(), plan.deletes.len()), (110, 130, 120));
        for stop in 0..=plan.batches().len() {
            let mut service = PageModel::with(slots.clone(), max_slots);
            service.run(&plan, stop);
            let next = plan_of(&service.slots, &file, &options).unwrap();
            service.run(&next, usize::MAX);
            check_outcome(&slots, &service, &file, &options).unwrap();
            assert_eq!(
                (service.created.len(), service.deleted.len()),
                (130, 120),
                "stopped after {stop}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_page_becomes_what_the_file_asks_for((page, file) in page_and_file(), options in options()) {
        let plan = plan_of(&page, &file, &options).unwrap();
        prop_assert_eq!(&plan, &plan_of(&page, &file, &options).unwrap());
        prop_assert_eq!(&plan, &serde_json::from_str::<Plan>(&serde_json::to_string(&plan).unwrap()).unwrap());

        let untouched = plan.items - plan.creates.len() - plan.updates.len();
        prop_assert!(untouched >= twins(&page, &file));

        let mut service = PageModel::with(page.clone(), 500);
        let created = service.run(&plan, usize::MAX);
        check_outcome(&page, &service, &file, &options)?;
        prop_assert_eq!(created.len(), plan.creates.len());
        for kept in &plan.kept {
            prop_assert!(service.ids().contains(&kept.id));
        }
        let order: Vec<SlotId> = plan
            .order
            .iter()
            .map(|slot| match slot {
                SlotRef::Existing(id) => *id,
                SlotRef::Created(nth) => created[*nth],
            })
            .collect();
        prop_assert_eq!(service.ids(), order);
    }

    #[test]
    fn an_interrupted_run_is_finished_by_the_next((page, file) in page_and_file(), options in options(), stop in 0_usize..6) {
        let plan = plan_of(&page, &file, &options).unwrap();
        let mut service = PageModel::with(page.clone(), 500);
        service.run(&plan, stop);
        let next = plan_of(&service.slots, &file, &options).unwrap();
        service.run(&next, usize::MAX);
        check_outcome(&page, &service, &file, &options)?;
        prop_assert!(service.created.len() <= plan.creates.len(), "created twice");
    }

    #[test]
    fn a_full_page_never_grows_beyond_its_limit((page, file) in page_and_file(), options in options(), spare in 0_usize..3) {
        let max_slots = page.len() + spare;
        let options = PlanOptions { max_slots, ..options };
        match plan_of(&page, &file, &options) {
            Ok(plan) => {
                let mut service = PageModel::with(page.clone(), max_slots);
                service.run(&plan, usize::MAX);
                check_outcome(&page, &service, &file, &options)?;
                prop_assert_eq!(plan.make_room, (page.len() + plan.creates.len()).saturating_sub(max_slots));
            }
            Err(PlanError::TooManySlots { slots, .. }) => prop_assert!(slots > max_slots),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn any_values_are_planned_once(
        held in proptest::collection::vec(any_object(), 0..5),
        asked in proptest::collection::vec((any_object(), any::<Option<prop::sample::Index>>()), 0..5),
        schema in proptest::option::of(anything()),
        created in proptest::collection::btree_map(0..9_usize, any::<i64>(), 0..3),
    ) {
        let slots: Vec<_> = held.into_iter().enumerate().map(|(nth, data)| (i64::try_from(nth).unwrap(), "text", json!(data))).collect();
        let slots = page(&slots);
        let item = |(data, id): (Object, Option<prop::sample::Index>)| {
            let id = id.filter(|_| !slots.is_empty()).map(|id| id.get(&slots).id);
            DesiredSlot { id, kind: "text".into(), data }
        };
        let file = DesiredPage::from(asked.into_iter().map(item).collect::<Vec<_>>());
        let mut options = PlanOptions { created: created.into_iter().map(|(item, id)| (item, id.into())).collect(), ..prune() };
        if let Some(schema) = schema {
            options.types.insert("text", true, schema);
        }
        match plan_of(&slots, &file, &options) {
            Ok(plan) => {
                let mut service = PageModel::with(slots, 500);
                service.run(&plan, usize::MAX);
                let again = plan_of(&service.slots, &file, &options).unwrap();
                prop_assert!(again.is_empty(), "a second run would change: {again:#?}");
            }
            Err(error) => prop_assert!(matches!(error, PlanError::Items(_)), "{error}"),
        }
    }

    #[test]
    fn a_page_pulled_and_applied_is_unchanged(page in slots(), options in options()) {
        let plan = plan_of(&page, &DesiredPage::from_page(&page, &options.types), &options).unwrap();
        prop_assert!(plan.is_empty());
    }

    #[test]
    fn an_order_is_resolved_once_whatever_became_of_the_page(
        (page, file) in page_and_file(),
        options in options(),
        (now, created) in (proptest::collection::vec(0..20_i64, 0..4), subsequence((200..205).map(SlotId::new).collect::<Vec<_>>(), 0..=5)),
        gone in proptest::collection::btree_set(92..=100_i64, 0..3),
        seed in any::<u64>(),
    ) {
        let plan = plan_of(&page, &file, &options).unwrap();
        let foreign: BTreeSet<SlotId> = now.into_iter().map(SlotId::new).collect();
        let mut ids: Vec<SlotId> = page.iter().map(|slot| slot.id).filter(|id| !gone.contains(&id.get())).chain(created.iter().copied()).chain(foreign).collect();
        ids.sort_by_key(|id| seed.rotate_left(u32::try_from(id.get()).unwrap() % 64) ^ id.get().unsigned_abs());
        if let Some(order) = plan.resolve_order(&ids, &plan.made(&created)) {
            let sorted = |ids: &[SlotId]| ids.iter().copied().collect::<BTreeSet<_>>();
            prop_assert_eq!(order.len(), ids.len());
            prop_assert_eq!(sorted(&order), sorted(&ids));
            prop_assert_eq!(plan.resolve_order(&order, &plan.made(&created)), None);
        }
    }
}
