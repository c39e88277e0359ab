//! Tests of machines that share the rate limits of a token through a Redis server. Those that need a server are run by `tests/fleet/run`.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use links_fixtures::Limits;
use links_sdk::{Clock, SystemClock};
use links_test_support::redis::RedisProcess;
use tempfile::TempDir;

use crate::test_env::{CommandResult, TestEnv, wait};

const PROCESSES: u32 = 16;
const REQUESTS: u32 = 300;
const PER_MINUTE: u32 = 60;
const PER_SECOND: u32 = 5;

/// Limits of the interface.
fn limited() -> TestEnv {
    TestEnv::with(|builder| builder.limits(Limits::default()))
}

/// Returns the library of Debian's package `faketime`, as its program names it.
fn faketime() -> OsString {
    let output = Command::new("faketime").args(["-f", "+0h", "printenv", "LD_PRELOAD"]).output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().into()
}

/// Starts a command on a machine of its own: with an empty home directory, and a clock that is this many hours off.
fn start(env: &TestEnv, redis: &RedisProcess, home: &TempDir, process: u32) -> Child {
    let requests = REQUESTS / PROCESSES + u32::from(process < REQUESTS % PROCESSES);
    let names = (0..requests).map(|n| format!("process.{process}.{n}"));
    let line = ["profile", "check-login", "--timeout", "900"].map(str::to_owned);
    let mut command = env.command(line.into_iter().chain(names));
    command.env("LD_PRELOAD", faketime()).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.env("FAKETIME", format!("{:+}h", i64::from(process % 3) - 1));
    command.current_dir(home.path()).env("HOME", home.path()).env("TMPDIR", home.path());
    for directory in ["LINKS_STATE_DIR", "LINKS_CACHE_DIR", "LINKS_CONFIG_DIR"] {
        command.env(directory, home.path().join(directory));
    }
    command.env("LINKS_PACER", redis.url());
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// Processes that are ended with the test.
struct Machines(Vec<Child>);

impl Drop for Machines {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended.
            let _ = child.kill();
        }
    }
}

#[test]
#[ignore = "needs a Redis server and five minutes: see tests/fleet/run"]
fn sixteen_machines_use_the_limits_in_full_while_their_server_is_restarted() {
    let env = limited();
    let mut redis = RedisProcess::start();
    let clock = SystemClock::new();
    let before = clock.monotonic();
    let homes: Vec<TempDir> = (0..PROCESSES).map(|_| tempfile::tempdir().unwrap()).collect();
    let processes = homes.iter().zip(0..);
    let mut machines =
        Machines(processes.map(|(home, process)| start(&env, &redis, home, process)).collect());
    // In the middle of a burst, and while all wait for the next minute.
    for requests in [REQUESTS / 3, REQUESTS / 2] {
        while env.server.requests().len() < requests as usize {
            wait(async { clock.sleep(Duration::from_millis(20)).await });
        }
        redis.restart();
    }
    for child in &mut machines.0 {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let took = clock.monotonic().saturating_sub(before);
    let statuses: Vec<u16> = env.server.requests().iter().map(|it| it.status).collect();
    assert_eq!(statuses.len(), REQUESTS as usize);
    assert!(statuses.iter().all(|status| *status == 200), "one was too many: {statuses:?}");
    let (last, in_minute) = ((REQUESTS - 1) / PER_MINUTE, (REQUESTS - 1) % PER_MINUTE);
    let forced = Duration::from_secs((last * 60 + in_minute / PER_SECOND).into());
    println!("{PROCESSES} machines: the limits force {forced:?}, the run took {took:?}");
    assert!(took <= forced.mul_f64(1.05), "more than 1.05 of {forced:?}: {took:?}");
}

/// A command line with a server that nobody runs.
fn without_server(unreachable: &str, line: &str) -> (TestEnv, CommandResult) {
    let env = TestEnv::cafe()
        .env("LINKS_PACER", "redis://:canary@127.0.0.1:1")
        .env("LINKS_PACER_UNREACHABLE", unreachable)
        .env("LINKS_TEST_NO_WAIT", "1");
    let run = env.run(line);
    assert!(!run.to_string().contains("canary"), "{run}");
    (env, run)
}

#[test]
fn without_its_server_a_command_waits_fails_or_uses_its_share() {
    let (env, run) = without_server("", "me");
    assert_eq!((run.exit, env.server.requests().len()), (10, 0), "{run}");
    assert!(run.stderr.starts_with("cannot reach the LINKS_PACER server; waiting for it"), "{run}");
    let (env, run) = without_server("fail", "me");
    assert_eq!((run.exit, env.server.requests().len()), (10, 0), "{run}");
    assert!(
        run.stderr.contains("cannot use redis://127.0.0.1:1 to share the rate limits: "),
        "{run}"
    );
    let (env, run) = without_server("share:4", "me");
    assert_eq!((run.exit, env.server.requests().len()), (0, 1), "{run}");
    let expected =
        "rate limits are not shared with other processes: cannot use redis://127.0.0.1:1";
    assert!(run.stderr.starts_with(expected) && run.stderr.lines().count() == 1, "{run}");
}

#[test]
fn doctor_checks_the_server_that_shares_the_limits() {
    let (_env, run) = without_server("share:4", "doctor");
    assert_eq!(run.exit, 10, "{run}");
    assert!(run.stdout.contains("shared rate limits: cannot use redis://127.0.0.1:1"), "{run}");
}

#[test]
fn a_wrong_setting_of_the_server_is_a_usage_error_without_the_password() {
    for (url, unreachable, expected) in [
        ("http://:canary@h", "", "LINKS_PACER is not a Redis URL: "),
        (
            "redis://:canary@h",
            "maybe",
            "LINKS_PACER_UNREACHABLE must be wait, fail or share:N, not `maybe`",
        ),
    ] {
        let env = TestEnv::cafe().env("LINKS_PACER", url);
        let run = env.env("LINKS_PACER_UNREACHABLE", unreachable).run("me");
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains(expected) && !run.stderr.contains("canary"), "{run}");
    }
}

#[test]
#[ignore = "needs a Redis server: see tests/fleet/run"]
fn a_run_takes_the_lock_of_its_page_in_the_server_and_gives_it_up() {
    let redis = RedisProcess::start();
    let env = TestEnv::cafe().env("LINKS_PACER", redis.url());
    let file = |title: &str| {
        let text = format!("slots: [{{type: text, data: {{title: {title}}}}}]");
        env.file("page.yaml", format!("profile: cafe\n{text}\n"));
    };
    for title in ["One", "Two"] {
        file(title);
        let run = env.run("slots apply page.yaml --yes");
        assert_eq!(run.exit, 0, "{run}");
    }
    let keys = redis.command(&["KEYS", "links:lock:*"]);
    let key = keys.lines().next().unwrap();
    assert_eq!(keys.lines().count(), 1, "{keys}");
    file("Three");
    let far = "9000000000000000";
    redis.command(&["HSET", key, "until", far]);
    env.operations();
    let run = env.run("slots apply page.yaml --yes");
    assert_eq!(run.exit, 14, "{run}");
    assert!(
        run.stderr.contains("another run is in progress on this page, on another machine"),
        "{run}"
    );
    assert!(env.operations().iter().all(|it| it.starts_with("get") || it.starts_with("list")));
    redis.command(&["HSET", key, "until", "0"]);
    let run = env.run("slots apply page.yaml --yes");
    assert_eq!(run.exit, 0, "{run}");
}
