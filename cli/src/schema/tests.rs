//! Tests that the JSON Schemas for editors and the validation of the tool agree.

use boon::{Compiler, SchemaIndex, Schemas};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::editor_schema;
use links_pages::form_file::FormFile;
use links_pages::form_file::{CHANNELS, FORM_FIELDS, INPUT_FIELDS};
use links_pages::page_file::fields::PROFILE_FIELDS;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{Document, PageFile};

/// Schema, compiled.
struct Compiled(Schemas, SchemaIndex);

impl Compiled {
    fn of(schema: Value) -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource("https://links.example/it", schema).unwrap();
        let root = compiler.compile("https://links.example/it", &mut schemas).unwrap();
        Self(schemas, root)
    }

    fn accepts(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

fn document(value: &Value) -> Document {
    Document::from_bytes("it.json", value.to_string().into()).unwrap()
}

fn is_page(value: &Value) -> bool {
    let file = PageFile::of(document(value), &ImageRoots::none());
    // An image that does not exist is found by the tool alone.
    file.is_ok()
}

fn is_form(value: &Value) -> bool {
    FormFile::of(document(value)).is_ok()
}

/// Values that some fields take and others refuse.
fn values() -> Vec<Value> {
    let texts = [
        "",
        " ",
        "a",
        "abc",
        "cafe",
        "cafe.qara",
        "my-links",
        "кафе",
        "запись-1",
        "-a",
        "2026",
        "kk",
        "uploads/1/a.png",
        "/storage/a.png",
        "./a.png",
        "../a.png",
        ".\\a",
        "..\\a",
        "\\a",
        "~/a",
        "C:\\a.png",
        "c:a.png",
        "/home/me/a.png",
        "/homes/a.png",
        "https://t.me/a",
        "x\n./a",
        "\n",
    ];
    let mut values: Vec<_> = texts.iter().map(|text| json!(text)).collect();
    values
        .extend(["a".repeat(60), "a".repeat(61), "a".repeat(64), "a".repeat(65)].map(Value::from));
    let others = json!([
        null, true, false, 0, 1, -1, 24, 1.5, [], ["https://t.me/a"], [""], [" "], [7], [null], [1], [0], [-1],
        ["https://t.me/a", "https://t.me/a"], [{ "link": "https://t.me/a", "order": 1 }],
        {}, { "$upload": "a.png" }, { "$upload": "" }, { "$upload": 7 }, { "$upload": "a", "x": 1 },
        { "$form": "a" }, [{ "$channel": "Owner" }], [{ "$channel": 12 }], [{ "$channel": "" }],
        [{ "$channel": 0 }], [{ "$channel": null }], [{ "$channel": "A", "x": 1 }], [{ "$chanel": "A" }],
        [{ "label": "A", "type": "text" }], [{ "label": "A" }], [{ "label": "A", "type": "text", "x": 1 }],
    ]);
    values.extend(others.as_array().cloned().unwrap());
    values
}

#[test]
fn the_schema_of_a_page_file_and_the_validation_agree_on_every_field() {
    let schema = Compiled::of(editor_schema::page(&[]));
    let names = PROFILE_FIELDS.iter().map(|rule| rule.name);
    let mut accepted = 0;
    for name in names.chain(["slots", "themeId", "languageId", "form", "x"]) {
        for value in values() {
            let page = json!({ "profile": "cafe", name: value });
            // The shape of a slot is the same as before; the tests of the schema have it.
            let is_list_of_slots =
                name == "slots" && value.as_array().is_some_and(|it| !it.is_empty());
            if !is_list_of_slots {
                assert_eq!(schema.accepts(&page), is_page(&page), "{page}");
                accepted += usize::from(is_page(&page));
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
    for page in [json!({ "profile": "cafe" }), json!({ "title": "A" }), json!([]), json!({})] {
        assert!(!schema.accepts(&page) && !is_page(&page), "{page}");
    }
}

#[test]
fn the_schema_of_a_form_file_and_the_validation_agree_on_every_field() {
    let schema = Compiled::of(editor_schema::form());
    let mut accepted = 0;
    let mut check = |form: Value| {
        assert_eq!(schema.accepts(&form), is_form(&form), "{form}");
        accepted += usize::from(is_form(&form));
    };
    let names = FORM_FIELDS.iter().map(|rule| rule.name);
    for name in names.chain(["form", "id", "fields", CHANNELS, "active", "x"]) {
        for value in values() {
            let mut form = json!({ "form": "booking", "title": "Book" });
            form[name] = value;
            check(form);
        }
    }
    for name in INPUT_FIELDS.iter().map(|rule| rule.name).chain(["x"]) {
        for value in values() {
            let mut input = json!({ "label": "A", "type": "text" });
            input[name] = value;
            check(json!({ "form": "booking", "id": "7", "fields": [input] }));
        }
    }
    for form in [json!({ "form": "a" }), json!({ "title": "A" }), json!([]), json!({})] {
        check(form);
    }
    assert!(accepted > 300, "{accepted}");
}

/// Strategy for objects with some of these keys.
fn objects(names: Vec<&'static str>) -> impl Strategy<Value = Map<String, Value>> {
    let entry = (prop::sample::select(names), prop::sample::select(values()));
    prop::collection::vec(entry, 0..5).prop_map(|entries| {
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    })
}

proptest! {
    #[test]
    fn the_schemas_and_the_validation_agree_on_any_file(
        page in objects(["profile", "title"].into_iter().chain(PROFILE_FIELDS.iter().map(|it| it.name)).collect()),
        form in objects(["form", "id"].into_iter().chain(FORM_FIELDS.iter().map(|it| it.name)).collect()),
    ) {
        thread_local! {
            static SCHEMAS: [Compiled; 2] =
                [Compiled::of(editor_schema::page(&[])), Compiled::of(editor_schema::form())];
        }
        let (mut page, form) = (page, Value::Object(form));
        // The rules for the key of a page are those of the command line.
        page.entry("profile").and_modify(|it| *it = json!("cafe"));
        let page = Value::Object(page);
        SCHEMAS.with(|[of_page, of_form]| {
            prop_assert_eq!(of_page.accepts(&page), is_page(&page), "{}", page);
            prop_assert_eq!(of_form.accepts(&form), is_form(&form), "{}", form);
            Ok(())
        })?;
    }
}
