//! Tests of the reported outcome: unusable answers, writes that were executed or not, and filters that use too much memory.

use std::io::BufRead;

use serde_json::Value;

use crate::test_env::{CommandResult, TestEnv, forgetful_service, picture, reported_exit};
use links_test_support::canned::Canned;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Returns an environment whose service answers everything with this.
fn answering(status: u16, body: &str) -> TestEnv {
    let service = Canned::start([(status, body.to_owned())]);
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.env("LINKS_BASE_URL", format!("{}/api/v1", service.origin()))
}

fn outcome(run: &CommandResult) -> (i32, Value) {
    (run.exit, run.error()["outcome"].clone())
}

#[test]
fn an_answer_without_the_expected_record_is_a_server_error() {
    let reads = [
        "me",
        "service",
        "api GET /me",
        "profile list",
        "profile get cafe",
        "profile preview cafe",
        "profile preview cafe --expect page.md --update",
        "profile check-login free.name",
        "slots list cafe",
        "slots get cafe 1002",
        "forms list",
        "channels list",
        "analytics account",
        "music lookup KZA012600042",
    ];
    let form = format!("forms update {FORM} title=x");
    let writes = [
        "slots add cafe text title=x",
        "slots set cafe 1002 title=x",
        "api POST /profiles/cafe/slots -F type=divider",
        "api PATCH /profiles/cafe -F title=x",
        "profile update cafe title=x",
        "forms create title=x fields:=[]",
        "files upload dot.gif",
        &form,
    ];
    let portal = "<html><title>Log in to the network</title></html>";
    for (status, body) in [(200, ""), (201, ""), (200, "{}"), (201, "{}"), (200, portal)] {
        let env = answering(status, body);
        let page = env.file("page.md", "# As it was\n");
        env.file("dot.gif", picture(1, 1));
        for line in reads {
            let run = env.run(&format!("{line} -o json"));
            assert_eq!(outcome(&run), (11, "not_executed".into()), "{status} {body}\n{run}");
            assert_eq!(run.stdout, "", "{run}");
        }
        assert_eq!(std::fs::read_to_string(page).unwrap(), "# As it was\n", "{status} {body}");
        for line in writes {
            let run = env.run(&format!("{line} -o json"));
            assert_eq!(run.stdout, "", "{run}");
            // If a record is read before it is written, nothing was sent.
            let outcome = run.error()["outcome"].clone();
            let is_read_first = ["forms update", "slots set", "profile update"]
                .iter()
                .any(|it| line.starts_with(it));
            let is_true = outcome == "unknown" || is_read_first && outcome == "not_executed";
            assert!(run.exit == 11 && is_true, "{status} {body}\n{run}");
            assert!(run.error().get("written").is_none(), "{run}");
        }
    }
}

#[test]
fn a_failed_read_gives_no_hint_about_repeating() {
    for status in [302, 304, 500, 503] {
        let env = answering(status, "");
        for line in ["me", "slots list cafe", "api GET /me"] {
            let run = env.run(&format!("{line} -o json"));
            assert_eq!(outcome(&run), (11, "not_executed".into()), "{run}");
            assert!(!run.to_string().contains("repeat it"), "{run}");
        }
        let run = env.run("slots add cafe text title=x -o json");
        assert_eq!(outcome(&run), (11, "unknown".into()), "{run}");
        assert!(run.error()["hint"].as_str().unwrap().contains("before you retry"), "{run}");
    }
}

#[test]
fn a_failed_read_before_a_write_reports_not_executed() {
    let env = answering(503, "");
    for line in [
        "slots move cafe 1002 --top",
        "slots delete cafe 1002 --yes",
        "slots reorder cafe 1002",
        &format!("forms field add {FORM} type=text label=x"),
        &format!("forms field remove {FORM} phone"),
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(outcome(&run), (11, "not_executed".into()), "{run}");
    }
    let env = answering(503, "");
    env.file("page.yaml", "profile: cafe\nslots: []\n");
    let run = env.run("slots apply page.yaml -o json");
    assert_eq!(outcome(&run), (11, "not_executed".into()), "{run}");
}

#[test]
fn drift_after_a_write_reports_executed() {
    let env = TestEnv::cafe();
    let service = forgetful_service(&env);
    let env = env.env("LINKS_BASE_URL", format!("{}/api/v1", service.origin()));
    let run = env.run("slots apply page.yaml -o json");
    assert_eq!(outcome(&run), (13, "executed".into()), "{run}");
    assert!(run.error()["written"].as_str().unwrap().contains("updateSlots"), "{run}");
}

#[test]
fn a_filter_cannot_end_the_program_after_a_write() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    let nested = "[".repeat(9000) + &"]".repeat(9000);
    for filter in [
        "import \"a\" as a; .",
        "include \"a\"; .",
        "input",
        "inputs",
        &nested,
        &"x".repeat(17_000),
    ] {
        env.operations();
        let args = ["slots", "add", "cafe", "text", "title=t", "-o", "json", "--jq", filter];
        let run = env.run_args(args, b"");
        assert_eq!(run.stdout, "", "{}", &filter[..filter.len().min(40)]);
        if run.exit == 2 && run.error()["outcome"] == "not_executed" {
            assert!(env.operations().is_empty(), "it was refused before anything was sent");
        } else {
            assert_eq!(outcome(&run), (2, "executed".into()), "{run}");
        }
    }
    for filter in [
        "def f: 1 + f; f",
        "def f: [f]; f",
        "reduce range(1000000) as $i (.; [.])",
        "[range(1000000000)]",
        "[limit(100000000; repeat(\"xxxxxxxxxxxxxxxx\"))]",
        "repeat(1)",
        "def f: f; f",
    ] {
        let args = ["slots", "add", "cafe", "text", "title=t", "-o", "json", "--jq", filter];
        let run = env.run_args(args, b"");
        assert_eq!(outcome(&run), (2, "executed".into()), "{filter}\n{run}");
        let error = run.error();
        assert!(
            error["message"].as_str().unwrap().contains("but the output failed: --jq: "),
            "{filter}\n{run}"
        );
        assert!(error["written"].is_string(), "{filter}\n{run}");
    }
}

#[test]
fn a_dry_run_of_a_delete_asks_the_service() {
    let env = TestEnv::cafe();
    let before = format!("{:?}", env.server.account());
    for line in ["slots delete cafe 1002 1007 --dry-run", "slots delete cafe 1002 --dry-run"] {
        env.operations();
        let run = env.run(&format!("{line} -o json"));
        assert_eq!((run.exit, &run.json()["data"]["accepted"]), (0, &true.into()), "{run}");
        assert_eq!(run.json()["data"]["operation"], "deleteSlots", "{run}");
        assert!(env.operations().contains(&"deleteSlots".to_owned()), "{run}");
    }
    let run = env.run("api DELETE /profiles/cafe/slots -F ids:=[1002] --dry-run -o json");
    assert_eq!((run.exit, &run.json()["data"]["accepted"]), (0, &true.into()), "{run}");
    assert_eq!(format!("{:?}", env.server.account()), before);
}

#[test]
fn the_index_needs_no_token() {
    let env = TestEnv::cafe().env("LINKS_TOKEN", "");
    let run = env.run("api GET /");
    assert_eq!((run.exit, &run.json()["data"]["version"]), (0, &"v1".into()), "{run}");
    let run = env.run("service -o json");
    assert!(run.exit == 0 && run.json()["data"]["limits"].is_object(), "{run}");
    let people = env.run("service");
    assert!(people.stdout.contains("conventions.dryRun"), "{people}");
    assert_eq!(env.run("api GET /me").exit, 4);
}

#[test]
fn hints_name_the_field_flag_or_command_that_helps() {
    let env = TestEnv::cafe();
    let hint = |line: &str| {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.exit, 8, "{run}");
        run.error()["hint"].as_str().unwrap_or_default().to_owned()
    };
    assert!(hint("slots set cafe 1001 clicks=5").contains("leave `clicks` out"));
    let active = hint(&format!("forms update {FORM} active:=true"));
    assert!(active.contains("leave `active` out"), "{active}");
    assert!(!hint("slots set cafe 1001 adm=1").contains(":="));
    assert!(hint("slots set cafe 1001 order=3").contains("links slots move"));
    assert!(hint("slots add cafe text title=x order=3").contains("--at"));
    env.file("page.yaml", "profile: cafe\nslots:\n  - {data: {title: New}}\n");
    let run = env.run("slots plan page.yaml");
    assert!(run.stderr.contains("links slots types"), "{run}");
    let run = env.run("forms create title=x -o json");
    assert!(run.error()["hint"].is_null(), "a URL is no advice: {run}");
    assert!(run.error()["documentation"].is_string(), "{run}");
}

#[test]
fn a_field_that_no_record_can_have_is_a_usage_error() {
    let env = TestEnv::cafe();
    let run = env.run("profile list --fields id,titel -o json");
    assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
    assert_eq!(run.error()["hint"], "did you mean `title`?", "{run}");
    for line in [
        "slots list cafe --fields id,data.nothing",
        "profile list --fields id,moodText",
        "profile get cafe --fields slots",
    ] {
        assert_eq!(env.run(line).exit, 0, "{line}");
    }
    let run = env.run("slots add cafe text title=t --fields titel -o json");
    assert_eq!(outcome(&run), (2, "executed".into()), "{run}");
}

#[test]
fn csv_can_be_made_safe_for_spreadsheets() {
    let env = TestEnv::cafe();
    let args = ["slots", "set", "cafe", "1001", "title==HYPERLINK(\"https://x\")"];
    assert_eq!(env.run_args(args, b"").exit, 0);
    let line = "slots list cafe -o csv --fields id,data.title";
    assert!(env.run(line).stdout.contains("1001,\"=HYPERLINK("), "as it is");
    let safe = env.run(&format!("{line} --csv-safe"));
    assert!(safe.stdout.contains("1001,\"'=HYPERLINK("), "{safe}");
}

/// Interrupts a command once it waits after a 429, and returns its JSON error.
fn stopped(env: &TestEnv, line: &str) -> Value {
    let mut command = env.command(line.split(' ').chain(["-v"]));
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said =
        std::io::BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // The program has the answer that it waits after.
    assert!(said.any(|line| line.contains("429")), "{line}");
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(reported_exit(child.wait().unwrap()), Some(130), "{line}");
    serde_json::from_str(&said.last().unwrap()).unwrap()
}

#[test]
fn ctrl_c_before_any_write_reports_not_executed() {
    let wait = links_fixtures::Fault::RateLimited(Some("60".into()));
    let delete = "slots delete cafe 1002 --yes -o json";
    // The list, the read before the delete, and the delete itself get a 429.
    for (line, requests) in
        [("slots add cafe text title=x -o json", 1), (delete, 1), (delete, 2), (delete, 3)]
    {
        let env = TestEnv::cafe();
        env.server.fail([requests], &wait);
        let error = stopped(&env, line);
        assert_eq!(error["outcome"], "not_executed", "{line}, {requests}: {error}");
        assert!(error["hint"].is_null() && error.get("written").is_none(), "{error}");
    }
}

#[test]
fn an_apply_with_an_unknown_outcome_names_the_resume_command() {
    let env = TestEnv::cafe().keeping_cache().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: text, data: {title: x}}\n");
    assert_eq!(env.run("slots plan page.yaml").exit, 3);
    env.operations();
    // The page is read, and then neither the create nor another read of the page is answered.
    env.server.fail([2], &links_fixtures::Fault::DropAfter);
    env.server.fail(3..99, &links_fixtures::Fault::DropBefore);
    let run = env.run("slots apply page.yaml -o json");
    assert!(env.operations().contains(&"createSlots".to_owned()), "{run}");
    assert_eq!(outcome(&run), (10, "unknown".into()), "{run}");
    let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
    assert!(hint.contains("links slots apply --resume"), "{run}");
    assert!(!hint.contains("before you retry"), "{run}");
}
