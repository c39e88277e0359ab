//! Tests of Ctrl-C: at the earliest moment at which it can do harm, and in the loop of a shell.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use links_fixtures::Fault;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::steps::{Beginning, ok, text};
use crate::test_env::TestEnv;

/// Runs a command line, and interrupts it at the first byte of its request.
fn interrupted(env: &TestEnv, line: &str) -> (ExitStatus, String) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = env.command(line.split_whitespace());
    command.env("LINKS_BASE_URL", format!("http://{}/api/v1", server.local_addr().unwrap()));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut request, _) = server.accept().unwrap();
    assert_eq!(request.read(&mut [0; 1]).unwrap(), 1);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn ctrl_c_at_the_first_byte_of_a_request_is_reported() {
    std::thread::scope(|scope| {
        for line in ["me", "slots list cafe -o json", "profile get cafe", "forms list -o json"] {
            scope.spawn(move || {
                let env = TestEnv::cafe();
                for run in 0..15 {
                    let (status, said) = interrupted(&env, line);
                    assert_eq!(status.signal(), Some(2), "{line}, run {run}\n{said}");
                    assert!(said.contains("stopped by Ctrl-C"), "{line}, run {run}\n{said}");
                }
            });
        }
    });
}

/// Starts a command line in a loop of bash, in the process group that a terminal would send Ctrl-C to.
fn started_loop(env: &TestEnv, line: &str) -> Child {
    let links = env!("CARGO_BIN_EXE_links");
    let script = format!("for i in 1 2 3; do {links} {line}; echo after-$i; done; echo end");
    let like = env.command(["x"]);
    // A shell cannot set a signal to its default that was ignored when it was started, as in a background job.
    let mut bash = Command::new("env");
    bash.args(["--default-signal=INT", "bash", "--noprofile", "--norc", "-c", &script]);
    bash.current_dir(env.home.path());
    bash.env_clear().env("PATH", "/usr/bin:/bin");
    bash.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bash.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the end of bash, with what was printed.
fn ended(child: Child) -> (ExitStatus, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status, text(output.stdout), text(output.stderr))
}

/// Sends Ctrl-C to a loop of bash and the command in it, once the service has this many requests.
fn interrupted_loop(env: &TestEnv, line: &str, requests: usize) -> (ExitStatus, String, String) {
    let mut child = started_loop(env, line);
    while env.server.requests().len() < requests && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    ended(child)
}

#[test]
fn ctrl_c_ends_the_loop_of_a_shell() {
    let wait = Fault::RateLimited(Some("60".to_owned()));
    for (line, requests, said) in
        [("me", 1, "stopped by Ctrl-C"), ("slots list cafe --jq length", 1, "\"interrupted\"")]
    {
        let env = TestEnv::cafe();
        env.server.fail([requests], &wait);
        let (status, stdout, stderr) = interrupted_loop(&env, line, requests);
        assert_eq!((status.signal(), stdout.as_str()), (Some(2), ""), "{line}\n{stderr}");
        assert_eq!(stderr.matches(said).count(), 1, "{line}\n{stderr}");
        assert_eq!(env.server.requests().len(), requests, "{line}\n{stderr}");
    }
}

#[test]
fn ctrl_c_ends_the_loop_of_a_shell_around_an_apply() {
    let env = TestEnv::cafe();
    let dividers = "  - {type: divider}\n".repeat(300);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{dividers}"));
    // Five requests go out at once; the sixth waits for the rest of a second.
    let (status, stdout, stderr) = interrupted_loop(&env, "slots apply page.yaml", 5);
    assert_eq!((status.signal(), stdout.as_str()), (Some(2), ""), "{stderr}");
    assert_eq!(stderr.matches("stopped by Ctrl-C: ").count(), 1, "{stderr}");
}

/// Runs an apply of one request, and sends Ctrl-C while the service holds its answer to the request.
#[test]
fn ctrl_c_ends_the_loop_of_a_shell_where_the_work_was_completed_meanwhile() {
    let env = TestEnv::cafe();
    env.file("page.yaml", "profile: cafe\nslots: [{id: 1001, type: text, data: {title: Anew}}]\n");
    let (sent, told) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    // The last request reads the page to verify it: no step comes after it.
    env.server.edit_before(4, move |_| {
        sent.send(()).unwrap();
        let _ = released.recv();
    });
    let child = started_loop(&env, "slots apply page.yaml");
    told.recv().unwrap();
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    drop(release);
    let (status, stdout, stderr) = ended(child);
    assert_eq!(status.signal(), Some(2), "{stdout}\n{stderr}");
    assert!(stdout.contains("1 updated") && !stdout.contains("after-1"), "{stdout}\n{stderr}");
}

/// Runs a command line, and sends Ctrl-C while the service holds its answer to a request, counted from the first. Returns what was said.
fn interrupted_at(env: &TestEnv, line: &str, request: usize) -> String {
    let (sent, told) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    env.server.edit_after(request, move |_| {
        sent.send(()).unwrap();
        let _ = released.recv();
    });
    let mut command = env.command(line.split_whitespace());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while told.try_recv().is_err() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let sent = kill_process(Pid::from_child(&child), Signal::INT);
    drop(release);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(sent.is_ok(), "{line}: {:?} {said}", env.operations());
    assert_eq!(output.status.signal(), Some(2), "{said}");
    said
}

/// Returns the numbers of the requests of an operation among those of a command line that succeeds, and undoes the command.
fn requests_of(env: &TestEnv, line: &str, operation: &str) -> Vec<usize> {
    let beginning = Beginning::of(env);
    env.operations();
    ok(env, line);
    let sent = env.operations();
    beginning.restore(env);
    let numbers = sent.iter().enumerate().filter(|(_, it)| *it == operation);
    numbers.map(|(nth, _)| nth + 1).collect()
}

#[test]
fn ctrl_c_after_a_page_was_created_says_that_it_exists() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.file("astana.yaml", "profile: qara.astana\ntitle: Astana\nslots: [{type: divider}]\n");
    let line = "apply astana.yaml --allow-create 1";
    let requests = requests_of(&env, line, "createProfile");
    let said = interrupted_at(&env, line, requests[0]);
    assert!(said.contains("stopped by Ctrl-C: qara.astana: page created"), "{said}");
    assert_eq!(env.server.account().profiles.len(), 3);
}

#[test]
fn ctrl_c_does_not_hide_why_another_page_failed() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.file("cafe.yaml", "profile: cafe\ntitle: One\n");
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Two\n");
    let env = &env;
    for line in [
        "apply cafe.yaml weddings.yaml",
        "slots rewrite --all --where .data.title --edit .data.title=\"New\" --yes",
    ] {
        let operation = if line.starts_with("apply") { "updateProfile" } else { "updateSlots" };
        let requests = requests_of(env, line, operation);
        env.server.fail([requests[0]], &Fault::Before(403));
        let said = interrupted_at(env, line, requests[1]);
        assert!(said.contains("stopped by Ctrl-C: qara.weddings: "), "{line}: {said}");
        assert!(said.contains("cafe: Server Error; nothing was written"), "{line}: {said}");
    }
}

/// Ends an apply by Ctrl-C while it waits after its second write was refused for a minute.
#[test]
fn ctrl_c_in_a_wait_ends_an_apply_at_once_and_the_lock_has_what_was_written() {
    let env = TestEnv::cafe();
    ok(&env, "init");
    ok(&env, "pull cafe -O cafe.yaml");
    ok(&env, "apply --yes");
    let page = text(&env, "cafe.yaml").replace("Good morning!", "Good night!");
    let new = (0..120).map(|nth| format!("  - {{type: text, data: {{title: New {nth}}}}}\n"));
    env.file("cafe.yaml", page + &new.collect::<String>());
    let plan = env.run("plan");
    assert!(plan.stdout.contains("120 to create, 1 to update"), "{plan}");
    env.server.forget_requests();
    // The page, its language, the user, the update, the first 50, and the next 50.
    env.server.fail([6], &Fault::RateLimited(Some("60".to_owned())));
    let mut command = env.command(["apply", "--yes"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while env.server.requests().len() < 6 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let (status, stdout, stderr) = ended(child);
    assert_eq!(status.signal(), Some(2), "{stdout}\n{stderr}");
    assert!(stderr.contains("stopped by Ctrl-C: cafe: 1 updated, 50 created"), "{stderr}");
    assert_eq!(env.server.requests().len(), 6, "{stderr}");
    // Another machine knows by the lock alone what is there and what is left.
    let env = env.env("LINKS_STATE_DIR", "elsewhere");
    let plan = env.run("plan");
    assert!(plan.stdout.contains("~ cafe: 70 to create\n"), "{plan}");
    assert!(!plan.stdout.contains("since the last sync"), "{plan}");
    ok(&env, "apply --yes");
    assert_eq!(env.server.account().profiles[0].slots.len(), 14 + 120);
}
