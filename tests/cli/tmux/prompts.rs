//! Tests of prompts, progress and Ctrl-C on a terminal, and of its state afterwards.

use links_fixtures::Fault;

use super::Tmux;
use crate::auth::logged_out;
use crate::test_env::TestEnv;

const SLOTS_BEFORE: usize = 14;

fn slots(env: &TestEnv) -> usize {
    env.server.account().profiles[0].slots.len()
}

/// Returns an environment with a page file that takes eleven requests.
fn long() -> TestEnv {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    let texts = "  - {type: text, data: {title: Hi}}\n".repeat(450);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{texts}"));
    env
}

/// Returns whether the terminal is in order: the cursor is visible, and input is echoed.
fn is_in_order(terminal: &Tmux) {
    assert_eq!(terminal.ask("#{cursor_flag} #{alternate_on}"), "1 0");
    let settings = terminal.run("stty -a").text;
    assert!(settings.contains(" echo ") && settings.contains(" icanon "), "{settings}");
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_confirmation_is_given_refused_or_interrupted() {
    let env = TestEnv::cafe();
    let terminal = Tmux::bash(&env, 100, 50);
    let ask = |keys: &[&str]| {
        terminal.begin("links slots delete cafe 1001");
        terminal.wait_for("a question", |screen| screen.contains("[y/N]"));
        terminal.press(keys);
        let shown = terminal.end();
        is_in_order(&terminal);
        shown
    };
    for (keys, exit, said) in [
        (["n", "Enter"].as_slice(), 14, "[y/N] n\n  × not confirmed; nothing was written"),
        (&["Enter"], 14, "[y/N]\n  × not confirmed; nothing was written"),
        (&["C-d"], 14, "[y/N]\n  × not confirmed; nothing was written"),
        (&["C-c"], 130, "[y/N] ^C\n  × stopped by Ctrl-C; nothing was written"),
    ] {
        let shown = ask(keys);
        assert_eq!(shown.exit, exit, "{keys:?}\n{}", shown.text);
        assert!(shown.text.ends_with(said), "{keys:?}\n{}", shown.text);
        assert_eq!(slots(&env), SLOTS_BEFORE);
    }
    assert_eq!(ask(&["y", "Enter"]).exit, 0);
    assert_eq!(slots(&env), SLOTS_BEFORE - 1);
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_page_without_changes_is_free_while_another_one_is_asked_about() {
    let env = TestEnv::cafe().keeping_state();
    let title = env.server.account().profiles[1].title.clone().unwrap();
    env.file("cafe.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: text}\n");
    env.file("weddings.yaml", format!("profile: qara.weddings\ntitle: {title}\n"));
    let other = |page: &str| {
        let text = format!("profile: {page}\nslots: [{{type: text, data: {{title: Hi}}}}]\n");
        env.file("other.yaml", text);
        env.run("slots apply other.yaml --yes")
    };
    let terminal = Tmux::bash(&env, 100, 50);
    terminal.begin("links apply cafe.yaml weddings.yaml --prune --max-deletes 20");
    terminal.wait_for("a question", |screen| screen.contains("[y/N]"));
    let free = other("qara.weddings");
    assert_eq!(free.exit, 0, "{free}");
    let locked = other("cafe");
    assert_eq!(locked.exit, 14, "{locked}");
    terminal.press(&["y", "Enter"]);
    assert_eq!(terminal.end().exit, 0);
    assert!(slots(&env) < SLOTS_BEFORE);
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_token_is_typed_without_echo_and_ctrl_c_restores_the_echo() {
    let env = logged_out();
    let terminal = Tmux::bash(&env, 100, 50);
    // A shell that does not restore the terminal itself.
    let line = "sh -c 'trap : INT; links auth login --token-stdin --store file; \
                stty -a | grep -ow -- \"-*echo\"; exit'";
    for keys in [["C-c"].as_slice(), &["C-d"], &["Enter"]] {
        terminal.begin(line);
        terminal.wait_for("a question", |screen| screen.contains("(not shown):"));
        terminal.write("canary-1f2e");
        terminal.press(keys);
        if keys == ["C-d"] {
            terminal.press(keys);
        }
        let shown = terminal.end().text;
        assert!(!shown.contains("canary"), "{keys:?}\n{shown}");
        assert!(shown.ends_with("\necho"), "{keys:?}\n{shown}");
        assert_eq!(shown.contains("stopped by Ctrl-C"), keys == ["C-c"], "{shown}");
    }
    terminal.begin("links auth login --token-stdin --store file");
    terminal.wait_for("a question", |screen| screen.contains("(not shown):"));
    terminal.write(&env.server.token());
    terminal.press(&["Enter"]);
    let shown = terminal.end();
    assert_eq!(shown.exit, 0, "{}", shown.text);
    assert!(!shown.text.contains(&env.server.token()));
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn progress_is_shown_on_a_terminal_and_cleared_afterwards() {
    for (line, seen) in [
        ("links slots apply page.yaml -y", true),
        ("links slots apply page.yaml -y --no-progress", false),
        ("LINKS_PROGRESS=0 links slots apply page.yaml -y", false),
        ("links slots apply page.yaml -y -o json", false),
        ("links slots apply page.yaml 2>&1 | cat", false),
    ] {
        let env = long();
        let env = if seen { env.env("LINKS_TEST_NO_WAIT", "") } else { env };
        let terminal = Tmux::bash(&env, 100, 50);
        if seen {
            let progress = |screen: &str| screen.contains("/10 creating 50");
            env.held(|| terminal.begin(line), || terminal.wait_for("progress", progress));
        } else {
            terminal.begin(line);
        }
        let shown = terminal.end();
        assert_eq!(shown.exit, 0, "{}", shown.text);
        for trace in ["/10", "█", "░", "creating 50"] {
            assert!(!shown.text.contains(trace), "{line}: {trace} in\n{}", shown.text);
        }
        assert!(shown.text.contains("450 created") || line.contains("json"), "{}", shown.text);
        is_in_order(&terminal);
    }
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_wait_for_the_rate_limit_is_shown_beside_the_progress() {
    let env = long().env("LINKS_TEST_NO_WAIT", "");
    env.server.fail([5], &Fault::RateLimited(Some("60".to_owned())));
    let terminal = Tmux::bash(&env, 100, 50);
    terminal.begin("links slots apply page.yaml -y");
    terminal.wait_for("a reason", |screen| screen.contains("waiting "));
    let rows = terminal.rows();
    let line = rows.iter().find(|it| it.contains("waiting ")).unwrap();
    assert!(line.starts_with("waiting ") && !line.contains("creating"), "{rows:?}");
    // No request is under way.
    terminal.press(&["C-c"]);
    let shown = terminal.end();
    assert_eq!(shown.exit, 130);
    assert!(shown.text.contains("stopped by Ctrl-C: "), "{}", shown.text);

    // If nothing is written, there is nothing to wait for.
    let env = TestEnv::cafe();
    env.server.fail([1], &Fault::RateLimited(Some("60".to_owned())));
    let terminal = Tmux::bash(&env, 100, 50);
    terminal.begin("links profile list");
    // The wait counts down in place.
    let screen = terminal.wait_for("a second less", |screen| {
        screen.contains("waiting 59 s: the service asked to wait")
    });
    assert_eq!(screen.matches("waiting ").count(), 1, "{screen}");
    terminal.press(&["C-c"]);
    let shown = terminal.end();
    assert_eq!(shown.exit, 130);
    assert_eq!(shown.text.trim_start(), "× stopped by Ctrl-C");
    is_in_order(&terminal);
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn one_ctrl_c_lets_the_request_in_flight_end_and_a_second_one_does_not() {
    for twice in [false, true] {
        let env = long().env("LINKS_TEST_NO_WAIT", "");
        let terminal = Tmux::bash(&env, 100, 50);
        let begin = || terminal.begin("links slots apply page.yaml -y");
        let shown = if twice {
            // A request without an answer.
            let (sent, told) = std::sync::mpsc::channel();
            let (release, released) = std::sync::mpsc::channel::<()>();
            env.server.edit_after(6, move |_| {
                sent.send(()).unwrap();
                let _ = released.recv();
            });
            begin();
            told.recv().unwrap();
            terminal.press(&["C-c"]);
            terminal.wait_for("a promise", |screen| screen.contains("press Ctrl-C again to stop"));
            terminal.press(&["C-c"]);
            let shown = terminal.end();
            drop(release);
            shown
        } else {
            // Between two requests it ends before it can promise to.
            let answers = ["press Ctrl-C again to stop", "stopped by Ctrl-C"];
            env.held(begin, || {
                terminal.press(&["C-c"]);
                terminal
                    .wait_for("a promise", |screen| answers.iter().any(|it| screen.contains(it)));
            });
            terminal.end()
        };
        assert_eq!(shown.exit, 130, "{}", shown.text);
        assert!(shown.text.contains("stopped by Ctrl-C: "), "{}", shown.text);
        assert_eq!(shown.text.contains("may still have been applied"), twice, "{}", shown.text);
        assert!(!shown.text.contains("/10"), "{}", shown.text);
        is_in_order(&terminal);
        let so_far = slots(&env);
        assert!(so_far < SLOTS_BEFORE + 450, "it did not stop");
        let resumed = terminal.run("LINKS_TEST_NO_WAIT=1 links slots apply --resume");
        assert_eq!((resumed.exit, slots(&env)), (0, SLOTS_BEFORE + 450), "{}", resumed.text);
    }
}
