//! A Redis server of a test, behind a socket in a directory of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A Redis server that keeps nothing on disk.
#[derive(Debug)]
pub struct RedisProcess {
    directory: TempDir,
    child: Option<Child>,
}

impl RedisProcess {
    /// Starts the server of Debian's package `redis-server`, and waits until it answers.
    pub fn start() -> Self {
        let mut process = Self { directory: tempfile::tempdir().unwrap(), child: None };
        process.restart();
        process
    }

    /// Ends the server at once, if it runs, and starts an empty one.
    pub fn restart(&mut self) {
        self.kill();
        let mut child = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
            .arg(self.socket())
            .current_dir(self.directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_ready = |line: String| line.to_lowercase().contains("ready to accept connections");
        assert!(lines.by_ref().map_while(Result::ok).any(is_ready), "the server did not start");
        // The server ends when it cannot write what it has to say.
        std::thread::spawn(move || lines.for_each(drop));
        self.child = Some(child);
    }

    /// Ends the server at once.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// URL of the server.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Runs a command in the server and returns what it prints.
    pub fn command(&self, words: &[&str]) -> String {
        let output =
            Command::new("redis-cli").arg("-s").arg(self.socket()).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("redis.sock")
    }
}

impl Drop for RedisProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
