//! Tests of the rate limits across processes: they belong to the token, so all processes of one token keep within them together.

use std::process::{Child, Stdio};
use std::time::Duration;

use links_fixtures::{Fault, Limits};
use links_sdk::{Clock, SystemClock};

use crate::test_env::TestEnv;

const PER_SECOND: u32 = 40;
/// Number of tries. A busy machine makes a run longer, never shorter.
const TRIES: usize = 3;

fn limited(requests_per_second: u32) -> TestEnv {
    let limits = Limits { requests_per_second, requests_per_minute: 10_000, ..Limits::default() };
    TestEnv::with(|builder| builder.limits(limits)).keeping_state()
}

/// Processes that run at once, and the number of requests that each makes.
#[derive(Clone, Copy)]
struct Load {
    processes: u32,
    requests: u32,
}

impl Load {
    fn requests_in_all(self) -> u32 {
        self.processes * self.requests
    }

    /// Returns the minimum time that the limits require for all requests together.
    fn forced(self) -> Duration {
        Duration::from_secs((self.requests_in_all() / PER_SECOND).into())
    }
}

/// Starts a command that checks this many logins, one request each, one after the other.
fn start(env: &TestEnv, process: u32, requests: u32) -> Child {
    let names = (0..requests).map(|n| format!("process.{process}.{n}"));
    let line = ["profile".to_owned(), "check-login".to_owned()].into_iter().chain(names);
    env.command(line).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// Runs all processes at once, after one that learns the limits for them. Returns the time until the last one has ended.
fn run(load: Load) -> Duration {
    let env = limited(PER_SECOND);
    let clock = SystemClock::new();
    let before = clock.monotonic();
    assert_eq!(env.run("me").exit, 0);
    let children: Vec<Child> =
        (0..load.processes).map(|process| start(&env, process, load.requests)).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let took = clock.monotonic().saturating_sub(before);
    let statuses: Vec<u16> = env.server.requests().iter().map(|it| it.status).collect();
    assert_eq!(statuses.len(), load.requests_in_all() as usize + 1);
    assert!(
        statuses.iter().all(|status| *status == 200),
        "a request was one too many: {statuses:?}"
    );
    took
}

#[test]
fn eight_processes_at_once_keep_within_the_limits() {
    let load = Load { processes: 8, requests: 15 };
    let (took, forced) = (run(load), load.forced());
    assert!(took >= forced, "the limits force {forced:?}: {took:?}");
}

#[test]
#[ignore = "needs a machine that does nothing else: see .ci/full"]
fn any_number_of_processes_at_once_uses_the_limits_in_full() {
    for processes in [1, 4, 16] {
        let load = Load { processes, requests: 300_u32.div_ceil(processes) };
        let (forced, allowed) = (load.forced(), load.forced().mul_f64(1.05));
        let mut runs = Vec::new();
        while runs.len() < TRIES && runs.last().is_none_or(|took| *took > allowed) {
            runs.push(run(load));
        }
        println!("{processes} processes: the limits force {forced:?}, the runs took {runs:?}");
        assert!(
            runs.last().is_some_and(|took| *took <= allowed),
            "more than {allowed:?}: {runs:?}"
        );
    }
}

#[test]
fn background_work_and_jobs_of_ci_leave_a_fifth_of_the_limits_to_people() {
    let line = "profile check-login one1 two2 three3 four4 five5 --max-wait 0";
    let exit = |line: &str, variables: &[(&'static str, &str)]| {
        let set = |env: TestEnv, (name, value): &(&'static str, &str)| env.env(name, *value);
        variables.iter().fold(limited(5), set).run(line).exit
    };
    assert_eq!(exit(line, &[]), 0);
    assert_eq!(exit(&format!("{line} --background"), &[]), 9);
    assert_eq!(exit(line, &[("LINKS_BACKGROUND", "1")]), 9);
    assert_eq!(exit(line, &[("CI", "true")]), 9);
    assert_eq!(exit(line, &[("CI", "true"), ("LINKS_BACKGROUND", "0")]), 0);
}

#[test]
fn a_429_is_waited_out_and_reported_and_holds_back_other_processes() {
    let env = limited(5);
    env.server.fail([1], &Fault::RateLimited(Some("2".to_owned())));
    let run = env.run("me");
    assert_eq!(
        (run.exit, run.stderr.as_str()),
        (0, "waiting 2 s: the service asked to wait\n"),
        "{run}"
    );
    assert_eq!(env.operations(), ["getMe", "getMe"]);

    env.server.fail([1], &Fault::RateLimited(Some("600".to_owned())));
    for requests in [1, 0] {
        let run = env.run("me --max-wait 30");
        assert_eq!(run.exit, 9, "{run}");
        assert!(run.stderr.contains("600 s") || requests == 0, "{run}");
        assert_eq!(env.operations().len(), requests, "the second process knows from the first");
    }
    let error = env.run("me --max-wait 30 -o json").error();
    assert!(
        error["retryAfter"].as_u64().is_some_and(|wait| (540..=600).contains(&wait)),
        "{error}"
    );
    let run = env.run("me --max-wait soon");
    assert_eq!(run.exit, 2, "{run}");
}
