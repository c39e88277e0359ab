//! Tests of faults 34, 37 and 40, as far as calls are concerned.

use links_fixtures::{Choices, World};
use links_sdk::{Outcome, SlotId};

use super::{TestEnv, divider};
use links_test_support::proxy::Act;

#[tokio::test]
async fn a_token_that_only_reads_is_told_before_and_refused_at_the_first_write() {
    let env = TestEnv::with(World::read_only(), Choices::default()).await;
    assert!(!env.client.me().await.unwrap().can_write);
    let error = env.slots().create(divider()).await.unwrap_err();
    assert!(error.is_forbidden() && !error.is_safe_to_repeat());
    assert_eq!((error.attempts(), error.outcome(), env.count()), (1, Outcome::NotExecuted, 14));
}

#[tokio::test]
async fn an_order_that_lacks_a_new_slot_is_refused_and_fits_after_a_look() {
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
async fn fewer_deletes_than_requested_are_reported_as_counted() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::answer(200, &[], r#"{"meta": {"deleted": 3, "total": 11}}"#)]);
    let done = env.slots().delete_batch(vec![1001, 1002, 1003, 1004, 1006]).await.unwrap();
    assert_eq!((done.deleted, done.total), (3, 11));
}
