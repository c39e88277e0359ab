//! Time from which a merge counts the changes of others.

use std::fmt;

/// Time from which a merge counts the changes of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// The last sync of the file.
    Sync,
    /// The moment at which the text was opened in an editor.
    Opened,
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync => "since the last sync",
            Self::Opened => "since the text was opened",
        })
    }
}
