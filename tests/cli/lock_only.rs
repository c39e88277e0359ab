//! Tests of a shared `links.lock` that says what no page file or form file says: a slot that no file held, another form, another image. It
//! is shown as such, and `--yes` alone does not carry it out.

use std::path::Path;
use std::process::Command;

use links_pages::sync::{HashPair, KnownBase, Lock, PageBase, RecordOf, SlotBase, ValueHash};
use links_sdk::SlotId;
use serde_json::{Value, json};

use crate::steps::{ok, path, text, writes};
use crate::test_env::{CommandResult, TestEnv, picture};

const FILE: &str = "cafe.yaml";

/// Page file whose items do not name their slots.
const WEDDINGS: &str = "weddings.yaml";

/// Returns a repository with a `links.lock`, on a machine that keeps its state.
fn empty_repository() -> TestEnv {
    let path = std::env::var("PATH").unwrap();
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").env("PATH", path);
    let state = env.scratch.path().join("state").display().to_string();
    let env = env.env("LINKS_STATE_DIR", state);
    git(&env, "init -q -b main");
    ok(&env, "init");
    env
}

/// Returns a repository with the page of the café, applied and committed.
fn repository() -> TestEnv {
    let env = empty_repository();
    ok(&env, &format!("pull cafe -O {FILE}"));
    commit(&env);
    env
}

/// Returns a repository with the page for weddings, applied and committed. No commit names the ids of its slots.
fn repository_without_ids() -> TestEnv {
    let env = empty_repository();
    ok(&env, &format!("pull qara.weddings -O {WEDDINGS}"));
    let mut file = String::new();
    for line in text(&env, WEDDINGS).lines() {
        match line.strip_prefix("  - id: ") {
            Some(_) => file.push_str("  - "),
            None if file.ends_with("  - ") => file.extend([line.trim_start(), "\n"]),
            None => file.extend([line, "\n"]),
        }
    }
    env.file(WEDDINGS, file);
    assert!(ok(&env, "plan").stdout.contains("no changes"));
    commit(&env);
    env
}

/// Removes the first item with a text from a page file.
fn without_item(env: &TestEnv, file: &str, part: &str) {
    let before = text(env, file);
    let mut items: Vec<&str> = before.split_inclusive("\n  - ").collect();
    let nth = items.iter().position(|item| item.contains(part)).unwrap();
    assert!(nth > 0);
    items.remove(nth);
    let after = items.concat();
    env.file(file, after.strip_suffix("  - ").unwrap_or(&after));
}

/// Runs a command line as on another machine: without the state of this one.
fn run_elsewhere(env: &TestEnv, line: &str) -> CommandResult {
    let state = tempfile::tempdir().unwrap();
    let mut command = env.command(line.split(' '));
    let output = command.env("LINKS_STATE_DIR", state.path()).output().unwrap();
    CommandResult::new(env, output.status.code(), output.stdout, output.stderr)
}

fn git_in(env: &TestEnv, directory: &Path, line: &str) {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("HOME", env.home.path());
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@x");
    }
    // Maintenance would go on after the command, and read the repository at the same time as the tool.
    command.args(["-c", "maintenance.auto=false", "-C"]).arg(directory);
    let output = command.args(line.split(' ')).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn git(env: &TestEnv, line: &str) {
    git_in(env, env.home.path(), line);
}

pub(crate) fn commit(env: &TestEnv) {
    git(env, "add -A");
    git(env, "commit -q --allow-empty -m x");
}

/// Changes the lock as somebody does who sends a pull request.
fn forge(env: &TestEnv, change: impl FnOnce(&mut Lock)) {
    let mut lock = locked(env);
    change(&mut lock);
    env.file("links.lock", lock.to_string());
    commit(env);
}

fn locked(env: &TestEnv) -> Lock {
    Lock::parse(&text(env, "links.lock")).unwrap()
}

/// Changes what the lock says of the slots of the page, as a run on an earlier commit would write it.
fn forge_slots(env: &TestEnv, change: impl FnOnce(&mut Vec<SlotBase>)) {
    forge(env, |lock| {
        let lines = lock.lines.get_mut(&RecordOf::Page(lock.pages[FILE].id)).unwrap();
        let known = KnownBase::of_lines(lines);
        let mut base: PageBase = known.base.clone();
        change(&mut base.slots);
        let at = lines.values().flatten().map(|line| line.at).max().unwrap();
        *lines = known.lines_after(&base, &[].into(), 0, at).unwrap();
    });
}

/// Returns the entry of a slot whose item said what the slot holds.
fn entry(id: &Value, kind: &str, data: &Value) -> SlotBase {
    let pair = |value: &Value| HashPair::of(ValueHash::of(value));
    let data = data.as_object().unwrap();
    let keys = data.iter().map(|(key, value)| (key.clone(), pair(value))).collect();
    let id = id.as_i64().unwrap().into();
    SlotBase { id, was: Vec::new(), kind: kind.to_owned(), is_locked: false, keys }
}

/// Adds a button on the page, and says in the lock that it was in the file.
fn claimed_button(env: &TestEnv, title: &str) -> Value {
    let data = json!({"title": title, "link": "https://donate.example/", "style": "primary"});
    let line = format!(
        "slots add cafe button title={title} link=https://donate.example/ style=primary -o json"
    );
    let id = ok(env, &line).json()["data"]["id"].clone();
    forge_slots(env, |slots| slots.push(entry(&id, "button", &data)));
    env.operations();
    id
}

fn refused(env: &TestEnv, run: &CommandResult) {
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("! only links.lock says that"), "{run}");
    assert!(run.stderr.contains("--trust-lock"), "{run}");
    assert_eq!(writes(env), [""; 0], "{run}");
}

/// Removes the item with the menu from the file.
fn without_menu(env: &TestEnv) {
    let file = text(env, FILE);
    let (before, rest) = file.split_once("  - id: 1002\n").unwrap();
    let after = &rest[rest.find("  - id: ").unwrap()..];
    env.file(FILE, format!("{before}{after}"));
}

#[test]
fn a_slot_that_only_the_lock_names_is_not_deleted_by_yes_alone() {
    let env = repository();
    let id = claimed_button(&env, "Donate");
    let plan = env.run("plan --out plan.json --annotate github -o json");
    assert!(plan.exit == 3, "{plan}");
    assert_eq!(plan.json()["data"]["pages"][0]["lockOnly"], json!([id]));
    assert!(plan.stderr.contains("only links.lock says that it was in this file"), "{plan}");
    let line = format!("! only links.lock says that button {id} \"Donate\" was in cafe.yaml");
    for line_of in ["plan", "slots plan cafe.yaml"] {
        let plan = env.run(line_of);
        assert!(plan.exit == 3 && plan.stdout.contains(&line), "{plan}");
    }
    for line in ["apply --yes", "apply --plan plan.json --yes", "slots apply cafe.yaml --yes"] {
        refused(&env, &env.run(line));
    }
    // The content of an item that the file has is not enough, nor that of one that it had.
    forge_slots(&env, |slots| {
        let menu = slots.iter().find(|slot| slot.id == SlotId::from(1002)).unwrap().clone();
        for (key, pair) in &mut slots.last_mut().unwrap().keys {
            pair.file = menu.pair(key).file;
        }
    });
    refused(&env, &env.run("apply --yes"));
    without_menu(&env);
    commit(&env);
    refused(&env, &env.run("apply --yes"));
    // Nor is an earlier id that the file names.
    forge_slots(&env, |slots| {
        slots.retain(|slot| slot.id != SlotId::from(1002));
        slots.last_mut().unwrap().was = vec![1002.into()];
    });
    refused(&env, &env.run("apply --yes"));
    ok(&env, "apply --yes --trust-lock");
    assert_eq!(writes(&env).len(), 1);
}

#[test]
fn a_slot_that_an_earlier_commit_held_is_deleted_with_yes() {
    let env = repository();
    without_menu(&env);
    let plan = env.run("plan");
    assert!(plan.exit == 3 && !plan.stdout.contains("only links.lock"), "{plan}");
    commit(&env);
    // Several commits later, too.
    env.file("README", "x");
    commit(&env);
    let run = ok(&env, "apply --yes");
    assert!(run.stdout.contains("1 deleted"), "{run}");
    // What a run here has recorded needs no commit.
    let file = text(&env, FILE);
    env.file(FILE, format!("{file}  - type: divider\n    data: {{}}\n"));
    ok(&env, "apply --yes");
    env.file(FILE, file);
    let run = ok(&env, "apply --yes");
    assert!(run.stdout.contains("1 deleted"), "{run}");
}

/// A change of the page for weddings, and of its file.
type Change<'c> = &'c dyn Fn(&TestEnv);

#[test]
fn what_runs_here_wrote_into_the_lock_needs_no_commit() {
    let rename = |env: &TestEnv| {
        let file = text(env, WEDDINGS);
        assert!(file.contains("title: Prices\n"), "{file}");
        env.file(WEDDINGS, file.replace("title: Prices\n", "title: Prices 2026\n"));
        ok(env, "apply --yes");
    };
    let without_prices = |env: &TestEnv| without_item(env, WEDDINGS, "title: Prices");
    let set = |env: &TestEnv| {
        ok(env, "slots set qara.weddings 1101 title=Costs");
        ok(env, &format!("pull qara.weddings -O {WEDDINGS}"));
        without_item(env, WEDDINGS, "title: Costs");
    };
    let add = |env: &TestEnv| {
        let file = text(env, WEDDINGS);
        let item = "  - type: button\n    data: {title: Soon, link: \"https://x.example/\", style: primary}\n";
        env.file(WEDDINGS, format!("{file}{item}"));
        ok(env, "apply --yes");
        env.file(WEDDINGS, file);
    };
    let moved = |env: &TestEnv| {
        git(env, &format!("mv {WEDDINGS} moved.yaml"));
        ok(env, "apply --yes");
        without_item(env, "moved.yaml", "title: Prices");
    };
    let cases: [(&str, Change<'_>, bool); 6] = [
        ("changed here", &|env| (rename(env), without_prices(env)).1, false),
        (
            "changed here, and committed without the item",
            &|env| (rename(env), without_prices(env)).1,
            true,
        ),
        ("changed by another command, and pulled", &set, false),
        ("created here", &add, false),
        ("created here, and committed without the item", &add, true),
        ("in a file that was renamed", &moved, true),
    ];
    for (case, change, is_committed) in cases {
        let env = repository_without_ids();
        change(&env);
        if is_committed {
            commit(&env);
        }
        env.operations();
        let run = run_elsewhere(&env, "apply --yes");
        assert!(run.exit == 14 && writes(&env).is_empty(), "{case}: {run}");
        let run = env.run("apply --yes");
        assert!(run.exit == 0 && run.stdout.contains("1 deleted"), "{case}: {run}");
    }
}

#[test]
fn a_run_vouches_only_for_what_it_wrote_itself() {
    let env = repository();
    ok(&env, &format!("pull qara.weddings -O {WEDDINGS}"));
    commit(&env);
    claimed_button(&env, "Donate");
    // The lock is written here, with what somebody else wrote into it.
    let lock = text(&env, "links.lock");
    let weddings = text(&env, WEDDINGS).replace("title: Prices\n", "title: Prices 2026\n");
    env.file(WEDDINGS, weddings);
    ok(&env, &format!("apply {WEDDINGS} --yes"));
    assert_ne!(text(&env, "links.lock"), lock);
    env.operations();
    refused(&env, &env.run("apply --yes"));
}

#[test]
fn a_lock_is_not_believed_because_its_commit_says_something_else() {
    let env = repository();
    let committed = text(&env, "links.lock");
    claimed_button(&env, "Donate");
    // A checkout may change the text, so that HEAD has another lock than the work tree.
    let checked_out = text(&env, "links.lock");
    env.file("links.lock", committed);
    commit(&env);
    env.file("links.lock", checked_out);
    refused(&env, &env.run("apply --yes"));
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_symbolic_link_is_refused() {
    let env = repository();
    std::fs::rename(path(&env, "links.lock"), path(&env, "real.lock")).unwrap();
    std::os::unix::fs::symlink("real.lock", path(&env, "links.lock")).unwrap();
    commit(&env);
    env.operations();
    for line in ["plan", "apply --yes", "slots apply cafe.yaml --yes", "init --refresh"] {
        let run = env.run(line);
        assert!(run.exit == 14 && run.stderr.contains("symbolic link"), "{run}");
    }
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_shallow_clone_says_that_it_lacks_earlier_commits() {
    let env = repository();
    without_menu(&env);
    commit(&env);
    let elsewhere = tempfile::tempdir().unwrap();
    let clone = elsewhere.path().join("clone");
    let from = format!("file://{}", env.home.path().display());
    git(&env, &format!("clone -q --depth 1 {from} {}", clone.display()));
    let run = |line: &str| {
        let mut command = env.command(line.split(' '));
        let output = command.current_dir(&clone).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code().unwrap(), text)
    };
    let (exit, said) = run("apply --yes");
    assert!(exit == 14 && said.contains("fetch-depth: 0"), "{said}");
    git_in(&env, &clone, "fetch -q --unshallow");
    let (exit, said) = run("apply --yes");
    assert!(exit == 0 && said.contains("1 deleted"), "{said}");
}

#[test]
fn a_form_file_that_only_the_lock_points_at_another_form_is_not_applied_by_yes_alone() {
    let env = repository();
    let file = "form: booking\ntitle: Book a terrace\nbuttonText: Reserve\nsuccessMessage: Thanks\nfields: [{type: text, label: Name}]\n";
    env.file("booking.yaml", file);
    ok(&env, "apply --yes --allow-create 1");
    commit(&env);
    let victim = ok(&env, "forms list -o json").json()["data"][0].clone();
    let own = locked(&env).forms["booking"].clone();
    assert_ne!(victim["id"], *own);
    let id = victim["id"].as_str().unwrap();
    forge(&env, |lock| drop(lock.forms.insert("booking".into(), id.into())));
    env.operations();
    let line = format!(
        "! only links.lock says that form booking is \"{}\" ({})",
        victim["title"].as_str().unwrap(),
        victim["id"].as_str().unwrap()
    );
    let plan = env.run("plan");
    assert!(plan.exit == 3 && plan.stdout.contains(&line), "{plan}");
    refused(&env, &env.run("apply --yes"));
    // A title that the file had before is that of its form.
    forge(&env, |lock| drop(lock.forms.insert("booking".into(), own)));
    env.file("booking.yaml", file.replace("terrace", "table by the river"));
    commit(&env);
    env.operations();
    ok(&env, "apply --yes");
    assert!(writes(&env).contains(&"updateForm".to_owned()));
}

#[test]
fn a_reference_that_only_the_lock_points_at_another_form_is_not_applied_by_yes_alone() {
    let env = repository();
    env.file(
        "booking.yaml",
        "form: booking\ntitle: Terrace\nfields: [{type: text, label: Name}]\n",
    );
    ok(&env, "apply --yes --allow-create 1");
    std::fs::remove_file(path(&env, "booking.yaml")).unwrap();
    let file = text(&env, FILE);
    env.file(FILE, format!("{file}  - type: form\n    data: {{formId: {{$form: booking}}}}\n"));
    // A run here wrote which form it is.
    assert!(!env.run("plan").stdout.contains("only links.lock"));
    commit(&env);
    let own = locked(&env).forms["booking"].clone();
    let forms = ok(&env, "forms list -o json").json()["data"].clone();
    let shown = ok(&env, "slots list cafe -o json").stdout;
    let is_other = |form: &&Value| {
        let id = form["id"].as_str().unwrap();
        form["id"] != *own && !shown.contains(id)
    };
    let other = forms.as_array().unwrap().iter().find(is_other);
    let other = other.map_or_else(|| own.clone(), |form| form["id"].as_str().unwrap().into());
    forge(&env, |lock| drop(lock.forms.insert("booking".into(), other)));
    env.operations();
    let run = run_elsewhere(&env, "apply --yes");
    assert!(run.stderr.contains("only links.lock says that form booking is"), "{run}");
    refused(&env, &run);
    ok(&env, "apply --yes --trust-lock");
    // The page shows it now.
    env.file(FILE, text(&env, FILE).replace("profile: cafe\n", "profile: cafe\nbio: Anew\n"));
    assert!(!run_elsewhere(&env, "plan").stdout.contains("only links.lock"));
}

#[test]
fn a_title_that_two_forms_have_says_nothing_about_either() {
    let env = repository();
    let file =
        "form: booking\ntitle: Terrace\nbuttonText: Reserve\nfields: [{type: text, label: Name}]\n";
    env.file("booking.yaml", file);
    ok(&env, "apply --yes --allow-create 1");
    commit(&env);
    env.file("booking.yaml", file.replace("Reserve", "Book"));
    assert!(!run_elsewhere(&env, "plan").stdout.contains("only links.lock"));
    env.server.edit(|account| {
        let mut twin = account.forms.last().unwrap().clone();
        twin.id = "00000000-0000-4000-8000-000000000001".into();
        account.forms.push(twin);
    });
    env.operations();
    refused(&env, &run_elsewhere(&env, "apply --yes"));
    // This machine made the form.
    ok(&env, "apply --yes");
}

#[test]
fn an_image_that_only_the_lock_names_is_uploaded_instead() {
    let env = repository();
    env.file("logo.gif", picture(800, 800));
    env.file(FILE, "profile: cafe\navatar: {$upload: logo.gif}\n");
    ok(&env, "apply --yes --force");
    commit(&env);
    env.operations();
    assert!(ok(&env, "apply --yes").stdout.contains("no changes"));
    forge(&env, |lock| {
        for paths in lock.images.values_mut() {
            *paths = ["uploads/7/of-somebody-else.gif".to_owned()].into();
        }
    });
    env.operations();
    ok(&env, "apply --yes");
    assert!(!format!("{:?}", env.server.requests()).contains("of-somebody-else"));
    let avatar = ok(&env, "profile get cafe -o json").json()["data"]["avatar"].clone();
    assert_ne!(avatar, "uploads/7/of-somebody-else.gif");
    assert!(path(&env, "links.lock").exists());
}

/// The end of the pipe for writing opens as soon as Git opens the other one, and fails when Git has ended.
#[test]
#[cfg(target_os = "linux")]
fn git_ends_with_the_command_that_is_killed() {
    use std::io::Write;
    let env = repository();
    claimed_button(&env, "Donate");
    let alternates = path(&env, ".git/objects/info/alternates");
    assert!(Command::new("mkfifo").arg(&alternates).status().unwrap().success());
    let mut links = env.command(["plan", FILE]).spawn().unwrap();
    let (send, opened) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(std::fs::File::options().write(true).open(alternates)));
    let limit = std::time::Duration::from_secs(60);
    let mut pipe = opened.recv_timeout(limit).unwrap().unwrap();
    links.kill().unwrap();
    links.wait().unwrap();
    let (send, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        while pipe.write_all(b"#\n").is_ok() {}
        send.send(())
    });
    ended.recv_timeout(limit).unwrap();
}
