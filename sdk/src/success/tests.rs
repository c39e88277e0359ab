use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use super::*;
use crate::operation::{
    CREATE_SLOT, DELETE_SLOT, GET_ME, OPERATIONS, Operation, PREVIEW_PROFILE_MARKDOWN,
};
use crate::transport::{Answer, CallFailure};

#[test]
fn the_table_says_what_the_document_says_of_a_success() {
    let document: Value = serde_json::from_str(links_fixtures::DOCUMENT).unwrap();
    let items = document["paths"].as_object().unwrap().values();
    for described in items.flat_map(|item| item.as_object().unwrap().values()) {
        let Some(id) = described["operationId"].as_str() else { continue };
        let Operation { status, success, .. } = Operation::find(id).unwrap();
        let status = status.unwrap();
        let answer = &described["responses"][status.to_string()];
        let media_type = answer["content"].as_object().and_then(|it| it.keys().next());
        match (success, media_type.map(String::as_str)) {
            (SuccessContent::Json, Some("application/json"))
            | (SuccessContent::Markdown, Some("text/markdown"))
            | (SuccessContent::Nothing, None) => {}
            other => panic!("{id}: {other:?}"),
        }
    }
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
fn status_and_content_type_are_part_of_a_success() {
    let slot = r#"{"data": {"id": 7, "type": "text", "data": {}, "supported": true}}"#;
    for media_type in [
        None,
        Some("application/json"),
        Some("Application/JSON; charset=utf-8"),
        Some("application/hal+json"),
    ] {
        assert_eq!(why(CREATE_SLOT, answer(201, media_type, slot)), None, "{media_type:?}");
    }
    for (status, media_type, said) in [
        (200, "application/json", "expected status 201"),
        (202, "application/json", "expected status 201"),
        (201, "text/html; charset=utf-8", "expected JSON, got text/html"),
        (201, "text/plain", "expected JSON, got text/plain"),
    ] {
        assert_eq!(why(CREATE_SLOT, answer(status, Some(media_type), slot)).as_deref(), Some(said));
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
fn a_dry_run_succeeds_with_204_or_201_and_not_with_an_html_page() {
    let is_accepted = |answer| check_answer(CREATE_SLOT, true, None, Ok(answer)).is_ok();
    assert!(is_accepted(answer(204, None, "")));
    assert!(
        is_accepted(answer(201, None, "")),
        "it may have been executed, which the call finds out"
    );
    assert!(!is_accepted(answer(200, Some("text/html"), "<html>")));
}
