//! Temporary changes of terminal modes.

use crate::signal::RestoreOnExit;

/// Guard that reduces the echo of the terminal. The previous modes are restored when it is dropped, and at an exit by Ctrl-C.
#[derive(Debug)]
pub(crate) struct Modes {
    #[cfg(unix)]
    before: rustix::termios::Termios,
    _changed: RestoreOnExit,
}

#[cfg(unix)]
impl Modes {
    /// Disables the echo of typed characters except for the end of the line.
    pub(crate) fn without_echo() -> Option<Self> {
        use rustix::termios::LocalModes;
        Self::change(|modes| {
            modes.remove(LocalModes::ECHO);
            modes.insert(LocalModes::ECHONL);
        })
    }

    /// Disables the echo of Ctrl-C as `^C`, which would disturb a line that is redrawn repeatedly.
    pub(crate) fn without_ctrl_c() -> Option<Self> {
        Self::change(|modes| modes.remove(rustix::termios::LocalModes::ECHOCTL))
    }

    fn change(change: impl FnOnce(&mut rustix::termios::LocalModes)) -> Option<Self> {
        let before = rustix::termios::tcgetattr(std::io::stderr()).ok()?;
        let mut modes = before.clone();
        change(&mut modes.local_modes);
        let undo = before.clone();
        let changed = RestoreOnExit::new(move || set(&undo));
        set(&modes);
        Some(Self { before, _changed: changed })
    }
}

#[cfg(unix)]
fn set(modes: &rustix::termios::Termios) {
    use rustix::termios::{OptionalActions, tcsetattr};
    let _ = tcsetattr(std::io::stderr(), OptionalActions::Now, modes);
}

#[cfg(unix)]
impl Drop for Modes {
    fn drop(&mut self) {
        set(&self.before);
    }
}

#[cfg(not(unix))]
impl Modes {
    /// Returns `None`: not supported on this platform.
    pub(crate) fn without_ctrl_c() -> Option<Self> {
        None
    }
}
