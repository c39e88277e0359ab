//! The process for one account of a command over several: its arguments, and what it has printed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{self, ExitStatus, Stdio};
use std::thread;

use crate::auth::{AccountName, ServiceUser};
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

impl Part {
    /// Runs the command for the account. Nothing is asked: there is no input.
    pub(super) fn run(
        &self,
        args: &[OsString],
        call: &str,
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
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // This process marks the data of all.
            for variable in [TOKEN, TOKEN_FILE, BASE_URL, AGENT] {
                command.env_remove(variable);
            }
            let mut child = command.spawn()?;
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            let output = thread::scope(|scope| {
                let data = scope.spawn(|| read(stdout));
                let messages = stderr.map(|pipe| read_messages(BufReader::new(pipe), update));
                (data.join().unwrap_or_default(), messages.unwrap_or_default())
            });
            io::Result::Ok((child.wait()?, output))
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

/// Reads a stream to its end. What was read before an error counts.
fn read(from: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.map(|mut from| from.read_to_end(&mut bytes));
    bytes
}

/// Reads the messages of a process to their end, and passes its updates on.
fn read_messages(mut from: impl BufRead, update: impl Fn(PartUpdate)) -> Vec<u8> {
    let mut messages = Vec::new();
    loop {
        let begin = messages.len();
        if !matches!(from.read_until(b'\n', &mut messages), Ok(1..)) {
            return messages;
        }
        if let Some(one) = messages.get(begin..).and_then(PartUpdate::parse) {
            messages.truncate(begin);
            update(one);
        }
    }
}
