//! Tests of Ctrl-C, the confirmation and other runs at the same time for `links slots rewrite` and `links slots import`.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use links_fixtures::Fault;
use rustix::process::{Pid, Signal, kill_process};

use crate::bulk::{APPEND, IMPORT, csv, titles};
use crate::steps::{ok, writes};
use crate::terminal;
use crate::test_env::{CommandResult, TestEnv, reported_exit, wait};
use crate::undo::cafe;

/// Rewrites the slots that the import creates.
const REWRITE: [&str; 8] = [
    "slots",
    "rewrite",
    "qara.weddings",
    "--where",
    ".data.title // \"\" | startswith(\"Dish\")",
    "--edit",
    APPEND,
    "--yes",
];

/// Returns an environment that has read the slot types, and a file of 120 rows.
fn begun() -> TestEnv {
    let env = cafe();
    env.file("menu.csv", csv(120));
    ok(&env, "slots types");
    env
}

fn started(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts a command line. Returns when the service holds the request with this number, which it executes once it is released.
fn held(env: &TestEnv, words: &[&str], request: usize) -> Child {
    env.server.fail([request], &Fault::StallBefore);
    let child = started(env.command(words));
    wait(env.server.until_stalled(1));
    child
}

fn ended(env: &TestEnv, child: Child) -> CommandResult {
    let output = child.wait_with_output().unwrap();
    CommandResult::new(env, reported_exit(output.status), output.stdout, output.stderr)
}

/// Sends Ctrl-C to a process that was started by [`held`]. It must end by the signal, and only after the service has answered the request.
fn stopped(env: &TestEnv, child: Child) -> CommandResult {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    env.server.release();
    let output = child.wait_with_output().unwrap();
    let signal = output.status.signal();
    let stopped =
        CommandResult::new(env, reported_exit(output.status), output.stdout, output.stderr);
    assert_eq!(signal, Some(2), "{stopped}");
    stopped
}

/// Returns how often each title of a dish is on the page.
fn dishes(env: &TestEnv) -> BTreeMap<String, usize> {
    let mut dishes = BTreeMap::new();
    for title in titles(env, 1).into_iter().filter(|title| title.starts_with("Dish")) {
        *dishes.entry(title).or_default() += 1;
    }
    dishes
}

fn all_dishes(mark: &str, times: usize) -> BTreeMap<String, usize> {
    (0..120).map(|nth| (format!("Dish {nth}{mark}"), times)).collect()
}

#[test]
fn ctrl_c_in_an_import_tells_what_was_written_and_the_same_command_creates_the_rest() {
    for request in [2, 3] {
        let env = begun();
        let child = held(&env, &IMPORT, request);
        let stopped = stopped(&env, child);
        let count = dishes(&env).values().sum::<usize>();
        let line = format!("qara.weddings: {count} created (not finished)\n");
        assert!(
            stopped.stdout == line && (50 * (request - 1)..=120).contains(&count),
            "{count}: {stopped}"
        );
        let said = format!("stopped by Ctrl-C: qara.weddings: {count} created");
        assert!(stopped.stderr.contains(&said), "{said}: {stopped}");
        assert!(stopped.stderr.contains("run the same command again"), "{stopped}");
        let run = env.run_args(IMPORT, b"");
        assert_eq!((run.exit, dishes(&env)), (0, all_dishes("", 1)), "{run}");
    }
}

#[test]
fn ctrl_c_in_a_rewrite_tells_what_was_written_and_the_same_command_changes_the_rest() {
    for request in [2, 3] {
        let env = begun();
        let run = env.run_args(IMPORT, b"");
        assert_eq!(run.exit, 0, "{run}");
        let child = held(&env, &REWRITE, request);
        let stopped = stopped(&env, child);
        let count = dishes(&env).keys().filter(|title| title.ends_with('!')).count();
        let said = format!("stopped by Ctrl-C: qara.weddings: {count} updated");
        assert!(count >= 50 * (request - 1), "{count}: {stopped}");
        assert!(stopped.stderr.contains(&said), "{said}: {stopped}");
        let run = env.run_args(REWRITE, b"");
        assert_eq!((run.exit, dishes(&env)), (0, all_dishes("!", 1)), "{run}");
    }
}

#[test]
fn ctrl_c_before_the_first_write_of_a_bulk_run_writes_nothing() {
    for words in [&IMPORT[..], &REWRITE] {
        let env = begun();
        let before = env.server.account().profiles;
        let child = held(&env, words, 1);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let stopped = ended(&env, child);
        env.server.release();
        assert_eq!(stopped.exit, 130, "{stopped}");
        assert!(stopped.stderr.contains("stopped by Ctrl-C"), "{stopped}");
        assert!(!stopped.stderr.contains("created") && !stopped.stderr.contains("kept"));
        assert_eq!(env.server.account().profiles, before);
        assert_eq!(env.run("log -o json").json()["data"], serde_json::json!([]));
    }
}

#[test]
fn a_bulk_run_on_a_page_that_another_writes_to_is_refused() {
    let env = begun();
    let first = held(&env, &IMPORT, 2);
    for words in [&IMPORT[..], &REWRITE] {
        let run = env.run_args(words, b"");
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains("another run is in progress on this page"), "{run}");
    }
    assert_eq!(dishes(&env), BTreeMap::new());
    env.server.release();
    let first = ended(&env, first);
    assert_eq!((first.exit, dishes(&env)), (0, all_dishes("", 1)), "{first}");
}

#[test]
fn a_bulk_run_that_waits_for_another_plans_for_the_page_after_it() {
    let env = begun();
    let after = |words: &[&str], first: Child| {
        let sent = env.server.requests().len();
        let second = started(env.command([words, &["--wait"]].concat()));
        while env.server.requests().len() == sent {
            std::thread::yield_now();
        }
        env.server.release();
        [ended(&env, first), ended(&env, second)]
    };
    let [first, second] = after(&IMPORT, held(&env, &IMPORT, 2));
    assert_eq!([first.exit, second.exit], [0, 0], "{first}{second}");
    assert_eq!(dishes(&env), all_dishes("", 2), "{first}{second}");
    let [first, second] = after(&REWRITE, held(&env, &REWRITE, 2));
    assert_eq!([first.exit, second.exit], [0, 0], "{first}{second}");
    assert_eq!(dishes(&env), all_dishes("!!", 2), "{first}{second}");
}

/// Runs a command line to its end on another computer.
fn elsewhere(env: &TestEnv, words: &[&str]) -> CommandResult {
    let directory = tempfile::tempdir().unwrap();
    let mut command = env.command(words);
    command.env("LINKS_STATE_DIR", directory.path().join("state"));
    ended(env, started(command))
}

#[test]
fn bulk_runs_of_two_computers_on_one_page_lose_nothing_of_each_other() {
    let env = begun();
    let first = held(&env, &IMPORT, 2);
    let second = elsewhere(&env, &IMPORT);
    assert_eq!(second.exit, 0, "{second}");
    env.server.release();
    let first = ended(&env, first);
    assert_eq!((first.exit, dishes(&env)), (13, all_dishes("", 2)), "{first}");

    let first = held(&env, &REWRITE, 3);
    let links = [&REWRITE[..6], &[".data.link += \"?from=page\"", "--yes"]].concat();
    let second = elsewhere(&env, &links);
    assert_eq!(second.exit, 0, "{second}");
    env.server.release();
    let first = ended(&env, first);
    // It ends with what the other has changed, and the same command goes on where the run has not ended.
    assert_eq!(first.exit, 13, "{first}");
    assert_eq!(dishes(&env), all_dishes("!", 2), "{first}");
    let account = env.server.account();
    let links = account.profiles[1].slots.iter().filter_map(|slot| slot.data.get("link"));
    let changed = links.filter(|it| it.as_str().is_some_and(|it| it.ends_with("?from=page")));
    assert_eq!(changed.count(), 240, "{first}");
}

#[test]
fn a_bulk_run_asks_on_a_terminal_and_writes_nothing_unless_the_answer_is_yes() {
    let import = IMPORT[..8].join(" ");
    let rewrite = "slots rewrite cafe --where .id==1002 --edit .data.title+=\"!\"";
    for line in [import.as_str(), rewrite] {
        let env = begun();
        let before = env.server.account().profiles;
        for (typed, exit, said) in [
            ("n\n", 14, "not confirmed; nothing was written"),
            ("\n", 14, "not confirmed; nothing was written"),
            ("\x04", 14, "not confirmed; nothing was written"),
            ("\x03", 130, "stopped by Ctrl-C"),
        ] {
            env.operations();
            let seen = terminal::answer(&env, line, "[y/N]", typed);
            assert!(seen.text.contains("Apply these changes?"), "{typed:?}\n{}", seen.text);
            assert_eq!(seen.exit, exit, "{typed:?}\n{}", seen.text);
            assert!(seen.text.contains(said), "{typed:?}\n{}", seen.text);
            assert_eq!(writes(&env), [""; 0], "{typed:?}\n{}", seen.text);
            assert_eq!(env.server.account().profiles, before, "{typed:?}\n{}", seen.text);
        }
        let seen = terminal::answer(&env, line, "[y/N]", "y\n");
        assert_eq!(seen.exit, 0, "{}", seen.text);
        let done = if line == rewrite { "1 updated" } else { "120 created" };
        assert!(seen.text.contains(done), "{}", seen.text);
        assert_ne!(env.server.account().profiles, before);
    }
}
