//! Tests of the keys of a page: id, login or URL, wherever a command takes one.

use crate::leaves;
use crate::test_env::{CommandResult, TestEnv};

/// Returns the arguments of a leaf that name a page.
fn takes_page(leaf: &str) -> bool {
    let tree = links_cli::command();
    let command =
        leaf.split(' ').fold(&tree, |command, name| command.find_subcommand(name).unwrap());
    command
        .get_positionals()
        .any(|it| it.get_value_names().is_some_and(|names| names.iter().any(|name| name == "KEY")))
}

#[test]
fn every_leaf_that_takes_a_page_takes_an_id_a_login_and_a_url() {
    let mut tried = 0;
    for leaf in leaves::names().iter().filter(|it| takes_page(it)) {
        let words = leaves::words(leaf);
        let page = words.first().copied().unwrap_or("cafe");
        let (id, rest) = if page == "cafe" { ("101", &words) } else { ("102", &words) };
        let before = leaves::env();
        let plain = leaves::run(&before, leaf, &[]);
        assert_eq!(plain.exit, 0, "{leaf}\n{plain}");
        let operations = before.operations();
        let run = |env: &TestEnv, key: &str| {
            leaves::run_words(env, leaf, &[&[key], rest.get(1..).unwrap_or_default()].concat())
        };
        for (key, is_url) in [
            (id, false),
            (&format!("https://links.example/{page}"), true),
            (&format!("http://LINKS.example:80/{page}/?a=b#c"), true),
        ] {
            let env = leaves::env();
            let run = run(&env, key);
            assert_eq!(run.exit, 0, "{leaf} {key}\n{run}");
            let said = |run: &CommandResult| -> Vec<String> {
                let lines = run.stdout.lines().filter(|line| !line.ends_with(" requests"));
                lines.map(str::to_owned).collect()
            };
            assert_eq!(said(&run), said(&plain), "{leaf} {key}");
            let sent = env.operations();
            if is_url {
                // The host of the page is asked for. With one request more, one that writes may have to wait for the limits, and look again.
                assert_eq!(sent.first().map(String::as_str), Some("getProfile"), "{leaf}");
                let mut rest = sent.iter();
                assert!(operations.iter().all(|it| rest.any(|other| other == it)), "{sent:?}");
                assert!(sent.len() <= operations.len() + 2, "{leaf}: {sent:?}");
                if leaf == "profile open" || leaf.starts_with("profile socials") {
                    assert_eq!(sent, operations, "{leaf}: the page is read once");
                }
            } else {
                assert_eq!(sent, operations, "{leaf} {key}");
            }
        }
        for host in ["evil.test", "links.example@evil.test"] {
            let env = leaves::env();
            let run = run(&env, &format!("https://{host}/{page}"));
            assert!(run.exit == 8 && run.stdout.is_empty(), "{leaf}\n{run}");
            assert!(run.stderr.contains("is on links.example, not on evil.test"), "{leaf}\n{run}");
            assert_eq!(env.operations(), ["getProfile"], "{leaf}");
        }
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn a_page_file_and_check_login_take_an_id_a_login_and_a_url() {
    let env = TestEnv::cafe();
    for key in ["cafe", "101", "https://links.example/cafe"] {
        env.file("page.yaml", format!("profile: {key}\nslots: [{{id: 1001, type: text}}]\n"));
        let run = env.run("slots plan page.yaml");
        assert_eq!(run.exit, 0, "{run}");
        let run = env.run(&format!("profile check-login cafe --as {key}"));
        assert_eq!(run.exit, 0, "{run}");
    }
    env.operations();
    for line in [
        "profile check-login cafe --as URL",
        "undo --page URL --yes",
        "search menu URL",
        "check URL",
        "pull URL -O other.yaml",
        "plan URL",
        "apply URL --yes",
        "preview URL",
        "plan page.yaml --only URL",
        "apply page.yaml --yes --only URL",
        "slots plan page.yaml --only URL",
        "slots apply page.yaml --yes --only URL",
    ] {
        let run = env.run(&line.replace("URL", "https://evil.test/cafe"));
        assert_eq!((run.exit, env.operations()), (8, vec!["getProfile".to_owned()]), "{run}");
        assert!(run.stderr.contains("is on links.example, not on evil.test"), "{run}");
    }
}
