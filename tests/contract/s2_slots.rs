//! Section 2.2 and 2.3: slots and the description of their types.

use std::collections::BTreeSet;

use boon::{CompileError, Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use crate::shapes;
use crate::support::{Api, id_of};

pub(crate) const SLOT_TYPES: [&str; 12] = [
    "button", "picture", "gallery", "text", "youtube", "faq", "divider", "event", "music", "form",
    "wishlist", "question",
];

#[tokio::test]
async fn rule_2_2_a_slot_has_the_documented_fields() {
    let api = Api::cafe().await;
    let slots = api.page().await.slots().await;
    assert_eq!(slots.len(), 14);
    for slot in &slots {
        shapes::slot("slot", slot);
    }
    let supported: BTreeSet<_> = slots
        .iter()
        .filter(|slot| slot["supported"] == true)
        .filter_map(|slot| slot["type"].as_str())
        .collect();
    assert_eq!(supported, BTreeSet::from(SLOT_TYPES), "the café shows every type");
    let ids: BTreeSet<_> = slots.iter().map(id_of).collect();
    assert_eq!(ids.len(), slots.len(), "ids are unique");
}

#[tokio::test]
async fn rule_2_2_eleven_types_are_accepted_on_create_and_event_is_not() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for slot_type in SLOT_TYPES {
        let described = api.get(&format!("/slot-types/{slot_type}")).await.is(200);
        let mut data = described.data()["example"].clone();
        if slot_type == "form" {
            data["formId"] = json!(api.form().await);
        }
        let answer =
            api.post(&page.at("/slots")).json(&json!({"type": slot_type, "data": data})).await;
        if slot_type == "event" {
            answer.refused(409);
        } else {
            let answer = answer.is(201);
            assert_eq!(answer.data()["type"], slot_type);
            assert_eq!(answer.data()["supported"], true);
        }
    }
}

#[tokio::test]
async fn rule_2_2_observed_fields_are_stored() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let form = api.form().await;
    for (slot_type, data) in [
        (
            "button",
            json!({"title": "Menu", "link": "https://example.com/menu", "style": "primary"}),
        ),
        ("text", json!({"title": "Hours", "description": "9 to 5"})),
        ("form", json!({"formId": form, "view": "button", "buttonText": "Write"})),
    ] {
        let answer = api
            .post(&page.at("/slots"))
            .json(&json!({"type": slot_type, "data": data}))
            .await
            .is(201);
        let stored = page.reread(answer.data()).await;
        for (field, value) in data.as_object().expect("fields") {
            assert_eq!(&stored["data"][field], value, "{slot_type}.{field}");
        }
    }
}

#[tokio::test]
async fn rule_2_2_a_divider_accepts_an_empty_object_or_array() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for body in [
        json!({"type": "divider"}),
        json!({"type": "divider", "data": {}}),
        json!({"type": "divider", "data": []}),
    ] {
        let answer = api.post(&page.at("/slots")).json(&body).await.is(201);
        assert!(
            matches!(&answer.data()["data"], Value::Array(items) if items.is_empty()),
            "{}",
            answer.text
        );
    }
    let filled = json!({"type": "divider", "data": {"height": 2}});
    api.post(&page.at("/slots")).json(&filled).await.names(&["data.height"]);
}

#[tokio::test]
async fn rule_2_2_legacy_slots_are_listed_deleted_and_reordered_but_not_edited() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let legacy: Vec<_> =
        page.slots().await.into_iter().filter(|slot| slot["supported"] == false).collect();
    assert_eq!(legacy.len(), 2);
    let one = page.at(&format!("/slots/{}", legacy[0]["id"]));

    let edit = api.patch(&one).json(&json!({"data": {"title": "Edited"}})).await;
    assert!(matches!(edit.status, 409 | 422), "{}", edit.text);
    let edit = json!({"slots": [{"id": legacy[0]["id"], "data": {"title": "Edited"}}]});
    let edit = api.patch(&page.at("/slots")).json(&edit).await;
    assert!(matches!(edit.status, 409 | 422), "{}", edit.text);
    assert_eq!(page.reread(&legacy[0]).await, legacy[0]);

    let mut order = page.ids().await;
    order.reverse();
    api.put(&page.at("/slots/order")).json(&json!({"order": order})).await.is(200);
    assert_eq!(page.ids().await, order);

    api.delete(&one).await.is(204);
    api.delete(&page.at(&format!("/slots?ids[]={}", legacy[1]["id"]))).await.is(200);
    assert_eq!(page.ids().await.len(), 12);
}

#[tokio::test]
async fn rule_2_2_every_offending_key_in_data_is_listed() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let data = json!({"title": "T", "link": "https://example.com", "colour": "red", "size": 3});
    let expected = ["data.colour", "data.size"];
    api.post(&page.at("/slots"))
        .json(&json!({"type": "button", "data": data}))
        .await
        .names(&expected);
    let one = page.at(&format!("/slots/{}", page.slot("button").await["id"]));
    api.patch(&one).json(&json!({"data": {"colour": "red", "size": 3}})).await.names(&expected);
}

#[tokio::test]
async fn rule_2_2_computed_fields_in_data_are_refused() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let mut tried = 0;
    for slot_type in SLOT_TYPES {
        let described = api.get(&format!("/slot-types/{slot_type}")).await.is(200);
        let Some(computed) = described.data()["computed"].as_object() else { continue };
        if described.data()["writable"] == false {
            continue;
        }
        let mut data = described.data()["example"].clone();
        let mut expected = Vec::new();
        for field in computed.keys() {
            data[field] = json!("sent back");
            expected.push(format!("data.{field}"));
            tried += 1;
        }
        if slot_type == "form" {
            data["formId"] = json!(api.form().await);
        }
        let refused = api
            .post(&page.at("/slots"))
            .json(&json!({"type": slot_type, "data": data}))
            .await
            .refused(422);
        expected.sort();
        assert_eq!(refused.error_keys(), expected, "{slot_type}: {}", refused.text);
    }
    assert!(tried > 0, "no slot type has a computed field");
}

#[tokio::test]
async fn rule_2_3_every_slot_type_is_described_with_a_valid_schema() {
    let api = Api::cafe().await;
    let listed = api.get("/slot-types").await.is(200);
    let types = shapes::records("slot types", listed.data(), shapes::SLOT_TYPE);
    let names: Vec<_> = types.iter().filter_map(|described| described["type"].as_str()).collect();
    assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from(SLOT_TYPES));
    assert_eq!(names.len(), SLOT_TYPES.len());
    for described in types {
        assert_eq!(described["writable"], described["type"] != "event", "{described}");
        compiled(&described["schema"])
            .unwrap_or_else(|error| panic!("{} has no valid schema: {error}", described["type"]));
    }
}

#[tokio::test]
async fn rule_2_3_examples_follow_their_schema() {
    let api = Api::cafe().await;
    for described in api.get("/slot-types").await.is(200).data().as_array().expect("types") {
        let example = match &described["example"] {
            Value::Array(_) => json!({}),
            example => example.clone(),
        };
        let (schemas, root) = compiled(&described["schema"]).expect("a schema");
        let errors = schemas.validate(&example, root);
        assert!(errors.is_ok(), "{}: {errors:?}", described["type"]);
    }
}

fn compiled(schema: &Value) -> Result<(Schemas, SchemaIndex), String> {
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let why = |error: CompileError| format!("{error:#}");
    compiler.add_resource("https://service.example/schema", schema.clone()).map_err(why)?;
    let root = compiler.compile("https://service.example/schema", &mut schemas).map_err(why)?;
    Ok((schemas, root))
}
