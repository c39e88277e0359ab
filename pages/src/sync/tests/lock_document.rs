//! The document `links.lock`: what is written, what is read, what is refused.

use links_sdk::SlotId;
use serde_json::json;

use super::examples::synced;
use crate::sync::{
    HashPair, KnownBase, LineContent, LineKey, Lock, LockFileError, LockLine, RecordOf, ValueHash,
};

const FILE: &str = "pages/cafe.yaml";

fn lock() -> Lock {
    let mut lock = Lock::new("https://links.example/api/v1", 42);
    let mut page = synced(&[
        (1002, json!(["button", {"title": "Menu", "link": "https://a.example"}])),
        (1008, json!(["divider", {}])),
    ]);
    page.slots[1].was = vec![SlotId::from(1004)];
    page.fields.insert("title".into(), HashPair::of(ValueHash::of(&json!("Cafe"))));
    page.fields.insert("avatar".into(), HashPair { file: None, page: ValueHash::EMPTY });
    lock.put(FILE, &page);
    let form = "7a1e0c9e-6b1f-4f0e-9a53-0d0d5c1c2f11";
    lock.forms.insert("booking".into(), form.into());
    let title = HashPair {
        file: Some(ValueHash::of(&json!("Book"))),
        page: ValueHash::of(&json!("Book a table")),
    };
    let line = LockLine { moved: 1_764_200_000_000, content: LineContent::Pair(title), at: 0xab12 };
    let lines = [(LineKey::Field("title".into()), [line].into())].into();
    lock.lines.insert(RecordOf::Form(form.into()), lines);
    lock.images.insert("5f3c".repeat(16), ["uploads/7/logo.png".to_owned()].into());
    lock
}

#[test]
fn each_fact_has_a_line_of_its_own_and_the_text_is_read_back() {
    let text = lock().to_string();
    assert_eq!(Lock::parse(&text).unwrap(), lock());
    println!("{text}");
    assert_eq!(text, include_str!("lock_example.txt"));
    let empty = Lock::new("s", 1).to_string();
    assert_eq!(empty, "links.lock 2 s 1\n");
    assert_eq!(Lock::parse(&empty).unwrap(), Lock::new("s", 1));
    let mut base = lock().base(FILE).unwrap();
    assert_eq!(base.slots[1].was, [SlotId::from(1004)]);
    base.login = "other".into();
    let mut other = lock();
    other.put(FILE, &base);
    assert_eq!(other.base(FILE), Some(base));
    assert_eq!(other.base("other.yaml"), None);
}

#[test]
fn words_hold_every_text() {
    let mut lock = Lock::new("s", 1);
    for text in ["", " ", "%", "a b\n", "caf\u{e9} \u{2028}", "\"", "=", "?", "-"] {
        lock.forms.insert(text.to_owned(), format!("{text}!").into());
        lock.images.insert(format!("{text}."), [text.to_owned()].into());
    }
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    assert_eq!(lock.to_string().lines().count(), 19);
}

#[test]
fn both_sides_of_a_merge_that_git_could_not_finish_are_read() {
    let (ours, mut theirs) = (lock(), lock());
    let of = RecordOf::Page(theirs.pages[FILE].id);
    let content = LineContent::Pair(HashPair::of(ValueHash::of(&json!("Bar"))));
    let line = LockLine { moved: 9, content, at: 3 };
    let title = LineKey::Field("title".into());
    theirs.lines.get_mut(&of).unwrap().insert(title.clone(), [line.clone()].into());
    let text = format!("<<<<<<< HEAD\n{ours}||||||| base\n=======\n{theirs}>>>>>>> branch\n");
    let mut merged = Lock::parse(&text).unwrap();
    let lines = merged.lines.get_mut(&of).unwrap();
    assert_eq!(lines[&title].len(), 2);
    assert_eq!(KnownBase::of_lines(lines).base.fields["title"].page, ValueHash::of(&json!("Bar")));
    lines.get_mut(&title).unwrap().remove(&line);
    assert_eq!(merged, ours);
    let other = Lock::new("s", 43);
    let error = Lock::parse(&format!("{ours}=======\n{other}")).unwrap_err();
    assert!(error.to_string().starts_with("it belongs to user 42 of "), "{error}");
}

#[test]
fn another_version_is_named() {
    let found = Lock::parse("links.lock 3 s 1\nanything\n");
    assert!(found.unwrap_err().to_string().starts_with("version 3 is not supported, only"));
}

#[test]
fn a_damaged_lock_is_refused_with_the_line() {
    let text = lock().to_string();
    for (from, to) in [
        (" 42\n", " x\n"),
        (" 42\n", " 42 1\n"),
        ("links.lock 2", "links.locked 2"),
        ("slot 7 ", "slut 7 "),
        ("slot 7 ", "slot x "),
        ("slot 7 ", "slot  7 "),
        (" divider 1004", ""),
        (" divider 1004", " divider x"),
        (" ? -", " ?"),
        (" ? -", " ? ="),
        (" ? -", " - !"),
        (" ? - avatar", " ? - avatar more"),
        ("ab12", "xy"),
        ("page 7 cafe", "page 8 cafe pages/cafe.yaml\npage 7 cafe"),
        ("form 7a1e", "form other booking\nform 7a1e"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let found = Lock::parse(&broken);
        assert!(matches!(found, Err(LockFileError::Malformed { .. })), "{to}: {found:?}");
    }
    for text in ["", "[]", "null", "links.lock", "\u{0}"] {
        assert!(Lock::parse(text).is_err(), "{text}");
    }
    for end in (0..text.len()).filter(|end| !text[..*end].ends_with('\n')) {
        assert!(Lock::parse(&text[..end]).is_err(), "{}", &text[..end]);
    }
    let error = Lock::parse(text.trim_end()).unwrap_err().to_string();
    assert!(error.contains("the last line has no line break"), "{error}");
    let broken = text.replacen(" divider 1004", " divider x", 1);
    let Err(LockFileError::Malformed { line, .. }) = Lock::parse(&broken) else {
        panic!("a damaged lock was read")
    };
    assert_eq!(line, text.lines().position(|line| line.contains("1004")).unwrap() + 1);
}

#[test]
fn ids_are_unique_in_a_record() {
    let mut lock = lock();
    let mut base = lock.base(FILE).unwrap();
    base.slots[1].was = vec![1002.into(), 1004.into()];
    lock.put(FILE, &base);
    assert_eq!(lock.base(FILE).unwrap().slots[1].was, [SlotId::from(1004)]);
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
