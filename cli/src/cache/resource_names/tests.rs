use serde_json::json;

use super::*;

const PAGE: &str = "/api/v1/profiles/cafe/slots";

fn seen(operation: &'static str, target: &str, data: &Value) -> SeenAnswer {
    let body = json!({ "data": data }).to_string().into();
    SeenAnswer { operation, target: target.to_owned(), body }
}

fn slot(id: i64, title: &str) -> Value {
    json!({ "id": id, "type": "text", "data": { "title": title } })
}

#[test]
fn names_are_cached_from_answers_and_slots_are_found_by_login_or_id() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/names.json");
    let slots = json!([{ "id": 5, "type": "text", "data": { "title": "Hi" } }, { "id": 6, "type": "divider", "data": [] }]);
    ResourceNames::remember(
        &path,
        &[
            seen(
                "listProfiles",
                "/api/v1/profiles",
                &json!([{ "id": 1, "login": "cafe", "title": null }]),
            ),
            seen("listSlots", "/api/v1/profiles/1/slots", &slots),
            seen("createForm", "/api/v1/forms", &json!({ "id": "f", "title": "Contact" })),
        ],
    );
    ResourceNames::remember(
        &path,
        &[seen(
            "getProfile",
            "/api/v1/profiles/b",
            &json!({ "id": 2, "login": "b", "title": "B", "slots": [] }),
        )],
    );
    let names = ResourceNames::load(&path);
    assert_eq!(names.profiles.values().map(|it| &*it.login).collect::<Vec<_>>(), ["cafe", "b"]);
    assert_eq!(names.forms["f"], "Contact");
    for key in ["cafe", "1"] {
        assert_eq!(
            names.slots_of(Some(key)).into_iter().map(|it| it.id).collect::<Vec<_>>(),
            [5, 6]
        );
    }
    assert!(names.slots_of(Some("b")).is_empty());
    assert_eq!(names.slots_of(None).len(), 2);
}

#[test]
fn deleted_slots_are_removed_at_once_and_other_writes_wait_for_the_next_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let labels = |operation, target: &str, data: &Value| {
        ResourceNames::remember(&path, &[seen(operation, target, data)]);
        let names = ResourceNames::load(&path);
        ["cafe", "1"].map(|key| {
            let slots = names.slots_of(Some(key)).into_iter();
            slots.map(|it| it.data.label).collect::<Vec<_>>().concat()
        })
    };
    assert_eq!(labels("createSlot", PAGE, &slot(1, "A")), [""; 2], "the page is not known");
    let listed = json!([slot(1, "A"), slot(2, "B"), slot(3, "C")]);
    labels("listSlots", PAGE, &listed);
    assert_eq!(labels("listSlots", "/api/v1/profiles/1/slots", &listed), ["ABC"; 2]);
    assert_eq!(labels("createSlot", PAGE, &slot(4, "D")), ["ABC"; 2]);
    assert_eq!(labels("updateSlot", &format!("{PAGE}/2"), &slot(2, "b")), ["ABC"; 2]);
    let gone = format!("{PAGE}?ids%5B%5D=3&ids%5B%5D=1");
    assert_eq!(labels("deleteSlots", &gone, &json!(null)), ["B"; 2]);
    let listed = json!([slot(2, "b"), slot(4, "D")]);
    assert_eq!(labels("listSlots", PAGE, &listed), ["bD", "B"]);
}

#[test]
fn an_invalid_cache_file_is_loaded_as_empty() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    for text in ["", "{", "[]", "{\"profiles\": 1}"] {
        std::fs::write(&path, text).unwrap();
        let names = ResourceNames::load(&path);
        assert!(names.profiles.is_empty() && names.slots.is_empty(), "{text}");
        assert!(names.seen.is_empty(), "{text}: nothing is known");
    }
}

#[test]
fn a_file_that_ends_early_is_loaded_as_empty() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let listed = |key: &str| {
        seen("listSlots", &format!("/api/v1/profiles/{key}/slots"), &json!([slot(1, "A")]))
    };
    ResourceNames::remember(&path, &[listed("a"), listed("b")]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(ResourceNames::load(&path).slots_of(None).len(), 2);
    for length in 0..text.len() {
        std::fs::write(&path, &text[..length]).unwrap();
        let names = ResourceNames::load(&path);
        assert!(names.slots.is_empty() && names.seen.is_empty(), "{length}");
    }
}

#[test]
fn slots_in_another_form_are_no_slots_and_are_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let listed = seen("listSlots", PAGE, &json!([slot(1, "A")]));
    let other = XxHash3_64::oneshot_with_seed(WHAT_IS_KEPT + 1, &listed.body);
    let slots = json!({ "b": {}, "cafe": {} });
    let first = json!({ "profiles": {}, "forms": {}, "seen": { PAGE: other }, "slots": slots });
    std::fs::write(&path, format!("{first}\n[{{\"id\":2,\"kind\":\"x\"}}]\n5\n")).unwrap();
    assert!(ResourceNames::load(&path).slots_of(None).is_empty());
    ResourceNames::remember(&path, &[listed]);
    assert_eq!(ResourceNames::load(&path).slots_of(None).len(), 1);
}

/// Returns what tells whether a file was replaced: each write makes a new one.
#[cfg(unix)]
fn file(path: &Path) -> (u64, std::time::SystemTime) {
    let found = std::fs::metadata(path).unwrap();
    (std::os::unix::fs::MetadataExt::ino(&found), found.modified().unwrap())
}

#[cfg(unix)]
#[test]
fn the_file_is_not_written_for_a_response_that_it_knows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let listed = seen("listSlots", PAGE, &json!([slot(1, "A"), slot(2, "B")]));
    let profiles = seen("listProfiles", "/api/v1/profiles", &json!([{ "id": 1, "login": "cafe" }]));
    // The first response after a change is remembered as one that changes nothing.
    for _ in 0..2 {
        ResourceNames::remember(&path, &[listed.clone(), profiles.clone()]);
    }
    let before = file(&path);
    ResourceNames::remember(&path, &[]);
    ResourceNames::remember(&path, &[listed.clone(), profiles]);
    ResourceNames::remember(&path, std::slice::from_ref(&listed));
    for operation in ["getSlot", "createSlot", "updateSlot"] {
        ResourceNames::remember(&path, &[seen(operation, PAGE, &slot(2, "b"))]);
    }
    assert_eq!(file(&path), before);
    let gone = format!("{PAGE}?ids%5B%5D=2");
    ResourceNames::remember(&path, &[seen("deleteSlots", &gone, &json!(null))]);
    assert_ne!(file(&path), before);
}

#[test]
fn the_slots_of_a_renamed_page_are_kept_under_its_new_login_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let profiles = |login: &str| {
        seen("listProfiles", "/api/v1/profiles", &json!([{ "id": 1, "login": login }]))
    };
    let listed = seen("listSlots", PAGE, &json!([slot(1, "A")]));
    ResourceNames::remember(&path, &[profiles("cafe"), listed, profiles("cafe.neu")]);
    let names = ResourceNames::load(&path);
    assert_eq!(names.slots.keys().collect::<Vec<_>>(), ["cafe.neu"]);
    assert_eq!(names.slots_of(Some("1")).len(), 1);
}

#[test]
fn a_response_from_before_a_change_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let labels = |answer: SeenAnswer| {
        ResourceNames::remember(&path, &[answer]);
        let names = ResourceNames::load(&path);
        names.slots_of(Some("cafe")).into_iter().map(|it| it.data.label).collect::<Vec<_>>()
    };
    let listed = || seen("listSlots", PAGE, &json!([slot(1, "A"), slot(2, "B")]));
    assert_eq!(labels(listed()), ["A", "B"]);
    let gone = format!("{PAGE}?ids%5B%5D=1");
    assert_eq!(labels(seen("deleteSlots", &gone, &json!(null))), ["B"]);
    assert_eq!(labels(listed()), ["A", "B"]);
    let whole = json!({ "id": 1, "login": "cafe", "slots": [slot(1, "C")] });
    let whole = || seen("getProfile", "/api/v1/profiles/cafe?include=slots", &whole);
    assert_eq!(labels(whole()), ["C"]);
    assert_eq!(labels(listed()), ["A", "B"]);
    assert_eq!(labels(whole()), ["C"]);
}

#[test]
fn a_body_that_is_no_answer_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    let listed = seen("listSlots", PAGE, &json!([slot(1, "A")]));
    ResourceNames::remember(&path, std::slice::from_ref(&listed));
    let before = std::fs::read(&path).unwrap();
    for body in ["", "<html>", "[]", "{\"data\": 5}", "{\"data\": [{\"id\": 1}]}"] {
        let body = Bytes::copy_from_slice(body.as_bytes());
        ResourceNames::remember(&path, &[SeenAnswer { body, ..listed.clone() }]);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/names.json");
    ResourceNames::remember(&path, &[seen("listSlots", PAGE, &json!([slot(1, "A")]))]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn concurrent_writers_leave_a_valid_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.json");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for round in 0..20 {
                    let target = format!("/api/v1/profiles/{writer}/slots");
                    let slots = json!([slot(round, "A")]);
                    ResourceNames::remember(path, &[seen("listSlots", &target, &slots)]);
                    let text = std::fs::read_to_string(path).unwrap();
                    let names = ResourceNames::parse(&text).unwrap();
                    assert!(!names.slots_of(None).is_empty());
                }
            });
        }
    });
}

#[test]
fn the_label_of_a_slot_is_kept() {
    for (content, label) in [
        (r#"{"formId": "f-1", "buttonText": "Book"}"#, "Book"),
        (r#"{"view": "button", "formId": "f-1"}"#, "button"),
        (r#"{"formId": "f-1", "view": "button"}"#, "f-1"),
        (r#"{"formId": 5}"#, ""),
        // Content without fields: PHP writes it as an empty list.
        ("[]", ""),
        ("[{}]", ""),
        ("null", ""),
    ] {
        let record = format!(r#"{{"id": 1, "type": "form", "data": {content}}}"#);
        let slot: NamedSlot = serde_json::from_str(&record).unwrap();
        let kept: NamedSlot = serde_json::from_str(&serde_json::to_string(&slot).unwrap()).unwrap();
        for NamedSlot { data, .. } in [slot, kept] {
            assert_eq!(data.label, label, "{content}");
        }
    }
}
