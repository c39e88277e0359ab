//! Tests of `links doctor --report`: it has what a report of a bug needs, and nothing that is no one else's business.

use links_test_support::canned::Canned;
use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv};

const TOKEN: &str = "pps_canary_4f7a1c9e_report";
const TEXT: &str = "Canary text of a page";
const SECRET: &str = "canary-password";

fn report(env: &TestEnv) -> (CommandResult, String) {
    let path = env.home.path().join("report.json");
    let _ = std::fs::remove_file(&path);
    let run = env.run("doctor --report report.json");
    (run, std::fs::read_to_string(path).unwrap())
}

/// Returns an environment in which everything that must not be in a report has a mark.
fn marked() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().keeping_cache();
    env.server.edit(|account| {
        TOKEN.clone_into(&mut account.tokens[0].token);
        "Canary Person".clone_into(&mut account.name);
        "canary.login".clone_into(&mut account.profiles[0].login);
        account.profiles[0].title = Some(TEXT.to_owned());
    });
    let config = env.home.path().join("canary-config");
    std::fs::create_dir(&config).unwrap();
    std::fs::write(config.join("config.toml"), "timeout = 4711\nmax-wait = 4712\n").unwrap();
    let env = env.env("LINKS_CONFIG_DIR", config.display().to_string());
    let proxy = format!("http://canary:{SECRET}@127.0.0.1:9");
    env.env("LINKS_TOKEN", TOKEN).env("FTP_PROXY", proxy).env("EDITOR", "canary-editor")
}

/// Checks that no mark is in a text, in any case or encoding that the program could use.
fn has_no_mark(env: &TestEnv, text: &str) {
    let home = env.home.path().display().to_string();
    let name = env.home.path().file_name().unwrap().to_str().unwrap();
    let marks =
        [TOKEN, TEXT, SECRET, "Canary", "canary", "4711", "4712", &home, name, "/home", "/tmp"];
    for mark in marks {
        assert!(!text.contains(mark), "{mark}:\n{text}");
    }
}

#[test]
fn a_report_has_what_a_bug_needs() {
    let env = marked();
    let title = format!("title={TEXT}");
    let written = env.run_args(["slots", "set", "canary.login", "1001", &title], b"");
    assert_eq!(written.exit, 0, "{written}");
    let (run, text) = report(&env);
    assert!(run.stderr.contains("wrote report.json"), "{run}");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["links"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["system"]["os"], std::env::consts::OS);
    let service = json!({"from": "LINKS_BASE_URL", "scheme": "http", "host": "loopback", "isUsualPath": true});
    assert_eq!(report["service"], service);
    assert_eq!(report["token"], "LINKS_TOKEN");
    assert_eq!(report["configKeys"], json!(["timeout", "max-wait"]));
    let variables: Vec<String> = serde_json::from_value(report["variables"].clone()).unwrap();
    for name in ["LINKS_TOKEN", "LINKS_CONFIG_DIR", "EDITOR"] {
        assert!(variables.contains(&name.to_owned()), "{variables:?}");
    }
    let checks = report["checks"].as_array().unwrap();
    let limits = checks.iter().find(|it| it["check"] == "limits").unwrap();
    assert_eq!(limits["message"], "2 of 100 pages and 1 of 5 tokens in use");
    let [write] = &report["writes"].as_array().unwrap()[..] else { panic!("{text}") };
    assert_eq!(
        (&write["command"], &write["state"]),
        (&"slots set".into(), &"done".into()),
        "{text}"
    );
    has_no_mark(&env, &text);
}

#[test]
fn a_report_has_no_marks_whatever_was_written_and_whatever_fails() {
    let env = marked();
    env.file("page.yaml", format!("profile: canary.login\ntitle: {TEXT} again\nslots:\n  - {{id: 1001, type: text, data: {{title: {TEXT}}}}}\n"));
    assert_eq!(env.run("apply page.yaml --yes").exit, 0);
    assert_eq!(env.run("undo --yes").exit, 0);
    assert_eq!(env.run("profile update canary.login moodText=Canary").exit, 0);
    has_no_mark(&env, &report(&env).1);

    // A service that fails with a text of its own.
    let message = json!({"message": format!("{TEXT} {TOKEN} /home/canary")}).to_string();
    let service = Canned::start(vec![(500, message); 9]);
    let url = format!("{}/api/v1", service.origin());
    let env = env.env("LINKS_BASE_URL", url).env("LINKS_TEST_NO_WAIT", "1");
    let (run, text) = report(&env);
    assert_ne!(run.exit, 0, "{run}");
    has_no_mark(&env, &text);

    // A URL with a password and a query, one with the token in the wrong place, and one that is none.
    for url in [
        format!("http://canary:{SECRET}@127.0.0.1:9/api/v1?key={SECRET}"),
        format!("http://127.0.0.1:9/t/{TOKEN}/api/v1"),
        format!("https://{TOKEN}.example/api/v1"),
        format!("{TEXT}://"),
    ] {
        let env = marked().env("LINKS_BASE_URL", url);
        let (run, text) = report(&env);
        assert_ne!(run.exit, 0, "{run}");
        assert!([SECRET, TOKEN, TEXT].iter().all(|it| !text.contains(it)), "{text}");
    }

    // Files that are no journals, and a configuration that cannot be read.
    let env = marked();
    std::fs::write(env.home.path().join("canary-config/config.toml"), format!("{TEXT} = ["))
        .unwrap();
    let (run, text) = report(&env);
    assert_ne!(run.exit, 0, "{run}");
    has_no_mark(&env, &text);
}

#[test]
fn a_report_replaces_no_file() {
    let env = marked();
    env.file("report.json", TEXT);
    let run = env.run("doctor --report report.json -o json");
    assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
    assert_eq!(std::fs::read_to_string(env.home.path().join("report.json")).unwrap(), TEXT);
    assert_eq!(env.run("doctor --report missing/report.json").exit, 2);
    assert_eq!(env.run("doctor --report -").exit, 2);
}
