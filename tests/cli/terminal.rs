//! Runs of the binary on a terminal, where it asks and edits.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::test_env::TestEnv;

/// Output of a terminal, and the exit code.
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) exit: i32,
}

/// Runs a command line on a terminal of its own, with this input.
pub(crate) fn run(env: &TestEnv, line: &str, typed: &str) -> Seen {
    run_after("", env, line, typed)
}

/// Runs a command line on a terminal of this width.
pub(crate) fn run_at(columns: u16, env: &TestEnv, line: &str) -> Seen {
    run_after(&format!("stty cols {columns}; "), env, line, "")
}

/// Runs a command line on a terminal of its own, and types once it asks this question.
pub(crate) fn answer(env: &TestEnv, line: &str, question: &str, typed: &str) -> Seen {
    let mut child = on_terminal("", env, line).spawn().unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(question) {
        let mut bytes = [0; 1024];
        let count = screen.read(&mut bytes).unwrap();
        assert!(count > 0, "no question in\n{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&bytes[..count]);
    }
    keys.write_all(typed.as_bytes()).unwrap();
    keys.flush().unwrap();
    screen.read_to_end(&mut seen).unwrap();
    let status = child.wait().unwrap();
    Seen { text: String::from_utf8_lossy(&seen).into_owned(), exit: status.code().unwrap_or(-1) }
}

/// Returns a command line that runs on a terminal of its own, after another.
fn on_terminal(before: &str, env: &TestEnv, line: &str) -> Command {
    let inner = env.command(line.split_whitespace());
    let quoted =
        |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"));
    let words: Vec<_> =
        std::iter::once(inner.get_program()).chain(inner.get_args()).map(quoted).collect();
    let mut outer = Command::new("script");
    let command = format!("{before}{}", words.join(" "));
    outer.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    outer
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .current_dir(env.home.path());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.stdin(Stdio::piped()).stdout(Stdio::piped());
    outer
}

pub(crate) fn run_after(before: &str, env: &TestEnv, line: &str, typed: &str) -> Seen {
    let mut child = on_terminal(before, env, line).spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Seen {
        text: String::from_utf8_lossy(&output.stdout).into_owned(),
        exit: output.status.code().unwrap_or(-1),
    }
}
