//! Terminal with a simulated user: `tests/terminal/run` provides tmux and the shells for these tests.

mod hostile_names;
mod prompts;
mod rendering;
mod shells;

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::test_env::TestEnv;

/// Number of looks at the screen, over more than a minute, before something counts as missing.
const LOOKS: usize = 10_000;

/// The prompt of the shells under test.
const PROMPT: &str = "here>";

/// A terminal with a shell, in a session of its own.
pub(crate) struct Tmux {
    directory: TempDir,
    of_links: String,
}

impl Tmux {
    /// Starts bash, which finds `links` as its users do.
    pub(crate) fn bash(env: &TestEnv, width: u16, height: u16) -> Self {
        let terminal = Self::start(env, &["bash", "--noprofile", "--norc", "-i"], width, height);
        // Without it, Ctrl-C in a command would end the whole line, with the part that prints the exit code.
        terminal.run("trap : INT");
        terminal
    }

    /// Starts a shell of this command line, with the variables of the environment and this prompt.
    pub(crate) fn start(env: &TestEnv, shell: &[&str], width: u16, height: u16) -> Self {
        let binary = Path::new(env!("CARGO_BIN_EXE_links"));
        let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
        let directory = tempfile::tempdir().unwrap();
        let terminal = Self { directory, of_links: path };
        let likeness = env.command(["x"]);
        let mut command = terminal.command();
        command.envs(likeness.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PS1", format!("{PROMPT} ")).env("HISTFILE", "/dev/null");
        command.current_dir(env.home.path());
        let (width, height) = (width.to_string(), height.to_string());
        command.args(["new-session", "-d", "-x", &width, "-y", &height]).args(shell);
        told(command.output());
        terminal.tmux(&["set-option", "-s", "set-clipboard", "on"]);
        terminal.wait_for("a prompt", |screen| screen.contains(PROMPT));
        terminal
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.env_clear().env("PATH", &self.of_links).env("LC_ALL", "C.UTF-8");
        command.arg("-u").arg("-S").arg(self.directory.path().join("socket"));
        command.args(["-f", "/dev/null"]);
        command
    }

    fn tmux(&self, args: &[&str]) -> String {
        told(self.command().args(args).output())
    }

    /// Presses keys by their names: `Tab`, `C-c`, `Enter`.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a text.
    pub(crate) fn write(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Runs a command line on an empty screen, and waits for its end.
    pub(crate) fn run(&self, line: &str) -> Shown {
        self.begin(line);
        self.end()
    }

    /// Runs a command line on an empty screen, without waiting.
    pub(crate) fn begin(&self, line: &str) {
        self.clear();
        self.write(&format!("{line}; echo \"[exit $?]\""));
        self.press(&["Enter"]);
    }

    /// Waits for the end of the command that was begun.
    pub(crate) fn end(&self) -> Shown {
        let is_over = |screen: &str| {
            let after = screen.rsplit_once("\n[exit ").map(|(_, after)| after);
            after.is_some_and(|it| it.contains(PROMPT))
        };
        let text = self.wait_for("the end", is_over);
        let (text, after) = text.rsplit_once("\n[exit ").unwrap();
        let exit = after.split_once(']').unwrap().0.parse().unwrap();
        // What was typed takes one line or, on a narrow terminal, several.
        let text = text.split_once("$?]\"").map_or(text, |(_, text)| text);
        let lines: Vec<_> = text.trim_matches('\n').lines().map(str::trim_end).collect();
        Shown { text: lines.join("\n"), exit }
    }

    /// Clears the screen and the scrollback.
    pub(crate) fn clear(&self) {
        self.press(&["C-u", "C-l"]);
        self.wait_for("an empty screen", |_| self.rows().concat().trim() == PROMPT);
        self.forget();
    }

    /// Clears the scrollback.
    pub(crate) fn forget(&self) {
        self.tmux(&["clear-history"]);
    }

    /// Returns everything shown so far; lines that did not fit are joined.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// Returns the lines as the terminal shows them.
    pub(crate) fn rows(&self) -> Vec<String> {
        self.tmux(&["capture-pane", "-p"]).lines().map(str::to_owned).collect()
    }

    /// Returns everything shown so far, with its colour sequences.
    pub(crate) fn styled(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e", "-S", "-"])
    }

    /// Returns a variable of tmux about its pane, such as `#{cursor_flag}`.
    pub(crate) fn ask(&self, format: &str) -> String {
        self.tmux(&["display-message", "-p", format]).trim().to_owned()
    }

    /// Returns the texts that programs have copied.
    pub(crate) fn buffers(&self) -> String {
        self.tmux(&["list-buffers"])
    }

    pub(crate) fn resize(&self, width: u16) {
        self.tmux(&["resize-window", "-x", &width.to_string()]);
        // Programs learn the new size a little later.
        let told = |_| self.run("stty size").text.ends_with(&format!(" {width}"));
        assert!((0..LOOKS / 100).any(told), "no one is told of the new width");
    }

    /// Waits until the screen is as expected.
    pub(crate) fn wait_for(&self, what: &str, expected: impl Fn(&str) -> bool) -> String {
        for _ in 0..LOOKS {
            let screen = self.screen();
            if expected(&screen) {
                return screen;
            }
            std::thread::yield_now();
        }
        panic!("no {what} in\n{}", self.screen());
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}

/// Output of a command line on the terminal.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) exit: i32,
}

fn told(output: std::io::Result<Output>) -> String {
    let output = output.expect("run by tests/terminal/run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
