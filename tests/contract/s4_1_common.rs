//! Section 4.1, rules 1-3, 5 and 6: addressing, tokens, dry runs, statuses, literal segments.

use std::time::Duration;

use links_fixtures::World;
use serde_json::{Value, json};

use crate::operations::{Addresses, Body, operations};
use crate::support::{Api, id_of, ids_query};

#[tokio::test]
async fn rule_4_1_1_a_profile_is_addressed_by_id_or_login() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for rest in ["", "/settings", "/slots", "/analytics"] {
        let by_id = api.get(&page.at(rest)).await.is(200);
        let by_login = api.get(&format!("/profiles/cafe{rest}")).await.is(200);
        assert_eq!(by_id.data(), by_login.data(), "{rest}");
    }
}

#[tokio::test]
async fn rule_4_1_1_a_numeric_segment_is_always_an_id() {
    let api = Api::cafe().await;
    let digits = api.post("/profiles").json(&json!({"login": "40404040"})).await.is(201);
    api.get("/profiles/40404040").await.refused(404);
    let by_id = api.get(&format!("/profiles/{}", digits.data()["id"])).await.is(200);
    assert_eq!(by_id.data()["login"], "40404040");
}

#[tokio::test]
async fn rule_4_1_2_every_endpoint_but_the_index_requires_a_token() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    for operation in operations(&api, &page).await {
        if operation.name == "getApiIndex" {
            operation.on(&api).anonymous().await.is(200);
        } else {
            operation.on(&api).anonymous().await.refused(401);
            operation.on(&api).token("no-such-token").await.refused(401);
        }
    }
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_1_2_reading_needs_read_and_writing_needs_write() {
    let api = Api::read_only().await;
    let page = api.page().await;
    let before = api.state().await;
    for operation in operations(&api, &page).await {
        if operation.writes() {
            operation.on(&api).await.refused(403);
        } else {
            operation.on(&api).await.is(operation.success);
        }
    }
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_1_3_a_dry_run_answers_204_and_does_nothing() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    for operation in operations(&api, &page).await.iter().filter(|operation| operation.writes()) {
        let answer = operation.on(&api).dry_run().await.is(204);
        assert_eq!(answer.text, "", "{} has a body", operation.name);
        assert_eq!(api.state().await, before, "{} executed its dry run", operation.name);
    }
}

#[tokio::test]
async fn rule_4_1_3_only_the_value_true_asks_for_a_dry_run() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let body = json!({"title": "Executed"});
    api.patch(&page.at("")).json(&body).header("Precognition", "false").await.is(200);
    assert_eq!(api.get(&page.at("")).await.is(200).data()["title"], "Executed");
}

#[tokio::test]
async fn rule_4_1_3_a_dry_run_of_bad_values_answers_422_like_the_write_would() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    for operation in operations(&api, &page).await {
        let Some(invalid) = &operation.invalid else { continue };
        let ask = || api.ask(&operation.method, &operation.path).json(invalid);
        let dry = ask().dry_run().await.refused(422);
        let wet = ask().await.refused(422);
        assert_eq!(dry.error_keys(), wet.error_keys(), "{}", operation.name);
        assert_eq!(api.state().await, before, "{} changed something", operation.name);
    }
}

#[tokio::test]
async fn rule_4_1_3_a_dry_run_of_deletes_names_the_ids_that_are_not_there() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let path = page.at("/slots?ids[]=999999999");
    api.delete(&path).dry_run().await.refused(422);
}

#[tokio::test]
async fn rule_4_1_3_a_dry_run_still_needs_its_record_and_ability() {
    let api = Api::read_only().await;
    let page = api.page().await;
    api.patch(&page.at("")).json(&json!({"title": "T"})).dry_run().await.refused(403);
    let api = Api::cafe().await;
    api.patch("/profiles/999999999").json(&json!({"title": "T"})).dry_run().await.refused(404);
}

#[tokio::test]
async fn rule_4_1_5_records_that_do_not_exist_are_404_on_every_endpoint_that_addresses_one() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    let mut tried = 0;
    for operation in operations(&api, &page).await {
        if matches!(operation.addresses, Addresses::Account | Addresses::Release) {
            continue;
        }
        let missing = operation
            .missing
            .as_ref()
            .unwrap_or_else(|| panic!("{} addresses a record", operation.name));
        operation.on_path(&api, missing).await.refused(404);
        tried += 1;
    }
    assert_eq!(tried, 19, "the table addresses records in 19 rows");
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_1_5_a_slot_of_another_page_is_404() {
    let api = Api::cafe().await;
    let slot = id_of(&api.page().await.slot("text").await);
    let other = api.post("/profiles").json(&json!({"login": "other.page"})).await.is(201);
    let path = format!("/profiles/{}/slots/{slot}", other.data()["id"]);
    api.get(&path).await.refused(404);
    api.patch(&path).json(&json!({"data": {"title": "Mine now"}})).await.refused(404);
    api.delete(&path).await.refused(404);
}

#[tokio::test]
async fn rule_4_1_5_every_authenticated_endpoint_can_be_429() {
    let (api, clock) = Api::limited(World::cafe()).await;
    let page = api.page().await;
    clock.advance(Duration::from_secs(60));
    let rows = operations(&api, &page).await;
    clock.advance(Duration::from_secs(60));
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
    for operation in rows.iter().filter(|operation| operation.name != "getApiIndex") {
        operation.on(&api).await.refused(429);
    }
}

#[tokio::test]
async fn rule_4_1_5_every_write_with_a_body_can_be_422() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut tried = 0;
    for operation in operations(&api, &page).await {
        match (&operation.body, &operation.invalid) {
            (Body::None, _) => assert_eq!(operation.invalid, None),
            (_, None) => panic!("{} has a body and no bad one", operation.name),
            (_, Some(invalid)) => {
                api.ask(&operation.method, &operation.path).json(invalid).await.refused(422);
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 11);
}

#[tokio::test]
async fn rule_4_1_5_a_body_that_is_no_object_is_422() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = api.state().await;
    for operation in operations(&api, &page).await {
        if let Body::Json(_) = operation.body {
            let ask = || api.ask(&operation.method, &operation.path);
            ask().json(&json!("text")).await.refused(422);
            ask().body("application/json", "{\"cut").await.refused(422);
        }
    }
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_1_5_reads_with_parameters_refuse_bad_ones() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for path in [
        "/profiles/check-login".to_owned(),
        "/music/lookup".to_owned(),
        "/analytics?period=lately".to_owned(),
        page.at("/analytics?bucket=hour"),
    ] {
        api.get(&path).await.refused(422);
    }
}

#[tokio::test]
async fn rule_4_1_6_batch_and_order_are_not_slot_ids() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before = page.slots().await;
    for segment in ["batch", "order"] {
        let path = page.at(&format!("/slots/{segment}"));
        for answer in [
            api.get(&path).await,
            api.patch(&path).json(&json!({"data": {}})).await,
            api.delete(&path).await,
        ] {
            assert!(
                matches!(answer.status, 404 | 405),
                "{} answered {}",
                answer.asked,
                answer.status
            );
        }
    }
    let reversed: Vec<i64> = before.iter().rev().map(id_of).collect();
    let ordered = api.put(&page.at("/slots/order")).json(&json!({"order": reversed})).await.is(200);
    assert_eq!(ordered.data().as_array().map(Vec::len), Some(before.len()));
    let created = api
        .post(&page.at("/slots/batch"))
        .json(&json!({"slots": [{"type": "divider"}]}))
        .await
        .is(201);
    assert_eq!(created.data().as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn rule_4_1_5_one_bad_id_among_good_ones_leaves_everything_as_it_was() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let before: Value = api.state().await;
    let ids = page.ids().await;
    api.delete(&page.at(&format!("/slots?{}", ids_query(&[ids[0], 999_999_999]))))
        .await
        .refused(422);
    assert_eq!(api.state().await, before);
}
