//! Tests of `links log` and of the journals of single commands: what they say after a crash, what they cost, and when they cannot be written.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::steps::{cut_short, ok};
use crate::test_env::{CommandResult, TestEnv};
use crate::undo::{SLOT_COMMANDS, cafe, page, page_file};

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

fn rows(env: &TestEnv) -> Vec<Value> {
    ok(env, "log -o json").json()["data"].as_array().unwrap().clone()
}

/// Returns the journals of the single commands.
fn journals(env: &TestEnv) -> Vec<PathBuf> {
    let all = rows(env);
    all.iter().map(|row| PathBuf::from(row["parts"][0]["journal"].as_str().unwrap())).collect()
}

/// Commands other than those for slots.
fn others() -> Vec<String> {
    vec![
        "profile update cafe title=New".to_owned(),
        "profile settings cafe languageCode=kk".to_owned(),
        "profile rename cafe cafe.mole --yes --confirm cafe".to_owned(),
        format!("forms update {FORM} title=Other"),
        format!("forms field set {FORM} phone label=Tel"),
        "forms create title=Contact fields:=[{\"type\":\"text\",\"label\":\"Name\"}]".to_owned(),
        "profile create spring.menu -y".to_owned(),
    ]
}

fn account(env: &TestEnv) -> Value {
    let account = env.server.account();
    json!([account.profiles, account.forms])
}

#[test]
fn every_write_is_listed_with_its_words() {
    let env = cafe();
    page_file(&env);
    ok(&env, "slots set cafe 1001 title=Anew");
    ok(&env, "slots apply page.yaml");
    ok(&env, &format!("forms update {FORM} title=Other"));
    ok(&env, "slots set 102 1101 title=Weddings");
    let rows = rows(&env);
    let of = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(
        of("command"),
        [
            "slots set 102 1101 title=Weddings".to_owned(),
            format!("forms update {FORM} title=Other"),
            "slots apply page.yaml".to_owned(),
            "slots set cafe 1001 title=Anew".to_owned(),
        ]
    );
    assert_eq!(
        of("wrote"),
        [json!(["102"]), json!([format!("form {FORM}")]), json!(["cafe"]), json!(["cafe"])]
    );
    assert_eq!(of("summary")[..2], ["1 updated", "title"]);
    assert_eq!(of("state"), ["done"; 4]);
    let some = ok(&env, "log --page cafe -n 1 -o json").json();
    assert_eq!(some["data"], json!([rows[2]]));
}

/// What the journal says is what the service has done, wherever the command was ended; and no other command is in its way.
#[test]
fn a_command_that_is_ended_anywhere_leaves_a_true_journal() {
    let lines = SLOT_COMMANDS.iter().filter(|line| !line.contains("apply"));
    let lines: Vec<String> = lines.map(|line| (*line).to_owned()).chain(others()).collect();
    for line in lines {
        let mut seen = Vec::new();
        for nth in 1.. {
            let env = cafe();
            let before = account(&env);
            let cut = cut_short(&env, &line, &format!("any:{nth}"));
            if cut.status.success() {
                break;
            }
            assert_eq!(cut.status.code(), None, "{line}: {}", String::from_utf8_lossy(&cut.stderr));
            let is_written = account(&env) != before;
            let rows = rows(&env);
            let state = rows.first().map_or("none", |row| row["state"].as_str().unwrap());
            let may_be = match state {
                "none" | "not_begun" | "not_sent" => !is_written,
                "done" => is_written,
                // One request of one: it is the last entry that is missing.
                "unfinished" => is_written,
                "unknown" => true,
                other => panic!("{line}, any:{nth}: {other}"),
            };
            assert!(may_be, "{line}, any:{nth}: {state}, written: {is_written}");
            seen.push(state.to_owned());
            env.file("any.yaml", "profile: 101\nslots:\n  - {type: text, data: {title: New}}\n");
            let applied = ok(&env, "slots apply any.yaml --yes");
            assert!(!applied.stderr.contains("interrupted run"), "{applied}");
        }
        assert!(seen.contains(&"unknown".to_owned()), "{line}: {seen:?}");
    }
}

#[test]
fn a_command_that_was_perhaps_carried_out_is_undone_as_far_as_the_page_shows_it() {
    for line in SLOT_COMMANDS.iter().filter(|line| !line.contains("apply")) {
        for place in ["before_send", "after_send"] {
            for nth in 1.. {
                let env = cafe();
                env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id < 1005));
                let before = page(&env);
                let place = format!("{place}:{nth}");
                let cut = cut_short(&env, line, &place);
                if cut.status.success() {
                    break;
                }
                assert_eq!(cut.status.code(), None, "{}", String::from_utf8_lossy(&cut.stderr));
                let rows = rows(&env);
                if rows.first().is_none_or(|row| row["state"] != "unknown") {
                    continue;
                }
                let undone = env.run("undo --yes");
                // Which slots were there before a create is not read, because that would cost a request.
                if line.contains("add") {
                    assert!(
                        undone.exit == 14
                            && undone.stderr.contains("may have been created (no response)"),
                        "{undone}"
                    );
                } else {
                    assert_eq!(undone.exit, 0, "{undone}");
                    assert_eq!(page(&env), before, "{line}, {place}: {undone}");
                }
            }
        }
    }
}

#[test]
fn journals_cost_no_request() {
    for line in SLOT_COMMANDS.iter().map(ToString::to_string).chain(others()) {
        let operations = |blocked: bool| {
            let env = cafe();
            page_file(&env);
            if blocked {
                fs::create_dir_all(env.home.path().join("state")).unwrap();
                env.file("state/writes", "");
            }
            let run = env.run_args(line.split_whitespace(), b"");
            assert_eq!(run.exit, 0, "{run}");
            env.operations()
        };
        assert_eq!(operations(false), operations(true), "{line}");
    }
}

#[test]
fn a_journal_that_cannot_be_written_is_said_once_and_stops_nothing() {
    for line in
        ["slots set cafe 1001 title=Anew", "slots add cafe divider", "slots delete cafe 1002 --yes"]
    {
        let env = cafe();
        fs::create_dir_all(env.home.path().join("state")).unwrap();
        env.file("state/writes", "");
        let before = page(&env);
        let run = ok(&env, line);
        assert_ne!(page(&env), before);
        assert_eq!(run.stderr.matches("cannot be undone").count(), 1, "{run}");
    }
}

#[test]
fn a_dry_run_leaves_no_journal() {
    let env = cafe();
    for line in [
        "slots set cafe 1001 title=Anew",
        "slots add cafe divider",
        "profile update cafe title=New",
    ] {
        env.run(&format!("{line} --dry-run"));
        env.run(&format!("{line} --dry-run=request"));
    }
    assert!(rows(&env).is_empty());
}

#[test]
fn hostile_words_are_shown_as_plain_text() {
    let env = cafe();
    let title = "title=\u{1b}[31mred\u{7}\n\u{202e}evil";
    let run = env.run_args(["slots", "set", "cafe", "1001", title], b"");
    assert_eq!(run.exit, 0, "{run}");
    for line in ["log", "undo"] {
        let shown = env.run(line);
        let text = format!("{}{}", shown.stdout, shown.stderr);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
    let table = ok(&env, "log").stdout;
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn no_journal_holds_a_token() {
    let env = cafe();
    for line in SLOT_COMMANDS.iter().filter(|line| !line.contains("apply")) {
        ok(&env, line);
    }
    let token = env.server.token();
    let texts = journal_texts(&env);
    assert_eq!(texts.len(), SLOT_COMMANDS.len() - 2);
    for (path, text) in texts {
        assert!(!text.contains(&token), "{}", path.display());
    }
}

fn journal_texts(env: &TestEnv) -> Vec<(PathBuf, String)> {
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    journals(env).into_iter().map(text).collect()
}

#[test]
fn a_journal_of_a_newer_version_is_listed_and_left_alone() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    let path = journals(&env).remove(0);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"format\":1", "\"format\":99", 1)).unwrap();
    let row = &rows(&env)[0];
    assert_eq!(row["state"], "unreadable");
    assert!(row["summary"].as_str().unwrap().contains("newer version"), "{row}");
    let run = row["operation"].as_str().unwrap();
    let refused = env.run(&format!("undo {run} --yes"));
    assert!(refused.exit == 14 && refused.stderr.contains("newer version"), "{refused}");
    assert_eq!(env.run("undo --yes").exit, 14);
    page_file(&env);
    ok(&env, "slots apply page.yaml");
    ok(&env, "log --prune --keep 0 -y");
    assert!(path.exists(), "what cannot be read is kept");
}

/// Changes the owner in the header of a journal.
fn owned_by(path: &PathBuf, owner: &str) {
    let text = fs::read_to_string(path).unwrap();
    let (open, rest) = text.split_once('\n').unwrap();
    let mut open: Value = serde_json::from_str(open).unwrap();
    open["open"]["owner"] = serde_json::from_str(owner).unwrap();
    fs::write(path, format!("{open}\n{rest}")).unwrap();
}

#[test]
fn writes_of_other_accounts_are_not_offered() {
    let env = cafe();
    let login = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work"];
    assert_eq!(env.run_args(login, env.server.token().as_bytes()).exit, 0);
    let env = env.env("LINKS_TOKEN", "").env("LINKS_BASE_URL", "");
    ok(&env, "slots set cafe 1001 title=Anew");
    let path = journals(&env).remove(0);
    let run = path.file_stem().unwrap().to_str().unwrap().to_owned();

    owned_by(&path, r#"{"user": 999999}"#);
    assert!(rows(&env).is_empty());
    assert_eq!(env.run(&format!("undo {run} --yes")).exit, 6);
    assert_eq!(env.run("undo --yes").exit, 6);
    ok(&env, "log --prune --keep 0 -y");
    assert!(path.exists(), "it is another account's");

    owned_by(&path, "{}");
    assert_eq!(rows(&env).len(), 1);
    assert_eq!(env.run("undo --yes").exit, 6, "whose it is, is not known");
    ok(&env, &format!("undo {run} --yes"));
}

#[test]
fn old_writes_are_removed_on_request_and_open_ones_never() {
    let env = cafe();
    for title in ["A", "B", "C"] {
        ok(&env, &format!("slots set cafe 1001 title={title}"));
    }
    let cut = cut_short(&env, "slots set cafe 1001 title=D", "after_send:2");
    assert!(!cut.status.success());
    assert_eq!(rows(&env)[0]["state"], "unknown");
    let removed = |line: &str| -> CommandResult { ok(&env, line) };
    let typo = env.run("--account typo log --prune --keep 0 --yes");
    assert!(typo.exit == 4 && typo.stderr.contains("no such account: `typo`"), "{typo}");
    assert!(removed("log --prune").stdout.contains("nothing to remove, kept 4"));
    // As JSON, it is what its schema says.
    assert_eq!(removed("log --prune -o json").json()["data"]["kept"], 4);
    assert!(removed("log --prune --days 1").stdout.contains("nothing to remove, kept 4"));
    assert!(removed("log --prune --keep 1 --days 1").stdout.contains("nothing to remove"));
    assert!(
        removed("log --prune --keep 1 -y")
            .stdout
            .contains("removed 2 writes from the log, kept 2; removed writes cannot be undone")
    );
    assert!(
        removed("log --prune --keep 0 -y")
            .stdout
            .contains("removed 1 write from the log, kept 1; removed writes cannot be undone")
    );
    assert_eq!(rows(&env)[0]["state"], "unknown");
    assert_eq!(env.run("log --keep 1").exit, 2);
}

#[test]
fn a_page_is_found_in_the_log_under_its_id_and_its_logins() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=A");
    ok(&env, "slots set 101 1001 title=B");
    ok(&env, "slots set 102 1101 title=C");
    ok(&env, "profile rename cafe cafe.mole --yes --confirm cafe");
    for key in ["cafe", "101", "CAFE"] {
        let shown = ok(&env, &format!("log --page {key} -o json")).json();
        assert_eq!(shown["data"].as_array().unwrap().len(), 3, "{key}: {shown}");
    }
    let shown = ok(&env, "log --page 102 -o json").json();
    assert_eq!(shown["data"].as_array().unwrap().len(), 1, "{shown}");
}

#[test]
fn a_write_by_its_path_is_listed_and_cannot_be_undone() {
    let env = cafe();
    ok(&env, "api GET /me");
    assert!(rows(&env).is_empty());
    ok(&env, "api DELETE /profiles/cafe/slots/1002");
    let row = &rows(&env)[0];
    assert_eq!(
        (&row["command"], &row["state"]),
        (&"api DELETE /profiles/cafe/slots/1002".into(), &"done".into())
    );
    let refused = env.run(&format!("undo {} --yes", row["operation"].as_str().unwrap()));
    assert!(
        refused.exit == 14 && refused.stderr.contains("the previous values are unknown"),
        "{refused}"
    );
}

#[test]
fn a_page_that_links_apply_creates_stays_when_its_slots_are_undone() {
    let env = cafe();
    let before = env.server.account().profiles.len();
    env.file("new.yaml", "profile: spring.menu\nslots:\n  - {type: text, data: {title: New}}\n");
    let line = "apply new.yaml --yes --allow-create 1";
    ok(&env, line);
    assert_eq!(env.server.account().profiles.len(), before + 1);
    let rows = rows(&env);
    assert_eq!(rows.len(), 1, "{rows:?}");
    let operation = &rows[0];
    assert_eq!(
        (&operation["command"], &operation["wrote"], &operation["state"]),
        (&json!(line), &json!(["spring.menu"]), &json!("done"))
    );
    let created = operation["parts"][0]["summary"].as_str().unwrap();
    assert!(created.starts_with("created "), "{operation}");
    let undone = ok(&env, "undo --yes");
    assert!(undone.stderr.contains("pages can only be deleted in the dashboard"), "{undone}");
    let again = env.run("undo --yes");
    assert!(again.exit == 6, "{again}");
    let log = ok(&env, "log").stdout;
    assert!(log.contains("done, partly undone"), "{log}");
    assert!(env.server.account().profile("spring.menu").unwrap().slots.is_empty());

    for nth in 1.. {
        let env = cafe();
        env.file(
            "new.yaml",
            "profile: spring.menu\nslots:\n  - {type: text, data: {title: New}}\n",
        );
        let cut = cut_short(&env, line, &format!("any:{nth}"));
        if cut.status.success() {
            break;
        }
        let is_created = env.server.account().profiles.len() > before;
        let rows = ok(&env, "log -o json").json();
        let rows = rows["data"].as_array().unwrap();
        let state = rows.last().map_or("none", |row| row["parts"][0]["state"].as_str().unwrap());
        let is_true = match state {
            "none" | "not_begun" | "not_sent" => !is_created,
            "done" | "unfinished" => is_created,
            state => state == "unknown",
        };
        assert!(is_true, "any:{nth}: {state}, created: {is_created}");
        ok(&env, line);
        assert_eq!(env.server.account().profiles.len(), before + 1, "any:{nth}");
    }
}
