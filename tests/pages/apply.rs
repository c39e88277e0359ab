//! Tests of the apply of a page: the number of its requests, and edits by other clients meanwhile.

use std::ops::ControlFlow;

use links_fixtures::{Choices, ContractServer, World};
use links_pages::apply::{
    AppliedChanges, ApplyCause, ApplyError, DesiredPage, DesiredSlot, PageSnapshot, Plan,
    PlanOptions, SlotTypes, Step,
};
use links_sdk::{Client, Object, ProfileKey, Slot};

use crate::{cafe, cafe_with, client_of, recorded_run};

fn text(title: impl Into<String>) -> DesiredSlot {
    DesiredSlot {
        id: None,
        kind: "text".into(),
        data: [("title", title.into())].into_iter().collect(),
    }
}

fn cafe_key() -> ProfileKey {
    "cafe".parse().unwrap()
}

/// Applies; calls `between` before each step.
async fn apply(
    client: &Client,
    key: &ProfileKey,
    desired: &DesiredPage,
    options: &PlanOptions,
    between: &mut (dyn FnMut(Step) + Send),
) -> (Plan, AppliedChanges, Result<Option<Vec<Slot>>, ApplyError>) {
    let mut watch = |step| {
        between(step);
        ControlFlow::Continue(())
    };
    let ended = recorded_run::apply(client, key, desired, options, None, &mut watch).await;
    (ended.plan.unwrap(), ended.done, ended.result)
}

async fn applied(
    server: &ContractServer,
    client: &Client,
    desired: &DesiredPage,
    options: &PlanOptions,
) -> (Plan, usize) {
    server.forget_requests();
    let (plan, _, result) = apply(client, &cafe_key(), desired, options, &mut |_| ()).await;
    result.unwrap().unwrap();
    (plan, server.requests().len())
}

async fn page_file(client: &Client) -> DesiredPage {
    let page = PageSnapshot::read(client, &cafe_key()).await.unwrap();
    DesiredPage::from_page(&page.slots, &SlotTypes::default())
}

#[tokio::test]
async fn five_hundred_new_slots_take_12_requests_and_a_second_run_one() {
    let server = ContractServer::builder(World::empty()).no_limits().start().await.unwrap();
    let client = client_of(&server);
    let page =
        client.profiles().create(links_sdk::NewProfile::with_login("long.page")).await.unwrap();
    let desired =
        DesiredPage::from((0..500).map(|n| text(format!("Text {n}"))).collect::<Vec<_>>());

    server.forget_requests();
    let (plan, done, result) =
        apply(&client, &page.id.into(), &desired, &PlanOptions::default(), &mut |_| ()).await;
    let slots = result.unwrap().unwrap();
    assert_eq!((server.requests().len(), plan.request_count()), (12, 12));
    assert_eq!(done.created.len(), 500);
    let titles: Vec<&str> = slots.iter().map(|slot| slot.data["title"].as_str().unwrap()).collect();
    assert_eq!(titles, (0..500).map(|n| format!("Text {n}")).collect::<Vec<_>>());

    server.forget_requests();
    let (plan, done, _) =
        apply(&client, &page.id.into(), &desired, &PlanOptions::default(), &mut |_| ()).await;
    assert!(plan.is_empty() && done.is_nothing());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn one_changed_title_takes_3_requests_and_keeps_the_id() {
    let (server, client) = cafe().await;
    let mut file = page_file(&client).await;
    let button = file.slots.iter_mut().find(|slot| slot.kind == "button").unwrap();
    button.id = None;
    button.data.insert("title".into(), "Changed".into());

    let (plan, requests) = applied(&server, &client, &file, &PlanOptions::default()).await;
    assert_eq!((requests, plan.request_count()), (3, 3));
    assert_eq!((plan.updates.len(), plan.creates.len()), (1, 0));
    let sent: serde_json::Value = serde_json::from_slice(&server.requests()[1].body).unwrap();
    assert_eq!(
        sent["slots"][0]["data"],
        serde_json::json!({ "title": "Changed" }),
        "only what changed is sent"
    );
    assert_eq!(
        client.profile("cafe").slots().get(plan.updates[0].id).await.unwrap().data["title"],
        "Changed"
    );
}

#[tokio::test]
async fn every_kind_of_step_at_once_ends_as_the_file_says() {
    let (server, client) = cafe().await;
    let mut file = page_file(&client).await;
    file.slots.retain(|slot| slot.kind != "faq");
    file.slots.insert(0, text("First of all"));
    file.slots
        .iter_mut()
        .find(|slot| slot.kind == "button")
        .unwrap()
        .data
        .insert("title".into(), "Changed".into());
    let options = PlanOptions { prune: true, ..PlanOptions::default() };

    let (plan, requests) = applied(&server, &client, &file, &options).await;
    assert!(
        !plan.updates.is_empty()
            && !plan.creates.is_empty()
            && plan.reorder
            && !plan.deletes.is_empty()
    );
    assert_eq!(requests, plan.request_count());
    let operations: Vec<_> =
        server.requests().iter().map(|request| request.operation.unwrap()).collect();
    assert_eq!(
        operations,
        ["getProfile", "updateSlots", "createSlots", "reorderSlots", "deleteSlots", "listSlots"]
    );
    let page = client.profile("cafe").slots().list().await.unwrap();
    assert_eq!(page[0].data["title"], "First of all");
    assert!(page.iter().all(|slot| slot.kind != "faq"));
}

#[tokio::test]
async fn a_run_of_deletes_only_reads_the_page_again_before_them() {
    let (server, client) = cafe().await;
    let mut file = page_file(&client).await;
    file.slots.retain(|slot| slot.kind != "faq");
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let (plan, requests) = applied(&server, &client, &file, &options).await;
    assert_eq!((requests, plan.request_count()), (4, 4));
    let operations: Vec<_> =
        server.requests().iter().map(|request| request.operation.unwrap()).collect();
    assert_eq!(operations, ["getProfile", "listSlots", "deleteSlots", "listSlots"]);
}

#[tokio::test]
async fn a_slot_edited_before_its_delete_stops_the_run() {
    let (server, client) = cafe().await;
    let mut file = page_file(&client).await;
    let doomed = file
        .slots
        .iter()
        .position(|slot| slot.kind == "faq")
        .map(|at| file.slots.remove(at))
        .unwrap();
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let mut edit = |step| {
        if step == Step::Check {
            server.edit(|account| {
                let slot = account
                    .profiles
                    .iter_mut()
                    .flat_map(|page| &mut page.slots)
                    .find(|slot| slot.id == doomed.id.unwrap().get().cast_unsigned());
                slot.unwrap().data.insert("title".into(), "Mine now".into());
            });
        }
    };
    let (_, done, result) = apply(&client, &cafe_key(), &file, &options, &mut edit).await;
    let error = result.unwrap_err();
    assert!(
        matches!(error.cause(), ApplyCause::Changed(found, _) if found[0].contains("edited")),
        "{error}"
    );
    assert!(done.is_nothing());
}

#[tokio::test]
async fn a_slot_added_by_another_client_during_a_run_is_kept_and_reported() {
    let (server, client) = cafe().await;
    let mut file = page_file(&client).await;
    file.slots.insert(0, text("First of all"));
    let mut added = None;
    let mut between = |step| {
        if matches!(step, Step::Create(_)) {
            added = Some(server.edit(|account| {
                let slot = links_fixtures::Slot::new(9000, "divider", <_>::default());
                account.profiles[0].slots.insert(2, slot);
                9000_i64
            }));
        }
    };
    let options = PlanOptions::default();
    let (_, _, result) = apply(&client, &cafe_key(), &file, &options, &mut between).await;
    let added = added.unwrap();
    let error = result.unwrap_err();
    assert!(
        matches!(error.cause(), ApplyCause::Changed(found, _) if found[0].contains(&format!("slot {added}"))),
        "{error}"
    );
    let slots = client.profile("cafe").slots().list().await.unwrap();
    assert_eq!(slots[0].data["title"], "First of all", "the rest of the plan was carried out");
    assert!(slots.iter().any(|slot| slot.id == added));
}

#[tokio::test]
async fn a_refused_field_names_the_item_of_the_file() {
    let (_server, client) = cafe().await;
    let mut file = page_file(&client).await;
    file.slots.push(text("Fine"));
    let data: Object = [("titel", "Wrong")].into_iter().collect();
    file.slots.push(DesiredSlot { id: None, kind: "text".into(), data });
    let wrong = file.slots.len() - 1;
    let (_, done, result) =
        apply(&client, &cafe_key(), &file, &PlanOptions::default(), &mut |_| ()).await;
    let ApplyCause::Call { items, .. } = result.unwrap_err().into_cause() else {
        panic!("not refused by the service")
    };
    assert_eq!((items[0].index, items[0].path.join(".")), (wrong, "data.titel".to_owned()));
    assert!(done.is_nothing());
}

#[tokio::test]
async fn a_full_page_deletes_early_only_what_makes_room_and_only_for_valid_slots() {
    let (server, client) = cafe().await;
    let old = |n: u64| format!("Text {n}");
    server.edit(|account| {
        let slot = |n| {
            let data = [("title".to_owned(), old(n).into())].into_iter().collect();
            links_fixtures::Slot::new(n, "text", data)
        };
        account.profiles[0].slots = (1..=500).map(slot).collect();
    });
    let button = |n: u64, title: &str, link: &str| DesiredSlot {
        id: None,
        kind: "button".into(),
        data: [(title, format!("Shop {n}")), ("link", link.to_owned())].into_iter().collect(),
    };
    let desired = |title: &str| -> DesiredPage {
        (1..=500)
            .map(|n| if n <= 10 { button(n, title, "https://shop.example") } else { text(old(n)) })
            .collect::<Vec<_>>()
            .into()
    };
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let operations = || {
        let seen: Vec<_> = server
            .requests()
            .into_iter()
            .map(|request| (request.operation.unwrap(), request.status))
            .collect();
        server.forget_requests();
        seen
    };

    let (_, done, result) =
        apply(&client, &cafe_key(), &desired("titel"), &options, &mut |_| ()).await;
    assert!(
        matches!(
            result.as_ref().unwrap_err().cause(),
            ApplyCause::Call { step: Step::TryCreate(10), .. }
        ),
        "{result:?}"
    );
    assert!(done.is_nothing());
    assert_eq!(
        operations(),
        [("getProfile", 200), ("createSlots", 422)],
        "the dry run comes first"
    );
    assert_eq!(server.account().profiles[0].slots.len(), 500);

    let (_, done, result) =
        apply(&client, &cafe_key(), &desired("title"), &options, &mut |_| ()).await;
    let slots = result.unwrap().unwrap();
    assert_eq!((done.deleted, done.created.len(), slots.len()), (10, 10, 500));
    assert_eq!(
        operations(),
        [
            ("getProfile", 200),
            ("createSlots", 204),
            ("listSlots", 200),
            ("deleteSlots", 200),
            ("createSlots", 201),
            ("reorderSlots", 200),
            ("listSlots", 200),
        ]
    );
    assert!(slots[..10].iter().all(|slot| slot.kind == "button"));
    assert!(
        (11..).zip(&slots[10..]).all(|(id, slot)| slot.id == id),
        "the others are the old ones"
    );
}

#[tokio::test]
async fn a_full_page_is_replaced_whatever_a_dry_run_says_of_its_limit() {
    for (dry_run_conflict, status) in [(None, 204), (Some(422), 422), (Some(409), 409)] {
        for new in [10, 120, 500] {
            let choices = Choices { dry_run_conflict, ..Choices::default() };
            let (server, client) = cafe_with(choices).await;
            server.edit(|account| {
                let slot = |n: u64| {
                    let data =
                        [("title".to_owned(), format!("Old {n}").into())].into_iter().collect();
                    links_fixtures::Slot::new(n, "text", data)
                };
                account.profiles[0].slots = (1..=500).map(slot).collect();
            });
            let button = |n: usize| DesiredSlot {
                id: None,
                kind: "button".into(),
                data: [("title", format!("New {n}")), ("link", "https://shop.example".to_owned())]
                    .into_iter()
                    .collect(),
            };
            let slots =
                (0..500).map(|n| if n < new { button(n) } else { text(format!("Old {}", n + 1)) });
            let desired = DesiredPage::from(slots.collect::<Vec<_>>());
            let options = PlanOptions { prune: true, ..PlanOptions::default() };
            // No more slots are missing from the page than the next request creates.
            let mut fewest = 500;
            let mut count = |_| {
                fewest = fewest.min(server.account().profiles[0].slots.len());
            };
            let (plan, done, result) =
                apply(&client, &cafe_key(), &desired, &options, &mut count).await;
            let at = format!("{new} new, {dry_run_conflict:?}");
            let slots = result.unwrap_or_else(|error| panic!("{at}: {error}")).unwrap();
            assert_eq!((done.created.len(), done.deleted, slots.len()), (new, new, 500), "{at}");
            assert_eq!(fewest, 500 - new.min(50), "{at}");
            assert_eq!(server.requests().len(), plan.request_count(), "{at}");
            assert_eq!(server.requests()[1].status, status, "{at}");
            let (plan, done, _) =
                apply(&client, &cafe_key(), &desired, &options, &mut |_| ()).await;
            assert!(plan.is_empty() && done.is_nothing(), "{at}");
        }
    }
}
