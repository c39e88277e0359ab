//! When a served preview applies its file.

/// When the file is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ApplyWhen {
    /// When the user presses a key in the browser
    Key,
    /// Also after each save, unless something needs confirmation
    Save,
}
