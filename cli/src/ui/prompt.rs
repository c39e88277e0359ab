//! Questions on the terminal.

use std::io::{self, BufRead};

use super::stream;

/// Asks on stderr and reads a line from stdin; any answer except yes counts as no.
pub(super) fn yes(question: &str) -> bool {
    is_yes(&text(&format!("{question} [y/N]")))
}

/// Asks on stderr and reads a line from stdin; returns an empty string on an error.
pub(super) fn text(question: &str) -> String {
    let asked = stream::ask(&format!("{question} "));
    let mut answer = String::new();
    let read = |()| io::stdin().lock().read_line(&mut answer);
    match asked.and_then(read) {
        Ok(0) => {
            stream::say("\n");
            answer
        }
        Ok(_) => answer.trim_end_matches(['\r', '\n']).to_owned(),
        Err(_) => String::new(),
    }
}

/// Asks on stderr and reads a line from the terminal without echo.
pub(super) fn secret(question: &str) -> io::Result<String> {
    // Echo is disabled before the question, because the user may type at once.
    #[cfg(unix)]
    let _modes = super::progress::Modes::without_echo()
        .ok_or_else(|| io::Error::other("this terminal cannot hide the input"))?;
    stream::ask(&format!("{question}: "))?;
    without_echo()
}

#[cfg(unix)]
fn without_echo() -> io::Result<String> {
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map(|_| answer)
}

#[cfg(not(unix))]
fn without_echo() -> io::Result<String> {
    console::Term::stderr().read_secure_line()
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_y_or_yes_confirms() {
        assert!(is_yes("y\n") && is_yes(" YES\r\n"));
        assert!(!is_yes("") && !is_yes("\n") && !is_yes("yess\n") && !is_yes("да\n"));
    }
}
