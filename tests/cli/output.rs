//! Tests of the content of stdout and of stderr.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use links_fixtures::Choices;

use crate::terminal;
use crate::test_env::TestEnv;

const BAD: &str = "\u{1b}]52;c;x\u{7}\u{9b}31m\u{202e}evil\u{200b}\r\nnext";

#[test]
fn commands_that_read_print_human_readable_output() {
    let env = TestEnv::cafe();
    let lines = [
        "me",
        "profile list",
        "profile get cafe",
        "slots list cafe",
        "slots get https://links.example/cafe 1002",
        "forms list",
        "profile check-login cafe a.new.name admin api ab",
    ];
    for line in lines {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
}

/// Returns the body of an answer to a plain GET, as it was sent.
fn raw(env: &TestEnv, path: &str) -> Vec<u8> {
    let address = env.server.base_url();
    let (host, base) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let token = env.server.token();
    write!(stream, "GET /{base}{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    answer.split_off(head + 4)
}

#[test]
fn json_is_the_body_as_it_was_sent() {
    let env =
        TestEnv::with(|it| it.choices(Choices { unknown_fields: true, ..Choices::default() }));
    for (line, path) in [
        ("me", "/me"),
        ("profile list", "/profiles"),
        ("profile get cafe", "/profiles/cafe"),
        ("slots list cafe", "/profiles/cafe/slots"),
        ("slots get cafe 1007", "/profiles/cafe/slots/1007"),
        ("forms list", "/forms"),
    ] {
        let mut expected = raw(&env, path);
        expected.push(b'\n');
        assert_eq!(env.run(&format!("{line} -o json")).stdout.as_bytes(), expected, "{line}");
    }
}

#[test]
fn markdown_is_printed_as_it_was_sent() {
    let env = TestEnv::cafe();
    let run = env.run("profile preview cafe");
    assert_eq!(run.stdout.as_bytes(), raw(&env, "/profiles/cafe/markdown"));
    let data = &env.run("profile preview 101 -o json").json()["data"];
    assert_eq!(data["markdown"], run.stdout);
    assert!(data["tokens"].as_i64() > Some(0));
}

#[test]
fn control_characters_of_the_service_are_escaped() {
    let env = TestEnv::cafe();
    env.server.edit(|account| {
        account.profiles[0].title = Some(BAD.to_owned());
        account.profiles[0].slots[0].data["title"] = BAD.into();
    });
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Good}}\n",
    );
    for line in [
        "profile list",
        "profile get cafe",
        "slots list cafe",
        "slots get cafe 1001",
        "slots plan page.yaml",
    ] {
        let run = env.run(line);
        let plain = |text: &str| {
            text.chars()
                .all(|c| c == '\n' || !c.is_control() && !matches!(c, '\u{202e}' | '\u{200b}'))
        };
        assert!(plain(&run.stdout) && plain(&run.stderr), "{line}\n{run}");
        assert!(run.stdout.contains("\\u{1b}]52;c;x"), "{line}\n{run}");
    }
    assert_eq!(env.run("profile get cafe -o json").json()["data"]["title"], BAD);
    assert_eq!(env.run("slots pull cafe -o json").json()["data"]["slots"][0]["data"]["title"], BAD);
}

#[cfg(target_os = "linux")]
#[test]
fn control_characters_in_errors_of_the_service_are_escaped() {
    let refusal = serde_json::json!({
        "message": BAD, "code": BAD, "errors": { BAD: [BAD], "data.title": [BAD] }, "documentation": BAD,
    });
    for (status, body) in [
        (422, refusal.to_string()),
        (404, refusal.to_string()),
        (500, format!("<html>{BAD}</html>")),
    ] {
        let service = links_test_support::canned::Canned::start([(status, body)]);
        let env = TestEnv::cafe()
            .env("LINKS_BASE_URL", format!("{}/api/v1", service.origin()))
            .env("LINKS_TEST_NO_WAIT", "1");
        for line in ["slots set cafe 1001 title=x", "me", "api GET /me", "me -vv"] {
            for how in ["", " -o json", " -o yaml"] {
                let run = env.run(&format!("{line}{how}"));
                assert_ne!(run.exit, 0, "{run}");
                let plain = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
                assert!(run.stderr.chars().all(plain), "{run}");
                assert!(run.stdout.chars().all(plain), "{run}");
            }
            let run = env.run(line);
            assert!(status == 500 || run.stderr.contains("\\u{1b}]52;c;x"), "{run}");
            assert!(!run.stderr.lines().any(|it| it.starts_with("next")), "{run}");
            if status == 422 && !line.ends_with("-vv") {
                assert_eq!(env.run(&format!("{line} -o json")).error()["message"], BAD);
            }
        }
    }
}

#[test]
fn a_closed_stdout_is_no_error() {
    let env = TestEnv::cafe();
    for line in ["slots list cafe", "profile preview cafe", "me -o json", "--help"] {
        let mut child = env
            .command(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8(output.stderr).unwrap()),
            (Some(0), String::new()),
            "{line}"
        );
    }
}

#[test]
fn help_and_version_need_no_service_no_token_and_no_valid_settings() {
    let env = TestEnv::cafe()
        .env("LINKS_BASE_URL", "")
        .env("LINKS_TOKEN", "")
        .env("LINKS_OUTPUT", "nonsense");
    for line in ["--help", "--version", "slots --help", "slots apply --help"] {
        let run = env.run(line);
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{line}\n{run}");
    }
    assert_eq!(env.run("me").exit, 2);
    assert!(env.operations().is_empty());
}

#[test]
fn a_filter_that_fails_is_reported_as_text_on_a_terminal() {
    let env = TestEnv::cafe();
    for (line, said) in [
        ("me --jq error(\"no\")", "--jq: \"no\""),
        ("me --jq .[", "--jq: "),
        ("slots get cafe 9 --jq .", "links slots list"),
        ("slots lst --jq .", "lst"),
    ] {
        let seen = terminal::run(&env, line, "");
        assert!(
            seen.text.contains(said) && !seen.text.contains("\"exit\""),
            "{line}\n{}",
            seen.text
        );
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.error()["exit"], run.exit, "{run}");
    }
    let seen = terminal::run(&env, "me -o json --jq error(\"no\")", "");
    assert!(seen.text.contains("\"exit\":2"), "{}", seen.text);
}

#[test]
fn rows_of_jq_can_be_read_by_other_programs() {
    let env = TestEnv::cafe();
    let rows = |format: &str| {
        let filter = format!(".[] | [.id, .type, .data.title] | @{format}");
        let run = env.run_args(["slots", "list", "cafe", "--raw", "--jq", &filter], b"");
        assert_eq!(run.exit, 0, "{run}");
        run.stdout
    };
    let csv = rows("csv");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let ids: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
    let expected = env.run("slots list cafe -o ids").stdout;
    assert_eq!(ids.join("\n") + "\n", expected);
    assert!(rows("tsv").lines().all(|line| line.split('\t').count() == 3));
    let empty = env.run("slots list cafe --jq map(.data|type)|unique");
    assert_eq!(empty.stdout, "[\"object\"]\n", "{empty}");
}

#[test]
fn a_field_that_no_record_can_have_is_an_error_with_a_suggestion() {
    let env = TestEnv::cafe();
    for (line, meant) in [
        ("slots list cafe --fields id,typ", Some("type")),
        ("me --fields limits.profils", Some("limits.profiles")),
        ("forms list --fields id,fields.lable", Some("fields.label")),
        ("profile list --fields qqqqqqqq", None),
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
        let hint = run.error()["hint"].as_str().unwrap().to_owned();
        match meant {
            Some(meant) => assert!(hint.contains(&format!("`{meant}")), "{run}"),
            None => assert!(hint.contains("-o json"), "{run}"),
        }
    }
    for line in [
        "slots list cafe --fields id,data.nothing",
        "profile list --fields moodText",
        "forms list --fields fields.options",
    ] {
        assert_eq!(env.run(line).exit, 0, "{line}");
    }
    env.server.edit(|account| account.profiles[0].slots.clear());
    assert_eq!(env.run("slots list cafe --fields typ").exit, 0);
}
