//! Tests of JSON Schemas for editors.

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::test_env::TestEnv;

#[test]
fn the_page_schema_accepts_valid_pages_and_refuses_invalid_slots() {
    let env = TestEnv::cafe();
    let schema: Value = serde_json::from_str(&env.run("schema page").stdout).unwrap();
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler.add_resource("https://links.example/page", schema).unwrap();
    let root = compiler.compile("https://links.example/page", &mut schemas).unwrap();
    let is_valid = |page: &Value| schemas.validate(page, root).is_ok();
    let cafe: Value =
        serde_saphyr::from_str(include_str!("../../fixtures/pages/cafe.yaml")).unwrap();
    let pulled = env.run("slots pull cafe -o json").json()["data"].clone();
    for page in [cafe, pulled] {
        let errors = schemas.validate(&page, root);
        assert!(errors.is_ok(), "{errors:?}");
    }
    let page = |block: &str| -> Value {
        serde_saphyr::from_str(&format!("profile: cafe\nslots:\n  - {block}\n")).unwrap()
    };
    for good in [
        "{type: picture, data: {image: {$upload: ./menu.jpg}}}",
        "{type: gallery, data: {images: [{image: {$upload: ./menu.jpg}, title: Menu}]}}",
        "{type: form, data: {formId: {$form: Contact us}, view: button}}",
        "{id: 1002, type: button}",
    ] {
        assert!(is_valid(&page(good)), "{good}");
    }
    for bad in [
        "{type: button, data: {titel: Menu}}",
        "{type: button, data: {title: 7, link: https://qara.example}}",
        "{type: form, data: {formId: {$forms: Contact us}}}",
        "{type: form, data: {formId: {$form: Contact us}, view: {$form: x}}}",
        "{type: form}",
        "{type: buton, data: {}}",
    ] {
        assert!(!is_valid(&page(bad)), "{bad}");
    }
}

/// Returns the blocks of YAML in the README and the guides.
fn shown_files() -> Vec<String> {
    let texts = [
        include_str!("../../README.md"),
        include_str!("../../docs/page-files.md"),
        include_str!("../../docs/form-files.md"),
        include_str!("../../docs/images.md"),
    ];
    let blocks = texts.iter().flat_map(|text| text.split("```yaml\n").skip(1));
    blocks.filter_map(|it| it.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn every_example_of_a_page_file_and_a_form_file_fits_its_schema() {
    let env = TestEnv::cafe();
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let mut compiled = |kind: &str| {
        let schema: Value =
            serde_json::from_str(&env.run(&format!("schema {kind}")).stdout).unwrap();
        let url = format!("https://links.example/{kind}");
        compiler.add_resource(&url, schema).unwrap();
        compiler.compile(&url, &mut schemas).unwrap()
    };
    let (page, form) = (compiled("page"), compiled("form"));
    let files = ["pages", "forms"].map(|name| {
        let directory = format!("{}/../fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path());
        files.map(|path| std::fs::read_to_string(path).unwrap()).collect::<Vec<_>>()
    });
    let examples = files.concat().into_iter().chain(shown_files());
    let (mut pages, mut forms) = (0, 0);
    for text in examples {
        // A part of a page is shown as it is.
        let Ok(value) = serde_saphyr::from_str::<Value>(&text) else { panic!("{text}") };
        let schema = match (value.get("profile"), value.get("form")) {
            (Some(_), None) => page,
            (None, Some(_)) => form,
            _ => continue,
        };
        *(if schema == page { &mut pages } else { &mut forms }) += 1;
        let errors = schemas.validate(&value, schema);
        assert!(errors.is_ok(), "{text}\n{errors:?}");
    }
    assert!(pages > 3 && forms > 1, "{pages} pages and {forms} forms");
}

#[test]
fn the_schema_of_a_slot_type_is_that_of_the_service() {
    let env = TestEnv::cafe();
    let document: Value = serde_json::from_str(&env.run("schema slot button").stdout).unwrap();
    assert_eq!(env.run("schema slot button -o json").json()["data"], document);
    assert_eq!(document["properties"]["style"]["markdownEnumDescriptions"][2], "Outlined");
    assert_eq!(document["required"], serde_json::json!(["title", "link"]));
    assert_eq!(env.run("schema slot nothing").exit, 6);
}

#[test]
fn a_pulled_page_names_the_schema_that_is_given_or_lies_beside_it() {
    let env = TestEnv::cafe();
    let run = env.run("slots pull cafe --schema page.schema.json -O cafe.yaml");
    assert_eq!(run.exit, 0, "{run}");
    let text = std::fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    assert!(
        text.starts_with("# yaml-language-server: $schema=page.schema.json\nprofile: cafe\n"),
        "{text}"
    );
    assert_eq!(env.run("slots plan cafe.yaml").exit, 0);
    assert!(!env.run("slots pull cafe").stdout.contains("yaml-language-server"));
    std::fs::create_dir(env.home.path().join("pages")).unwrap();
    for (schema, first) in
        [(false, "profile: cafe"), (true, "# yaml-language-server: $schema=page.schema.json")]
    {
        if schema {
            env.file("pages/page.schema.json", env.run("schema page").stdout);
        }
        assert_eq!(env.run("slots pull cafe -O pages/cafe.yaml --force").exit, 0);
        let text = std::fs::read_to_string(env.home.path().join("pages/cafe.yaml")).unwrap();
        assert_eq!(text.lines().next(), Some(first));
    }
    assert_eq!(env.run("slots pull cafe --schema x -O cafe.json").exit, 2);
}
