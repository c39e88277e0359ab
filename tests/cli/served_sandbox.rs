//! Embedded service for other programs.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::test_env::{TestEnv, reported_exit};

/// `links sandbox serve` in a process of its own.
pub(crate) struct ServedSandbox {
    child: Child,
    /// The line that it prints.
    printed: Value,
}

impl ServedSandbox {
    pub(crate) fn start(env: &TestEnv, arguments: &[&str]) -> Self {
        let mut child = env
            .command(["sandbox", "serve"].iter().chain(arguments))
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, printed: serde_json::from_str(&line).unwrap() }
    }

    pub(crate) fn text(&self, key: &str) -> String {
        self.printed[key].as_str().unwrap().to_owned()
    }

    /// Returns an environment that uses the service as any other one, by its URL and token.
    pub(crate) fn user(&self) -> TestEnv {
        TestEnv::cafe()
            .env("LINKS_BASE_URL", self.text("baseUrl"))
            .env("LINKS_TOKEN", self.text("token"))
    }

    /// Stops it as Ctrl-C does, and returns its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let interrupt = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        reported_exit(self.child.wait().unwrap())
    }
}

/// It is not left running by a test that fails.
impl Drop for ServedSandbox {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
