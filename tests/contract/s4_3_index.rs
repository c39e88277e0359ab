//! Section 4.3: the public entry point.

use serde_json::Value;

use crate::shapes;
use crate::support::Api;

#[track_caller]
fn strings(what: &str, value: &Value, keys: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("{what} is no object: {value}"));
    for key in keys {
        assert!(
            object.get(*key).is_some_and(Value::is_string),
            "{what}.{key} is no string: {value}"
        );
    }
    assert_eq!(object.len(), keys.len(), "{what} has other keys: {:?}", object.keys());
}

#[tokio::test]
async fn rule_4_3_all_fields_are_present() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    shapes::record(
        "index",
        index.data(),
        &[
            ("name", "string"),
            ("version", "string"),
            ("baseUrl", "string"),
            ("authentication", "object"),
            ("discovery", "object"),
            ("conventions", "object"),
            ("limits", "object"),
            ("examples", "object"),
            ("notAvailable", "array"),
        ],
    );
    assert_eq!(index.data()["version"], "v1");
    assert_eq!(index.data()["baseUrl"], api.server.base_url());
}

#[tokio::test]
async fn rule_4_3_the_base_url_answers_with_and_without_a_trailing_slash() {
    let api = Api::cafe().await;
    let with_slash = api.get("/").anonymous().await.is(200);
    let without = api.get("").anonymous().await.is(200);
    assert_eq!(with_slash.json, without.json);
}

#[tokio::test]
async fn rule_4_3_authentication_describes_bearer_tokens_and_abilities() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    let authentication = &index.data()["authentication"];
    shapes::record(
        "authentication",
        authentication,
        &[
            ("scheme", "string"),
            ("header", "string"),
            ("tokenPrefix", "string"),
            ("issuedAt", "string"),
            ("abilities", "object"),
        ],
    );
    assert_eq!(authentication["scheme"], "Bearer");
    assert_eq!(authentication["header"], "Authorization: Bearer <token>");
    assert!(
        authentication["issuedAt"].as_str().expect("checked").starts_with("http"),
        "{authentication}"
    );
    strings("abilities", &authentication["abilities"], &["profile:read", "profile:write"]);
}

#[tokio::test]
async fn rule_4_3_discovery_conventions_and_examples_have_the_documented_entries() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    strings(
        "discovery",
        &index.data()["discovery"],
        &[
            "me",
            "slotTypes",
            "profileSettings",
            "openapi",
            "profileMarkdown",
            "musicLookup",
            "notificationChannels",
            "analytics",
            "profileAnalytics",
        ],
    );
    strings(
        "conventions",
        &index.data()["conventions"],
        &[
            "envelope",
            "keys",
            "dates",
            "strictWrite",
            "tolerantRead",
            "dryRun",
            "login",
            "batch",
            "editing",
            "idempotency",
            "images",
            "analytics",
            "preview",
        ],
    );
    strings(
        "examples",
        &index.data()["examples"],
        &[
            "readProfile",
            "addButton",
            "addManyBlocks",
            "updateManyBlocks",
            "deleteManyBlocks",
            "reorderSlots",
            "addMusic",
            "addLeadForm",
            "createForm",
            "readFormFunnel",
            "whoAmI",
            "previewPage",
            "readAnalytics",
            "uploadByUrl",
            "changeLanguage",
        ],
    );
}

#[tokio::test]
async fn rule_4_3_the_urls_of_discovery_can_be_requested() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    for (name, address) in index.data()["discovery"].as_object().expect("addresses") {
        let address = address.as_str().expect("a string").split('{').next().expect("a start");
        assert!(address.starts_with(api.server.base_url().as_str()), "{name}: {address}");
    }
    for name in ["me", "slotTypes", "openapi", "notificationChannels", "analytics"] {
        let address = index.data()["discovery"][name].as_str().expect("a string");
        api.get(address).await.is(200);
    }
}

#[tokio::test]
async fn rule_4_3_limits_are_integers() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    let limits = index.data()["limits"].as_object().expect("limits");
    assert!(!limits.is_empty());
    for (name, limit) in limits {
        assert!(limit.is_u64(), "{name} is {limit}");
    }
    for stated in [5, 60, 20, 15, 500, 50, 100] {
        assert!(limits.values().any(|limit| *limit == stated), "{stated} is not among {limits:?}");
    }
}

#[tokio::test]
async fn rule_4_3_not_available_has_exactly_five_entries() {
    let api = Api::cafe().await;
    let index = api.get("/").anonymous().await.is(200);
    let entries = index.data()["notAvailable"].as_array().expect("a list").clone();
    assert_eq!(entries.len(), 5);
    assert!(entries.iter().all(Value::is_string));
}
