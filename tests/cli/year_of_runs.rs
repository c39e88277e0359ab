//! Tests with the journals of a year of runs: `links log`, `links undo` and the commands that write find the right run, keep what is in doubt,
//! and stay fast.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use links_sdk::{Clock, SystemClock};
use serde_json::Value;

use crate::steps::{cut_short, ok};
use crate::test_env::TestEnv;
use crate::undo::{cafe, page, page_file};

const DAY: u64 = 24 * 60 * 60;
/// Pages with as many runs as are kept of each.
const PAGES: u64 = 60;
const KEPT: u64 = 50;

/// Returns the journal of the newest operation.
fn newest(env: &TestEnv) -> PathBuf {
    let rows = ok(env, "log -n 1 -o json").json();
    PathBuf::from(rows["data"][0]["parts"][0]["journal"].as_str().unwrap())
}

/// Writes a copy of a journal as that of another run, of another page and at another time.
fn copy(journal: &Path, (nth, time): (u64, u64), page: u64) {
    let text = fs::read_to_string(journal).unwrap();
    let (open, rest) = text.split_once('\n').unwrap();
    let mut open: Value = serde_json::from_str(open).unwrap();
    open["open"]["time"] = time.into();
    open["open"]["command"]["call"] = format!("call-{nth}").into();
    if page != 101 {
        open["open"]["profile"] = page.into();
        open["open"]["login"] = format!("page.{page}").into();
    }
    let name = format!("{:010x}-{nth:016x}.jsonl", (time << 8) + nth % 256);
    let directory = journal.parent().unwrap().with_file_name(page.to_string());
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(name), format!("{open}\n{rest}")).unwrap();
}

fn now() -> u64 {
    let now = SystemClock::new().wall().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// Returns the shortest of the times that a command takes.
fn time(env: &TestEnv, line: &str) -> Duration {
    let clock = SystemClock::new();
    let times = (0..5).map(|_| {
        let begin = clock.monotonic();
        ok(env, line);
        clock.monotonic().saturating_sub(begin)
    });
    times.min().unwrap()
}

#[test]
fn a_year_of_runs_is_listed_undone_and_written_to() {
    let env = cafe();
    page_file(&env);
    ok(&env, "slots apply page.yaml --yes");
    let lines = ["log -n 5 -o json", "slots list cafe", "slots set cafe 1001 title=Same"];
    let empty = lines.map(|line| time(&env, line));
    let template = newest_of_page(&env);
    let begin = now() - 365 * DAY;
    let runs = PAGES * KEPT;
    for nth in 0..runs {
        copy(&template, (nth, begin + nth * 364 * DAY / runs), 200 + nth % PAGES);
    }
    let full = lines.map(|line| time(&env, line));
    for (line, (empty, full)) in lines.iter().zip(empty.iter().zip(full)) {
        println!("{line}: {empty:?}, and {full:?} with {runs} runs");
    }
    // All journals are read for the list, and none for a write.
    assert!(full[0] < empty[0] * 400 && full[1] < empty[1] * 4 && full[2] < empty[2] * 4);

    let all = ok(&env, "log -o json").json();
    let all = all["data"].as_array().unwrap();
    assert!(all.len() > 3000);
    let names: Vec<&str> = all.iter().map(|row| row["operation"].as_str().unwrap()).collect();
    assert!(names.iter().rev().is_sorted(), "the newest first");
    let times: Vec<&str> = all.iter().map(|row| row["time"].as_str().unwrap()).collect();
    assert!(times.iter().rev().is_sorted());
    let some = names[names.len() / 2];
    let shown = ok(&env, &format!("log {} -o json", &some[..12])).json();
    assert_eq!(shown["data"][0]["operation"], some);
    let run = env.run(&format!("undo {} --yes", &names[0][..2]));
    assert!(run.exit == 2 && run.stderr.contains("operations; nothing was written"), "{run}");

    let before = page(&env);
    ok(&env, "slots set cafe 1001 title=Anew");
    ok(&env, "undo --yes");
    assert_eq!(page(&env), before);
    ok(&env, "redo --yes");
    assert_ne!(page(&env), before);
    let removed = ok(&env, "log --prune --keep 10 --days 100 -y").stdout;
    assert!(removed.starts_with("removed 2"), "{removed}");
    // 264 of 364 days are old.
    let left = ok(&env, "log -o json").json()["data"].as_array().unwrap().len();
    assert!((800..900).contains(&left), "{left}");
}

/// Returns the journal of the newest run of `slots apply`.
fn newest_of_page(env: &TestEnv) -> PathBuf {
    let rows = ok(env, "log -o json").json();
    let parts = rows["data"].as_array().unwrap().iter().map(|row| &row["parts"][0]);
    let mut journals = parts.map(|part| part["journal"].as_str().unwrap());
    PathBuf::from(journals.find(|path| path.contains("/runs/")).unwrap())
}

/// What a command did stays undone in the log for as long as the command is there, and what is in doubt stays.
#[test]
fn later_runs_displace_neither_an_undo_nor_what_is_in_doubt() {
    let env = cafe();
    page_file(&env);
    ok(&env, "slots apply page.yaml --yes");
    let template = newest(&env);
    cut_short(&env, "slots apply page.yaml --prune --yes --max-deletes 50", "after_send:2");
    ok(&env, "slots apply --abort page.yaml");
    let doubtful = rows(&env)[0].clone();
    assert_eq!(doubtful["parts"][0]["inDoubt"], true, "{doubtful}");
    ok(&env, "slots set cafe 1001 title=Anew");
    let set = rows(&env)[0]["operation"].as_str().unwrap().to_owned();
    ok(&env, "undo --yes");
    for nth in 0..60 {
        copy(&template, (nth, now() + 10 + nth), 101);
    }
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture, data: {title: New}}\n",
    );
    ok(&env, "slots apply page.yaml --yes");
    let rows = rows(&env);
    // Of the page, and the doubtful run, the command and its undo.
    assert_eq!(rows.len(), 53);
    let of = |operation: &Value| rows.iter().find(|row| row["operation"] == *operation).unwrap();
    assert_eq!(of(&set.into())["undone"], "whole");
    assert_eq!(of(&doubtful["operation"])["parts"][0]["inDoubt"], true);
}

fn rows(env: &TestEnv) -> Vec<Value> {
    ok(env, "log -o json").json()["data"].as_array().unwrap().clone()
}
