//! The document `links.lock`: what is written, what is read, what is refused.

use serde_json::json;

use super::examples::synced;
use crate::sync::{HashPair, Lock, LockFileError, ValueHash};

fn lock() -> Lock {
    let mut lock = Lock::new("https://links.example/api/v1", 42);
    let mut page = synced(&[
        (1002, json!(["button", {"title": "Menu", "link": "https://a.example"}])),
        (1008, json!(["divider", {}])),
    ]);
    page.slots[1].was = vec![1004.into()];
    page.fields.insert("title".into(), HashPair::of(ValueHash::of(&json!("Cafe"))));
    page.fields.insert("avatar".into(), HashPair { file: None, page: ValueHash::EMPTY });
    lock.pages.insert("pages/cafe.yaml".into(), page);
    lock.forms.insert("booking".into(), "7a1e0c9e-6b1f-4f0e-9a53-0d0d5c1c2f11".into());
    lock.images.insert("5f3c".repeat(16), "uploads/7/logo.png".to_owned().into());
    lock
}

#[test]
fn each_slot_has_a_line_of_its_own_and_the_text_is_read_back() {
    let text = lock().to_string();
    assert_eq!(Lock::parse(&text).unwrap(), lock());
    assert_eq!(Lock::parse(&text).unwrap().to_string(), text);
    assert_eq!(text, include_str!("lock_example.json"));
    let empty = Lock::new("s", 1).to_string();
    assert_eq!(
        empty,
        "{\"v\":1,\"canon\":1,\"service\":\"s\",\"user\":1,\n\"forms\":{},\n\"images\":{},\n\"pages\":{}}\n"
    );
    assert_eq!(Lock::parse(&empty).unwrap(), Lock::new("s", 1));
}

#[test]
fn a_merge_that_git_could_not_finish_is_named() {
    let text = lock().to_string();
    for marker in ["<<<<<<< HEAD", "=======", ">>>>>>> branch", "||||||| base"] {
        let broken = text.replacen("\"images\"", &format!("{marker}\n\"images\""), 1);
        assert_eq!(Lock::parse(&broken), Err(LockFileError::MergeConflict { line: 5 }), "{marker}");
    }
}

#[test]
fn other_versions_are_named_before_anything_else() {
    let found = Lock::parse(r#"{"v":2,"canon":1,"anything":true}"#);
    assert!(found.unwrap_err().to_string().starts_with("version 2 is not supported, only"));
    let found = Lock::parse(r#"{"v":1,"canon":2,"anything":true}"#);
    assert!(found.unwrap_err().to_string().starts_with("hash form 2 is not supported, only"));
}

#[test]
fn a_damaged_lock_is_refused_with_the_place() {
    let text = lock().to_string();
    for (from, to) in [
        ("\"user\":42", "\"user\":\"42\""),
        ("\"user\":42", "\"user\":42,\"extra\":1"),
        ("\"was\":[1004]", "\"was\":[1004],\"x\":1"),
        ("\"type\":\"divider\",", ""),
        ("\"keys\":{}", "\"keys\":{\"a\":\"0123\"}"),
        ("\"keys\":{}", "\"keys\":{\"a\":\"-\",\"a\":\"-\"}"),
        ("\"keys\":{}", "\"keys\":{\"a\":[\"-\"]}"),
        ("]}\n}}", "]}"),
        ("\"forms\":{\n", "\"forms\":{\n\"booking\":\"x\",\n"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let found = Lock::parse(&broken);
        assert!(matches!(found, Err(LockFileError::Malformed { .. })), "{to}: {found:?}");
    }
    for text in ["", "[]", "null", "{}", "{\"v\":1}", "\u{0}"] {
        assert!(matches!(Lock::parse(text), Err(LockFileError::Malformed { .. })), "{text}");
    }
    let Err(LockFileError::Malformed { line, reason, .. }) =
        Lock::parse(&text.replacen("\"was\":[1004]", "\"was\":4", 1))
    else {
        panic!("a damaged lock was read")
    };
    assert_eq!(line, text.lines().position(|line| line.contains("1004")).unwrap() + 1);
    assert!(!reason.contains("line"), "{reason}");
}

#[test]
fn an_image_has_one_path_or_several() {
    let mut several = lock();
    let paths = &mut several.images.get_mut(&"5f3c".repeat(16)).unwrap().0;
    paths.insert("uploads/7/footer.png".to_owned());
    let text = several.to_string();
    assert!(text.contains("5f3c\":[\"uploads/7/footer.png\",\"uploads/7/logo.png\"]\n"), "{text}");
    assert_eq!(Lock::parse(&text).unwrap(), several);
    let one = lock().to_string();
    for wrong in ["[]", "[\"a\"]", "[\"a\",\"a\"]", "[\"a\",1]", "7", "null"] {
        let broken = one.replacen("\"uploads/7/logo.png\"", wrong, 1);
        let found = Lock::parse(&broken);
        assert!(matches!(found, Err(LockFileError::Malformed { .. })), "{found:?}");
    }
}

#[test]
fn ids_and_pages_are_unique() {
    let mut twice = lock();
    let page = twice.pages["pages/cafe.yaml"].clone();
    twice.pages.insert("pages/other.yaml".into(), page);
    let refused = Lock::parse(&twice.to_string()).unwrap_err().to_string();
    assert!(refused.ends_with("are both recorded as page 7"), "{refused}");
    let mut twice = lock();
    twice.pages.get_mut("pages/cafe.yaml").unwrap().slots[1].was = vec![1002.into()];
    let refused = Lock::parse(&twice.to_string()).unwrap_err().to_string();
    assert!(refused.starts_with("slot 1002 of pages/cafe.yaml"), "{refused}");
}

#[test]
fn a_lock_of_another_account_is_refused() {
    let lock = lock();
    lock.check_account("https://links.example/api/v1", 42).unwrap();
    for (service, user) in
        [("https://links.example/api/v1", 43), ("https://other.example/api/v1", 42)]
    {
        let error = lock.check_account(service, user).unwrap_err();
        assert!(error.to_string().contains("42"), "{error}");
    }
}
