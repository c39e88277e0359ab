use crate::page_file::emit as yaml;
use std::sync::Arc;

use crate::apply::{DesiredPage, DesiredSlot};
use links_sdk::{Object, ProfileKey};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read(text: &str) -> Result<PageFile, FileDiagnostics> {
    read_bytes(text.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Result<PageFile, FileDiagnostics> {
    PageFile::of(Document::from_bytes("page.yaml", bytes.to_vec())?, &ImageRoots::none())
}

fn page(text: &str) -> PageContent {
    read(text).unwrap_or_else(|bad| panic!("{:?}", bad.places().collect::<Vec<_>>())).page
}

/// Places and messages of the diagnostics: `3:5 unknown field`.
fn refused(text: impl AsRef<[u8]>) -> Vec<String> {
    let bad = read_bytes(text.as_ref()).map(|it| it.page).unwrap_err();
    bad.places()
        .map(|(place, problem)| format!("{}:{} {}", place.line, place.column, problem.message))
        .collect()
}

fn data(yaml: &str) -> serde_json::Value {
    let page =
        page(&format!("profile: cafe\nslots:\n  - type: text\n    data:\n      it: {yaml}\n"));
    page.content.slots[0].data["it"].clone()
}

const CAFE: &str = "\
profile: cafe
slots:
  - id: 1
    type: button
    data: {title: Shop, link: https://cafe.test}
  - type: text
    data:
      title: |
        Hello
        there
  - type: divider
";

#[test]
fn a_page_is_read_from_yaml_and_from_json() {
    let yaml = page(CAFE);
    assert_eq!(yaml.profile, ProfileKey::Login("cafe".into()));
    assert_eq!(yaml.content.slots.len(), 3);
    assert_eq!(yaml.content.slots[0].id, Some(1.into()));
    assert_eq!(yaml.content.slots[1].data["title"], "Hello\nthere\n");
    assert_eq!(
        yaml.content.slots[2],
        DesiredSlot { id: None, kind: "divider".into(), data: Object::default() }
    );

    let json = json!({ "profile": "cafe", "slots": [
        { "id": 1, "type": "button", "data": { "title": "Shop", "link": "https://cafe.test" } },
        { "type": "text", "data": { "title": "Hello\nthere\n" } },
        { "type": "divider", "data": [] },
    ] });
    assert_eq!(page(&json.to_string()), yaml);
    assert_eq!(page(&format!("{json:#}")), yaml);
    assert_eq!(
        page(&format!("{json:#}").replace("  ", "\t")),
        yaml,
        "tabs are white space in JSON"
    );
}

#[test]
fn a_slot_can_be_marked_as_new() {
    let text = "profile: cafe\nslots:\n  - type: divider\n  - id: new\n    type: divider\n";
    let content = page(text);
    assert_eq!(content.marked_new, [1].into());
    assert_eq!(content.content.slots[0], content.content.slots[1]);
    assert_eq!(yaml::write(&content).unwrap(), text);
    let other = refused(text.replace("new", "newer"));
    assert_eq!(other, ["4:9 `id` must be a positive integer"]);
}

#[test]
fn escapes_in_json_strings_are_decoded() {
    let json = r#"{"profile": 7, "slots": [{"type": "text", "data": {"it": "\ud83d\ude00 \u00e9 \/ \b\f\n\r\t \" \\ \u007f"}}]}"#;
    let page = page(json);
    assert_eq!(page.profile, ProfileKey::Id(7.into()));
    assert_eq!(page.content.slots[0].data["it"], "😀 é / \u{8}\u{c}\n\r\t \" \\ \u{7f}");
}

#[test]
fn scalars_are_read_as_in_yaml_1_2() {
    for word in ["no", "yes", "on", "off", "y", "n", "12:30:45", "2026-01-01", "+7 701", "1e", "NO"]
    {
        assert_eq!(data(word), json!(word));
    }
    assert_eq!(data("true"), json!(true));
    assert_eq!(data("~"), json!(null));
    assert_eq!(data(""), json!(null));
    assert_eq!(data("18446744073709551615"), json!(u64::MAX));
    assert_eq!(data("-1.5"), json!(-1.5));
    assert_eq!(data("1.0"), json!(1.0));
    assert_eq!(data("1E-07"), json!(1e-7));
    assert_eq!(data("[1, a, {b: c}]"), json!([1, "a", { "b": "c" }]));
    assert_eq!(data("\"\\u202e\""), json!("\u{202e}"));
}

#[test]
fn a_number_that_would_be_written_differently_is_refused() {
    for (written, read) in [
        ("0123", "123"),
        ("+77011234567", "77011234567"),
        ("1.50", "1.5"),
        ("0x1F", "31"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
    ] {
        let text =
            format!("profile: cafe\nslots:\n  - type: text\n    data:\n      it: [{written}]\n");
        assert_eq!(refused(text), [format!("5:12 `{written}` is read as the number {read}")]);
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_accepted() {
    assert_eq!(page(&format!("\u{feff}{CAFE}")), page(CAFE));
    assert_eq!(page(&CAFE.replace('\n', "\r\n")), page(CAFE));
    let bad = format!("\u{feff}{}", CAFE.replace("type: text", "typ: text").replace('\n', "\r\n"));
    assert_eq!(refused(bad), ["6:5 unknown field `typ`", "6:5 `type` is missing"]);
}

#[test]
fn every_problem_of_a_page_is_reported_at_its_line_and_column() {
    let text = "\
profil: cafe
slots:
  - id: 0
    type: button
  - id: 7
    type: 3
    tittle: x
  - id: 7
    type: text
    data: words
  - just text
  - id: 7
    type: divider
    data: [1]
  - type: ''
";
    assert_eq!(
        refused(text),
        [
            "1:1 unknown field `profil`",
            "1:1 `profile` is missing (the login or ID of the page)",
            "3:9 `id` must be a positive integer",
            "6:11 `type` must be the name of a slot type, not a number",
            "7:5 unknown field `tittle`",
            "8:9 the ID 7 is already used by item 2",
            "10:11 `data` must be a mapping, not a string",
            "11:5 a slot must be a mapping with `type` and `data`, not a string",
            "12:9 the ID 7 is already used by item 3",
            "14:11 `data` must be a mapping, not a list",
            "15:11 `type` must be the name of a slot type, not an empty string",
        ]
    );
}

#[test]
fn an_invalid_page_file_is_refused_with_one_message() {
    let deep = format!("profile: cafe\nslots: {}{}", "[".repeat(10_000), "]".repeat(10_000));
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n";
    let long = format!("profile: cafe\nslots:\n{}", "- type: divider\n".repeat(501));
    let of = |item: &str| {
        format!("profile: cafe\nslots:\n  - type: text\n    data:\n      it: {item}\n")
    };
    let cases: [(&str, Vec<u8>, &str); 24] = [
        ("empty", b"".to_vec(), "1:1 the file is empty"),
        ("white", b" \n\n".to_vec(), "1:1 the file is empty"),
        ("comment", b"# nothing\n".to_vec(), "1:1 the file is empty"),
        ("a list", b"- a\n".to_vec(), "1:1 a page file must be a mapping, not a list"),
        (
            "no list",
            b"profile: a\nslots: {}\n".to_vec(),
            "2:1 `slots` must be a list, not a mapping",
        ),
        ("null list", b"profile: a\nslots:\n".to_vec(), "2:1 `slots` must be a list, not nothing"),
        (
            "two documents",
            b"profile: cafe\nslots: []\n---\nprofile: x\n".to_vec(),
            "3:1 unexpected second document",
        ),
        ("deep", deep.into_bytes(), "2:263 nested more than 32 levels deep"),
        ("bomb", bomb.as_bytes().to_vec(), "2:8 aliases (`*name`) are not supported"),
        ("merge", of("{<<: {a: 1}}").into_bytes(), "5:12 merge keys (`<<`) are not supported"),
        (
            "duplicate",
            b"profile: cafe\nslots: []\nprofile: bar\n".to_vec(),
            "3:1 duplicate key `profile`",
        ),
        ("duplicate in data", of("{a: 1, b: 2, a: 3}").into_bytes(), "5:24 duplicate key `a`"),
        (
            "too large",
            of("1e400").into_bytes(),
            "5:11 1e400 is not a number that JSON can represent",
        ),
        ("infinite", of(".inf").into_bytes(), "5:11 .inf is not a number that JSON can represent"),
        (
            "a tag",
            of("!!python/object x").into_bytes(),
            "5:27 the tag `!!python/object` is not supported",
        ),
        ("NUL", b"profile: ca\0fe\n".to_vec(), "1:12 unexpected NUL character"),
        ("latin-1", b"profile: caf\xe9\n".to_vec(), "1:13 the file is not UTF-8 from here on"),
        ("utf-16", b"\xff\xfep\0r\0".to_vec(), "1:1 the file is not UTF-8 from here on"),
        (
            "501",
            long.into_bytes(),
            "503:3 a page can have at most 500 slots, but this file has 501",
        ),
        (
            "a path",
            b"profile: ../me\nslots: []\n".to_vec(),
            "1:10 a login can contain only letters, digits, `.` and `_`, not '/'",
        ),
        (
            "a fraction",
            b"profile: 1.5\nslots: []\n".to_vec(),
            "1:10 this is read as a decimal number",
        ),
        (
            "an id too large",
            of("x").replace("type", "id: 9223372036854775808\n    type").into_bytes(),
            "3:9 `id` must be a positive integer",
        ),
        (
            "a fractional id",
            of("x").replace("type", "id: 1.0\n    type").into_bytes(),
            "3:9 `id` must be a positive integer",
        ),
        ("a key that is a list", of("{[a]: b}").into_bytes(), ""),
    ];
    for (name, bytes, expected) in cases {
        let problems = refused(&bytes);
        assert!(
            problems.len() == 1 && (expected.is_empty() || problems[0] == expected),
            "{name}: {problems:?}"
        );
    }
}

#[test]
fn indentation_by_tabs_is_refused() {
    let problems = refused("profile: cafe\nslots:\n\t- type: divider\n");
    assert!(problems.len() == 1 && problems[0].starts_with("3:"), "{problems:?}");
}

#[test]
fn refusals_of_the_service_are_located_in_the_file() {
    let file = read(CAFE).unwrap();
    let place = |path: &str| {
        let bad = file.document.refuse([(path, "no")]);
        bad.places().map(|(place, _)| (place.line, place.column)).next().unwrap()
    };
    assert_eq!(place("slots.0.data.link"), (5, 31), "a value on its line");
    assert_eq!(place("slots.1.data.title"), (8, 7), "a value of several lines: its key");
    assert_eq!(place("slots.1.data.link"), (7, 5), "a field that is not there: what it belongs to");
    assert_eq!(place("slots.2.type"), (11, 11));
    assert_eq!(place("slots.2.data.style"), (11, 5));
    assert_eq!(place("slots.9.data"), (2, 1));
    assert_eq!(place("nonsense"), (1, 1));
}

#[test]
fn only_the_spellings_of_the_core_schema_have_another_type() {
    for (written, value) in [
        ("NULL", json!(null)),
        ("True", json!(true)),
        ("FALSE", json!(false)),
        ("nULL", json!("nULL")),
        ("tRUE", json!("tRUE")),
        ("1_000", json!("1_000")),
        ("0b101", json!("0b101")),
        ("0X1F", json!("0X1F")),
        (".Nan", json!(".Nan")),
        ("1e", json!("1e")),
        ("+.", json!("+.")),
        ("1.2.3", json!("1.2.3")),
    ] {
        assert_eq!(data(written), value, "{written}");
    }
    let of = |it: &str| refused(format!("profile: cafe\nslots:\n  - data: {it}\n")).remove(0);
    for (written, message) in [
        ("!!str 12", "3:17 the tag `!!str` is not supported"),
        ("{!!str a: x}", "3:18 the tag `!!str` is not supported"),
        ("!!seq {}", "3:17 the tag `!!seq` is not supported"),
        ("!own x", "3:16 the tag `!own` is not supported"),
        ("{~: a}", "3:12 a key must be a string, not nothing"),
        ("{[a]: b}", "3:12 a key must be a string, not a list"),
        ("*bold* words", "3:11 aliases (`*name`) are not supported"),
    ] {
        assert_eq!(of(written), message);
    }
}

#[test]
fn json_may_have_characters_that_yaml_allows_only_as_escape_sequences() {
    let text = "\u{7f}\u{92}\u{fffe}";
    let json = json!({ "profile": "cafe", "slots": [{ "type": "text", "data": { "it": text } }] });
    assert_eq!(page(&json.to_string()).content.slots[0].data["it"], text);
    assert_eq!(refused("profile: caf\u{92}\n").len(), 1);
}

#[test]
fn a_hostile_file_is_bounded() {
    let pairs: String = (0..120_000).map(|nth| format!("k{nth}: 1\n")).collect();
    assert_eq!(read::read(&pairs).map(|root| root.count()), Ok(120_000));
    assert_eq!(
        refused("[1,".repeat(30) + &"1,".repeat(300_000))[0].split_once(' ').unwrap().1,
        "the file has more than 250000 keys and values"
    );
    for (text, message) in [
        ("- ".repeat(500_000), "nested more than 32 levels deep"),
        ("{a: ".repeat(500_000), "nested more than 32 levels deep"),
        (format!("a: &a {}\nb: *a", "x".repeat(4_000_000)), "aliases (`*name`) are not supported"),
        (format!("a: \"{}", "\\u0041".repeat(600_000)), "unclosed quote"),
    ] {
        let problems = refused(&text);
        assert!(problems.len() == 1 && problems[0].ends_with(message), "{problems:?}");
    }
}

/// Strategy for JSON values, with strings that YAML could take for other types.
fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        any::<String>(),
        "[ \\-?:,\\[\\]{}#&*!|>'\"%@`=~.\\n\\r\\t0-9a-fx]{0,12}",
        prop::sample::select(vec![
            "no",
            "on",
            "null",
            "~",
            "1e3",
            "0x1f",
            "0o7",
            "---",
            "...",
            "- a",
            "a: b",
            "\u{85}",
            "\u{2028}x\n",
            "\u{feff}",
            " \n",
            "\n",
            "a\n\n",
            "  a\n b"
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn block() -> impl Strategy<Value = DesiredSlot> {
    let data = prop::collection::vec(("[a-zA-Z]{1,8}", value()), 0..5);
    ("[a-z_]{1,8}", data).prop_map(|(kind, data)| DesiredSlot {
        id: None,
        kind,
        data: data.into_iter().collect(),
    })
}

proptest! {
    #[test]
    fn a_written_page_reads_back_the_same(slots in prop::collection::vec(block(), 0..6), id in 1..=i64::MAX, login in "[a-z0-9._]{3,12}x") {
        let mut page = PageContent::of_slots(ProfileKey::Login(login), DesiredPage::from(slots));
        if let Some(first) = Arc::make_mut(&mut page.content).slots.first_mut() {
            first.id = Some(id.into());
        }
        let yaml = yaml::write(&page).unwrap();
        let back = read(&yaml)
            .map_err(|bad| TestCaseError::fail(format!("{yaml}\n{:?}", bad.places().collect::<Vec<_>>())))?;
        prop_assert_eq!(back.page, page, "{}", yaml);
    }

    #[test]
    fn json_is_read_as_by_a_reader_of_json(slots in prop::collection::vec(block(), 0..4)) {
        let page = PageContent::of_slots(ProfileKey::Login("cafe".into()), DesiredPage::from(slots));
        let json = serde_json::to_value(&page).unwrap();
        for text in [json.to_string(), format!("{json:#}")] {
            let read = read::read(&text).map(|root| root.to_json());
            // `-0.0` and numbers of more digits than they have are refused in a file.
            if let Ok(read) = read {
                prop_assert_eq!(read.to_string(), json.to_string());
            }
        }
    }

    #[test]
    fn no_file_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[ \\-:\\[\\]{}#&*!|>'\"\\n\\t0-9a-f]{0,80}") {
        let _ = read_bytes(&bytes);
        let _ = read(&text);
    }
}

#[test]
fn a_page_is_written_as_human_readable_yaml() {
    let written = "\
profile: cafe
slots:
  - id: 1
    type: button
    data:
      title: Shop
      link: https://cafe.test
  - type: text
    data:
      title: |
        Hello
        there
  - type: divider
";
    assert_eq!(yaml::write(&page(CAFE)).unwrap(), written);
}

#[test]
fn a_string_that_some_parser_takes_for_something_else_is_quoted() {
    for text in [
        "",
        "~",
        "no",
        "Yes",
        "NULL",
        "12",
        "1_000",
        "0x1F",
        "12:30:45",
        "2026-01-01",
        "2026-8-1 19:00",
        "+7701",
        ".inf",
        "<<",
        "=",
        "- a",
        "a: b",
        "a #b",
        "a:",
        " a",
        "a ",
        "...",
        "#a",
        "@a",
        "*a",
        "&a",
        "!a",
        "%a",
        "`a",
        "\u{85}",
    ] {
        let written = yaml::write(&json!([text])).unwrap();
        assert!(written.starts_with("- \""), "{written}");
        assert_eq!(read::read(&written).unwrap().to_json(), json!([text]));
    }
    for text in [
        "cafe",
        "https://cafe.test/a?b=c#d",
        "10 a.m.",
        "2026-2027 season",
        "it's",
        "Кофе",
        "a, b [c]",
    ] {
        assert_eq!(yaml::write(&json!({ "a": text })).unwrap(), format!("a: {text}\n"));
    }
}

#[test]
fn references_are_found_and_replaced_at_any_depth() {
    let text = "\
profile: cafe
slots:
  - type: picture
    data: {image: {$upload: ./a.jpg}}
  - type: gallery
    data:
      images:
        - image: uploads/1/b.jpg
        - image:
            $upload: ../b.jpg
  - type: form
    data: {formId: {$form: Contact us}}
";
    let mut file = read(text).unwrap();
    let found: Vec<_> = file
        .references
        .iter()
        .map(|it| (it.place.item.unwrap(), it.place.path.join("."), it.target.clone()))
        .collect();
    assert_eq!(
        found,
        [
            (0, "image".to_owned(), ReferenceTarget::Upload("./a.jpg".into())),
            (1, "images.1.image".to_owned(), ReferenceTarget::Upload("../b.jpg".into())),
            (2, "formId".to_owned(), ReferenceTarget::Form("Contact us".into())),
        ]
    );
    for reference in &file.references {
        let page = Arc::make_mut(&mut file.page.content);
        reference.place.put_in(page, &json!("found"));
        let path = vec!["images".into(), "7".into(), "x".into()];
        let wrong = ReferencePlace { item: reference.place.item, path };
        wrong.put_in(page, &json!("lost"));
    }
    let data: Vec<_> = file.page.content.slots.iter().map(|it| json!(it.data)).collect();
    assert_eq!(
        data,
        [
            json!({"image": "found"}),
            json!({"images": [{"image": "uploads/1/b.jpg"}, {"image": "found"}]}),
            json!({"formId": "found"}),
        ]
    );
}

#[test]
fn an_invalid_reference_is_refused_at_its_position() {
    let text = "\
profile: cafe
slots:
  - {type: picture, data: {$upload: a.jpg}}
  - {type: picture, data: {image: {$upload: a.jpg, title: A}}}
  - {type: form, data: {formId: {$form: 7}}}
  - {type: picture, data: {image: {$upload: ' '}, other: {$unknown: x}}}
  - {type: gallery, data: {images: [{image: {$uplaod: a.jpg}}]}}
";
    assert_eq!(
        refused(text),
        [
            "3:28 `$upload` must be the value of a field, not of `data`",
            "4:36 `$upload` must be the only key of its mapping",
            "5:41 `$form` must name a form, not a number",
            "6:45 `$upload` is empty",
            "7:46 `$uplaod` is not a reference",
        ]
    );
}

/// Strategy for values that a service might send, with keys that have a meaning in page files.
fn hostile() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("/etc/passwd".to_owned()),
        Just("--prune".to_owned()),
        Just("$(touch x)".to_owned()),
        "[ a-z$:#\n\\-]{0,6}",
    ];
    let key = prop_oneof![
        Just("$upload".to_owned()),
        Just("$form".to_owned()),
        Just("$$upload".to_owned()),
        Just("$$$form".to_owned()),
        Just("$uplaod".to_owned()),
        Just("$".to_owned()),
        Just("<<".to_owned()),
        "[a-z$*&!]{1,3}",
    ];
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        Just(Value::Null),
        any::<i32>().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 24, 4, move |inner| {
        let map = proptest::collection::vec((key.clone(), inner.clone()), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::from),
            map.prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn data_of_the_service_is_never_read_as_a_reference(values in proptest::collection::vec(hostile(), 1..4)) {
        let slots = values.into_iter().enumerate().map(|(at, value)| {
            let data = match value {
                Value::Object(data) => Value::Object(data),
                other => json!({ "$upload": other }),
            };
            json!({"id": at + 1, "type": "text", "data": data, "supported": true})
        });
        let slots: Vec<links_sdk::Slot> = serde_json::from_value(slots.collect()).unwrap();
        let content = DesiredPage::from_page(&slots, &crate::apply::SlotTypes::default());
        let page = PageContent::of_slots("cafe".parse().unwrap(), content);
        let yaml = yaml::write(&page).unwrap();
        for text in [yaml, serde_json::to_string(&page).unwrap()] {
            let file = read(&text);
            prop_assert!(file.is_ok(), "{text}");
            let file = file.unwrap();
            prop_assert_eq!(&file.references, &[]);
            prop_assert_eq!(&file.page, &page, "{}", text);
        }
        let again = Document::from_bytes("made", serde_json::to_vec(&page).unwrap()).unwrap();
        let again = PageFile::literal(again).unwrap();
        prop_assert_eq!((&again.references[..], &again.page), (&[][..], &page));
    }
}

#[test]
fn common_mistakes_in_yaml_are_named_where_they_are() {
    for (text, expected) in [
        ("profile: cafe\ntitle:Menu\n", "2:6 a space is missing after `:`"),
        ("profile: cafe\ntitle:Menu\nslots: []\n", "2:6 a space is missing after `:`"),
        (
            "profile: cafe\nslots:\n  - type: text\n  -type: button\n",
            "4:3 a space is missing after `-`",
        ),
        ("profile: cafe\nslots:\n  - type: text\n   - type: text\n", "4:4 wrong indentation"),
        ("profile: cafe\ntitle: \"Menu\nslots: []\n", "3:1 a quoted value is not closed"),
        ("profile: cafe\n\ttitle: x\n", "2:1 tabs can't be used for indentation"),
        (
            "profile: cafe\n<<<<<<< HEAD\ntitle: x\n=======\ntitle: y\n>>>>>>> b\n",
            "2:1 a conflict of Git is not resolved",
        ),
        ("profile: cafe\ntitle: yes: no\n", "2:11 unexpected `:`"),
    ] {
        assert_eq!(refused(text), [expected], "{text}");
    }
}
