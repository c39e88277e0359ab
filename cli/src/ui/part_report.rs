//! What a process for one account reports to the process that started it: lines of JSON on stderr, from which that one shows the progress of
//! all, and tells the error of the process from what other programs have said there.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::ACCOUNT;

/// First byte of a line with an update, unless another program has left its own line open. No message contains it: control characters are escaped.
const MARK: u8 = 0x1e;

/// An update about a command for one account.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PartUpdate {
    /// The command is about this many pages.
    Pages(usize),
    /// A page was read.
    PageRead,
    /// A request was sent.
    Request,
    /// It may have written something.
    Write,
    /// The next request waits this long for the rate limits, or for the service.
    Wait(Duration),
    /// The plan is in the summary.
    Summary,
    /// A pattern leaves out every file.
    NoFile,
    /// The command has failed: the error as people read it, and as the object that scripts read.
    Failure(String, String),
}

/// Tells whether this process is one of several.
pub(crate) fn is_part() -> bool {
    ACCOUNT.get().is_some()
}

/// Divides a line of stderr at its mark: what another program has said before it, and the rest, which is empty without a mark.
pub(crate) fn split_at_mark(line: &[u8]) -> (&[u8], &[u8]) {
    line.split_at(line.iter().position(|byte| *byte == MARK).unwrap_or(line.len()))
}

/// Reports an update. Returns whether anybody is told.
pub(crate) fn update(update: PartUpdate) -> bool {
    let is_part = is_part();
    if is_part {
        // One write: a line is not torn by those of other threads.
        let _ = io::stderr().lock().write_all(&update.line());
    }
    is_part
}

impl PartUpdate {
    fn line(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        [&[MARK], &*json, b"\n"].concat()
    }

    /// Reads a line of stderr. `None` if it is a message.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line.strip_prefix(&[MARK])?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_read_as_it_was_written_and_a_message_is_none() {
        for update in [
            PartUpdate::Pages(100),
            PartUpdate::PageRead,
            PartUpdate::Request,
            PartUpdate::Write,
            PartUpdate::Wait(Duration::from_millis(59_001)),
            PartUpdate::Summary,
            PartUpdate::NoFile,
            PartUpdate::Failure("error: x\n".to_owned(), "{}".to_owned()),
        ] {
            assert!(update.line().ends_with(b"\n"));
            assert_eq!(PartUpdate::parse(&update.line()), Some(update));
        }
        for text in
            ["", "\"Write\"", "\u{1e}", "\u{1e}\"Other\"\n", "\u{1e}{\"Pages\":-1}\n", "\u{1e}é1"]
        {
            assert_eq!(PartUpdate::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn what_another_program_has_said_before_an_update_is_told_from_it() {
        for (line, said, own) in [
            ("asks: \u{1e}\"Write\"\n", "asks: ", "\u{1e}\"Write\"\n"),
            ("x\n", "x\n", ""),
            ("\u{1e}1", "", "\u{1e}1"),
        ] {
            assert_eq!(split_at_mark(line.as_bytes()), (said.as_bytes(), own.as_bytes()));
        }
    }
}
