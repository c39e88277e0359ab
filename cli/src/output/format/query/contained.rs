//! Execution of a filter in a separate process that can be killed.

use std::ffi::OsString;
use std::io::{BufRead, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::filter;
use crate::error::Exit;
use crate::process;

/// Argument of the process that runs a filter. Its input is two lines: the filter as a JSON string, and the document.
const RUN: &str = "__run-jq-filter";
/// Time limit of the process.
const MOST_TIME: Duration = Duration::from_secs(30);
/// Memory limit of the process in bytes, including the stack.
#[cfg(unix)]
const MOST_MEMORY: u64 = 2 << 30;
/// Maximum size of the output in bytes.
const MOST_OUTPUT: u64 = 64 << 20;
/// Maximum size of the error message in bytes.
const MOST_REASON: u64 = 4096;

/// Process that waits for a filter and the document to filter. Killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Process {
    /// Starts the process. Called before the command does anything, so that starting cannot fail after a write for lack of processes, nor
    /// be prevented by the restrictions of the command.
    ///
    /// # Errors
    ///
    /// When the process cannot be started.
    pub(crate) fn start() -> Result<Self, String> {
        let start = || {
            let mut command = process::own_command(&[RUN])?;
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // Ctrl-C must reach only this process, which still has to show its results.
            process::without_interrupts(&mut command);
            command.spawn()
        };
        start().map(Self).map_err(|error: std::io::Error| format!("cannot run the filter: {error}"))
    }

    /// Returns the results of the filter on a document, one value per line.
    ///
    /// # Errors
    ///
    /// When the filter fails or exceeds a limit.
    pub(crate) fn run(mut self, code: &str, input: String) -> Result<Vec<u8>, String> {
        let child = &mut self.0;
        let code = Value::from(code).to_string();
        // Dropped at the end of this function, or by the end of this process.
        let (_results, until_results) = mpsc::channel::<()>();
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || {
                // A filter may end before it has read everything.
                let lines = [code.as_str(), "\n", input.as_str(), "\n"];
                let _ = lines.iter().try_for_each(|part| stdin.write_all(part.as_bytes()));
                let _ = until_results.recv();
            });
        }
        let reason = child.stderr.take().map(|it| thread::spawn(|| read(it, MOST_REASON)));
        let stdout = child.stdout.take();
        let read = move || stdout.map_or_else(Vec::new, |it| read(it, MOST_OUTPUT + 1));
        let Some(made) = process::within(limit(), read) else {
            return Err(format!("took longer than {} seconds", limit().as_secs()));
        };
        if made.len() as u64 > MOST_OUTPUT {
            return Err(format!("returned more than {} MiB", MOST_OUTPUT >> 20));
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        let reason = reason.and_then(|it| it.join().ok()).unwrap_or_default();
        match status.code() {
            Some(0) => Ok(made),
            Some(code) if code == i32::from(Exit::Usage.code()) => {
                Err(String::from_utf8_lossy(&reason).trim_end().to_owned())
            }
            _ => Err("nests too deeply or uses too much memory".to_owned()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn read(stream: impl Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A read error ends the output: the process was killed.
    let _ = stream.take(most).read_to_end(&mut bytes);
    bytes
}

fn limit() -> Duration {
    #[cfg(debug_assertions)]
    if crate::testing::clock().is_some() {
        return MOST_TIME / 10;
    }
    MOST_TIME
}

/// Runs a filter and returns the exit code, if the program was started for that.
pub(crate) fn run_filter_if_requested(args: &[OsString]) -> Option<Exit> {
    if !matches!(args, [_, run] if run == RUN) {
        return None;
    }
    restrict();
    let read_line = || {
        let mut line = Vec::new();
        let read = std::io::stdin().lock().read_until(b'\n', &mut line);
        (read.is_ok() && line.ends_with(b"\n")).then_some(line)
    };
    let code = read_line().and_then(|line| serde_json::from_slice::<String>(&line).ok());
    let (Some(code), Some(input)) = (code, read_line()) else {
        // The parent has ended, or has no document.
        return Some(Exit::Usage);
    };
    thread::spawn(end_with_parent);
    let ran = filter::on_a_deep_stack(move || {
        let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
        filter::run(&code, &input, &mut stdout)?;
        stdout.flush().map_err(|error| error.to_string())
    });
    match ran {
        Ok(()) => Some(Exit::Ok),
        Err(why) => {
            let _ = writeln!(std::io::stderr().lock(), "{why}");
            Some(Exit::Usage)
        }
    }
}

/// Ends this process when the parent does, whichever way it ends: it keeps its end of the pipe open until it has the results.
#[expect(clippy::exit, reason = "nobody is left to hear of it")]
fn end_with_parent() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    std::process::exit(i32::from(Exit::Usage.code()));
}

/// Limits the memory and the CPU time of this process.
#[cfg(unix)]
fn restrict() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // If a limit cannot be set, time and output are still limited.
    let _ = setrlimit(Resource::As, most(MOST_MEMORY));
    // For a parent that was stopped. One that runs is faster, and reports it.
    let _ = setrlimit(Resource::Cpu, most(limit().as_secs() + 1));
}

#[cfg(not(unix))]
fn restrict() {}
