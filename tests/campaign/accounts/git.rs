//! Clones of a Git repository, one for each of two people, and what they do there.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::PathBuf;
use std::process::Command;

use super::history::GitAction;
use super::lineage::{Authors, Lineage};
use super::memory::Memory;
use super::repository::Repository;
use super::world::{AccountWorld, Owner, Place};
use crate::proxy::Event;

const BRANCHES: [&str; 3] = ["main", "summer", "winter"];

/// Settings under which Git runs nothing in the background, and writes without waiting for the disk.
const SETTINGS: [&str; 3] = ["maintenance.auto=false", "gc.auto=0", "core.fsync=none"];

/// The clones of two people.
#[derive(Debug)]
pub(crate) struct Team {
    directories: [PathBuf; 2],
    commits: BTreeMap<String, Lineage>,
    /// What each work tree knows beyond its commit.
    trees: [Lineage; 2],
    pub(crate) authors: Authors,
    /// Seconds since the first commit, so that no two commits are alike.
    now: u64,
}

impl Team {
    /// Begins a repository in the directory of the first person.
    pub(crate) fn new(directories: [PathBuf; 2]) -> Self {
        let (commits, trees) = (BTreeMap::new(), [Lineage::default(), Lineage::default()]);
        let mut team = Self { directories, commits, trees, authors: Authors::default(), now: 0 };
        team.git(0, &["init", "-q", "-b", BRANCHES[0]]).unwrap();
        team
    }

    /// Commits the first files, and clones them for the second person.
    pub(crate) fn clone_for_other(&mut self, files: &Repository, world: &AccountWorld) {
        self.commit(0, files, world).unwrap();
        let from = self.directories[0].display().to_string();
        self.git(1, &["clone", "-q", &from, "."]).unwrap();
    }

    /// Does something in a clone. Returns `false` if it is left as it was, because Git refuses, or because a merge made nonsense of a file.
    pub(crate) fn act(
        &mut self,
        machine: usize,
        action: &GitAction,
        files: &mut Repository,
        world: &AccountWorld,
    ) -> bool {
        if let GitAction::Change(changes) = action {
            for change in changes {
                files.change(change);
            }
            return true;
        }
        files.write(&self.directories[machine]);
        let committed = self.commit(machine, files, world);
        if matches!(action, GitAction::Commit) {
            return committed.is_some();
        }
        let before = self.head(machine);
        if self.change_files(machine, action).is_some()
            && let Some(read) = Repository::read(&self.directories[machine])
        {
            *files = read;
            // A slot that a merge has doubled is taken out of the file.
            files.write(&self.directories[machine]);
            if !self.is_clean(machine) {
                // What is amended knows what the commit knew.
                self.arrive(machine, files, world);
                let amended = self.commits.get(&self.head(machine));
                self.trees[machine].extend(amended.unwrap_or(&Lineage::default()));
                let _ = self.git(machine, &["commit", "-q", "-a", "--amend", "--no-edit"]);
            }
            self.arrive(machine, files, world);
            return true;
        }
        self.git(machine, &["reset", "-q", "--hard", &before]).unwrap();
        false
    }

    fn change_files(&mut self, machine: usize, action: &GitAction) -> Option<String> {
        let branch = |nth: &usize| BRANCHES[nth % BRANCHES.len()];
        let one_of =
            |branches: &[String], nth: &usize| branches.get(nth % branches.len().max(1)).cloned();
        let side = |ours: &bool| if *ours { "ours" } else { "theirs" };
        match action {
            GitAction::Change(_) | GitAction::Commit => None,
            GitAction::Switch(nth) => {
                let known = self.git(machine, &["checkout", "-q", branch(nth), "--"]);
                known.or_else(|| self.git(machine, &["checkout", "-q", "-b", branch(nth)]))
            }
            GitAction::Merge { branch: nth, ours } => {
                let mut branches = self.branches(machine);
                let current = self.current_branch(machine);
                branches.retain(|branch| *branch != current);
                let branch = one_of(&branches, nth)?;
                self.git(machine, &["merge", "-q", "--no-edit", "-X", side(ours), &branch])
            }
            GitAction::Pull { branch: nth, ours } => {
                let from = self.directories[1 - machine].display().to_string();
                let branch = one_of(&self.branches(1 - machine), nth)?;
                self.git(machine, &["fetch", "-q", &from, &branch])?;
                self.git(machine, &["merge", "-q", "--no-edit", "-X", side(ours), "FETCH_HEAD"])
            }
            GitAction::Revert => self.git(machine, &["revert", "--no-edit", "HEAD"]),
        }
    }

    /// Commits everything, if anything was changed.
    fn commit(&mut self, machine: usize, files: &Repository, world: &AccountWorld) -> Option<()> {
        self.git(machine, &["add", "-A"])?;
        self.git(machine, &["commit", "-q", "-m", "change"])?;
        self.arrive(machine, files, world);
        Some(())
    }

    /// Notes that a commit is checked out, and nothing else is in the work tree.
    fn arrive(&mut self, machine: usize, files: &Repository, world: &AccountWorld) {
        let head = self.head(machine);
        let mut tree = std::mem::take(&mut self.trees[machine]);
        if self.commits.contains_key(&head) {
            return;
        }
        let parents = self.git(machine, &["log", "-1", "--format=%P"]).unwrap();
        for parent in parents.split_whitespace() {
            tree.extend(&self.commits[parent]);
        }
        tree.note_files(files, world);
        self.commits.insert(head, tree);
    }

    /// Returns what a work tree knows.
    pub(crate) fn lineage(&self, machine: usize) -> Lineage {
        let mut lineage = self.trees[machine].clone();
        lineage.extend(self.commits.get(&self.head(machine)).unwrap_or(&Lineage::default()));
        lineage
    }

    /// Notes what the files say when a command runs, and returns what the machine has to take for the doing of others.
    pub(crate) fn memory(
        &mut self,
        machine: usize,
        files: &Repository,
        world: &AccountWorld,
    ) -> Memory {
        self.note_files(machine, files, world);
        self.authors.seen_by(&self.lineage(machine), machine, world)
    }

    /// Notes what the files of a work tree say.
    pub(crate) fn note_files(&mut self, machine: usize, files: &Repository, world: &AccountWorld) {
        self.trees[machine].note_files(files, world);
    }

    /// Notes what a request of an apply has made for the files of a work tree.
    pub(crate) fn note_written(
        &mut self,
        (machine, run): (usize, usize),
        event: &Event<AccountWorld>,
        files: &Repository,
    ) {
        self.trees[machine].note_written(run, event, files);
    }

    /// Notes that a value of the account was recorded, and is not taken over.
    pub(crate) fn note_pulled(&mut self, machine: usize, place: Place, value: String) {
        self.authors.doubt(place.clone());
        self.note_known(machine, place, value);
    }

    /// Notes that a value of the account was recorded.
    pub(crate) fn note_known(&mut self, machine: usize, place: Place, value: String) {
        self.trees[machine].note_pulled(place, value);
    }

    /// Notes an apply or a pull that was recorded. `has_forms` says that it was over forms, too.
    pub(crate) fn note_sync(
        &mut self,
        (machine, sync): (usize, usize),
        files: &Repository,
        world: &AccountWorld,
        has_forms: bool,
    ) {
        let stored = world.values();
        let is_of = |place: &Place| has_forms || matches!(place.0, Owner::Page(_));
        let said = files.values(world).into_iter().filter(|(place, _)| is_of(place));
        let agreed = said.filter(|(place, value)| stored.get(place) == Some(value));
        let agreed = agreed.collect();
        let lineage = self.lineage(machine);
        self.authors.note_agreed(sync, &lineage, &agreed);
        self.trees[machine].note_sync(sync, (files, world), agreed);
    }

    /// Returns the branches, which no Git packs here.
    fn branches(&self, machine: usize) -> Vec<String> {
        let entries = fs::read_dir(self.directories[machine].join(".git/refs/heads")).unwrap();
        let name = |entry: io::Result<DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    fn current_branch(&self, machine: usize) -> String {
        let head = fs::read_to_string(self.directories[machine].join(".git/HEAD")).unwrap();
        head.trim().rsplit('/').next().unwrap().to_owned()
    }

    fn head(&self, machine: usize) -> String {
        let refs = self.directories[machine].join(".git/refs/heads");
        let commit = fs::read_to_string(refs.join(self.current_branch(machine)));
        commit.unwrap_or_default().trim().to_owned()
    }

    fn is_clean(&self, machine: usize) -> bool {
        self.run(machine, &["status", "--porcelain"]).is_some_and(|lines| lines.is_empty())
    }

    fn git(&mut self, machine: usize, args: &[&str]) -> Option<String> {
        self.now += 1;
        self.run(machine, args)
    }

    /// Runs Git without any configuration. Returns what it printed, if it succeeded.
    fn run(&self, machine: usize, args: &[&str]) -> Option<String> {
        // With its path, starting it copies no table of pages.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut paths = std::env::split_paths(&path).map(|it| it.join("git"));
        let mut command = Command::new(paths.find(|it| it.is_file()).unwrap());
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_EDITOR", "true");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), format!("Person {machine}"));
            command.env(format!("GIT_{name}_EMAIL"), format!("{machine}@links.example"));
            command.env(format!("GIT_{name}_DATE"), format!("{} +0000", 1_700_000_000 + self.now));
        }
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command.arg("-C").arg(&self.directories[machine]).args(args);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    }
}
