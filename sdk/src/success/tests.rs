use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::*;
use crate::generated::types;
use crate::operation::{
    CREATE_SLOT, DELETE_SLOT, GET_ME, OPERATIONS, Operation, PREVIEW_PROFILE_MARKDOWN,
};
use crate::shape::{Field, Shape};
use crate::transport::{Answer, CallFailure};

impl Shape {
    /// Returns a value of this shape, with every field that is known.
    fn instance(&self) -> Value {
        match self {
            Self::Flag => true.into(),
            Self::Integer => 7.into(),
            Self::Text => "text".into(),
            Self::Open => json!({}),
            Self::Map(value) => json!({ "name": value.instance() }),
            Self::List(item) => json!([item.instance()]),
            Self::Numbers => json!([7]),
            Self::Record(fields) => {
                let field = |it: &Field| (it.name().to_owned(), it.shape().instance());
                Value::Object(fields.iter().map(field).collect())
            }
        }
    }
}

/// Returns whether the client decodes a body.
fn decodes(schema: &str, body: &[u8]) -> bool {
    fn is<T: DeserializeOwned>(body: &[u8]) -> bool {
        serde_json::from_slice::<T>(body).is_ok()
    }
    match schema {
        "AnalyticsEnvelope" => is::<types::AnalyticsEnvelope>(body),
        "FileEnvelope" => is::<types::FileEnvelope>(body),
        "IndexEnvelope" => is::<types::IndexEnvelope>(body),
        "LeadFormEnvelope" => is::<types::LeadFormEnvelope>(body),
        "LeadFormList" => is::<types::LeadFormList>(body),
        "LoginCheckEnvelope" => is::<types::LoginCheckEnvelope>(body),
        "MeEnvelope" => is::<types::MeEnvelope>(body),
        "MusicMatchEnvelope" => is::<types::MusicMatchEnvelope>(body),
        "NotificationChannelList" => is::<types::NotificationChannelList>(body),
        "ProfileEnvelope" => is::<types::ProfileEnvelope>(body),
        "ProfileList" => is::<types::ProfileList>(body),
        "ProfileSettingsEnvelope" => is::<types::ProfileSettingsEnvelope>(body),
        "SlotEnvelope" => is::<types::SlotEnvelope>(body),
        "SlotList" => is::<types::SlotList>(body),
        "SlotTypeEnvelope" => is::<types::SlotTypeEnvelope>(body),
        "SlotTypeList" => is::<types::SlotTypeList>(body),
        "SlotsDeleted" => is::<types::SlotsDeleted>(body),
        "UploadUrlEnvelope" => is::<types::UploadUrlEnvelope>(body),
        "" => is::<Map<String, Value>>(body),
        other => panic!("nothing decodes {other}"),
    }
}

/// Returns (operationId, status, content type, schema) of every answer that is a success and not of a dry run.
fn described() -> Vec<(String, u16, String, String)> {
    let document: Value = serde_json::from_str(links_fixtures::DOCUMENT).unwrap();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let operations = operations.filter(|operation| operation["operationId"].is_string());
    let success = |operation: &Value| {
        let answers = operation["responses"].as_object().unwrap();
        let (status, answer) = ["200", "201", "204"]
            .into_iter()
            .find_map(|status| Some((status, answers.get(status)?)))
            .unwrap();
        let content = answer["content"].as_object().and_then(|content| content.iter().next());
        let (media_type, schema) = content.map_or(("", ""), |(media_type, content)| {
            let schema = content["schema"]["$ref"].as_str().unwrap_or_default();
            (media_type, schema.rsplit('/').next().unwrap())
        });
        let id = operation["operationId"].as_str().unwrap().to_owned();
        (id, status.parse().unwrap(), media_type.to_owned(), schema.to_owned())
    };
    operations.map(success).collect()
}

/// Returns copies of a value with one change each: a part left out, or replaced by something else.
fn mutants(value: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(true),
        json!(7),
        json!(-7),
        json!(1.5),
        json!(u64::MAX),
        json!("x"),
        json!([]),
        json!([7]),
        json!({}),
        json!({ "0": 7 }),
        json!({ "0": "x" }),
    ];
    let mut all = others.to_vec();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let mut without = fields.clone();
                without.remove(name);
                all.push(without.into());
                for mutant in mutants(value) {
                    let mut with = fields.clone();
                    with[name] = mutant;
                    all.push(with.into());
                }
            }
            let mut more = fields.clone();
            more.insert("unknown".to_owned(), json!({ "depth": [1.5] }));
            all.push(more.into());
        }
        Value::Array(items) => all.extend(mutants(&items[0]).into_iter().map(|it| json!([it]))),
        _ => {}
    }
    all
}

#[test]
fn found_16_an_answer_counts_as_a_record_exactly_when_it_can_be_decoded() {
    let mut compared = 0;
    for (id, status, media_type, schema) in described() {
        let success = Operation::find(&id).unwrap().success;
        assert_eq!(success.status, [status], "{id}");
        let shape = match (success.content, &*media_type) {
            (SuccessContent::Json(shape), "application/json") => shape,
            (SuccessContent::Markdown, "text/markdown") | (SuccessContent::Nothing, "") => continue,
            other => panic!("{id}: {other:?}"),
        };
        let whole = shape.instance();
        assert!(decodes(&schema, whole.to_string().as_bytes()), "{id}: {whole}");
        for mutant in std::iter::once(whole.clone()).chain(mutants(&whole)) {
            let body = mutant.to_string();
            let checked = shape.check(body.as_bytes());
            assert_eq!(
                checked.is_ok(),
                decodes(&schema, body.as_bytes()),
                "{id}: {body}: {checked:?}"
            );
            compared += 1;
        }
        for text in ["", "{", "[]", "null", "\u{feff}{}", "{}{}", "<html>"] {
            assert!(shape.check(text.as_bytes()).is_err() || text == "{}", "{id}: {text}");
        }
    }
    assert!(compared > 5000, "{compared}");
}

fn answer(status: u16, media_type: Option<&str>, body: &str) -> Answer {
    let mut headers = HeaderMap::new();
    if let Some(media_type) = media_type {
        headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
    }
    let status = StatusCode::from_u16(status).unwrap();
    Answer::new(status, headers, body.to_owned().into())
}

/// Returns why an answer is not a success, in a few words.
fn why(operation: &Operation, answer: Answer) -> Option<String> {
    match check_answer(operation, false, None, Ok(answer)) {
        Ok(_) => None,
        Err(CallFailure::Unusable { why, .. }) => Some(why),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn found_16_status_and_content_type_are_part_of_a_success() {
    let SuccessContent::Json(shape) = CREATE_SLOT.success.content else { panic!() };
    let slot = shape.instance().to_string();
    for media_type in [
        None,
        Some("application/json"),
        Some("Application/JSON; charset=utf-8"),
        Some("application/hal+json"),
    ] {
        assert_eq!(why(CREATE_SLOT, answer(201, media_type, &slot)), None, "{media_type:?}");
    }
    for (status, media_type, said) in [
        (200, "application/json", "its status should be 201"),
        (202, "application/json", "its status should be 201"),
        (201, "text/html; charset=utf-8", "it should be JSON, and is text/html"),
        (201, "text/plain", "it should be JSON, and is text/plain"),
    ] {
        assert_eq!(
            why(CREATE_SLOT, answer(status, Some(media_type), &slot)).as_deref(),
            Some(said)
        );
    }
    let page = |media_type, body| why(PREVIEW_PROFILE_MARKDOWN, answer(200, media_type, body));
    assert_eq!(page(Some("text/markdown; charset=utf-8"), "# Café"), None);
    for (media_type, body) in
        [(Some("text/html"), "<p>"), (None, "# Café"), (Some("text/markdown"), " \n")]
    {
        assert!(page(media_type, body).is_some(), "{media_type:?} {body:?}");
    }
    assert_eq!(why(DELETE_SLOT, answer(204, None, "")), None);
    assert!(why(DELETE_SLOT, answer(200, Some("application/json"), "{}")).is_some());
    assert!(why(GET_ME, answer(204, None, "")).is_some());
    assert!(OPERATIONS.iter().all(|it| why(it, answer(500, None, "")).is_none()), "no 2xx");
}

#[test]
fn found_16_a_dry_run_succeeds_with_204_or_201_and_not_with_an_html_page() {
    let is_accepted = |answer| check_answer(CREATE_SLOT, true, None, Ok(answer)).is_ok();
    assert!(is_accepted(answer(204, None, "")));
    assert!(
        is_accepted(answer(201, None, "")),
        "it may have been executed, which the call finds out"
    );
    assert!(!is_accepted(answer(200, Some("text/html"), "<html>")));
}
