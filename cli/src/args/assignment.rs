//! Field values on the command line: `title=Shop`, `count:=3` (JSON), `text=@file`, `fields:=@fields.json`; `@-` is standard input.
//! `image@file` uploads an image.

use std::path::is_separator;

use super::page::is_yaml_or_json;
use crate::context::prelude::*;

/// Words after a command, sorted: at most one file, and values for fields.
#[derive(Debug, Default)]
pub(crate) struct AssignmentWords {
    /// Path of the file, `-` for standard input.
    pub(crate) file: Option<PathBuf>,
    /// Values by field.
    pub(crate) values: Map<String, Value>,
    /// Names of the fields whose value is given as a string on the command line.
    pub(crate) typed: Vec<String>,
    /// Images to upload, by field.
    pub(crate) images: Vec<(String, String)>,
}

const VALUE: &str = "use field=text or field:=JSON";

/// Sorts words into a file and values. A word is a value when it begins with a field name and `=` or `:=`.
///
/// # Errors
///
/// On a second file, a field given twice, a value that is not JSON, or one whose file cannot be read.
pub(crate) fn sort(words: &[String]) -> Result<AssignmentWords> {
    let mut sorted = AssignmentWords::default();
    for word in words {
        match split(word) {
            Some((field, text, sign)) => {
                let is_upload = |(name, _): &(String, String)| name == field;
                if sorted.values.contains_key(field) || sorted.images.iter().any(is_upload) {
                    return Err(CommandError::usage(format!("duplicate field `{field}`")));
                }
                if sign == "@" {
                    sorted.images.push((field.to_owned(), text.to_owned()));
                    continue;
                }
                if sign == "=" && !text.starts_with('@') {
                    sorted.typed.push(field.to_owned());
                }
                let value = value(field, text, sign == ":=")?;
                sorted.values.insert(field.to_owned(), value);
            }
            None if !may_be_file(word) => return Err(neither(word)),
            None if sorted.file.is_none() => sorted.file = Some(word.into()),
            None => {
                let message =
                    format!("`{word}` is not a field=value pair, and you can pass only one file");
                return Err(CommandError::usage(message).with_hint(VALUE));
            }
        }
    }
    Ok(sorted)
}

/// Reads words that all have to be values.
///
/// # Errors
///
/// On a word that is not a value, and on the errors of [`sort`].
pub(crate) fn only(words: &[String]) -> Result<Map<String, Value>> {
    if let Some(word) = words.iter().find(|word| split(word).is_none()) {
        let message = format!("`{word}` is not a field=value pair");
        return Err(CommandError::usage(message).with_hint(VALUE));
    }
    let AssignmentWords { values, images, .. } = sort(words)?;
    no_images(&images)?;
    Ok(values)
}

/// Refuses images in a command that uploads none.
///
/// # Errors
///
/// When there is an image.
pub(crate) fn no_images(images: &[(String, String)]) -> Result<()> {
    let Some((field, file)) = images.first() else { return Ok(()) };
    Err(CommandError::usage(format!(
        "`{field}@{file}` would upload an image, but this command takes no images"
    ))
    .with_hint(format!(
        "use {field}=@{file} to send the text of the file; to upload an image, use `links files upload`"
    )))
}

/// Tells whether a word names a file: one that exists, or one whose name looks like that of a file.
fn may_be_file(word: &str) -> bool {
    let path = Path::new(word);
    word == "-"
        || path.symlink_metadata().is_ok()
        || is_yaml_or_json(path)
        || (word.contains(is_separator) && !word.contains('='))
}

fn neither(word: &str) -> CommandError {
    let failure = CommandError::usage(format!("`{word}` is not a field=value pair or a file"));
    match word.split_once('.').filter(|(first, rest)| *first == "data" && split(rest).is_some()) {
        Some((_, rest)) => failure.with_hint(format!("leave out `data.`: {rest}")),
        None => failure.with_hint(VALUE),
    }
}

/// Splits a word into the field, the text after the operator, and the operator: `=`, `:=` or `@`.
fn split(word: &str) -> Option<(&str, &str, &str)> {
    let (field, rest) = word.split_at(word.find(['=', '@'])?);
    let (field, sign) = match (field.strip_suffix(':'), rest.starts_with('=')) {
        (Some(field), true) => (field, ":="),
        (None, true) => (field, "="),
        (_, false) => (field, "@"),
    };
    let text = &rest[1..];
    let named = field.starts_with(|c: char| c.is_ascii_alphabetic())
        && field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let holds = sign != "@" || !text.is_empty();
    (named && holds).then_some((field, text, sign))
}

fn value(field: &str, text: &str, json: bool) -> Result<Value> {
    let text = match text.strip_prefix('@') {
        Some(path) => {
            let (name, bytes) = named::read(Path::new(path))?;
            utf8(&name, bytes)?
        }
        None => text.to_owned(),
    };
    if json {
        serde_json::from_str(&text)
            .map_err(|error| CommandError::usage(format!("`{field}` is not valid JSON: {error}")))
    } else {
        Ok(Value::String(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sorted(words: &[&str]) -> Result<AssignmentWords> {
        sort(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn values_are_strings_unless_assigned_as_json() {
        let words = sorted(&[
            "title=Shop",
            "count:=3",
            "a=",
            "b==x",
            "tags:=[\"x\"]",
            "n:=null",
            "whatsappPhone=+7",
        ])
        .unwrap();
        let expected = json!({ "title": "Shop", "count": 3, "a": "", "b": "=x", "tags": ["x"], "n": null, "whatsappPhone": "+7" });
        assert_eq!(Value::Object(words.values), expected);
        assert_eq!(words.file, None);
    }

    #[test]
    fn an_at_sign_after_a_field_names_an_image_to_upload() {
        let words = sorted(&["image@./a=b.png", "title=me@home", "n:=1"]).unwrap();
        assert_eq!(words.images, [("image".to_owned(), "./a=b.png".to_owned())]);
        assert_eq!(words.values["title"], "me@home");
        assert_eq!(words.typed, ["title"]);
        assert_eq!(sorted(&["./a@b.yaml"]).unwrap().file, Some("./a@b.yaml".into()));
        for words in [&["image@a.png", "image=x"][..], &["image=x", "image@a.png"], &["image@"]] {
            assert!(sorted(words).is_err());
        }
        let failure = only(&["image@a.png".to_owned()]).unwrap_err();
        assert!(failure.hint().is_some_and(|it| it.contains("links files upload")), "{failure}");
        let failure = only(&["title".to_owned()]).unwrap_err();
        assert_eq!(failure.to_string(), "`title` is not a field=value pair");
    }

    #[test]
    fn a_word_without_a_field_is_the_file() {
        for file in ["form.yaml", "-", "./a=b.yaml", "/tmp/none", "."] {
            assert_eq!(sorted(&["title=Shop", file]).unwrap().file, Some(file.into()));
        }
        assert!(sorted(&["one.yaml", "two.yaml"]).is_err());
    }

    #[test]
    fn a_word_that_is_neither_field_nor_file_is_named_in_the_error() {
        for word in ["data.title=x", "title", "=x", ""] {
            let failure = sorted(&[word]).unwrap_err();
            assert_eq!(
                failure.to_string(),
                format!("`{word}` is not a field=value pair or a file")
            );
        }
    }

    #[test]
    fn a_value_can_come_from_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("it");
        std::fs::write(&path, "[1, 2]\n").unwrap();
        let words =
            sorted(&[&format!("text=@{}", path.display()), &format!("list:=@{}", path.display())])
                .unwrap();
        assert_eq!(Value::Object(words.values), json!({ "text": "[1, 2]\n", "list": [1, 2] }));
        std::fs::write(&path, b"\xff").unwrap();
        assert!(sorted(&[&format!("text=@{}", path.display())]).is_err());
        assert!(sorted(&["text=@/no/such/file"]).is_err());
    }

    #[test]
    fn a_repeated_field_or_invalid_json_is_an_error() {
        for words in [&["a=1", "a:=1"][..], &["a:=nonsense"], &["a:="]] {
            assert!(sorted(words).is_err());
        }
    }
}
