//! Tests of histories with repositories of their own.

use super::*;

fn git(root: &Path, line: &str) {
    let mut command = Command::new("git");
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@x");
    }
    let output = command.arg("-C").arg(root).args(line.split(' ')).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(root: &Path, file: &str, text: &str) {
    std::fs::write(root.join(file), text).unwrap();
    git(root, "add -A");
    git(root, "commit -q --allow-empty -m x");
}

fn versions(root: &Path, file: &str) -> (Vec<String>, Option<&'static str>) {
    let mut found = Vec::new();
    let each = |_: &mut History, _: &str, text| {
        found.push(String::from_utf8(text).unwrap());
        false
    };
    let end = with(root, |history| history.versions(&root.join(file), each)).unwrap().unwrap();
    (found, end)
}

fn repository() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap().join("work");
    std::fs::create_dir_all(root.join("pages")).unwrap();
    git(&root, "init -q -b main");
    (directory, root)
}

#[test]
fn the_versions_of_a_file_are_those_of_the_first_parents() {
    let (directory, root) = repository();
    assert_eq!(versions(&root, "pages/a"), (vec![], None));
    commit(&root, "pages/a", "one");
    commit(&root, "other", "");
    git(&root, "checkout -q -b branch");
    commit(&root, "pages/a", "of the branch");
    commit(&root, "pages/a", "merged");
    git(&root, "checkout -q main");
    commit(&root, "main", "");
    git(&root, "merge -q --no-ff -m x branch");
    std::fs::write(root.join("pages/a"), "not committed").unwrap();
    let expected = vec!["merged".to_owned(), "one".to_owned()];
    assert_eq!(versions(&root, "pages/a"), (expected.clone(), None));
    let below = root.join("pages");
    let head = with(&below, |history| history.head(&below.join("a"))).unwrap().unwrap();
    assert_eq!(head.as_deref(), Some(&b"merged"[..]));
    assert_eq!(versions(&root, "pages").0, [""; 0], "a directory is no file");
    let shallow = directory.path().canonicalize().unwrap().join("shallow");
    let from = format!("file://{}", root.display());
    git(&root, &format!("clone -q --depth 1 {from} {}", shallow.display()));
    assert_eq!(versions(&shallow, "pages/a"), (expected[..1].to_vec(), Some(SHALLOW)));
    assert!(with(directory.path(), |_| Ok(())).is_none());
}

#[test]
fn a_repository_runs_nothing_and_replaces_no_object() {
    let (directory, root) = repository();
    commit(&root, "a", "one\n");
    let ran = directory.path().canonicalize().unwrap().join("ran");
    let touch = format!("touch {}", ran.display());
    for name in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.x.textconv",
        "filter.x.smudge",
        "filter.x.clean",
        "alias.cat-file",
        "gpg.program",
        "credential.helper",
    ] {
        let mut command = Command::new("git");
        let set = command.arg("-C").arg(&root).args(["config", name, &touch]).status();
        assert!(set.unwrap().success());
    }
    // A clone that lacks objects fetches them when it is asked for one.
    for line in [
        "config extensions.partialClone evil",
        "config core.repositoryFormatVersion 1",
        "config remote.evil.promisor true",
        "config protocol.ext.allow always",
    ] {
        git(&root, line);
    }
    let url = format!("ext::sh -c {}", touch.replace(' ', "% "));
    let mut command = Command::new("git");
    command.arg("-C").arg(&root).args(["config", "remote.evil.url", &url]);
    assert!(command.status().unwrap().success());
    std::fs::write(root.join(".git/info/attributes"), "* diff=x filter=x\n").unwrap();
    let missing = "0123456789012345678901234567890123456789";
    let seen = with(&root, |history| {
        assert!(history.object(missing)?.is_none());
        history.head(&root.join("a"))
    });
    assert_eq!(seen.unwrap().unwrap().as_deref(), Some(&b"one\n"[..]));
    assert!(!ran.exists());
}

#[test]
fn a_git_that_does_not_respond_is_killed_at_the_deadline() {
    let (_directory, root) = repository();
    commit(&root, "a", "one");
    let alternates = root.join(".git/objects/info/alternates");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &alternates,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let mut id = 0;
    let asked = with(&root, |history| {
        id = history.contents.child.id();
        history.deadline = now();
        history.head(&root.join("a"))
    });
    assert_eq!(asked.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    let process = rustix::process::Pid::from_raw(id.cast_signed()).unwrap();
    rustix::process::test_kill_process(process).unwrap_err();
    // The next question starts another one.
    std::fs::remove_file(alternates).unwrap();
    let head = with(&root, |history| history.head(&root.join("a"))).unwrap().unwrap();
    assert_eq!(head.as_deref(), Some(&b"one"[..]));
}

#[test]
fn an_object_that_is_too_large_spoils_no_other_question() {
    let (_directory, root) = repository();
    commit(&root, "a", "one");
    std::fs::File::create(root.join("large")).unwrap().set_len(OBJECT_MAX + 1).unwrap();
    git(&root, "add -A");
    git(&root, "commit -q -m x");
    let (mut first, mut second) = (0, 0);
    let large = with(&root, |history| {
        first = history.contents.child.id();
        history.head(&root.join("large"))
    });
    let why = large.unwrap().unwrap_err().to_string();
    assert!(why.starts_with("a file in the Git history is larger than 64 MiB"), "{why}");
    let head = with(&root, |history| {
        second = history.contents.child.id();
        history.head(&root.join("a"))
    });
    assert_eq!(head.unwrap().unwrap().as_deref(), Some(&b"one"[..]));
    assert_eq!(first, second, "a confined command cannot start another one");
}

#[test]
fn a_link_to_the_repository_of_another_user_is_not_read() {
    let (directory, root) = repository();
    commit(&root, "a", "one");
    let foreign = directory.path().join("foreign");
    std::fs::rename(root.join(".git"), &foreign).unwrap();
    for is_link in [true, false] {
        let git = root.join(".git");
        if is_link {
            std::os::unix::fs::symlink(&foreign, &git).unwrap();
        } else {
            std::fs::remove_file(&git).unwrap();
            std::fs::write(&git, format!("gitdir: {}\n", foreign.display())).unwrap();
        }
        let head = || with(&root, |history| history.head(&root.join("a"))).unwrap();
        std::os::unix::fs::chown(&foreign, Some(rustix::process::geteuid().as_raw()), None)
            .unwrap();
        HISTORIES.lock().unwrap().0.retain(|history| history.root != root);
        assert!(head().unwrap().is_some());
        // Only root can give a directory away.
        if std::os::unix::fs::chown(&foreign, Some(12345), None).is_ok() {
            HISTORIES.lock().unwrap().0.retain(|history| history.root != root);
            head().unwrap_err();
        }
    }
}

#[test]
fn a_repository_that_a_neighbor_put_above_does_not_count() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let (directory, root) = repository();
    let above = directory.path().canonicalize().unwrap();
    let below = above.join("below");
    std::fs::create_dir(&below).unwrap();
    std::fs::rename(root.join(".git"), above.join(".git")).unwrap();
    let ask = || with(&below, |_| Ok(()));
    assert!(ask().is_some());
    // Only root can give a directory away.
    if chown(above.join(".git"), Some(12345), None).is_ok() {
        HISTORIES.lock().unwrap().0.retain(|history| history.root != above);
        ask().unwrap().unwrap_err();
        std::fs::set_permissions(&above, std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(ask().is_none());
    }
}

#[test]
fn ancestors_are_read_along_all_parents_and_each_version_once() {
    let (_directory, root) = repository();
    commit(&root, "lock", "one");
    // Two commits of one author on one parent at one time have one place.
    let empty = |author: &str, count: usize| {
        for nth in 0..count {
            let author = format!("--author={author}<x@x>");
            git(&root, &format!("commit -q --allow-empty {author} -m {nth}"));
        }
    };
    empty("a", 70);
    git(&root, "checkout -q -b side");
    commit(&root, "lock", "two");
    empty("b", 10);
    git(&root, "checkout -q -");
    empty("c", 10);
    commit(&root, "lock", "three");
    git(&root, "merge -q -s ours --no-edit side");
    let file = root.join("lock");
    let read = |file: Option<&Path>, wanted: BTreeSet<u64>| {
        with(&root, |history| history.ancestry(file, wanted)).unwrap().unwrap()
    };
    let found = read(Some(&file), BTreeSet::new());
    assert_eq!((found.places.len(), found.gap), (94, None));
    let head = || with(&root, History::head_place).unwrap().unwrap();
    let before = head();
    assert!(found.places.contains(&before));
    let versions: BTreeMap<_, _> = found
        .versions
        .iter()
        .map(|(content, commits)| (String::from_utf8_lossy(content).into_owned(), commits.len()))
        .collect();
    assert_eq!(
        versions,
        [("one", 81), ("three", 2), ("two", 11)].map(|(v, n)| (v.into(), n)).into()
    );
    let one = found.versions.iter().find(|(content, _)| content == b"one").unwrap();
    let contents = with(&root, |history| history.contents(&file, &one.1)).unwrap().unwrap();
    assert_eq!(contents.len(), 1);
    assert_eq!(contents[0].1, b"one");
    // Without a version of the file, only what is searched for leads further.
    assert_eq!(read(None, BTreeSet::new()).places.len(), 1);
    assert_eq!(read(None, [1].into()).places.len(), 94);
    // An amend keeps the place.
    git(&root, "commit -q --amend -m again");
    assert_eq!(head(), before);
}
