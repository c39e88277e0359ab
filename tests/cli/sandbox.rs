//! Tests of the embedded service.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::test_env::{TestEnv, reported_exit};

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

/// `links sandbox serve` in a process of its own.
struct Service {
    child: Child,
    /// The line that it prints.
    printed: Value,
}

impl Service {
    fn start(env: &TestEnv) -> Self {
        let mut child = env
            .command(["sandbox", "serve", "--no-limits"])
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, printed: serde_json::from_str(&line).unwrap() }
    }

    fn text(&self, key: &str) -> String {
        self.printed[key].as_str().unwrap().to_owned()
    }

    /// Returns an environment that uses the service as any other one, by its URL and token.
    fn user(&self) -> TestEnv {
        TestEnv::cafe()
            .env("LINKS_BASE_URL", self.text("baseUrl"))
            .env("LINKS_TOKEN", self.text("token"))
    }

    /// Stops it as Ctrl-C does, and returns its exit code.
    fn stop(mut self) -> Option<i32> {
        let interrupt = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        reported_exit(self.child.wait().unwrap())
    }
}

/// It is not left running by a test that fails.
impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

#[test]
fn sandbox_serve_answers_other_programs_until_it_is_stopped() {
    let service = Service::start(&env());
    assert!(service.text("baseUrl").starts_with("http://127.0.0.1:"));
    assert!(!service.text("mcpUrl").is_empty());
    let listed = service.user().run("slots list cafe -o json").json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 14);
    assert_eq!(service.stop(), Some(130));
}

#[test]
fn a_printed_token_stays_valid_after_a_reset() {
    let env = env();
    let service = Service::start(&env);
    let user = service.user();
    assert_eq!(user.run("profile update cafe title=Changed").exit, 0);
    assert_eq!(env.run("sandbox reset").exit, 0);
    // This command, and not the service, is the first to notice that there is no state.
    assert_eq!(env.run("--sandbox me").exit, 0);
    let shown = user.run("profile get cafe -o json");
    assert_eq!(shown.exit, 0, "{shown}");
    assert_ne!(shown.json()["data"]["title"], "Changed");
    assert_eq!(service.stop(), Some(130));
}

/// Returns the token of the sandbox below this directory.
fn token(env: &TestEnv) -> String {
    let service = Service::start(env);
    let token = service.text("token");
    service.stop();
    token
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
    assert_eq!(env.run("--sandbox=limits me").exit, 0);
    let path = env.run("sandbox path").stdout.trim_end().to_owned();
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in [path.clone(), format!("{path}.rates"), format!("{path}.lock")] {
        assert_eq!(mode(&file), 0o600, "{file}");
    }
    assert_eq!(mode(path.strip_suffix("/sandbox.json").unwrap()), 0o700);
}
