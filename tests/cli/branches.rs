//! Tests of the base in real repositories: it follows the commit that is checked out.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::steps::{places, writes};
use crate::test_env::{CommandResult, TestEnv, picture};

/// Page file of the cafe. Its items do not name their slots.
const PAGE: &str = "\
profile: cafe
title: Qara
slots:
  - type: text
    data: {title: Hours, description: 8 to 8}
  - type: button
    data: {title: Menu, link: 'https://qara.example/menu'}
  - type: divider
";

const NEW: &str = "  - type: text\n    data: {title: Terrace}\n";

/// A clone of a repository with one page, on a machine of its own.
struct Clone {
    directory: PathBuf,
    state: TempDir,
}

/// The service, with the clones that a team has.
struct Team {
    env: TestEnv,
    root: TempDir,
}

impl Team {
    fn new() -> Self {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
        env.server.edit(|account| account.profiles[0].slots.clear());
        let env = env.env("PATH", std::env::var("PATH").unwrap());
        Self { env, root: tempfile::tempdir().unwrap() }
    }

    /// Returns the first clone, with the page applied and committed.
    fn first(&self) -> Clone {
        let directory = self.root.path().join("first");
        std::fs::create_dir(&directory).unwrap();
        let clone = Clone { directory, state: tempfile::tempdir().unwrap() };
        self.git(&clone, "init -q -b main");
        self.ok(&clone, "init");
        clone.write(PAGE);
        self.ok(&clone, "apply --yes");
        self.commit(&clone, "start");
        clone
    }

    /// Returns another clone of a clone.
    fn clone(&self, of: &Clone, name: &str, more: &str) -> Clone {
        let directory = self.root.path().join(name);
        let from = format!("file://{}", of.directory.display());
        let line = format!("clone -q {more} {from} {}", directory.display());
        self.git(of, line.replace("  ", " ").as_str());
        Clone { directory, state: tempfile::tempdir().unwrap() }
    }

    fn run(&self, clone: &Clone, line: &str) -> CommandResult {
        let mut command = self.env.command(line.split(' '));
        command.current_dir(&clone.directory).env("LINKS_STATE_DIR", clone.state.path());
        let output = command.output().unwrap();
        CommandResult::new(&self.env, output.status.code(), output.stdout, output.stderr)
    }

    fn ok(&self, clone: &Clone, line: &str) -> CommandResult {
        let run = self.run(clone, line);
        assert_eq!(run.exit, 0, "{run}");
        run
    }

    /// Applies the file, and commits it with the lock.
    fn apply(&self, clone: &Clone, file: &str) {
        clone.write(file);
        self.ok(clone, "apply --yes");
        self.commit(clone, "change");
    }

    fn try_git(&self, clone: &Clone, line: &str) -> bool {
        let mut command = Command::new("git");
        command.env_clear().env("PATH", std::env::var("PATH").unwrap());
        command.env("HOME", self.root.path()).env("GIT_EDITOR", "true");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@x");
        }
        command.args(["-c", "maintenance.auto=false", "-c", "protocol.file.allow=always", "-C"]);
        command.arg(&clone.directory).args(line.split(' '));
        command.output().unwrap().status.success()
    }

    fn git(&self, clone: &Clone, line: &str) {
        assert!(self.try_git(clone, line), "git {line}");
    }

    fn commit(&self, clone: &Clone, message: &str) {
        self.git(clone, "add -A");
        self.git(clone, &format!("commit -q -m {message}"));
    }

    /// Nothing would be written to the page.
    fn keeps(&self, clone: &Clone) -> CommandResult {
        let plan = self.run(clone, "plan");
        assert!(plan.exit == 0 && plan.stdout.contains("no changes"), "{plan}");
        self.env.operations();
        self.ok(clone, "apply --yes");
        assert_eq!(writes(&self.env), [""; 0], "{plan}");
        plan
    }

    fn titles(&self) -> Vec<Value> {
        let account = self.env.server.account();
        let titles = account.profiles[0].slots.iter().map(|it| it.data.get("title").cloned());
        titles.map(Option::unwrap_or_default).collect()
    }

    fn title(&self) -> Option<String> {
        self.env.server.account().profiles[0].title.clone()
    }
}

impl Clone {
    fn write(&self, text: &str) {
        std::fs::write(self.file(), text).unwrap();
    }

    fn read(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.directory.join("cafe.yaml")
    }

    fn lock(&self) -> String {
        std::fs::read_to_string(self.directory.join("links.lock")).unwrap()
    }
}

fn edited() -> String {
    PAGE.replace("Qara", "Qara Cafe").replace("Menu", "Card") + NEW
}

#[test]
fn a_switch_of_branches_deletes_and_reverts_nothing() {
    let team = Team::new();
    let clone = team.first();
    let other = team.clone(&clone, "other", "");
    team.git(&clone, "checkout -q -b terrace");
    team.apply(&clone, &edited());
    team.git(&clone, "checkout -q main");
    for clone in [&clone, &other] {
        let plan = team.keeps(clone);
        assert!(plan.stdout.contains("on the page since the last sync; kept"), "{plan}");
    }
    // A change of main is written, and nothing else.
    clone.write(&PAGE.replace("8 to 8", "9 to 9"));
    let plan = team.run(&clone, "plan");
    assert!(plan.exit == 3 && plan.stdout.contains("1 to update"), "{plan}");
    team.ok(&clone, "apply --yes");
    assert_eq!(team.titles(), [json!("Hours"), json!("Card"), Value::Null, json!("Terrace")]);
    assert_eq!(team.title().as_deref(), Some("Qara Cafe"));
}

#[test]
fn a_lock_that_git_carries_to_another_branch_deletes_nothing() {
    let team = Team::new();
    let clone = team.first();
    team.git(&clone, "branch other");
    clone.write(&edited());
    team.ok(&clone, "apply --yes");
    // The file goes back, and the lock goes along: HEAD is the commit that it was written on.
    team.git(&clone, "stash -q");
    team.keeps(&clone);
    team.git(&clone, "stash pop -q");
    team.keeps(&clone);
    team.commit(&clone, "change");
    team.git(&clone, "checkout -q other");
    team.keeps(&clone);
    team.git(&clone, "worktree add -q ../tree main");
    let tree =
        Clone { directory: team.root.path().join("tree"), state: tempfile::tempdir().unwrap() };
    team.keeps(&tree);
    team.apply(&tree, &edited().replace("Terrace", "Garden"));
    team.keeps(&clone);
    assert_eq!(team.titles().last(), Some(&json!("Garden")));
}

#[test]
fn what_a_run_with_locked_recorded_on_a_branch_deletes_nothing_on_another() {
    let team = Team::new();
    let clone = team.first();
    team.git(&clone, "checkout -q -b terrace");
    clone.write(&edited());
    team.ok(&clone, "apply --yes");
    let further = edited().replace("8 to 8", "9 to 9");
    clone.write(&further);
    team.ok(&clone, "apply --yes --locked");
    team.commit(&clone, "change");
    team.git(&clone, "checkout -q main");
    team.keeps(&clone);
    team.git(&clone, "checkout -q -f terrace");
    clone.write(&further.replace("9 to 9", "10 to 10"));
    team.ok(&clone, "apply --yes");
    let account = team.env.server.account();
    assert_eq!(account.profiles[0].slots[0].data["description"], "10 to 10");
    assert_eq!(team.titles().len(), 4);
}

/// Runs an apply that is killed at the nth place where it can be. Returns whether it was.
fn is_killed(team: &Team, clone: &Clone, nth: usize) -> bool {
    let mut command = team.env.command(["apply", "--yes"]);
    command.current_dir(&clone.directory).env("LINKS_STATE_DIR", clone.state.path());
    command.env("LINKS_TEST_CRASH", format!("any:{nth}")).output().unwrap().status.code().is_none()
}

#[test]
fn another_branch_deletes_and_reverts_nothing_of_a_run_that_was_killed_anywhere() {
    let mut kills = 0;
    for is_worktree in [false, true] {
        for nth in places() {
            let team = Team::new();
            let mut clone = team.first();
            if is_worktree {
                team.git(&clone, "branch terrace");
                team.git(&clone, "checkout -q --detach");
                team.git(&clone, "worktree add -q ../tree main");
                clone.directory = team.root.path().join("tree");
            }
            team.git(
                &clone,
                if is_worktree { "checkout -q terrace" } else { "checkout -q -b terrace" },
            );
            clone.write(&edited());
            if !is_killed(&team, &clone, nth) {
                break;
            }
            kills += 1;
            team.commit(&clone, "terrace");
            let (titles, title) = (team.titles(), team.title());
            team.git(&clone, "checkout -q main");
            team.ok(&clone, "apply --yes");
            assert_eq!((team.titles(), team.title()), (titles, title), "killed at {nth}");
            team.git(&clone, "checkout -q terrace");
            team.ok(&clone, "apply --yes");
            let all = [json!("Hours"), json!("Card"), Value::Null, json!("Terrace")];
            assert_eq!(team.titles(), all, "killed at {nth}");
            assert_eq!(team.title().as_deref(), Some("Qara Cafe"), "killed at {nth}");
        }
    }
    assert!(kills > 4, "{kills}");
}

#[test]
fn what_a_run_killed_anywhere_has_sent_is_its_branch_s_own_after_a_run_on_another_branch() {
    for nth in places() {
        let team = Team::new();
        let clone = team.first();
        team.git(&clone, "checkout -q -b terrace");
        clone.write(&edited());
        if !is_killed(&team, &clone, nth) {
            assert!(nth > 10, "{nth}");
            break;
        }
        team.commit(&clone, "terrace");
        team.git(&clone, "checkout -q main");
        clone.write(&format!("{PAGE}  - type: text\n    data: {{title: Bar}}\n"));
        team.ok(&clone, "apply --yes");
        team.git(&clone, "checkout -q -f terrace");
        clone.write(&edited().replace("Qara Cafe", "Qara Bar"));
        team.ok(&clone, "apply --yes");
        assert_eq!(team.title().as_deref(), Some("Qara Bar"), "killed at {nth}");
    }
}

#[test]
fn a_revert_writes_the_old_value_on_any_machine() {
    for is_elsewhere in [false, true] {
        let team = Team::new();
        let clone = team.first();
        team.apply(&clone, &edited());
        team.git(&clone, "revert --no-edit HEAD");
        let clone = if is_elsewhere { team.clone(&clone, "other", "") } else { clone };
        assert_eq!(clone.read(), PAGE);
        let plan = team.run(&clone, "plan");
        assert!(plan.exit == 3 && plan.stdout.contains("1 to update, 1 to delete"), "{plan}");
        team.ok(&clone, "apply --yes");
        assert_eq!(team.titles(), [json!("Hours"), json!("Menu"), Value::Null]);
        assert_eq!(team.title().as_deref(), Some("Qara"));
        team.commit(&clone, "reverted");
        // And again: a revert of the revert.
        team.git(&clone, "revert --no-edit HEAD~1");
        team.ok(&clone, "apply --yes");
        assert_eq!(team.titles().last(), Some(&json!("Terrace")));
        assert_eq!(team.title().as_deref(), Some("Qara Cafe"));
    }
}

/// Returns a clone with two branches that both applied, and a merge of them with the lock of one or both sides.
fn merged(team: &Team, side: &str) -> Clone {
    let clone = team.first();
    team.git(&clone, "checkout -q -b hours");
    team.apply(&clone, &PAGE.replace("8 to 8", "9 to 9").replace("Qara", "Qara Cafe"));
    team.git(&clone, "checkout -q main");
    team.apply(&clone, &(PAGE.replace("qara.example/menu", "qara.example/card") + NEW));
    match side {
        "both" => team.git(&clone, "merge -q --no-edit hours"),
        side => {
            team.try_git(&clone, "merge -q --no-edit --no-commit hours");
            team.git(&clone, &format!("checkout -q {side} -- links.lock"));
            team.commit(&clone, "merge");
        }
    }
    clone
}

#[test]
fn a_merge_plans_the_difference_between_the_file_and_the_page() {
    for side in ["both", "main", "hours"] {
        let team = Team::new();
        let clone = merged(&team, side);
        let file = clone.read();
        for part in ["9 to 9", "Qara Cafe", "qara.example/card", "Terrace"] {
            assert!(file.contains(part), "{side}: {file}");
        }
        // All of it is on the page already.
        team.keeps(&clone);
        assert!(!clone.lock().contains("<<<<"), "{side}");
        let other = team.clone(&clone, "other", "");
        team.keeps(&other);
        // The merged file and the page are known to agree: an edit is written.
        other.write(&file.replace("9 to 9", "10 to 10").replace(NEW, ""));
        let plan = team.run(&other, "plan");
        assert!(
            plan.exit == 3 && plan.stdout.contains("1 to update, 1 to delete"),
            "{side}: {plan}"
        );
        // An edit by others is kept.
        team.env.server.edit(|account| account.profiles[0].title = Some("Theirs".into()));
        team.ok(&other, "apply --yes");
        assert_eq!(team.title().as_deref(), Some("Theirs"), "{side}");
        assert_eq!(team.titles(), [json!("Hours"), json!("Menu"), Value::Null], "{side}");
    }
}

#[test]
fn what_an_overwriting_apply_put_back_is_known_to_a_later_merge() {
    let team = Team::new();
    let clone = team.first();
    let other = team.clone(&clone, "other", "");
    team.apply(&other, &PAGE.replace("8 to 8", "9 to 9"));
    // The page gets what the record of this clone says already.
    team.ok(&clone, "apply --yes --force");
    let description = || team.env.server.account().profiles[0].slots[0].data["description"].clone();
    assert_eq!(description(), "8 to 8");
    team.commit(&clone, "overwritten");
    team.git(&clone, &format!("fetch -q {} main", other.directory.display()));
    team.git(&clone, "merge -q --no-edit FETCH_HEAD");
    let plan = team.run(&clone, "plan");
    assert!(plan.exit == 3 && plan.stdout.contains("1 to update"), "{plan}");
    team.ok(&clone, "apply --yes");
    assert_eq!(description(), "9 to 9");
}

#[test]
fn a_lock_with_the_marks_of_a_merge_is_read_and_written_clean() {
    let team = Team::new();
    let clone = team.first();
    std::fs::write(clone.directory.join(".gitattributes"), "links.lock -merge\n").unwrap();
    team.commit(&clone, "attributes");
    team.git(&clone, "checkout -q -b hours");
    team.apply(&clone, &PAGE.replace("8 to 8", "9 to 9"));
    let theirs = clone.lock();
    team.git(&clone, "checkout -q main");
    team.apply(&clone, &PAGE.replace("Menu", "Card"));
    assert!(!team.try_git(&clone, "merge -q --no-edit hours"));
    let marked = format!("<<<<<<< HEAD\n{}=======\n{theirs}>>>>>>> hours\n", clone.lock());
    std::fs::write(clone.directory.join("links.lock"), marked).unwrap();
    team.keeps(&clone);
    let lock = clone.lock();
    assert!(!lock.contains("====") && lock.lines().count() > 10, "{lock}");
}

#[test]
fn a_rebase_a_pick_an_amend_and_a_squash_lose_nothing() {
    let rewrites: [&[&str]; 4] = [
        &["checkout -q hours", "rebase -q main"],
        &["cherry-pick hours"],
        &["checkout -q hours", "commit -q --amend -m again"],
        &["merge -q --squash hours", "commit -q -m squashed"],
    ];
    for rewrite in rewrites {
        let team = Team::new();
        let clone = team.first();
        team.git(&clone, "checkout -q -b hours");
        team.apply(&clone, &PAGE.replace("8 to 8", "9 to 9"));
        team.git(&clone, "checkout -q main");
        team.apply(&clone, &(PAGE.to_owned() + NEW));
        for line in rewrite {
            team.git(&clone, line);
        }
        let plan = team.keeps(&clone);
        let other = team.clone(&clone, "other", "");
        team.keeps(&other);
        assert_eq!(team.titles().last(), Some(&json!("Terrace")), "{rewrite:?}: {plan}");
        // What the history knows is written, and what others do is kept.
        team.env.server.edit(|account| account.profiles[0].title = Some("Theirs".into()));
        other.write(&other.read().replace("9 to 9", "10 to 10"));
        team.ok(&other, "apply --yes");
        let account = team.env.server.account();
        assert_eq!(account.profiles[0].slots[0].data["description"], "10 to 10", "{rewrite:?}");
        assert_eq!(team.title().as_deref(), Some("Theirs"), "{rewrite:?}");
    }
}

#[test]
fn a_shallow_clone_writes_nothing_that_it_cannot_know() {
    let team = Team::new();
    let clone = team.first();
    team.apply(&clone, &PAGE.replace("8 to 8", "8 to 9"));
    // The edit is committed, and applied elsewhere.
    clone.write(&PAGE.replace("8 to 8", "9 to 9"));
    team.commit(&clone, "edit");
    let ci = team.clone(&clone, "ci", "--depth 1");
    let run = team.run(&ci, "apply --yes");
    assert!(run.exit == 7 && run.stderr.contains("fetch-depth: 0"), "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
    team.git(&ci, "fetch -q --unshallow");
    team.ok(&ci, "apply --yes");
    let account = team.env.server.account();
    assert_eq!(account.profiles[0].slots[0].data["description"], "9 to 9");
    // What the commit itself vouches for needs no history.
    team.commit(&ci, "applied");
    let again = team.clone(&ci, "again", "--depth 1");
    team.keeps(&again);
    again.write(&again.read().replace("9 to 9", "10 to 10"));
    let plan = team.run(&again, "plan");
    assert_eq!(plan.exit, 3, "{plan}");
}

#[test]
fn without_a_repository_the_lock_alone_counts() {
    let team = Team::new();
    let clone = team.first();
    std::fs::remove_dir_all(clone.directory.join(".git")).unwrap();
    clone.write(&edited());
    team.ok(&clone, "apply --yes");
    clone.write(PAGE);
    let plan = team.run(&clone, "plan");
    assert!(plan.exit == 3 && plan.stdout.contains("1 to delete"), "{plan}");
}

#[test]
fn only_files_that_differ_from_a_revision_are_planned() {
    let team = Team::new();
    let clone = team.first();
    std::fs::write(clone.directory.join("menu.png"), picture(64, 64)).unwrap();
    let picture_page = "profile: qara.weddings\navatar: {$upload: menu.png}\n";
    std::fs::write(clone.directory.join("weddings.yaml"), picture_page).unwrap();
    team.commit(&clone, "second");
    let planned = |options: &str| {
        team.env.operations();
        let run = team.run(&clone, &format!("plan {options} -o json"));
        let pages = run.json()["data"]["pages"].as_array().unwrap().clone();
        let logins: Vec<_> = pages.iter().map(|it| it["login"].clone()).collect();
        (run.exit, logins, team.env.operations().len())
    };
    assert_eq!(planned("--changed-since HEAD"), (0, vec![], 0));
    clone.write(&PAGE.replace("Qara", "Qara Coffee"));
    let (exit, logins, requests) = planned("--changed-since HEAD");
    assert_eq!((exit, logins), (3, vec![json!("cafe")]));
    assert!(requests <= 3, "{requests}");
    assert_eq!(planned("--exclude cafe.* --changed-since HEAD"), (0, vec![], 0));
    assert_eq!(planned("--exclude weddings.yaml").1, [json!("cafe")]);
    let broken = team.run(&clone, "plan --exclude [x");
    assert!(broken.exit == 2 && broken.stderr.contains("missing `]`"), "{broken}");
    // A page changes with its images, and a new file has changed.
    team.commit(&clone, "title");
    std::fs::write(clone.directory.join("menu.png"), picture(65, 64)).unwrap();
    assert_eq!(planned("--changed-since HEAD").1, [json!("qara.weddings")]);
    assert_eq!(planned("--changed-since HEAD~1").1.len(), 2);
    // A mistake in a file that has not changed is another one's.
    std::fs::write(clone.directory.join("broken.yaml"), "profile: x\ntitel: 1\n").unwrap();
    team.commit(&clone, "broken");
    assert_eq!(planned("--changed-since HEAD"), (0, vec![], 0));
    assert_eq!(team.run(&clone, "plan").exit, 8);
    team.ok(&clone, "apply --yes --changed-since HEAD");

    for (revision, why) in [("nowhere", "no such revision"), ("HEAD\nHEAD", "no such revision")] {
        let mut command = team.env.command(["plan", "--changed-since", revision]);
        command.current_dir(&clone.directory);
        let output = command.output().unwrap();
        let run = CommandResult::new(&team.env, output.status.code(), output.stdout, output.stderr);
        assert!(run.exit == 2 && run.stderr.contains(why), "{run}");
    }
    std::fs::remove_dir_all(clone.directory.join(".git")).unwrap();
    let run = team.run(&clone, "check --changed-since HEAD");
    assert!(run.exit == 2 && run.stderr.contains("not in a Git repository"), "{run}");
}
