//! Runs of the binary with an environment of its own, a temporary home directory, and a contract server without limits.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fmt;
use std::future::Future;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
#[cfg(unix)]
use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, SystemTime};

use links_fixtures::{Clock, ContractServer, ContractServerBuilder, World};
use links_test_support::canned::Canned;
use serde_json::Value;
use tempfile::TempDir;

/// A service, a home directory, and the environment that names them.
pub(crate) struct TestEnv {
    pub(crate) server: ContractServer,
    pub(crate) home: TempDir,
    /// Directory for the temporary files of the runs.
    pub(crate) scratch: TempDir,
    env: Vec<(&'static str, String)>,
    /// State directory for each run, so that no run waits for the rate limits that the one before has used up.
    states: Option<TempDir>,
    runs: Cell<usize>,
}

/// A run that has ended; shown as one text, without what differs from run to run.
pub(crate) struct CommandResult {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: i32,
    line: String,
    shown: Vec<(String, &'static str)>,
}

/// Returns the exit code as shells report it: for a process that was ended by a signal, 128 and the number of the signal.
pub(crate) fn reported_exit(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    status.code().or(signal.map(|signal| 128 + signal))
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Writes `page.yaml` with a new title of a slot, and starts a service that confirms the change but shows the page as it was.
pub(crate) fn forgetful_service(env: &TestEnv) -> Canned {
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Anew}}\n",
    );
    let answer = |path: &str| (200, env.run(&format!("api GET {path}")).stdout);
    let page = answer("/profiles/cafe?include=slots");
    Canned::start([page, answer("/slot-types"), answer("/profiles/cafe/slots")])
}

/// Returns the beginning of a GIF of this size, which is all that is checked.
pub(crate) fn picture(width: u16, height: u16) -> Vec<u8> {
    let [wide, tall] = [width, height].map(u16::to_le_bytes);
    [
        b"GIF89a",
        &wide[..],
        &tall[..],
        b"\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
    ]
    .concat()
}

impl TestEnv {
    /// Returns the café, with a token that may do everything.
    pub(crate) fn cafe() -> Self {
        Self::with(|builder| builder)
    }

    /// Returns the café on the 9th of June 2026, for tests that depend on the day.
    pub(crate) fn in_june() -> Self {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_781_000_000);
        Self::with(|builder| builder.clock(Clock::manual(then)))
    }

    /// Returns the café on a server with other settings.
    pub(crate) fn with(
        settings: impl FnOnce(ContractServerBuilder) -> ContractServerBuilder,
    ) -> Self {
        Self::of(World::cafe(), settings)
    }

    /// Returns another world on a server with other settings.
    pub(crate) fn of(
        world: World,
        settings: impl FnOnce(ContractServerBuilder) -> ContractServerBuilder,
    ) -> Self {
        let server = wait(settings(ContractServer::builder(world).no_limits()).start()).unwrap();
        let env = vec![("LINKS_BASE_URL", server.base_url()), ("LINKS_TOKEN", server.token())];
        let directory = || tempfile::tempdir().unwrap();
        Self {
            server,
            home: directory(),
            scratch: directory(),
            env,
            states: Some(directory()),
            runs: Cell::new(0),
        }
    }

    /// Sets a variable, or removes it if the value is empty.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.retain(|(other, _)| *other != name);
        let value = value.into();
        if !value.is_empty() {
            self.env.push((name, value));
        }
        self
    }

    /// Keeps state that outlives a run, below the home directory.
    pub(crate) fn keeping_state(self) -> Self {
        Self { states: None, ..self }
    }

    /// Keeps a cache that outlives a run, below the home directory.
    pub(crate) fn keeping_cache(self) -> Self {
        let directory = self.home.path().join("cache").display().to_string();
        self.env("LINKS_CACHE_DIR", directory)
    }

    /// Creates a file in the home directory, which is also where the binary runs.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_links"));
        command.args(args).env_clear().current_dir(self.home.path()).env("HOME", self.home.path());
        command.env("TMPDIR", self.scratch.path());
        if let Some(states) = &self.states {
            self.runs.set(self.runs.get() + 1);
            let directory = states.path().join(self.runs.get().to_string());
            command.env("LINKS_STATE_DIR", directory.join("state"));
            command.env("LINKS_CACHE_DIR", directory.join("cache"));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command line, split at its spaces.
    pub(crate) fn run(&self, line: &str) -> CommandResult {
        self.run_args(line.split_whitespace(), b"")
    }

    pub(crate) fn run_args<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: &[u8],
    ) -> CommandResult {
        let mut command = self.command(args);
        let words: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
        let line = words.join(" ");
        let args: Vec<String> = words.iter().map(ToString::to_string).collect();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program may close the pipe without reading further.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        let is_own =
            |it: &&(&str, String)| it.0 != "LINKS_BASE_URL" || it.1 == self.server.base_url();
        if self.env.iter().all(|it| is_own(&it)) {
            let exit = output.status.code().unwrap_or(-1);
            crate::output_schemas::check(&args, exit, &output.stdout, &output.stderr);
        }
        CommandResult {
            line,
            ..CommandResult::new(self, output.status.code(), output.stdout, output.stderr)
        }
    }

    /// Begins a long run, holds the service in the middle of it during `work`, and lets it continue.
    #[cfg(unix)]
    pub(crate) fn held<T>(&self, begin: impl FnOnce(), work: impl FnOnce() -> T) -> T {
        let service = &self.server;
        let (release, gate) = channel::<()>();
        let (holding, held) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // Five requests go out at once, the sixth a second later.
                while service.requests().len() < 5 {
                    if gate.try_recv() == Err(TryRecvError::Disconnected) {
                        return;
                    }
                    std::thread::yield_now();
                }
                service.edit(|_| {
                    holding.send(()).unwrap();
                    let _ = gate.recv();
                });
            });
            begin();
            held.recv().unwrap();
            let done = work();
            drop(release);
            done
        })
    }

    /// Returns the operations that the service has answered since the last call.
    pub(crate) fn operations(&self) -> Vec<String> {
        let seen = self.server.requests();
        self.server.forget_requests();
        seen.iter().map(|it| it.operation.unwrap_or("?").to_owned()).collect()
    }
}

impl CommandResult {
    /// Returns the command line as the name of a snapshot: `slots_list_cafe`.
    pub(crate) fn snapshot_name(&self) -> String {
        let words = self.line.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        words.join("_").to_ascii_lowercase()
    }

    /// Returns the result of a process that was started in this environment.
    pub(crate) fn new(env: &TestEnv, exit: Option<i32>, stdout: Vec<u8>, stderr: Vec<u8>) -> Self {
        let address = env.server.base_url();
        let origin = address.strip_suffix("/api/v1").unwrap_or(&address).to_owned();
        let home = env.home.path().display().to_string();
        Self {
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
            exit: exit.unwrap_or(-1),
            line: String::new(),
            shown: vec![(origin, "[SERVICE]"), (home, "[HOME]")],
        }
    }

    /// Returns the JSON on stdout.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in\n{self}"))
    }

    /// Returns the JSON on stderr.
    pub(crate) fn error(&self) -> Value {
        serde_json::from_str(&self.stderr).unwrap_or_else(|error| panic!("{error} in\n{self}"))
    }

    /// Returns the JSON in the last line on stderr, after the messages for the user.
    pub(crate) fn error_at_end(&self) -> Value {
        let line = self.stderr.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in\n{self}"))
    }
}

impl fmt::Display for CommandResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, exit, stdout, stderr, .. } = self;
        let text = format!("$ links {line}\n{stdout}--- stderr\n{stderr}--- exit {exit}\n");
        f.write_str(&self.shown.iter().fold(text, |text, (from, to)| text.replace(from, to)))
    }
}
