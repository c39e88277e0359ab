//! Questions on the terminal.

use std::io::{self, BufRead, Write};

/// Asks on stderr, reads a line of stdin; everything but a yes is a no.
pub(super) fn yes(question: &str) -> bool {
    let mut stderr = io::stderr().lock();
    let asked =
        write!(stderr, "{} [y/N] ", super::clean::text(question)).and_then(|()| stderr.flush());
    let mut answer = String::new();
    asked.is_ok() && io::stdin().lock().read_line(&mut answer).is_ok() && is_yes(&answer)
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
