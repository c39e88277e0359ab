//! Tests of `links slots rewrite` and `links slots import`: one plan over all pages, checked and confirmed before the first write, continued
//! after an interruption, undone by `links undo`.

use serde_json::json;

use crate::steps::{ok, places};
use crate::test_env::{CommandResult, TestEnv};
use crate::undo::cafe;

const UPCASE: &str = ".data.title |= ascii_upcase";
pub(crate) const APPEND: &str = ".data.title += \"!\"";

pub(crate) fn titles(env: &TestEnv, page: usize) -> Vec<String> {
    let account = env.server.account();
    let titles = account.profiles[page].slots.iter().filter_map(|slot| slot.data.get("title"));
    titles.map(|title| title.as_str().unwrap_or_default().to_owned()).collect()
}

pub(crate) fn rewrite(env: &TestEnv, more: &[&str]) -> CommandResult {
    env.run_args([&["slots", "rewrite"], more].concat(), b"")
}

#[test]
fn slots_of_several_pages_are_rewritten_after_one_plan() {
    let env = cafe();
    let before = [titles(&env, 0), titles(&env, 1)];
    let refused =
        rewrite(&env, &["cafe", "qara.weddings", "--where", ".data.title", "--edit", UPCASE]);
    assert_eq!(refused.exit, 14, "{refused}");
    assert!(refused.stderr.contains("pass --yes"), "{refused}");
    assert_eq!([titles(&env, 0), titles(&env, 1)], before);

    let run = rewrite(
        &env,
        &["--all", "--where", ".type == \"button\"", "--edit", UPCASE, "--yes", "-o", "json"],
    );
    assert_eq!(run.exit, 0, "{run}");
    let pages = run.json()["data"]["pages"].clone();
    assert_eq!(pages.as_array().unwrap().len(), env.server.account().profiles.len());
    let buttons = |env: &TestEnv| -> Vec<String> {
        let account = env.server.account();
        let slots = account.profiles.iter().flat_map(|page| page.slots.clone());
        let titles = slots
            .filter(|slot| slot.kind == "button")
            .filter_map(|slot| slot.data.get("title").cloned());
        titles.map(|title| title.as_str().unwrap().to_owned()).collect()
    };
    let changed = buttons(&env);
    assert!(
        !changed.is_empty() && changed.iter().all(|title| *title == title.to_ascii_uppercase()),
        "{changed:?}"
    );

    let again =
        rewrite(&env, &["--all", "--where", ".type == \"button\"", "--edit", UPCASE, "--yes"]);
    assert_eq!(again.exit, 0, "{again}");
    assert!(again.stdout.contains("no changes"), "{again}");
    let log = env.run("log -o json").json();
    let written =
        log["data"].as_array().unwrap().iter().filter(|run| {
            run["command"].as_str().is_some_and(|it| it.starts_with("slots rewrite"))
        });
    for run in written {
        ok(&env, &format!("undo {} --yes", run["operation"].as_str().unwrap()));
    }
    assert_eq!([titles(&env, 0), titles(&env, 1)], before);
}

#[test]
fn nothing_is_written_where_one_slot_of_one_page_cannot_be() {
    let env = cafe();
    let before = env.server.account().profiles.clone();
    for (edit, exit, expected) in [
        (".data.link |= 7", 8, "slot 10"),
        (".type = \"text\"", 8, "--edit must not change `type`"),
        (".data.titel = 1", 8, "titel"),
        ("error(\"no\")", 8, "no"),
        (".data |= (", 2, "--edit"),
        ("def f: f; f", 2, "nothing was written"),
    ] {
        let run = rewrite(
            &env,
            &["cafe", "qara.weddings", "--where", ".type == \"button\"", "--edit", edit, "--yes"],
        );
        assert_eq!(run.exit, exit, "{edit}: {run}");
        assert!(run.stderr.contains(expected), "{edit}: {run}");
        assert_eq!(env.server.account().profiles, before, "{edit}");
    }
}

#[test]
fn slots_that_cannot_be_edited_are_listed_and_skipped() {
    let env = cafe();
    let run = rewrite(
        &env,
        &[
            "cafe",
            "--edit",
            ".data.title = \"Same\"",
            "--where",
            ".data.title or .type == \"event\"",
            "--yes",
        ],
    );
    let account = env.server.account();
    let is_edited = |slot: &links_fixtures::Slot| slot.data.get("title") == Some(&json!("Same"));
    assert!(account.profiles[0].slots.iter().any(is_edited), "{run}");
    let legacy: Vec<_> = account.profiles[0].slots.iter().filter(|slot| !slot.supported).collect();
    for slot in legacy {
        assert!(!is_edited(slot), "{run}");
    }
}

/// Runs the same command until it ends, killed at the first place where it can be, then at the second, and so on. Returns the number of kills.
fn killed_everywhere(
    begin: impl Fn() -> TestEnv,
    words: &[&str],
    check: impl Fn(&TestEnv, &CommandResult, bool),
) -> usize {
    for nth in places() {
        let env = begin();
        let mut command = env.command(words);
        let ended = command.env("LINKS_TEST_CRASH", format!("any:{nth}")).output().unwrap();
        let log = env.run("log -o json").json();
        let has_ended = log["data"]
            .as_array()
            .is_some_and(|runs| runs.iter().any(|run| run["state"] == "done"));
        let run = env.run_args(words, b"");
        assert_eq!(run.exit, 0, "after a kill at {nth}: {run}");
        check(&env, &run, has_ended);
        if ended.status.code().is_some() {
            return nth - 1;
        }
    }
    0
}

#[test]
fn a_rewrite_that_is_killed_anywhere_is_continued_as_it_was_planned() {
    let words =
        ["slots", "rewrite", "cafe", "--where", ".type == \"button\"", "--edit", APPEND, "--yes"];
    let begin = || {
        let env = cafe();
        env.run("slots types");
        env
    };
    let before = titles(&begin(), 0);
    let kills = killed_everywhere(begin, &words, |env, run, has_ended| {
        for (after, before) in titles(env, 0).iter().zip(&before) {
            // A kill after the run has ended leaves nothing to continue, and the command rewrites once more.
            let times = after.len() - before.len();
            assert!(times <= if has_ended { 2 } else { 1 }, "{after}: {run}");
        }
    });
    assert!(kills > 5, "{kills}");
}

#[test]
fn dry_runs_write_nothing() {
    let env = cafe();
    let before = env.server.account().profiles.clone();
    for flag in ["--dry-run", "--dry-run=service", "--dry-run=request"] {
        let run =
            rewrite(&env, &["cafe", "--where", ".type == \"button\"", "--edit", UPCASE, flag]);
        assert_eq!(run.exit, 3, "{flag}: {run}");
        assert_eq!(env.server.account().profiles, before, "{flag}");
    }
}

pub(crate) fn csv(rows: usize) -> String {
    let row = |nth: usize| format!("Dish {nth},https://menu.example/{nth}\n");
    "name,url\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

pub(crate) const IMPORT: [&str; 9] = [
    "slots",
    "import",
    "qara.weddings",
    "menu.csv",
    "--type",
    "button",
    "--map",
    "title=name,link=url",
    "--yes",
];

#[test]
fn rows_become_slots_in_order_with_few_requests() {
    let env = cafe();
    env.file("menu.csv", csv(480));
    let there = env.server.account().profiles[1].slots.len();
    env.run("slots types");
    let sent = env.server.requests().len();
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 0, "{run}");
    let slots = env.server.account().profiles[1].slots.clone();
    assert_eq!(slots.len(), there + 480);
    assert_eq!(slots[there].data["title"], "Dish 0");
    assert_eq!(slots[there + 479].data["link"], "https://menu.example/479");
    assert_eq!(env.server.requests().len() - sent, 12, "{run}");

    env.file(
        "menu.csv",
        "name,url\nFirst,https://menu.example/first\nSecond,https://menu.example/second\n",
    );
    let run = env.run_args([&IMPORT[..], &["--top"]].concat(), b"");
    assert_eq!(run.exit, 0, "{run}");
    let slots = env.server.account().profiles[1].slots.clone();
    assert_eq!([&slots[0].data["title"], &slots[1].data["title"]], ["First", "Second"]);
}

#[test]
fn an_import_that_is_killed_anywhere_creates_each_row_once() {
    let begin = || {
        let env = cafe();
        env.file("menu.csv", csv(60));
        env.run("slots types");
        env
    };
    let there = begin().server.account().profiles[1].slots.len();
    let kills = killed_everywhere(begin, &IMPORT, |env, run, has_ended| {
        let slots = env.server.account().profiles[1].slots.clone();
        let titles =
            slots[there..].iter().map(|slot| slot.data["title"].as_str().unwrap().to_owned());
        let titles: Vec<String> = titles.collect();
        let expected: Vec<String> = (0..60).map(|nth| format!("Dish {nth}")).collect();
        // Killed after its end, the first run has created all rows, and the second creates them once more.
        let twice = [&expected[..], &expected].concat();
        assert_eq!(titles, if has_ended { twice } else { expected }, "{run}");
    });
    assert!(kills > 5, "{kills}");
}

#[test]
fn rows_that_the_service_would_refuse_are_shown_at_their_line() {
    let env = cafe();
    let before = env.server.account().profiles.clone();
    for (text, expected) in [
        ("name,url\nA,https://a.example\nB,not a url\n", "menu.csv:3"),
        ("name,url\nA\n", "menu.csv:2"),
        ("name,link\nA,https://a.example\n", "unknown column `url`"),
        ("name,url\n", "no rows"),
        ("", "unknown column"),
    ] {
        env.file("menu.csv", text);
        let run = env.run_args(IMPORT, b"");
        assert_eq!(run.exit, 8, "{text}: {run}");
        assert!(
            run.stderr.contains(expected) && run.stderr.contains("nothing was written"),
            "{text}: {run}"
        );
        assert_eq!(env.server.account().profiles, before);
    }
}

#[test]
fn a_plan_names_the_line_of_each_row() {
    let env = cafe();
    env.file(
        "menu.csv",
        "name,url\nA,https://a.example\n\"B\nb\",https://b.example\nC,https://c.example\n",
    );
    let dry = [&IMPORT[..8], &["--dry-run"]].concat();
    let run = env.run_args(&dry, b"");
    assert_eq!(run.exit, 3, "{run}");
    for line in ["+ button (menu.csv:2)", "+ button (menu.csv:3)", "+ button (menu.csv:5)"] {
        assert!(run.stdout.contains(line), "{line}\n{run}");
    }
    assert!(!run.stdout.contains("item"), "{run}");
    let mut words = dry.clone();
    words[3] = "-";
    let run = env.run_args(&words, b"name,url\nA,https://a.example\n");
    assert!(run.stdout.contains("+ button (standard input:2)"), "{run}");
    let run = env.run_args(&words, b"name,url\nA,not a url\n");
    assert!(run.exit == 8 && run.stderr.contains("standard input:2: link"), "{run}");
}

#[test]
fn large_plans_are_summarised_unless_they_are_asked_for_in_full() {
    let env = cafe();
    env.file("menu.csv", csv(60));
    let import = [&IMPORT[..8], &["--dry-run"]].concat();
    let shown = |words: &[&str], sign: &str| {
        let run = env.run_args(words, b"");
        assert_eq!(run.exit, 3, "{run}");
        let more =
            run.stdout.lines().find(|line| line.contains('…')).map(|line| line.trim().to_owned());
        (run.stdout.lines().filter(|line| line.trim().starts_with(sign)).count(), more)
    };
    let more = |what: &str| Some(format!("… and 50 more {what}; --full shows all"));
    assert_eq!(shown(&import, "+ button"), (10, more("new slots")));
    assert_eq!(shown(&[&import[..], &["--full"]].concat(), "+ button"), (60, None));
    assert_eq!(env.run_args(IMPORT, b"").exit, 0);
    let dishes = ".data.title // \"\" | startswith(\"Dish\")";
    let rewrite =
        ["slots", "rewrite", "qara.weddings", "--where", dishes, "--edit", APPEND, "--dry-run"];
    assert_eq!(shown(&rewrite, "~ button"), (10, more("changed slots")));
    assert_eq!(shown(&[&rewrite[..], &["--full"]].concat(), "~ button"), (60, None));
}
