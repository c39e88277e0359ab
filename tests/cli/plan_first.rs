//! Tests of `LINKS_PLAN_FIRST`: nothing is written that was not planned before.

use links_fixtures::{Fault, World};
use serde_json::json;

use crate::leaves::{names, prepared, typed};
use crate::test_env::{CommandResult, TestEnv};

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

fn env() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().keeping_cache().env("LINKS_PLAN_FIRST", "1");
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Anew}}\n",
    );
    env.file("menu.csv", "title\nTea\n");
    env.env("LINKS_TEST_NO_WAIT", "1")
}

/// Returns the requests that have changed something since the last call.
fn writes(env: &TestEnv) -> Vec<String> {
    let seen = env.server.requests();
    env.server.forget_requests();
    let is_dry_run = |headers: &[(String, String)]| headers.iter().any(|it| it.0 == "precognition");
    let written = seen.iter().filter(|it| it.method != "GET" && !is_dry_run(&it.headers));
    written.map(|it| it.operation.unwrap_or("?").to_owned()).collect()
}

fn refused(env: &TestEnv, run: &CommandResult) {
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("LINKS_PLAN_FIRST"), "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
    assert_eq!(writes(env), [""; 0], "{run}");
}

const SET: &str = "slots set cafe 1001 title=Anew";

#[test]
fn a_write_needs_a_dry_run_of_the_same_command_line_which_counts_once() {
    let env = env();
    refused(&env, &env.run(SET));
    assert_eq!(env.run(&format!("{SET} --dry-run -o json")).exit, 0);
    assert_eq!(writes(&env), [""; 0]);
    assert_eq!(env.run(SET).exit, 0);
    assert_eq!(writes(&env), ["updateSlot"]);
    refused(&env, &env.run(SET));
    assert_eq!(env.run(&format!("{SET} --dry-run=request")).exit, 0);
    assert_eq!(env.run(&format!("{SET} -o json")).exit, 0);
}

#[test]
fn a_dry_run_of_another_command_page_or_value_does_not_count() {
    for other in [
        "slots set qara.weddings 1102 description=Anew",
        "slots set cafe 1001 title=Other",
        "slots set cafe 1003 title=Anew",
        "slots add cafe text title=Anew",
        "profile update cafe title=Anew",
    ] {
        let env = env();
        assert_eq!(env.run(&format!("{other} --dry-run")).exit, 0, "{other}");
        refused(&env, &env.run(SET));
    }
}

/// What was said to be repeated is repeated without another dry run.
#[test]
fn a_dry_run_counts_until_a_write_was_made() {
    let env = env();
    let line = "slots delete cafe 1001";
    assert_eq!(env.run(&format!("{line} --dry-run")).exit, 0);
    let run = env.run(line);
    assert!(run.exit == 14 && run.stderr.contains("--yes"), "{run}");
    let run = env.run(&format!("{line} --yes"));
    assert_eq!((run.exit, writes(&env)), (0, vec!["deleteSlots".to_owned()]), "{run}");
    refused(&env, &env.run(&format!("{line} --yes")));

    let line = "slots add cafe text title=New";
    assert_eq!(env.run(&format!("{line} --dry-run")).exit, 0);
    env.server.fail_operation("createSlot", 1, &Fault::Before(400));
    let run = env.run(line);
    assert_eq!(run.exit, 11, "{run}");
    writes(&env);
    let run = env.run(line);
    assert_eq!((run.exit, writes(&env).len()), (0, 1), "{run}");
    refused(&env, &env.run(line));
}

#[test]
fn a_dry_run_for_another_service_of_the_same_host_does_not_count() {
    let env = env();
    assert_eq!(env.run(&format!("{SET} --dry-run")).exit, 0);
    let base = env.server.base_url().replace("/api/", "/other/api/");
    let env = env.env("LINKS_BASE_URL", base);
    refused(&env, &env.run(SET));
}

#[test]
fn a_dry_run_that_was_refused_does_not_count() {
    let env = env();
    let line = "slots set cafe 1002 link=nonsense";
    assert_eq!(env.run(&format!("{line} --dry-run")).exit, 8);
    refused(&env, &env.run(line));
}

#[test]
fn a_dry_run_without_the_variable_does_not_count() {
    let env = env().env("LINKS_PLAN_FIRST", "0");
    assert_eq!(env.run(&format!("{SET} --dry-run")).exit, 0);
    let env = env.env("LINKS_PLAN_FIRST", "1");
    refused(&env, &env.run(SET));
    let env = env.env("LINKS_PLAN_FIRST", "maybe");
    assert_eq!(env.run(SET).exit, 2);
}

#[test]
fn a_dry_run_of_another_account_or_service_does_not_count() {
    let env = TestEnv::of(World::full(), |builder| builder).keeping_state();
    let tokens = env.server.account().tokens;
    let [one, two] = [&tokens[0], &tokens[1]].map(|it| it.token.clone());
    let env = env.env("LINKS_PLAN_FIRST", "1").env("LINKS_TOKEN", one);
    let login = env.run("profile list --jq .[0].login --raw").stdout.trim().to_owned();
    let line = format!("profile update {login} title=Anew");
    assert_eq!(env.run(&format!("{line} --dry-run")).exit, 0);
    let env = env.env("LINKS_TOKEN", two);
    refused(&env, &env.run(&line));
    let env = env.env("LINKS_TOKEN", tokens[0].token.clone());
    let elsewhere = env.run(&format!("--sandbox {line}"));
    assert!(elsewhere.exit == 14 || elsewhere.exit == 6, "{elsewhere}");
    assert_eq!(env.run(&line).exit, 0);
}

#[test]
fn a_dry_run_with_other_content_of_a_file_does_not_count() {
    let env = env();
    env.file("text", "Before");
    let line = "slots set cafe 1001 title=@text";
    assert_eq!(env.run(&format!("{line} --dry-run")).exit, 0);
    env.file("text", "After");
    refused(&env, &env.run(line));
    env.file("text", "Before");
    assert_eq!(env.run(line).exit, 0);
}

#[test]
fn apply_needs_a_saved_plan_and_one_that_is_stale_does_not_count() {
    for (plan, apply) in [("plan", "apply"), ("slots plan", "slots apply")] {
        let env = env();
        refused(&env, &env.run(&format!("{apply} page.yaml --yes")));
        assert!([0, 3].contains(&env.run(&format!("{apply} page.yaml --dry-run")).exit));
        refused(&env, &env.run(&format!("{apply} page.yaml --yes")));
        assert_eq!(env.run(&format!("{plan} page.yaml --out plan.json")).exit, 3);
        refused(&env, &env.run(&format!("{apply} page.yaml --yes")));
        env.server.edit(|account| account.profiles[0].slots[0].data["title"] = json!("Elsewhere"));
        let run = env.run(&format!("{apply} --plan plan.json --yes"));
        assert_eq!((run.exit, writes(&env)), (7, Vec::new()), "{run}");
        assert_eq!(env.run(&format!("{plan} page.yaml --force --out plan.json")).exit, 3);
        let run = env.run(&format!("{apply} --plan plan.json --yes"));
        assert_eq!(run.exit, 0, "{run}");
        assert!(!writes(&env).is_empty());
    }
}

/// Runs an apply that is killed after its first write.
fn interrupt(env: &TestEnv, apply: &str) {
    let words: Vec<&str> = apply.split(' ').collect();
    let ended = env.command(&words).env("LINKS_TEST_CRASH", "after_send:2").output().unwrap();
    assert_eq!(ended.status.code(), None, "{ended:?}");
    assert_eq!(writes(env).len(), 1);
}

#[test]
fn an_interrupted_apply_is_continued_by_its_plan() {
    let env = env();
    assert_eq!(env.run("slots plan page.yaml --out plan.json").exit, 3);
    let apply = "slots apply --plan plan.json --yes";
    interrupt(&env, apply);
    refused(&env, &env.run("slots apply page.yaml --yes"));
    assert_eq!(env.run("slots apply --resume --yes").exit, 2, "the run has no file");
    let run = env.run(apply);
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.run("slots apply --status -o json").json()["data"], json!([]));
}

#[test]
fn an_interrupted_apply_without_a_plan_is_not_continued() {
    let env = env().env("LINKS_PLAN_FIRST", "0");
    interrupt(&env, "slots apply page.yaml --yes");
    let env = env.env("LINKS_PLAN_FIRST", "1");
    refused(&env, &env.run("slots apply --resume --yes"));
}

#[test]
fn undo_rewrite_and_import_need_their_plan() {
    for (line, foreign) in [
        ("slots rewrite cafe --where .id==1001 --edit .data.title=\"Anew\" --yes", true),
        ("slots import cafe menu.csv --type text --yes", true),
        ("undo --yes", true),
        ("undo --yes", false),
    ] {
        let env = env();
        let env = env.env("LINKS_PLAN_FIRST", "");
        assert_eq!(env.run("slots set cafe 1003 title=Terrace").exit, 0);
        let env = env.env("LINKS_PLAN_FIRST", "1");
        writes(&env);
        refused(&env, &env.run(line));
        let run = env.run(&format!("{line} --dry-run"));
        assert!([0, 3].contains(&run.exit), "{run}");
        if foreign {
            env.server.edit(|account| {
                account.profiles[0].slots[0].data["description"] = json!("Elsewhere");
            });
            refused(&env, &env.run(line));
            let run = env.run(&format!("{line} --dry-run"));
            assert!([0, 3].contains(&run.exit), "{run}");
        }
        let run = env.run(line);
        assert_eq!(run.exit, 0, "{run}");
        assert!(!writes(&env).is_empty(), "{line}");
    }
}

#[test]
fn an_undo_of_another_write_than_that_of_the_dry_run_is_refused() {
    let env = env().env("LINKS_PLAN_FIRST", "");
    assert_eq!(env.run(&format!("forms update {FORM} enabled:=false --yes")).exit, 0);
    let env = env.env("LINKS_PLAN_FIRST", "1");
    assert_eq!(env.run("undo --yes --dry-run").exit, 3);
    let env = env.env("LINKS_PLAN_FIRST", "");
    assert_eq!(env.run(&format!("forms update {FORM} title=Other --yes")).exit, 0);
    let env = env.env("LINKS_PLAN_FIRST", "1");
    writes(&env);
    refused(&env, &env.run("undo --yes"));
}

#[test]
fn what_cannot_be_planned_is_refused_and_what_reads_is_not() {
    let env = env();
    for line in ["slots edit cafe", "profile edit cafe", "preview page.yaml --serve --apply"] {
        refused(&env, &env.run(line));
    }
    for words in [
        ["slots", "set", "cafe", "1001", "title=@-"],
        ["slots", "set", "cafe", "1001", "title=@/dev/fd/0"],
        ["api", "PATCH", "/profiles/cafe/slots/1001", "-ojson", "--input=-"],
    ] {
        refused(&env, &env.run_args(words, b"Anew"));
    }
    for line in [
        "api GET /me",
        "profile settings cafe",
        "slots apply --status",
        "pull cafe -O pulled.yaml",
        "preview page.yaml",
        "slots list cafe",
    ] {
        assert_eq!(env.run(line).exit, 0, "{line}");
    }
}

/// A command that writes, and is new, is guarded without a line of its own.
#[test]
fn no_leaf_writes_without_a_plan() {
    let mut guarded = 0;
    for leaf in names() {
        let env = crate::leaves::env();
        let line = prepared(&env, &leaf);
        env.server.forget_requests();
        let run = typed(&env, &leaf, line, &[]);
        let writes_else = !writes(&env).is_empty() && !leaf.starts_with("auth ");
        let env = crate::leaves::env();
        let line = prepared(&env, &leaf);
        let env = env.env("LINKS_PLAN_FIRST", "1");
        env.server.forget_requests();
        let guarded_run = typed(&env, &leaf, line, &[]);
        if writes_else {
            refused_by(&guarded_run, &leaf);
            guarded += 1;
        } else if !(takes_dry_run(&leaf) && guarded_run.exit == 14) {
            // The guard does not look at whether there is anything to write.
            assert_eq!(guarded_run.exit, run.exit, "{leaf}\n{guarded_run}");
        }
        assert_eq!(writes(&env), [""; 0], "{leaf}");
    }
    assert!(guarded > 20, "{guarded}");
}

fn takes_dry_run(leaf: &str) -> bool {
    let tree = links_cli::command();
    let command = leaf.split(' ').fold(&tree, |it, name| it.find_subcommand(name).unwrap());
    command.get_arguments().any(|it| it.get_id() == "dry_run")
}

fn refused_by(run: &CommandResult, leaf: &str) {
    assert_eq!(run.exit, 14, "{leaf}\n{run}");
}
