//! Tests of the checks of a CI job: logins that must be free, a page that must be as expected.

use links_fixtures::Fault;
use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn checks_print_human_readable_results_and_annotations() {
    let env = TestEnv::cafe();
    env.file("logins.txt", "# for spring\nspring.menu\n\ncafe   # the main one\nmy-links\n");
    env.file("cafe.md", "# Qara Coffee\n\nAnother text\n");
    let lines = [
        "profile check-login -f logins.txt --annotate github",
        "profile check-login cafe --as cafe",
        "profile preview cafe --expect absent.md",
        "profile preview cafe --expect cafe.md --annotate github",
        "profile preview cafe --expect cafe.md --update",
        "profile preview cafe --expect cafe.md --max-tokens 10 --annotate github",
    ];
    for line in lines {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
}

#[test]
fn logins_come_from_a_file_and_from_standard_input() {
    let env = TestEnv::cafe();
    let run =
        env.run_args(["profile", "check-login", "one.two", "-f", "-"], b"three.four\n#five\n");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.operations(), ["checkLogin", "checkLogin"]);
    let run = env
        .run_args(["profile", "check-login", "-f", "-", "-o", "json"], b"cafe\r\nspring.menu\r\n");
    assert_eq!((run.exit, &run.json()["data"][1]["available"]), (3, &json!(true)), "{run}");
    assert_eq!(env.run_args(["profile", "check-login", "-f", "-"], b"# none\n").exit, 8);
    let marked = "\u{feff}three.four\n".as_bytes();
    assert_eq!(env.run_args(["profile", "check-login", "-f", "-"], marked).exit, 0);
    assert_eq!(env.run("profile check-login -f absent.txt").exit, 2);
}

#[test]
fn checks_before_a_failure_are_kept() {
    let env = TestEnv::cafe();
    env.server.fail([2], &Fault::Before(403));
    let run = env.run("profile check-login cafe spring.menu summer.menu -o json");
    assert_eq!((run.exit, &run.json()["data"][0]["login"]), (5, &json!("cafe")), "{run}");
    assert_eq!(run.json()["data"].as_array().unwrap().len(), 1);
    assert_eq!(env.operations().len(), 2);
    // A login that is named twice is checked once.
    let run = env.run("profile check-login a.new.name a.new.name -o json");
    assert_eq!((run.exit, run.json()["data"].as_array().unwrap().len()), (0, 1), "{run}");
    assert_eq!(env.operations(), ["checkLogin"]);
    env.file("twice.txt", "cafe\ncafe\n");
    let run = env.run("profile check-login -f twice.txt --annotate github");
    for place in ["::error file=twice.txt,line=1", "::error file=twice.txt,line=2"] {
        assert!(run.to_string().contains(place), "{place}: {run}");
    }
    assert_eq!(env.operations(), ["checkLogin"]);
}

#[test]
fn a_preview_is_compared_with_the_expected_file() {
    let env = TestEnv::cafe();
    assert_eq!(env.run("profile preview cafe --expect cafe.md").exit, 2);
    assert_eq!(env.run("profile preview cafe --expect cafe.md --update").exit, 0);
    let path = env.home.path().join("cafe.md");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, env.run("profile preview cafe").stdout);
    std::fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    let run = env.run("profile preview cafe --expect cafe.md -o json");
    assert_eq!((run.exit, &run.json()["data"]["differs"]), (0, &json!(false)), "{run}");

    assert_eq!(env.run("slots set cafe 1001 title=Hello").exit, 0);
    let run = env.run("profile preview cafe --expect cafe.md -o json");
    assert_eq!(run.exit, 3, "{run}");
    let diff = run.json()["data"]["diff"].as_str().unwrap().to_owned();
    assert!(diff.starts_with("--- cafe.md\n+++ the page\n@@ "), "{diff}");
    assert!(diff.contains("\n-### Good morning!") && diff.contains("\n+### Hello"), "{diff}");
    assert_eq!(env.run("profile preview cafe --update").exit, 2);

    let tokens = env.run("profile preview cafe -o json").json()["data"]["tokens"].as_u64().unwrap();
    for (most, exit) in [(tokens, 0), (tokens - 1, 3)] {
        assert_eq!(env.run(&format!("profile preview cafe --max-tokens {most}")).exit, exit);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_preview_on_a_terminal_is_laid_out_without_markdown_syntax() {
    let env = TestEnv::cafe();
    let seen = crate::terminal::run(&env, "profile preview cafe --color never", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    for line in ["Qara Coffee", "Menu <https://qara.example/menu>", "• Phone (required)"] {
        assert!(seen.text.lines().any(|it| it.trim_end() == line), "{line}\n{}", seen.text);
    }
    assert!(!seen.text.contains(['#', '*', '\u{1b}']), "{}", seen.text);
}
