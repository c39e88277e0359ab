//! Section 4.6, rules 1, 4, 7 and 8: one slot at a time.

use serde_json::{Value, json};

use crate::operations::KNOWN_MUSIC;
use crate::support::{Api, id_of};

#[tokio::test]
async fn rule_4_6_1_type_is_required_and_one_of_the_writable_ones() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let create = |body: Value| api.post(&page.at("/slots")).json(&body);
    create(json!({})).await.names(&["type"]);
    create(json!({"type": "carousel"})).await.names(&["type"]);
    create(json!({"type": 3})).await.names(&["type"]);
    assert_eq!(page.ids().await.len(), 14);
}

#[tokio::test]
async fn rule_4_6_1_without_order_the_slot_goes_to_the_end() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut expected = page.ids().await;
    expected.push(page.add_text("Last").await);
    assert_eq!(page.ids().await, expected);
}

#[tokio::test]
async fn rule_4_6_1_order_places_the_slot() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for order in [0, 3] {
        let mut expected = page.ids().await;
        let created = api
            .post(&page.at("/slots"))
            .json(&json!({"type": "divider", "order": order}))
            .await
            .is(201);
        expected.insert(order, id_of(created.data()));
        assert_eq!(page.ids().await, expected, "order {order}");
    }
}

#[tokio::test]
async fn rule_4_6_1_order_is_an_integer_of_at_least_zero() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for order in [json!(-1), json!("first"), json!(1.5)] {
        api.post(&page.at("/slots"))
            .json(&json!({"type": "divider", "order": order}))
            .await
            .names(&["order"]);
    }
}

#[tokio::test]
async fn rule_4_6_1_data_is_an_object_of_the_type() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let create = |body: Value| api.post(&page.at("/slots")).json(&body);
    create(json!({"type": "button", "data": "text"})).await.refused(422);
    let wrong = json!({"title": 7, "link": "https://example.com"});
    create(json!({"type": "button", "data": wrong})).await.names(&["data.title"]);
    let foreign = json!({"title": "T", "description": "D", "formId": "x"});
    create(json!({"type": "text", "data": foreign})).await.names(&["data.formId"]);
}

#[tokio::test]
async fn rule_4_6_1_creating_an_event_is_409() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    api.post(&page.at("/slots")).json(&json!({"type": "event", "data": {}})).await.refused(409);
    assert_eq!(page.slots().await, before);
}

#[tokio::test]
async fn rule_4_6_1_the_501st_slot_is_409() {
    let api = Api::full().await;
    let profiles = api.get("/profiles").await.is(200);
    let mut fullest = String::new();
    for profile in profiles.data().as_array().expect("profiles") {
        let slots = format!("/profiles/{}/slots", profile["id"]);
        if api.get(&slots).await.is(200).data().as_array().map(Vec::len) == Some(499) {
            fullest = slots;
            break;
        }
    }
    let divider = json!({"type": "divider"});
    api.post(&fullest).json(&divider).await.is(201);
    api.post(&fullest).json(&divider).await.refused(409);
    assert_eq!(api.get(&fullest).await.is(200).data().as_array().map(Vec::len), Some(500));
}

#[tokio::test]
async fn rule_4_6_4_data_is_merged_at_the_top_level() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"type": "button", "data": {"title": "Old", "link": "https://example.com/a", "style": "primary"}});
    let slot = api.post(&page.at("/slots")).json(&body).await.is(201).data().clone();
    let one = page.at(&format!("/slots/{}", slot["id"]));
    let updated = api.patch(&one).json(&json!({"data": {"title": "New"}})).await.is(200);
    assert_eq!(updated.data()["data"]["title"], "New");
    assert_eq!(updated.data()["data"]["link"], "https://example.com/a");
    assert_eq!(updated.data()["data"]["style"], "primary");
    assert_eq!(&page.reread(&slot).await, updated.data());
    assert_eq!(updated.data()["id"], slot["id"]);
}

#[tokio::test]
async fn rule_4_6_4_a_nested_value_is_replaced_whole() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let faq = page.slot("faq").await;
    let one = page.at(&format!("/slots/{}", faq["id"]));
    let items = faq["data"]["items"].as_array().expect("questions");
    assert!(items.len() > 1, "the café answers more than one question");
    let updated = api.patch(&one).json(&json!({"data": {"items": items[1..]}})).await.is(200);
    assert_eq!(updated.data()["data"]["items"], json!(items[1..]));
}

#[tokio::test]
async fn rule_4_6_4_data_is_required_and_the_type_stays() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let text = page.slot("text").await;
    let one = page.at(&format!("/slots/{}", text["id"]));
    api.patch(&one).await.names(&["data"]);
    api.patch(&one).json(&json!({})).await.names(&["data"]);
    api.patch(&one).json(&json!({"data": {"title": "T"}, "type": "text"})).await.names(&["type"]);
    api.patch(&one).json(&json!({"data": {"title": "T"}, "order": 0})).await.names(&["order"]);
    assert_eq!(page.reread(&text).await, text);
}

#[tokio::test]
async fn rule_4_6_4_an_event_is_not_written_to() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let event = page.slot("event").await;
    let one = page.at(&format!("/slots/{}", event["id"]));
    api.patch(&one).json(&json!({"data": {}})).await.refused(409);
    let batch = json!({"slots": [{"id": event["id"], "data": {}}]});
    api.patch(&page.at("/slots")).json(&batch).await.refused(409);
    assert_eq!(page.reread(&event).await, event);
}

#[tokio::test]
async fn rule_4_6_7_a_looked_up_release_becomes_a_slot_unchanged() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let slot = api.get(KNOWN_MUSIC).await.is(200).data()["slot"].clone();
    let created = api.post(&page.at("/slots")).json(&slot).await.is(201);
    assert_eq!(created.data()["type"], "music");
    assert_eq!(page.reread(created.data()).await["data"], slot["data"]);
}

#[tokio::test]
async fn rule_4_6_8_a_form_slot_needs_a_form_of_the_account() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let create =
        |data: Value| api.post(&page.at("/slots")).json(&json!({"type": "form", "data": data}));
    let created = create(json!({"formId": api.form().await})).await.is(201);
    assert_eq!(created.data()["data"]["formId"], api.form().await);
    create(json!({})).await.names(&["data.formId"]);
    create(json!({"formId": "00000000-0000-4000-8000-000000000000"})).await.names(&["data.formId"]);
    create(json!({"formId": "not a uuid"})).await.names(&["data.formId"]);
}

#[tokio::test]
async fn rule_4_6_8_a_form_made_over_the_interface_can_be_embedded() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form =
        json!({"title": "Order", "fields": [{"type": "text", "label": "What", "required": true}]});
    let form = api.post("/forms").json(&form).await.is(201);
    let data = json!({"formId": form.data()["id"], "view": "button", "buttonText": "Order now"});
    let slot =
        api.post(&page.at("/slots")).json(&json!({"type": "form", "data": data})).await.is(201);
    assert_eq!(page.reread(slot.data()).await["data"]["formId"], form.data()["id"]);
}
