//! Tests of commands for directories of several accounts: each runs with the account of its lock, and none stops another.

use std::fs;
use std::io::{Write, read_to_string};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use links_fixtures::{ContractServer, Fault, World};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::terminal;
use crate::test_env::{CommandResult, TestEnv, wait};

/// A machine with an account on each of two services, and a directory for each.
struct Agency {
    env: TestEnv,
    other: ContractServer,
}

impl Agency {
    fn new() -> Self {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
        let other = wait(ContractServer::builder(World::cafe()).no_limits().start()).unwrap();
        let agency = Self { env, other };
        let here = agency.env.server.base_url();
        agency.log_in("home", &here, &agency.env.server.token());
        agency.log_in("work", &agency.other.base_url(), &agency.other.token());
        for (name, directory) in [("home", "clients/one"), ("work", "clients/two")] {
            fs::create_dir_all(agency.env.home.path().join(directory)).unwrap();
            let run = agency.run(&format!("init {directory} --account {name}"));
            assert_eq!(run.exit, 0, "{run}");
            let page = format!("profile: cafe\ntitle: Of {name}\n");
            agency.env.file(&format!("{directory}/cafe.yaml"), page);
        }
        agency
    }

    fn log_in(&self, name: &str, url: &str, token: &str) {
        let line = ["auth", "login", "--token-stdin", "--store", "file", "--account", name];
        let mut command = self.env.command(line);
        command.env("LINKS_BASE_URL", url).env_remove("LINKS_TOKEN");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(token.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{name}");
    }

    /// Replaces the account `home` by one whose token command is this script.
    fn log_in_by(&self, script: &str) {
        let run = self.run("auth logout home");
        assert_eq!(run.exit, 0, "{run}");
        let program = format!("/bin/sh '{}'", self.env.file("token.sh", script).display());
        let line = ["auth", "login", "--token-command", &program, "--account", "home"];
        let output = self.env.command(line).env_remove("LINKS_TOKEN").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Returns a script that prints the token of `home`.
    fn token_script(&self) -> String {
        format!("echo '{}'\n", self.env.server.token())
    }

    fn run(&self, line: &str) -> CommandResult {
        let mut command = self.env.command(line.split(' '));
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::null());
        let output = command.output().unwrap();
        CommandResult::new(&self.env, output.status.code(), output.stdout, output.stderr)
    }

    /// Returns a command line that a shell starts as this script does.
    fn in_shell(&self, script: &str, line: &str) -> Command {
        let inner = self.env.command(line.split(' '));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]).arg(inner.get_program()).args(inner.get_args());
        shell.env_clear().current_dir(self.env.home.path());
        shell.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::null());
        shell
    }

    fn titles(&self) -> [Option<String>; 2] {
        [&self.env.server, &self.other].map(|it| it.account().profiles[0].title.clone())
    }
}

#[test]
fn each_directory_is_planned_applied_and_pulled_with_the_account_of_its_lock() {
    let agency = Agency::new();
    let before = agency.titles();
    for line in ["plan clients/one clients/two", "plan clients", "plan clients --jobs 1"] {
        let run = agency.run(line);
        assert_eq!(run.exit, 3, "{run}");
        for part in [
            "== home (exit code 3)\n~ cafe: title",
            "== work (exit code 3)\n~ cafe: title",
            "\"Of home\"",
            "\"Of work\"",
        ] {
            assert!(run.stdout.contains(part), "{part}: {run}");
        }
    }
    assert_eq!(agency.titles(), before);
    let servers = [&agency.env.server, &agency.other];
    for server in servers {
        server.forget_requests();
    }
    let run = agency.run("apply clients --yes -o json");
    assert_eq!(run.exit, 0, "{run}");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    let sent = servers.map(ContractServer::requests);
    let requests = sent.iter().map(Vec::len).sum::<usize>();
    assert!((6..=8).contains(&requests), "{sent:?}");
    assert_eq!(
        json["meta"],
        json!({ "accounts": 2, "failed": 0, "leftOut": 0, "pages": 2, "requests": requests, "waitedSeconds": 0 }),
        "{sent:?} {run}"
    );
    let of = |nth: usize| json["data"][nth].clone();
    let (one, two) = if of(0)["account"] == "home" { (of(0), of(1)) } else { (of(1), of(0)) };
    assert_eq!((&one["paths"], &two["paths"]), (&json!(["clients/one"]), &json!(["clients/two"])));
    assert_eq!((&one["exit"], &one["error"], &two["exit"]), (&json!(0), &Value::Null, &json!(0)));
    assert_eq!(one["data"]["pages"][0]["file"], "clients/one/cafe.yaml", "{run}");
    let expected = ["Of home", "Of work"].map(|it| Some(it.to_owned()));
    assert_eq!(agency.titles(), expected);
    for server in [&agency.env.server, &agency.other] {
        server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    }
    let run = agency.run("pull clients");
    assert_eq!(run.exit, 0, "{run}");
    for directory in ["one", "two"] {
        let file = agency.env.home.path().join(format!("clients/{directory}/cafe.yaml"));
        assert!(fs::read_to_string(file).unwrap().contains("title: Theirs"), "{run}");
    }
    // The second plan compares nothing.
    for _ in 0..2 {
        let mut command = agency.env.command(["plan", "clients"]);
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::null());
        let cache = agency.env.home.path().join("cache");
        let output = command.env("LINKS_CACHE_DIR", cache).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("2 accounts, 2 pages, "), "{output:?}");
    }
}

/// Returns the operations that an account's log lists: name, number of parts, and how far each is undone.
fn operations(agency: &Agency, account: &str) -> Vec<(String, usize, Value)> {
    let run = agency.run(&format!("log -o json --account {account}"));
    let json: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    let of = |row: &Value| {
        let parts = row["parts"].as_array().unwrap();
        let services: Vec<&Value> = parts.iter().map(|part| &part["service"]).collect();
        assert!(parts.len() < 2 || services[0] != services[1], "{run}");
        (row["operation"].as_str().unwrap().to_owned(), parts.len(), row["undone"].clone())
    };
    json["data"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn a_command_over_accounts_is_one_operation_which_is_undone_and_redone_as_a_whole() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert!(run.exit == 0 && run.stderr.contains("2 accounts, 2 pages, "), "{run}");
    let after = agency.titles();
    let [home, work] = ["home", "work"].map(|account| operations(&agency, account));
    assert_eq!(home, work);
    assert_eq!((home.len(), home[0].1, &home[0].2), (1, 2, &Value::Null), "{home:?}");
    let id = home[0].0.clone();
    let run = agency.run(&format!("log {id}"));
    for part in ["links apply clients --yes (", "~ cafe (home): ", "~ cafe (work): "] {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
    let run = agency.run("undo --yes");
    assert!(
        run.exit == 0 && run.stdout.contains("== home") && run.stdout.contains("== work"),
        "{run}"
    );
    assert_eq!(agency.titles(), before, "{run}");
    assert_eq!(operations(&agency, "work")[1], (id.clone(), 2, json!("whole")));
    assert_eq!(operations(&agency, "home")[0].1, 2);
    let run = agency.run("redo --yes");
    assert!(run.exit == 0, "{run}");
    assert_eq!(agency.titles(), after, "{run}");
    // One of the accounts alone, then what is left of the operation.
    let redone = operations(&agency, "home")[0].0.clone();
    let run = agency.run(&format!("undo {redone} --yes --account work"));
    assert!(run.exit == 0 && !run.stdout.contains("== home"), "{run}");
    assert_eq!(agency.titles(), [after[0].clone(), before[1].clone()], "{run}");
    assert_eq!(operations(&agency, "home")[0].2, json!("part"));
    let run = agency.run(&format!("undo {redone} --yes -o json"));
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(agency.titles(), before, "{run}");
}

#[test]
fn an_undo_over_accounts_goes_on_after_one_that_fails_and_can_be_repeated() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    agency.other.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let run = agency.run("undo --dry-run");
    assert!(run.exit == 7 && run.stderr.contains("\"Theirs\""), "{run}");
    let run = agency.run("undo --yes");
    assert!(run.exit == 7 && run.stdout.contains("== work (exit code 7)"), "{run}");
    assert_eq!(agency.titles(), [before[0].clone(), Some("Theirs".to_owned())], "{run}");
    let run = agency.run("undo --yes");
    assert_eq!(run.exit, 7, "what is left is still the newest: {run}");
    let run = agency.run("undo --yes --force");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(agency.titles(), before, "{run}");
}

#[test]
fn an_account_that_is_undone_already_is_left_alone_when_the_undo_is_repeated() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    agency.other.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let run = agency.run("undo --yes");
    assert_eq!(run.exit, 7, "{run}");
    agency.env.server.edit(|account| account.profiles[0].title = Some("Newer".to_owned()));
    let run = agency.run("undo --yes --force");
    assert!(run.exit == 0 && !run.stdout.contains("== home"), "{run}");
    assert_eq!(agency.titles(), [Some("Newer".to_owned()), before[1].clone()], "{run}");
}

#[test]
fn an_undo_takes_no_page_from_the_writes_of_another_account() {
    let agency = Agency::new();
    // There, `cafe` is another page.
    agency.other.edit(|account| {
        account.profiles[0].login = "elsewhere".to_owned();
        account.profiles[1].login = "cafe".to_owned();
    });
    let before = agency.env.server.account().profiles;
    let run = agency.run("profile update cafe title=Alone --account home");
    assert_eq!(run.exit, 0, "{run}");
    let id = operations(&agency, "home")[0].0.clone();
    agency.env.file("clients/two/cafe.yaml", "profile: cafe\nlogin: cafe.two\n");
    let run = agency.run("apply clients --yes --allow-rename");
    assert_eq!(run.exit, 0, "{run}");
    agency.env.server.edit(|account| account.profiles[0].title = Some("Alone".to_owned()));
    let run = agency.run(&format!("undo {id} --account home --yes"));
    assert_eq!(run.exit, 0, "{run}");
    let titles = |profiles: &[links_fixtures::Profile]| -> Vec<_> {
        profiles.iter().map(|page| page.title.clone()).collect()
    };
    assert_eq!(titles(&agency.env.server.account().profiles), titles(&before), "{run}");
}

#[test]
fn the_beginning_of_a_name_is_enough_even_if_the_undo_has_the_same() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let name = operations(&agency, "work")[0].0[..6].to_owned();
    let run = agency.run("profile update cafe description=Alone --account home");
    assert_eq!(run.exit, 0, "{run}");
    // For `work` it is the only one.
    let run = agency.run("auth switch work");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run(&format!("undo {name} --yes"));
    assert!(run.exit == 0 && run.stdout.contains("== home (exit code 0)"), "{run}");
    assert_eq!(agency.titles(), before, "{run}");

    let alone = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    let run = alone.run("profile update cafe title=Alone");
    assert_eq!(run.exit, 0, "{run}");
    let id = alone.run("log -o ids").stdout;
    let run = alone.run(&format!("undo {} --yes", &id[..6]));
    assert_eq!(run.exit, 0, "{run}");
}

#[test]
fn a_redo_over_accounts_sees_what_another_account_has_written_since() {
    let agency = Agency::new();
    for line in
        ["apply clients --yes", "undo --yes", "profile update cafe description=x --account home"]
    {
        let run = agency.run(line);
        assert_eq!(run.exit, 0, "{line}: {run}");
    }
    let before = agency.titles();
    for account in ["home", "work"] {
        let run = agency.run(&format!("auth switch {account}"));
        assert_eq!(run.exit, 0, "{run}");
        let run = agency.run("redo --yes");
        assert!(run.exit == 6 && run.stderr.contains("has written to cafe since"), "{run}");
    }
    assert_eq!(agency.titles(), before);
}

#[test]
fn what_is_for_one_account_is_no_undo_of_several() {
    let agency = Agency::new();
    let run = agency.run("--sandbox profile update cafe title=Sand");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let after = agency.titles();
    let run = agency.run("undo --yes --operation-out op.json");
    assert!(run.exit == 2 && run.stderr.contains("--operation-out saves one operation"), "{run}");
    let run = agency.run("--sandbox log");
    assert!(!run.stdout.contains("apply clients"), "{run}");
    let run = agency.run("--sandbox undo --yes");
    assert!(run.exit == 0 && run.stderr.contains("title=Sand"), "{run}");
    assert_eq!(agency.titles(), after);
    let mut command = agency.env.command(["apply", "clients", "--yes"]);
    let output = command.env_remove("LINKS_BASE_URL").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the environment sets the token of one account"), "{said}");
}

#[test]
fn an_operation_of_several_accounts_is_named_where_nothing_after_it_is_left_to_undo() {
    let agency = Agency::new();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let id = operations(&agency, "home")[0].0.clone();
    let after = agency.titles();
    let run = agency.run("profile update cafe title=Mine");
    assert_eq!(run.exit, 0, "{run}");
    for (server, title) in [&agency.env.server, &agency.other].into_iter().zip(&after) {
        server.edit(|account| account.profiles[0].title.clone_from(title));
    }
    let run = agency.run("undo --yes");
    assert!(run.exit == 6 && run.stderr.contains(&format!("links undo {id}")), "{run}");
    assert_eq!(agency.titles(), after, "{run}");
}

#[test]
fn after_ctrl_c_no_other_account_is_begun() {
    let agency = Agency::new();
    let before = agency.titles();
    let mut servers = [&agency.env.server, &agency.other];
    servers.sort_by_key(|server| server.base_url());
    servers[0].fail([1], &Fault::StallBefore);
    let mut command = agency.env.command(["apply", "clients", "--yes", "--jobs", "1"]);
    command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let child = command.spawn().unwrap();
    wait(servers[0].until_stalled(1));
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    servers[0].release();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("interrupted before this account; nothing was written"), "{said}");
    assert!(!servers[1].requests().iter().any(|it| it.method != "GET"), "{said}");
    assert_eq!(agency.titles(), before, "{said}");
}

/// Time after which a process hangs.
const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn no_account_goes_on_when_the_command_has_been_stopped() {
    for signal in [Signal::TERM, Signal::KILL, Signal::INT] {
        let agency = Agency::new();
        let before = agency.titles();
        let mut servers = [&agency.env.server, &agency.other];
        servers.sort_by_key(|server| server.base_url());
        servers[0].fail([1], &Fault::StallBefore);
        // The processes of the accounts have the pipe as well, so it ends with the last process.
        let script = "exec \"$0\" \"$@\" 3>&1";
        let mut command = agency.in_shell(script, "apply clients --yes --jobs 1");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        wait(servers[0].until_stalled(1));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let (sender, ended) = channel();
        thread::spawn(move || sender.send(read_to_string(output)));
        let ended = ended.recv_timeout(LIMIT);
        servers[0].release();
        assert!(ended.is_ok(), "{signal:?}: an account goes on");
        assert!(!child.wait().unwrap().success(), "{signal:?}");
        assert_eq!(agency.titles(), before, "{signal:?}");
    }
}

#[test]
fn what_a_token_command_leaves_running_is_not_waited_for() {
    let agency = Agency::new();
    // It keeps stderr until the test closes the pipe.
    agency.log_in_by(&format!("cat <&3 >/dev/null &\n{}", agency.token_script()));
    let mut command = agency.in_shell("exec \"$0\" \"$@\" 3<&0 </dev/null", "plan clients");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = child.stdin.take();
    let (sender, ended) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let ended = ended.recv_timeout(LIMIT);
    drop(held);
    let output = ended.unwrap().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    for account in ["home", "work"] {
        let part = format!("== {account} (exit code 3)\n~ cafe: title");
        assert!(shown.contains(&part), "{part}: {output:?}");
    }
}

#[test]
fn a_program_that_never_stops_to_print_is_not_waited_for() {
    let agency = Agency::new();
    agency.log_in_by(&agency.token_script());
    let script = format!("timeout 60 yes >&2 &\n{}", agency.token_script());
    agency.env.file("token.sh", script);
    let mut command = agency.in_shell("exec \"$0\" \"$@\"", "plan clients");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, ended) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let output = ended.recv_timeout(LIMIT).unwrap().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("== home (exit code 3)\n~ cafe: title"), "{shown}");
}

#[test]
fn an_account_whose_token_command_prints_all_the_time_is_stopped() {
    let agency = Agency::new();
    agency.log_in_by(&agency.token_script());
    agency.env.file("token.sh", ": >begun\nwhile echo noise >&2; do :; done\n");
    let mut command = agency.in_shell("exec \"$0\" \"$@\"", "plan clients --jobs 1");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, ended) = channel();
    let pid = Pid::from_child(&child);
    thread::spawn(move || sender.send(child.wait_with_output()));
    while !agency.env.home.path().join("begun").exists() {
        thread::yield_now();
    }
    kill_process(pid, Signal::INT).unwrap();
    let output = ended.recv_timeout(LIMIT).unwrap().unwrap();
    assert!(!output.status.success());
}

/// Returns what the process for an account is told of it.
fn own_part(service: &str, user: impl Into<Value>) -> String {
    let owner = json!({ "service": service, "user": user.into() });
    json!({ "owner": owner, "call": "call" }).to_string()
}

#[test]
fn the_end_of_the_input_and_the_signal_of_one_ctrl_c_count_once() {
    for _ in 0..5 {
        let agency = Agency::new();
        let server = &agency.env.server;
        server.fail_operation("updateProfile", 1, &Fault::StallBefore);
        let own = own_part(&server.base_url(), server.account().user_id);
        let words = ["__part", &own, "--account", "home", "apply", "clients/one", "--yes"];
        let mut command = agency.env.command(words);
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait(server.until_stalled(1));
        let pid = Pid::from_child(&child);
        // As for a process that does not run for a moment.
        kill_process(pid, Signal::STOP).unwrap();
        drop(child.stdin.take());
        kill_process(pid, Signal::INT).unwrap();
        kill_process(pid, Signal::CONT).unwrap();
        let status = format!("/proc/{}/status", child.id());
        let is_pending = || {
            let status = fs::read_to_string(&status).unwrap_or_default();
            status.contains("ShdPnd:\t0000000000000002")
        };
        while is_pending() {
            thread::yield_now();
        }
        server.release();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("may still"), "{said}");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains("cafe: title"), "{shown}{said}");
        assert_eq!(agency.titles()[0].as_deref(), Some("Of home"), "{said}");
    }
}

#[test]
fn what_a_token_command_says_is_not_in_the_summary() {
    let agency = Agency::new();
    agency.log_in_by(&agency.token_script());
    agency.env.file("token.sh", "set -x\n: canary\nexit 1\n");
    let run = agency.run("plan clients --summary summary.md");
    assert!(run.exit == 4 && run.stderr.contains("canary"), "{run}");
    let text = fs::read_to_string(agency.env.home.path().join("summary.md")).unwrap();
    assert!(text.contains("### links plan, `home`: failed\n\n```text\n"), "{text}");
    assert!(text.contains("the token command `/bin/sh` failed"), "{text}");
    assert!(!text.contains("canary") && !text.contains('\u{1e}'), "{text}");

    // Its last line has no end.
    agency.env.file("token.sh", "printf 'canary: denied' >&2\nexit 1\n");
    let run = agency.run("plan clients --summary short.md");
    assert!(run.exit == 4 && run.stderr.contains("canary: denied\n"), "{run}");
    assert!(!run.stderr.contains('\u{1e}'), "{run}");
    let text = fs::read_to_string(agency.env.home.path().join("short.md")).unwrap();
    assert!(text.contains("the token command `/bin/sh` failed"), "{text}");
    assert!(!text.contains("canary") && !text.contains('\u{1e}'), "{text}");
    agency.env.file("token.sh", format!("printf 'asking: ' >&2\n{}", agency.token_script()));
    let run = agency.run("plan clients -o json");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.exit, &json["meta"]["pages"]), (3, &json!(2)), "{run}");
    assert!(run.stderr.contains("asking: ") && !run.stderr.contains('\u{1e}'), "{run}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_fails_hides_no_message_and_no_write() {
    let agency = Agency::new();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let said = |line: &str| {
        let mut command = agency.env.command(line.split(' '));
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::null());
        String::from_utf8(command.stdout(full()).output().unwrap().stderr).unwrap()
    };
    let text = said("plan clients -o json");
    let error: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(error["outcome"], "not_executed", "{text}");
    let text = said("apply clients --yes -o json");
    let error: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(error["outcome"], "unknown", "{text}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the command has run (exit codes: "), "{text}");
    assert!(message.contains("home 0") && message.contains("work 0"), "{text}");
    assert_eq!(agency.titles(), ["Of home", "Of work"].map(|it| Some(it.to_owned())));
    for file in ["clients/one/cafe.yaml", "clients/two/cafe.yaml"] {
        agency.env.file(file, "profile: cafe\ntitel: x\n");
    }
    let text = said("plan clients");
    assert_eq!(text.matches("did you mean `title`?").count(), 2, "{text}");
}

#[test]
fn what_an_account_says_is_below_its_heading() {
    let agency = Agency::new();
    agency.env.file("clients/two/cafe.yaml", "profile: cafe\ntitel: x\n");
    let output = agency.in_shell("exec \"$0\" \"$@\" 2>&1", "plan clients").output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let of_work = shown.split("== ").find(|it| it.starts_with("work (exit code 8)\n"));
    assert!(of_work.is_some_and(|it| it.contains("did you mean `title`?")), "{shown}");
    let run = agency.run("plan clients");
    assert!(run.stderr.contains("== work (exit code 8)\n"), "read apart: {run}");
    // Only the messages are seen.
    let before = "unset LINKS_TOKEN LINKS_BASE_URL; exec >shown.txt; ";
    let seen = terminal::run_after(before, &agency.env, "plan clients", "");
    assert!(seen.text.contains("== work (exit code 8)"), "{}", seen.text);
    let shown = fs::read_to_string(agency.env.home.path().join("shown.txt")).unwrap();
    assert!(shown.contains("== work (exit code 8)\n"), "{shown}");
}

#[test]
fn the_error_of_an_account_is_an_object_and_its_other_messages_are_passed_on() {
    let agency = Agency::new();
    agency.env.file("clients/two/cafe.yaml", "profile: cafe\ntitel: x\n");
    for format in ["json", "table"] {
        let line = ["plan", "clients", "--annotate", "github", "-v", "-o", format];
        let mut command = agency.env.command(line);
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::null());
        let output = command.env("GITHUB_ACTIONS", "true").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let is_annotation = |line: &str| line.starts_with("::error file=clients/two/cafe.yaml");
        assert!(said.lines().any(is_annotation), "{format}: {said}");
        assert!(said.contains("GET "), "{format}: {said}");
        if format == "json" {
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            let data = json["data"].as_array().unwrap();
            let of = |exit: u8| data.iter().find(|it| it["exit"] == exit);
            assert_eq!(of(3).unwrap()["error"], Value::Null, "{json}");
            let error = &of(8).unwrap()["error"];
            assert_eq!((&error["code"], &error["exit"]), (&json!("invalid"), &json!(8)), "{json}");
            assert!(!said.contains("\"code\""), "{said}");
        }
    }
}

#[test]
fn a_command_that_an_account_is_told_to_run_names_the_account() {
    let agency = Agency::new();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    for server in [&agency.env.server, &agency.other] {
        server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    }
    let clients = [("home", "clients/one/cafe.yaml"), ("work", "clients/two/cafe.yaml")];
    for (name, file) in clients {
        agency.env.file(file, format!("profile: cafe\ntitle: In {name}\n"));
    }
    for line in ["plan clients", "plan clients -o json"] {
        let run = agency.run(line);
        assert_eq!(run.exit, 7, "{run}");
        let shown = format!("{}{}", run.stdout, run.stderr);
        for (name, file) in clients {
            let told = format!("run `links pull cafe -O {file} --account {name}`");
            assert!(shown.contains(&told), "{told}: {run}");
        }
    }
    for (name, file) in clients {
        let run = agency.run(&format!("pull cafe -O {file} --account {name}"));
        assert_ne!(run.exit, 14, "{run}");
        agency.env.file(file, "profile: cafe\ntitle: Theirs\n");
    }
    agency.other.fail(1..=9, &Fault::Before(401));
    let run = agency.run("plan clients");
    agency.other.forget_faults();
    assert!(run.exit == 4 && run.stderr.contains("`links auth login --account work`"), "{run}");
    assert!(!run.stderr.contains("LINKS_TOKEN"), "{run}");
}

#[test]
fn yaml_of_accounts_is_one_document_and_csv_names_its_columns_once() {
    let agency = Agency::new();
    let run = agency.run("plan clients -o csv");
    assert_eq!(run.exit, 3, "{run}");
    let lines: Vec<_> = run.stdout.lines().collect();
    let is_record = |line: &&str| line.starts_with("page,");
    assert!(lines.len() == 3 && lines[1..].iter().all(is_record), "{run}");
    let run = agency.run("plan clients -o yaml --jq .pages[].login");
    assert_eq!((run.exit, &*run.stdout), (3, "cafe\n---\ncafe\n"), "{run}");

    agency.env.file("clients/two/cafe.yaml", "profile: cafe\ntitel: x\n");
    let run = agency.run("plan clients -o yaml");
    assert_eq!(run.exit, 8, "{run}");
    let document: Value = serde_saphyr::from_str(&run.stdout).unwrap();
    assert_eq!(document["meta"]["accounts"], 2, "{run}");
    let data = document["data"].as_array().unwrap();
    let of = |account: &str| data.iter().find(|it| it["account"] == account).unwrap();
    assert_eq!(of("home")["data"]["pages"][0]["login"], "cafe", "{run}");
    assert_eq!(of("home")["error"], Value::Null, "{run}");
    assert_eq!(of("work")["error"]["code"], "invalid", "{run}");
}

#[test]
fn an_account_of_which_a_pattern_leaves_out_all_files_has_nothing_to_do() {
    let agency = Agency::new();
    let before = agency.titles();
    for (line, exit) in [
        ("plan clients --exclude two", 3),
        ("apply clients --yes --exclude two", 0),
        ("apply clients --yes --exclude *.yaml", 2),
        ("plan clients/two --exclude two --account work", 2),
    ] {
        let run = agency.run(line);
        assert_eq!(run.exit, exit, "{line}: {run}");
    }
    assert_eq!(agency.titles(), [Some("Of home".to_owned()), before[1].clone()]);
}

#[test]
fn the_log_of_an_account_lists_what_was_written_to_it() {
    let agency = Agency::new();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    agency.env.file("clients/two/cafe.yaml", "profile: cafe\ntitle: Newer\n");
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let [home, work] = ["home", "work"].map(|account| operations(&agency, account));
    assert_eq!((home.len(), work.len()), (1, 2), "{home:?} {work:?}");
    let run = agency.run("auth switch home");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("log -o ids");
    assert_eq!(run.stdout.lines().count(), 2, "{run}");
    let run = agency.run("log --account nobody");
    assert!(run.exit == 4 && run.stderr.contains("no such account: `nobody`"), "{run}");
}

#[test]
fn the_operations_of_a_missing_account_are_shown_and_the_others_undone() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("auth logout home");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("undo --yes");
    assert!(run.exit == 4 && run.stderr.contains("no account on this machine for user"), "{run}");
    assert_eq!(agency.titles(), [Some("Of home".to_owned()), before[1].clone()], "{run}");
    let run = agency.run("log");
    assert!(run.exit == 0 && run.stdout.contains("apply clients --yes"), "{run}");
    // The single writes of another account are not shown, nor undone.
    agency.log_in("home", &agency.env.server.base_url(), &agency.env.server.token());
    let run = agency.run("profile update cafe title=Alone --account home");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("log --account work");
    assert!(!run.stdout.contains("profile update"), "{run}");
    let run = agency.run("undo --yes --account work");
    assert_eq!(agency.titles()[0].as_deref(), Some("Alone"), "{run}");
}

#[test]
fn a_terminal_shows_accounts_pages_and_requests_and_nobody_is_asked_about_several() {
    let agency = Agency::new();
    let run = |line: &str| {
        terminal::run_after("unset LINKS_TOKEN LINKS_BASE_URL; ", &agency.env, line, "")
    };
    let seen = run("apply clients --yes");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    for part in ["0/2 accounts, 0 of 0 pages read, 0 requests", "2 accounts, 2 pages, "] {
        assert!(seen.text.contains(part), "{part}: {}", seen.text);
    }
    assert!(!seen.text.contains('\u{1e}'), "{}", seen.text);
    agency.env.file("clients/one/cafe.yaml", "profile: cafe\ntitle: Anew\n");
    let seen = run("plan clients");
    assert!(seen.text.contains("\u{1b}[33m~ cafe: title"), "{}", seen.text);
    assert!(!seen.text.contains("\\u{1b}"), "{}", seen.text);
    let seen = run("undo");
    assert_eq!(seen.exit, 2, "{}", seen.text);
    assert!(seen.text.contains("cannot ask about each of 2 accounts"), "{}", seen.text);
}

#[test]
fn an_account_that_fails_or_is_missing_stops_no_other() {
    let agency = Agency::new();
    agency.env.file("clients/two/cafe.yaml", "profile: cafe\ntitel: x\n");
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("did you mean `title`?"), "{run}");
    assert_eq!(agency.titles()[0].as_deref(), Some("Of home"), "{run}");

    let run = agency.run("auth logout work");
    assert_eq!(run.exit, 0, "{run}");
    let run = agency.run("plan clients -o json");
    assert_eq!(run.exit, 4, "{run}");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        json["meta"],
        json!({ "accounts": 2, "failed": 1, "leftOut": 0, "pages": 1, "requests": 1, "waitedSeconds": 0 }),
        "{run}"
    );
    let failed = json["data"].as_array().unwrap().iter().find(|it| it["exit"] == 4).unwrap();
    assert_eq!(failed["account"], Value::Null);
    let error = &failed["error"];
    assert_eq!((&error["code"], &error["exit"]), (&json!("not_authenticated"), &json!(4)), "{run}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("no account on this machine for user"), "{run}");
}

#[test]
fn what_is_for_one_account_is_refused_for_several() {
    let agency = Agency::new();
    for (line, why) in [
        ("plan clients --out plan.json", "--out saves one plan"),
        ("apply clients --yes --operation-out op.json", "--operation-out saves one operation"),
        ("plan clients --account home", "--account names one account"),
        ("plan - clients/one clients/two", "`-` is standard input"),
    ] {
        let run = agency.run(line);
        assert!(run.exit == 2 && run.stderr.contains(why), "{line}: {run}");
        assert!(run.stderr.contains("belong to 2 accounts"), "{run}");
    }
    let mut command = agency.env.command(["apply", "clients", "--yes"]);
    command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").env("LINKS_ACCOUNT", "home");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("LINKS_ACCOUNT names one account"), "{said}");
    // A lock that names an account of nobody picks no other one.
    let lock = agency.env.home.path().join("clients/two/links.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let (service, rest) = text.split_once('\n').unwrap();
    let service = service.rsplit_once(' ').unwrap().0;
    fs::write(&lock, format!("{service} 999999\n{rest}")).unwrap();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert!(run.exit == 4 && run.stderr.contains("user 999999"), "{run}");
    assert_eq!(agency.titles()[1], before[1]);
    let run = agency.run("__part x plan clients");
    assert_eq!(run.exit, 2, "{run}");
}

#[test]
fn a_part_without_paths_is_not_about_other_files() {
    let agency = Agency::new();
    let before = agency.titles();
    let here = agency.env.server.base_url();
    agency.env.file("cafe.yaml", "profile: cafe\ntitle: Of nobody\n");
    let run = agency.run("init . --account home");
    assert_eq!(run.exit, 0, "{run}");
    // As if the lock had another user since.
    for line in ["clients/one", "clients", "cafe", ""] {
        let own = own_part(&here, 999_999);
        let words = ["__part", &own, "--account", "home", "apply", "--yes"];
        let words = words.into_iter().chain(Some(line).filter(|it| !it.is_empty()));
        let mut command = agency.env.command(words);
        command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Its end would be a Ctrl-C.
        let input = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!(output.status.code(), Some(14), "{line}: {output:?}");
    }
    assert_eq!(agency.titles(), before);
}

#[test]
fn marks_and_selected_fields_of_several_accounts_are_not_lost() {
    let agency = Agency::new();
    let mut command = agency.env.command(["plan", "clients", "-o", "json"]);
    command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").env("LINKS_AGENT", "1");
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let lines: Vec<_> = output.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("[data "), "{output}");
    let json: Value = serde_json::from_str(lines[1]).unwrap();
    assert!(json["data"][0]["data"]["pages"][0]["login"] == "cafe", "{output}");
    let run = agency.run("plan clients --jq .pages[].login --raw");
    assert_eq!((run.exit, &*run.stdout), (3, "cafe\ncafe\n"), "{run}");
}

#[test]
fn an_undo_at_a_url_is_about_the_account_there() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let after = agency.titles();
    let url = agency.other.base_url();
    let run = agency.run(&format!("undo --yes --base-url {url}"));
    assert!(run.exit == 0 && !run.stdout.contains("== "), "{run}");
    assert_eq!(agency.titles(), [after[0].clone(), before[1].clone()], "{run}");
    let run = agency.run(&format!("redo --yes --base-url {url}"));
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(agency.titles(), after, "{run}");
}

#[test]
fn an_undo_with_the_account_of_the_environment_says_that_others_stay() {
    let agency = Agency::new();
    let before = agency.titles();
    let run = agency.run("apply clients --yes");
    assert_eq!(run.exit, 0, "{run}");
    let after = agency.titles();
    let id = operations(&agency, "home")[0].0.clone();
    let mut command = agency.env.command(["undo", "--yes"]);
    command.env_remove("LINKS_TOKEN").env_remove("LINKS_BASE_URL").env("LINKS_ACCOUNT", "work");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(agency.titles(), [after[0].clone(), before[1].clone()], "{said}");
    assert!(said.contains("LINKS_ACCOUNT is set, so only account `work` is changed"), "{said}");
    assert!(said.contains(&format!("links undo {id}")), "{said}");
    // What is left is of an account that is not the current one.
    let run = agency.run(&format!("undo {id} --yes --operation-out op.json"));
    assert!(run.exit == 2 && run.stderr.contains("about account `home`, but"), "{run}");
    assert!(run.stderr.contains("of a named account"), "{run}");
}

#[test]
fn a_path_without_a_usable_lock_is_left_out_of_several_accounts_and_never_of_the_current_one() {
    let agency = Agency::new();
    let before = agency.titles();
    let pages = || [&agency.env.server, &agency.other].map(|it| it.account().profiles.len());
    let count = pages();
    fs::create_dir(agency.env.home.path().join("clients/new")).unwrap();
    agency.env.file("clients/new/new.yaml", "profile: brand-new\ntitle: New\n");
    let run = agency.run("apply clients/one clients/new --yes --allow-create 1");
    assert!(run.exit == 14 && run.stderr.contains("no links.lock for clients/new"), "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
    assert_eq!((agency.titles(), pages()), (before.clone(), count), "{run}");

    // A merge may put its marks before the first line.
    let lock = agency.env.home.path().join("clients/two/links.lock");
    let text = fs::read_to_string(&lock).unwrap();
    fs::write(&lock, format!("<<<<<<< HEAD\n{text}")).unwrap();
    let run = agency.run("plan clients/one clients/two clients/new");
    assert_eq!(run.exit, 14, "{run}");
    for part in ["== home (exit code 3)", "== work (exit code 3)"] {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
    assert!(run.stderr.contains("it was left out"), "{run}");

    // The account is known by the first line, also where another one is damaged.
    for damaged in [format!("{text}damaged\n"), format!("{text}slot 1")] {
        fs::write(&lock, damaged).unwrap();
        let run = agency.run("plan clients/one clients/two");
        assert!(run.exit == 14 && run.stdout.contains("== work (exit code 14)"), "{run}");
    }

    fs::write(&lock, "").unwrap();
    let run = agency.run("apply clients --yes");
    assert!(run.exit == 14 && run.stderr.contains("cannot use "), "{run}");
    assert!(run.stderr.contains("clients/two/links.lock: line 1"), "{run}");
    assert_eq!((agency.titles(), pages()), (before, count), "{run}");

    agency.env.file("clients/one/links.lock", "");
    let run = agency.run("plan clients/one clients/two");
    assert!(run.exit == 14 && !run.stderr.contains("delete one of them"), "{run}");
    for lock in ["clients/one/links.lock: line 1", "clients/two/links.lock: line 1"] {
        assert!(run.stderr.contains(lock), "{lock}: {run}");
    }
}

#[test]
fn a_summary_over_accounts_names_each_of_them_and_those_that_failed() {
    let agency = Agency::new();
    let summary = |line: &str| {
        let path = agency.env.home.path().join("summary.md");
        let _ = fs::remove_file(&path);
        let run = agency.run(line);
        (run, fs::read_to_string(path).unwrap())
    };
    let (run, text) = summary("plan clients --summary summary.md");
    assert_eq!(run.exit, 3, "{run}");
    for part in ["### links plan, `home`: ", "### links plan, `work`: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    fs::create_dir(agency.env.home.path().join("clients/new")).unwrap();
    agency.env.file("clients/new/new.yaml", "profile: brand-new\ntitle: New\n");
    for paths in ["clients/one clients/two clients/new", "clients/one clients/new"] {
        let (run, text) = summary(&format!("plan {paths} --summary summary.md"));
        assert_eq!(run.exit, 14, "{run}");
        assert!(text.contains("### links plan: paths without an account\n\n```text\n"), "{text}");
        assert!(text.contains("no links.lock for clients/new"), "{text}");
    }
    let run = agency.run("plan clients/one clients/two clients/new -o json");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&json["meta"]["failed"], &json["meta"]["leftOut"]),
        (&json!(0), &json!(1)),
        "{run}"
    );
    fs::remove_dir_all(agency.env.home.path().join("clients/new")).unwrap();
    agency.env.file("clients/one/other.yaml", "profile: other\ntitel: x\n");
    let (run, text) = summary("plan clients --summary summary.md --jq empty");
    assert_eq!(run.exit, 8, "{run}");
    assert!(text.contains("### links plan, `home`: 1 error; "), "{text}");
    assert!(!text.contains(": failed"), "{text}");
    let run = agency.run("auth logout work");
    assert_eq!(run.exit, 0, "{run}");
    let (run, text) = summary("plan clients --summary summary.md");
    assert_eq!(run.exit, 8, "{run}");
    assert!(text.contains("### links plan, `home`: 1 error; "), "{text}");
    assert!(text.contains(": failed\n\n```text\n"), "{text}");
    assert!(text.contains("no account on this machine for user"), "{text}");
}
