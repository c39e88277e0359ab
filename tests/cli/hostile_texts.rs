//! Tests of every leaf against a service whose texts are written to control a terminal, to forge lines, and to command the CI service that
//! stores the log.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::leaves;
use crate::terminal;
use crate::test_env::{CommandResult, TestEnv};

/// Text that copies to the clipboard, colours, turns the direction of writing, and begins lines of its own.
const HOSTILE: &str = " \u{1b}]52;c;ZXZpbA==\u{7}\u{9b}31m\u{202e}\nFORGED line\rFORGED\n::error::FORGED\n##[error]FORGED ##vso[task.x]y";

/// Strings that a client acts on; if they are changed, most commands end early.
const NAMES: [&str; 12] = [
    "type",
    "id",
    "login",
    "key",
    "formId",
    "upload_url",
    "method",
    "expires_at",
    "platform",
    "channel",
    "dateFrom",
    "version",
];

/// Texts in the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    /// All texts are hostile except those that name things.
    Most,
    /// All texts are hostile.
    Every,
    /// Every request fails, with hostile reasons.
    Reasons(u16),
}

/// Starts a service in front of another one, which changes the texts of its answers.
fn in_front_of(service: String, texts: Texts) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A client may close the connection early.
            let _ = answer(&stream, &service, texts);
        }
    });
    address
}

fn answer(mut stream: &TcpStream, service: &str, texts: Texts) -> std::io::Result<()> {
    let (head, body) = message(stream)?;
    if let Texts::Reasons(status) = texts {
        let body = reasons().to_string();
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        return stream.write_all(format!("{head}{body}").as_bytes());
    }
    let lines =
        head.trim_end().split("\r\n").filter(|line| !line.to_lowercase().starts_with("host:"));
    let head = lines.collect::<Vec<_>>().join("\r\n");
    let head = format!("{head}\r\nHost: {service}\r\nConnection: close\r\n\r\n");
    let mut upstream = TcpStream::connect(service)?;
    upstream.write_all(&[head.as_bytes(), &body].concat())?;
    let (head, body) = message(&upstream)?;
    let body = match serde_json::from_slice::<Value>(&body) {
        Ok(mut value) => {
            change(&mut value, "", texts);
            value.to_string().into_bytes()
        }
        Err(_) if head.contains("text/markdown") => [&body, HOSTILE.as_bytes()].concat(),
        Err(_) => body,
    };
    let head: String = head
        .split("\r\n")
        .filter(|line| !line.is_empty() && !line.to_lowercase().starts_with("content-length"))
        .map(|line| format!("{line}\r\n"))
        .collect();
    let length = body.len();
    stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n").as_bytes())?;
    stream.write_all(&body)
}

/// Reads a request or an answer: its head and its body.
fn message(stream: &TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = Vec::new();
    reader.take(length.unwrap_or(0)).read_to_end(&mut body)?;
    Ok((head, body))
}

fn reasons() -> Value {
    json!({
        "message": format!("refused{HOSTILE}"),
        "code": format!("refused{HOSTILE}"),
        "errors": { format!("slots.0.data.title{HOSTILE}"): [format!("is wrong{HOSTILE}")] },
        "documentation": format!("https://docs.test/{HOSTILE}"),
    })
}

fn change(value: &mut Value, name: &str, texts: Texts) {
    match value {
        Value::String(text) if texts == Texts::Every || !NAMES.contains(&name) => *text += HOSTILE,
        Value::Array(items) => items.iter_mut().for_each(|it| change(it, name, texts)),
        Value::Object(object) => {
            for (name, value) in object {
                change(value, name, texts);
            }
        }
        _ => {}
    }
}

/// Returns the environment of a job of a CI service, whose texts are hostile.
fn env(texts: Texts) -> TestEnv {
    let env =
        leaves::env().env("CI", "true").env("GITHUB_ACTIONS", "true").env("LINKS_PROGRESS", "0");
    let service = env.server.base_url();
    let origin = service.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let address = in_front_of(origin.to_owned(), texts);
    env.env("LINKS_BASE_URL", format!("http://{address}/api/v1"))
}

/// Returns the parts of a text that would act, or look as if the program had printed them.
fn dangers(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let styles = rest.strip_prefix("\u{1b}[").is_some_and(|style| {
            style.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
        });
        let is_bad = c.is_control() && !matches!(c, '\n' | '\t') && !styles || c == '\u{202e}';
        if is_bad || rest.starts_with("##[") || rest.starts_with("##vso[") {
            found.push(rest.chars().take(20).collect());
        }
    }
    let forged = |line: &&str| ["FORGED", "::"].iter().any(|it| line.trim_start().starts_with(it));
    found.extend(text.lines().filter(forged).map(str::to_owned));
    found
}

/// Leaves whose stdout is a document for programs, byte for byte unless it is a terminal.
const DOCUMENTS: [&str; 8] = [
    "api",
    "preview",
    "pull",
    "slots pull",
    "slots template",
    "profile preview",
    "schema slot",
    "schema page",
];

/// Returns the dangerous parts of a run's output.
fn of(leaf: &str, run: &CommandResult) -> Vec<String> {
    let mut found = dangers(&run.stderr);
    if leaf.ends_with(" edit") {
        // It talks to a terminal, which wraps lines; its data goes to a file, which no CI service reads.
        found.retain(|it| !it.trim_start().starts_with("FORGED"));
    } else if !DOCUMENTS.contains(&leaf) {
        found.extend(dangers(&run.stdout));
    }
    if !found.is_empty() {
        found.push(run.to_string());
    }
    found
}

/// Returns whether a leaf asks the service, and answers without a long wait.
fn is_asking(leaf: &str) -> bool {
    !["sandbox", "completions", "man", "help", "config"].iter().any(|it| leaf.starts_with(it))
}

fn walk(texts: Texts) {
    let (mut found, mut reached) = (Vec::new(), 0);
    for leaf in leaves::names().iter().filter(|it| is_asking(it)) {
        let run = leaves::run(&env(texts), leaf, &[]);
        found.extend(of(leaf, &run));
        reached += usize::from(run.to_string().contains("FORGED"));
        let json = leaves::run(&env(texts), leaf, &["-o", "json"]);
        let is_harmless = leaf.ends_with(" edit")
            || !json.stdout.contains("##[") && dangers(&json.stderr).is_empty();
        found.extend((!is_harmless).then(|| json.to_string()));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(reached > 15, "only {reached} leaves showed a text of the service");
}

#[test]
fn no_text_of_the_service_acts_or_forges_a_line() {
    walk(Texts::Most);
}

#[test]
fn no_text_of_an_unusable_service_acts_or_forges_a_line() {
    walk(Texts::Every);
}

#[test]
fn no_reason_of_the_service_acts_or_forges_a_line() {
    walk(Texts::Reasons(422));
    walk(Texts::Reasons(401));
}

#[test]
fn documents_are_harmless_on_a_terminal() {
    for leaf in DOCUMENTS {
        let env = env(Texts::Most);
        let line = [&[leaf], &leaves::words(leaf)[..]].concat().join(" ");
        let seen = terminal::run(&env, &line, "");
        assert_eq!(seen.exit, 0, "{leaf}\n{}", seen.text);
        let acts: Vec<_> =
            dangers(&seen.text).into_iter().filter(|it| it.starts_with(char::is_control)).collect();
        assert_eq!(acts, [""; 0], "{leaf}\n{}", seen.text);
    }
}

#[test]
fn no_name_of_a_file_acts_or_forges_a_line() {
    let env = env(Texts::Most);
    let name = format!("page{}.yaml", HOSTILE.replace('/', ""));
    let lines: [&[&str]; 8] = [
        &["slots", "apply", &name],
        &["slots", "plan", &name, "--annotate", "github"],
        &["slots", "pull", "cafe", "-O", &name],
        &["forms", "create", &name],
        &["files", "upload", &name],
        &["profile", "check-login", "-f", &name],
        &["profile", "preview", "cafe", "--expect", &name],
        &["profile", "get", &name],
    ];
    for content in [None, Some("slots: [{type: text, data: {titel: x}}, {typ: y}]\n"), Some("{")] {
        if let Some(content) = content {
            env.file(&name, content);
        }
        for line in lines {
            let run = env.run_args(line, b"");
            // The annotation itself is an intended command.
            let stderr: String = run
                .stderr
                .lines()
                .filter(|it| !it.starts_with("::error"))
                .map(|it| format!("{it}\n"))
                .collect();
            assert_eq!(dangers(&stderr), [""; 0], "{run}");
            assert_eq!(dangers(&run.stdout), [""; 0], "{run}");
        }
    }
}
