//! Tests of `--dry-run`, on every command that writes.

use std::process::Command;

use serde_json::{Value, json};

use crate::leaves::{self, names};
use crate::test_env::{CommandResult, TestEnv};

/// Commands that end with the exit code of `slots plan`: there is something to do.
const AS_PLANS: &[&str] =
    &["apply", "slots apply", "slots edit", "slots rewrite", "slots import", "undo", "redo"];

fn writes(env: &TestEnv) -> bool {
    let wrote = env.server.requests().iter().any(|request| {
        request.method != "GET" && !request.headers.iter().any(|(name, _)| name == "precognition")
    });
    env.server.forget_requests();
    wrote
}

#[test]
fn every_leaf_that_writes_has_a_dry_run_that_writes_nothing() {
    for leaf in &names() {
        let exit = if AS_PLANS.contains(&leaf.as_str()) { 3 } else { 0 };
        let env = leaves::env();
        leaves::run(&env, leaf, &[]);
        if !writes(&env) {
            continue;
        }
        let env = leaves::env();
        leaves::prepared(&env, leaf);
        let before = format!("{:?}", env.server.account());
        for how in [&["--dry-run"][..], &["--dry-run=request"], &["--dry-run", "-o", "json"]] {
            let run = leaves::run(&env, leaf, how);
            assert_eq!(run.exit, exit, "{leaf} has no dry run\n{run}");
            assert!(!run.stdout.is_empty() && !writes(&env), "{run}");
            assert!(!run.to_string().contains(&env.server.token()), "{run}");
        }
        assert_eq!(format!("{:?}", env.server.account()), before, "{leaf}");
    }
}

const FORM: [&str; 4] = [
    "forms",
    "create",
    "title=It's new",
    r#"fields:=[{"type":"text","label":"N","required":true}]"#,
];

#[test]
fn a_dry_run_reports_whether_the_service_would_accept_it() {
    let env = TestEnv::cafe();
    let run = env.run_args(FORM.iter().chain(&["--dry-run", "-o", "json"]), b"");
    assert_eq!(
        run.json(),
        serde_json::json!({ "data": { "dryRun": "service", "operation": "createForm", "accepted": true } })
    );
    let seen = env.server.requests();
    assert!(seen[0].headers.iter().any(|(name, value)| name == "precognition" && value == "true"));

    let run = env.run("forms create title=x colour=red --dry-run -o json");
    assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
    assert!(run.error()["errors"]["colour"].is_array(), "{run}");
}

#[test]
fn the_request_that_is_shown_is_the_one_that_would_be_sent() {
    let env = TestEnv::cafe();
    let run = env.run_args(FORM.iter().chain(&["--dry-run=request"]), b"");
    assert!(run.stdout.starts_with("curl -X POST ") && run.stdout.lines().count() == 1, "{run}");
    assert!(run.stdout.contains("$LINKS_TOKEN") && env.operations().is_empty(), "{run}");

    let mut shell = Command::new("sh");
    shell.args(["-c", &run.stdout]).env("LINKS_TOKEN", env.server.token());
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("not shown that the command works: there is no curl on this machine");
        return;
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(env.operations(), ["createForm"]);
    assert!(env.server.account().forms.iter().any(|form| form.title == "It's new"));
}

#[test]
fn a_dry_run_of_a_delete_reports_slots_that_cannot_be_deleted() {
    let env = TestEnv::cafe();
    let run = unchanged(&env, |it| it.run("slots delete cafe 1002 --dry-run"));
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(run.stdout, "the service would accept this; nothing was changed\n");
    let run = env.run("slots delete cafe 1002 --dry-run -o json").json()["data"].clone();
    assert_eq!((&run["operation"], &run["accepted"]), (&json!("deleteSlots"), &json!(true)));
    assert_eq!(env.operations().last().map(String::as_str), Some("deleteSlots"));
    let run = env.run("slots delete cafe 1002 1008 --dry-run");
    assert!(run.stdout.contains("event slots cannot be deleted (slot 1008)"), "{run}");
    let run = env.run("slots delete cafe 1008 --dry-run -o json");
    assert_eq!(run.json()["data"]["accepted"], json!(false), "{run}");
    assert!(!writes(&env));
}

#[test]
fn a_dry_run_with_an_image_checks_what_does_not_need_it() {
    let env = TestEnv::cafe();
    env.file("sq.gif", crate::test_env::picture(800, 800));
    let ops = |line: &str| {
        let run = unchanged(&env, |it| it.run(&format!("{line} --dry-run -o json")));
        assert_eq!(run.exit, 0, "{run}");
        let results = run.json()["data"].as_array().unwrap().clone();
        let brief =
            |it: &Value| format!("{} {}", it["operation"].as_str().unwrap(), it["accepted"]);
        results.iter().map(brief).collect::<Vec<_>>()
    };
    let of_profile =
        |is_checked| vec!["uploadFile true".to_owned(), format!("updateProfile {is_checked}")];
    assert_eq!(ops("profile update cafe avatar@sq.gif title=New"), of_profile("true"));
    assert_eq!(ops("profile update cafe avatar@sq.gif"), of_profile("null"));
    assert_eq!(ops("slots add cafe picture image@sq.gif"), ["uploadFile true", "createSlot null"]);
    let run = env.run("profile update cafe avatar@sq.gif moodHours:=-3 --dry-run");
    assert!(run.exit == 8 && run.stderr.contains("moodHours"), "{run}");
    let run = env.run("profile update cafe avatar@sq.gif --dry-run");
    assert!(run.stdout.contains("the service would accept the image"), "{run}");
    assert!(!run.stdout.contains("accept this"), "{run}");
    let run = env.run("profile update cafe avatar@sq.gif title=New --dry-run -o json");
    assert_eq!(run.json()["data"][1]["unchecked"], json!(["avatar"]), "{run}");
    let run = env.run("slots add cafe picture image@sq.gif --dry-run");
    assert!(run.stdout.contains("image cannot be checked before the upload"), "{run}");
    assert!(!writes(&env));
}

const PAGE: &str = "\
profile: cafe
slots:
  - {id: 1001, type: text, data: {title: Good evening!}}
  - {type: text, data: {title: New}}
  - {id: 1002, type: button}
";

fn unchanged(env: &TestEnv, act: impl FnOnce(&TestEnv) -> CommandResult) -> CommandResult {
    let before = format!("{:?}", env.server.account());
    let run = act(env);
    assert_eq!(format!("{:?}", env.server.account()), before, "{run}");
    assert!(!run.to_string().contains(&env.server.token()), "{run}");
    run
}

#[test]
fn a_dry_run_of_apply_is_the_plan() {
    let env = TestEnv::cafe().keeping_cache();
    env.file("page.yaml", PAGE);
    let plan = env.run("slots plan page.yaml -o json");
    env.operations();
    let run = unchanged(&env, |it| it.run("slots apply page.yaml --dry-run -o json"));
    assert_eq!((run.exit, &run.json()["data"]), (3, &plan.json()["data"]), "{run}");
    assert!(!writes(&env));
    assert_eq!(env.run("log -o json").json()["data"], json!([]));

    let bad = PAGE.replace("title: New", "titel: New");
    env.file("page.yaml", &bad);
    let run = unchanged(&env, |it| it.run("slots apply page.yaml --no-validate --dry-run"));
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("page.yaml:4:25"), "{run}");
    assert_eq!(env.operations(), ["getProfile", "updateSlots", "createSlots"]);
    assert_eq!(env.run("slots apply --abort --dry-run").exit, 2);
}

#[test]
fn a_dry_run_of_apply_prints_the_requests_that_are_known() {
    let env = TestEnv::cafe().keeping_cache();
    env.file("dot.gif", "GIF89a");
    env.file(
        "page.yaml",
        PAGE.to_owned() + "  - {type: picture, data: {image: {$upload: dot.gif}}}\n",
    );
    let run = unchanged(&env, |it| it.run("slots apply page.yaml --prune --dry-run=request"));
    assert_eq!(run.exit, 14, "so many deletes are refused: {run}");
    assert!(!writes(&env));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let starts = [
        "# uploadFile: replace \"(upload dot.gif)\" with the path from the response",
        "curl -X PATCH ",
        "curl -X POST ",
        "# reorderSlots: the request contains the IDs of the new slots",
        "curl -X DELETE ",
    ];
    assert_eq!(lines.len(), starts.len(), "{run}");
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{run}");
    assert!(
        lines[1].contains(r#"{"slots":[{"data":{"title":"Good evening!"},"id":1001}]}"#),
        "{run}"
    );
    assert!(
        run.stderr.contains("× cafe: 9 of 14 slots would be deleted; pass --max-deletes N"),
        "{run}"
    );

    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1002, type: button}\n  - {id: 1001, type: text}\n",
    );
    let run = unchanged(&env, |it| it.run("slots apply page.yaml --dry-run=request -o json"));
    let order = run.json()["data"][0]["body"]["order"].as_array().unwrap().clone();
    assert_eq!((order.first(), order.last()), (Some(&json!(1002)), Some(&json!(1001))), "{run}");
    env.file("page.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
    let run = env.run("slots apply page.yaml --dry-run=request");
    assert_eq!((run.exit, run.stdout.as_str()), (0, ""), "{run}");
}

#[test]
fn a_dry_run_of_undo_undoes_nothing() {
    let env = TestEnv::cafe().keeping_cache();
    let directory = env.home.path().join("state").display().to_string();
    let env = env.env("LINKS_STATE_DIR", directory);
    env.file("page.yaml", PAGE);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    env.operations();
    let history = env.run("log -o json").stdout;
    let line = format!("undo {}", run_of(&history));
    let run = unchanged(&env, |it| it.run(&format!("{line} --dry-run")));
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.contains("\"Good evening!\" → \"Good morning!\""), "{run}");
    let run = unchanged(&env, |it| it.run(&format!("{line} --dry-run=request")));
    assert!(run.exit == 3 && run.stdout.starts_with("curl -X PATCH "), "{run}");
    assert!(!writes(&env));
    assert_eq!(env.run("log -o json").stdout, history);
}

fn run_of(history: &str) -> String {
    let history: Value = serde_json::from_str(history).unwrap();
    history["data"][0]["operation"].as_str().unwrap().to_owned()
}

#[test]
fn a_dry_run_of_an_update_shows_old_and_new_values() {
    let env = TestEnv::cafe();
    for (line, shown) in [
        ("slots set cafe 1002 title=Card", "title: \"Menu\" → \"Card\""),
        ("profile update cafe title=Roasters", "title: \"Qara Coffee\" → \"Roasters\""),
    ] {
        let run = env.run(&format!("{line} --dry-run"));
        assert_eq!(run.exit, 0, "{run}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(shown), "{run}");
        // Data stays data.
        let json = env.run(&format!("{line} --dry-run -o json"));
        assert_eq!(json.json()["data"]["accepted"], true, "{json}");
    }
}
