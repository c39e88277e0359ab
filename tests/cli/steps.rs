//! Steps that many tests share: runs that succeed or are cut short, and what files, pages and requests are after them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use links_fixtures::{Account, Slot};
use tempfile::TempDir;

use crate::test_env::{CommandResult, TestEnv};

/// A page file of a text, a button and a divider.
pub(crate) const SLOTS: &str = "profile: cafe
slots:
  - type: text
    data: {title: Hours, description: 8 to 8}
  - type: button
    data: {title: Menu, link: 'https://qara.example/menu'}
  - type: divider
";

/// Runs a command line that has to succeed.
pub(crate) fn ok(env: &TestEnv, line: &str) -> CommandResult {
    let run = env.run(line);
    assert_eq!(run.exit, 0, "{run}");
    run
}

/// Runs a command line that is ended at a crash point, unless it ends before that.
pub(crate) fn cut_short(env: &TestEnv, line: &str, place: &str) -> Output {
    let mut command = env.command(line.split_whitespace());
    command.env("LINKS_TEST_CRASH", place).output().unwrap()
}

/// Returns the numbers of the places at which a run is cut short: each fifth, or each with `LINKS_TEST_EVERY_PLACE`, as in `.ci/full crashes`.
pub(crate) fn places() -> impl Iterator<Item = usize> {
    let is_complete = std::env::var_os("LINKS_TEST_EVERY_PLACE").is_some();
    (1..).step_by(if is_complete { 1 } else { 5 })
}

pub(crate) fn path(env: &TestEnv, name: &str) -> PathBuf {
    env.home.path().join(name)
}

pub(crate) fn text(env: &TestEnv, name: &str) -> String {
    fs::read_to_string(path(env, name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the operations that write, since the last look.
pub(crate) fn writes(env: &TestEnv) -> Vec<String> {
    // Downloads are no operation.
    let is_read =
        |it: &String| ["get", "list", "check", "?"].iter().any(|start| it.starts_with(start));
    env.operations().into_iter().filter(|it| !is_read(it)).collect()
}

/// Changes the slots of the café as another client does.
pub(crate) fn edit_slots(env: &TestEnv, change: impl Fn(&mut Vec<Slot>)) {
    env.server.edit(|account| change(&mut account.profiles[0].slots));
}

/// The account and the home directory of an environment, to begin again with.
pub(crate) struct Beginning {
    account: Account,
    home: TempDir,
}

impl Beginning {
    pub(crate) fn of(env: &TestEnv) -> Self {
        let home = tempfile::tempdir().unwrap();
        copy(env.home.path(), home.path());
        Self { account: env.server.account(), home }
    }

    /// Makes the environment as it was.
    pub(crate) fn restore(&self, env: &TestEnv) {
        env.server.edit(|account| account.clone_from(&self.account));
        env.server.forget_answers();
        env.operations();
        for entry in fs::read_dir(env.home.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        copy(self.home.path(), env.home.path());
    }
}

/// Copies the files below a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
