//! Tests of every exit code, by a run of the program that ends with it.

use std::process::{Command, Stdio};

use links_cli::Exit;
use links_fixtures::Fault;

use crate::test_env::{TestEnv, forgetful_service, picture, reported_exit};

/// Runs a command that should end with this code. A code without a line here does not compile.
fn ended(exit: Exit) -> i32 {
    let env = TestEnv::cafe();
    match exit {
        Exit::Ok => env.run("me").exit,
        Exit::Internal => unwritable(&env),
        Exit::Usage => env.run("nonsense").exit,
        Exit::No => env.run("profile check-login cafe").exit,
        Exit::NotAuthenticated => env.env("LINKS_TOKEN", "unknown").run("me").exit,
        Exit::Forbidden => {
            env.server.edit(|account| account.tokens[0].abilities = vec!["profile:read".into()]);
            env.run("slots set cafe 1001 title=Anew").exit
        }
        Exit::NotFound => env.run("profile get nobody.here").exit,
        Exit::Conflict => env.run("slots add cafe event title=New").exit,
        Exit::Invalid => env.run("slots set cafe 1001 colour=red").exit,
        Exit::RateLimited => {
            env.server.fail(1..9, &Fault::RateLimited(Some("600".into())));
            env.run("me --max-wait 1").exit
        }
        Exit::Network => env.env("LINKS_BASE_URL", "http://127.0.0.1:1/api/v1").run("me").exit,
        Exit::Server => {
            env.server.fail(1..99, &Fault::Before(500));
            env.env("LINKS_TEST_NO_WAIT", "1").run("me").exit
        }
        Exit::Partial => {
            env.file("good.gif", picture(1, 1));
            env.file("bad.gif", picture(2, 2));
            env.server.fail(2..99, &Fault::Before(500));
            env.env("LINKS_TEST_NO_WAIT", "1").run("files upload good.gif bad.gif").exit
        }
        Exit::Drift => forgetful(env),
        Exit::Refused => env.run("slots delete cafe 1002").exit,
        Exit::Interrupted => interrupted(&env),
    }
}

#[test]
fn a_panic_ends_with_the_code_of_an_internal_error_and_a_safe_message() {
    let run = TestEnv::cafe().env("LINKS_TEST_PANIC", "torn \u{1b}[2J\nexit 0").run("me");
    assert_eq!(run.exit, i32::from(Exit::Internal.code()));
    assert!(run.stderr.contains("a bug in links stopped the command"), "{run}");
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains("\nexit 0"), "{run}");
}

/// Runs a command whose output cannot be written.
fn unwritable(env: &TestEnv) -> i32 {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    env.command(["me"]).stdout(full).stderr(Stdio::null()).status().unwrap().code().unwrap()
}

/// Runs a command with a service that confirms a change, and shows the page as it was.
fn forgetful(env: TestEnv) -> i32 {
    let service = forgetful_service(&env);
    let url = format!("{}/api/v1", service.origin());
    let run = env.env("LINKS_BASE_URL", url).run("slots apply page.yaml");
    let lines: Vec<_> = service.received().into_iter().map(|it| it.line).collect();
    assert!(lines[2].starts_with("PATCH ") && lines[3].starts_with("GET "), "{lines:?}\n{run}");
    run.exit
}

/// Interrupts a command while its write waits for the rate limit.
fn interrupted(env: &TestEnv) -> i32 {
    env.server.fail(3..9, &Fault::RateLimited(Some("60".into())));
    env.file("page.yaml", "profile: cafe\nslots: [{type: divider}, {type: divider}]\n");
    let mut command = env.command(["slots", "apply", "page.yaml"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while env.server.requests().len() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    while child.try_wait().unwrap().is_none() {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    }
    reported_exit(child.wait().unwrap()).unwrap_or(-1)
}

#[test]
fn every_exit_code_is_reached_by_a_run() {
    for exit in Exit::ALL {
        assert_eq!(ended(*exit), i32::from(exit.code()), "{exit:?}");
    }
}
