//! Tests of writes: keys, dry runs, and refusals before anything is sent.

use links_sdk::types::NewSlot;
use links_sdk::{Client, FormChanges, IdempotencyKey, NewProfile, Outcome, ProfileChanges, Token};

use crate::{cafe, idempotency_keys};

#[tokio::test]
async fn creates_carry_a_key_and_nothing_else_does() {
    let (server, client) = cafe().await;
    let slots = client.profile("cafe").slots();
    slots.create(NewSlot::of("divider")).await.unwrap();
    slots.create_batch(vec![NewSlot::of("divider")]).await.unwrap();
    client.profiles().create(NewProfile::with_login("new.page")).await.unwrap();
    client.files().create_upload_url().await.unwrap();
    client.profile("cafe").update(ProfileChanges::default().title("T")).await.unwrap();
    let keys = idempotency_keys(&server);
    assert!(keys[..4].iter().all(Option::is_some) && keys[4].is_none(), "{keys:?}");
    let different: std::collections::HashSet<_> = keys[..4].iter().collect();
    assert_eq!(different.len(), 4);
}

#[tokio::test]
async fn the_same_key_creates_once() {
    let (_server, client) = cafe().await;
    let slots = client.profile("cafe").slots();
    let key = IdempotencyKey::new("mine").unwrap();
    let first =
        slots.create(NewSlot::of("divider")).with_idempotency_key(key.clone()).await.unwrap();
    let second =
        slots.create(NewSlot::of("divider")).with_idempotency_key(key.clone()).await.unwrap();
    assert_eq!(first, second);
    let other = slots
        .create(NewSlot::of("text").with("title", "T"))
        .with_idempotency_key(key)
        .await
        .unwrap_err();
    assert!(other.is_validation(), "{other}");
}

#[tokio::test]
async fn a_dry_run_writes_nothing_and_carries_no_key() {
    let (server, client) = cafe().await;
    let slots = client.profile("cafe").slots();
    let before = slots.list().await.unwrap();
    server.forget_requests();
    slots.create(NewSlot::of("divider")).dry_run().await.unwrap();
    slots.create_batch(vec![NewSlot::of("divider")]).dry_run().await.unwrap();
    client.profiles().create(NewProfile::with_login("new.page")).dry_run().await.unwrap();
    client.profile("cafe").update(ProfileChanges::default().title("T")).dry_run().await.unwrap();
    slots.reorder(before.iter().rev().map(|slot| slot.id)).dry_run().await.unwrap();
    for request in server.requests() {
        assert_eq!((request.status, request.header("precognition")), (204, Some("true")));
        assert_eq!(request.header("idempotency-key"), None);
    }
    assert_eq!(slots.list().await.unwrap(), before);
    let refused = slots.create(NewSlot::of("text").with("titel", "T")).dry_run().await.unwrap_err();
    assert!(refused.field_errors().contains_key("data.titel"));
}

#[tokio::test]
async fn a_form_is_made_changed_and_cleared() {
    let (_server, client) = cafe().await;
    let fields = serde_json::json!({"title": "Write to us", "description": "Soon", "fields": [{"type": "text", "label": "Name", "required": true}]});
    let form = client
        .forms()
        .create(FormChanges(links_sdk::Object(fields.as_object().unwrap().clone())))
        .await
        .unwrap();
    assert!(form.active && form.description.as_deref() == Some("Soon"));
    let changed = client
        .form(&form.id)
        .update(FormChanges::default().clear_description().enabled(false))
        .await
        .unwrap();
    assert_eq!((changed.description, changed.active), (None, false));
    assert_eq!(changed.fields, form.fields);
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_anything_is() {
    let (server, client) = cafe().await;
    for key in ["..", "a/b", "%2e%2e", "0", "9223372036854775808", &"x".repeat(61)] {
        let error = client.profile(key).get().await.unwrap_err();
        assert!(
            error.is_invalid_input() && error.outcome() == Outcome::NotExecuted,
            "{key}: {error}"
        );
    }
    for id in [0, -1, i64::MIN] {
        assert!(client.profile("cafe").slots().get(id).await.unwrap_err().is_invalid_input());
        assert!(client.profile("cafe").slots().delete(id).await.unwrap_err().is_invalid_input());
    }
    assert!(client.form("../me").get().await.unwrap_err().is_invalid_input());
    assert!(client.slot_type("a/b").await.unwrap_err().is_invalid_input());
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn errors_say_what_the_service_said() {
    let (server, client) = cafe().await;
    let nobody =
        Client::builder(server.base_url()).token(Token::new("wrong").unwrap()).build().unwrap();
    assert!(nobody.me().await.unwrap_err().is_not_authenticated());
    let error = client.profile("cafe").slots().create(NewSlot::of("event")).await.unwrap_err();
    assert!(error.is_conflict() && error.outcome() == Outcome::NotExecuted);
    assert!(error.idempotency_key().is_some());
    let service = error.service().unwrap();
    assert!(error.to_string().contains(&service.message) && !service.code.is_empty());
    assert!(client.slot_type("hologram").await.unwrap_err().is_not_found());
}
