//! Tests of Ctrl-C at the earliest moment at which it can do harm.

use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::test_env::TestEnv;

/// Runs a command line, and interrupts it at the first byte of its request.
fn interrupted(env: &TestEnv, line: &str) -> (Option<i32>, String) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = env.command(line.split_whitespace());
    command.env("LINKS_BASE_URL", format!("http://{}/api/v1", server.local_addr().unwrap()));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut request, _) = server.accept().unwrap();
    assert_eq!(request.read(&mut [0; 1]).unwrap(), 1);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn found_02_ctrl_c_at_the_first_byte_of_a_request_is_reported() {
    std::thread::scope(|scope| {
        for line in ["me", "slots list cafe -o json", "profile get cafe", "forms list -o json"] {
            scope.spawn(move || {
                let env = TestEnv::cafe();
                for run in 0..15 {
                    let (exit, said) = interrupted(&env, line);
                    assert_eq!(exit, Some(130), "{line}, run {run}\n{said}");
                    assert!(said.contains("stopped by Ctrl-C"), "{line}, run {run}\n{said}");
                }
            });
        }
    });
}
