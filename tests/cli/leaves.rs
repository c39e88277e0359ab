//! Tests of every leaf command of the tree: in every format, filtered, narrowed, and failing. A new leaf is included automatically, and
//! needs one line in [`words`].

use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Command, Stdio};

use links_fixtures::Fault;
use serde_json::Value;

use crate::test_env::{CommandResult, TestEnv, picture, reported_exit};

const SOCIAL: &str = "https://t.me/qaracoffee";
const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Returns the words that each leaf is run with. A leaf that is missing here fails the tests.
pub(crate) fn words(leaf: &str) -> Vec<&'static str> {
    match leaf {
        "me" | "profile list" | "forms list" | "log" | "sandbox path" | "sandbox reset"
        | "sandbox serve" | "auth status" | "auth list" | "channels list" | "slots types"
        | "doctor" | "service" | "config path" | "config list" | "help" | "schema page"
        | "schema form" => {
            vec![]
        }
        "api" => vec!["GET", "/profiles/cafe/markdown"],
        "auth login" => vec!["--token-stdin", "--store", "file"],
        "auth switch" | "auth logout" => vec!["work"],
        "music lookup" => vec!["KZA012600042"],
        "music add" => vec!["cafe", "KZA012600042"],
        "slots add" => vec!["cafe", "divider"],
        "slots set" => vec!["cafe", "1001", "title=Anew"],
        "slots move" => vec!["cafe", "1004", "--top"],
        "slots reorder" => vec!["qara.weddings", "1102", "1101"],
        "slots delete" => vec!["cafe", "1002", "--yes"],
        "undo" | "redo" => vec!["--yes"],
        "slots rewrite" => {
            vec!["cafe", "--where", ".id == 1001", "--edit", ".data.title=\"Anew\"", "--yes"]
        }
        "slots import" => vec!["cafe", "menu.csv", "--type", "text", "--yes"],
        "slots edit" => vec!["cafe", "--yes"],
        "slots explain" | "slots template" | "schema slot" => vec!["button"],
        "profile settings" | "profile open" | "profile edit" | "profile get"
        | "profile preview" | "slots list" | "slots top" | "slots pull" | "pull" => {
            vec!["cafe"]
        }
        "profile create" => vec!["spring.menu", "--yes"],
        "profile update" => vec!["cafe", "title=Anew"],
        "profile rename" => vec!["cafe", "cafe.mole", "--yes", "--confirm", "cafe"],
        "forms get" | "forms edit" | "analytics form" => vec![FORM],
        "profile socials add" => vec!["cafe", "https://www.youtube.com/@qara"],
        "profile socials remove" => vec!["cafe", SOCIAL],
        "forms update" => vec![FORM, "enabled:=false"],
        "forms field add" => vec![FORM, "type=text", "label=Table"],
        "forms field set" => vec![FORM, "phone", "label=Tel"],
        "forms field remove" => vec![FORM, "phone", "--yes"],
        "analytics account" => vec!["--timeline"],
        "analytics profile" => vec!["cafe"],
        "files upload" => vec!["https://images.example/menu.jpg"],
        "config get" => vec!["output"],
        "config set" => vec!["output", "table"],
        "completions" => vec!["bash"],
        "man" => vec!["pages"],
        "profile check-login" => vec!["a.new.name"],
        "slots get" => vec!["cafe", "1001"],
        "plan" | "apply" | "preview" | "lint" | "slots plan" | "slots apply" => vec!["page.yaml"],
        "init" => vec!["--refresh"],
        "check" => vec!["links.yaml"],
        "search" => vec!["menu", "cafe"],
        "forms create" => {
            vec!["title=Contact", r#"fields:=[{"type":"text","label":"Name","required":true}]"#]
        }
        other => panic!("no words for `{other}`: add them here"),
    }
}

pub(crate) fn leaves(command: &clap::Command, parents: &[String]) -> Vec<Vec<String>> {
    let below =
        |sub: &clap::Command| leaves(sub, &[parents, &[sub.get_name().to_owned()]].concat());
    if command.has_subcommands() {
        command.get_subcommands().flat_map(below).collect()
    } else {
        vec![parents.to_vec()]
    }
}

/// Returns the names of all leaves.
pub(crate) fn names() -> Vec<String> {
    leaves(&links_cli::command(), &[]).iter().map(|it| it.join(" ")).collect()
}

/// Returns an environment with everything that the words name, in which nothing waits.
pub(crate) fn env() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {type: text, data: {title: Good morning!}}\n",
    );
    env.file("menu.csv", "title\nTea\n");
    let change = "sed -i 's/title: .*/title: Anew/' \"$1\"\n";
    let editor = env.file("editor.sh", change).display().to_string();
    env.env("VISUAL", format!("sh {editor}"))
}

/// Does the setup that a leaf needs, and returns its line with its words.
pub(crate) fn prepared(env: &TestEnv, leaf: &str) -> Vec<String> {
    let mut line: Vec<String> = leaf.split(' ').map(str::to_owned).collect();
    line.extend(words(leaf).into_iter().map(str::to_owned));
    match leaf {
        "lint" => {
            let rule = "[[rule]]\nfor = 'page'\nmust = 'false'\nmessage = 'm'\nlevel = 'warning'\n";
            env.file("links.toml", rule);
        }
        "check" => {
            // A link that needs no request.
            env.file("links.yaml", "profile: cafe\nsocials: [mailto:hello@qara.example]\n");
        }
        "undo" if env.run("log -o ids").stdout.is_empty() => {
            env.run("slots set cafe 1001 title=Anew");
        }
        "redo" if env.run("log -o ids").stdout.is_empty() => {
            env.run("slots set cafe 1001 title=Anew");
            env.run("undo --yes");
        }
        "auth switch" | "auth logout" => {
            let login = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work"];
            env.run_args(login, env.server.token().as_bytes());
        }
        _ => {}
    }
    env.server.forget_requests();
    line
}

/// Runs a leaf with its words.
pub(crate) fn run(env: &TestEnv, leaf: &str, more: &[&str]) -> CommandResult {
    let line = prepared(env, leaf);
    typed(env, leaf, line, more)
}

/// Runs a leaf with other words than its own.
pub(crate) fn run_words(env: &TestEnv, leaf: &str, words: &[&str]) -> CommandResult {
    typed(env, leaf, leaf.split(' ').map(str::to_owned).collect(), words)
}

pub(crate) fn typed(
    env: &TestEnv,
    leaf: &str,
    mut line: Vec<String>,
    more: &[&str],
) -> CommandResult {
    line.extend(more.iter().map(|it| (*it).to_owned()));
    match leaf {
        "sandbox serve" => served(env, &line),
        _ if leaf.ends_with(" edit") => edited(env, &line),
        _ => env.run_args(line, env.server.token().as_bytes()),
    }
}

/// Runs a leaf that opens an editor, which needs a terminal; its data goes elsewhere.
fn edited(env: &TestEnv, line: &[String]) -> CommandResult {
    let inner = env.command(line);
    let words = std::iter::once(inner.get_program()).chain(inner.get_args());
    let words: Vec<_> = words.map(|it| it.to_str().unwrap()).collect();
    let inner_line = format!("{} > stdout", shlex::try_join(words).unwrap());
    let mut outer = Command::new("script");
    outer.args(["--quiet", "--return", "--command", &inner_line, "/dev/null"]).env_clear();
    outer.current_dir(env.home.path()).env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = outer.stdin(Stdio::null()).output().unwrap();
    let stdout = std::fs::read(env.home.path().join("stdout")).unwrap();
    CommandResult::new(env, output.status.code(), stdout, output.stdout)
}

/// Runs a leaf that serves until it is stopped, and prints its data at once.
fn served(env: &TestEnv, line: &[String]) -> CommandResult {
    let mut child =
        env.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdout, mut stderr) = (vec![0; 4096], Vec::new());
    let mut pipe = child.stdout.take().unwrap();
    let read = pipe.read(&mut stdout).unwrap();
    stdout.truncate(read);
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    pipe.read_to_end(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
    // 130 is the expected exit code.
    let exit = reported_exit(child.wait().unwrap()).map(|it| if it == 130 { 0 } else { it });
    CommandResult::new(env, exit, stdout, stderr)
}

/// Returns the values of an option of every command.
fn values(option: &str) -> Vec<String> {
    let command = links_cli::command();
    let argument = command.get_arguments().find(|it| it.get_long() == Some(option)).unwrap();
    argument.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect()
}

#[test]
fn every_leaf_has_every_output_format() {
    let formats = values("output");
    assert_eq!(formats, ["table", "json", "yaml", "jsonl", "csv", "markdown", "ids"]);
    for leaf in names() {
        // These leaves show only what this machine has stored of earlier runs.
        let is_empty = ["log", "auth list"].contains(&leaf.as_str());
        // The line for other programs is the data itself.
        let key = if leaf == "sandbox serve" { "baseUrl" } else { "data" };
        // It has no id to print, so nothing would tell that it runs.
        let spoken = formats.iter().filter(|it| leaf != "sandbox serve" || *it != "ids");
        for format in spoken {
            let run = run(&env(), &leaf, &["-o", format]);
            assert_eq!(run.exit, 0, "{leaf}\n{run}");
            let parsed = |text: &str| serde_json::from_str::<Value>(text);
            match format.as_str() {
                "json" => {
                    assert_eq!(run.stderr, "", "{leaf}\n{run}");
                    assert!(run.json().get(key).is_some(), "{leaf} has no `{key}`\n{run}");
                }
                "jsonl" => {
                    assert_eq!(run.stderr, "", "{leaf}\n{run}");
                    let bad = run.stdout.lines().find(|line| parsed(line).is_err());
                    assert_eq!(bad, None, "{leaf}\n{run}");
                    assert_eq!(run.stdout.is_empty(), is_empty, "{leaf}\n{run}");
                }
                "yaml" => {
                    let value: Value = serde_saphyr::from_str(&run.stdout).unwrap();
                    assert!(value.get(key).is_some(), "{leaf} has no `{key}`\n{run}");
                }
                "csv" => {
                    let mut reader = csv::Reader::from_reader(run.stdout.as_bytes());
                    assert_eq!(reader.headers().unwrap().is_empty(), is_empty, "{leaf}\n{run}");
                    for row in reader.records() {
                        row.unwrap();
                    }
                }
                "ids" => {
                    let bad = run.stdout.lines().find(|it| it.contains(char::is_whitespace));
                    assert_eq!(bad, None, "{leaf}\n{run}");
                }
                _ => {
                    assert!(run.stdout.ends_with('\n'), "{leaf}\n{run}");
                    // A schema is JSON by itself, and so is the line of the sandbox.
                    let is_json = leaf.starts_with("schema") || leaf == "sandbox serve";
                    assert!(parsed(&run.stdout).is_err() || is_json, "{leaf}\n{run}");
                }
            }
        }
    }
}

#[test]
fn every_leaf_takes_jq_and_fields() {
    for leaf in names() {
        let enveloped = leaf != "sandbox serve";
        let whole = run(&env(), &leaf, &["-o", "json"]).json();
        assert_eq!(whole.get("data").is_some(), enveloped, "{leaf}");
        let whole = if enveloped { &whole["data"] } else { &whole };
        let filtered =
            run(&env(), &leaf, &["--jq", "if type == \"object\" then keys else type end"]);
        let expected = match whole {
            Value::Object(object) => {
                let mut keys: Vec<_> = object.keys().collect();
                keys.sort_unstable();
                serde_json::json!(keys)
            }
            Value::Array(_) => "array".into(),
            other => panic!("{leaf}: {other}"),
        };
        assert_eq!((filtered.exit, filtered.json()), (0, expected), "{leaf}\n{filtered}");
        let Some(record) = whole.as_array().map_or(Some(whole), |it| it.first()) else { continue };
        let (field, value) = record.as_object().unwrap().iter().next().unwrap();
        let narrowed = run(&env(), &leaf, &["-o", "json", "--fields", field]).json();
        let narrowed = if enveloped { &narrowed["data"] } else { &narrowed };
        let record = narrowed.as_array().map_or(narrowed, |it| &it[0]);
        assert_eq!(record.as_object().unwrap().len(), 1, "{leaf}\n{narrowed}");
        assert_eq!(record[field].is_string(), value.is_string(), "{leaf}\n{narrowed}");
    }
}

/// Leaves that need no service, or check whether there is one.
const LOCAL: &[&str] = &[
    "sandbox",
    "auth",
    "doctor",
    "config",
    "help",
    "completions",
    "man",
    "log",
    "schema form",
    "check",
    "lint",
];

fn is_local(leaf: &str) -> bool {
    LOCAL.iter().any(|it| leaf == *it || leaf.starts_with(&format!("{it} ")))
}

#[test]
fn every_leaf_reports_its_error_in_json() {
    for leaf in names().iter().filter(|it| !is_local(it)) {
        let run = run(&env().env("LINKS_BASE_URL", ""), leaf, &["-o", "json"]);
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{leaf}\n{run}");
        let error = run.error();
        assert_eq!((&error["exit"], &error["code"]), (&2.into(), &"usage".into()), "{leaf}");
        let hint = error["hint"].as_str().unwrap();
        assert!(
            ["LINKS_BASE_URL", "--base-url", "--sandbox"].iter().all(|name| hint.contains(name)),
            "{hint}"
        );
    }
}

/// Checks that the answer of the service determines the exit code of every command.
#[test]
fn every_leaf_ends_with_the_exit_code_of_the_answer() {
    for leaf in names().iter().filter(|it| !is_local(it)) {
        for (status, exit) in [(401, 4), (403, 5), (500, 11)] {
            if leaf == "service" && status != 500 {
                // The index is answered without a token, too.
                continue;
            }
            let env = env();
            let line = prepared(&env, leaf);
            env.server.fail(1..99, &Fault::Before(status));
            let run = typed(&env, leaf, line, &["-o", "json"]);
            assert_eq!((run.exit, run.stdout.as_str()), (exit, ""), "{leaf}\n{run}");
            assert_eq!(run.error()["status"], status, "{leaf}\n{run}");
        }
    }
}

/// Operations without a command of their own, and how they are reached.
const OTHERWISE: &[(&str, &str)] = &[
    // One slot is deleted like several.
    ("deleteSlot", "api DELETE /profiles/cafe/slots/1002"),
    ("getOpenapi", "api GET /openapi.json"),
];

#[test]
fn every_operation_of_the_service_has_a_command() {
    let spec: Value = serde_json::from_str(include_str!("../../spec/openapi.json")).unwrap();
    let paths = spec["paths"].as_object().unwrap().values().filter_map(Value::as_object);
    let known: BTreeSet<&str> = paths
        .flat_map(|it| it.values().filter_map(|operation| operation["operationId"].as_str()))
        .collect();
    assert!(known.len() > 25, "{known:?}");
    let mut used = BTreeSet::new();
    for leaf in names().iter().filter(|it| *it != "api") {
        let env = env();
        run(&env, leaf, &[]);
        used.extend(env.operations());
    }
    let env = env();
    env.file("dot.gif", picture(1, 1));
    env.file("two.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: A}}\n  - {type: divider}\n  - {type: divider}\n  - {type: divider}\n");
    for line in [
        "files upload dot.gif --via upload-url",
        "profile settings cafe languageCode=kk",
        "slots apply two.yaml",
    ] {
        assert_eq!(env.run(line).exit, 0, "{line}");
        used.extend(env.operations());
    }
    let missing: Vec<_> = known.iter().filter(|it| !used.contains(**it)).copied().collect();
    let otherwise: Vec<_> = OTHERWISE.iter().map(|(operation, _)| *operation).collect();
    assert_eq!(missing, otherwise, "of {known:?}");
    for (operation, line) in OTHERWISE {
        assert_eq!(env.run(line).exit, 0, "{line}");
        assert_eq!(env.operations(), [*operation]);
    }
}
