//! Tests of the examples in the README and in the guides: every block of commands runs as it is, and prints what it shows.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::error::ErrorKind;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::examples::{self, bash};
use crate::test_env::TestEnv;

/// Lines that are not run here, each with the reason.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("README.md", "cargo test --workspace", "`.ci/run` runs this very line"),
    ("README.md", "cargo install --locked --path cli", "builds a release; `.ci/full release` does"),
    (
        "docs/authentication.md",
        "links auth login --base-url https://links.example/api/v1",
        "waits for a browser: tests/cli/connect.rs",
    ),
    ("docs/check.md", "links check cafe.yaml", "asks other sites: tests/cli/check.rs"),
    (
        "docs/check.md",
        "links check --all --jq '.[] | select(.verdict == \"broken\") | .url'",
        "asks other sites: tests/cli/check.rs",
    ),
    (
        "docs/fleet.md",
        "export LINKS_PACER=rediss://links:PASSWORD@redis.example:6380",
        "needs a Redis server: tests/cli/fleet.rs",
    ),
    ("docs/fleet.md", "export LINKS_PACER_UNREACHABLE=share:4", "the same"),
    ("docs/fleet.md", "links doctor", "the same"),
];

/// Lines that end with another exit code than 0, as expected.
const ENDS_WITH: &[(&str, &str, i32)] = &[
    ("README.md", "links plan cafe.yaml", 3),
    ("README.md", "links preview cafe.yaml --diff", 3),
    ("docs/accounts.md", "links plan", 3),
    ("docs/page-files.md", "links --sandbox slots apply cafe.yaml", 8),
];

/// Languages of blocks that hold no commands.
const NO_COMMANDS: &[&str] = &["json", "rust", "text", "yaml"];

struct Block {
    language: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the README and the guides, by path; the examples of the reference are those of help, which `examples` runs.
fn documents() -> Vec<(String, String)> {
    let guides = fs::read_dir(root().join("docs")).unwrap();
    let paths = guides.map(|it| it.unwrap().path());
    let paths = paths.filter(|it| it.extension().is_some_and(|it| it == "md"));
    let names = paths.map(|it| it.file_name().unwrap().display().to_string());
    let guides = names.filter(|it| it != "commands.md");
    let mut paths: Vec<_> = guides.map(|it| format!("docs/{it}")).collect();
    paths.push("README.md".to_owned());
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the blocks of code of a document.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => "indented".to_owned(),
                };
                blocks.push(Block { language, text: String::new() });
                inside = true;
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(text) if inside => blocks.last_mut().unwrap().text += &text,
            _ => {}
        }
    }
    blocks
}

/// Returns the commands of a block, each with the lines that it prints.
fn commands(block: &Block) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in block.text.lines() {
        let command = match block.language.as_str() {
            "sh" => Some(line),
            _ => line.strip_prefix("$ "),
        };
        match (command, commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((_, shown))) => shown.push(line.to_owned()),
            (None, None) => panic!("{line}"),
        }
    }
    commands
}

/// Returns whether a line has these parts in their order; `…` and several spaces stand for anything.
fn is_shown(line: &str, expected: &str) -> bool {
    let mut rest = line;
    expected.split('…').flat_map(|it| it.split("  ")).map(str::trim).all(|part| {
        let found = rest.split_once(part);
        rest = found.map_or("", |(_, rest)| rest);
        found.is_some()
    })
}

/// Returns an environment with what the commands of a document name.
fn env(path: &str) -> TestEnv {
    let env = examples::env();
    let on_the_sandbox = |env: TestEnv| env.env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "");
    match path {
        "README.md" => {
            let (from, to) = ("cafe.yaml", "fixtures/pages/cafe.yaml");
            fs::create_dir_all(env.home.path().join("fixtures/pages")).unwrap();
            fs::rename(env.home.path().join(from), env.home.path().join(to)).unwrap();
            on_the_sandbox(env)
        }
        "docs/testing.md" => on_the_sandbox(env),
        "docs/authentication.md" => {
            fs::remove_file(env.home.path().join("cafe.yaml")).unwrap();
            env
        }
        "docs/page-files.md" => {
            let page = first_yaml(path).replacen("      title: Summer", "      titel: Summer", 1);
            env.file("cafe.yaml", page);
            on_the_sandbox(env)
        }
        "docs/accounts.md" => {
            fs::remove_file(env.home.path().join("booking.yaml")).unwrap();
            for name in ["contact.yaml", "form.yaml"] {
                fs::remove_file(env.home.path().join(name)).unwrap();
            }
            env.file("cafe.yaml", "profile: cafe\ntitle: Qara Roasters\n");
            env.file("astana.yaml", "profile: cafe.astana\ntitle: Qara in Astana\nslots:\n  - {type: text, data: {title: Soon}}\n");
            let (exit, text) = bash(&env, "links init");
            assert_eq!(exit, Some(0), "{text}");
            env
        }
        "docs/bulk.md" => {
            env.file(
                "menu.csv",
                "name,url\nTea,https://menu.example/tea\nCake,https://menu.example/cake\n",
            );
            env
        }
        "docs/ci.md" => {
            let script = "mkdir pages && links init pages && links pull cafe -O pages/cafe.yaml";
            let (exit, text) = bash(&env, script);
            assert_eq!(exit, Some(0), "{text}");
            env
        }
        _ => env,
    }
}

/// Returns the first page file of a document.
fn first_yaml(path: &str) -> String {
    let blocks = blocks(&read(path));
    blocks.into_iter().find(|it| it.language == "yaml").unwrap().text
}

#[test]
fn every_block_of_commands_runs_and_prints_what_it_shows() {
    let (mut ran, mut kept_back, mut expected_failures) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let blocks = blocks(&text);
        let of_commands = |it: &&Block| ["console", "sh"].contains(&it.language.as_str());
        if !blocks.iter().any(|it| of_commands(&it)) {
            continue;
        }
        let env = env(&path);
        for block in blocks.iter().filter(of_commands) {
            let mut exported = String::new();
            for (line, shown) in commands(block) {
                if NOT_RUN.iter().any(|(document, it, _)| *document == path && *it == line) {
                    kept_back += 1;
                    continue;
                }
                ran += 1;
                let typed = line.replacen("cargo run -- ", "links ", 1);
                let (exit, output) = bash(&env, &format!("{exported}{typed}"));
                if line.starts_with("export ") {
                    writeln!(exported, "{line}").unwrap();
                }
                let other =
                    ENDS_WITH.iter().find(|(document, it, _)| *document == path && *it == line);
                expected_failures += usize::from(other.is_some());
                let expected = other.map_or(0, |(.., exit)| *exit);
                if exit != Some(expected) {
                    wrong.push(format!("{path}: {output}--- exit {exit:?}, not {expected}\n"));
                }
                for expected in shown {
                    if !output.lines().skip(1).any(|it| is_shown(it, &expected)) {
                        wrong.push(format!("{path}: not printed: {expected}\n{output}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 35, "only {ran} commands were found");
    assert_eq!(kept_back, NOT_RUN.len(), "a line that is not run is no example any more");
    assert_eq!(expected_failures, ENDS_WITH.len(), "a line that fails is no example any more");
}

#[test]
fn no_command_hides_in_a_block_of_another_language() {
    for (path, text) in documents() {
        for block in blocks(&text) {
            let language = block.language.as_str();
            let is_known = NO_COMMANDS.contains(&language) || ["console", "sh"].contains(&language);
            assert!(is_known, "{path} has a block of the language `{language}`:\n{}", block.text);
            let is_command = |line: &str| line.starts_with("$ ") || line.starts_with("links ");
            let hidden = NO_COMMANDS.contains(&language) && block.text.lines().any(is_command);
            assert!(!hidden, "{path}:\n{}", block.text);
        }
    }
}

/// Returns the command lines in the code spans of a document.
fn spans(document: &str) -> Vec<String> {
    let spans = Parser::new(document).filter_map(|event| match event {
        Event::Code(text) => Some(text.to_string()),
        _ => None,
    });
    spans.filter(|it| it.starts_with("links ")).collect()
}

/// Parts of usage, which stand for several lines.
fn is_usage(line: &str) -> bool {
    line.contains("...") || line.contains('[') || line.contains('(') || line.contains('…')
}

#[test]
fn every_command_in_a_sentence_can_be_parsed() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        for line in spans(&text).into_iter().filter(|it| !is_usage(it)) {
            let is_of_the_shell = |word: &String| ["<", ">", "|"].contains(&word.as_str());
            let words = shlex::split(&line).unwrap();
            let words: Vec<_> = words.into_iter().take_while(|it| !is_of_the_shell(it)).collect();
            let is_noun = words[1..].iter().try_fold(links_cli::command(), |command, word| {
                command.find_subcommand(word).cloned()
            });
            // A command without its arguments is a name.
            if is_noun.is_some() || words.contains(&"COMMAND".to_owned()) {
                continue;
            }
            count += 1;
            let words = words.iter().map(|it| if it == "N" { "5" } else { it });
            // A sentence about an option may leave out what else the command needs.
            if let Err(error) = links_cli::command().try_get_matches_from(words)
                && error.exit_code() != 0
                && error.kind() != ErrorKind::MissingRequiredArgument
            {
                wrong.push(format!("{path}: {line}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "only {count} commands were found");
}

#[test]
fn the_guide_to_page_files_shows_the_errors_of_a_bad_one_as_they_are() {
    let path = "docs/page-files.md";
    let guide = read(path);
    let page = first_yaml(path);
    let env = TestEnv::cafe().keeping_state();
    env.file("cafe.yaml", page.replacen("      title: Summer", "      titel: Summer", 1));
    let run = env.run("slots apply cafe.yaml");
    let shown = guide.split("$ links --sandbox slots apply cafe.yaml\n").nth(1).unwrap();
    assert_eq!((run.exit, run.stderr.as_str()), (8, shown.split("```").next().unwrap()), "{run}");

    let references = guide.split("```yaml\n").nth(2).unwrap().split("```").next().unwrap();
    fs::create_dir(env.home.path().join("images")).unwrap();
    env.file("images/menu.jpg", crate::test_env::picture(1, 1));
    env.file("cafe.yaml", format!("{page}{references}"));
    let run = env.run("slots apply cafe.yaml --yes");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.run("slots plan cafe.yaml").exit, 0);
}
