//! Tests of `slots plan --out`, `--check` and `--annotate`, and of plans that are applied later.

use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv};

const PAGE: &str = "\
profile: cafe
slots:
  - {id: 1001, type: text, data: {title: Good evening!}}
  - {id: 1002, type: button}
  - {type: text, data: {title: New}}
";

fn env(text: &str) -> TestEnv {
    let env = TestEnv::cafe().keeping_cache();
    env.file("page.yaml", text);
    let run = env.run("slots plan page.yaml --out plan.json");
    assert!([0, 3].contains(&run.exit), "{run}");
    env.operations();
    env
}

fn title(env: &TestEnv) -> Value {
    env.server.account().profiles[0].slots[0].data["title"].clone()
}

#[test]
fn a_saved_plan_is_applied_as_it_was_made() {
    let env = TestEnv::cafe().keeping_cache();
    env.file("page.yaml", PAGE);
    let made = env.run("slots plan page.yaml --out plan.json");
    assert_eq!(made.exit, 3, "{made}");
    let text = std::fs::read_to_string(env.home.path().join("plan.json")).unwrap();
    let saved: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&saved["format"], &saved["version"]), (&json!("links-plan"), &json!(2)));
    let page = &saved["pages"][0];
    assert_eq!((&page["id"], &page["file"]["name"]), (&json!(101), &json!("page.yaml")));

    let shown = env.run("slots plan --plan plan.json");
    let shown = (shown.exit, shown.stdout.replace("4 requests", "5 requests"));
    assert_eq!(shown, (3, made.stdout.clone()), "the types are known now");
    env.operations();
    // The page file is not needed any more.
    std::fs::remove_file(env.home.path().join("page.yaml")).unwrap();
    let applied = env.run("slots apply --plan plan.json");
    assert_eq!(env.operations(), ["getProfile", "updateSlots", "createSlots", "listSlots"]);
    assert_eq!(title(&env), "Good evening!");
    let again = env.run("slots apply --plan plan.json");
    assert_eq!(env.operations(), ["getProfile"], "it is done, and done once only");
    assert_eq!(again.exit, 0, "{again}");
    insta::assert_snapshot!(made.snapshot_name(), made);
    insta::assert_snapshot!(applied.snapshot_name(), applied);
    insta::assert_snapshot!("slots_apply_plan_plan_json_again", again);
}

#[test]
fn a_plan_for_a_page_that_was_changed_since_is_refused() {
    let env = env(PAGE);
    env.server.edit(|account| {
        account.profiles[0].slots[2].data.insert("title".to_owned(), "Edited".into());
    });
    let run = env.run("slots apply --plan plan.json -o json");
    assert_eq!((run.exit, &run.error()["code"]), (7, &json!("conflict")), "{run}");
    assert!(run.error()["hint"].as_str().unwrap().contains("slots plan page.yaml --out"), "{run}");
    assert_eq!(env.operations(), ["getProfile"]);
    assert_eq!(env.run("slots plan --plan plan.json").exit, 7);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
}

#[test]
fn a_plan_that_was_undone_is_refused_and_not_passed_over() {
    for command in ["links-page", "links-slots"] {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
        crate::steps::ok(&env, "pull cafe -O cafe.yaml");
        let pulled = std::fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
        let (from, to) = match command {
            "links-page" => ("title: Qara Coffee", "title: Qara"),
            _ => ("title: Good morning!", "title: Good evening!"),
        };
        env.file("cafe.yaml", pulled.replacen(from, to, 1));
        assert_eq!(env.run("plan cafe.yaml --out plan.json").exit, 3);
        crate::steps::ok(&env, "apply --plan plan.json --yes");
        // Again, it has nothing to do.
        crate::steps::ok(&env, "apply --plan plan.json --yes");
        crate::steps::ok(&env, "undo --yes");
        let run = env.run("apply --plan plan.json --yes");
        assert_eq!(run.exit, 7, "{run}");
        let message =
            "the last sync of cafe.yaml changed since the plan was made; nothing was written";
        assert!(run.stderr.contains(message) && run.stderr.contains("--out PLAN"), "{run}");
    }
}

#[test]
fn delete_limits_and_confirmation_apply_to_a_saved_plan() {
    let fewer = "profile: cafe\nslots:\n  - {id: 1001, type: text}\n  - {id: 1002, type: button}\n";
    let env = TestEnv::cafe().keeping_cache();
    env.file("page.yaml", fewer);
    let run = env.run("slots plan page.yaml --out -");
    assert!(run.exit == 2 && run.stderr.contains("--out PLAN"), "{run}");
    assert_eq!(env.run("slots plan page.yaml --prune --out plan.json").exit, 14);
    assert_eq!(env.run("slots apply --plan plan.json").exit, 14);
    assert_eq!(env.run("slots apply --plan plan.json --yes").exit, 14);
    assert_eq!(env.run("slots apply --plan plan.json --max-deletes 20").exit, 14);
    let run = env.run("slots apply --plan plan.json --prune --yes --max-deletes 20");
    assert_eq!(run.exit, 2, "what is deleted was said when the plan was made\n{run}");
    for option in ["--force", "--exact"] {
        let run = env.run(&format!("slots apply --plan plan.json {option}"));
        assert!(run.exit == 2 && run.stderr.contains("a saved plan already lists"), "{run}");
    }
    let run = env.run("slots apply --plan plan.json --yes --max-deletes 20");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.server.account().profiles[0].slots.len(), 5);
}

/// Applies the plan with one change in it.
fn tampered(env: &TestEnv, edit: impl FnOnce(&mut Value)) -> CommandResult {
    let path = env.home.path().join("plan.json");
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    edit(&mut saved);
    env.file("other.json", saved.to_string());
    let run = env.run("slots apply --plan other.json --yes --max-deletes 99");
    let operations = env.operations();
    assert!(operations.iter().all(|it| it == "getProfile"), "{operations:?}\n{run}");
    run
}

#[test]
fn a_plan_edited_by_hand_is_reported_as_edited() {
    let env = env(PAGE);
    let run = tampered(&env, |saved| saved["pages"][0]["plan"]["order"] = json!([]));
    assert!(run.stderr.contains("the plan file was edited"), "{run}");
    assert!(!run.stderr.contains("slot type"), "{run}");
    // A plan in another layout is the same plan.
    let path = env.home.path().join("plan.json");
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    saved.sort_all_objects();
    env.file("plan.json", saved.to_string());
    let run = env.run("slots apply --plan plan.json");
    assert_eq!(run.exit, 0, "{run}");
}

#[test]
fn a_plan_that_was_tampered_with_is_refused() {
    let env = env(PAGE);
    for (path, value, exit) in [
        ("/version", json!(1), 8),
        ("/pages/0/plan/updates/0/changed/title", json!("Bad"), 8),
        ("/pages/0/plan/deletes", json!([{"id": 1003, "type": "picture", "label": null}]), 8),
        ("/pages/0/plan/order", json!([]), 8),
        ("/options/prune", json!(true), 8),
        ("/pages/0/id", json!(102), 8),
        ("/pages/0/plan/page", json!("0000000000000000"), 8),
        ("/pages/0/plan", json!(null), 8),
        ("/pages/0/file/text", json!("profile: cafe"), 8),
    ] {
        let run = tampered(&env, |saved| *saved.pointer_mut(path).unwrap() = value);
        assert_eq!(run.exit, exit, "{path}\n{run}");
    }
    assert_eq!(title(&env), "Good morning!");
    env.file("page.yaml", PAGE.replace("New", "Newer"));
    let run = env.run("slots apply --plan plan.json");
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stderr.contains("page.yaml was edited after the plan was made"), "{run}");
    let slots = env.server.account().profiles[0].slots.clone();
    assert!(slots.iter().any(|it| it.data.get("title") == Some(&json!("New"))));
}

#[test]
fn a_run_that_is_resumed_deletes_only_what_its_plan_had() {
    let fewer = "profile: cafe\nslots:\n  - {id: 1001, type: text}\n  - {type: text}\n";
    let env = env(fewer);
    env.command(["slots", "apply", "--plan", "plan.json"])
        .env("LINKS_TEST_CRASH", "after_send:2")
        .output()
        .unwrap();
    let slots = || env.server.account().profiles[0].slots.len();
    assert_eq!(slots(), 15);
    // The same content, with leave to delete.
    env.operations();
    let run = tampered(&env, |saved| saved["options"]["prune"] = json!(true));
    assert!(run.stderr.contains("the plan file was edited"), "{run}");
    let all = "--yes --max-deletes 99";
    assert_eq!(env.run("slots plan page.yaml --prune --out all.json").exit, 14);
    env.server.edit(|account| {
        let slots = &mut account.profiles[0].slots;
        let theirs = links_fixtures::Slot { id: 7777, ..slots[0].clone() };
        slots.push(theirs);
    });
    let run = env.run(&format!("slots apply --plan all.json {all}"));
    assert_eq!(run.exit, 7, "{run}");
    assert_eq!(slots(), 16);
    let run = env.run("slots apply --plan plan.json");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(slots(), 16);
}

#[test]
fn a_plan_overwrites_nothing_but_a_plan() {
    let env = env(PAGE);
    assert_eq!(env.run("slots plan page.yaml --out plan.json").exit, 3);
    let run = env.run("slots plan page.yaml --out page.yaml");
    assert_eq!(run.exit, 14, "{run}");
    assert_eq!(std::fs::read_to_string(env.home.path().join("page.yaml")).unwrap(), PAGE);
    let run = env.run("slots plan page.yaml --out no/such/plan.json");
    assert_eq!(run.exit, 2, "{run}");
    assert!(
        run.stderr.contains("cannot write no/such/plan.json: directory no/such not found"),
        "{run}"
    );
}

#[test]
fn a_saved_plan_uploads_only_the_images_it_was_made_with() {
    let dot = |last: u8| {
        [&b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"[..], &[last]].concat()
    };
    let env = TestEnv::cafe().keeping_cache();
    env.file("menu.gif", dot(1));
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {type: picture, data: {image: {$upload: menu.gif}}}\n",
    );
    assert_eq!(env.run("slots plan page.yaml --out plan.json --check").exit, 3);
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"], "what waits is not checked");
    env.file("menu.gif", dot(2));
    let run = env.run("slots apply --plan plan.json");
    assert_eq!(run.exit, 7, "{run}");
    assert_eq!(env.operations(), ["getProfile"]);
    env.file("menu.gif", dot(1));
    assert_eq!(env.run("slots apply --plan plan.json --yes").exit, 0);
    assert_eq!(
        env.operations(),
        ["getProfile", "getMe", "uploadFile", "listSlots", "createSlots", "listSlots"]
    );
}

/// A page file that the schemas allow and the service refuses: `open` types take fields that only the service knows.
const REFUSED: &str = "\
profile: cafe
slots:
  - {id: 1002, type: button, data: {style: outline}}
  - type: picture
    data:
      imageUrl: https://cafe.example/a.jpg
  - {type: button, data: {title: Shop, link: no link}}
";

#[test]
fn a_check_asks_the_service_and_writes_nothing() {
    let env = TestEnv::cafe().keeping_cache();
    env.file("page.yaml", PAGE);
    let run = env.run("slots plan page.yaml --check");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stderr.contains("would accept the new and changed slots"), "{run}");
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes", "updateSlots", "createSlots"]);
    assert_eq!(title(&env), "Good morning!");

    env.file("page.yaml", REFUSED);
    let run = env.run("slots plan page.yaml --check --no-validate");
    assert_eq!(env.operations(), ["getProfile", "updateSlots", "createSlots"]);
    assert_eq!(env.server.account().profiles[0].slots.len(), 14);
    insta::assert_snapshot!(run);

    let text: String = ["  - {type: divider}\n"; 60].concat();
    env.file(
        "page.yaml",
        format!("profile: cafe\nslots:\n{text}  - {{type: text, data: {{title: 5}}}}\n"),
    );
    let run = env.run("slots plan page.yaml --check --no-validate -o json");
    assert_eq!(run.exit, 8, "{run}");
    let place = &run.error()["places"][0];
    assert_eq!(
        (&place["line"], &place["path"]),
        (&json!(63), &json!("slots.60.data.title")),
        "{run}"
    );
    assert_eq!(env.operations(), ["getProfile", "createSlots", "createSlots"]);
}

#[test]
fn refusals_become_annotations() {
    let env = TestEnv::cafe();
    std::fs::create_dir(env.home.path().join("a,b")).unwrap();
    env.file("a,b/page.yaml", REFUSED.replace("outline", "\"100%\\r\\n\""));
    let run = env.run("slots plan a,b/page.yaml --annotate github");
    assert_eq!(run.exit, 8);
    let notes = |run: &CommandResult| {
        let lines = run.stderr.lines().filter(|it| it.starts_with("::"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    insta::assert_snapshot!(notes(&run).join("\n"));
    let run = env.run("slots plan none.yaml --annotate github");
    assert_eq!((run.exit, notes(&run).len()), (2, 1), "{run}");
    assert!(notes(&run)[0].starts_with("::error::cannot read none.yaml"), "{run}");
    env.file("page.yaml", PAGE);
    let run = env.run("slots plan page.yaml --annotate github");
    let changes = notes(&run);
    assert!(run.exit == 3 && changes.iter().all(|it| it.starts_with("::notice ")), "{run}");
    assert_eq!(changes.len(), 2, "{run}");
}

#[test]
fn a_plan_in_json_has_every_change() {
    let env = TestEnv::cafe();
    env.file("cafe.yaml", include_str!("../../fixtures/pages/cafe.yaml"));
    let plan = env.run("slots plan cafe.yaml -o json").json();
    insta::assert_snapshot!(format!("{plan:#}"));
}
