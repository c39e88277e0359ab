//! Questions on the terminal.

use std::io::{self, BufRead, Write};

/// Asks on stderr, reads a line of stdin; everything but a yes is a no.
pub(super) fn yes(question: &str) -> bool {
    is_yes(&text(&format!("{question} [y/N]")))
}

/// Asks on stderr, reads a line of stdin; nothing where that fails.
pub(super) fn text(question: &str) -> String {
    let mut stderr = io::stderr().lock();
    let asked = write!(stderr, "{} ", super::clean::text(question)).and_then(|()| stderr.flush());
    let mut answer = String::new();
    match asked.and_then(|()| io::stdin().lock().read_line(&mut answer)) {
        Ok(_) => answer.trim_end_matches(['\r', '\n']).to_owned(),
        Err(_) => String::new(),
    }
}

/// Asks on stderr, reads a line of the terminal without showing it.
pub(super) fn secret(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{}: ", super::clean::text(question))?;
    stderr.flush()?;
    console::Term::stderr().read_secure_line()
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn silence_is_a_no() {
        assert!(is_yes("y\n") && is_yes(" YES\r\n"));
        assert!(!is_yes("") && !is_yes("\n") && !is_yes("yess\n") && !is_yes("да\n"));
    }
}
