//! Tests of pages and scripts that are generated from the program's own tables. `LINKS_UPDATE=1 cargo test --workspace --test cli docs`
//! writes them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::test_env::TestEnv;

/// Compares a committed file with the generated text.
pub(crate) fn compare(name: &str, made: &str) {
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
    let mut text = "# Exit codes\n\nEvery command exits with one of these codes, which scripts can check.\n\n| code | name | meaning |\n| --- | --- | --- |\n".to_owned();
    for exit in links_cli::Exit::ALL {
        writeln!(text, "| {} | `{}` | {} |", exit.code(), exit.name(), exit.meaning()).unwrap();
    }
    compare("docs/exit-codes.md", &text);
}

#[test]
fn help_lists_every_exit_code_of_the_table() {
    let env = TestEnv::cafe();
    let (topic, main) = (env.run("help exit-codes").stdout, env.run("--help").stdout);
    assert!(main.contains("exit-codes"), "{main}");
    for exit in links_cli::Exit::ALL {
        let row = |line: &str| {
            line.starts_with(&format!("{:>5}  {} ", exit.code(), exit.name()))
                && line.ends_with(exit.meaning())
        };
        assert!(topic.lines().any(row), "{topic}");
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
    for topic in
        ["exit-codes", "environment", "output", "files", "agents", "slots apply", "profile"]
    {
        let run = env.run(&format!("help {topic}"));
        assert!(run.exit == 0 && run.stdout.lines().count() > 5, "{run}");
    }
    let run = env.run("help exit-code -o json");
    assert_eq!((run.exit, &run.error()["hint"]), (2, &"did you mean `exit-codes`?".into()));
    for variable in ["LINKS_TOKEN", "LINKS_OUTPUT", "NO_COLOR", "LINKS_SANDBOX"] {
        assert!(env.run("help environment").stdout.contains(variable), "{variable}");
    }
}

#[test]
fn the_index_for_language_models_has_every_chapter() {
    let [index, summary] =
        [include_str!("../../docs/llms.txt"), include_str!("../../docs/SUMMARY.md")];
    assert!(index.starts_with("# links\n\n> "), "{index}");
    let links = |text: &str| {
        let targets = text.split("](").skip(1).map(|it| it.split(')').next().unwrap().to_owned());
        targets
            .filter(|it| !it.starts_with("commands/") && !it.starts_with("schemas/"))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(links(index), links(summary));
}

#[test]
fn the_topic_for_agents_shows_the_fields_of_an_error_and_commands_that_exist() {
    let env = TestEnv::cafe();
    let topic = env.run("help agents").stdout;
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1002, type: button, data: {titel: A}}\n",
    );
    let run = env.run("plan page.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    for (name, _) in run.error().as_object().unwrap() {
        assert!(topic.contains(&format!("\"{name}\"")), "{name}: {run}");
    }
    let spans = topic.split('`').skip(1).step_by(2).filter(|it| it.starts_with("links "));
    let lines = topic.lines().filter(|it| it.starts_with("  links "));
    let lines: Vec<_> =
        lines.map(|it| it.trim().split("  ").next().unwrap()).chain(spans).collect();
    assert!(lines.len() > 8, "{lines:?}");
    for line in lines {
        let parsed = links_cli::command().try_get_matches_from(shlex::split(line).unwrap());
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
    }
}
