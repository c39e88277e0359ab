use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::page_file::FilePlace;
use crate::page_file::emit as yaml;
use crate::page_file::{Document, FileDiagnostics, PageFile};

fn read_with(text: &str, images: &ImageRoots) -> Result<PageFile, FileDiagnostics> {
    PageFile::of(Document::from_bytes("cafe.yaml", text.into())?, images)
}

fn read(text: &str) -> Result<PageFile, FileDiagnostics> {
    read_with(text, &ImageRoots::none())
}

fn places(bad: &FileDiagnostics) -> Vec<String> {
    let place = |(FilePlace { line, column, .. }, problem): (FilePlace<'_>, &FieldDiagnostic)| {
        let help = problem.help.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
        format!("{line}:{column} {}{help}", problem.message)
    };
    bad.places().map(place).collect()
}

const CAFE: &str = "\
profile: cafe
login: cafe.qara
title: Qara Coffee
description: null
avatar: uploads/1/logo.png
bgImage: null
socials: [https://instagram.com/qara, https://t.me/qara]
languageCode: kk
moodText: Open till midnight
moodHours: 24
";

#[test]
fn the_fields_of_a_page_are_read() {
    let file = read(CAFE).unwrap();
    let fields = json!({
        "login": "cafe.qara", "title": "Qara Coffee", "description": null, "avatar": "uploads/1/logo.png",
        "bgImage": null, "socials": ["https://instagram.com/qara", "https://t.me/qara"],
        "languageCode": "kk", "moodText": "Open till midnight", "moodHours": 24,
    });
    assert_eq!(json!(file.page.content.fields), fields);
    assert!(!file.page.has_slots && file.page.content.slots.is_empty());
    assert_eq!(yaml::write(&file.page).unwrap().lines().count(), 12);

    let file = read(&format!("{CAFE}slots: []\n")).unwrap();
    assert!(file.page.has_slots);
    let mut whole = fields.clone();
    whole["profile"] = json!("cafe");
    let json = PageFile::from_bytes("cafe.json", whole.to_string().into(), &ImageRoots::none());
    assert_eq!(json!(json.unwrap().page.content.fields), fields);
    assert!(read("profile: cafe\nsocials: []\n").is_ok());
}

#[test]
fn every_invalid_field_is_reported_at_its_line_and_column() {
    let text = "\
profile: cafe
login: my-links
titel: Qara
description: 7
avatar: https://cdn.example/a.png
bgImage: ./images/terrace.jpg
socials:
  - {link: https://t.me/qara, order: 1}
  - ''
  - 7
languageId: 1
languageCode: ' '
moodText: [a]
moodHours: 1.5
themeId: 3
slots: []
";
    assert_eq!(
        places(&read(text).unwrap_err()),
        [
            "2:8 a login can have only letters a-z, digits, `.` and `_`",
            "3:1 unknown field `titel` (did you mean `title`?)",
            "4:14 `description` must be a string or null, not a number (quote a string)",
            "5:9 `avatar` must be the path of an uploaded image, not a URL (upload it with `links files upload URL` and put the printed path here)",
            "6:10 `./images/terrace.jpg` is a file on this machine, which no one else can see (write {$upload: ./images/terrace.jpg} to upload it)",
            "8:5 a social link must be a URL, not a mapping (write only the URL; icons and `order` are set automatically)",
            "9:5 this URL is empty",
            "10:5 a social link must be a URL, not a number",
            "11:1 unknown field `languageId` (use `languageCode` with a code such as kk)",
            "12:15 `languageCode` is empty",
            "13:1 `moodText` must be a string or null, not a list",
            "14:12 `moodHours` must be a whole number (0 or more) or null, not 1.5",
            "15:1 `themeId` is set by the service and cannot be written (leave it out)",
        ]
    );
    for (field, expected) in [
        ("login:", "2:1 `login` must be a login, not nothing (leave it out to keep the value)"),
        ("login: 2026", "2:8 `login` must be a login, not a number (quote a string)"),
        ("login: abc", "2:8 a login must have 4 to 60 characters"),
        (
            "socials: null",
            "2:10 `socials` must be a list of URLs, not nothing (use `[]` to clear the list)",
        ),
        ("moodHours: -1", "2:12 `moodHours` must be a whole number (0 or more) or null, not -1"),
        (
            "avatar: {$uplaod: a.png}",
            "2:10 `avatar` must be the path of an uploaded image, {$upload: FILE}, or null, not a mapping (did you mean `$upload`?)",
        ),
        ("avatar: {$upload: a.png, x: 1}", "2:10 `$upload` must be the only key of its mapping"),
        ("avatar: {$upload: 7}", "2:19 `$upload` must name an image file, not a number"),
        ("avatar: {$upload: ''}", "2:19 `$upload` is empty"),
        ("title: {$upload: a.png}", "2:1 `title` must be a string or null, not a mapping"),
        ("form: booking", "2:1 a file must be a page (`profile`) or a form (`form`), not both"),
    ] {
        let text = format!("profile: cafe\n{field}\nslots: []\n");
        assert_eq!(places(&read(&text).unwrap_err()), [expected], "{field}");
    }
    let alone = places(&read("profile: cafe\n").unwrap_err());
    assert_eq!(alone, ["1:1 `slots` is missing (the list of slots)"]);
    let typo = places(&read("profile: cafe\ntitel: A\n").unwrap_err());
    assert_eq!(typo, ["2:1 unknown field `titel` (did you mean `title`?)"]);
    let form = read("title: A\nform: booking\n").unwrap_err();
    assert!(places(&form)[0].starts_with("2:1 this file is a form, not a page"));
}

const DOT: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[test]
fn images_of_fields_are_found_beneath_the_directory_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("pages");
    std::fs::create_dir_all(pages.join("images")).unwrap();
    std::fs::write(pages.join("images/logo.gif"), DOT).unwrap();
    std::fs::write(directory.path().join("outside.gif"), DOT).unwrap();
    let roots = ImageRoots::new(&pages, &[]).unwrap();
    let text = "profile: cafe\navatar: {$upload: images/logo.gif}\nbgImage: {$upload: ../outside.gif}\nslots: []\n";
    for text in [
        text.to_owned(),
        json!({
            "profile": "cafe", "avatar": { "$upload": "images/logo.gif" },
            "bgImage": { "$upload": "../outside.gif" }, "slots": [],
        })
        .to_string(),
    ] {
        let file = PageFile::from_bytes("cafe.yaml", text.into(), &roots).unwrap();
        let images: Vec<_> = file
            .images
            .iter()
            .map(|image| (image.place.to_string(), image.name.as_str(), image.local.size))
            .collect();
        assert_eq!(images, [("avatar".to_owned(), "images/logo.gif", DOT.len() as u64)]);
        let missing: Vec<_> =
            file.missing.iter().map(|it| (it.path.as_str(), it.message.as_str())).collect();
        let outside = "../outside.gif is outside the page file's directory";
        assert_eq!(missing, [("bgImage", outside)]);
        assert!(file.missing[0].span.start > 0);

        let slots = file.slots_only().unwrap();
        assert_eq!(slots.left_out, ["avatar", "bgImage"]);
        assert!(slots.missing.is_empty() && slots.images.is_empty());
        assert!(slots.page.content.fields.is_empty());
    }
    let plain = "profile: cafe\navatar: images/logo.gif\nbgImage: images/none.gif\n";
    let problems = places(&read_with(plain, &roots).unwrap_err());
    let advice = "write {$upload: images/logo.gif} to upload it";
    let message = "`images/logo.gif` is a file on this machine, which no one else can see";
    assert_eq!(problems, [format!("2:9 {message} ({advice})")]);
}

#[test]
fn a_file_without_slots_is_refused_where_only_slots_are_written() {
    let bad = read(CAFE).unwrap().slots_only().unwrap_err();
    assert_eq!(
        places(&bad),
        ["1:1 this file has no `slots` (write `slots: []` for an empty page)"]
    );
    let kept = read(&format!("{CAFE}slots: [{{type: divider}}]\n")).unwrap().slots_only().unwrap();
    assert_eq!((kept.left_out.len(), kept.page.content.slots.len()), (9, 1));
}

#[test]
fn a_page_that_this_program_has_written_refers_to_no_image() {
    let made = |value: &str| {
        let text = format!("profile: cafe\navatar: {value}\nslots: []\n");
        PageFile::literal(Document::from_bytes("made", text.into()).unwrap())
    };
    assert!(made("uploads/a.png").is_ok() && made("{$upload: a.gif}").is_err());
}

/// Strategy for the fields of a page, with strings that YAML could take for other types.
fn fields() -> impl Strategy<Value = Object> {
    let text = || {
        prop_oneof![
            any::<String>(),
            "[ \\-?:,\\[\\]{}#&*!|>'\"%@`=~\\n\\t0-9a-z]{0,12}",
            prop::sample::select(vec!["no", "null", "~", "1e3", "0x1f", "a: b", "\u{85}", "\n"])
                .prop_map(str::to_owned),
        ]
        .prop_filter("no NUL", |it| !it.contains('\0'))
    };
    let word = || text().prop_filter("not blank", |it| !it.trim().is_empty());
    let nullable = |it: BoxedStrategy<Value>| prop_oneof![1 => Just(Value::Null), 4 => it];
    let texts = || nullable(text().prop_map(Value::from).boxed());
    let path = || nullable("[a-z0-9/]{1,12}".prop_map(|it| json!(format!("u{it}"))).boxed());
    let socials = prop::collection::vec(word(), 0..4).prop_map(|it| json!(it));
    let hours = nullable((0..=i64::MAX).prop_map(Value::from).boxed());
    let language = nullable(word().prop_map(Value::from).boxed());
    (
        "[a-z0-9._]{4,60}".prop_map(Value::from),
        (texts(), texts(), texts()),
        (path(), path()),
        (socials, language, hours),
        prop::collection::vec(any::<bool>(), 9),
    )
        .prop_map(
            |(login, (title, about, mood), (avatar, back), (socials, code, hours), kept)| {
                let names = PROFILE_FIELDS.iter().map(|rule| rule.name);
                let values = [login, title, about, avatar, back, socials, code, mood, hours];
                let all = names.zip(values).zip(kept);
                all.filter(|(_, kept)| *kept).map(|(entry, _)| entry).collect()
            },
        )
}

proptest! {
    #[test]
    fn written_fields_read_back_the_same(fields in fields(), has_slots in any::<bool>()) {
        let has_slots = has_slots || fields.is_empty();
        let mut page = read("profile: cafe\nslots: []\n").unwrap().page;
        page.has_slots = has_slots;
        page.login = fields.get("login").and_then(Value::as_str).map(str::to_owned);
        std::sync::Arc::make_mut(&mut page.content).fields = fields;
        for text in [yaml::write(&page).unwrap(), serde_json::to_string(&page).unwrap()] {
            let back = read(&text).map_err(|bad| TestCaseError::fail(format!("{text}\n{:?}", places(&bad))))?;
            prop_assert_eq!(&back.page, &page, "{}", text);
        }
    }
}

#[test]
fn a_status_is_refused_where_statuses_are_switched_off() {
    let text = "profile: cafe\nmoodText: Open\nmoodHours: 4\n";
    let document = Document::from_bytes("cafe.yaml", text.into()).unwrap();
    let places = |fields: Value, record: Value| -> Vec<_> {
        let fields = fields.as_object().cloned().unwrap().into();
        let problems = mood_problems(&document, &fields, record.as_object().unwrap());
        problems.into_iter().map(|it| (it.path, it.span)).collect()
    };
    let set = json!({ "moodText": "Open", "moodHours": 4 });
    let both = [("moodText".to_owned(), 14..22), ("moodHours".to_owned(), 29..38)];
    assert_eq!(places(set.clone(), json!({ "title": "Cafe" })), both);
    assert_eq!(places(set, json!({ "moodText": null })), []);
    assert_eq!(places(json!({ "moodText": null, "title": "A" }), json!({})), []);
}
