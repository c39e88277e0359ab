//! `--dry-run`, on every command that writes.

use std::process::Command;

use serde_json::{Value, json};

use crate::leaves::{self, names};
use crate::stage::{Run, Stage};

/// Commands that end as `slots plan` does: there is something to do.
const AS_PLANS: &[&str] = &["slots apply", "slots restore", "slots edit"];

fn writes(stage: &Stage) -> bool {
    let wrote =
        stage.server.requests().iter().any(|it| {
            it.method != "GET" && !it.headers.iter().any(|(name, _)| name == "precognition")
        });
    stage.server.forget_requests();
    wrote
}

#[test]
fn every_leaf_that_writes_can_be_rehearsed_and_then_writes_nothing() {
    for leaf in &names() {
        let exit = if AS_PLANS.contains(&leaf.as_str()) { 3 } else { 0 };
        let stage = leaves::stage();
        leaves::run(&stage, leaf, &[]);
        if !writes(&stage) {
            continue;
        }
        let stage = leaves::stage();
        let before = format!("{:?}", stage.server.account());
        for how in [&["--dry-run"][..], &["--dry-run=request"], &["--dry-run", "-o", "json"]] {
            let run = leaves::run(&stage, leaf, how);
            assert_eq!(run.exit, exit, "{leaf} has no dry run\n{run}");
            assert!(!run.stdout.is_empty() && !writes(&stage), "{run}");
            assert!(!run.to_string().contains(&stage.server.token()), "{run}");
        }
        assert_eq!(format!("{:?}", stage.server.account()), before, "{leaf}");
    }
}

const FORM: [&str; 4] = [
    "forms",
    "create",
    "title=It's new",
    r#"fields:=[{"type":"text","label":"N","required":true}]"#,
];

#[test]
fn the_service_says_whether_it_would_accept_it() {
    let stage = Stage::cafe();
    let run = stage.run_args(FORM.iter().chain(&["--dry-run", "-o", "json"]), b"");
    assert_eq!(
        run.json(),
        serde_json::json!({ "data": { "dryRun": "service", "operation": "createForm", "accepted": true } })
    );
    let seen = stage.server.requests();
    assert!(seen[0].headers.iter().any(|(name, value)| name == "precognition" && value == "true"));

    let run = stage.run("forms create title=x colour=red --dry-run -o json");
    assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
    assert!(run.error()["errors"]["colour"].is_array(), "{run}");
}

#[test]
fn the_request_that_is_shown_is_the_one_that_would_be_sent() {
    let stage = Stage::cafe();
    let run = stage.run_args(FORM.iter().chain(&["--dry-run=request"]), b"");
    assert!(run.stdout.starts_with("curl -X POST ") && run.stdout.lines().count() == 1, "{run}");
    assert!(run.stdout.contains("$LINKS_TOKEN") && stage.operations().is_empty(), "{run}");

    let mut shell = Command::new("sh");
    shell.args(["-c", &run.stdout]).env("LINKS_TOKEN", stage.server.token());
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("not shown that the command works: there is no curl on this machine");
        return;
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stage.operations(), ["createForm"]);
    assert!(stage.server.account().forms.iter().any(|form| form.title == "It's new"));
}

#[test]
fn a_delete_is_rehearsed_and_what_no_rehearsal_tells_is_said() {
    let stage = Stage::cafe();
    let run = unchanged(&stage, |it| it.run("slots delete cafe 1002 --dry-run"));
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(run.stdout, "the service would accept this; nothing was changed\n");
    let run = stage.run("slots delete cafe 1002 --dry-run -o json").json()["data"].clone();
    assert_eq!((&run["operation"], &run["accepted"]), (&json!("deleteSlots"), &json!(true)));
    assert_eq!(stage.operations().last().map(String::as_str), Some("deleteSlots"));
    let run = stage.run("slots delete cafe 1002 1008 --dry-run");
    assert!(run.stdout.contains("refuses to delete event 1008"), "{run}");
    let run = stage.run("slots delete cafe 1008 --dry-run -o json");
    assert_eq!(run.json()["data"]["accepted"], json!(false), "{run}");
    assert!(!writes(&stage));
}

const PAGE: &str = "\
profile: cafe
slots:
  - {id: 1001, type: text, data: {title: Good evening!}}
  - {type: text, data: {title: New}}
  - {id: 1002, type: button}
";

fn unchanged(stage: &Stage, act: impl FnOnce(&Stage) -> Run) -> Run {
    let before = format!("{:?}", stage.server.account());
    let run = act(stage);
    assert_eq!(format!("{:?}", stage.server.account()), before, "{run}");
    assert!(!run.to_string().contains(&stage.server.token()), "{run}");
    run
}

#[test]
fn a_page_file_is_rehearsed_as_a_plan() {
    let stage = Stage::cafe().keeping_cache();
    stage.file("page.yaml", PAGE);
    let plan = stage.run("slots plan page.yaml -o json");
    stage.operations();
    let run = unchanged(&stage, |it| it.run("slots apply page.yaml --dry-run -o json"));
    assert_eq!((run.exit, &run.json()["data"]), (3, &plan.json()["data"]), "{run}");
    assert!(!writes(&stage));
    assert_eq!(stage.run("slots history -o json").json()["data"], json!([]));

    let bad = PAGE.replace("title: New", "titel: New");
    stage.file("page.yaml", &bad);
    let run = unchanged(&stage, |it| it.run("slots apply page.yaml --no-validate --dry-run"));
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("page.yaml:4:25"), "{run}");
    assert_eq!(stage.operations(), ["getProfile", "updateSlots", "createSlots"]);
    assert_eq!(stage.run("slots apply --abort --dry-run").exit, 2);
}

#[test]
fn the_requests_of_a_page_file_are_shown_as_far_as_they_are_known() {
    let stage = Stage::cafe().keeping_cache();
    stage.file("dot.gif", "GIF89a");
    stage.file(
        "page.yaml",
        PAGE.to_owned() + "  - {type: picture, data: {image: {$upload: dot.gif}}}\n",
    );
    let run = unchanged(&stage, |it| it.run("slots apply page.yaml --prune --dry-run=request"));
    assert_eq!(run.exit, 14, "so many deletes are refused: {run}");
    assert!(!writes(&stage));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let starts = [
        "# uploadFile: the path in the answer takes the place of \"(upload dot.gif)\"",
        "curl -X PATCH ",
        "curl -X POST ",
        "# reorderSlots: it names the new blocks too",
        "curl -X DELETE ",
    ];
    assert_eq!(lines.len(), starts.len(), "{run}");
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{run}");
    assert!(
        lines[1].contains(r#"{"slots":[{"data":{"title":"Good evening!"},"id":1001}]}"#),
        "{run}"
    );
    assert!(run.stderr.contains("apply would refuse this"), "{run}");

    stage.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1002, type: button}\n  - {id: 1001, type: text}\n",
    );
    let run = unchanged(&stage, |it| it.run("slots apply page.yaml --dry-run=request -o json"));
    let order = run.json()["data"][0]["body"]["order"].as_array().unwrap().clone();
    assert_eq!((order.first(), order.last()), (Some(&json!(1002)), Some(&json!(1001))), "{run}");
    stage.file("page.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
    let run = stage.run("slots apply page.yaml --dry-run=request");
    assert_eq!((run.exit, run.stdout.as_str()), (0, ""), "{run}");
}

#[test]
fn a_run_is_undone_in_a_dry_run_without_being_undone() {
    let stage = Stage::cafe().keeping_cache();
    let folder = stage.home.path().join("state").display().to_string();
    let stage = stage.env("LINKS_STATE_DIR", folder);
    stage.file("page.yaml", PAGE);
    assert_eq!(stage.run("slots apply page.yaml").exit, 0);
    stage.operations();
    let history = stage.run("slots history -o json").stdout;
    let line = format!("slots restore {}", run_of(&history));
    let run = unchanged(&stage, |it| it.run(&format!("{line} --dry-run")));
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.contains("\"Good evening!\" → \"Good morning!\""), "{run}");
    let run = unchanged(&stage, |it| it.run(&format!("{line} --dry-run=request")));
    assert!(run.exit == 3 && run.stdout.starts_with("curl -X PATCH "), "{run}");
    assert!(!writes(&stage));
    assert_eq!(stage.run("slots history -o json").stdout, history);
}

fn run_of(history: &str) -> String {
    let history: Value = serde_json::from_str(history).unwrap();
    history["data"][0]["run"].as_str().unwrap().to_owned()
}
