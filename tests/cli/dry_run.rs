//! `--dry-run`, on every command that writes.

use std::process::Command;

use crate::leaves::{self, names};
use crate::stage::Stage;

/// Commands that rehearse in a way of their own: what `apply` would do is shown by `plan`.
const OTHERWISE: &[&str] = &["slots apply", "slots restore", "slots edit"];

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
    for leaf in names().iter().filter(|it| !OTHERWISE.contains(&it.as_str())) {
        let stage = leaves::stage();
        leaves::run(&stage, leaf, &[]);
        if !writes(&stage) {
            continue;
        }
        let stage = leaves::stage();
        let before = format!("{:?}", stage.server.account());
        for how in [&["--dry-run"][..], &["--dry-run=request"], &["--dry-run", "-o", "json"]] {
            let run = leaves::run(&stage, leaf, how);
            assert_eq!(run.exit, 0, "{leaf} has no dry run\n{run}");
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
