//! Conversion of errors in the user's files.

use std::io;
use std::path::Path;

use links_sdk::ProfileKey;

use super::{CommandError, Result};
use links_pages::fs::named::{ReadError, Refusal};
use links_pages::page_file::{DocumentError, FileDiagnostics};
use links_pages::sanitize;

/// Ends of the names of files.
const EXTENSIONS: [&str; 4] = [".yaml", ".yml", ".json", ".plan"];

impl From<DocumentError> for CommandError {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Bad(file) => file.into(),
            DocumentError::ReadError(why) => why.into(),
            DocumentError::Foreign(_, image) => {
                let hint = match image {
                    Some(_) => {
                        "upload an image with `links files upload FILE`; in a page file, write `image: {$upload: FILE}`"
                    }
                    None => {
                        "page files are YAML or JSON; run `links pull KEY` to write one, or `links schema page` to see the format"
                    }
                };
                Self::invalid(error).with_hint(hint)
            }
        }
    }
}

impl From<ReadError> for CommandError {
    fn from(why: ReadError) -> Self {
        match why {
            ReadError::Io(name, error) => file_error(&format!("cannot read {name}"), &error),
            ReadError::NotAFile(..) => {
                Self::invalid(why).with_hint("use `-` to read standard input")
            }
            ReadError::TooLarge(..) => Self::invalid(why),
        }
    }
}

/// Returns the error for a file that cannot be read or written.
pub(crate) fn file_error(what: &str, error: &io::Error) -> CommandError {
    let why = error.to_string();
    let message = format!("{what}: {}", why.split(" (os error").next().unwrap_or_default());
    let Some(refusal) = Refusal::of(error) else { return CommandError::usage(message) };
    CommandError::refused(message).hinted(refusal.hint())
}

/// Returns what makes the error for a path that cannot be read, written or used, as the verb says.
pub(crate) fn cannot(
    verb: &str,
    path: &(impl AsRef<Path> + ?Sized),
) -> impl Fn(io::Error) -> CommandError + Copy {
    let path = path.as_ref();
    move |error| file_error(&format!("cannot {verb} {}", path.display()), &error)
}

/// Returns what makes the error for a file that has to be written before anything else, and cannot be.
pub(crate) fn cannot_begin(path: &Path) -> impl Fn(io::Error) -> CommandError {
    move |error| {
        let what = format!("cannot write {}, so nothing was written", path.display());
        file_error(&what, &error)
    }
}

/// Returns the text of a file.
pub(crate) fn utf8(name: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| CommandError::invalid(format!("{name} is not UTF-8")))
}

/// Returns the error for a page file that cannot be read. A page is easily named where its file is needed.
pub(crate) fn unread_page_file(why: ReadError) -> CommandError {
    let page = match &why {
        ReadError::Io(name, error) if error.kind() == io::ErrorKind::NotFound => {
            let is_file = EXTENSIONS.iter().any(|it| name.to_lowercase().ends_with(it));
            let is_key = name.parse::<ProfileKey>().is_ok();
            (is_key && !is_file).then(|| sanitize::line(name).into_owned())
        }
        _ => None,
    };
    CommandError::from(why).hinted(page.map(|key| {
        format!(
            "pass a file; if {key} is a page, write it to a file with `links pull {key} -O {key}.yaml`, or print it with `links profile preview {key}`"
        )
    }))
}

impl From<FileDiagnostics> for CommandError {
    fn from(file: FileDiagnostics) -> Self {
        Self::invalid(&file).at(file)
    }
}
