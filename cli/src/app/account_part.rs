//! The process for one account of a command over several: its arguments, and what it has printed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{self, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::auth::{AccountName, ServiceUser};
use crate::context::clock;
use crate::context::prelude::*;
use crate::env_vars::{AGENT, BASE_URL, TOKEN, TOKEN_FILE};
use crate::ui::{self, PartUpdate};

/// First argument of the process for one account. [`ServiceUser::text`] follows, and the name of the call with that of an operation.
const PART: &str = "__part";

/// What this process does of a command for several accounts.
pub(crate) struct OwnPart {
    pub(super) owner: ServiceUser,
    /// Name that the journals of all these processes share.
    pub(super) call: String,
    /// Name of the operation that is taken back.
    pub(super) operation: Option<String>,
    /// Number of arguments that the command line does not have.
    pub(super) added: usize,
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
    pub(super) stderr: Vec<u8>,
}

/// Returns the arguments without those that make a process that of one account, and whom it is for.
pub(super) fn own_arguments(args: Vec<OsString>) -> (Vec<OsString>, Option<OwnPart>) {
    let part = match &args[..] {
        [_, part, owner, call, account, _, ..] if part == PART && account == ACCOUNT => {
            let (owner, names) = (owner.to_str().and_then(ServiceUser::parse), call.to_str());
            owner.zip(names).map(|(owner, names)| {
                let mut names = names.split(' ').map(str::to_owned);
                let (call, operation) = (names.next().unwrap_or_default(), names.next());
                OwnPart { owner, call, operation, added: 2 }
            })
        }
        _ => None,
    };
    match part {
        Some(part) => {
            ui::report_to_parent();
            let program = args.iter().take(1);
            (program.chain(args.iter().skip(4)).cloned().collect(), Some(part))
        }
        None => (args, None),
    }
}

/// Option with the account, which is put before the arguments of the command line.
const ACCOUNT: &str = "--account";

/// Time between two looks at whether a process is to stop, or has ended.
const TICK: Duration = Duration::from_millis(50);

/// Time to read what an ended process has printed, while another one that it has started keeps its streams open.
const GRACE: Duration = Duration::from_secs(1);

impl Part {
    /// Runs the command for the account. Nothing is asked: its input is empty, and ends when the process is to stop, which is if `is_stopped`
    /// says so, or when this process ends.
    pub(super) fn run(
        &self,
        args: &[OsString],
        call: &str,
        is_stopped: impl Fn() -> bool,
        update: impl Fn(PartUpdate),
    ) -> PartOutput {
        let Some(account) = &self.account else {
            let ServiceUser { service, user } = &self.owner;
            let message = format!("no account on this machine for user {user} of {service}");
            let message = message + "; run `links auth login` as this user";
            return PartOutput::failed(&CommandError::new(Exit::NotAuthenticated, message));
        };
        let run = || {
            let mut command = process::Command::new(std::env::current_exe()?);
            command.args([PART, &self.owner.text(), call, ACCOUNT, &account.to_string()]);
            command.args(args.iter().skip(1));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // This process marks the data of all.
            for variable in [TOKEN, TOKEN_FILE, BASE_URL, AGENT] {
                command.env_remove(variable);
            }
            let mut child = command.spawn()?;
            let mut input = child.stdin.take();
            let (sender, lines) = channel();
            send_lines(child.stdout.take(), false, sender.clone());
            send_lines(child.stderr.take(), true, sender);
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            let mut take = |(is_message, line): (bool, Vec<u8>)| {
                let reported = PartUpdate::parse(&line).filter(|_| is_message);
                match reported {
                    Some(one) => update(one),
                    None if is_message => stderr.extend(line),
                    None => stdout.extend(line),
                }
            };
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break status;
                }
                let is_late = is_stopped();
                match lines.recv_timeout(TICK) {
                    Ok(line) => take(line),
                    // By now, a Ctrl-C on a terminal has reached the process, too, which then ignores the end of its input.
                    Err(RecvTimeoutError::Timeout) if is_late => drop(input.take()),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break child.wait()?,
                }
            };
            let clock = clock();
            let end = clock.monotonic() + GRACE;
            while let Ok(line) = lines.recv_timeout(end.saturating_sub(clock.monotonic())) {
                take(line);
            }
            io::Result::Ok((status, (stdout, stderr)))
        };
        match run() {
            Ok((status, (stdout, stderr))) => {
                let code = status.code().and_then(|code| u8::try_from(code).ok());
                let exit = Exit::ALL.iter().copied().find(|exit| Some(exit.code()) == code);
                match exit {
                    Some(exit) => PartOutput { exit, stdout, stderr },
                    None => PartOutput::ended(status, stdout, stderr),
                }
            }
            Err(error) => {
                PartOutput::failed(&CommandError::internal(format!("cannot start: {error}")))
            }
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
    pub(super) fn failed(failure: &CommandError) -> Self {
        let stderr = format!("{failure}\n").into_bytes();
        Self { exit: failure.exit(), stdout: Vec::new(), stderr }
    }

    /// Returns the error of the process as the object that scripts read, `null` without one, and what else the process has said.
    pub(super) fn error(&self) -> (Value, Vec<u8>) {
        let (mut error, mut rest) = (Value::Null, Vec::new());
        for line in self.stderr.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice::<Value>(line) {
                Ok(json) if error.is_null() && json["exit"] == self.exit.code() => error = json,
                _ => rest.extend_from_slice(line),
            }
        }
        let is_failure = !matches!(self.exit, Exit::Ok | Exit::No);
        if is_failure && error.is_null() && !rest.is_empty() {
            let text = String::from_utf8_lossy(&rest).trim_end().to_owned();
            error = CommandError::new(self.exit, text).to_json();
            if self.exit == Exit::Internal {
                error["outcome"] = "unknown".into();
            }
            rest.clear();
        }
        (error, rest)
    }

    /// Returns the output of a process that a signal has ended.
    fn ended(status: ExitStatus, stdout: Vec<u8>, mut stderr: Vec<u8>) -> Self {
        #[cfg(unix)]
        let is_interrupt =
            std::os::unix::process::ExitStatusExt::signal(&status) == Some(INTERRUPT);
        #[cfg(not(unix))]
        let is_interrupt = false;
        if is_interrupt {
            return Self { exit: Exit::Interrupted, stdout, stderr };
        }
        let text = format!(
            "the process for this account was ended ({status}); it may have written something\n"
        );
        stderr.extend(text.as_bytes());
        Self { exit: Exit::Internal, stdout, stderr }
    }
}

/// Number of the signal of Ctrl-C.
#[cfg(unix)]
const INTERRUPT: i32 = 2;

/// Sends the lines of a stream, and whether they are messages, from a thread that ends with the stream. What was read before an error counts.
fn send_lines(
    from: Option<impl Read + Send + 'static>,
    is_message: bool,
    to: Sender<(bool, Vec<u8>)>,
) {
    let Some(from) = from else { return };
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let is_read = from.read_until(b'\n', &mut line).is_ok();
            if line.is_empty() || to.send((is_message, line)).is_err() || !is_read {
                break;
            }
        }
    });
}
