//! End of the process after a panic: exit code 1 with a message, whether the build unwinds or aborts.

use std::io::{self, Write};

use crate::error::exit_code::Exit;
use crate::{sanitize, ui};

/// Makes a panic of any thread end the process.
#[expect(clippy::exit, reason = "the state of the program is not known any more")]
pub(super) fn exit_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = io::stderr().write_all(report(&panic.to_string()).as_bytes());
        std::process::exit(Exit::Internal.code().into())
    }));
}

fn report(panic: &str) -> String {
    let text = format!(
        "error: a defect in links stopped the command: {}\n  help: it may have written before; an apply that was interrupted is \
         listed by `links slots apply --status`, and anything else shows on the page\n",
        sanitize::one_line(panic)
    );
    ui::protected(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use links_sdk::Token;

    use super::report;
    use crate::auth::redaction;

    #[test]
    fn a_panic_repeats_no_token() {
        redaction::known().add(&Token::new("lnk_of_a_panic").unwrap());
        let text = report("index out of bounds: lnk_of_a_panic and 6c6e6b5f6f665f615f70616e6963");
        assert!(text.contains("index out of bounds: *** and ***"), "{text}");
    }
}
