//! Tests of the examples in the README and in the guides. Every block of commands runs as it is. A block of the language `console` is a
//! transcript: it shows all that its commands print. `LINKS_UPDATE=1 cargo test --workspace --test cli guides` writes the transcripts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;

use clap::error::ErrorKind;
use links_test_support::link_site::LinkSite;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use regex::Regex;

use crate::examples::{self, bash};
use crate::test_env::TestEnv;

/// Lines that are not run here, each with the reason.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("README.md", "cargo install --locked --path cli", "builds a release; `.ci/full release` does"),
    ("README.md", "cargo test --workspace", "runs this test; `.ci/run tests` does"),
    ("docs/install.md", "cargo install --locked --path cli", "the same"),
    (
        "docs/authentication.md",
        "links auth login --base-url https://links.example/api/v1",
        "waits for a browser: tests/cli/connect.rs",
    ),
    (
        "docs/fleet.md",
        "export LINKS_PACER=rediss://links:PASSWORD@redis.example:6380",
        "needs a Redis server: tests/cli/fleet.rs",
    ),
    ("docs/fleet.md", "export LINKS_PACER_UNREACHABLE=share:4", "the same"),
    ("docs/fleet.md", "links doctor", "the same"),
];

/// Lines that end with other exit codes than 0, as expected: one for each time that the document has the line.
const ENDS_WITH: &[(&str, &str, &[i32])] = &[
    ("README.md", "links plan cafe.yaml", &[3]),
    ("docs/accounts.md", "links plan", &[3]),
    ("docs/blocks.md", "links plan team.yaml", &[3]),
    ("docs/blocks.md", "links plan places.yaml#oral", &[3]),
    ("docs/check.md", "links check cafe.yaml", &[3]),
    ("docs/check.md", "links check cafe.yaml --jq '.[1]' -o yaml", &[3]),
    (
        "docs/check.md",
        "links check cafe.yaml --jq '.[] | select(.verdict == \"broken\") | .url' --raw",
        &[3],
    ),
    ("docs/conflicts.md", "links plan cafe.yaml", &[7, 0]),
    ("docs/conflicts.md", "links pull cafe -O cafe.yaml", &[0, 7]),
    ("docs/forms.md", "links plan site", &[3]),
    ("docs/images.md", "links plan pictures.yaml | grep upload", &[3]),
    ("docs/lint.md", "links lint cafe.yaml", &[3]),
    ("docs/json.md", "links slots get cafe 9999 -o json", &[6]),
    ("docs/page-files.md", "links plan cafe.yaml", &[8]),
    ("docs/tutorial.md", "links plan cafe.yaml", &[3, 0, 7]),
    ("docs/tutorial.md", "links preview cafe.yaml --diff", &[3]),
    ("docs/tutorial.md", "links pull cafe -O cafe.yaml", &[0, 7]),
];

/// URL of the service in the guides.
const SERVICE: &str = "https://links.example/api/v1";

/// Site of links in the guides, with as many characters as a site of this machine.
const SITE: &str = "http://go.qara.example";

/// Documents whose page file was pulled, and edited since.
const EDITED: &[&str] =
    &["docs/preview.md", "docs/recovery.md", "docs/scripting.md", "docs/undo.md"];

/// Languages of blocks that hold no commands.
const NO_COMMANDS: &[&str] = &["csv", "json", "rust", "text", "toml", "yaml"];

/// Parts of an output that differ from run to run, each with what stands for it in a comparison.
const VARYING: &[(&str, &str)] = &[
    (r"\b[0-9a-f]{10}-[0-9a-f]{16}\b", "OPERATION"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
    (r"\b[0-9a-f]{32}\b", "HASH"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r#""requests":\d+"#, "REQUESTS"),
    (r"\b\d+ requests?(, about \d+ s)?", "REQUESTS"),
    (r"\b\d+ clicks", "CLICKS"),
    (r"\b\d+ ms\b", "DURATION"),
    (r"\b127\.0\.0\.1:\d+", "HOST"),
    (r"---+", "RULE"),
    (r" +", " "),
];

struct Block {
    language: String,
    text: String,
    /// Place of the block in its document, fences included.
    place: Range<usize>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the README and the guides, by path; the examples of the reference are those of help, which `examples` runs.
fn documents() -> Vec<(String, String)> {
    let mut paths = vec!["README.md".to_owned()];
    for directory in ["docs", "docs/internals"] {
        let guides = fs::read_dir(root().join(directory)).unwrap();
        let paths_of_guides = guides.map(|it| it.unwrap().path());
        let guides = paths_of_guides.filter(|it| it.extension().is_some_and(|it| it == "md"));
        let names = guides.map(|it| it.file_name().unwrap().display().to_string());
        paths.extend(names.map(|it| format!("{directory}/{it}")));
    }
    paths.retain(|it| it != "docs/commands.md");
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the blocks of code of a document.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut end = 0;
    for (event, place) in Parser::new(document).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => "indented".to_owned(),
                };
                end = place.end;
                blocks.push(Block { language, text: String::new(), place });
            }
            Event::Text(text) if place.end <= end => blocks.last_mut().unwrap().text += &text,
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

/// Returns an output without what differs from run to run.
fn normal(output: &str) -> String {
    VARYING.iter().fold(output.to_owned(), |output, (pattern, name)| {
        Regex::new(pattern).unwrap().replace_all(&output, *name).into_owned()
    })
}

/// Names in the guides, each with the name of this run for it.
fn names(env: &TestEnv, site: Option<&LinkSite>) -> Vec<(&'static str, String)> {
    let home = env.home.path().display().to_string();
    let mut names = vec![("/home/aliya", home), (SERVICE, env.server.base_url())];
    names.extend(site.map(|it| (SITE, it.url(""))));
    names
}

/// Runs a line after those that the document has exported, and returns all that it prints, in the order in which a terminal shows it.
fn transcript(
    env: &TestEnv,
    names: &[(&str, String)],
    exported: &str,
    line: &str,
) -> (Option<i32>, String) {
    let typed = names.iter().fold(line.to_owned(), |line, (shown, own)| line.replace(shown, own));
    let private = if typed.starts_with("links check ") { " --allow-private" } else { "" };
    let script = format!("{exported}{{ {typed}{private}\n}} 2>&1");
    let (exit, output) = bash(env, &script);
    let output = output.strip_prefix(&format!("$ {script}\n")).unwrap();
    let output = output.strip_suffix("--- stderr\n").unwrap_or(output).to_owned();
    let output = names.iter().fold(output, |output, (shown, own)| output.replace(own, shown));
    (exit, output.lines().map(|line| line.trim_end().to_owned() + "\n").collect())
}

/// Returns an environment with what the commands of a document name.
fn env(path: &str, site: Option<&LinkSite>) -> TestEnv {
    let env = examples::env().env("LINKS_TEST_ONLINE", "1").env("NO_PROXY", "*");
    let file = |name: &str| env.home.path().join(name);
    match path {
        "README.md"
        | "docs/accounts.md"
        | "docs/authentication.md"
        | "docs/conflicts.md"
        | "docs/tutorial.md" => {
            for name in ["cafe.yaml", "booking.yaml", "contact.yaml", "form.yaml"] {
                fs::remove_file(file(name)).unwrap();
            }
        }
        "docs/page-files.md" => {
            fs::create_dir(file("images")).unwrap();
            env.file("images/logo.png", crate::test_env::picture(800, 800));
            env.file("cafe.yaml", first_yaml(path).replacen("{title: Summer", "{titel: Summer", 1));
        }
        "docs/blocks.md" => {
            let blocks = blocks(&read(path)).into_iter().filter(|it| it.language == "yaml");
            fs::create_dir(file("blocks")).unwrap();
            let names = ["blocks/footer.yaml", "team.yaml", "values.yaml", "places.yaml"];
            for (name, block) in names.iter().zip(blocks) {
                env.file(name, block.text);
            }
            env.file("places.csv", first_of(path, "csv"));
        }
        "docs/lint.md" => {
            env.file("cafe.yaml", first_yaml(path));
            env.file("links.toml", first_of(path, "toml"));
        }
        "docs/check.md" => {
            env.file("cafe.yaml", first_yaml(path).replace(SITE, &site.unwrap().url("")));
        }
        "docs/images.md" => {
            for (name, picture) in
                [("logo.png", "preview-light.png"), ("terrace.png", "preview-dark.png")]
            {
                fs::copy(root().join("docs/images").join(picture), file(name)).unwrap();
            }
            env.file("pictures.yaml", first_yaml(path));
        }
        "docs/bulk.md" => {
            env.file(
                "menu.csv",
                "name,url\nTea,https://menu.example/tea\nCake,https://menu.example/cake\n",
            );
        }
        _ => {}
    }
    let text = read(path);
    let is_on_the_sandbox =
        ["export LINKS_SANDBOX=1", "links --sandbox"].iter().any(|it| text.contains(it));
    let (env, sandbox) = if is_on_the_sandbox || path == "docs/authentication.md" {
        (env.env("LINKS_BASE_URL", "").env("LINKS_TOKEN", ""), "LINKS_SANDBOX=1 ")
    } else {
        (env, "")
    };
    if EDITED.contains(&path) {
        let edit = "sed -i 's/title: Good morning!/title: Good evening!/' cafe.yaml";
        let script = format!("rm cafe.yaml && {sandbox}links pull cafe -O cafe.yaml && {edit}");
        let (exit, text) = bash(&env, &script);
        assert_eq!(exit, Some(0), "{text}");
    }
    env
}

/// Returns the first page file of a document.
fn first_yaml(path: &str) -> String {
    first_of(path, "yaml")
}

/// Returns the first block of a language in a document.
fn first_of(path: &str, language: &str) -> String {
    let blocks = blocks(&read(path));
    blocks.into_iter().find(|it| it.language == language).unwrap().text
}

#[test]
fn every_block_of_commands_runs_and_prints_what_it_shows() {
    let (mut ran, mut kept_back, mut expected_failures) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let of_commands = |it: &Block| ["console", "sh"].contains(&it.language.as_str());
        let blocks: Vec<_> = blocks(&text).into_iter().filter(of_commands).collect();
        if blocks.is_empty() {
            continue;
        }
        let site = (path == "docs/check.md").then(LinkSite::start);
        let env = env(&path, site.as_ref());
        let names = names(&env, site.as_ref());
        let mut exported = String::new();
        let (mut updated, mut copied) = (String::new(), 0);
        let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
        for block in &blocks {
            let mut made = String::new();
            for (line, shown) in commands(block) {
                let shown: String = shown.into_iter().map(|it| it + "\n").collect();
                writeln!(made, "$ {line}").unwrap();
                if NOT_RUN.iter().any(|(document, it, _)| *document == path && *it == line) {
                    kept_back += 1;
                    made += &shown;
                    continue;
                }
                ran += 1;
                let (exit, output) = transcript(&env, &names, &exported, &line);
                if ["export ", "cd "].iter().any(|it| line.starts_with(it)) {
                    writeln!(exported, "{line}").unwrap();
                }
                let other =
                    ENDS_WITH.iter().find(|(document, it, _)| *document == path && *it == line);
                let nth = repeated.entry(line.clone()).or_default();
                let expected = other.map_or(0, |(.., exits)| exits[*nth]);
                *nth += 1;
                expected_failures += usize::from(other.is_some());
                if exit != Some(expected) {
                    wrong.push(format!(
                        "{path}: $ {line}\n{output}--- exit {exit:?}, not {expected}\n"
                    ));
                }
                let is_shown = normal(&output) == normal(&shown);
                if block.language == "console" && !is_shown && !updates() {
                    wrong.push(format!("{path}: $ {line}\n{output}--- is not what is shown\n"));
                }
                made += if is_shown { &shown } else { &output };
            }
            if block.language == "console" {
                updated += &text[copied..block.place.start];
                write!(updated, "```console\n{made}```").unwrap();
                copied = block.place.end;
            }
        }
        updated += &text[copied..];
        if updates() && updated != text {
            fs::write(root().join(&path), updated).unwrap();
        }
    }
    assert!(wrong.is_empty(), "LINKS_UPDATE=1 writes transcripts\n{}", wrong.join("\n"));
    assert!(ran > 35, "only {ran} commands were found");
    assert_eq!(kept_back, NOT_RUN.len(), "a line that is not run is no example any more");
    let listed: usize = ENDS_WITH.iter().map(|(.., exits)| exits.len()).sum();
    assert_eq!(expected_failures, listed, "a line that fails is no example any more");
}

fn updates() -> bool {
    std::env::var_os("LINKS_UPDATE").is_some()
}

#[test]
fn what_differs_from_run_to_run_is_not_compared() {
    let one = "OPERATION                    TIME\n6b09a8fa00-92671a3eab8d4336  2026-11-27T15:59:54Z\n4 requests\n";
    let other = "OPERATION                    TIME\n6b09a93000-fe61e936e42a4f7f  2027-01-01T00:00:00Z\n15 requests, about 2 s\n";
    assert_eq!(normal(one), normal(other));
    assert_ne!(normal("cafe: 1 updated\n"), normal("cafe: 2 updated\n"));
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

/// A page file is read with the references that a guide shows.
#[test]
fn the_references_that_the_guide_to_page_files_shows_are_resolved() {
    let guide = read("docs/page-files.md");
    let references = guide.split("<!-- references -->\n\n```yaml\n").nth(1).unwrap();
    let references = references.split("```").next().unwrap();
    let env = TestEnv::cafe().keeping_state();
    fs::create_dir(env.home.path().join("images")).unwrap();
    env.file("images/menu.jpg", crate::test_env::picture(1, 1));
    env.file("cafe.yaml", format!("profile: cafe\nslots:\n{references}"));
    let run = env.run("apply cafe.yaml --yes");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.run("plan cafe.yaml").exit, 0);
}
