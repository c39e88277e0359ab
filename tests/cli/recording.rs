//! Tests of recordings (`LINKS_RECORD`): what they contain, a server that repeats them, and their comparison with the contract server.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use links_fixtures::{ContractServer, World};
use links_test_support::recording::{RecordedCall, differences, read, replay, seed};
use serde_json::Value;

use crate::test_env::{TestEnv, wait};

/// Records commands that read and write, and returns the lines.
fn recorded(env: &TestEnv) -> String {
    let path = env.home.path().join("requests.jsonl");
    env.file("cafe.yaml", "profile: cafe\ntitle: Recorded\n");
    for line in [
        "slots list cafe",
        "apply cafe.yaml --yes",
        "slots add cafe text title=New",
        "profile update cafe title=Again",
        "forms list",
        "slots list nobody",
    ] {
        let mut command = env.command(line.split(' '));
        let output = command.env("LINKS_RECORD", &path).output().unwrap();
        let is_expected = output.status.success() || line.ends_with("nobody");
        assert!(is_expected, "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    fs::read_to_string(path).unwrap()
}

fn fresh() -> ContractServer {
    wait(ContractServer::builder(World::cafe()).no_limits().start()).unwrap()
}

#[test]
fn a_recording_has_each_request_and_response_and_no_token() {
    let env = TestEnv::cafe();
    let text = recorded(&env);
    assert!(!text.contains(&env.server.token()), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), env.server.requests().len());
    let add = lines.iter().find(|line| line["operation"] == "createSlot").unwrap();
    assert_eq!(add["request"]["body"]["data"]["title"], "New", "{add}");
    assert!(add["request"]["headers"]["idempotency-key"].is_string(), "{add}");
    assert!(add["request"]["headers"]["authorization"].is_null(), "{add}");
    assert_eq!(
        (&add["status"], &add["response"]["body"]["data"]["type"]),
        (&201.into(), &"text".into())
    );
    assert!(lines.iter().any(|line| line["status"] == 404), "{text}");
}

#[test]
fn a_token_in_a_url_is_not_recorded() {
    let env = TestEnv::cafe();
    let path = env.home.path().join("requests.jsonl");
    let target = format!("me?x={}", env.server.token());
    let mut command = env.command(["api", "GET", &target]);
    command.env("LINKS_RECORD", &path).output().unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("me?x=***") && !text.contains(&env.server.token()), "{text}");
}

#[test]
fn a_command_gets_the_same_answers_from_a_recording() {
    let env = TestEnv::cafe();
    let first = env.run("slots list cafe -o json");
    let text = recorded(&env);
    let server = replay(read(&text));
    let env = env.env("LINKS_BASE_URL", format!("{}/api/v1", server.origin()));
    let again = env.run("slots list cafe -o json");
    assert_eq!((again.exit, &again.stdout), (0, &first.stdout), "{again}");
    let run = env.run("slots list nobody");
    assert_eq!(run.exit, 6, "{run}");
    let run = env.run("slots list elsewhere");
    assert!(run.exit != 0 && run.stderr.contains("501"), "{run}");
}

#[test]
fn a_recording_of_the_contract_server_does_not_differ_from_it_and_another_one_does() {
    let text = recorded(&TestEnv::cafe());
    let found = differences(&read(&text), &fresh());
    assert!(found.is_empty(), "{found:#?}");
    let changed =
        text.replace("\"clicksCount\"", "\"clicks\"").replace("\"status\":201", "\"status\":200");
    assert_ne!(changed, text);
    let found = differences(&read(&changed), &fresh());
    let has = |part: &str| found.iter().any(|it| it.contains(part));
    assert!(has("status 200, here 201 Created"), "{found:#?}");
    assert!(found.iter().all(|it| it.starts_with("line ")), "{found:#?}");
}

/// Compares a recording of another service: `tests/recorded/run FILE`.
#[test]
#[ignore = "needs a recording"]
fn the_recording_of_another_service() {
    let path = std::env::var("LINKS_RECORDING").expect("LINKS_RECORDING names a recording");
    let exchanges: Vec<RecordedCall> = read(&fs::read_to_string(path).unwrap());
    let server = fresh();
    server.edit(|account| seed(&exchanges, account));
    let found = differences(&exchanges, &server);
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_recording_that_cannot_be_written_stops_the_command_before_it_sends_anything() {
    let env = TestEnv::cafe().env("LINKS_RECORD", "/nowhere/requests.jsonl");
    let run = env.run("slots list cafe");
    assert!(run.exit == 2 && run.stderr.contains("cannot write LINKS_RECORD"), "{run}");
    assert!(env.server.requests().is_empty());
}
