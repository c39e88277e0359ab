//! First line of a page file, by which editors with the YAML language server find its schema.

use crate::context::prelude::*;

/// Name of the schema file of a page in the examples.
const SCHEMA: &str = "page.schema.json";

/// Beginning of the line.
const BEGIN: &str = "# yaml-language-server: $schema=";

/// Returns the text of a YAML file with the line first, in place of another one about its schema. A byte order mark stays in front of
/// it, and the line ends like the first one of the text.
///
/// # Errors
///
/// When `schema` cannot be written in a line.
pub(crate) fn with_schema(text: &str, schema: &str) -> Result<String> {
    if schema.is_empty() || schema.contains(char::is_control) {
        return Err(CommandError::usage("--schema must be a path"));
    }
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = &text[..text.len() - content.len()];
    let (end, rest) = match content.split_once('\n') {
        Some((first, rest)) => (
            if first.ends_with('\r') { "\r\n" } else { "\n" },
            if first.starts_with(BEGIN) { rest } else { content },
        ),
        None => ("\n", content),
    };
    Ok(format!("{mark}{BEGIN}{schema}{end}{rest}"))
}

/// Returns the schema for a new file: the given one, else the one that is in the directory of the file. A JSON file refers to none.
///
/// # Errors
///
/// When one is given for a JSON file.
pub(crate) fn schema_of<'s>(
    given: Option<&'s str>,
    file: Option<&Path>,
) -> Result<Option<&'s str>> {
    if file.is_some_and(is_json) {
        return match given {
            Some(_) => Err(no_schema_in_json()),
            None => Ok(None),
        };
    }
    let beside = |file: &Path| file.with_file_name(SCHEMA).is_file();
    Ok(given.or_else(|| file.filter(|file| beside(file)).map(|_| SCHEMA)))
}

pub(crate) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"))
}

pub(crate) fn no_schema_in_json() -> CommandError {
    CommandError::usage("--schema adds a line of YAML, so it can't be used with a JSON file")
}
