//! Page or form that holds links.

use std::fmt;

/// Page or form that holds links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkHolder {
    /// Page by its key in its file, or by its login.
    Page(String),
    /// Form by its name in its file, or by its id.
    Form(String),
}

impl LinkHolder {
    /// Returns the key or login of a page.
    pub(crate) fn page(&self) -> Option<&str> {
        match self {
            Self::Page(key) => Some(key),
            Self::Form(_) => None,
        }
    }

    /// Returns the name or id of a form.
    pub(crate) fn form(&self) -> Option<&str> {
        match self {
            Self::Form(name) => Some(name),
            Self::Page(_) => None,
        }
    }
}

/// Formats the holder as in messages: `cafe`, or `form booking`.
impl fmt::Display for LinkHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(key) => f.write_str(key),
            Self::Form(name) => write!(f, "form {name}"),
        }
    }
}
