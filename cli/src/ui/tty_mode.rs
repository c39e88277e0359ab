//! What the terminal does with keys, changed for a while.

use crate::signal::RestoreOnExit;

/// While this lives, the terminal shows less of what is typed. Whatever ends that, even Ctrl-C, brings it back.
#[derive(Debug)]
pub(crate) struct Modes {
    #[cfg(unix)]
    before: rustix::termios::Termios,
    _changed: RestoreOnExit,
}

#[cfg(unix)]
impl Modes {
    /// Nothing but the end of the line is shown.
    pub(crate) fn unseen() -> Option<Self> {
        use rustix::termios::LocalModes;
        Self::change(|modes| {
            modes.remove(LocalModes::ECHO);
            modes.insert(LocalModes::ECHONL);
        })
    }

    /// Ctrl-C is not shown as `^C`, which would stand in the way of a line that is drawn again and again.
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
    /// Not here.
    pub(crate) fn without_ctrl_c() -> Option<Self> {
        None
    }
}
