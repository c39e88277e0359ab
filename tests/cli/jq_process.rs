//! Tests of the process that runs a jq filter: it does not outlive the command.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::test_env::TestEnv;

const ENDLESS: &str = "def f: f; f";

/// State and used CPU time in seconds of a process; `None` once it has ended.
fn running(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |nth: usize| fields[nth].parse::<u64>().unwrap();
    let has_ended = matches!(fields[0], "Z" | "X");
    (!has_ended).then(|| (fields[1].parse().unwrap(), (ticks(11) + ticks(12)) / 100))
}

/// Returns the process of the filter, once it runs the filter.
fn filter_of(command: &Child) -> u32 {
    loop {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let is_child = running(pid).is_some_and(|(parent, _)| parent == command.id());
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if is_child && words.ends_with(b"\0__run-jq-filter\0") {
                while running(pid).is_some_and(|(_, seconds)| seconds < 1) {
                    std::thread::yield_now();
                }
                return pid;
            }
        }
    }
}

#[test]
fn the_filter_ends_with_the_command_whichever_signal_ends_that() {
    std::thread::scope(|scope| {
        for signal in [Signal::KILL, Signal::TERM, Signal::HUP] {
            scope.spawn(move || {
                let env = TestEnv::cafe();
                let mut command = env.command(["me", "--jq", ENDLESS]);
                command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
                let mut command = command.spawn().unwrap();
                let filter = filter_of(&command);
                kill_process(Pid::from_child(&command), signal).unwrap();
                command.wait().unwrap();
                let mut used = 0;
                while let Some((_, seconds)) = running(filter) {
                    used = seconds;
                    // Beyond this, its own limit would end it.
                    assert!(seconds < 20, "{signal:?}");
                    std::thread::yield_now();
                }
                assert!(used < 20);
            });
        }
    });
}

#[test]
fn the_filter_ends_by_itself_if_the_command_is_stopped() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    let mut command = env.command(["__run-jq-filter"]);
    let mut filter = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = filter.stdin.take().unwrap();
    stdin.write_all(format!("\"{ENDLESS}\"\n1\n").as_bytes()).unwrap();
    let status = filter.wait().unwrap();
    drop(stdin);
    assert!(status.signal().is_some(), "{status}");
}

#[test]
fn a_filter_without_a_document_ends_at_once() {
    let env = TestEnv::cafe();
    for begun in ["", "\".\"", "\".\"\n", ".\n1\n", "\".\"\n{\"a\":"] {
        let mut command = env.command(["__run-jq-filter"]);
        let mut filter = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        filter.stdin.take().unwrap().write_all(begun.as_bytes()).unwrap();
        assert_eq!(filter.wait().unwrap().code(), Some(2));
    }
}
