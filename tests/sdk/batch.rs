//! Tests of writes over any number of slots.

use std::sync::{Arc, Mutex};

use links_fixtures::{Choices, ContractServer, Fault, IdempotentWrites, World};
use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{BatchError, Client, IdempotencyKey, Outcome, SlotId, SlotsHandle};

use crate::{cafe_with, client_of, idempotency_keys, quick_cafe};
use links_test_support::canned::Canned;

fn line(n: usize) -> NewSlot {
    NewSlot::of("text").with("title", format!("Line {n}"))
}

fn lines(count: usize) -> impl Iterator<Item = NewSlot> {
    (0..count).map(line)
}

/// Returns a server, and a client's slots on an empty page.
async fn empty_page() -> (ContractServer, SlotsHandle) {
    let server = ContractServer::builder(World::empty()).no_limits().start().await.unwrap();
    let client = client_of(&server);
    client.profiles().create(links_sdk::NewProfile::with_login("long.page")).await.unwrap();
    server.forget_requests();
    (server, client.profile("long.page").slots())
}

fn operations(server: &ContractServer) -> Vec<&'static str> {
    server.requests().iter().filter_map(|request| request.operation).collect()
}

async fn titles(slots: &SlotsHandle) -> Vec<String> {
    slots
        .list()
        .await
        .unwrap()
        .iter()
        .map(|slot| slot.data["title"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_empty_batch_takes_no_request_and_51_slots_take_two() {
    let (server, slots) = empty_page().await;
    assert!(slots.create_many(Vec::<NewSlot>::new()).await.unwrap().is_empty());
    assert!(slots.delete_many(Vec::<SlotId>::new()).await.unwrap().is_empty());
    assert!(server.requests().is_empty());
    for (count, requests) in [(1, 1), (50, 1), (51, 2), (100, 2)] {
        server.forget_requests();
        assert_eq!(slots.create_many(lines(count)).await.unwrap().len(), count);
        assert_eq!(server.requests().len(), requests, "{count} slots");
    }
}

#[tokio::test]
async fn order_is_kept_through_create_update_and_delete() {
    let (server, slots) = empty_page().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watched = seen.clone();
    let made = slots
        .create_many(lines(120))
        .on_progress(move |at| watched.lock().unwrap().push((at.done, at.total)))
        .await
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), [(50, 120), (100, 120), (120, 120)]);
    let expected: Vec<String> = (0..120).map(|n| format!("Line {n}")).collect();
    assert_eq!(titles(&slots).await, expected);
    assert!(made.iter().zip(&expected).all(|(slot, title)| slot.data["title"] == **title));

    let changes = made
        .iter()
        .enumerate()
        .map(|(n, slot)| SlotChange::new(slot.id, [("title", format!("Changed {n}"))]));
    let updated = slots.update_many(changes).await.unwrap();
    assert_eq!(updated, made.iter().map(|slot| slot.id).collect::<Vec<_>>());
    assert_eq!(titles(&slots).await[119], "Changed 119");

    server.forget_requests();
    let deleted = slots.delete_many(updated[..70].iter().copied()).await.unwrap();
    assert_eq!(deleted, &updated[..70]);
    assert_eq!(operations(&server), ["deleteSlots"; 2]);
    assert_eq!(titles(&slots).await.len(), 50);
}

fn refused(error: &BatchError) -> Vec<&str> {
    error.field_errors().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_refused_slot_is_named_by_the_callers_index_and_what_was_done_is_told() {
    let (server, slots) = empty_page().await;
    let mixed = (0..120).map(|n| match n {
        73 => NewSlot::of("text").with("titel", "Wrong"),
        _ => line(n),
    });
    let error = slots.create_many(mixed).await.unwrap_err();
    assert_eq!(refused(&error), ["slots.73.data.titel"]);
    assert_eq!((error.failed(), error.outcome()), (50..100, Outcome::NotExecuted));
    let page: Vec<SlotId> = slots.list().await.unwrap().iter().map(|slot| slot.id).collect();
    assert_eq!(error.done(), page);
    assert_eq!(
        error.to_string(),
        "slots 51 to 100 of 120 were not created; the first 50 were created"
    );
    assert_eq!(
        operations(&server),
        ["createSlots", "createSlots", "listSlots"],
        "the third request is never sent"
    );

    let wrong = page.iter().map(|id| SlotChange::new(id, [("titel", "X")]));
    let right = page.iter().map(|id| SlotChange::new(id, [("title", "X")]));
    let error = slots.update_many(right.chain(wrong.take(1))).await.unwrap_err();
    assert_eq!((refused(&error), error.done()), (vec!["slots.50.data.titel"], &page[..]));

    let ids = page.iter().copied().chain([999_999.into()]);
    let error = slots.delete_many(ids).await.unwrap_err();
    assert_eq!(
        (refused(&error), error.done(), error.failed()),
        (vec!["ids.50"], &page[..], 50..51)
    );
}

#[tokio::test]
async fn an_id_named_twice_is_refused_before_anything_is_deleted() {
    let (server, slots) = empty_page().await;
    let error = slots.delete_many((1..=60).chain([7])).await.unwrap_err();
    assert!(error.call().unwrap().is_invalid_input(), "{error}");
    assert_eq!((error.failed(), server.requests().len()), (60..61, 0));
}

#[tokio::test]
async fn a_run_that_was_interrupted_is_carried_on_with_its_key() {
    let (server, slots) = empty_page().await;
    let key = IdempotencyKey::new("run-1").unwrap();
    // The process ended after the second request.
    slots.create_many(lines(100)).with_run_key(key.clone()).await.unwrap();
    let made = slots.create_many(lines(120)).with_run_key(key.clone()).await.unwrap();
    assert_eq!(made.len(), 120);
    assert_eq!(titles(&slots).await, (0..120).map(|n| format!("Line {n}")).collect::<Vec<_>>());
    let keys: Vec<_> = idempotency_keys(&server).into_iter().flatten().collect();
    assert_eq!(keys, ["run-1-0", "run-1-1", "run-1-0", "run-1-1", "run-1-2"]);

    let long = IdempotencyKey::new("k".repeat(128)).unwrap();
    let error = slots.create_many(lines(1)).with_run_key(long).await.unwrap_err();
    assert!(error.call().unwrap().is_invalid_input());
}

#[tokio::test]
async fn a_run_that_failed_half_way_is_carried_on_with_the_key_of_its_error() {
    let (server, client, _) = quick_cafe().await;
    let slots = client.profile("cafe").slots();
    let before = slots.list().await.unwrap().len();
    server.fail(2..=5, &Fault::Before(502));
    let error = slots.create_many(lines(120)).await.unwrap_err();
    assert_eq!(
        (error.outcome(), error.done().len(), error.failed()),
        (Outcome::Unknown, 50, 50..100)
    );
    let made = slots.create_many(lines(120)).with_run_key(error.run_key().clone()).await.unwrap();
    assert_eq!(made[..50].iter().map(|slot| slot.id).collect::<Vec<_>>(), error.done());
    assert_eq!(slots.list().await.unwrap().len(), before + 120);
}

#[tokio::test]
async fn two_runs_have_different_keys() {
    let (server, slots) = empty_page().await;
    let one = slots.create_many(lines(1));
    let other = slots.create_many(lines(1));
    assert_ne!(one.run_key(), other.run_key());
    one.await.unwrap();
    other.await.unwrap();
    assert_eq!(titles(&slots).await.len(), 2);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_service_without_keys_still_creates_each_slot_once() {
    let choices = Choices { idempotent_writes: IdempotentWrites::None, ..Choices::default() };
    let (_server, client) = cafe_with(choices).await;
    let slots = client.profile("cafe").slots();
    let before = slots.list().await.unwrap().len();
    slots.create_many(lines(120)).await.unwrap();
    assert_eq!(slots.list().await.unwrap().len(), before + 120);
}

/// Returns the slots of a service that answers every request with this.
fn answering(status: u16, body: &str) -> (Canned, SlotsHandle) {
    let server = Canned::start([(status, body.to_owned())]);
    let client = Client::builder(server.origin())
        .rate_limits(links_sdk::RateLimits::unlimited())
        .build()
        .unwrap();
    (server, client.profile("cafe").slots())
}

#[tokio::test]
async fn an_answer_about_other_slots_than_were_sent_stops_the_run() {
    let (server, slots) = answering(200, r#"{"meta": {"deleted": 3, "total": 9}}"#);
    let error = slots.delete_many(1..=60).await.unwrap_err();
    assert!(
        error.call().unwrap().to_string().contains("the service reports 3 slots instead of 50"),
        "{error}"
    );
    assert_eq!((error.outcome(), error.done(), error.failed()), (Outcome::Unknown, &[][..], 0..50));
    assert_eq!(server.received().len(), 1);

    let (_server, slots) = answering(201, r#"{"data": []}"#);
    let error = slots.create_many(lines(2)).await.unwrap_err();
    assert_eq!(error.to_string(), "slots 1 to 2 of 2 may have been created");
}
