//! Tests of page files against the schemas that the service publishes, and of the requests that this takes.

use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv};

/// A page file with every kind of mistake once, in new slots and in existing ones.
const BAD: &str = "\
profile: cafe
slots:
  - type: button
    data:
      titel: Shop
      link: no link
  - id: 1002
    type: button
    data: {style: primray, colour: red}
  - {type: gallery, data: {images: [{image: 5}]}}
  - type: buton
    data: {title: Shop}
  - type: event
  - id: 9
    type: text
";

/// Returns line, column and path of each place.
fn places(run: &CommandResult) -> Vec<(u64, u64, String)> {
    let error = run.error();
    let place = |place: &Value| {
        let number = |key: &str| place[key].as_u64().unwrap();
        (number("line"), number("column"), place["path"].as_str().unwrap().to_owned())
    };
    error["places"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn all_problems_are_shown_at_once() {
    let env = TestEnv::cafe();
    env.file("page.yaml", BAD);
    insta::assert_snapshot!(env.run("slots plan page.yaml"));
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);

    // Where every item can be planned, what a new slot lacks is known too.
    let items = BAD.split("  - type: buton").next().unwrap();
    env.file("page.yaml", items);
    let run = env.run("slots apply page.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    let expected = [
        (3, 5, "slots.0"),
        (5, 7, "slots.0.data.titel"),
        (6, 13, "slots.0.data.link"),
        (9, 19, "slots.1.data.style"),
        (9, 28, "slots.1.data.colour"),
        (10, 45, "slots.2.data.images.0.image"),
    ];
    assert_eq!(places(&run), expected.map(|(line, column, path)| (line, column, path.to_owned())));

    // The service itself says the same of the same places.
    let run = env.run("slots apply page.yaml --no-validate -o json");
    assert_eq!((run.exit, &run.error()["status"]), (8, &json!(422)), "{run}");
    let update: Vec<_> = expected[3..5].iter().map(|(line, column, _)| (*line, *column)).collect();
    let found: Vec<_> = places(&run).iter().map(|(line, column, _)| (*line, *column)).collect();
    assert_eq!(found, update, "updates go first\n{run}");
}

#[test]
fn problems_in_a_json_page_file_have_line_and_column() {
    let env = TestEnv::cafe();
    env.file(
        "page.json",
        r#"{
  "profile": "cafe",
  "slots": [
    {"type": "button", "data": {"titel": "Shop", "link": "https://cafe.example"}},
    {
      "id": 1002,
      "type": "button",
      "data": {
        "style": "primray"
      }
    }
  ]
}"#,
    );
    let run = env.run("slots plan page.json -o json");
    let expected =
        [(4, 5, "slots.0"), (4, 33, "slots.0.data.titel"), (9, 18, "slots.1.data.style")];
    assert_eq!(places(&run), expected.map(|(line, column, path)| (line, column, path.to_owned())));
    insta::assert_snapshot!(env.run("slots plan page.json"));
}

#[test]
fn refusals_of_the_service_are_shown_at_their_lines() {
    let env = TestEnv::cafe();
    env.file("page.yaml", BAD.split("  - id: 1002").next().unwrap());
    insta::assert_snapshot!(env.run("slots apply page.yaml --no-validate"));
}

#[test]
fn slot_types_are_read_once_a_day() {
    let env = TestEnv::cafe().keeping_cache();
    let title = |title: &str| {
        let text = "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: ";
        env.file("page.yaml", format!("{text}{title}}}}}\n"));
    };
    let applied = |operations: &[&str]| {
        let run = env.run("slots apply page.yaml");
        assert_eq!(run.exit, 0, "{run}");
        assert_eq!(env.operations(), operations, "{run}");
        run
    };
    title("One");
    let first = applied(&["getProfile", "listSlotTypes", "updateSlots", "listSlots"]);
    assert!(
        first.stderr.contains("1 to update\n") && first.stderr.contains("\nup to 4 requests"),
        "{first}"
    );
    title("Two");
    let second = applied(&["getProfile", "updateSlots", "listSlots"]);
    assert!(
        second.stderr.contains("1 to update\n") && second.stderr.contains("\nup to 3 requests"),
        "{second}"
    );
    applied(&["getProfile"]);

    env.server.edit(|account| account.profiles[0].slots.clear());
    let many: Vec<_> =
        (0..500).map(|n| format!("  - {{type: text, data: {{title: Line {n}}}}}\n")).collect();
    let many = many.concat();
    env.file("page.yaml", format!("profile: cafe\nslots:\n{many}"));
    let creates = ["createSlots"; 10];
    let run = applied(&[&["getProfile"], &creates[..], &["listSlots"]].concat());
    assert!(run.stderr.contains("500 to create\n"), "{run}");
}

/// Changes the cached schema of the button.
fn edit_kept(env: &TestEnv, edit: impl FnOnce(&mut Value)) {
    let directory = env.home.path().join("cache");
    let mut paths = std::fs::read_dir(&directory).unwrap().map(|it| it.unwrap().path());
    let path = paths.find(|it| it.to_string_lossy().contains("slot-types")).unwrap();
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let types = kept["content"][1].as_array_mut().unwrap();
    edit(&mut types.iter_mut().find(|it| it["type"] == "button").unwrap()["schema"]);
    std::fs::write(&path, kept.to_string()).unwrap();
}

#[test]
fn cached_slot_types_are_replaced_when_the_service_disagrees() {
    let env = TestEnv::cafe().keeping_cache();
    let page = |field: &str| {
        let text = "profile: cafe\nslots:\n  - {id: 1002, type: button, data: {";
        env.file("page.yaml", format!("{text}{field}}}}}\n"));
    };
    page("style: outline");
    assert_eq!(env.run("slots plan page.yaml").exit, 3);
    env.operations();

    // The service has learnt a style since.
    edit_kept(&env, |schema| schema["properties"]["style"]["enum"] = json!(["primary"]));
    let run = env.run("slots plan page.yaml");
    assert_eq!(run.exit, 3, "{run}");
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);

    // The service has unlearnt a field since.
    edit_kept(&env, |schema| schema["additionalProperties"] = json!(true));
    page("colour: red");
    assert_eq!(env.run("slots apply page.yaml").exit, 8);
    assert_eq!(env.operations(), ["getProfile", "updateSlots"]);
    let again = env.run("slots apply page.yaml");
    assert_eq!(again.exit, 8, "{again}");
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);
}

#[test]
fn a_cache_that_cannot_be_written_costs_one_request_per_run() {
    let env = TestEnv::cafe();
    let env = env.env("LINKS_CACHE_DIR", "/dev/null/none");
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: text, data: {title: New}}\n");
    for _ in 0..2 {
        assert_eq!(env.run("slots plan page.yaml").exit, 3);
        assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);
    }
}
