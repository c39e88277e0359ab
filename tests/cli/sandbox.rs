//! Tests of the embedded service.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::test_env::TestEnv;

/// Returns an environment without any service except the sandbox.
fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "").keeping_state()
}

#[test]
fn the_state_of_the_sandbox_is_kept_between_commands() {
    let env = env();
    assert_eq!(env.run("--sandbox forms create title=Contact fields:=[]").exit, 8);
    let run = env.run_args(
        [
            "forms",
            "create",
            "title=Contact",
            r#"fields:=[{"type":"text","label":"Name","required":true}]"#,
            "--sandbox",
        ],
        b"",
    );
    assert_eq!(run.exit, 0, "{run}");
    let forms = |env: &TestEnv| {
        env.run("forms list -o json --sandbox").json()["data"].as_array().unwrap().len()
    };
    assert_eq!(forms(&env), 2);
    assert_eq!(env.run("sandbox reset").exit, 0);
    assert_eq!(forms(&env), 1);
}

#[test]
fn sandbox_path_is_where_the_state_is() {
    let env = env();
    let path = env.run("sandbox path").stdout.trim_end().to_owned();
    assert!(path.starts_with(&env.home.path().display().to_string()), "{path}");
    assert_eq!(env.run("--sandbox me").exit, 0);
    assert!(std::path::Path::new(&path).is_file(), "{path}");

    let other = env.home.path().join("elsewhere");
    let env = env.env("LINKS_STATE_DIR", other.display().to_string()).env("LINKS_SANDBOX", "1");
    assert_eq!(env.run("me").exit, 0);
    assert!(other.join("sandbox.json").is_file());
}

#[test]
fn the_token_of_the_environment_is_not_sent_to_the_sandbox() {
    // With any token but its own the sandbox would answer 401.
    let env =
        env().env("LINKS_TOKEN", "canary").env("LINKS_BASE_URL", "https://links.example/api/v1");
    assert_eq!(env.run("--sandbox me").exit, 0);
    assert_eq!(env.env("LINKS_SANDBOX", "yes").run("me").exit, 0);
}

#[test]
fn sandbox_serve_answers_other_programs_until_it_is_stopped() {
    let env = env();
    let mut child = env
        .command(["sandbox", "serve", "--no-limits"])
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let text = |key: &str| said[key].as_str().unwrap().to_owned();
    assert!(text("baseUrl").starts_with("http://127.0.0.1:") && !text("mcpUrl").is_empty());

    let user =
        TestEnv::cafe().env("LINKS_BASE_URL", text("baseUrl")).env("LINKS_TOKEN", text("token"));
    assert_eq!(user.run("slots list cafe -o json").json()["data"].as_array().unwrap().len(), 14);

    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Returns the token of the sandbox below this directory.
fn token(env: &TestEnv) -> String {
    let mut child = env
        .command(["sandbox", "serve"])
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    child.wait().unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    said["token"].as_str().unwrap().to_owned()
}

#[test]
fn found_39_each_sandbox_has_a_token_of_its_own_until_it_is_reset() {
    let (one, other) = (env(), env());
    let first = token(&one);
    assert!(first.len() > 60, "{first}");
    assert_ne!(first, token(&other));
    assert_eq!(one.run("--sandbox me").exit, 0);
    assert_eq!(first, token(&one));
    assert_eq!(one.run("sandbox reset").exit, 0);
    assert_ne!(first, token(&one));
}

#[cfg(unix)]
#[test]
fn found_39_only_the_owner_can_read_the_state_of_the_sandbox() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    assert_eq!(env.run("--sandbox me").exit, 0);
    let path = env.run("sandbox path").stdout.trim_end().to_owned();
    for file in [path.clone(), format!("{path}.rates")] {
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
