//! What a process for one account reports to the process that started it: lines on stderr, from which that one shows the progress of all, and
//! tells the error of the process from what other programs have said there.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// First byte of a line with an update, unless another program has left its own line open. No message contains it: control characters are escaped.
const MARK: u8 = 0x1e;

/// Beginning of each line of the error of the command.
const ERROR: &[u8] = b"\x1ee";

/// An update about a command for one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// True if updates are reported.
static IS_PART: AtomicBool = AtomicBool::new(false);

/// Reports updates from now on: this process is one of several, for one account.
pub(crate) fn report_to_parent() {
    IS_PART.store(true, Ordering::Relaxed);
}

/// Tells whether this process is one of several.
pub(super) fn is_part() -> bool {
    IS_PART.load(Ordering::Relaxed)
}

/// Returns the error of the command as it is printed.
pub(super) fn of_error(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if is_part() { with_marks(&text).into() } else { text }
}

fn with_marks(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|byte| *byte == b'\n').flat_map(|line| [ERROR, line].concat()).collect()
}

/// Divides a line of stderr at its mark: what another program has said before it, and the rest, which is empty without a mark.
pub(crate) fn split_at_mark(line: &[u8]) -> (&[u8], &[u8]) {
    line.split_at(line.iter().position(|byte| *byte == MARK).unwrap_or(line.len()))
}

/// Returns a line of the error of the command; `None` if it is another line of stderr.
pub(crate) fn line_of_error(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(ERROR)
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
    fn line(self) -> Vec<u8> {
        let (kind, count) = match self {
            Self::Pages(count) => ('p', count as u128),
            Self::PageRead => ('r', 1),
            Self::Request => ('q', 1),
            Self::Write => ('x', 1),
            Self::Wait(wait) => ('w', wait.as_millis()),
            Self::Summary => ('s', 1),
            Self::NoFile => ('n', 1),
        };
        [&[MARK], format!("{kind}{count}\n").as_bytes()].concat()
    }

    /// Reads a line of stderr. `None` if it is a message.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line.strip_prefix(&[MARK])?).ok()?.trim_end();
        let (kind, count) = text.split_at_checked(1)?;
        let count: u32 = count.parse().ok()?;
        match kind {
            "p" => Some(Self::Pages(usize::try_from(count).ok()?)),
            "r" => Some(Self::PageRead),
            "q" => Some(Self::Request),
            "x" => Some(Self::Write),
            "w" => Some(Self::Wait(Duration::from_millis(count.into()))),
            "s" => Some(Self::Summary),
            "n" => Some(Self::NoFile),
            _ => None,
        }
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
        ] {
            assert_eq!(PartUpdate::parse(&update.line()), Some(update));
        }
        for text in
            ["", "p5", "\u{1e}", "\u{1e}y1\n", "\u{1e}p-1\n", "\u{1e}é1", "\u{1e}p99999999999"]
        {
            assert_eq!(PartUpdate::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn the_lines_of_an_error_are_told_from_others_and_are_no_updates() {
        let marked = with_marks(b"1\n\n2");
        let lines: Vec<_> = marked.split_inclusive(|byte| *byte == b'\n').collect();
        let own: Vec<_> = lines.iter().map(|line| line_of_error(line).unwrap()).collect();
        assert_eq!(own, [b"1\n".as_slice(), b"\n", b"2"]);
        assert!(lines.iter().all(|line| PartUpdate::parse(line).is_none()));
        assert_eq!(line_of_error(&PartUpdate::Request.line()), None);
        assert_eq!(line_of_error(b"error: x\n"), None);
        for (line, said, own) in [
            ("asks: \u{1e}p2\n", "asks: ", "\u{1e}p2\n"),
            ("x\n", "x\n", ""),
            ("\u{1e}e1", "", "\u{1e}e1"),
        ] {
            assert_eq!(split_at_mark(line.as_bytes()), (said.as_bytes(), own.as_bytes()));
        }
    }
}
