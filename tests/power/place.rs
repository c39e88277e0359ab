//! A machine with the program and a service, whose files and state can be put back.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use links_fixtures::{Account, ContractServer, World};
use serde_json::Value;
use tempfile::TempDir;

use crate::disk::{Cut, Tree};
use crate::trace::{Recorded, record};

pub(crate) struct Place {
    /// Everything that the program writes is below it.
    home: TempDir,
    /// Directory of the service's state.
    service: TempDir,
    pub(crate) server: ContractServer,
    _runtime: tokio::runtime::Runtime,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) exit: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let [home, service] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let builder = ContractServer::builder(World::cafe()).no_limits();
        let builder = builder.state_file(service.path().join("service.json"));
        let server = runtime.block_on(builder.start()).unwrap();
        let place = Self { home, service, server, _runtime: runtime };
        fs::create_dir(place.work()).unwrap();
        // The state is a file from now on.
        place.server.edit(|_| ());
        place
    }

    fn root(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file below the home directory. `None` if it is not there.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let bytes = fs::read(self.home.path().join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_links"));
        command.env_clear().current_dir(self.work()).env("HOME", self.root());
        command.env("PATH", "/usr/bin:/bin").env("TMPDIR", self.service.path());
        command.env("LINKS_TEST_NO_WAIT", "1");
        for word in line.split(' ') {
            match word.split_once('=') {
                Some((name, value)) if name.starts_with("LINKS_") => drop(command.env(name, value)),
                _ => drop(command.arg(word)),
            }
        }
        if !line.contains("LINKS_SANDBOX") {
            command.env("LINKS_BASE_URL", self.server.base_url());
        }
        if !line.contains("LINKS_SANDBOX") && !line.contains("--account") {
            command.env("LINKS_TOKEN", self.server.token());
        }
        command
    }

    fn stdin(&self, line: &str) -> Stdio {
        if !line.contains("--token-stdin") {
            return Stdio::null();
        }
        let path = self.service.path().join("token");
        fs::write(&path, self.server.token()).unwrap();
        fs::File::open(path).unwrap().into()
    }

    pub(crate) fn run(&self, line: &str) -> Run {
        let output = self.command(line).stdin(self.stdin(line)).output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        Run { exit: output.status.code(), out, err }
    }

    /// Runs a command that has to succeed.
    pub(crate) fn ok(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.exit, Some(0), "{line}: {run:?}");
        run
    }

    /// Runs a command, and records what it does. Returns the files before it, too.
    pub(crate) fn record(&self, line: &str) -> (Tree, Recorded) {
        let before = Tree::read(&self.root());
        let service = self.service.path().join("service.json");
        (before, record(&self.command(line), self.stdin(line), &self.root(), &service))
    }

    /// Puts files and service into the state after a power cut.
    pub(crate) fn restore(&self, recorded: &Recorded, cut: &Cut) {
        cut.tree.restore(&self.root());
        let last = recorded.states.len() - 1;
        let state = &recorded.states[cut.service.min(last)];
        fs::write(self.service.path().join("service.json"), state).unwrap();
    }

    pub(crate) fn account(&self) -> Account {
        self.server.account()
    }
}

/// Returns what a page says, in order.
pub(crate) fn content(account: &Account) -> Value {
    let page = &account.profiles[0];
    let slots = page.slots.iter().map(|slot| {
        let mut data = slot.data.clone();
        // Each run makes a form with an ID of its own.
        if let Some(id) = data.get_mut("formId") {
            let form = account.forms.iter().find(|form| *id == form.id.as_str());
            *id = form.map(|form| form.title.clone()).into();
        }
        (slot.kind.clone(), data)
    });
    let slots: Vec<_> = slots.collect();
    serde_json::json!({ "title": page.title, "description": page.description, "slots": slots })
}
