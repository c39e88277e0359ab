//! Tests of files that a repository names or contains: links out of it, files of other users, endless files, and keys of `links.lock` that
//! lead elsewhere. Nothing outside is read, quoted, written or told to exist.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::PathBuf;

use crate::steps::{ok, path, text, writes};
use crate::test_env::{CommandResult, TestEnv};

const SECRET: &str = "hidden-in-plain-sight";
const PAGE: &str = "profile: cafe\ntitle: Anew\n";
/// User id of a neighbor.
const NEIGHBOR: u32 = 12345;

/// Returns an environment whose work tree is the home directory, and the path of a file outside.
fn repository() -> (TestEnv, tempfile::TempDir, PathBuf) {
    let env = TestEnv::cafe().keeping_cache().env("LINKS_TEST_NO_WAIT", "1");
    fs::create_dir(path(&env, ".git")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("secret");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    (env, outside, file)
}

fn refused(run: &CommandResult) {
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("a symbolic link in its path points outside"), "{run}");
    assert!(!format!("{run}").contains(SECRET), "{run}");
}

/// Plans a page file that changes a title.
fn planned(env: &TestEnv, file: &str) {
    let run = env.run(&format!("plan {file}"));
    assert!(run.exit == 3 && run.stdout.contains("Anew"), "{run}");
}

/// Runs a line with a file that is a link out, to a file that exists and to one that does not. Returns the output, which is the same.
fn refused_alike(env: &TestEnv, outside: &std::path::Path, name: &str, line: &str) {
    let errors = ["secret", "absent"].map(|target| {
        let _ = fs::remove_file(path(env, name));
        symlink(outside.join(target), path(env, name)).unwrap();
        let run = env.run(line);
        refused(&run);
        assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), format!("{SECRET}\n"));
        assert!(!outside.join("absent").exists(), "{run}");
        run.stderr
    });
    assert_eq!(errors[0], errors[1], "{line}");
    let written = writes(env);
    assert!(written.iter().all(|it| it == "previewProfileMarkdown"), "{line}: {written:?}");
    fs::remove_file(path(env, name)).unwrap();
}

#[test]
fn a_named_file_that_is_a_link_out_of_the_work_tree_is_neither_read_nor_written() {
    let (env, outside, _) = repository();
    env.file("page.yaml", PAGE);
    // Caches the slot types.
    planned(&env, "page.yaml");
    for line in [
        "profile check-login -f in --annotate github",
        "profile preview cafe --expect in",
        "profile preview cafe --expect in --update",
        "slots import --type text cafe in",
        "slots import --type text cafe ./in",
        "slots plan in",
        "slots apply in --yes",
        "slots plan --plan in",
        "apply in",
        "plan in",
        "preview in",
        "pull cafe -O in",
        "pull cafe -O in --force",
        "slots pull cafe -O in",
        "slots pull cafe -O in --force",
        "slots add cafe text title=@in",
        "profile update cafe title=@in",
        "forms create in",
        "profile update cafe in",
        "api POST /profiles --input in",
        "files upload in",
        "check ./in",
        "check --baseline in",
        "check ./page.yaml --baseline in --update-baseline",
        "plan . --summary in",
    ] {
        env.file("page.yaml", PAGE);
        refused_alike(&env, outside.path(), "in", line);
    }
}

#[test]
fn a_link_in_the_middle_of_a_path_does_not_lead_out() {
    let (env, outside, _) = repository();
    symlink(outside.path(), path(&env, "pages")).unwrap();
    fs::write(outside.path().join("page.yaml"), PAGE).unwrap();
    for line in [
        "apply pages",
        "apply pages/page.yaml",
        "apply pages/absent.yaml",
        "pull cafe -O pages/page.yaml --force",
        "pull cafe -O pages/new.yaml",
        "pull cafe -O pages/",
        "slots pull cafe -O pages/new.yaml",
        "slots plan pages/page.yaml",
        "man pages",
        "init pages",
    ] {
        refused(&env.run(line));
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_link_within_the_work_tree_and_the_users_own_link_are_followed() {
    let (env, outside, _) = repository();
    fs::create_dir(path(&env, "pages")).unwrap();
    env.file("pages/page.yaml", PAGE);
    symlink("pages/page.yaml", path(&env, "page.yaml")).unwrap();
    planned(&env, "page.yaml");
    ok(&env, "apply page.yaml");
    assert!(path(&env, "page.yaml").is_symlink());
    // Outside of a work tree, a link is the user's.
    let own = TestEnv::cafe();
    fs::write(outside.path().join("mine.yaml"), PAGE).unwrap();
    symlink(outside.path().join("mine.yaml"), path(&own, "mine.yaml")).unwrap();
    planned(&own, "mine.yaml");
}

#[test]
fn a_work_tree_of_git_worktree_and_a_submodule_are_left_by_no_link() {
    let (env, _outside, _) = repository();
    fs::create_dir(path(&env, "module")).unwrap();
    env.file("module/.git", "gitdir: ../.git/modules/module\n");
    env.file("page.yaml", PAGE);
    symlink("../page.yaml", path(&env, "module/page.yaml")).unwrap();
    refused(&env.run("plan module/page.yaml"));
}

#[test]
fn a_directory_is_made_safe_by_the_variable_or_the_configuration() {
    let (env, outside, _) = repository();
    let shared = outside.path().canonicalize().unwrap();
    fs::write(shared.join("page.yaml"), PAGE).unwrap();
    symlink(shared.join("page.yaml"), path(&env, "page.yaml")).unwrap();
    refused(&env.run("plan page.yaml"));
    // A relative path would be another directory elsewhere.
    let name = shared.file_name().unwrap().display();
    let env = env.env("LINKS_SAFE_DIRECTORY", format!("../{name}"));
    refused(&env.run("plan page.yaml"));
    let safe = env.env("LINKS_SAFE_DIRECTORY", shared.display().to_string());
    planned(&safe, "page.yaml");
    // A star accepts every owner, and no link.
    let safe = safe.env("LINKS_SAFE_DIRECTORY", "*");
    refused(&safe.run("plan page.yaml"));
    let safe = safe.env("LINKS_SAFE_DIRECTORY", "");
    ok(&safe, &format!("config set safe-directory {}", shared.display()));
    planned(&safe, "page.yaml");
}

#[test]
fn init_writes_through_no_link_and_replaces_nothing_that_is_not_a_lock() {
    let (env, outside, secret) = repository();
    env.file("$(touch X).yaml", PAGE);
    refused_alike(&env, outside.path(), "links.lock", "init --refresh");
    symlink(outside.path().join("absent"), path(&env, "links.lock")).unwrap();
    assert_ne!(env.run("init").exit, 0);
    fs::remove_file(path(&env, "links.lock")).unwrap();
    // A link within the work tree leads to a file that is not a lock.
    env.file("deploy.sh", "echo deploy\n");
    symlink("deploy.sh", path(&env, "links.lock")).unwrap();
    let run = env.run("init --refresh");
    assert_eq!((run.exit, text(&env, "deploy.sh").as_str()), (14, "echo deploy\n"), "{run}");
    fs::remove_file(path(&env, "links.lock")).unwrap();
    // Nor is another file with the name replaced.
    env.file("links.lock", "lockfileVersion: 3\n");
    assert_eq!(env.run("init --refresh").exit, 14);
    assert_eq!(text(&env, "links.lock"), "lockfileVersion: 3\n");
    fs::remove_file(path(&env, "links.lock")).unwrap();
    for target in [secret.as_path(), std::path::Path::new("deploy.sh")] {
        symlink(target, path(&env, ".gitattributes")).unwrap();
        let run = ok(&env, "init");
        assert!(run.stdout.contains("cannot write .gitattributes"), "{run}");
        fs::remove_file(path(&env, ".gitattributes")).unwrap();
        fs::remove_file(path(&env, "links.lock")).unwrap();
    }
    assert_eq!(text(&env, "deploy.sh"), "echo deploy\n");
    assert_eq!(fs::read_to_string(secret).unwrap(), format!("{SECRET}\n"));
}

#[test]
fn an_endless_or_blocking_lock_ends_the_command() {
    let (env, _outside, _) = repository();
    env.file("page.yaml", PAGE);
    let lock = path(&env, "links.lock");
    symlink("/dev/zero", &lock).unwrap();
    refused(&env.run("plan page.yaml"));
    fs::remove_file(&lock).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&lock).status().unwrap();
    assert!(made.success());
    let run = env.run("plan page.yaml");
    assert!(run.exit == 14 && run.stderr.contains("a named pipe"), "{run}");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let run = env.run("plan page.yaml");
    assert!(run.exit == 14 && run.stderr.contains("a directory"), "{run}");
    fs::remove_dir(&lock).unwrap();
    symlink("links.lock", &lock).unwrap();
    assert_eq!(env.run("plan page.yaml").exit, 14);
    fs::remove_file(&lock).unwrap();
    fs::File::create(&lock).unwrap().set_len(65 << 20).unwrap();
    let run = env.run("plan page.yaml");
    assert!(run.exit == 14 && run.stderr.contains("larger than 64 MB"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_key_of_the_lock_that_leads_elsewhere_is_named_and_nothing_is_written() {
    let (env, outside, _) = repository();
    env.file("page.yaml", PAGE);
    ok(&env, "init");
    ok(&env, "apply page.yaml");
    env.operations();
    let lock = text(&env, "links.lock");
    symlink(outside.path(), path(&env, "elsewhere")).unwrap();
    let outside = outside.path().join("secret").display().to_string();
    for key in [
        outside.as_str(),
        "../secret",
        "pages/../../secret",
        "./page.yaml",
        "%",
        "pages//page.yaml",
        "pages/",
        "C:/page.yaml",
        "c:page.yaml",
        r"..\secret",
        r"\\server\share",
        "page%00.yaml",
        ".git/config",
        "sub/.GIT/hooks/post-checkout",
        "links.lock",
        "elsewhere/secret",
        "elsewhere/absent",
    ] {
        let broken = lock.replace(" page.yaml\n", &format!(" {key}\n"));
        assert_ne!(broken, lock);
        env.file("links.lock", &broken);
        for line in
            ["pull --all --force", "pull --all", "plan .", "apply page.yaml", "init --refresh"]
        {
            let run = env.run(line);
            assert_eq!(run.exit, 14, "{key}\n{run}");
            assert!(run.stderr.contains("is not a file below its directory"), "{key}\n{run}");
            assert!(!run.stderr.contains(SECRET), "{key}\n{run}");
        }
        assert_eq!(text(&env, "links.lock"), broken);
        assert_eq!(writes(&env), [""; 0], "{key}");
    }
    assert_eq!(fs::read_to_string(outside).unwrap(), format!("{SECRET}\n"));
}

#[test]
fn a_pull_writes_into_no_linked_directory() {
    for (directory, line) in [("images", "pull --all --images"), ("forms", "pull --all")] {
        for target in ["", "absent"] {
            let (env, outside, _) = repository();
            symlink(outside.path().join(target), path(&env, directory)).unwrap();
            refused(&env.run(line));
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{directory}");
            let files = fs::read_dir(env.home.path()).unwrap().flatten();
            let pages = files.filter(|it| it.path().extension().is_some_and(|it| it == "yaml"));
            assert_eq!(pages.count(), 0);
        }
    }
}

/// Tests run as root in a container, and only root can give files away.
#[expect(clippy::print_stderr, reason = "a test that is skipped has to say so")]
fn can_give_away() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("SKIPPED, NOTHING IS TESTED: only root can give files away");
    }
    is_root
}

#[test]
fn files_of_another_user_are_refused_unless_their_directory_is_safe() {
    if !can_give_away() {
        return;
    }
    let (env, _outside, _) = repository();
    env.file("page.yaml", PAGE);
    env.file("logins.txt", "qara\n");
    for file in ["page.yaml", "logins.txt"] {
        chown(path(&env, file), Some(NEIGHBOR), None).unwrap();
    }
    let foreign = |run: CommandResult| {
        assert!(run.exit == 14 && run.stderr.contains("belongs to another user"), "{run}");
        assert!(run.stderr.contains("LINKS_SAFE_DIRECTORY"), "{run}");
    };
    foreign(env.run("plan page.yaml"));
    foreign(env.run("profile check-login -f logins.txt"));
    let home = env.home.path().display().to_string();
    let safe = env.env("LINKS_SAFE_DIRECTORY", home);
    planned(&safe, "page.yaml");
    ok(&safe.env("LINKS_SAFE_DIRECTORY", "*"), "profile check-login -f logins.txt");
}

#[test]
fn a_lock_of_a_neighbor_above_does_not_count() {
    if !can_give_away() {
        return;
    }
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    let set_mode = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(env.home.path(), mode).unwrap();
    };
    ok(&env, "init");
    env.file("neighbor.yaml", PAGE);
    for file in ["links.lock", "neighbor.yaml"] {
        chown(path(&env, file), Some(NEIGHBOR), None).unwrap();
    }
    let work = path(&env, "work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("page.yaml"), PAGE).unwrap();
    let run = |line: &str| {
        let mut command = env.command(line.split_whitespace());
        let output = command.current_dir(&work).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // A directory for temporary files: anybody may have put the lock there.
    set_mode(0o1777);
    let (exit, stderr) = run("apply");
    assert!(
        exit == 2 && stderr.contains("no links.lock found in this directory or its parents"),
        "{stderr}"
    );
    let (exit, stderr) = run("plan page.yaml");
    assert!(exit == 3 && !stderr.contains("another user"), "{stderr}");
    // A checkout of another user: its lock is not passed over in silence.
    set_mode(0o755);
    let (exit, stderr) = run("plan page.yaml");
    assert!(exit == 14 && stderr.contains("belongs to another user"), "{stderr}");
    // So is a directory on the way.
    chown(path(&env, "links.lock"), Some(0), None).unwrap();
    chown(&work, Some(NEIGHBOR), None).unwrap();
    let (exit, stderr) = run("plan page.yaml");
    assert!(exit == 14 && stderr.contains("belongs to another user"), "{stderr}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn standard_input_that_is_named_twice_is_the_same_text() {
    let env = TestEnv::cafe();
    let words = ["slots", "set", "cafe", "1001", "title=@-", "description=@-"];
    let run = env.run_args(words, b"Once");
    assert_eq!(run.exit, 0, "{run}");
    let data = env.server.account().profiles[0].slots[0].data.clone();
    assert_eq!(
        (&data["title"], &data["description"]),
        (&serde_json::json!("Once"), &serde_json::json!("Once"))
    );
    let page = "profile: cafe\ntitle: Piped\nslots: []\n";
    env.file("other.yaml", page.replace("cafe", "qara.weddings"));
    let run = env.run_args(["preview", "-", "other.yaml", "--offline"], page.as_bytes());
    assert!(run.exit == 0 && run.stdout.matches("Piped").count() == 2, "{run}");
}
