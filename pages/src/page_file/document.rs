//! Parsed YAML or JSON document with its text, for diagnostics at places in the text.

use std::path::Path;

use links_sdk::ImageType;

use super::node::{Key, Node, Tree};
use super::read;
use super::report::{At, FieldDiagnostic, FileDiagnostics};
use crate::fs::named::{self, ReadError};

/// Parsed document with its text.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    text: String,
    /// Root node.
    pub root: Node,
}

/// Reason why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Unreadable file.
    #[error(transparent)]
    ReadError(#[from] ReadError),
    /// File of another type.
    #[error("{0} is {1}, not a page file or a form file")]
    Foreign(String, ForeignFile),
    /// Readable file with invalid content.
    #[error("{0}")]
    Bad(#[from] FileDiagnostics),
}

impl Document {
    /// Reads and parses a file, `-` for standard input.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        let (name, bytes) = named::read(path)?;
        Ok(Self::from_bytes(&name, bytes)?)
    }

    /// Parses the bytes of a page file or a form file, with its spans. What is neither of them is told by its type.
    pub fn of_page_or_form(name: &str, bytes: Vec<u8>) -> Result<Self, DocumentError> {
        let foreign = |what: ForeignFile| DocumentError::Foreign(name.to_owned(), what);
        if let Some(what) = ForeignFile::binary(&bytes) {
            return Err(foreign(what));
        }
        let of_text = ForeignFile::text(name, &bytes);
        let document =
            Self::from_bytes(name, bytes).map_err(|file| of_text.map_or(file.into(), foreign))?;
        match of_text {
            Some(what) if !matches!(document.root.tree, Tree::Map(_)) => Err(foreign(what)),
            None if matches!(document.root.tree, Tree::Text(_)) => {
                Err(foreign(ForeignFile::Other("plain text")))
            }
            _ => Ok(document),
        }
    }

    /// Parses bytes; `name` is the name in messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        let text = read::decode(name, bytes)?;
        match read::read(&text) {
            Ok(root) => Ok(Self { name: name.to_owned(), text, root }),
            Err(problems) => Err(FileDiagnostics::new(name, &text, problems)),
        }
    }

    /// Name of the document in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Text of the document, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns diagnostics for this document.
    pub fn bad(&self, problems: Vec<FieldDiagnostic>) -> FileDiagnostics {
        FileDiagnostics::new(&self.name, &self.text, problems)
    }

    /// Returns a diagnostic of the field at a path, such as `["slots", "2", "data", "link"]`. A field that is missing in the file is
    /// reported at its nearest parent.
    pub fn locate(
        &self,
        path: &[impl AsRef<str>],
        at: At,
        message: impl Into<String>,
    ) -> FieldDiagnostic {
        let keys = || path.iter().map(AsRef::as_ref);
        let span = match at {
            At::Key => self.root.key_span(keys()),
            At::Value => None,
        };
        let span = span.unwrap_or_else(|| self.root.locate(self.text(), keys()));
        FieldDiagnostic::new(keys().collect::<Vec<_>>().join("."), span, message)
    }

    /// Returns diagnostics of refused values: each path (`slots.2.data.link`) with a message.
    pub fn refuse<'a>(
        &self,
        errors: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> FileDiagnostics {
        let diagnostic = |(path, message): (&str, &str)| {
            self.locate(&path.split('.').collect::<Vec<_>>(), At::Value, message)
        };
        self.bad(errors.into_iter().map(diagnostic).collect())
    }
}

const PAGE_SHAPE: &str =
    "a page file has `profile` (login or id) and `slots` (a list of `id`, `type` and `data`)";

pub(crate) const FORM_SHAPE: &str = "a form file has `form` (its local name), `title` and `fields` (a list of `label`, `type` and `required`)";

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Page file.
    Page,
    /// Form file.
    Form,
}

impl FileKind {
    /// Returns the kind of a document by its keys. `None` if it has neither `profile` nor `form`.
    ///
    /// # Errors
    ///
    /// When it has both.
    pub fn of(root: &Node) -> Result<Option<Self>, FieldDiagnostic> {
        match (root.get("profile"), root.entry("form")) {
            (Some(_), Some((key, _))) => {
                let message = "a file must be a page (`profile`) or a form (`form`), not both";
                Err(FieldDiagnostic::new("form", key.span.clone(), message))
            }
            (Some(_), None) => Ok(Some(Self::Page)),
            (None, Some(_)) => Ok(Some(Self::Form)),
            (None, None) => Ok(None),
        }
    }

    /// Returns the entries of a document of this kind.
    ///
    /// # Errors
    ///
    /// When it is no mapping, or of the other kind.
    pub(crate) fn entries(self, root: &Node) -> Result<&[(Key, Node)], FieldDiagnostic> {
        let (what, shape) = match self {
            Self::Page => ("page", PAGE_SHAPE),
            Self::Form => ("form", FORM_SHAPE),
        };
        let Some(entries) = root.entries() else {
            let problem = match root.tree {
                Tree::Null => root.problem("", "the file is empty"),
                _ => root.wrong("", &format!("a {what} file must be a mapping")),
            };
            return Err(problem.help(shape));
        };
        let (other, message, help) = match (self, Self::of(root)?) {
            (Self::Page, Some(Self::Form)) => {
                let help = "`links forms create` and `links forms update` take forms";
                ("form", "this file is a form, not a page", Some(help))
            }
            (Self::Form, Some(Self::Page)) => ("profile", "this file is a page, not a form", None),
            _ => return Ok(entries),
        };
        let span = root.entry(other).map_or(&root.span, |(key, _)| &key.span);
        Err(FieldDiagnostic::new(other, span.clone(), message).help_if(help))
    }

    /// Returns the kind of a document, for a command that takes both.
    ///
    /// # Errors
    ///
    /// When the document is neither, at its first key, or both.
    pub fn required(root: &Node) -> Result<Self, FieldDiagnostic> {
        Self::of(root)?.ok_or_else(|| {
            let message = "this is neither a page nor a form";
            let problem = match root.entries().and_then(<[_]>::first) {
                Some((key, _)) => key.problem(&*key.name, message),
                None => root.problem("", message),
            };
            problem.help("a page begins with `profile: LOGIN`, a form with `form: NAME`")
        })
    }
}

/// Number of bytes at the beginning of a file that decide.
const HEAD: usize = 8 * 1024;

/// Keys that begin a page file or a form file: a file with one of them is shown with its problems.
const OWN_KEYS: &[&str] = &["profile:", "form:", "slots:", "\"profile\"", "\"form\"", "\"slots\""];

/// First bytes of other binary files.
const STARTS: [(&[u8], &str); 3] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, or a document of an office program"),
    (b"\x1f\x8b", "a gzip archive"),
];

/// File of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignFile {
    /// Image that can be uploaded.
    #[error("an image ({})", .0.media_type())]
    Image(ImageType),
    /// Other binary file, or text in another format.
    #[error("{0}")]
    Other(&'static str),
}

impl ForeignFile {
    /// Returns the type of a file by its first bytes if it is binary, whatever its name.
    pub fn binary(bytes: &[u8]) -> Option<Self> {
        if let Some(image) = ImageType::of(bytes) {
            return Some(Self::Image(image));
        }
        let known = STARTS.iter().find(|(start, _)| bytes.starts_with(start));
        if let Some((_, what)) = known {
            return Some(Self::Other(what));
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let is_own = has_own_key(&String::from_utf8_lossy(head));
        (head.contains(&0) && !is_utf16 && !is_own).then_some(Self::Other("a binary file"))
    }

    /// Returns the type of a text that is no page file: one that cannot be parsed, or is a document of another kind. `None` for what looks
    /// like a page file or form file with a mistake.
    pub fn text(name: &str, bytes: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        if has_own_key(&head) {
            return None;
        }
        let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default().to_ascii_lowercase();
        let is_heading =
            first.starts_with("# ") && lines.next().is_some_and(|it| !it.contains(':'));
        let begins = |starts: &[&str]| starts.iter().any(|it| first.starts_with(it));
        let extension = name.rsplit_once('.').map(|(_, it)| it.to_ascii_lowercase());
        let is_named = |one, other| extension.as_deref().is_some_and(|it| it == one || it == other);
        let kinds = [
            (begins(&["<!doctype", "<html", "<head", "<body", "<!--"]), "an HTML page"),
            (begins(&["<?xml", "<svg"]), "an XML document"),
            (is_named("csv", "tsv") || is_delimited(&head), "a table (CSV)"),
            (is_named("md", "markdown") || is_heading, "a Markdown document"),
        ];
        kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, what)| Self::Other(what))
    }

    /// Hint for the user.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Image(_) => {
                "`links files upload FILE` uploads an image; in a page file it is `image: {$upload: FILE}`"
            }
            Self::Other(_) => {
                "a page file is YAML or JSON: `links pull KEY` writes one, `links schema page` describes it"
            }
        }
    }
}

/// Tells whether a line of a text begins with a key of a page file or form file.
fn has_own_key(head: &str) -> bool {
    head.lines().any(|line| OWN_KEYS.iter().any(|key| line.trim_start().starts_with(key)))
}

/// Tells whether the first lines of a text have the same number of delimiters, outside of quotes.
fn is_delimited(head: &str) -> bool {
    let lines: Vec<&str> = head.lines().take(3).filter(|line| !line.trim().is_empty()).collect();
    let count = |line: &str, delimiter: char| {
        let mut quoted = false;
        let outside = |c: &char| {
            quoted ^= *c == '"';
            !quoted && *c == delimiter
        };
        line.chars().filter(outside).count()
    };
    lines.len() > 1
        && lines.iter().all(|line| !line.contains(": ") && !line.starts_with(['-', '{', '[', '#']))
        && [',', ';', '\t'].into_iter().any(|delimiter| {
            let first = count(lines[0], delimiter);
            first > 0 && lines.iter().all(|line| count(line, delimiter) == first)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_file_is_told_by_its_keys() {
        let kind = |text: &str| {
            let document = Document::from_bytes("it.yaml", text.into()).unwrap();
            FileKind::required(&document.root).map_err(|it| (it.span, it.message))
        };
        assert_eq!(kind("slots: []\nprofile: cafe\n"), Ok(FileKind::Page));
        assert_eq!(kind("title: A\nform: booking\n"), Ok(FileKind::Form));
        let both = "a file must be a page (`profile`) or a form (`form`), not both".to_owned();
        assert_eq!(kind("profile: cafe\nform: booking\n"), Err((14..18, both)));
        let neither = "this is neither a page nor a form".to_owned();
        assert_eq!(kind("name: x\ntitle: A\n"), Err((0..4, neither.clone())));
        assert_eq!(kind("- a\n"), Err((0..0, neither.clone())));
        assert_eq!(kind(""), Err((0..0, neither)));
    }

    #[test]
    fn binary_files_are_told_by_their_first_bytes() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Some(ForeignFile::Image(ImageType::Png))),
            (b"GIF89a\x01\0", Some(ForeignFile::Image(ImageType::Gif))),
            (b"%PDF-1.7\n", Some(ForeignFile::Other("a PDF document"))),
            (b"\x7fELF\x02\x01\0\0", Some(ForeignFile::Other("a binary file"))),
            (b"profile: cafe\n", None),
            (b"profile: cafe\ntitle: a\0b\n", None),
            (b"\xff\xfep\0r\0o\0f\0i\0l\0e\0", None),
            (b"", None),
        ] {
            assert_eq!(ForeignFile::binary(bytes), expected, "{bytes:?}");
        }
        assert!(ForeignFile::binary(b"PK\x03\x04\x14\0").is_some());
    }

    #[test]
    fn texts_of_other_formats_are_told_and_page_files_with_a_mistake_are_not() {
        for (name, text, expected) in [
            ("a.html", "<!DOCTYPE html>\n<html>", Some("an HTML page")),
            ("page", "  <html><body>", Some("an HTML page")),
            ("a.xml", "<?xml version=\"1.0\"?>", Some("an XML document")),
            ("a.csv", "name", Some("a table (CSV)")),
            ("rows.txt", "name,url\n\"Menu, new\",https://x\n", Some("a table (CSV)")),
            ("rows.txt", "a;b;c\n1;2;3\n4;5;6\n", Some("a table (CSV)")),
            ("README.md", "anything", Some("a Markdown document")),
            ("notes", "# Title\n\nSome text.\n", Some("a Markdown document")),
            ("page.yaml", "# My page\nprofile cafe\nslots: []\n", None),
            ("page.yaml", "profile: cafe\nslots: [\n", None),
            ("page.md", "profile: cafe\nslots: [\n", None),
            ("page.json", "{\"profile\": \"cafe\", \"slots\": [}", None),
            ("page.yaml", "title: a, b\ntext: c, d\n", None),
            ("page.yaml", "- a, b\n- c, d\n", None),
            ("page.yaml", "", None),
        ] {
            let found = ForeignFile::text(name, text.as_bytes()).map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{name}: {text:?}");
        }
    }
}
