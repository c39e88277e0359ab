//! Tests of the content of stdout and of stderr.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use links_fixtures::Choices;

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
fn fault_70_control_characters_of_the_service_are_escaped() {
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
fn fault_70_control_characters_in_errors_of_the_service_are_escaped() {
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
fn fault_71_a_closed_stdout_is_no_error() {
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
