//! Tests of operations as files: what a command wrote on one machine is undone on another one, and what a file may not do.

use std::path::Path;

use links_fixtures::Fault;
use serde_json::{Value, json};

use crate::operations::{APPLY, FORM, failed, log, retitle, three_pages, values, writes};
use crate::output_schemas::{OPERATION_FILE, check_file};
use crate::steps::{cut_short, ok, path, text};
use crate::test_env::{CommandResult, TestEnv};
use crate::undo::cafe;

/// Returns the account of three pages and a form, with all files applied and the operation in `op.json`; and what was there before and after.
fn applied() -> (TestEnv, Value, Value) {
    let env = three_pages();
    let before = values(&env);
    ok(&env, &format!("{APPLY} --operation-out op.json"));
    let after = values(&env);
    assert_ne!(before, after);
    writes(&env);
    (env, before, after)
}

/// Returns another machine: nothing that was recorded is there.
fn elsewhere(env: TestEnv) -> TestEnv {
    machine(env, "laptop")
}

fn machine(env: TestEnv, name: &str) -> TestEnv {
    let [state, cache] = [name.to_owned(), format!("{name}-cache")]
        .map(|name| path(&env, &name).display().to_string());
    env.env("LINKS_STATE_DIR", state).env("LINKS_CACHE_DIR", cache)
}

fn operation(env: &TestEnv) -> Value {
    let operation = serde_json::from_str(&text(env, "op.json")).unwrap();
    check_file(OPERATION_FILE, &operation);
    operation
}

/// Undoes a changed operation on another machine, which has to fail without a write.
fn refused(env: &TestEnv, operation: &Value, exit: i32) -> String {
    env.file("bent.json", operation.to_string());
    let run = failed(env, "undo --from bent.json --yes", exit);
    assert!(writes(env).is_empty(), "{run}");
    run.stderr
}

#[test]
fn three_pages_and_a_form_are_undone_on_another_machine() {
    let (env, before, after) = applied();
    let operation = operation(&env);
    assert_eq!(operation["runs"].as_array().unwrap().len(), 4);
    assert_eq!(operation["user"], 4021);
    assert_eq!(operation["service"], env.server.base_url());
    let env = elsewhere(env);
    assert!(log(&env).is_empty());
    let asked = failed(&env, "undo --from op.json", 14);
    for part in ["links apply a.yaml", "cafe: ", "qara.weddings: ", "~ form Other", "--yes"] {
        assert!(asked.stderr.contains(part), "{part}: {asked}");
    }
    let dry = env.run("undo --from op.json --dry-run=request");
    assert_eq!((dry.exit, dry.stdout.matches("curl -X PATCH").count()), (3, 4), "{dry}");
    assert!(writes(&env).is_empty());
    ok(&env, "undo --from op.json --yes");
    assert_eq!(values(&env), before);
    // It is an operation of this machine, and can be taken back like any other.
    assert_eq!(log(&env)[0]["kind"], "undo");
    ok(&env, "redo --yes");
    assert_eq!(values(&env), after);
}

/// The log of each machine has only its own part: the apply, its undo and redo, or the reversals of these two.
#[test]
fn a_redo_says_that_it_redoes_where_the_log_lacks_what_was_undone() {
    let says = |run: &CommandResult, expected: &str| {
        let verbs = ["undoing ", "redoing "].map(|verb| run.stderr.matches(verb).count());
        assert!(run.stderr.contains(expected) && verbs.iter().sum::<usize>() == 1, "{run}");
    };
    let (env, before, after) = applied();
    let env = machine(env, "laptop");
    let undo = "undo --from op.json --yes --operation-out undo.json";
    says(&ok(&env, undo), "undoing `links apply a.yaml");
    let redoes = format!("redoing what `links {undo}` undid at ");
    says(&env.run("redo --dry-run"), &redoes);
    says(&failed(&env, "redo", 14), &redoes);
    let redo = "redo --yes --operation-out redo.json";
    says(&ok(&env, redo), &redoes);
    assert_eq!(values(&env), after);

    let env = machine(env, "desktop");
    let undoes = format!("undoing `links {redo}` from ");
    says(&ok(&env, "undo --from redo.json --yes"), &undoes);
    assert_eq!(values(&env), before);
    assert_eq!(log(&env)[0]["kind"], "undo");
    says(&ok(&env, "redo --from undo.json --yes"), &redoes);
    assert_eq!(values(&env), after);
    assert_eq!(log(&env)[0]["kind"], "redo");
}

#[test]
fn the_same_file_twice_finds_nothing_left_to_undo() {
    let (env, before, _) = applied();
    let env = elsewhere(env);
    ok(&env, "undo --from op.json --yes");
    writes(&env);
    ok(&env, "undo --from op.json --yes");
    assert!(writes(&env).is_empty());
    assert_eq!(values(&env), before);
    retitle(&env, 0, "Later");
    let run = failed(&env, "undo --from op.json --yes", 7);
    assert!(run.stderr.contains("\"Later\""), "{run}");
    assert!(writes(&env).is_empty());
}

#[test]
fn the_machine_that_wrote_may_use_its_own_file() {
    let (env, before, _) = applied();
    ok(&env, "undo --from op.json --yes");
    assert_eq!(values(&env), before);
    assert_eq!(log(&env)[1]["undone"], "whole");
    failed(&env, "undo --from op.json 0123", 2);
}

#[test]
fn values_that_others_changed_since_stay_or_stop_it() {
    let (env, before, _) = applied();
    let env = elsewhere(env);
    retitle(&env, 1, "Theirs");
    let run = failed(&env, "undo --from op.json --yes", 7);
    for part in ["qara.weddings: title", "\"Theirs\"", "nothing was written"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert!(writes(&env).is_empty());
    ok(&env, "undo --from op.json --yes --keep-changed");
    let mut expected = before;
    expected[0][1][0] = "Theirs".into();
    assert_eq!(values(&env), expected);
    let run = failed(&env, "undo --from op.json --yes --keep-changed", 7);
    assert!(run.stderr.contains("links undo --from op.json --force"), "{run}");
}

#[test]
fn one_page_of_a_file_is_undone_alone_and_from_a_pipe() {
    let (env, before, after) = applied();
    let file = text(&env, "op.json");
    let env = elsewhere(env);
    let words = ["undo", "--from", "-", "--page", "qara.weddings", "--yes"];
    let run = env.run_args(words, file.as_bytes());
    assert_eq!(run.exit, 0, "{run}");
    let mut expected = after;
    expected[0][1] = before[0][1].clone();
    assert_eq!(values(&env), expected);
    failed(&env, "undo --from op.json --page 999 --yes", 6);
    ok(&env, "undo --from op.json --yes");
    assert_eq!(values(&env), before);
}

#[test]
fn deleted_moved_and_new_slots_are_undone_on_another_machine() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(4));
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture}\n  - {type: text, data: {title: New}}\n  - {id: 1001, type: text}\n",
    );
    let slots = |env: &TestEnv| {
        let account = env.server.account();
        let slots = account.profiles[0].slots.iter();
        slots.map(|slot| json!([slot.kind, slot.data])).collect::<Vec<_>>()
    };
    let before = slots(&env);
    ok(&env, "slots apply page.yaml --prune --yes --max-deletes 50 --operation-out op.json");
    assert_ne!(slots(&env), before);
    operation(&env);
    let env = elsewhere(env);
    ok(&env, "undo --from op.json --yes");
    assert_eq!(slots(&env), before);
}

#[test]
fn other_commands_write_their_operations_too() {
    let env = three_pages();
    env.file("menu.csv", "title\nTea\nCoffee\n");
    let slots = |env: &TestEnv| {
        let account = env.server.account();
        account.profiles.iter().map(|page| json!(page.slots.len())).collect::<Vec<_>>()
    };
    let before = (slots(&env), env.server.account().profiles[0].slots[0].data.clone());
    let state =
        |env: &TestEnv| (slots(env), env.server.account().profiles[0].slots[0].data.clone());
    let rewrite = [
        "slots",
        "rewrite",
        "--all",
        "--where",
        ".type == \"text\"",
        "--edit",
        ".data.title=\"Anew\"",
        "--yes",
        "--operation-out",
        "op.json",
    ];
    let run = env.run_args(rewrite, b"");
    assert_eq!(run.exit, 0, "{run}");
    assert!(operation(&env)["command"].as_str().unwrap().starts_with("slots rewrite"));
    ok(&env, "undo --yes --operation-out undo.json");
    assert_eq!(state(&env), before);
    ok(&env, "slots import cafe menu.csv --type text --yes --operation-out op.json");
    let env = elsewhere(env);
    ok(&env, "undo --from op.json --yes");
    assert_eq!(state(&env), before);
    // The undo of the rewrite, undone.
    ok(&env, "redo --from undo.json --yes");
    assert_eq!(env.server.account().profiles[0].slots[0].data["title"], "Anew");
}

#[test]
fn a_run_that_failed_part_way_writes_what_it_wrote() {
    let env = three_pages();
    let before = values(&env);
    env.server.fail_operation("updateProfile", 2, &Fault::Before(400));
    let run = env.run(&format!("{APPLY} --operation-out op.json"));
    assert!(run.exit != 0 && !run.stderr.contains("could not be written"), "{run}");
    assert_ne!(values(&env), before);
    assert_eq!(operation(&env)["runs"].as_array().unwrap().len(), 3);
    let env = elsewhere(env);
    ok(&env, "undo --from op.json --yes");
    assert_eq!(values(&env), before);
}

#[test]
fn a_lost_answer_is_looked_at_on_the_other_machine() {
    for was_executed in [true, false] {
        let env = three_pages();
        let before = values(&env);
        ok(&env, "apply a.yaml --yes --operation-out op.json");
        let mut operation = operation(&env);
        let entries = operation["runs"][0]["entries"].as_array_mut().unwrap();
        // What the file of a run has whose only request was not answered.
        let begin = entries.iter().position(|entry| entry.get("begin").is_some()).unwrap();
        entries.truncate(begin + 1);
        env.file("lost.json", operation.to_string());
        if !was_executed {
            ok(&env, "undo --yes");
        }
        writes(&env);
        let env = elsewhere(env);
        let run = ok(&env, "undo --from lost.json --yes");
        assert_eq!(values(&env), before, "{run}");
        assert_eq!(writes(&env).len(), usize::from(was_executed), "{run}");
    }
}

#[test]
fn an_operation_that_wrote_nothing_says_so() {
    let (env, ..) = applied();
    ok(&env, &format!("{APPLY} --operation-out op.json"));
    assert_eq!(operation(&env)["runs"], json!([]));
    let run = failed(&env, "undo --from op.json --yes", 6);
    for part in ["nothing to undo", "links apply a.yaml", "wrote nothing"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    // So does one that was refused before it began.
    env.file("a.yaml", "profile: cafe\ntitle: [\n");
    assert_eq!(env.run(&format!("{APPLY} --operation-out refused.json")).exit, 8);
    assert!(text(&env, "refused.json").contains("\"runs\": []"));
}

#[test]
fn a_command_that_fails_leaves_no_older_operation() {
    let env = three_pages();
    ok(&env, "apply a.yaml --yes --operation-out op.json");
    let after = values(&env);
    let run = env.run("apply a.yaml --yes --operation-out op.json --base-url http://127.0.0.1:9/");
    assert_ne!(run.exit, 0, "{run}");
    let undo = env.run("undo --from op.json --yes");
    assert_ne!(undo.exit, 0, "{undo}");
    assert_eq!(values(&env), after, "{undo}");
}

#[test]
fn a_dry_run_writes_no_operation() {
    let env = three_pages();
    assert_eq!(env.run(&format!("{APPLY} --dry-run --operation-out op.json")).exit, 3);
    assert!(!path(&env, "op.json").exists());
    // Nor does it remove an older one.
    ok(&env, "apply a.yaml --yes --operation-out op.json");
    let before = text(&env, "op.json");
    assert_eq!(env.run(&format!("{APPLY} --dry-run --operation-out op.json")).exit, 3);
    assert_eq!(text(&env, "op.json"), before);
    let same = env.run("undo --from op.json --operation-out op.json --yes");
    assert!(same.exit == 2 && same.stderr.contains("would replace op.json"), "{same}");
    assert_eq!(text(&env, "op.json"), before);
}

#[test]
fn the_file_has_no_secrets_and_no_paths_and_is_private() {
    let env = three_pages();
    let token = env.server.token();
    let place = path(&env, "a.yaml").display().to_string();
    ok(&env, "init");
    ok(&env, &format!("apply {place} b.yaml --yes --operation-out op.json"));
    let mut operation = operation(&env);
    // The words of the command are those that were typed.
    assert!(operation["command"].as_str().unwrap().contains(&place));
    operation["command"] = Value::Null;
    for run in operation["runs"].as_array_mut().unwrap() {
        let open = &mut run["entries"][0]["open"];
        open["command"]["words"] = Value::Null;
        for name in ["owner", "sync"] {
            assert_eq!(open[name], Value::Null, "{open}");
        }
        assert_eq!(open["path"], Value::Null, "{open}");
    }
    let shown = operation.to_string();
    assert!(!shown.contains(&token) && !shown.contains("a.yaml"), "{shown}");
    let home = env.home.path().display().to_string();
    assert!(!shown.contains(&home), "{shown}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path(&env, "op.json")), 0o600);
    }
}

#[test]
fn a_token_in_the_command_line_is_not_in_the_file() {
    let env = three_pages();
    let token = env.server.token();
    let filter = format!(".data.title = \"{token}\" | .data.title = \"Anew\"");
    let words = [
        "slots",
        "rewrite",
        "cafe",
        "--edit",
        &filter,
        "--where",
        ".id == 1001",
        "--yes",
        "--operation-out",
        "op.json",
    ];
    let run = env.run_args(words, b"");
    assert_eq!(run.exit, 0, "{run}");
    let shown = text(&env, "op.json");
    assert!(!shown.contains(&token) && shown.contains("***"), "{shown}");
}

#[test]
fn another_service_and_another_account_are_refused() {
    let (env, ..) = applied();
    let file = text(&env, "op.json");
    let other = cafe();
    other.file("op.json", &file);
    let run = failed(&other, "undo --from op.json --yes", 14);
    let said = run.stderr.replace("\n  │ ", "");
    for part in [env.server.base_url(), other.server.base_url(), "nothing was written".to_owned()] {
        assert!(said.contains(&part), "{part}: {run}");
    }
    assert!(writes(&other).is_empty());
    env.server.edit(|account| account.user_id = 7);
    let env = elsewhere(env);
    let run = failed(&env, "undo --from op.json --yes", 14);
    for part in ["recorded for user 4021", "the token is for user 7", "nothing was written"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert!(writes(&env).is_empty());
}

#[test]
fn a_page_that_the_account_does_not_have_is_said() {
    let (env, before, _) = applied();
    let mut operation = operation(&env);
    let env = elsewhere(env);
    let nth =
        operation["runs"].as_array().unwrap().iter().position(|run| run["page"] == 102).unwrap();
    operation["runs"][nth]["page"] = json!(999_999);
    env.file("bent.json", operation.to_string());
    let run = ok(&env, "undo --from bent.json --yes");
    assert!(run.stderr.contains("qara.weddings no longer exists"), "{run}");
    assert_eq!(values(&env)[0][0], before[0][0]);
    operation["runs"] = json!([operation["runs"][nth]]);
    writes(&env);
    refused(&env, &operation, 6);
}

#[test]
fn files_that_are_no_operations_are_refused() {
    let (env, ..) = applied();
    let whole = text(&env, "op.json");
    let env = elsewhere(env);
    let others: [&[u8]; 8] = [
        b"",
        b"\0\xff\xfe",
        b"{}",
        b"[1]",
        b"profile: cafe\n",
        br#"{"format": "links-plan", "version": 1}"#,
        br#"{"format": "links-operation"}"#,
        br#"{"format": "links-operation", "version": 1, "runs": []}"#,
    ];
    for bytes in others {
        env.file("bent.json", bytes);
        failed(&env, "undo --from bent.json --yes", 8);
    }
    for part in [1, 10, 100] {
        env.file("bent.json", &whole[..whole.len() - part * whole.len() / 101]);
        failed(&env, "undo --from bent.json --yes", 8);
    }
    let newer = whole.replacen("\"version\": 1", "\"version\": 2", 1);
    env.file("bent.json", newer);
    let run = failed(&env, "undo --from bent.json --yes", 8);
    assert!(run.stderr.contains("version 2") && run.stderr.contains("update"), "{run}");
    std::fs::File::create(path(&env, "huge.json")).unwrap().set_len(300 << 20).unwrap();
    let run = failed(&env, "undo --from huge.json --yes", 8);
    assert!(run.stderr.contains("larger than 256 MB"), "{run}");
    failed(&env, "undo --from absent.json --yes", 2);
    failed(&env, "undo --from . --yes", 8);
    assert!(writes(&env).is_empty());
}

#[test]
fn what_a_file_claims_of_its_runs_is_checked() {
    let (env, ..) = applied();
    let operation = operation(&env);
    let env = elsewhere(env);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut operation = operation.clone();
        change(&mut operation);
        refused(&env, &operation, 8)
    };
    let said = changed(&|it| it["runs"][0]["run"] = "../../../../etc/passwd".into());
    assert!(said.contains("invalid run name"), "{said}");
    changed(&|it| it["runs"][0]["run"] = "".into());
    changed(&|it| it["runs"][0]["run"] = "00-\u{1b}[31m".into());
    let said = changed(&|it| it["runs"][1]["run"] = it["runs"][0]["run"].clone());
    assert!(said.contains("duplicate run"), "{said}");
    let said = changed(&|it| it["runs"][0]["entries"][0]["open"]["format"] = 9.into());
    assert!(said.contains("newer version"), "{said}");
    let said = changed(&|operation| {
        let entries = operation["runs"][0]["entries"].as_array_mut().unwrap();
        entries.push(json!({ "begin": { "step": 77 } }));
    });
    assert!(said.contains("is damaged"), "{said}");
    changed(&|it| it["runs"][0]["entries"] = json!([]));
    changed(&|it| it["runs"][0]["entries"][1] = json!({ "rm": "-rf" }));
    changed(&|it| it["runs"][0]["before"] = json!([{ "id": 1, "type": "text", "$upload": "x" }]));
    changed(&|it| it["user"] = json!("x".repeat(100_000)));
}

#[test]
fn no_path_of_a_file_is_read_or_written() {
    let env = cafe();
    env.file("page.yaml", "profile: cafe\nslots: [{type: text, data: {title: Only}}]\n");
    env.file("secret.png", crate::test_env::picture(4, 4));
    ok(
        &env,
        "slots apply page.yaml --prune --prune-unsupported --yes --max-deletes 50 --operation-out op.json",
    );
    let mut operation = operation(&env);
    let place = path(&env, "page.yaml").display().to_string();
    operation["runs"][0]["entries"][0]["open"]["path"] = place.into();
    for slot in operation["runs"][0]["before"].as_array_mut().unwrap() {
        if slot["type"] == "text" {
            slot["data"]["title"] = json!({ "$upload": "secret.png" });
        }
    }
    env.file("bent.json", operation.to_string());
    let before = text(&env, "page.yaml");
    let env = elsewhere(env);
    let run = env.run("undo --from bent.json --yes");
    // The service refuses an object as a title; nothing was uploaded.
    assert_ne!(run.exit, 0, "{run}");
    assert!(!writes(&env).contains(&"uploadFile".to_owned()), "{run}");
    assert_eq!(text(&env, "page.yaml"), before);
    assert!(!path(&env, "links.lock").exists());
}

#[test]
fn a_file_that_cannot_be_written_is_known_before_anything_is_written() {
    let env = three_pages();
    let before = values(&env);
    env.file("mine.txt", "mine");
    let cases = [("mine.txt", 14), ("absent/op.json", 2), (".", 2), ("-", 2)];
    for (file, exit) in cases {
        let run = failed(&env, &format!("{APPLY} --operation-out {file}"), exit);
        assert!(run.stderr.contains("nothing was written"), "{run}");
    }
    assert_eq!((values(&env), text(&env, "mine.txt")), (before, "mine".to_owned()));
    // An older operation is replaced.
    ok(&env, &format!("{APPLY} --operation-out op.json"));
    ok(&env, "undo --yes --operation-out op.json");
    assert!(operation(&env)["command"].as_str().unwrap().starts_with("undo"));
}

#[cfg(unix)]
#[test]
fn a_link_in_a_repository_leads_the_file_nowhere_else() {
    let env = three_pages();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("profile");
    std::fs::write(&target, "").unwrap();
    std::fs::create_dir(path(&env, ".git")).unwrap();
    std::os::unix::fs::symlink(&target, path(&env, "op.json")).unwrap();
    writes(&env);
    let run = env.run(&format!("{APPLY} --operation-out op.json"));
    assert_eq!(run.exit, 14, "{run}");
    assert!(writes(&env).is_empty() && std::fs::read(&target).unwrap().is_empty());
}

#[test]
fn an_undo_from_a_file_that_is_ended_anywhere_is_continued() {
    let mut cuts = 0;
    for nth in (1..).step_by(7) {
        let (env, before, after) = applied();
        let env = elsewhere(env);
        let line = "undo --from op.json --yes";
        let cut = cut_short(&env, line, &format!("any:{nth}"));
        if cut.status.success() {
            break;
        }
        cuts += 1;
        ok(&env, line);
        assert_eq!(values(&env), before, "any:{nth}");
        for _ in 0..2 {
            if values(&env) != after {
                ok(&env, "redo --yes");
            }
        }
        assert_eq!(values(&env), after, "any:{nth}");
    }
    assert!(cuts > 2, "{cuts}");
}

#[test]
fn a_form_alone_travels() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, "apply form.yaml --yes --operation-out op.json");
    let runs = operation(&env)["runs"].clone();
    assert_eq!(runs[0]["entries"][0]["open"]["form"], FORM);
    assert_eq!(runs[0]["page"], Value::Null);
    let env = elsewhere(env);
    ok(&env, "undo --from op.json --yes");
    assert_eq!(values(&env), before);
}
