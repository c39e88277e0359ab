//! Tests of reading under every way in which the service may write its answers.

use links_fixtures::Choices;
use links_sdk::types::SlotChange;
use links_sdk::{AnalyticsQuery, Client, RateLimits, Token};
use links_test_support::proxy::{Act, Proxy};

use crate::{cafe, cafe_with};

#[tokio::test]
async fn every_spelling_of_the_answers_reads_alike() {
    let plain = read(Choices::default()).await;
    let spellings = [
        Choices { empty_objects: true, ..Choices::default() },
        Choices { channel_ids_by_index: true, ..Choices::default() },
        Choices { unknown_fields: true, ..Choices::default() },
        Choices { analytics_by_id: true, ..Choices::default() },
        Choices { no_status_feature: true, ..Choices::default() },
    ];
    for choices in spellings {
        assert_eq!(read(choices.clone()).await, plain, "{choices:?}");
    }
}

/// Returns records of a café as a client decodes them, under the given choices.
async fn read(choices: Choices) -> Vec<String> {
    let (_server, client) = cafe_with(choices).await;
    let page = client.profile("cafe").get_with_slots().await.unwrap();
    let mut seen: Vec<String> = page
        .slots
        .iter()
        .map(|slot| format!("{} {} {:?} {}", slot.id, slot.kind, slot.data, slot.supported))
        .collect();
    for form in client.forms().list().await.unwrap() {
        seen.push(format!("{} {:?}", form.title, form.notification_channel_ids));
    }
    for slot_type in client.slot_types().await.unwrap() {
        seen.push(format!("{} {:?}", slot_type.kind, slot_type.computed));
    }
    client.analytics(AnalyticsQuery::default()).await.unwrap();
    client.me().await.unwrap();
    seen
}

#[tokio::test]
async fn unknown_fields_are_kept_where_records_are_read() {
    let choices = Choices { unknown_fields: true, ..Choices::default() };
    let (_server, client) = cafe_with(choices).await;
    let page = client.profile("cafe").get_with_slots().await.unwrap();
    assert!(!page.extra.is_empty() && !page.slots[0].extra.is_empty());
    assert!(!client.forms().list().await.unwrap()[0].extra.is_empty());
}

#[tokio::test]
async fn legacy_slots_are_read_whatever_type_they_show() {
    for legacy_as_buttons in [false, true] {
        let choices = Choices { legacy_as_buttons, ..Choices::default() };
        let (_server, client) = cafe_with(choices).await;
        let slots = client.profile("cafe").slots().list().await.unwrap();
        assert_eq!(slots.iter().filter(|slot| !slot.supported).count(), 2);
    }
}

#[tokio::test]
async fn the_answer_can_be_had_as_it_was_sent() {
    let (_server, client) = cafe().await;
    let answer = client.profiles().list().answer().await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(body["meta"]["total"], 2);
    assert_eq!(body["data"][0]["login"], client.profiles().list().await.unwrap()[0].login);
    let error = client.profile("nobody.here").get().answer().await.unwrap_err();
    assert!(error.is_not_found() && error.status() == Some(404));
}

#[tokio::test]
async fn an_update_may_answer_the_named_slots_or_the_whole_page() {
    for whole_page_updated in [false, true] {
        let choices = Choices { whole_page_updated, ..Choices::default() };
        let (_server, client) = cafe_with(choices).await;
        let slots = client.profile("cafe").slots();
        let text =
            slots.list().await.unwrap().into_iter().find(|slot| slot.kind == "text").unwrap();
        let change = SlotChange::new(text.id, [("title", "Anew")]);
        let changed = slots.update_batch(vec![change]).await.unwrap();
        assert!(changed.iter().any(|slot| slot.id == text.id && slot.data["title"] == "Anew"));
    }
}

#[tokio::test]
async fn a_page_that_is_answered_without_its_slots_is_not_taken_for_an_empty_one() {
    let (server, direct) = cafe().await;
    let whole = direct.profile("cafe").get_with_slots().await.unwrap();
    let bare = direct.profile("cafe").get().answer().await.unwrap();
    let proxy = Proxy::before(&server);
    let builder = Client::builder(proxy.base_url()).token(Token::new(server.token()).unwrap());
    let client = builder.rate_limits(RateLimits::unlimited()).build().unwrap();
    let headers = [("Content-Type", "application/json")];
    proxy.script([Act::answer(200, &headers, bare.body())]);
    let page = client.profile("cafe").get_with_slots().await.unwrap();
    assert_eq!((page.slots.len(), page), (14, whole));
}
