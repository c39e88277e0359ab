//! One execution of the program.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use links_fixtures::{Account, Choices, ContractServer, World};
use links_test_support::clock::shared_clock;

use crate::command_line::CommandLine;
use crate::history::Kill;
use crate::invariants::last_object;
use crate::machine::Machine;
use crate::proxy::{Observed, Proxy, kill};
use crate::simulated;

/// Time limit of a command, longer than any command takes, even on a busy machine.
const MOST: Duration = Duration::from_secs(120);

/// Variable that distinguishes the processes of one command from all others.
const MARK: &str = "LINKS_CAMPAIGN_RUN";

/// Origin of a service that only this process reaches.
const ORIGIN: &str = "http://127.0.0.1:9";

/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED: i32 = 130;

static RUNS: AtomicU64 = AtomicU64::new(0);

/// Kills every process with this mark in its environment. Returns whether there was one.
fn end_all(mark: &str) -> bool {
    let is_marked = |process: &u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let marked: Vec<u32> = processes.filter(is_marked).collect();
    for process in &marked {
        kill(*process);
    }
    !marked.is_empty()
}

/// The build of the program under test.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// Set for a debug build, which does not wait.
    pub(crate) is_debug_build: bool,
    /// Set if the commands run in this process.
    pub(crate) is_simulated: bool,
    /// Set if every command is shown with what it did.
    pub(crate) is_shown: bool,
    /// Rules that are not checked.
    pub(crate) ignored: Vec<String>,
}

/// Returns the variables of the program for a machine.
pub(crate) fn variables(machine: &Machine, origin: &str) -> impl Iterator<Item = (String, String)> {
    let directories = [("STATE", "state"), ("CACHE", "cache"), ("CONFIG", "config")];
    let directory = |(variable, name): (&str, &str)| {
        (format!("LINKS_{variable}_DIR"), machine.directory.join(name).display().to_string())
    };
    let token = ("LINKS_TOKEN".to_owned(), machine.token.clone());
    let url = ("LINKS_BASE_URL".to_owned(), format!("{origin}/api/v1"));
    directories.map(directory).into_iter().chain([token, url])
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; `None` if the process was killed.
    pub(crate) exit: Option<i32>,
    /// Set if the process was killed on purpose.
    pub(crate) killed: bool,
    /// Set if Ctrl-C was sent to the process.
    pub(crate) interrupted: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Program {
    /// Runs a command line to its end, or until it is killed.
    pub(crate) fn run<W: Observed>(
        &self,
        line: &CommandLine,
        machine: &Machine,
        proxy: &Proxy<W>,
        ending: Option<&Kill>,
    ) -> Ended {
        if let Some(clock) = &proxy.clock {
            return simulated::run(line, machine, (proxy, clock), ending);
        }
        if !self.is_debug_build {
            machine.forget_rates(None);
        }
        // Two commands on one machine write to files of their own.
        let output = tempfile::tempdir_in(&machine.directory).unwrap();
        let create = |name: &str| File::create(output.path().join(name)).unwrap();
        let mut command = self.command(line, machine, &proxy.origin);
        let mark =
            format!("{MARK}={}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark[MARK.len() + 1..]);
        if let Some(Kill::Place(place)) = ending {
            command.env("LINKS_TEST_CRASH", place);
        }
        command.stdout(create("out")).stderr(create("err")).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        proxy.victim(child.id());
        let (started, mut pause, mut shot) = (Instant::now(), Duration::from_micros(500), false);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if matches!(ending, Some(Kill::Micros(micros)) if started.elapsed() >= Duration::from_micros(*micros))
            {
                kill(child.id());
                shot = true;
            } else if started.elapsed() > MOST {
                kill(child.id());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(4));
        };
        // A command in an editor runs below the program that gives it a terminal, and outlives it for a moment when that is killed.
        while line.editing.is_some() && end_all(&mark) {
            thread::sleep(Duration::from_millis(1));
        }
        let read = |name: &str| {
            let bytes = fs::read(output.path().join(name)).unwrap();
            String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
        };
        let (out, mut err) = (read("out"), read("err"));
        if line.editing.is_some() {
            // A terminal shows both.
            err.push_str(&out);
        }
        let interrupted = proxy.interrupted();
        // A shell tells a signal as a code of its own. A command that was completed meanwhile ends by the signal, too.
        let has_failed = last_object(&err).is_some_and(|it| it.get("outcome").is_some());
        let by_ctrl_c =
            (status.signal() == Some(2)).then_some(if has_failed { INTERRUPTED } else { 0 });
        let exit = status.code().or(by_ctrl_c).filter(|code| *code < 128 || *code == INTERRUPTED);
        let is_at_place = matches!(ending, Some(Kill::Place(_)));
        let killed = exit.is_none() && (shot || is_at_place || proxy.killed());
        if started.elapsed() > MOST {
            err.push_str("panicked at: it did not come to an end");
            return Ended { exit: Some(1), killed: false, interrupted, out, err };
        }
        Ended { exit, killed, interrupted, out, err }
    }

    /// Returns a server with the proxy in front of it; each token is that of a machine. Its rate limits hold where time is simulated.
    pub(crate) fn serve<W: Observed>(
        &self,
        account: Account,
        tokens: Vec<String>,
        choices: Choices,
    ) -> Proxy<W> {
        let legacy_as_buttons = choices.legacy_as_buttons;
        let builder = ContractServer::builder(World::of(account)).choices(choices);
        if self.is_simulated {
            let (clock, of_server) = shared_clock();
            let server = builder.clock(of_server).at_origin(ORIGIN).unwrap();
            return Proxy::start(server, tokens, legacy_as_buttons, Some(clock));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = runtime.block_on(builder.no_limits().start()).unwrap();
        Proxy::start(server, tokens, legacy_as_buttons, None)
    }

    /// Runs two command lines at once.
    pub(crate) fn run_both<W: Observed>(
        &self,
        lines: [&CommandLine; 2],
        machines: [&Machine; 2],
        proxy: &Proxy<W>,
    ) -> [Ended; 2] {
        let start = |nth: usize| self.run(lines[nth], machines[nth], proxy, None);
        if self.is_simulated {
            if machines[0].token == machines[1].token {
                // What waits for a lock of this machine would wait for ever.
                return [start(0), start(1)];
            }
            proxy.take_turns(2);
        }
        thread::scope(|scope| {
            let handle = scope.spawn(|| start(0));
            let second = start(1);
            [handle.join().unwrap(), second]
        })
    }

    fn command(&self, line: &CommandLine, machine: &Machine, origin: &str) -> Command {
        let directory = |name: &str| machine.directory.join(name);
        let mut command = match &line.editing {
            None => {
                let mut command = Command::new(&self.path);
                command.args(&line.args);
                command
            }
            Some(_) => {
                let quoted: Vec<_> = line.args.iter().map(|it| format!("'{it}'")).collect();
                let typed = format!("exec '{}' {}", self.path.display(), quoted.join(" "));
                let mut command = Command::new("script");
                command.args(["--quiet", "--return", "--command", &typed, "/dev/null"]);
                command
            }
        };
        command.env_clear().current_dir(directory("work")).env("HOME", directory("home"));
        // Git may be anywhere.
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        command.env("PATH", path).env("TERM", "xterm").env("TMPDIR", directory("tmp"));
        command.envs(variables(machine, origin));
        if self.is_debug_build {
            command.env("LINKS_TEST_NO_WAIT", "1");
        }
        if let Some(changes) = &line.editing {
            let work = directory("work");
            let _ = fs::remove_file(work.join("edited.json"));
            // Two commands of one machine may edit at the same time.
            let file = tempfile::NamedTempFile::new_in(&work).unwrap();
            fs::write(file.path(), serde_json::to_vec(changes).unwrap()).unwrap();
            file.persist(work.join("changes.json")).unwrap();
            let editor = std::env::current_exe().unwrap();
            command.env("VISUAL", format!("{} --as-editor {}", editor.display(), work.display()));
        }
        command
    }
}
