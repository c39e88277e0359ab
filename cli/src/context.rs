//! What every command is given: the settings, the person, and the service, which is reached only when a command asks for it.

use crate::settings::Settings;
use crate::ui::Ui;

/// What a command works with.
#[derive(Debug)]
pub(crate) struct Context {
    /// What the user set.
    pub(crate) settings: Settings,
    /// The person at the terminal, if there is one.
    pub(crate) ui: Ui,
}

impl Context {
    pub(crate) fn new(settings: Settings, ui: Ui) -> Self {
        Self { settings, ui }
    }
}
