//! Conversion of errors in the user's files.

use super::CommandError;
use super::exit_code::Exit;
use crate::page_file::local_image::RootError;
use crate::page_file::{DocumentError, FileDiagnostics, ReadError};

impl From<DocumentError> for CommandError {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Bad(file) => file.into(),
            DocumentError::ReadError(why) => why.into(),
            DocumentError::Foreign(_, what) => {
                Self::new(Exit::Invalid, error.to_string()).with_hint(what.hint())
            }
        }
    }
}

impl From<RootError> for CommandError {
    fn from(RootError(path, error): RootError) -> Self {
        Self::usage(format!("--upload-root {}: {error}", path.display()))
    }
}

impl From<ReadError> for CommandError {
    fn from(why: ReadError) -> Self {
        match why {
            ReadError::Io(name, error) => Self::usage(format!("cannot read {name}: {error}")),
            ReadError::NotAFile(..) => {
                Self::new(Exit::Invalid, why.to_string()).with_hint("`-` reads standard input")
            }
            ReadError::TooLarge(..) => Self::new(Exit::Invalid, why.to_string()),
        }
    }
}

impl From<FileDiagnostics> for CommandError {
    fn from(file: FileDiagnostics) -> Self {
        Self::new(Exit::Invalid, file.to_string()).at(file)
    }
}
