//! Tests of messages beside the data: requests with `-v`, and hints for wrong commands.

use crate::test_env::TestEnv;

#[test]
fn verbose_prints_one_line_per_request_and_leaves_stdout_unchanged() {
    let env = TestEnv::cafe();
    let plain = env.run("slots list cafe -o json");
    for how in ["-v", "--verbose"] {
        let run = env.run(&format!("slots list cafe -o json {how}"));
        assert_eq!(run.stdout, plain.stdout);
        let lines: Vec<_> = run.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{run}");
        assert!(lines[0].starts_with("GET /api/v1/profiles/cafe/slots → 200, "), "{run}");
        assert!(
            lines[0].contains(" ms, ") && lines[0].ends_with("requests left this minute"),
            "{run}"
        );
    }
    let run = env.env("LINKS_LOG", "1").run("me");
    assert!(run.stderr.starts_with("GET /api/v1/me → 200, "), "{run}");
}

#[test]
fn headers_and_bodies_are_shown_without_secrets() {
    const CANARY: &str = "canary-91c4-token";
    let env = TestEnv::cafe();
    let token = env.server.token();
    for line in [
        "me -vv",
        "slots get cafe 1002 -vv",
        "profile preview cafe -vv",
        "forms create title=x fields:=[] -vv",
        "me -vv -o json --base-url http://127.0.0.1:1",
    ] {
        let run = env.run(line);
        assert!(!run.to_string().contains(&token), "{run}");
        assert!(!run.to_string().contains("lnk_"), "{run}");
    }
    let run = env.run("slots get cafe 1002 -vv");
    assert!(run.stderr.contains("> authorization: ***\n"), "{run}");
    assert!(run.stderr.contains("< content-type: application/json"), "{run}");
    assert!(run.stderr.contains("\"title\":\"Menu\""), "{run}");
    let run = env.run("forms create title=Contact fields:=[] -vv");
    assert!(run.stderr.contains("> {\"title\":\"Contact\",\"fields\":[]}"), "{run}");

    let env = TestEnv::cafe().env("LINKS_TOKEN", CANARY);
    for line in ["me -vv", "slots list cafe -vv -o json"] {
        let run = env.run(line);
        assert!(run.exit == 4 && !run.to_string().contains(CANARY), "{run}");
    }
}

#[test]
fn a_call_ends_within_its_timeout() {
    let env = TestEnv::cafe();
    assert_eq!(env.run("me --timeout 30").exit, 0);
    assert_eq!(env.run("me --timeout 0").exit, 2);
    assert_eq!(env.env("LINKS_TIMEOUT", "soon").run("me").exit, 2);
}

#[test]
fn a_field_that_no_record_has_is_reported() {
    let env = TestEnv::cafe();
    for format in ["table", "csv", "json", "jsonl"] {
        let run = env.run(&format!("slots list cafe --fields id,data.titel -o {format}"));
        assert_eq!(run.exit, 0, "{format}");
        let note = "no record has a field `data.titel`; did you mean `data.title`?\n";
        assert_eq!(run.stderr, note, "{format}");
    }
}
