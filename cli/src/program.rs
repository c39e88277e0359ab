//! Programs of the user's that this one starts: the editor and the browser. None of them is given the token.

use std::io;
use std::process::{Command, Stdio};

/// Variables that hold the token or lead to it.
const SECRET: [&str; 2] = ["LINKS_TOKEN", "LINKS_TOKEN_FILE"];

/// A program as a user names it in a variable: its words, split as a shell does.
///
/// # Errors
///
/// When there is no word in it, or a quote is not closed.
pub(crate) fn named(words: &str) -> io::Result<Command> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a command line");
    let words = shlex::split(words).ok_or_else(invalid)?;
    let (program, rest) = words.split_first().ok_or_else(invalid)?;
    let mut command = Command::new(program);
    command.args(rest);
    for name in SECRET {
        command.env_remove(name);
    }
    Ok(command)
}

/// Shows an address in a browser and does not wait for it: `BROWSER` where it is set, else the platform's own.
///
/// # Errors
///
/// When it is not a web address, or no browser can be started.
pub(crate) fn browse(browser: Option<&str>, address: &str) -> io::Result<()> {
    let plain = !address.contains(|c: char| c.is_control() || c.is_whitespace());
    if !plain || !["https://", "http://"].iter().any(|it| address.starts_with(it)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a web address"));
    }
    let default = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = match browser.filter(|it| !it.trim().is_empty()) {
        Some(browser) => named(browser)?,
        // `start` is part of the shell, which would read the address as a command line; this is not.
        None if cfg!(windows) => named("rundll32 url.dll,FileProtocolHandler")?,
        None => named(default)?,
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What is typed at this program's terminal, and its end, are not meant for the browser.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_81_only_web_addresses_reach_a_browser() {
        for address in
            ["file:///etc/passwd", "--help", "javascript:x", "https://a b", "https://a\n"]
        {
            let error = browse(Some("true"), address).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{address}");
        }
    }

    #[test]
    fn a_command_is_read_as_a_shell_reads_it_and_loses_the_token() {
        let command = named("code --wait 'a b'").unwrap();
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["--wait", "a b"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert_eq!(removed.len(), SECRET.len());
        for bad in ["", "  ", "'"] {
            named(bad).unwrap_err();
        }
    }
}
