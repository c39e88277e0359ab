//! Tests of fault 21, and of each write after a lost answer: how often it is executed, and how the call ends.

use links_fixtures::{Account, Choices, Fault, World};
use links_sdk::types::SlotChange;
use links_sdk::{
    Client, Error, FormChanges, NewProfile, Object, Outcome, ProfileChanges, SettingsChanges,
    Upload,
};
use serde_json::Value;

use super::{TestEnv, divider, dividers};
use links_test_support::proxy::Act;

/// An image of one dot.
pub(crate) const DOT: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Makes one call of a write.
pub(crate) async fn write(client: &Client, operation: &str) -> Result<(), Error> {
    let page = client.profile("cafe");
    let slots = page.slots();
    let title = || -> Object { [("title", "Anew")].into_iter().collect() };
    match operation {
        "createProfile" => {
            client.profiles().create(NewProfile::with_login("new.page")).await.map(drop)
        }
        "createForm" => client.forms().create(new_form()).await.map(drop),
        "createSlot" => slots.create(divider()).await.map(drop),
        "createSlots" => slots.create_batch(dividers(3)).await.map(drop),
        "uploadFile" => client.files().upload(Upload::bytes("dot.gif", DOT)).await.map(drop),
        "createUploadUrl" => client.files().create_upload_url().await.map(drop),
        "updateProfile" => page.update(ProfileChanges::default().title("Anew")).await.map(drop),
        "updateProfileSettings" => {
            page.update_settings(SettingsChanges::default().language_code("ru")).await.map(drop)
        }
        "updateSlot" => slots.update(1002, title()).await.map(drop),
        "updateSlots" => slots.update_batch([SlotChange::new(1002, title())]).await.map(drop),
        "updateForm" => {
            client.form(FORM).update(FormChanges::default().title("Anew")).await.map(drop)
        }
        "reorderSlots" => slots.reorder((1001..=1014).rev()).await.map(drop),
        "deleteSlot" => slots.delete(1002).await,
        "deleteSlots" => slots.delete_batch(vec![1002, 1007]).await.map(drop),
        _ => panic!("{operation} is no write"),
    }
}

fn new_form() -> FormChanges {
    let form = r#"{"title": "Write to us", "fields": [{"type": "text", "label": "Name", "required": true}]}"#;
    FormChanges(serde_json::from_str::<Object>(form).unwrap())
}

/// Returns the content of an account, without what differs from run to run.
fn state(account: &Account) -> Value {
    let mut state = serde_json::to_value(account).unwrap();
    drop_what_differs(&mut state);
    state
}

fn drop_what_differs(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["created_at", "createdAt", "moodSetAt", "expires_at", "key", "path"] {
                fields.remove(key);
            }
            // The ids of forms are random.
            fields.retain(|key, value| key != "id" || value.is_number());
            fields.values_mut().for_each(drop_what_differs);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_what_differs),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the content of the café's account after this number of calls without any fault.
async fn executed(operation: &str, times: usize) -> Value {
    let env = TestEnv::new().await;
    for _ in 0..times {
        write(&env.client, operation).await.unwrap();
    }
    state(&env.server.account())
}

/// Expected result of a call: how often it is executed, and how it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The call is executed this many times, and succeeds.
    Ok(usize),
    /// The call is executed this many times, and ends with an error of unknown outcome.
    Unknown(usize),
}
use Expected::{Ok as Done, Unknown};

/// Expected results, in the columns: 500 before and after the call is executed, if answers other than 2xx are not stored under a key and if
/// they are; the answer lost before and after the call is executed.
const TABLE: [(&str, [Expected; 6]); 14] = [
    // A login can be taken once: the repetition is refused.
    ("createProfile", [Done(1), Unknown(1), Unknown(0), Unknown(1), Done(1), Done(1)]),
    // If a service executes a request, fails, and does not store the key, the repetition creates once more.
    ("createForm", [Done(1), Done(2), Unknown(0), Unknown(1), Done(1), Done(1)]),
    ("createSlot", [Done(1), Done(2), Unknown(0), Unknown(1), Done(1), Done(1)]),
    ("createSlots", [Done(1), Done(2), Unknown(0), Unknown(1), Done(1), Done(1)]),
    ("uploadFile", [Done(1), Done(2), Unknown(0), Unknown(1), Done(1), Done(1)]),
    ("createUploadUrl", [Done(1), Done(2), Unknown(0), Unknown(1), Done(1), Done(1)]),
    ("updateProfile", [Done(1); 6]),
    ("updateProfileSettings", [Done(1); 6]),
    ("updateSlot", [Done(1); 6]),
    ("updateSlots", [Done(1); 6]),
    ("updateForm", [Done(1); 6]),
    ("reorderSlots", [Done(1); 6]),
    ("deleteSlot", [Done(1); 6]),
    ("deleteSlots", [Done(1); 6]),
];

#[tokio::test]
async fn what_every_write_does_about_a_500_or_a_lost_answer() {
    let columns: [(bool, Option<Fault>, Act); 6] = [
        (false, Some(Fault::Before(500)), Act::pass()),
        (false, Some(Fault::After(500)), Act::pass()),
        (true, Some(Fault::Before(500)), Act::pass()),
        (true, Some(Fault::After(500)), Act::pass()),
        (false, None, Act::reset_before()),
        (false, None, Act::reset_after()),
    ];
    for (operation, expected) in TABLE {
        for ((failures_stored, fault, act), expected) in columns.iter().zip(expected) {
            let choices = Choices { failures_stored: *failures_stored, ..Choices::default() };
            let env = TestEnv::with(World::cafe(), choices).await;
            if let Some(fault) = fault {
                env.server.fail([1], fault);
            }
            env.proxy.script([act.clone()]);
            let result = write(&env.client, operation).await;
            let case = format!(
                "{operation}, {fault:?}, {act:?}, failures stored: {failures_stored}: {result:?}"
            );
            let (Done(times) | Unknown(times)) = expected;
            assert_eq!(state(&env.server.account()), executed(operation, times).await, "{case}");
            match (&result, expected) {
                (Ok(()), Done(_)) => {}
                (Err(error), Unknown(_)) => assert_eq!(error.outcome(), Outcome::Unknown, "{case}"),
                _ => panic!("{case}"),
            }
        }
    }
}

#[tokio::test]
async fn a_service_that_always_fails_is_asked_four_times_and_never_for_ever() {
    for (operation, _) in TABLE {
        let env = TestEnv::new().await;
        env.server.fail(1..=99, &Fault::Before(503));
        let error = write(&env.client, operation).await.unwrap_err();
        assert_eq!((error.outcome(), error.status()), (Outcome::Unknown, Some(503)), "{operation}");
        let tries = env.answered().iter().filter(|(name, _)| *name == operation).count();
        let expected = if operation == "deleteSlots" { 1 } else { 4 };
        assert_eq!(tries, expected, "{operation}: what cannot be looked at is not sent again");
    }
}

#[tokio::test]
async fn a_call_that_is_safe_to_repeat_has_no_effect_twice() {
    let creates = [
        "createProfile",
        "createForm",
        "createSlot",
        "createSlots",
        "uploadFile",
        "createUploadUrl",
    ];
    for (operation, _) in TABLE {
        let env = TestEnv::new().await;
        env.proxy.script((0..4).map(|_| Act::reset_after()));
        let Err(error) = write(&env.client, operation).await else {
            assert_eq!(operation, "deleteSlots", "it looks, and finds itself done");
            continue;
        };
        assert_eq!(error.outcome(), Outcome::Unknown, "{operation}: {error}");
        assert_eq!(error.is_safe_to_repeat(), !creates.contains(&operation), "{operation}");
        assert_eq!(error.idempotency_key().is_some(), creates.contains(&operation), "{operation}");
        if error.is_safe_to_repeat() {
            let _ = write(&env.client, operation).await;
        }
        let once = executed(operation, 1).await;
        assert_eq!(state(&env.server.account()), once, "{operation}");
    }
}

#[tokio::test]
async fn a_create_that_had_no_effect_is_safe_to_repeat() {
    let env = TestEnv::new().await;
    env.server.fail(1..=99, &Fault::RateLimited(Some("9000".to_owned())));
    let error = write(&env.client, "createSlot").await.unwrap_err();
    assert!(error.is_rate_limited() && error.is_safe_to_repeat(), "{error}");
}
