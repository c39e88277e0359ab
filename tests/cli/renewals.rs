//! Tests of a connection whose token has expired, renewed by the commands that use it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;

use links_fixtures::Fault;

use crate::auth::config;
use crate::connect::{asked, connected, kept, log_in};
use crate::test_env::{CommandResult, TestEnv, reported_exit, wait};

/// Makes the access token expire on both sides.
pub(crate) fn expire(env: &TestEnv) {
    let path = config(env).join("credentials/work.json");
    let mut secret: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    secret["connection"]["expiresAt"] = 1.into();
    fs::write(&path, secret.to_string()).unwrap();
    env.server.edit(|account| {
        for token in account.tokens.iter_mut().filter(|it| it.connected) {
            token.expires_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
        }
    });
}

/// Returns an environment whose connection has to be renewed.
fn expired() -> TestEnv {
    let env = connected();
    expire(&env);
    env
}

/// Returns the files beside the credentials.
fn files(env: &TestEnv) -> Vec<String> {
    let directory = fs::read_dir(config(env).join("credentials")).unwrap();
    let mut names: Vec<_> =
        directory.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until each process has begun to renew its login, which is done on a thread that may block.
#[cfg(target_os = "linux")]
fn wait_for_renewals(processes: &[std::process::Child]) {
    let is_renewing = |process: &std::process::Child| {
        let threads = fs::read_dir(format!("/proc/{}/task", process.id())).unwrap().flatten();
        let mut names = threads.map(|it| fs::read_to_string(it.path().join("comm")));
        names.any(|name| name.is_ok_and(|name| name.starts_with("tokio-")))
    };
    for process in processes {
        while !is_renewing(process) {
            thread::yield_now();
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn eight_processes_renew_once() {
    let env = expired();
    let before = kept(&env).unwrap();
    let path = config(&env).join("credentials/work.lock");
    let lock = fs::File::options().write(true).create(true).truncate(false).open(path).unwrap();
    lock.lock().unwrap();
    let start = || {
        let mut command = env.command(["me", "-o", "json"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    wait_for_renewals(&children);
    drop(lock);
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(asked(&env, "/oauth/token"), 1);
    let after = kept(&env).unwrap();
    assert_ne!(after["refreshToken"], before["refreshToken"]);
    assert_eq!(after["clientId"], before["clientId"]);
    assert_eq!(env.run("me").exit, 0);
    assert_eq!((asked(&env, "/oauth/token"), asked(&env, "/api/v1/me")), (1, 9));
}

#[test]
fn a_crash_around_the_write_leaves_whole_credentials_and_no_loop() {
    for (place, is_kept) in
        [("before_credentials", false), ("before_rename", false), ("after_rename", true)]
    {
        let env = expired();
        let before = kept(&env).unwrap();
        let env = env.env("LINKS_TEST_CRASH", place);
        let run = env.run("me");
        assert_eq!((run.exit, asked(&env, "/oauth/token")), (-1, 1), "{place}: {run}");
        assert_eq!(asked(&env, "/api/v1/me"), 0, "the write comes before anything else");
        assert_eq!(kept(&env).unwrap() != before, is_kept, "{place}: old or new, and whole");

        let env = env.env("LINKS_TEST_CRASH", "");
        let run = env.run("me -o json");
        if is_kept {
            assert_eq!((run.exit, asked(&env, "/oauth/token")), (0, 1), "{place}: {run}");
        } else {
            assert_eq!((run.exit, asked(&env, "/oauth/token")), (4, 2), "{place}: {run}");
            assert!(run.error()["hint"].to_string().contains("links auth login"), "{run}");
            let run = env.run("me -o json");
            assert_eq!((run.exit, asked(&env, "/oauth/token")), (4, 2), "no loop: {run}");
            assert_eq!(files(&env), ["work.lock"], "{place}: nothing is left");
        }
    }
}

#[test]
fn a_crash_in_a_second_login_leaves_the_first_or_the_second() {
    // The list of accounts is written before the login.
    for (place, is_new) in [("before_rename:2", false), ("after_rename:2", true)] {
        let env = connected();
        let before = kept(&env);
        let env = env.env("LINKS_TEST_CRASH", place);
        assert_eq!(log_in(&env, &[]).exit, -1, "{place}");
        let env = env.env("LINKS_TEST_CRASH", "");
        assert_eq!(kept(&env) != before, is_new, "{place}");
        assert_eq!((env.run("me").exit, asked(&env, "/oauth/token")), (0, 1), "{place}");
    }
}

#[test]
fn a_failing_server_does_not_end_the_connection() {
    let env = expired();
    let before = kept(&env);
    for status in [500, 503, 429] {
        env.server.fail([1], &Fault::Before(status));
        let run = env.run("me -o json");
        assert_eq!(run.exit, 10, "{run}");
        assert!(run.error()["retryable"] == true, "{run}");
        assert_eq!(kept(&env), before);
    }
    let run = env.run("me");
    assert_eq!((run.exit, kept(&env) != before), (0, true), "{run}");
}

#[test]
fn an_unreachable_or_silent_server_does_not_end_the_connection() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    thread::spawn(move || {
        silent.incoming().map_while(Result::ok).for_each(|mut stream| {
            // The request arrives, and then the connection is lost.
            let _ = stream.read(&mut [0; 1024]);
        });
    });
    for elsewhere in ["127.0.0.1:1", &address] {
        let env = expired();
        let path = config(&env).join("credentials/work.json");
        let here = env.server.mcp_url().replace("/mcp", "/oauth/token");
        let there = format!("http://{elsewhere}/oauth/token");
        let text = fs::read_to_string(&path).unwrap().replace(&here, &there);
        fs::write(&path, &text).unwrap();
        let run = env.run("me -o json");
        assert_eq!((run.exit, fs::read_to_string(&path).unwrap()), (10, text), "{run}");
        assert!(run.error()["message"].to_string().contains("cannot reach 127.0.0.1"), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn a_refresh_token_is_not_used_where_the_next_one_cannot_be_stored() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = connected();
    let directory = config(&env).join("credentials");
    let elsewhere = env.home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(directory.join("work.json"), elsewhere.join("real.json")).unwrap();
    symlink(elsewhere.join("real.json"), directory.join("work.json")).unwrap();
    expire(&env);
    let before = kept(&env);
    // Others could put something else there, which is seen when it is written.
    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o777)).unwrap();
    let run = env.run("me -o json");
    assert_eq!((run.exit, asked(&env, "/oauth/token")), (4, 0), "{run}");
    assert!(run.stderr.contains("its directory is writable by others"), "{run}");
    assert_eq!(kept(&env), before);

    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
    let run = env.run("me");
    assert_eq!((run.exit, asked(&env, "/oauth/token")), (0, 1), "{run}");
    assert_ne!(kept(&env), before);
}

#[cfg(unix)]
#[test]
fn a_refresh_token_is_not_used_where_the_next_one_has_no_space() {
    let env = expired();
    let before = kept(&env);
    let run = env.command(["me", "-o", "json"]);
    // A limit of the size of files stands for a full disk: an empty file can be created.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]);
    limited.arg(run.get_program()).args(run.get_args()).current_dir(env.home.path());
    limited.env_clear().envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.stdin(Stdio::null()).output().unwrap();
    let run = CommandResult::new(&env, output.status.code(), output.stdout, output.stderr);
    assert_eq!((run.exit, asked(&env, "/oauth/token")), (10, 0), "{run}");
    assert!(run.stderr.contains("cannot lock the login"), "{run}");
    assert_eq!(kept(&env), before);

    let run = env.run("me");
    assert_eq!((run.exit, asked(&env, "/oauth/token")), (0, 1), "{run}");
    assert_ne!(kept(&env), before);
}

#[cfg(unix)]
#[test]
fn a_renewed_login_that_cannot_be_saved_is_saved_at_the_end_or_reported() {
    use std::os::unix::fs::PermissionsExt;
    for (is_mended, line) in [(true, "me"), (false, "me"), (false, "me -o json")] {
        let env = expired();
        let before = kept(&env);
        let directory = config(&env).join("credentials");
        let set_mode = |mode| {
            fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
        };
        env.server.fail([1, 2], &Fault::StallAfter);
        let mut command = env.command(line.split(' '));
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = child.spawn().unwrap();
        wait(env.server.until_stalled(1));
        // The refresh token is spent, and its successor is not written where others could replace it.
        set_mode(0o777);
        env.server.release();
        while asked(&env, "/api/v1/me") == 0 {
            thread::yield_now();
        }
        wait(env.server.until_stalled(1));
        assert_eq!((asked(&env, "/oauth/token"), kept(&env)), (1, before.clone()));
        if is_mended {
            set_mode(0o700);
        }
        env.server.release();
        let output = child.wait_with_output().unwrap();
        let exit = reported_exit(output.status);
        let run = CommandResult::new(&env, exit, output.stdout, output.stderr);
        assert_eq!((run.exit, kept(&env) != before), (0, is_mended), "{run}");
        assert_eq!(run.stderr.is_empty(), is_mended, "{run}");
        if !is_mended {
            for said in ["the renewed login of account `work` could not be saved", "auth login"] {
                assert!(run.stderr.contains(said), "{run}");
            }
        }
        set_mode(0o700);
        assert_eq!(env.run("me").exit, if is_mended { 0 } else { 4 });
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_waits_until_a_renewal_is_kept_and_a_second_one_does_not() {
    for is_answered in [true, false] {
        interrupted_renewal(is_answered);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_a_token_refresh_is_reported() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| interrupted_renewal(true)));
        }
    });
}

/// Sends the renewals to a server of the test, which answers when the test says so.
#[cfg(unix)]
fn renewed_elsewhere(env: &TestEnv) -> TcpListener {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = config(env).join("credentials/work.json");
    let here = env.server.mcp_url().replace("/mcp", "/oauth/token");
    let there = format!("http://{}/oauth/token", server.local_addr().unwrap());
    fs::write(&path, fs::read_to_string(&path).unwrap().replace(&here, &there)).unwrap();
    server
}

/// Answers a token request.
#[cfg(unix)]
fn renew(request: &mut impl Write) {
    let tokens =
        r#"{"access_token":"new-access","token_type":"bearer","refresh_token":"new-refresh"}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    write!(request, "{head}\r\nContent-Length: {}\r\n\r\n{tokens}", tokens.len()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_command_waits_for_the_renewal_that_it_has_begun_before_it_exits() {
    for is_answered in [true, false] {
        while !is_renewed_beside_the_work(is_answered) {}
    }
}

/// Runs a command whose token is renewed while it works. Returns whether the renewal was begun.
#[cfg(unix)]
fn is_renewed_beside_the_work(is_answered: bool) -> bool {
    let env = connected();
    let before = kept(&env).unwrap();
    let server = renewed_elsewhere(&env);
    let path = config(&env).join("credentials/work.json");
    let mut secret: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    secret["connection"]["issuedAt"] = (now - 3600).into();
    secret["connection"]["expiresAt"] = (now + 30).into();
    fs::write(&path, secret.to_string()).unwrap();

    let mut child = env
        .command(["slots", "pull", "cafe"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    server.set_nonblocking(true).unwrap();
    let mut request = loop {
        match server.accept() {
            Ok((request, _)) => break request,
            // A command that has done its work does not begin a renewal.
            Err(_) if child.try_wait().unwrap().is_some() => return false,
            Err(_) => thread::yield_now(),
        }
    };
    request.set_nonblocking(false).unwrap();
    assert_eq!(request.read(&mut [0; 1]).unwrap(), 1);
    let mut written = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // The command doesn't wait for the renewal to do its work.
    stdout.read_line(&mut written).unwrap();
    assert!(!written.is_empty());
    if is_answered {
        renew(&mut request);
    } else {
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        for _ in 0..2 {
            let pid = child.id().to_string();
            Command::new("kill").args(["-INT", &pid]).status().unwrap();
            let mut said = String::new();
            stderr.read_line(&mut said).unwrap();
            assert!(said.contains("Ctrl-C"), "{said}");
        }
    }
    stdout.read_to_string(&mut written).unwrap();
    let exit = reported_exit(child.wait().unwrap());
    assert_eq!(exit, Some(if is_answered { 0 } else { 130 }), "{written}");
    let refresh = &kept(&env).unwrap()["refreshToken"];
    assert_eq!(refresh == "new-refresh", is_answered);
    assert_eq!(*refresh == before["refreshToken"], !is_answered);
    true
}

/// Interrupts a renewal at the first byte of its request.
#[cfg(unix)]
fn interrupted_renewal(is_answered: bool) {
    {
        let env = expired();
        let before = kept(&env).unwrap();
        let server = renewed_elsewhere(&env);
        let mut child =
            env.command(["me"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let interrupt =
            || Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let (mut request, _) = server.accept().unwrap();
        assert_eq!(request.read(&mut [0; 1]).unwrap(), 1);
        interrupt();
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        assert!(said.contains("press Ctrl-C again to stop"), "{said}");
        if is_answered {
            renew(&mut request);
        } else {
            interrupt();
        }
        stderr.read_to_string(&mut said).unwrap();
        assert_eq!(reported_exit(child.wait().unwrap()), Some(130), "{said}");
        assert!(said.contains("stopped by Ctrl-C"), "{said}");
        let refresh = &kept(&env).unwrap()["refreshToken"];
        assert_eq!(refresh == "new-refresh", is_answered, "{said}");
        assert_eq!(*refresh == before["refreshToken"], !is_answered, "{said}");
        assert_eq!(asked(&env, "/api/v1/me"), 0, "nothing else is begun");
    }
}

#[test]
fn a_forgotten_registration_drops_the_tokens() {
    let env = expired();
    env.server.forget_clients();
    let run = env.run("me -o json");
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error()["hint"].to_string().contains("links auth login"), "{run}");
    assert_eq!(kept(&env), None);
    assert_eq!(log_in(&env, &[]).exit, 0);
    assert_eq!((asked(&env, "/oauth/register"), env.run("me").exit), (1, 0));
}
