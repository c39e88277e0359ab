//! Tests of the examples below the help of each command, run as they are.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::leaves::leaves;
use crate::test_env::{TestEnv, picture};

/// Examples that end with another exit code than 0, as expected.
const ENDS_WITH: &[(&str, i32)] = &[
    ("links plan cafe.yaml", 3),
    ("links plan pages forms -o json", 3),
    ("links preview cafe.yaml --diff --summary preview.md", 3),
    ("links slots plan cafe.yaml", 3),
    ("links slots plan cafe.yaml --prune -o json", 3),
    // No user is there to type the old login.
    ("links profile rename cafe cafe.mole", 14),
    // No user is there to confirm.
    ("links undo", 14),
    ("links undo \"$(links log -n 1 -o ids)\" --page cafe", 14),
    ("links redo", 14),
    // The token in use is that of `LINKS_TOKEN`.
    ("links auth logout", 4),
];

/// Examples that other tests run: they wait for a browser, need a keyring, ask other sites, or never end.
const ELSEWHERE: &[&str] = &[
    "links auth login --base-url https://links.example/api/v1",
    "links check cafe.yaml",
    "links check pages/ --fix",
    "links check --all --baseline known.json",
    "links auth login --base-url https://links.example/api/v1 --token-stdin < token",
    "links preview cafe.yaml --serve --apply",
    "links sandbox serve --port 8080",
];

/// Returns the setup before each example of a command.
fn before(leaf: &str) -> &'static str {
    match leaf {
        // The first write makes sure that the second one changes something.
        "undo" | "log" => {
            "links slots set cafe 1001 title=Tea && links slots set cafe 1001 title=Anew"
        }
        "redo" => "links slots set cafe 1001 title=Anew && links undo --yes",
        "slots pull" | "pull" | "schema page" => "rm -f cafe.yaml",
        "init" => "mkdir -p pages",
        "plan" | "apply" => "mkdir -p pages forms && cp cafe.yaml pages && cp booking.yaml forms",
        "auth switch" | "auth logout" => {
            "links auth login --token-stdin --store file --account home < token\n\
             links auth login --token-stdin --store file --account work < token"
        }
        "profile preview" => "links profile preview cafe > cafe.md",
        "completions" => "mkdir -p ~/.zfunc ~/.config/fish/completions",
        _ => ":",
    }
}

/// Returns the lines below "Example" in the help of a command.
fn examples(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_long_help().or(command.get_after_help());
    let text = help.map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

/// Returns an environment whose directory has everything that the examples name.
pub(crate) fn env() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().keeping_cache();
    env.file("cafe.yaml", include_str!("../../fixtures/pages/cafe.yaml"));
    env.file("hours.txt", "8 to 22 every day\n");
    env.file("logins.txt", "spring.menu\nsummer.menu # perhaps\n");
    env.file("menu.csv", "name,url\nTea,https://qara.example/tea\n");
    env.file("drinks.csv", "title,link\nTea,https://qara.example/tea\n");
    env.file("token", env.server.token());
    let form = "title: Contact\nfields:\n  - {type: text, label: Name, required: true}\n";
    env.file("contact.yaml", form);
    env.file("form.yaml", form);
    env.file("booking.yaml", format!("form: booking\n{form}"));
    for (name, width, height) in
        [("logo.png", 800, 800), ("terrace.jpg", 1600, 900), ("raf.jpg", 90, 90)]
    {
        env.file(name, picture(width, height));
    }
    let code = env.file("code", "#!/bin/sh\nsed -i 's/^title:.*/title: Anew/' \"$2\"\n");
    std::fs::set_permissions(code, std::fs::Permissions::from_mode(0o755)).unwrap();
    env.env("LINKS_TEST_NO_WAIT", "1")
}

/// Runs a script where `links` is in the path, on a terminal if it edits.
pub(crate) fn bash(env: &TestEnv, script: &str) -> (Option<i32>, String) {
    let like = env.command([""; 0]);
    let program = PathBuf::from(like.get_program());
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        program.parent().unwrap().display(),
        env.home.path().display()
    );
    let quoted = shlex::try_quote(script).unwrap();
    let inner = format!("bash -e -o pipefail -c {quoted}");
    let mut command = if script.contains(" edit ") {
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &inner, "/dev/null"]);
        command
    } else {
        let mut command = Command::new("bash");
        command.args(["-e", "-o", "pipefail", "-c", script]);
        command
    };
    command.env_clear().current_dir(env.home.path());
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", path).env("TERM", "xterm").env("EDITOR", "true");
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    (output.status.code(), format!("$ {script}\n{out}--- stderr\n{err}"))
}

#[test]
fn every_leaf_has_examples_that_run_as_they_are() {
    let tree = links_cli::command();
    let (mut elsewhere, mut wrong) = (0, Vec::new());
    for leaf in leaves(&tree, &[]) {
        let command =
            leaf.iter().fold(&tree, |command, name| command.find_subcommand(name).unwrap());
        let lines = examples(command);
        let name = leaf.join(" ");
        assert!(lines.iter().any(|it| it.contains(&format!("links {name}"))), "{name}: {lines:?}");
        let env = env();
        for line in lines {
            if ELSEWHERE.contains(&line.as_str()) {
                elsewhere += 1;
                continue;
            }
            let (exit, text) = bash(&env, before(&name));
            assert_eq!(exit, Some(0), "before `{name}`\n{text}");
            let typed = line.replace("https://links.example/api/v1", &env.server.base_url());
            let (exit, text) = bash(&env, &typed);
            let expected =
                ENDS_WITH.iter().find(|(other, _)| *other == line).map_or(0, |(_, exit)| *exit);
            if exit != Some(expected) {
                wrong.push(format!("{text}--- exit {exit:?}, not {expected}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(elsewhere, ELSEWHERE.len(), "a line that is run elsewhere is no example any more");
}
