//! Section 4.6, rules 2, 3, 5 and 6: many slots in one request.

use serde_json::{Value, json};

use crate::support::{Api, PageApi, id_of, ids_query};

fn dividers(count: usize) -> Value {
    json!({"slots": vec![json!({"type": "divider"}); count]})
}

/// Fills a page with slots that may all be deleted, and returns their ids.
async fn with_texts(api: &Api, page: &PageApi<'_>, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    for chunk in
        vec![json!({"type": "text", "data": {"title": "T", "description": "D"}}); count].chunks(50)
    {
        let created =
            api.post(&page.at("/slots/batch")).json(&json!({"slots": chunk})).await.is(201);
        ids.extend(created.data().as_array().expect("slots").iter().map(id_of));
    }
    ids
}

#[tokio::test]
async fn rule_4_6_2_array_order_is_page_order() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut expected = page.ids().await;
    let text = |title: &str| json!({"type": "text", "data": {"title": title, "description": ""}});
    let body = json!({"slots": [text("one"), {"type": "divider"}, text("three")]});
    let created = api.post(&page.at("/slots/batch")).json(&body).await.is(201);
    let created = created.data().as_array().expect("slots").clone();
    assert_eq!(created[0]["data"]["title"], "one");
    assert_eq!(created[1]["type"], "divider");
    assert_eq!(created[2]["data"]["title"], "three");
    expected.extend(created.iter().map(id_of));
    assert_eq!(page.ids().await, expected);
}

#[tokio::test]
async fn rule_4_6_2_at_most_50_items() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let path = page.at("/slots/batch");
    api.post(&path).json(&dividers(51)).await.names(&["slots"]);
    assert_eq!(page.ids().await.len(), 14);
    let created = api.post(&path).json(&dividers(50)).await.is(201);
    assert_eq!(created.data().as_array().map(Vec::len), Some(50));
    assert_eq!(page.ids().await.len(), 64);
}

#[tokio::test]
async fn rule_4_6_2_an_error_in_the_third_item_is_keyed_and_nothing_is_created() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    let good = json!({"type": "text", "data": {"title": "T", "description": "D"}});
    let bad = json!({"type": "text", "data": {"title": "T", "colour": "red"}});
    let path = page.at("/slots/batch");
    api.post(&path)
        .json(&json!({"slots": [good, good, bad]}))
        .await
        .names(&["slots.2.data.colour"]);
    let untyped = json!({"data": {"title": "T"}});
    api.post(&path).json(&json!({"slots": [good, untyped]})).await.names(&["slots.1.type"]);
    let labelled = json!({"type": "divider", "id": 9});
    api.post(&path).json(&json!({"slots": [labelled, good]})).await.names(&["slots.0.id"]);
    assert_eq!(page.slots().await, before);
}

#[tokio::test]
async fn rule_4_6_2_errors_of_several_items_are_all_listed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let bad = json!({"type": "text", "data": {"title": "T", "colour": "red", "size": 1}});
    let expected =
        ["slots.0.data.colour", "slots.0.data.size", "slots.2.data.colour", "slots.2.data.size"];
    let body = json!({"slots": [bad, {"type": "divider"}, bad]});
    api.post(&page.at("/slots/batch")).json(&body).await.names(&expected);
}

#[tokio::test]
async fn rule_4_6_2_slots_is_required_and_an_array() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for body in [json!({}), json!({"slots": "all"}), json!({"slots": {"type": "divider"}})] {
        api.post(&page.at("/slots/batch")).json(&body).await.names(&["slots"]);
        api.patch(&page.at("/slots")).json(&body).await.names(&["slots"]);
    }
}

#[tokio::test]
async fn rule_4_6_2_an_event_in_a_batch_is_409_and_nothing_is_created() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    let body = json!({"slots": [{"type": "divider"}, {"type": "event"}]});
    api.post(&page.at("/slots/batch")).json(&body).await.refused(409);
    assert_eq!(page.slots().await, before);
}

#[tokio::test]
async fn rule_4_6_2_a_batch_that_would_pass_500_slots_is_409_and_nothing_is_created() {
    let api = Api::cafe().await;
    let page = api.page().await;
    with_texts(&api, &page, 500 - 14 - 3).await;
    assert_eq!(page.ids().await.len(), 497);
    api.post(&page.at("/slots/batch")).json(&dividers(4)).await.refused(409);
    assert_eq!(page.ids().await.len(), 497);
    api.post(&page.at("/slots/batch")).json(&dividers(3)).await.is(201);
    assert_eq!(page.ids().await.len(), 500);
}

#[tokio::test]
async fn rule_4_6_3_data_is_merged_at_the_top_level_and_ids_and_places_are_kept() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let order = page.ids().await;
    let (text, button) = (page.slot("text").await, page.slot("button").await);
    let body = json!({"slots": [
        {"id": button["id"], "data": {"title": "New button"}},
        {"id": text["id"], "data": {"description": "New text"}},
    ]});
    api.patch(&page.at("/slots")).json(&body).await.is(200);

    let mut expected = (text, button);
    expected.0["data"]["description"] = json!("New text");
    expected.1["data"]["title"] = json!("New button");
    assert_eq!(page.reread(&expected.0).await["data"], expected.0["data"]);
    assert_eq!(page.reread(&expected.1).await["data"], expected.1["data"]);
    assert_eq!(page.ids().await, order);
}

#[tokio::test]
async fn rule_4_6_3_click_statistics_are_kept() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.get(&page.at("/analytics")).await.is(200).data()["blocks"].clone();
    let button = page.slot("button").await;
    let body =
        json!({"slots": [{"id": button["id"], "data": {"link": "https://example.com/new"}}]});
    api.patch(&page.at("/slots")).json(&body).await.is(200);
    let after = api.get(&page.at("/analytics")).await.is(200);
    assert!(before.is_array() || before.is_object(), "no clicks per block: {}", after.text);
    assert_eq!(after.data()["blocks"], before);
}

#[tokio::test]
async fn rule_4_6_3_a_batch_update_is_all_or_nothing() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    let (text, button) = (page.slot("text").await, page.slot("button").await);
    let good = json!({"id": text["id"], "data": {"title": "Never"}});
    let bad = json!({"id": button["id"], "data": {"colour": "red"}});
    let update = |slots: Value| api.patch(&page.at("/slots")).json(&json!({"slots": slots}));
    update(json!([good, bad])).await.names(&["slots.1.data.colour"]);
    let unknown = update(json!([good, {"id": 999_999_999, "data": {}}])).await;
    assert!(matches!(unknown.status, 404 | 422), "{}", unknown.text);
    assert_eq!(page.slots().await, before);
}

#[tokio::test]
async fn rule_4_6_3_position_and_type_cannot_be_set() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    let text = page.slot("text").await["id"].clone();
    let update = |slot: Value| api.patch(&page.at("/slots")).json(&json!({"slots": [slot]}));
    update(json!({"id": text, "data": {}, "order": 0})).await.names(&["slots.0.order"]);
    update(json!({"id": text, "data": {}, "type": "text"})).await.names(&["slots.0.type"]);
    update(json!({"id": text})).await.names(&["slots.0.data"]);
    update(json!({"data": {}})).await.names(&["slots.0.id"]);
    assert_eq!(page.slots().await, before);
}

#[tokio::test]
async fn rule_4_6_3_at_most_50_items() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let ids = with_texts(&api, &page, 51).await;
    let items = |ids: &[i64]| json!({"slots": ids.iter().map(|id| json!({"id": id, "data": {"title": "New"}})).collect::<Vec<_>>()});
    let before = page.slots().await;
    api.patch(&page.at("/slots")).json(&items(&ids)).await.names(&["slots"]);
    assert_eq!(page.slots().await, before);
    api.patch(&page.at("/slots")).json(&items(&ids[..50])).await.is(200);
}

#[tokio::test]
async fn rule_4_6_5_delete_gives_the_count_deleted_and_the_total_left() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let ids = with_texts(&api, &page, 3).await;
    let deleted = api.delete(&page.at(&format!("/slots?{}", ids_query(&ids)))).await.is(200);
    assert_eq!(deleted.json, json!({"meta": {"deleted": 3, "total": 14}}));
    for id in ids {
        api.get(&page.at(&format!("/slots/{id}"))).await.refused(404);
    }
}

#[tokio::test]
async fn rule_4_6_5_delete_is_all_or_nothing() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let other = api.post("/profiles").json(&json!({"login": "other.page"})).await.is(201);
    let slots = format!("/profiles/{}/slots", other.data()["id"]);
    let foreign = id_of(api.post(&slots).json(&json!({"type": "divider"})).await.is(201).data());

    let own = with_texts(&api, &page, 2).await;
    let before = api.state().await;
    for stranger in [foreign, 999_999_999] {
        let ids = [own[0], stranger, own[1]];
        api.delete(&page.at(&format!("/slots?{}", ids_query(&ids)))).await.refused(422);
        api.delete(&page.at("/slots")).json(&json!({"ids": ids})).await.refused(422);
        assert_eq!(api.state().await, before);
    }
}

#[tokio::test]
async fn rule_4_6_5_at_most_50_ids() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let ids = with_texts(&api, &page, 51).await;
    api.delete(&page.at(&format!("/slots?{}", ids_query(&ids)))).await.names(&["ids"]);
    assert_eq!(page.ids().await.len(), 65);
    let deleted = api.delete(&page.at(&format!("/slots?{}", ids_query(&ids[..50])))).await.is(200);
    assert_eq!(deleted.meta(), &json!({"deleted": 50, "total": 15}));
}

#[tokio::test]
async fn rule_4_6_5_ids_are_integers() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for query in ["ids[]=one", "ids[]=", "ids[]=1.5"] {
        api.delete(&page.at(&format!("/slots?{query}"))).await.names(&["ids.0"]);
    }
    assert_eq!(page.ids().await.len(), 14);
}

#[tokio::test]
async fn rule_4_6_6_order_names_every_slot_exactly_once() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let ids = page.ids().await;
    let other = api.post("/profiles").json(&json!({"login": "other.page"})).await.is(201);
    let slots = format!("/profiles/{}/slots", other.data()["id"]);
    let foreign = id_of(api.post(&slots).json(&json!({"type": "divider"})).await.is(201).data());

    let missing = ids[1..].to_vec();
    let twice = [&ids[..], &ids[..1]].concat();
    let instead = [&ids[1..], &ids[1..2]].concat();
    let extra = [&ids[..], &[999_999_999][..]].concat();
    let swapped = [&ids[1..], &[foreign][..]].concat();
    for order in [missing, twice, instead, extra, swapped, Vec::new()] {
        let refused =
            api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.refused(422);
        assert!(
            refused.error_keys().iter().all(|key| key.starts_with("order")),
            "{}",
            refused.text
        );
        assert_eq!(page.ids().await, ids);
    }
    api.put(&page.at("/slots/order")).json(&json!({})).await.names(&["order"]);
}

#[tokio::test]
async fn rule_4_6_6_the_page_takes_the_order_given() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    let mut expected = before.clone();
    expected.reverse();
    expected.swap(2, 7);
    let order: Vec<i64> = expected.iter().map(id_of).collect();
    let answer = api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    assert_eq!(page.ids().await, order);
    assert_eq!(answer.data(), &Value::Array(page.slots().await));
    for slot in &before {
        assert_eq!(page.reread(slot).await["data"], slot["data"], "moving changes no content");
    }
}

#[tokio::test]
async fn slots_that_ask_for_the_same_place_keep_their_order() {
    for (orders, expected) in [
        (["0", "0", "0"], "abc|"),
        (["2", "2", "2"], "|abc"),
        (["null", "99", "null"], "|abc"),
        (["2", "0", "1"], "bca|"),
        (["1", "null", "1"], "|acb"),
    ] {
        let api = Api::cafe().await;
        let page = api.page().await;
        let present = page.ids().await;
        let items: Vec<Value> = ["a", "b", "c"]
            .iter()
            .zip(orders)
            .map(|(title, order)| {
                let order: Value = serde_json::from_str(order).expect("a number or null");
                json!({"type": "text", "data": {"title": title}, "order": order})
            })
            .collect();
        let created =
            api.post(&page.at("/slots/batch")).json(&json!({"slots": items})).await.is(201);
        let titles = |slots: &[Value]| -> String {
            slots.iter().filter_map(|slot| slot["data"]["title"].as_str()).collect()
        };
        assert_eq!(titles(created.data().as_array().expect("slots")), "abc", "the request's order");
        let slots = page.slots().await;
        let new = |slot: &&Value| !present.contains(&id_of(slot));
        let found: Vec<Value> = slots.iter().filter(new).cloned().collect();
        let order: String = expected.chars().filter(|it| *it != '|').collect();
        assert_eq!(titles(&found), order, "{orders:?}");
        let first = slots.iter().position(|slot| new(&slot)).expect("a new slot");
        assert_eq!(first == 0, expected.ends_with('|'), "{orders:?}");
    }
}
