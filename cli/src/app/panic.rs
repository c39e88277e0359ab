//! End of the process after a panic: exit code 1 with a message, whether the build unwinds or aborts.

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use crate::error::exit_code::Exit;
use crate::sanitize;

/// Makes a panic of any thread end the process.
#[expect(clippy::exit, reason = "the state of the program is not known any more")]
pub(super) fn exit_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = io::stderr().write_all(report(panic).as_bytes());
        std::process::exit(Exit::Internal.code().into())
    }));
}

fn report(panic: &PanicHookInfo<'_>) -> String {
    format!(
        "error: a defect in links stopped the command: {}\n  help: it may have written before; an apply that was interrupted is \
         listed by `links slots apply --status`, and anything else shows on the page\n",
        sanitize::one_line(&panic.to_string())
    )
}
