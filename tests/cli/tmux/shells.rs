//! Tests of completion as users type it, in bash, zsh and fish. Only an account with its secret in the keyring names the service, so that
//! an access to the token would be detected.

use std::os::unix::net::UnixListener;
use std::process::Stdio;

use super::Tmux;
use crate::auth::{config, log_in, logged_out};
use crate::test_env::TestEnv;

/// Returns the environment of a user with earlier commands, and a session bus without any connection so far.
fn experienced() -> (TestEnv, UnixListener) {
    let env = logged_out().keeping_cache();
    assert_eq!(log_in(&env, &env.server.token(), &["--account", "work"]).exit, 0);
    let env = env.env("LINKS_BASE_URL", "");
    for line in ["profile list", "slots list cafe", "forms list", "slots types"] {
        assert_eq!(env.run(line).exit, 0);
    }
    let accounts = config(&env).join("accounts.json");
    let text = std::fs::read_to_string(&accounts).unwrap();
    std::fs::write(&accounts, text.replace("\"file\"", "\"keyring\"")).unwrap();
    let socket = env.home.path().join("bus");
    let bus = UnixListener::bind(&socket).unwrap();
    bus.set_nonblocking(true).unwrap();
    env.server.forget_requests();
    let env = env.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()));
    env.file("my page.yaml", "profile: cafe\nslots: []\n");
    (env, bus)
}

/// Input, number of times that TAB is pressed, and the expected texts on the screen.
type Case = (&'static str, usize, &'static [&'static str]);

fn complete(terminal: &Tmux, cases: &[Case]) {
    for (typed, tabs, expected) in cases {
        terminal.clear();
        terminal.write(typed);
        terminal.press(&vec!["Tab"; *tabs]);
        let what = format!("{expected:?} after {typed:?}");
        terminal.wait_for(&what, |screen| expected.iter().all(|it| screen.contains(it)));
    }
}

/// Cases that are the same in all shells.
const COMMON: &[Case] = &[
    ("links slo", 1, &["links slots "]),
    ("links slots get caf", 1, &["links slots get cafe "]),
    ("links profile get q", 1, &["links profile get qara.weddings "]),
    ("links slots add cafe but", 1, &["links slots add cafe button "]),
    ("links slots add cafe button style=p", 1, &["button style=primary "]),
    ("links slots set cafe 1002 sty", 1, &["links slots set cafe 1002 style="]),
    ("links slots set cafe 1002 text=@my", 1, &["text=@my\\ page.yaml "]),
    ("links slots apply my", 1, &["links slots apply my\\ page.yaml "]),
    ("links slots apply ~/my", 1, &["links slots apply ~/my\\ page.yaml "]),
    ("links forms get 6", 1, &["links forms get 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 "]),
    ("links me --out", 1, &["links me --output "]),
    ("links --account w", 1, &["links --account work "]),
    ("links config get ti", 1, &["links config get timeout "]),
];

#[test]
#[ignore = "needs tmux and bash: see tests/terminal/run"]
fn bash_completes_names_without_requests_or_the_keyring() {
    let (env, bus) = experienced();
    let terminal = Tmux::bash(&env, 100, 60);
    terminal.run("source <(links completions bash)");
    complete(&terminal, COMMON);
    complete(
        &terminal,
        &[
            ("links profile get ", 2, &["cafe           (Qara Coffee)"]),
            ("links slots delete cafe 1001 ", 3, &["1007  (divider)\n1008  (event Open cupping"]),
            ("links slots get cafe 10", 2, &["1001  (text Good morning!)\n1002  (button Menu)"]),
            ("links slots add cafe button style=", 2, &["primary    secondary  outline"]),
            ("true; links slots get caf", 1, &["true; links slots get cafe "]),
            ("links slots set cafe 1002 \"text=@my p", 1, &["\"text=@my page.yaml\" "]),
        ],
    );
    // On a narrow terminal each candidate keeps to its line.
    terminal.resize(30);
    complete(&terminal, &[("links slots get cafe 10", 2, &["1008  (event Open cupping: K…\n"])]);
    untouched(&env, &bus);
}

#[test]
#[ignore = "needs tmux and zsh: see tests/terminal/run"]
fn zsh_completes_names_without_requests_or_the_keyring() {
    let (env, bus) = experienced();
    let directory = env.home.path().join("functions");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("_links"), env.run("completions zsh").stdout).unwrap();
    let sourced = "autoload -U compinit; compinit -uD; source <(links completions zsh)";
    let installed = "fpath=(~/functions $fpath); autoload -U compinit; compinit -uD";
    for way in [sourced, installed] {
        let terminal = Tmux::start(&env, &["zsh", "-f"], 100, 60);
        terminal.run(way);
        complete(&terminal, COMMON);
        complete(
            &terminal,
            &[
                ("links profile get ", 1, &["cafe           -- Qara Coffee"]),
                (
                    "links slots get cafe 10",
                    1,
                    &["1001  -- text Good morning!", "1002  -- button Menu"],
                ),
                ("links slots add cafe button style=", 1, &["style=primary    style=secondary"]),
                ("links slots delete cafe 1001 10", 1, &["1007  -- divider\n1008  -- event Open"]),
                ("links slots add cafe button ", 1, &["title=", "What the button says."]),
            ],
        );
    }
    untouched(&env, &bus);
}

#[test]
#[ignore = "needs tmux and fish: see tests/terminal/run"]
fn fish_completes_names_without_requests_or_the_keyring() {
    let (env, bus) = experienced();
    let prompt = "function fish_prompt; echo -n 'here> '; end; links completions fish | source";
    let terminal = Tmux::start(&env, &["fish", "--no-config", "--private", "-C", prompt], 100, 60);
    complete(&terminal, COMMON);
    complete(
        &terminal,
        &[
            ("links slots get cafe 10", 2, &["(text Good morning!)", "(button Menu)"]),
            ("links slots add cafe button style=", 2, &["style=outline", "style=secondary"]),
        ],
    );
    untouched(&env, &bus);
}

/// Checks that nothing was sent, and no connection was made to the session bus, although completion knew the account.
fn untouched(env: &TestEnv, bus: &UnixListener) {
    assert!(env.operations().is_empty());
    let asked = bus.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(asked, Err(std::io::ErrorKind::WouldBlock));
    // A command that needs the token does connect.
    let mut child = env.command(["me"]).stderr(Stdio::null()).spawn().unwrap();
    while bus.accept().is_err() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a token");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
