//! Tests of runs that are interrupted, locked out, listed, continued, aborted and undone; the tests carry the numbers of the project's list
//! of faults.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;

use links_pages::apply::JournalStore;
use notify::event::AccessKind;
use notify::{EventKind, RecursiveMode, Watcher};
use serde_json::Value;

use crate::steps::cut_short;
use crate::test_env::{CommandResult, TestEnv, reported_exit};

const PAGE: &str = "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: New}}\n  - {type: text, data: {title: Middle}}\n  - {type: text, data: {title: Last}}\n";

/// Returns the café, with state that outlives a run and no waiting.
fn cafe() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    let directory = state(&env).display().to_string();
    let env = env.env("LINKS_STATE_DIR", directory);
    env.file("page.yaml", PAGE);
    env
}

fn state(env: &TestEnv) -> PathBuf {
    env.home.path().join("state")
}

/// Runs a command that is ended at a crash point.
fn cut_off(env: &TestEnv, place: &str, line: &str) {
    let output = cut_short(env, line, place);
    assert_eq!(output.status.code(), None, "{}", String::from_utf8_lossy(&output.stderr));
}

fn rows(run: &CommandResult) -> Vec<Value> {
    run.json()["data"].as_array().unwrap().clone()
}

fn runs(env: &TestEnv) -> JournalStore {
    JournalStore::of(&state(env), &env.server.base_url(), 101)
}

fn slots(env: &TestEnv) -> usize {
    env.server.account().profile("cafe").unwrap().slots.len()
}

#[test]
fn an_interrupted_run_is_listed_and_resumed() {
    let env = cafe();
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
    assert_eq!(env.run("slots apply --resume").exit, 6);
    cut_off(&env, "after_send:3", "slots apply page.yaml");
    let row = &rows(&env.run("slots apply --status -o json"))[0];
    assert_eq!((&row["state"], &row["inDoubt"]), (&"unfinished".into(), &true.into()), "{row}");
    assert_eq!(row["summary"], "1 updated; the last request may have been applied (no response)");
    let (here, elsewhere) = (env.home.path().join("page.yaml"), env.home.path().join("moved"));
    std::fs::rename(&here, &elsewhere).unwrap();
    let moved = env.run("slots apply --resume");
    assert!(moved.exit == 2 && moved.stderr.contains("--resume FILE"), "{moved}");
    std::fs::rename(&elsewhere, &here).unwrap();
    env.operations();

    let resumed = env.run("slots apply --resume -o json");
    assert_eq!(resumed.exit, 0, "{resumed}");
    assert_eq!(resumed.json()["data"]["pages"][0]["run"], row["run"], "it is the same run");
    assert!(!env.operations().contains(&"createSlots".to_owned()), "both slots were found");
    assert_eq!(slots(&env), 16);
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
    let history = env.run("log --page cafe -o json");
    let row = &rows(&history)[0]["parts"][0];
    assert_eq!((&row["state"], &row["inDoubt"]), (&"done".into(), &false.into()), "{row}");
    assert_eq!(row["summary"], "1 updated, 2 created");
    assert_eq!(rows(&env.run("log --page 102 -o json")).len(), 0);
}

#[test]
fn an_interrupted_run_can_be_aborted() {
    let env = cafe();
    cut_off(&env, "after_send:2", "slots apply page.yaml");
    let aborted = env.run("slots apply --abort page.yaml");
    assert_eq!(aborted.exit, 0, "{aborted}");
    assert_eq!(rows(&env.run("log -o json"))[0]["state"], "aborted");
    assert_eq!(env.run("slots apply --abort").exit, 6);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    assert_eq!(rows(&env.run("log -o json")).len(), 2);
}

#[test]
fn an_unfinished_run_of_another_file_is_replaced_and_reported() {
    let env = cafe();
    cut_off(&env, "before_send:3", "slots apply page.yaml");
    env.file("page.yaml", PAGE.replace("Last", "Another"));
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 0, "{run}");
    assert!(
        run.stderr.contains("its content was different")
            && run.stderr.contains("its writes stay on the page (1 updated)"),
        "{run}"
    );
    let states: Vec<_> =
        rows(&env.run("log -o json")).iter().map(|row| row["state"].clone()).collect();
    assert_eq!(states, ["done", "replaced"], "the latest comes first");
}

#[test]
fn a_damaged_journal_blocks_apply_until_it_is_aborted() {
    let env = cafe();
    cut_off(&env, "after_send:3", "slots apply page.yaml");
    let journal = runs(&env).list().unwrap().remove(0).path;
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("{\"begin\"", "{\"bogus\"", 1)).unwrap();
    env.operations();
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("is damaged") && run.stderr.contains("--abort"), "{run}");
    assert_eq!(env.operations(), ["getProfile"]);
    assert_eq!(rows(&env.run("log -o json"))[0]["state"], "unreadable");
    assert_eq!(env.run("slots apply --abort page.yaml").exit, 0);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    assert_eq!(slots(&env), 16, "what was created is found by its content");
}

#[test]
fn a_backup_outlives_its_journal_and_can_be_restored() {
    let env = cafe();
    cut_off(&env, "after_send:3", "slots apply page.yaml");
    let row = rows(&env.run("log -o json")).remove(0)["parts"][0].clone();
    std::fs::write(row["journal"].as_str().unwrap(), "what?\n{}\n").unwrap();
    let backup = runs(&env).backup(row["run"].as_str().unwrap()).display().to_string();
    assert_eq!(env.run("slots apply page.yaml").exit, 14, "it stands in the way");
    assert_eq!(env.run("slots apply --abort page.yaml").exit, 0);
    // A run that never began blocks no other run, and stays as well.
    let other = backup.replace(".page.json", "0.page.json");
    std::fs::copy(&backup, &other).unwrap();
    let again = env.run("slots apply page.yaml");
    assert_eq!(again.exit, 0, "{again}");
    assert!(std::fs::exists(&backup).unwrap() && std::fs::exists(&other).unwrap());
    let states: Vec<_> =
        rows(&env.run("log -o json")).iter().map(|row| row["state"].clone()).collect();
    assert_eq!(states, ["not_begun", "aborted"], "what is left was made before the damage");
    let restored = env.run(&format!("slots apply {other}"));
    assert_eq!(restored.exit, 0, "{restored}");
    assert_eq!(env.server.account().profiles[0].slots[0].data["title"], "Good morning!");
}

/// Adds a second token, as that of another user of the same service, and returns it.
fn as_second_user(env: &TestEnv) -> String {
    env.server.edit(|account| {
        let mut token = account.tokens[0].clone();
        token.token += "-second";
        let text = token.token.clone();
        account.tokens.push(token);
        text
    })
}

#[test]
fn a_run_of_another_account_is_acted_on_only_when_named() {
    let env = cafe();
    cut_off(&env, "after_send:2", "slots apply page.yaml");
    let second = as_second_user(&env);
    let other = |line: &str| {
        let mut command = env.command(line.split_whitespace());
        let output = command.env("LINKS_TOKEN", &second).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), text, output.stdout)
    };
    for line in ["slots apply --abort", "slots apply --resume"] {
        let (exit, text, _) = other(line);
        assert_eq!(exit, 2, "{text}");
        assert!(text.contains("may belong to another account"), "{text}");
    }
    // It may be the same user with a new token.
    assert_eq!(other("slots apply --abort page.yaml").0, 0);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);

    // A run that is known to belong to another user is not shown.
    env.file("page.yaml", PAGE.replace("Last", "Another"));
    cut_off(&env, "before_send:2", "slots apply page.yaml");
    let of_user = |user: &str| {
        for recorded in runs(&env).list().unwrap() {
            let text = std::fs::read_to_string(&recorded.path).unwrap();
            let (before, after) = text.split_once("\"owner\":{").unwrap();
            let after = after.split_once('}').unwrap().1;
            let owner = format!("{before}\"owner\":{{{user}}}{after}");
            std::fs::write(&recorded.path, owner).unwrap();
        }
    };
    of_user("\"user\":7");
    assert!(!rows(&env.run("log -o json")).is_empty(), "no one can tell");
    let config = env.home.path().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let accounts = serde_json::json!({"version": 1, "current": "other", "accounts": {"other": {
        "baseUrl": env.server.base_url(), "kept": {"command": ["echo", second]}, "userId": 8, "user": "Other",
    }}});
    std::fs::write(config.join("accounts.json"), accounts.to_string()).unwrap();
    let env = env.env("LINKS_CONFIG_DIR", config.display().to_string()).env("LINKS_TOKEN", "");
    assert_eq!(rows(&env.run("log -o json")).len(), 0);
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
    assert_eq!(env.run("slots apply --abort page.yaml").exit, 6);
}

#[test]
fn a_journal_of_an_older_version_is_shown_and_acted_on_by_name_only() {
    let env = cafe();
    cut_off(&env, "after_send:2", "slots apply page.yaml");
    let journal = runs(&env).list().unwrap().remove(0).path;
    let text = std::fs::read_to_string(&journal).unwrap();
    let (before, after) = text.split_once("\"owner\":{").unwrap();
    let after = after.split_once("},").unwrap().1;
    std::fs::write(&journal, format!("{before}{after}")).unwrap();
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 1);
    let unnamed = env.run("slots apply --abort");
    assert!(
        unnamed.exit == 2 && unnamed.stderr.contains("to list the runs, pass --status"),
        "{unnamed}"
    );
    assert_eq!(env.run("slots apply --resume page.yaml").exit, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_place_of_a_journal_hangs_nothing() {
    let env = cafe();
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let journal = runs(&env).list().unwrap().remove(0).path;
    std::fs::remove_file(&journal).unwrap();
    assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success());
    let row = rows(&env.run("log -o json")).remove(0);
    assert_eq!(row["state"], "unreadable");
    assert!(row["summary"].as_str().unwrap().contains("not a regular file"), "{row}");
    assert_eq!(env.run("slots apply page.yaml").exit, 14);
    assert_eq!(env.run("slots apply --abort page.yaml").exit, 0);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_run_is_not_split_on_a_narrow_terminal() {
    let env = cafe();
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let row = rows(&env.run("log -o json")).remove(0);
    let seen = crate::terminal::run_at(80, &env, "log");
    assert!(seen.text.contains(row["operation"].as_str().unwrap()), "{}", seen.text);
}

/// A key derived from the content would return the first answer again, and nothing would be created.
#[test]
fn content_that_comes_back_is_created_anew() {
    let env = cafe();
    let file = |title: &str, name: &str| {
        let text = "profile: cafe\nslots:\n  - {type: text, data: {title: ";
        env.file(name, format!("{text}{title}}}}}\n"));
    };
    env.server.edit(|account| account.profiles[0].slots.clear());
    let mut ids = Vec::new();
    // Two files: an item of one file that is rewritten stays the same slot.
    for (title, name) in [("One way", "one.yaml"), ("Another", "other.yaml")].repeat(2) {
        file(title, name);
        let run = env.run(&format!("slots apply {name} --prune --yes"));
        assert_eq!(run.exit, 0, "{run}");
        let account = env.server.account();
        let [slot] = &account.profiles[0].slots[..] else { panic!("{run}") };
        assert_eq!(slot.data["title"], title);
        ids.push(slot.id);
    }
    assert!(ids.is_sorted_by(|one, next| one < next), "each is a new one: {ids:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_run_refuses_and_names_the_process_or_waits() {
    let env = cafe();
    let lock = runs(&env).lock().unwrap();
    env.operations();
    let refused = env.run("slots apply page.yaml");
    assert_eq!(refused.exit, 14, "{refused}");
    assert!(refused.stderr.contains(&format!("process {}", std::process::id())), "{refused}");
    assert!(env.operations().iter().all(|it| it.starts_with("get") || it.starts_with("list")));

    // The file of the lock is opened for each try: the second one shows that the first has failed.
    let (sender, opened) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if matches!(event.unwrap().kind, EventKind::Access(AccessKind::Open(_))) {
            let _ = sender.send(());
        }
    })
    .unwrap();
    let path = runs(&env).journal("x").with_file_name("lock");
    watcher.watch(&path, RecursiveMode::NonRecursive).unwrap();
    let mut waiting = env.command(["slots", "apply", "page.yaml", "--wait"]);
    let mut waiting = waiting.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    opened.recv().unwrap();
    opened.recv().unwrap();
    // The page changes while the other one holds it.
    env.server.edit(|account| account.profiles[0].slots.truncate(3));
    assert_eq!(waiting.try_wait().unwrap(), None);
    drop(lock);
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(env.operations().iter().filter(|it| *it == "getProfile").count(), 2);
    assert_eq!(slots(&env), 3 + 2);
}

#[test]
fn runs_that_start_together_create_each_slot_once() {
    for _ in 0..5 {
        let env = cafe();
        let start = || {
            let mut command = env.command(["slots", "apply", "page.yaml", "--wait"]);
            command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        };
        let together: Vec<_> = (0..4).map(|_| start()).collect();
        let ended: Vec<Output> =
            together.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        for output in &ended {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(slots(&env), 16);
        assert_eq!(rows(&env.run("log -o json")).len(), 1, "only one had to write");
    }
}

#[test]
fn an_undo_reverts_what_can_be_reverted_and_reports_the_rest() {
    let env = cafe();
    env.file("less.yaml", "profile: cafe\nslots:\n  - {id: 1002, type: button, data: {title: Changed}}\n  - {type: text, data: {title: New}}\n");
    let before = env.run("slots pull cafe").stdout;
    let apply = env.run("slots apply less.yaml --prune --prune-unsupported --yes --max-deletes 20");
    assert_eq!(apply.exit, 0, "{apply}");
    let row = &rows(&env.run("log -o json"))[0];
    let run = row["operation"].as_str().unwrap();
    assert!(row["summary"].as_str().unwrap().contains("12 deleted"), "{row}");
    env.operations();

    let unasked = env.run(&format!("undo {run}"));
    assert_eq!(unasked.exit, 14, "{unasked}");
    assert!(unasked.stderr.contains("click statistics are lost"), "{unasked}");
    let writes = ["updateSlots", "createSlots", "reorderSlots"];
    assert!(!env.operations().iter().any(|it| writes.contains(&it.as_str())));

    let restored = env.run(&format!("undo {} --yes", &run[..14]));
    assert_eq!(restored.exit, 0, "{restored}");
    assert!(restored.stderr.contains("cannot be restored"), "the two legacy slots\n{restored}");
    let content = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim_start_matches([' ', '-']).to_owned());
        lines.filter(|line| !line.starts_with("id: ") && !line.is_empty()).collect()
    };
    let (before, after) = (content(&before), content(&env.run("slots pull cafe").stdout));
    let missing: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    assert!(missing.iter().all(|line| line.starts_with("type: ")), "{missing:?}");
    assert!(!after.contains(&"title: New".to_owned()), "what the run created is deleted");
    assert!(!after.contains(&"title: Changed".to_owned()));
    assert_eq!(slots(&env), 12);
    let again = env.run(&format!("undo {run} --yes"));
    assert!(again.exit == 14 && again.stderr.contains(" cannot be undone: "), "{again}");
    assert!(!again.stdout.contains("no changes"), "{again}");
    assert_eq!(env.run("undo no-such-run").exit, 6);
    assert_eq!(env.run("undo f").exit, 6);
}

#[test]
fn an_undo_clears_the_keys_that_the_run_added_or_names_them() {
    let env = cafe();
    let added = [(0, "description"), (1, "style"), (2, "title")];
    env.server.edit(|account| {
        for (at, key) in added {
            account.profiles[0].slots[at].data.remove(key);
        }
    });
    let items = "  - {id: 1001, type: text, data: {description: Added}}\n  - {id: 1002, type: button, data: {style: outline}}\n  - {id: 1003, type: picture, data: {title: Added}}\n";
    env.file("page.yaml", format!("profile: cafe\nslots:\n{items}"));
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let run = rows(&env.run("log -o json"))[0]["operation"].as_str().unwrap().to_owned();
    let dry = env.run(&format!("undo {run} --yes --dry-run -o json")).json();
    let left = serde_json::json!([{ "id": 1001, "key": "description", "page": "cafe" }]);
    assert_eq!(dry["data"]["notRestored"], left);
    let restored = env.run(&format!("undo {run} --yes"));
    assert_eq!(restored.exit, 0, "{restored}");
    assert!(restored.stdout.contains("2 updated"), "{restored}");
    let named = "slot 1001 keeps the added `description`";
    assert!(restored.stderr.contains(named) && !restored.stderr.contains("1003: `"), "{restored}");
    let held = |at: usize, key: &str| {
        let value = &env.server.account().profiles[0].slots[at].data;
        value.get(key).cloned().unwrap_or_default()
    };
    assert_eq!(held(0, "title"), "Good morning!");
    assert_eq!(held(0, "description"), "Added");
    assert_eq!((held(1, "style"), held(2, "title")), ("primary".into(), Value::Null));
    let told = env.run(&format!("undo {run} --force --yes"));
    assert!(told.exit == 14 && told.stderr.contains(named), "{told}");
}

#[test]
fn an_interrupted_undo_is_finished_by_the_same_command() {
    let env = cafe();
    env.file("less.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
    assert_eq!(env.run("slots apply less.yaml --prune --yes --max-deletes 20").exit, 0);
    let run = rows(&env.run("log -o json"))[0]["operation"].as_str().unwrap().to_owned();
    let next_id = || env.server.account().next_id;
    let before = next_id();
    let line = format!("undo {run} --yes");
    cut_off(&env, "after_send:3", &line);
    assert_eq!(env.run("slots apply --resume").exit, 2, "it has no file");
    let again = env.run(&line);
    assert_eq!(again.exit, 0, "{again}");
    assert_eq!(next_id() - before, 10, "nothing was created twice");
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
}

#[test]
fn a_resumed_run_keeps_its_confirmation_but_deletes_nothing_more() {
    let env = cafe();
    env.file("less.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
    cut_off(&env, "before_send:3", "slots apply less.yaml --prune --yes --max-deletes 11");
    env.server.edit(|account| {
        let page = &mut account.profiles[0];
        let mut new = page.slots[0].clone();
        new.id = 7777;
        page.slots.push(new);
    });
    let more = env.run("slots apply --resume");
    assert_eq!(more.exit, 14, "{more}");
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id != 7777));
    let same = env.run("slots apply --resume");
    assert_eq!(same.exit, 0, "{same}");
    assert_eq!(slots(&env), 4);
}

#[test]
fn a_page_found_unexpectedly_empty_is_refused() {
    let env = cafe();
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let slots_before = env.server.edit(|account| std::mem::take(&mut account.profiles[0].slots));
    env.operations();
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("left 16 slots on it"), "{run}");
    assert_eq!(env.operations(), ["getProfile", "listSlots"], "both ways of reading it");
    env.server.edit(|account| account.profiles[0].slots = slots_before);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    env.server.edit(|account| account.profiles[0].slots.clear());
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: divider}\n");
    assert_eq!(env.run("slots apply page.yaml --allow-empty").exit, 0);
}

#[test]
fn a_token_that_may_only_read_writes_nothing_and_leaves_nothing_open() {
    let env = cafe();
    env.server.edit(|account| {
        for token in &mut account.tokens {
            token.abilities.retain(|ability| ability == "profile:read");
        }
    });
    let before = env.server.account();
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 5, "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
    assert_eq!(env.server.account().profiles, before.profiles);
    assert_eq!(rows(&env.run("log -o json"))[0]["state"], "refused");
    assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
}

#[test]
fn without_a_state_directory_no_run_begins() {
    let env = cafe();
    let file = env.file("no-directory", "").display().to_string();
    let env = env.env("LINKS_STATE_DIR", file);
    let before = env.server.account();
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("LINKS_STATE_DIR"), "{run}");
    assert_eq!(env.server.account().profiles, before.profiles);
}

/// The maximum size of files stands for the room on a disk.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_at_any_line_of_the_journal_costs_no_slot() {
    let small = || {
        let env = cafe();
        env.server.edit(|account| account.profiles[0].slots.truncate(1));
        env
    };
    let env = small();
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let whole = std::fs::metadata(&runs(&env).list().unwrap()[0].path).unwrap().len();

    let (mut refused, mut stopped, mut warned) = (0, 0, 0);
    for room in (0..whole).step_by(32) {
        let env = small();
        let before = env.server.account();
        let limited = format!(
            "trap '' XFSZ; exec prlimit --fsize={room} '{}' slots apply page.yaml",
            env!("CARGO_BIN_EXE_links")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).env_clear().current_dir(env.home.path());
        let likeness = env.command(["x"]);
        command.envs(likeness.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(2) => {
                refused += 1;
                assert_eq!(env.server.account().profiles, before.profiles, "{text}");
            }
            Some(12) => stopped += 1,
            Some(0) if text.contains("the journal is incomplete") => warned += 1,
            other => panic!("{room} bytes: {other:?} {text}"),
        }
        let next = env.run("slots apply page.yaml");
        assert_eq!(next.exit, 0, "{room} bytes: {text}{next}");
        assert_eq!((slots(&env), env.server.account().next_id - before.next_id), (3, 2));
        assert_eq!(rows(&env.run("slots apply --status -o json")).len(), 0);
    }
    assert!(refused > 5 && stopped > 0 && warned > 0, "{refused} {stopped} {warned}");
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_ends_at_once_and_nothing_is_created_twice() {
    let env = TestEnv::cafe().keeping_state();
    let dividers = "  - {type: divider}\n".repeat(300);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{dividers}"));
    // A request without an answer.
    let (sent, told) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    env.server.edit_after(6, move |_| {
        sent.send(()).unwrap();
        let _ = released.recv();
    });
    let mut child = env.command(["slots", "apply", "page.yaml", "-o", "json"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    told.recv().unwrap();
    // Two signals that arrive together may count as one.
    while child.try_wait().unwrap().is_none() {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    }
    drop(release);
    let output = child.wait_with_output().unwrap();
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(reported_exit(output.status), Some(130), "{error}");
    assert!(error["message"].as_str().unwrap().contains("may still have been applied"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("--resume"), "{error}");

    let env = env.env("LINKS_TEST_NO_WAIT", "1");
    let resumed = env.run("slots apply --resume");
    assert_eq!(resumed.exit, 0, "{resumed}");
    // One of the dividers was on the page before.
    assert_eq!(slots(&env), 14 + 299);
}

/// Test hooks must not be part of a release build.
#[test]
fn crash_points_and_fake_clocks_are_only_in_test_builds() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let armed = text("sdk/src/crash_point.rs");
    let (before, is_due) = armed.split_once("fn is_due(place: &str) -> bool {").unwrap();
    let guard = "if !cfg!(all(feature = \"crash-points\", debug_assertions)) {\n        return false;\n    }\n";
    assert!(is_due.trim_start().starts_with(guard), "{is_due}");
    assert!(is_due.contains("LINKS_TEST_CRASH"), "{is_due}");
    let guarded = before.split("if is_due(").skip(1);
    assert_eq!(guarded.filter(|code| code.contains("        end();")).count(), 2, "{before}");
    assert_eq!(before.matches(" end();").count(), 2, "{before}");
    assert_eq!(before.matches("abort()").count(), 1, "{before}");
    assert!(before.lines().all(|line| line.starts_with("//!") || !line.contains("LINKS_TEST")));
    assert!(text("cli/src/lib.rs").contains("#[cfg(debug_assertions)]\nmod testing;"));
    let names = text("cli/src/env_vars.rs");
    let names: Vec<_> = names.lines().collect();
    let is_guarded = |pair: &[&str]| pair[0] == "#[cfg(debug_assertions)]";
    assert!(names.windows(2).all(|pair| !pair[1].contains("LINKS_TEST") || is_guarded(pair)));
    let of_tests = ["env_vars.rs", "src/crash_point.rs", "cli/src/testing.rs"];
    let elsewhere =
        ["sdk/src", "pages/src", "cli/src"].into_iter().flat_map(|it| sources(&root.join(it)));
    for path in elsewhere.filter(|it| !of_tests.iter().any(|name| it.ends_with(name))) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("LINKS_TEST"), "{}", path.display());
    }
}

fn sources(directory: &std::path::Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}
