//! Execution of other processes, by name and arguments, never through a shell. There are two policies for their environment:
//!
//! - [`command`]: another program (the editor, the browser, the token command) gets every variable except those that hold the token or lead
//!   to it, because it depends on variables that this program does not know.
//! - [`own_command`]: another process of this program gets no variable, because everything that it needs is in its arguments and its input.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::env_vars;

/// Returns a command for a program, without the environment variables that hold the token or lead to it.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    without_secrets(&mut command);
    command
}

/// Returns a command for another process of this program, without any environment variable.
///
/// # Errors
///
/// When the path of this program is not known.
pub(crate) fn own_command(args: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(args).env_clear();
    Ok(command)
}

fn without_secrets(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if is_secret(&name) {
            command.env_remove(name);
        }
    }
}

/// Tells whether a variable holds the token or leads to it. Some systems ignore the case of variable names.
fn is_secret(name: &OsStr) -> bool {
    env_vars::SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Splits a command line into words as a shell does; `None` if a quote is not closed. On Windows, `\` separates directories.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    split(line, cfg!(windows))
}

fn split(line: &str, is_windows: bool) -> Option<Vec<String>> {
    if is_windows { shlex::split(&line.replace('\\', "\\\\")) } else { shlex::split(line) }
}

/// Keeps Ctrl-C on this program's terminal from a process that it starts.
pub(crate) fn without_interrupts(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // CREATE_NEW_PROCESS_GROUP
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(command, 0x200);
}

/// Parses a command line from a variable into words, as a shell does.
///
/// # Errors
///
/// When the command line is empty, or a quote is not closed.
pub(crate) fn named(words: &str) -> io::Result<Command> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "invalid command line");
    let words = self::words(words).ok_or_else(invalid)?;
    let (program, rest) = words.split_first().ok_or_else(invalid)?;
    let mut command = self::command(program);
    command.args(rest);
    Ok(command)
}

/// Opens a URL in a browser without waiting: `BROWSER` if set, else the default of the platform.
///
/// # Errors
///
/// When the text is not a URL, or no browser can be started.
pub(crate) fn browse(browser: Option<&str>, url: &str) -> io::Result<()> {
    let plain = !url.contains(|c: char| c.is_control() || c.is_whitespace());
    if !plain || !["https://", "http://"].iter().any(|it| url.starts_with(it)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a URL"));
    }
    let commands = match browser.filter(|it| !it.trim().is_empty()) {
        Some(browser) => vec![with_argument(named(browser)?, url)],
        None => platform_browsers(url)?,
    };
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "no browser found");
    for mut command in commands {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Nor must input on this program's terminal reach the browser.
        without_interrupts(&mut command);
        match command.spawn() {
            Ok(_) => return Ok(()),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Does work on a thread of its own. Returns `None` if it takes longer than the limit; the work then goes on until the process ends.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = channel();
    // Fails after the limit, when the receiver is gone.
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(limit).ok()
}

fn with_argument(mut command: Command, argument: &str) -> Command {
    command.arg(argument);
    command
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn platform_browsers(url: &str) -> io::Result<Vec<Command>> {
    let mut commands = open::commands(url);
    commands.iter_mut().for_each(without_secrets);
    Ok(commands)
}

/// Uses `rundll32` because `start` is part of the shell, which would parse the URL as a command line.
#[cfg(not(unix))]
fn platform_browsers(url: &str) -> io::Result<Vec<Command>> {
    Ok(vec![with_argument(named("rundll32 url.dll,FileProtocolHandler")?, url)])
}

/// Disables core dumps, which would contain the tokens. Errors are ignored.
///
/// The process stays "dumpable" in the sense of Linux: otherwise only root could open `/dev/stdin` or the `/dev/fd/63` of `<(command)` in
/// it.
pub(crate) fn no_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = setrlimit(Resource::Core, none);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_are_opened_in_a_browser() {
        for url in ["file:///etc/passwd", "--help", "javascript:x", "https://a b", "https://a\n"] {
            let error = browse(Some("true"), url).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{url}");
        }
    }

    #[test]
    fn a_command_line_is_split_into_words_as_by_a_shell() {
        let command = named("code --wait 'a b'").unwrap();
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["--wait", "a b"]);
        for bad in ["", "  ", "'"] {
            named(bad).unwrap_err();
        }
        let words = split(r#""C:\Program Files\op.exe" read C:\x"#, true).unwrap();
        assert_eq!(words, [r"C:\Program Files\op.exe", "read", r"C:\x"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_process_without_interrupts_has_a_group_of_its_own() {
        let mut command = command("cat");
        without_interrupts(command.stdin(Stdio::piped()));
        let mut child = command.spawn().unwrap();
        let id = rustix::process::Pid::from_child(&child);
        assert_eq!(rustix::process::getpgid(Some(id)).unwrap(), id);
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn secret_variables_are_recognised_by_name_in_any_case() {
        let secret = |name: &str| is_secret(name.as_ref());
        assert!(secret("LINKS_TOKEN") && secret("links_token") && secret("LINKS_TOKEN_FILE"));
        assert!(!secret("PATH") && !secret("LINKS_BASE_URL") && !secret("MY_LINKS_TOKEN"));
    }
}
