//! Tests of the document against the interface: the table of section 4.2, the statuses of 4.1.5, the headers of 4.1.3 and 4.1.4.

use std::collections::BTreeSet;

use links_spec::DOCUMENT;
use serde_json::{Value, json};

/// Section 4.2, row by row: operation, method, path, status of success.
pub(crate) const TABLE: [(&str, &str, &str, &str); 33] = [
    ("getApiIndex", "get", "/", "200"),
    ("getMe", "get", "/me", "200"),
    ("listSlotTypes", "get", "/slot-types", "200"),
    ("getSlotType", "get", "/slot-types/{type}", "200"),
    ("listProfiles", "get", "/profiles", "200"),
    ("createProfile", "post", "/profiles", "201"),
    ("checkLogin", "get", "/profiles/check-login", "200"),
    ("getProfile", "get", "/profiles/{profileKey}", "200"),
    ("updateProfile", "patch", "/profiles/{profileKey}", "200"),
    ("getProfileSettings", "get", "/profiles/{profileKey}/settings", "200"),
    ("updateProfileSettings", "patch", "/profiles/{profileKey}/settings", "200"),
    ("previewProfileMarkdown", "get", "/profiles/{profileKey}/markdown", "200"),
    ("listSlots", "get", "/profiles/{profileKey}/slots", "200"),
    ("createSlot", "post", "/profiles/{profileKey}/slots", "201"),
    ("updateSlots", "patch", "/profiles/{profileKey}/slots", "200"),
    ("deleteSlots", "delete", "/profiles/{profileKey}/slots", "200"),
    ("createSlots", "post", "/profiles/{profileKey}/slots/batch", "201"),
    ("reorderSlots", "put", "/profiles/{profileKey}/slots/order", "200"),
    ("getSlot", "get", "/profiles/{profileKey}/slots/{slot}", "200"),
    ("updateSlot", "patch", "/profiles/{profileKey}/slots/{slot}", "200"),
    ("deleteSlot", "delete", "/profiles/{profileKey}/slots/{slot}", "204"),
    ("listForms", "get", "/forms", "200"),
    ("createForm", "post", "/forms", "201"),
    ("showForm", "get", "/forms/{formId}", "200"),
    ("updateForm", "patch", "/forms/{formId}", "200"),
    ("listNotificationChannels", "get", "/notification-channels", "200"),
    ("lookupMusic", "get", "/music/lookup", "200"),
    ("uploadFile", "post", "/files", "201"),
    ("createUploadUrl", "post", "/files/upload-url", "200"),
    ("getAccountAnalytics", "get", "/analytics", "200"),
    ("getProfileAnalytics", "get", "/profiles/{profileKey}/analytics", "200"),
    ("getFormAnalytics", "get", "/forms/{formId}/analytics", "200"),
    ("getOpenapi", "get", "/openapi.json", "200"),
];

/// Operations whose repetition under one key returns the stored answer (section 4.1.4).
pub(crate) const KEYED: [&str; 6] =
    ["createProfile", "createSlot", "createSlots", "createForm", "uploadFile", "createUploadUrl"];

/// Reads that take query parameters, and so can be refused for them (section 4.1.5).
const ASKED: [&str; 6] = [
    "checkLogin",
    "getProfile",
    "lookupMusic",
    "getAccountAnalytics",
    "getProfileAnalytics",
    "getFormAnalytics",
];

fn document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

fn parameters<'a>(document: &'a Value, operation: &'a Value) -> Vec<&'a Value> {
    operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| resolved(document, parameter))
        .collect()
}

fn statuses(operation: &Value) -> BTreeSet<&str> {
    operation["responses"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_operations_are_those_of_the_table() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0");
    let mut found: Vec<(&str, &str, &str)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            found.push((operation["operationId"].as_str().unwrap(), method, path));
        }
    }
    found.sort_unstable();
    let mut expected: Vec<_> =
        TABLE.iter().map(|&(id, method, path, _)| (id, method, path)).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn each_operation_answers_with_the_statuses_of_its_kind() {
    let document = document();
    for (id, method, path, success) in TABLE {
        let mut expected = BTreeSet::from([success]);
        let write = method != "get";
        if id != "getApiIndex" {
            expected.extend(["401", "403", "429"]);
        }
        if path.contains("{profileKey}")
            || path.contains("{formId}")
            || ["getSlotType", "lookupMusic"].contains(&id)
        {
            expected.insert("404");
        }
        if write {
            expected.extend(["204", "403", "409", "422"]);
        }
        if ASKED.contains(&id) {
            expected.insert("422");
        }
        assert_eq!(statuses(&document["paths"][path][method]), expected, "{id}");
    }
}

#[test]
fn headers_are_declared_on_the_operations_that_use_them() {
    let document = document();
    for (id, method, path, _) in TABLE {
        let found: BTreeSet<_> = parameters(&document, &document["paths"][path][method])
            .iter()
            .filter(|parameter| parameter["in"] == "header")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let mut expected = BTreeSet::new();
        if method != "get" {
            expected.insert("Precognition");
        }
        if KEYED.contains(&id) {
            expected.insert("Idempotency-Key");
        }
        assert_eq!(found, expected, "{id}");
    }
}

#[test]
fn a_token_with_the_right_ability_is_needed_everywhere_but_at_the_entry_point() {
    let document = document();
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    for (id, method, path, _) in TABLE {
        let expected = match (id, method) {
            ("getApiIndex", _) => json!([]),
            (_, "get") => json!([{"bearer": ["profile:read"]}]),
            _ => json!([{"bearer": ["profile:write"]}]),
        };
        assert_eq!(document["paths"][path][method]["security"], expected, "{id}");
    }
}

#[test]
fn path_parameters_are_those_of_the_path() {
    let document = document();
    for (id, method, path, _) in TABLE {
        let named: BTreeSet<_> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let found: BTreeSet<_> = parameters(&document, &document["paths"][path][method])
            .iter()
            .filter(|parameter| parameter["in"] == "path" && parameter["required"] == true)
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        assert_eq!(found, named, "{id}");
    }
}

#[test]
fn every_failure_carries_the_error_envelope_and_429_says_when_to_retry() {
    let document = document();
    for (id, method, path, _) in TABLE {
        for (status, response) in document["paths"][path][method]["responses"].as_object().unwrap()
        {
            let response = resolved(&document, response);
            if status.starts_with('4') {
                let schema = &response["content"]["application/json"]["schema"];
                assert_eq!(schema["$ref"], "#/components/schemas/Error", "{id} {status}");
            }
            let retry_after = response["headers"].get("Retry-After").is_some();
            assert_eq!(retry_after, status == "429", "{id} {status}");
        }
    }
    let page = &document["paths"]["/profiles/{profileKey}/markdown"]["get"]["responses"]["200"];
    assert!(page["content"].get("text/markdown").is_some());
    assert_eq!(
        resolved(&document, &page["headers"]["x-markdown-tokens"])["schema"]["type"],
        "integer"
    );
}

#[test]
fn limits_are_those_of_the_interface() {
    let document = document();
    for (pointer, expected) in [
        ("/components/parameters/IdempotencyKey/schema/maxLength", json!(128)),
        ("/components/schemas/NewProfile/properties/login/minLength", json!(4)),
        ("/components/schemas/NewProfile/properties/login/maxLength", json!(60)),
        ("/components/schemas/NewProfile/properties/login/pattern", json!("^[a-zA-Z0-9._]+$")),
        ("/components/schemas/NewSlot/properties/order/minimum", json!(0)),
        ("/components/schemas/NewSlots/properties/slots/maxItems", json!(50)),
        ("/components/schemas/SlotChanges/properties/slots/maxItems", json!(50)),
        ("/components/schemas/SlotIds/properties/ids/maxItems", json!(50)),
        ("/components/schemas/FileFromUrl/properties/url/maxLength", json!(2048)),
        ("/components/schemas/FileFromUrl/additionalProperties", json!(false)),
        ("/components/schemas/Index/properties/notAvailable/minItems", json!(5)),
        ("/components/schemas/Index/properties/notAvailable/maxItems", json!(5)),
    ] {
        assert_eq!(document.pointer(pointer), Some(&expected), "{pointer}");
    }
    let limits = |path: &str, name: &str| {
        let parameters = parameters(&document, &document["paths"][path]["get"]);
        let schema =
            &parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"];
        (schema["minLength"].as_u64(), schema["maxLength"].as_u64())
    };
    assert_eq!(limits("/profiles/check-login", "login"), (None, Some(255)));
    assert_eq!(limits("/profiles/check-login", "profile"), (None, Some(255)));
    assert_eq!(limits("/music/lookup", "query"), (Some(1), Some(500)));
    assert_eq!(limits("/music/lookup", "artist"), (None, Some(200)));
}

#[test]
fn slots_of_a_read_only_type_cannot_be_asked_for() {
    let document = document();
    let known = &document["paths"]["/slot-types/{type}"]["get"]["parameters"][0]["schema"]["enum"];
    let writable = &document["components"]["schemas"]["WritableSlotType"]["enum"];
    let all: BTreeSet<_> = known.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let writable: BTreeSet<_> =
        writable.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(all.len(), 12);
    assert_eq!(all.difference(&writable).copied().collect::<Vec<_>>(), ["event"]);
}

#[test]
fn schemas_that_are_not_documented_in_full_stay_open() {
    let document = document();
    for open in [
        "Slot",
        "NewProfile",
        "ProfileChanges",
        "ProfileSettingsChanges",
        "NewForm",
        "FormChanges",
        "LeadForm",
        "Profile",
    ] {
        assert_eq!(
            document["components"]["schemas"][open].get("additionalProperties"),
            None,
            "{open}"
        );
    }
}

#[test]
fn every_schema_is_used() {
    let document = document();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(DOCUMENT.contains(&format!("\"#/components/schemas/{name}\"")), "{name}");
    }
}
