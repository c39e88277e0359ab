//! Tests of names of files that would run a command if a shell evaluated them: completed with TAB within each kind of quotes, and then run.

use super::Tmux;
use crate::test_env::TestEnv;

/// Names of files, each with another first letter. A name that a shell runs as it is would leave a file `X`.
const NAMES: &[&str] = &[
    "a$(touch X).yaml",
    "b`touch X`.yaml",
    "c';touch X;'.yaml",
    "d\";touch X;\".yaml",
    "e;touch X;.yaml",
    "f&touch X&.yaml",
    "g|touch X|.yaml",
    "h\\';touch X;.yaml",
    "i!touch X!!.yaml",
    "j'$(touch X)'.yaml",
    "k #{x,y}*?[a]~^=%.yaml",
    "l$'\\'';touch X;.yaml",
    "m(touch X).yaml",
    "n\\$(touch X)\\.yaml",
    "o\"$(touch X)\"'$(touch X)'.yaml",
    "p${IFS}$HOME.yaml",
    "q<(touch X)>X.yaml",
    "r кафе 日本.yaml",
];

/// A shell, and its way to report that a command has ended well.
struct Shell {
    terminal: Tmux,
    /// Text that is typed after the command to learn how it ended.
    further: &'static str,
    /// Tells whether a name cannot be written within a quote.
    declines: fn(&str, &str) -> bool,
}

fn env() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    for name in NAMES {
        env.file(name, "profile: cafe\nslots: [{type: text, data: {title: Good morning!}}]\n");
    }
    env
}

impl Shell {
    /// Types the beginning of a name within a quote, presses TAB, and types on. Returns whether the rest was offered.
    fn complete(&self, quote: &str, start: &str) -> bool {
        self.terminal.clear();
        self.terminal.write(&format!("links slots plan {quote}{start}"));
        self.terminal.press(&["Tab"]);
        self.terminal.write(self.further);
        // Keys are taken one after the other, so that this is shown once TAB has done its work.
        let shown =
            self.terminal.wait_for("an answer to TAB", |screen| screen.contains(self.further));
        shown.contains(".yaml")
    }

    /// Checks that every name that is offered names its file, and none runs a command.
    fn check(&self, env: &TestEnv) {
        let created = env.home.path().join("X");
        for quote in ["", "'", "\""] {
            for name in NAMES {
                let start: String = name.chars().take(1).collect();
                let is_offered = self.complete(quote, &start);
                let screen = self.terminal.screen();
                assert_eq!(is_offered, !(self.declines)(quote, name), "{quote}{name}\n{screen}");
                if is_offered {
                    self.terminal.press(&["Enter"]);
                    let shown = self.terminal.end();
                    assert_eq!(shown.exit, 0, "{quote}{name}\n{}", shown.text);
                    assert!(shown.text.contains("no changes"), "{quote}{name}\n{}", shown.text);
                }
                assert!(!created.exists(), "{quote}{name} ran a command\n{screen}");
            }
        }
    }
}

#[test]
#[ignore = "needs tmux and bash: see tests/terminal/run"]
fn completion_in_bash_runs_no_file_name() {
    let env = env();
    let terminal = Tmux::bash(&env, 150, 50);
    terminal.run("source <(links completions bash)");
    // Within backquotes, which cannot be seen, one more level of quoting would be needed.
    let declines = |_: &str, name: &str| name.contains('`');
    let shell = Shell { terminal, further: "; echo \"[exit $?]\"", declines };
    shell.check(&env);
    // What several names have in common is inserted as well.
    shell.terminal.run("bind 'set show-all-if-ambiguous on'");
    for name in ["s$(touch X)1.yaml", "s$(touch X)2.yaml"] {
        env.file(name, "");
    }
    shell.terminal.write("links slots plan s");
    shell.terminal.press(&["Tab"]);
    shell.terminal.wait_for("both", |screen| screen.contains("plan s\\$\\(touch\\ X\\)"));
    shell.terminal.press(&["Enter"]);
    shell.terminal.run("true");
    assert!(!env.home.path().join("X").exists());
}

#[test]
#[ignore = "needs tmux and zsh: see tests/terminal/run"]
fn completion_in_zsh_runs_no_file_name() {
    let env = env();
    let terminal = Tmux::start(&env, &["zsh", "-f"], 150, 50);
    terminal.run("autoload -U compinit; compinit -uD; source <(links completions zsh)");
    let further = "; echo \"[exit $?]\"";
    Shell { terminal, further, declines: |_, _| false }.check(&env);
}

#[test]
#[ignore = "needs tmux and fish: see tests/terminal/run"]
fn completion_in_fish_runs_no_file_name() {
    let env = env();
    let prompt = "function fish_prompt; echo -n 'here> '; end; links completions fish | source";
    let terminal = Tmux::start(&env, &["fish", "--no-config", "--private", "-C", prompt], 150, 50);
    let further = "; echo \"[exit $status]\"";
    Shell { terminal, further, declines: |_, _| false }.check(&env);
}
