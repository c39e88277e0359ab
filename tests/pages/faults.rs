//! Tests of faults 30, 35 and 36, as far as plans are concerned.

use links_fixtures::Choices;
use links_pages::apply::{
    DesiredPage, DesiredSlot, PageSnapshot, PlanOptions, Proposal, SlotTypes,
};
use links_sdk::types::NewSlot;
use links_sdk::{Client, ProfileKey, RateLimits};
use links_test_support::contended::ContendedEnv;
use links_test_support::proxy::Act;

use crate::cafe_with;

fn key() -> ProfileKey {
    "cafe".parse().unwrap()
}

/// Returns the café's page as the service answers it, but with these slots.
async fn page_with(client: &Client, slots: &str) -> String {
    let answer = client.profile("cafe").get().answer().await.unwrap();
    let mut page: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
    page["data"]["slots"] = serde_json::from_str(slots).unwrap();
    page.to_string()
}

#[tokio::test]
async fn a_service_that_trims_what_it_is_sent_leaves_nothing_to_do() {
    let choices = Choices { strings_normalized: true, ..Choices::default() };
    let (_server, client) = cafe_with(choices).await;
    let slot = NewSlot::of("text").with("title", " Hello ");
    let made = client.profile("cafe").slots().create(slot.clone()).await.unwrap();
    assert_eq!(made.data["title"], "Hello");
    let page = PageSnapshot::read(&client, &key()).await.unwrap();
    let mut desired = DesiredPage::from_page(&page.slots, &SlotTypes::default());
    let item = DesiredSlot { id: None, kind: "text".into(), data: slot.data.unwrap() };
    *desired.slots.last_mut().unwrap() = item;
    let planned = Proposal::new(&page, desired.into(), PlanOptions::default()).unwrap();
    assert!(planned.plan.is_empty());
}

/// A client cannot distinguish an empty list from an empty page: only the journal has the earlier slots.
#[tokio::test]
async fn a_list_without_the_slots_of_the_page_plans_no_deletes() {
    let env = ContendedEnv::new(RateLimits::unlimited()).await;
    let page = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let desired = DesiredPage::from_page(&page.slots, &SlotTypes::default());
    let empty = page_with(&env.client, "[]").await;
    env.proxy.script([Act::answer(200, &[], empty)]);
    let nothing = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    // Its items name ids that are gone, so that none is created a second time.
    Proposal::new(&nothing, desired.into(), options).unwrap_err();
}

#[tokio::test]
async fn a_list_that_names_a_slot_twice_is_no_page_to_plan_for() {
    let env = ContendedEnv::new(RateLimits::unlimited()).await;
    let slot = r#"{"id": 7, "type": "divider", "data": [], "supported": true}"#;
    let twice = page_with(&env.client, &format!("[{slot}, {slot}]")).await;
    env.proxy.script([Act::answer(200, &[], twice)]);
    let page = PageSnapshot::read(&env.client, &key()).await.unwrap();
    let desired = DesiredPage::default();
    Proposal::new(&page, desired.into(), PlanOptions::default()).unwrap_err();
}
