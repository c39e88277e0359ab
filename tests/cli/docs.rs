//! Tests of pages and scripts that are generated from the program's own tables. `LINKS_UPDATE=1 cargo test -p links-cli docs` writes them
//! anew.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::test_env::TestEnv;

/// Compares a committed file with the generated text.
fn compare(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    if std::env::var_os("LINKS_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{name} is not what the program makes: LINKS_UPDATE=1 writes it anew");
}

#[test]
fn the_page_of_exit_codes_is_made_from_the_table() {
    let mut text = "# Exit codes\n\nThe result of a command, for scripts.\n\n| code | name | meaning |\n| --- | --- | --- |\n".to_owned();
    for exit in links_cli::Exit::ALL {
        writeln!(text, "| {} | `{}` | {} |", exit.code(), exit.name(), exit.meaning()).unwrap();
    }
    compare("docs/exit-codes.md", &text);
}

#[test]
fn help_lists_every_exit_code_of_the_table() {
    let env = TestEnv::cafe();
    let (topic, brief) = (env.run("help exit-codes").stdout, env.run("--help").stdout);
    for exit in links_cli::Exit::ALL {
        let row = |line: &str| {
            line.starts_with(&format!("{:>5}  {} ", exit.code(), exit.name()))
                && line.ends_with(exit.meaning())
        };
        assert!(topic.lines().any(row), "{topic}");
        let word = format!("{} {}", exit.code(), exit.name().replace('_', " "));
        let brief = brief.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(brief.contains(&word), "{brief}");
    }
}

#[test]
fn the_completion_scripts_are_those_that_the_program_prints() {
    let env = TestEnv::cafe();
    for (shell, name) in [
        ("bash", "links.bash"),
        ("elvish", "links.elv"),
        ("fish", "links.fish"),
        ("powershell", "_links.ps1"),
        ("zsh", "_links"),
    ] {
        let run = env.run(&format!("completions {shell}"));
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
        compare(&format!("completions/{name}"), &run.stdout);
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let env = TestEnv::cafe();
    let run = env.run("man pages -o json");
    assert_eq!(run.exit, 0, "{run}");
    let directory = env.home.path().join("pages");
    let page = std::fs::read_to_string(directory.join("links-slots-apply.1")).unwrap();
    assert!(
        page.contains(".TH") && page.contains("\\-\\-prune") && page.contains("Example"),
        "{page}"
    );
    assert!(!directory.join("links-man.1").exists());
    let Ok(checked) = Command::new("groff")
        .args(["-man", "-Tutf8", "-ww", "-z"])
        .arg(directory.join("links-slots-apply.1"))
        .output()
    else {
        eprintln!("not shown that the pages are clean: there is no groff on this machine");
        return;
    };
    assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}");
}

#[test]
fn every_topic_is_explained_and_a_mistyped_one_gets_a_suggestion() {
    let env = TestEnv::cafe();
    for topic in ["exit-codes", "environment", "output", "files", "slots apply", "profile"] {
        let run = env.run(&format!("help {topic}"));
        assert!(run.exit == 0 && run.stdout.lines().count() > 5, "{run}");
    }
    let run = env.run("help exit-code -o json");
    assert_eq!((run.exit, &run.error()["hint"]), (2, &"did you mean `exit-codes`?".into()));
    for variable in ["LINKS_TOKEN", "LINKS_OUTPUT", "NO_COLOR", "LINKS_SANDBOX"] {
        assert!(env.run("help environment").stdout.contains(variable), "{variable}");
    }
}

const README: &str = include_str!("../../README.md");

/// Returns the command lines of the README: those in code spans, and those after a prompt.
fn of_readme() -> Vec<Vec<String>> {
    let prompts = README.lines().filter_map(|line| line.strip_prefix("$ "));
    let inline = README.split('`').filter(|it| !it.contains('\n'));
    let lines = prompts.chain(inline).filter(|it| it.starts_with("links "));
    let is_of_the_shell = |word: &String| ["<", ">", "|"].contains(&word.as_str());
    let line = |text: &str| {
        let words = shlex::split(text).unwrap();
        words.into_iter().take_while(|word| !is_of_the_shell(word)).collect::<Vec<_>>()
    };
    lines.map(line).filter(|words| words.len() > 1).collect()
}

#[test]
fn every_command_of_the_readme_can_be_parsed() {
    let lines = of_readme();
    assert!(lines.len() > 20, "{lines:?}");
    for words in lines {
        let parsed = links_cli::command().try_get_matches_from(&words);
        assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
    }
}

#[test]
fn the_readme_shows_a_page_file_and_the_errors_of_a_bad_one() {
    let env = TestEnv::cafe().keeping_state();
    let page = README.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    env.file("cafe.yaml", page.replacen("      title: Summer", "      titel: Summer", 1));
    let run = env.run("slots apply cafe.yaml");
    let shown = README.split("$ links --sandbox slots apply cafe.yaml\n").nth(1).unwrap();
    assert_eq!((run.exit, run.stderr.as_str()), (8, shown.split("```").next().unwrap()), "{run}");

    let references = README.split("```yaml\n").nth(2).unwrap().split("```").next().unwrap();
    std::fs::create_dir(env.home.path().join("images")).unwrap();
    env.file("images/menu.jpg", b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    env.file("cafe.yaml", format!("{page}{references}"));
    let run = env.run("slots apply cafe.yaml --yes");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.run("slots plan cafe.yaml").exit, 0);
}

/// Returns the commands of the examples in a page, each with the lines that it prints.
fn examples(page: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match (line.strip_prefix("$ links "), examples.last_mut()) {
                (Some(command), _) => examples.push((command.to_owned(), Vec::new())),
                (None, Some((_, shown))) => shown.push(line.to_owned()),
                (None, None) => panic!("{line}"),
            }
        }
    }
    examples
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

/// Runs so many examples of a page, each of which prints what the page shows.
fn run_examples(env: &TestEnv, page: &str, count: usize) {
    let examples = examples(page);
    assert_eq!(examples.len(), count);
    for (line, shown) in examples {
        let run = env.run_args(shlex::split(&line).unwrap(), b"");
        assert_eq!(run.exit, 0, "{run}");
        let printed = format!("{}{}", run.stderr, run.stdout);
        for expected in shown {
            assert!(printed.lines().any(|it| is_shown(it, &expected)), "{expected}\n{run}");
        }
    }
}

#[test]
fn the_example_of_bulk_changes_runs_and_prints_what_the_page_shows() {
    let env = TestEnv::cafe().keeping_state().keeping_cache().env("LINKS_TEST_NO_WAIT", "1");
    env.file(
        "menu.csv",
        "name,url\nTea,https://menu.example/tea\nCake,https://menu.example/cake\n",
    );
    run_examples(&env, include_str!("../../docs/bulk.md"), 4);
}

#[test]
fn the_example_of_undo_runs_and_prints_what_the_page_shows() {
    let env = TestEnv::cafe().keeping_state().keeping_cache().env("LINKS_TEST_NO_WAIT", "1");
    run_examples(&env, include_str!("../../docs/undo.md"), 5);
}
