//! Tests of keys under every behaviour that the interface leaves open: creates whose answer is lost create once if the service stores keys.

use links_fixtures::{Choices, Fault, IdempotentWrites, World};
use links_sdk::{IdempotencyKey, Outcome};

use super::writes::write;
use super::{TestEnv, divider, dividers};
use links_test_support::proxy::Act;

const KEYED: [&str; 6] =
    ["createProfile", "createForm", "createSlot", "createSlots", "uploadFile", "createUploadUrl"];

/// Returns how many calls of an operation have created their records in the café.
fn made(env: &TestEnv, operation: &str) -> usize {
    let account = env.server.account();
    match operation {
        "createProfile" => account.profiles.len() - 2,
        "createForm" => account.forms.len() - 1,
        "createSlot" => env.count() - 14,
        "createSlots" => (env.count() - 14) / 3,
        "uploadFile" => account.files.len() - 4,
        _ => account.upload_tickets.len(),
    }
}

#[tokio::test]
async fn a_create_whose_answer_is_lost_creates_once_wherever_keys_are_kept() {
    let base = Choices::default;
    let behaviours = [
        base(),
        Choices { idempotent_writes: IdempotentWrites::All, ..base() },
        Choices { failures_stored: true, ..base() },
        Choices { in_flight_conflicts: true, ..base() },
        Choices { in_flight_conflicts: true, failures_stored: true, ..base() },
    ];
    for choices in behaviours {
        for operation in KEYED {
            for lost in [
                Act::reset_before(),
                Act::reset_after(),
                Act::cut(2),
                Act::answer(502, &[], "").executed(),
            ] {
                let env = TestEnv::with(World::cafe(), choices.clone()).await;
                env.proxy.script([lost.clone(), lost.clone()]);
                write(&env.client, operation).await.unwrap();
                let case = format!("{operation} {lost:?} {choices:?}");
                assert_eq!(made(&env, operation), 1, "{case}");
                let keys = env.sent("idempotency-key");
                assert!(
                    keys.len() >= 3 && keys.iter().all(|key| *key == keys[0] && !key.is_empty()),
                    "{case}"
                );
            }
        }
    }
}

/// A client cannot detect that its key is ignored: a plain call trusts the key, and creates twice. A caller that must not create twice
/// reads first.
#[tokio::test]
async fn where_keys_are_ignored_a_repetition_creates_once_more() {
    let choices = Choices { idempotent_writes: IdempotentWrites::None, ..Choices::default() };
    for operation in KEYED {
        let env = TestEnv::with(World::cafe(), choices.clone()).await;
        env.proxy.script([Act::reset_before()]);
        write(&env.client, operation).await.unwrap();
        assert_eq!(made(&env, operation), 1, "what did not arrive was not executed: {operation}");

        let env = TestEnv::with(World::cafe(), choices.clone()).await;
        env.proxy.script([Act::reset_after()]);
        let result = write(&env.client, operation).await;
        match operation {
            "createProfile" => {
                let error = result.unwrap_err();
                assert!(
                    error.is_validation() && error.outcome() == Outcome::Unknown,
                    "the login is taken, by us: {error:?}"
                );
                assert_eq!(made(&env, operation), 1);
            }
            _ => assert_eq!((result.is_ok(), made(&env, operation)), (true, 2), "{operation}"),
        }
    }
}

#[tokio::test]
async fn only_the_six_creates_carry_a_key_and_a_dry_run_never_does() {
    for (operation, keyed) in KEYED.map(|operation| (operation, true)).into_iter().chain(
        ["updateProfile", "updateSlot", "reorderSlots", "deleteSlot", "deleteSlots", "updateForm"]
            .map(|operation| (operation, false)),
    ) {
        let choices = Choices { idempotent_writes: IdempotentWrites::All, ..Choices::default() };
        let env = TestEnv::with(World::cafe(), choices).await;
        write(&env.client, operation).await.unwrap();
        assert_eq!(
            env.sent("idempotency-key").iter().any(|key| !key.is_empty()),
            keyed,
            "{operation}"
        );
    }
    let env = TestEnv::new().await;
    let key = IdempotencyKey::new("mine").unwrap();
    env.slots().create(divider()).with_idempotency_key(key.clone()).dry_run().await.unwrap();
    env.slots().create(divider()).with_idempotency_key(key).await.unwrap();
    assert_eq!(env.sent("idempotency-key"), ["", "mine"]);
}

/// Reading, and then a new key, is left to the caller, who knows which record should exist.
#[tokio::test]
async fn a_stored_failure_ends_in_an_unknown_outcome_and_a_new_key_succeeds_after_a_look() {
    let env =
        TestEnv::with(World::cafe(), Choices { failures_stored: true, ..Choices::default() }).await;
    env.server.fail([1], &Fault::Before(500));
    let error = env.slots().create_batch(dividers(3)).await.unwrap_err();
    assert_eq!(
        (error.outcome(), error.status(), error.attempts()),
        (Outcome::Unknown, Some(500), 4)
    );
    let first = error.idempotency_key().unwrap().clone();
    let again =
        env.slots().create_batch(dividers(3)).with_idempotency_key(first).await.unwrap_err();
    assert_eq!(again.outcome(), Outcome::Unknown, "the key stands for the failure");
    assert_eq!(env.slots().list().await.unwrap().len(), 14);
    env.slots().create_batch(dividers(3)).await.unwrap();
    assert_eq!(env.count(), 17);
}

#[tokio::test]
async fn a_key_from_an_error_resumes_the_call() {
    let env = TestEnv::new().await;
    env.proxy.always(&Act::reset_after());
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    env.proxy.always(&Act::pass());
    let key = error.idempotency_key().unwrap().clone();
    env.slots().create(divider()).with_idempotency_key(key).await.unwrap();
    assert_eq!(env.count(), 15);
}
