//! Tests of invalid names and ids: refused before anything is sent, and never used as the name of a file.

use std::collections::BTreeSet;
use std::path::Path;

use crate::test_env::TestEnv;

/// Every command that takes a page, with words for the rest.
const OF_PAGES: &[&[&str]] = &[
    &["profile", "get"],
    &["profile", "update", "title=x"],
    &["profile", "settings"],
    &["profile", "preview"],
    &["profile", "rename", "cafe.two", "--yes"],
    &["slots", "list"],
    &["slots", "get", "1001"],
    &["slots", "add", "divider"],
    &["slots", "delete", "1001", "--yes"],
    &["slots", "pull"],
    &["analytics", "profile"],
];

#[test]
fn an_invalid_page_key_is_refused_before_anything_is_sent() {
    let env = TestEnv::cafe();
    let long = "x".repeat(61);
    let keys = [
        "..",
        ".",
        "a/b",
        "../../etc",
        "%2e%2e",
        "a%2Fb",
        "a b",
        "кафе",
        "a?b",
        "a#b",
        "a\nb",
        "",
        &long,
        "0",
        "9223372036854775808",
        "https://links.example/2020",
        "https://links.example/a/b",
        "ftp://links.example/cafe",
    ];
    for words in OF_PAGES {
        for key in keys {
            let line = [&words[..2], &[key], &words[2..]].concat();
            let run = env.run_args(&line, b"");
            assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{key:?}\n{run}");
            let why = ["for `<KEY>`", "a value is required"];
            assert!(why.iter().any(|it| run.stderr.contains(it)), "{key:?}\n{run}");
        }
    }
    // In a page file it is an error of the file.
    for key in ["..", "a/b", "%2e%2e", &long] {
        env.file("page.yaml", format!("profile: {key:?}\nslots: []\n"));
        let run = env.run("slots plan page.yaml");
        assert_eq!(run.exit, 8, "{key}\n{run}");
        assert!(run.stderr.contains("page.yaml:1:10"), "{run}");
    }
    assert!(env.operations().is_empty());
    // A new login is held to the rules that need no service; digits only would name another page by its id.
    for login in ["..", "a/b", "%2e%2e", &long] {
        assert_eq!(env.run_args(["profile", "create", login, "--yes"], b"").exit, 3, "{login}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn an_id_is_a_positive_number_that_fits() {
    let env = TestEnv::cafe();
    for id in ["0", "-1", "9223372036854775808", "1e3", "1001.0", "", "x"] {
        for line in [
            "slots get cafe -- ID",
            "slots set cafe -- ID title=x",
            "slots delete cafe --yes -- 1001 ID",
            "slots move cafe --top -- ID",
            "slots reorder cafe -- 1001 ID",
            "slots move cafe 1001 --after=ID",
            "slots add cafe divider --before=ID",
        ] {
            let words: Vec<_> = line.split(' ').map(|it| it.replace("ID", id)).collect();
            let run = env.run_args(&words, b"");
            assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{line}: {id:?}\n{run}");
            let why = ["an ID must be a whole number", "a value is required"];
            assert!(why.iter().any(|it| run.stderr.contains(it)), "{line}: {id:?}\n{run}");
        }
    }
    for id in ["0", "-1", "9223372036854775808", "1.5", "x"] {
        env.file("page.yaml", format!("profile: cafe\nslots:\n  - {{id: {id}, type: divider}}\n"));
        let run = env.run("slots plan page.yaml");
        assert_eq!(run.exit, 8, "{id}\n{run}");
        assert!(run.stderr.contains("page.yaml:3:10"), "{run}");
    }
    assert!(env.operations().is_empty());
    let largest = env.run("slots get cafe 9223372036854775807");
    assert_eq!(largest.exit, 6, "{largest}");
}

/// Collects everything below a directory, by its path from there.
fn below(directory: &Path, from: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        found.insert(path.strip_prefix(from).unwrap().display().to_string());
        if entry.file_type().unwrap().is_dir() {
            below(&path, from, found);
        }
    }
}

#[test]
fn no_name_of_the_service_becomes_a_path() {
    const EVIL: &str = "../../../evil";
    let env = TestEnv::cafe().keeping_state();
    let work = env.home.path().join("a/b/c");
    std::fs::create_dir_all(&work).unwrap();
    let kept = env.home.path().join("x/y");
    let at = |name: &str| kept.join(name).display().to_string();
    let env = env
        .env("TMPDIR", work.display().to_string())
        .env("LINKS_STATE_DIR", at("state"))
        .env("LINKS_CACHE_DIR", at("cache"))
        .env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| {
        account.profiles[0].login = EVIL.to_owned();
        account.profiles[0].title = Some(EVIL.to_owned());
        account.profiles[0].avatar = Some(EVIL.to_owned());
        account.forms[0].title = EVIL.to_owned();
        for slot in &mut account.profiles[0].slots {
            slot.data.insert("image".to_owned(), EVIL.into());
            slot.data.insert("title".to_owned(), EVIL.into());
        }
    });
    std::fs::write(work.join("page.yaml"), "profile: 101\nslots:\n  - {type: divider}\n").unwrap();
    for line in [
        "profile list",
        "profile get 101",
        "profile preview 101",
        "slots list 101",
        "slots get 101 1003",
        "forms list",
        "slots pull 101",
        "slots pull 101 -O out.yaml",
        "slots plan page.yaml",
        "slots apply page.yaml",
        "log",
        "schema page 101",
    ] {
        let mut command = env.command(line.split(' '));
        command.current_dir(&work);
        let output = command.output().unwrap();
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 2 | 3)),
            "{line} {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let mut found = BTreeSet::new();
    below(env.home.path(), env.home.path(), &mut found);
    assert!(found.iter().all(|it| !it.contains("evil")), "{found:?}");
    let strange: Vec<_> =
        found.iter().filter(|it| !["a", "x"].contains(&it.split('/').next().unwrap())).collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(
        found.contains("a/b/c/out.yaml") && found.iter().any(|it| it.starts_with("x/y/state/"))
    );
    // A path that the user names is the user's, wherever it leads.
    let mut command = env.command(["slots", "pull", "101", "-O", "../up.yaml"]);
    assert!(command.current_dir(&work).output().unwrap().status.success());
    assert!(work.join("../up.yaml").exists());
}
