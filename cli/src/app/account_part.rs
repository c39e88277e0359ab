//! The process for one account of a command over several: its arguments, and what it has printed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{self, Child, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use links_sdk::{Clock, SystemClock};
use serde::Deserialize;

use crate::auth::{AccountName, ServiceUser};
use crate::context::prelude::*;
use crate::env_vars::{AGENT, BASE_URL, COLOR, TOKEN, TOKEN_FILE};
use crate::ui::{self, PartUpdate};

/// First argument of the process for one account. An [`OwnPart`] follows as JSON, and the option with the account.
const PART: &str = "__part";

/// What this process does of a command for several accounts.
#[derive(Deserialize)]
pub(crate) struct OwnPart {
    pub(super) owner: ServiceUser,
    /// Name that the journals of all these processes share.
    pub(super) call: String,
    /// Name of the operation that is taken back.
    pub(super) operation: Option<String>,
}

/// Directories and files of one account.
pub(super) struct Part {
    pub(super) owner: ServiceUser,
    /// The account of this machine; `None` if there is none.
    pub(super) account: Option<AccountName>,
    pub(super) paths: Vec<PathBuf>,
}

/// What the process for an account has printed.
pub(super) struct PartOutput {
    pub(super) exit: Exit,
    pub(super) stdout: Vec<u8>,
    /// Its messages, and those of the programs that it has started, without its error.
    pub(super) said: Vec<u8>,
    /// Its error, as it is shown.
    pub(super) failure: String,
    /// The error as the object that scripts read, or `null`.
    pub(super) error: Value,
    /// True if its plan is in the summary.
    pub(super) is_in_summary: bool,
    /// True if a pattern has left out all of its files.
    pub(super) is_without_files: bool,
}

/// Returns the arguments without those that make a process that of one account, and whom it is for.
pub(super) fn own_arguments(mut args: Vec<OsString>) -> (Vec<OsString>, Option<OwnPart>) {
    let part: Option<OwnPart> = match &args[..] {
        [_, part, own, option, _, ..] if part == PART && option == ACCOUNT => {
            own.to_str().and_then(|own| serde_json::from_str(own).ok())
        }
        _ => None,
    };
    if part.is_some() {
        args.drain(1..3);
        let _ = crate::error::ACCOUNT.set(args[2].to_string_lossy().into_owned());
    }
    (args, part)
}

/// Option with the account, which is put before the arguments of the command line.
const ACCOUNT: &str = "--account";

/// Time between two looks at whether a process is to stop, or has ended.
const TICK: Duration = Duration::from_millis(50);

/// Time to read what an ended process has printed, while another one that it has started keeps its streams open.
const GRACE: Duration = Duration::from_secs(1);

/// Maximum number of lines that were read and wait: a process that prints faster has to wait as well.
const QUEUED: usize = 64;

/// Size in bytes at which a line is divided, and up to which messages are kept at least: the last ones.
const MOST: usize = 16 << 20;

impl Part {
    /// Runs the command for the account. Nothing is asked: its input is empty, and ends when the process is to stop, which is if `is_stopped`
    /// says so, or when this process ends. `is_colored` says that its text is shown with colours.
    pub(super) fn run(
        &self,
        args: &[OsString],
        (call, operation): (&str, Option<&str>),
        is_colored: bool,
        is_stopped: impl Fn() -> bool,
        update: impl Fn(PartUpdate),
    ) -> PartOutput {
        let Some(account) = &self.account else {
            let ServiceUser { service, user } = &self.owner;
            let message = format!("no account on this machine for user {user} of {service}");
            let message = message + "; run `links auth login` as this user";
            return PartOutput::failed(&CommandError::new(Exit::NotAuthenticated, message));
        };
        let spawn = |program: PathBuf| {
            let mut command = process::Command::new(program);
            let own = json!({ "owner": self.owner, "call": call, "operation": operation });
            command.args([PART, &own.to_string(), ACCOUNT, &account.to_string()]);
            command.args(args.iter().skip(1));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // This process marks the data of all.
            for variable in [TOKEN, TOKEN_FILE, BASE_URL, AGENT] {
                command.env_remove(variable);
            }
            if is_colored {
                command.env(COLOR, "always");
            }
            command.spawn()
        };
        match std::env::current_exe().and_then(spawn) {
            Ok(child) => PartOutput::of(child, is_stopped, update),
            Err(error) => PartOutput::failed(&CommandError::internal(format!(
                "cannot start the process for this account: {error}; nothing was written"
            ))),
        }
    }

    /// Returns the account as a heading names it.
    pub(super) fn name(&self) -> String {
        match &self.account {
            Some(account) => account.to_string(),
            None => format!("user {}", self.owner.user),
        }
    }
}

impl PartOutput {
    /// Reads what a process prints until it has ended.
    fn of(mut child: Child, is_stopped: impl Fn() -> bool, update: impl Fn(PartUpdate)) -> Self {
        let mut input = child.stdin.take();
        let (sender, lines) = sync_channel(QUEUED);
        send_lines(child.stdout.take(), false, sender.clone());
        send_lines(child.stderr.take(), true, sender);
        let mut output = Self::new(Exit::Internal);
        let (clock, mut end) = (SystemClock::new(), None);
        let mut failures: Vec<(String, Value)> = Vec::new();
        let status = loop {
            if is_stopped() {
                drop(input.take());
            }
            let now = clock.monotonic();
            match child.try_wait() {
                Ok(Some(status)) if *end.get_or_insert(now + GRACE) <= now => break Ok(status),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
            match lines.recv_timeout(TICK) {
                Ok((false, line)) => output.stdout.extend(line),
                Ok((true, line)) => {
                    let (said, own) = ui::split_at_mark(&line);
                    output.hear(said);
                    // What a program has said without the end of its line is a message of its own.
                    if !said.is_empty() && !own.is_empty() {
                        output.said.push(b'\n');
                    }
                    match PartUpdate::parse(own) {
                        Some(PartUpdate::Summary) => output.is_in_summary = true,
                        Some(PartUpdate::NoFile) => output.is_without_files = true,
                        Some(PartUpdate::Failure(text, error)) => {
                            let error = serde_json::from_str(&error).unwrap_or_default();
                            failures.push((text, error));
                        }
                        Some(one) => update(one),
                        None => output.hear(own),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break child.wait(),
            }
        };
        let code = status.as_ref().ok().and_then(ExitStatus::code);
        let is_its = |exit: &Exit| Some(i32::from(exit.code())) == code;
        output.exit = match (Exit::ALL.iter().copied().find(is_its), &status) {
            (Some(exit), _) => exit,
            (None, Ok(status)) if is_interrupt(*status) => Exit::Interrupted,
            (None, _) => Exit::Internal,
        };
        for (text, error) in failures {
            // The one that the process has ended with; others are messages.
            if output.error.is_null() && error["exit"] == output.exit.code() {
                output.failure += &text;
                output.error = error;
            } else {
                output.hear(text.as_bytes());
            }
        }
        if output.exit == Exit::Internal && (code.is_none() || output.error.is_null()) {
            output.lose(&status.map_or_else(|error| error.to_string(), |it| it.to_string()));
        }
        output
    }

    /// Takes a message of the process, or of a program that it has started.
    fn hear(&mut self, line: &[u8]) {
        self.said.extend(line);
        // Seldom, because what is kept is moved.
        if self.said.len() > 2 * MOST {
            self.said.drain(..self.said.len() - MOST);
        }
    }

    fn new(exit: Exit) -> Self {
        Self {
            exit,
            stdout: Vec::new(),
            said: Vec::new(),
            failure: String::new(),
            error: Value::Null,
            is_in_summary: false,
            is_without_files: false,
        }
    }

    /// Returns the output of a process that was not started.
    pub(super) fn failed(failure: &CommandError) -> Self {
        Self {
            failure: format!("{failure}\n"),
            error: failure.to_json(),
            ..Self::new(failure.exit())
        }
    }

    /// Adds that nobody knows how the process has ended.
    fn lose(&mut self, how: &str) {
        let text = format!(
            "the process for this account was ended ({how}); it may have written something"
        );
        self.failure.extend([&text, "\n"]);
        self.error = CommandError::internal(text).to_json();
        self.error["outcome"] = "unknown".into();
    }
}

/// Tells whether a process was ended by Ctrl-C.
#[cfg(unix)]
fn is_interrupt(status: ExitStatus) -> bool {
    /// Number of the signal.
    const INTERRUPT: i32 = 2;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(INTERRUPT)
}

#[cfg(not(unix))]
fn is_interrupt(_: ExitStatus) -> bool {
    false
}

/// Sends the lines of a stream, and whether they are messages, from a thread that ends with the stream. What was read before an error counts.
fn send_lines(
    from: Option<impl Read + Send + 'static>,
    is_message: bool,
    to: SyncSender<(bool, Vec<u8>)>,
) {
    let Some(from) = from else { return };
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let is_read = from.by_ref().take(MOST as u64).read_until(b'\n', &mut line).is_ok();
            if line.is_empty() || to.send((is_message, line)).is_err() || !is_read {
                break;
            }
        }
    });
}
