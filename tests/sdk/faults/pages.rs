//! Tests of faults 30, 34 to 37 and 40, as far as calls and plans are concerned. Those of an apply are tested with it.

use links_fixtures::{Choices, Strings, World};
use links_sdk::apply::{DesiredPage, DesiredSlot, PageSnapshot, Plan, PlanOptions, SlotTypes};
use links_sdk::types::NewSlot;
use links_sdk::{Outcome, ProfileKey, SlotId};

use super::{TestEnv, divider};
use links_test_support::proxy::Act;

fn key() -> ProfileKey {
    "cafe".parse().unwrap()
}

#[tokio::test]
async fn fault_30_a_service_that_trims_what_it_is_sent_leaves_nothing_to_do() {
    let env = TestEnv::with(
        World::cafe(),
        Choices { strings: Strings::Normalized, ..Choices::default() },
    )
    .await;
    let slot = NewSlot::of("text").with("title", " Hello ");
    let made = env.slots().create(slot.clone()).await.unwrap();
    assert_eq!(made.data["title"], "Hello");
    let page = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let mut desired = DesiredPage::from_page(&page.slots, &SlotTypes::default());
    let item = DesiredSlot { id: None, kind: "text".into(), data: slot.data.unwrap() };
    *desired.slots.last_mut().unwrap() = item;
    assert!(Plan::new(&page.slots, &desired, &PlanOptions::default()).unwrap().is_empty());
}

#[tokio::test]
async fn fault_34_a_token_that_only_reads_is_told_before_and_refused_at_the_first_write() {
    let env = TestEnv::with(World::read_only(), Choices::default()).await;
    assert!(!env.client.me().await.unwrap().can_write);
    let error = env.slots().create(divider()).await.unwrap_err();
    assert!(error.is_forbidden() && !error.is_safe_to_repeat());
    assert_eq!((error.attempts(), error.outcome(), env.count()), (1, Outcome::NotExecuted, 14));
}

/// A client cannot distinguish an empty list from an empty page: only the journal has the earlier slots.
#[tokio::test]
async fn fault_35_a_list_without_the_slots_of_the_page_plans_no_deletes() {
    let env = TestEnv::new().await;
    let page = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let desired = DesiredPage::from_page(&page.slots, &SlotTypes::default());
    let empty = env.page_with("[]").await;
    env.proxy.script([Act::answer(200, &[], empty)]);
    let nothing = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    // Its items name ids that are gone, so that none is created a second time.
    Plan::new(&nothing.slots, &desired, &options).unwrap_err();
}

#[tokio::test]
async fn fault_36_a_list_that_names_a_slot_twice_is_no_page_to_plan_for() {
    let env = TestEnv::new().await;
    let slot = r#"{"id": 7, "type": "divider", "data": [], "supported": true}"#;
    let twice = env.page_with(&format!("[{slot}, {slot}]")).await;
    env.proxy.script([Act::answer(200, &[], twice)]);
    let page = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let desired = DesiredPage::default();
    Plan::new(&page.slots, &desired, &PlanOptions::default()).unwrap_err();
}

#[tokio::test]
async fn fault_37_an_order_that_lacks_a_new_slot_is_refused_and_fits_after_a_look() {
    let env = TestEnv::new().await;
    let order = async || -> Vec<SlotId> {
        env.slots().list().await.unwrap().iter().rev().map(|slot| slot.id).collect()
    };
    let before = order().await;
    let stranger = env.slots().create(divider()).await.unwrap();
    let error = env.slots().reorder(before).await.unwrap_err();
    assert!(error.is_validation());
    assert_eq!((error.attempts(), error.outcome()), (1, Outcome::NotExecuted));
    let page = env.slots().reorder(order().await).await.unwrap();
    assert_eq!(page[0].id, stranger.id);
}

#[tokio::test]
async fn fault_40_fewer_deletes_than_requested_are_reported_as_counted() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::answer(200, &[], r#"{"meta": {"deleted": 3, "total": 11}}"#)]);
    let done = env.slots().delete_batch(vec![1001, 1002, 1003, 1004, 1006]).await.unwrap();
    assert_eq!((done.deleted, done.total), (3, 11));
}
