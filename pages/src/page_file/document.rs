//! Parsed YAML or JSON document with its text, for diagnostics at places in the text.

use std::path::{Path, PathBuf};

use links_sdk::ImageType;

use super::node::{Key, Layout, Node, Tree};
use super::read;
use super::report::{At, FieldDiagnostic, FileDiagnostics};
use super::sources::Sources;
use crate::fs::named::{self, ReadError};

/// Parsed document with its texts.
#[derive(Clone, Debug)]
pub struct Document {
    /// Texts that the spans are in.
    pub sources: Sources,
    /// Root node.
    pub root: Node,
    /// Key of the row of its table that the document is about.
    pub(super) row: Option<String>,
    /// True once parts of it were taken from elsewhere: blocks, values or a table.
    pub is_composed: bool,
    name: String,
}

impl Default for Document {
    /// Returns the document of something that no file says.
    fn default() -> Self {
        let root = Node { span: 0..0, tree: Tree::Map(Vec::new()), layout: Layout::default() };
        let (sources, name) = (Sources::new("", String::new()), String::new());
        Self { sources, root, row: None, is_composed: false, name }
    }
}

/// Reason why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Unreadable file.
    #[error(transparent)]
    ReadError(#[from] ReadError),
    /// File of another type, with that of an image.
    #[error(
        "{0} must be a page file or a form file, not {other}",
        other = .1.map_or_else(|| "a file in another format".to_owned(), |it| format!("an image ({})", it.media_type()))
    )]
    Foreign(String, Option<ImageType>),
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

    /// Parses the bytes of a page file or a form file, with its spans. What is evidently neither of them is [`DocumentError::Foreign`].
    pub fn of_page_or_form(name: &str, bytes: Vec<u8>) -> Result<Self, DocumentError> {
        let foreign = |image| DocumentError::Foreign(name.to_owned(), image);
        let image = ImageType::of(&bytes);
        if image.is_some() {
            return Err(foreign(image));
        }
        let is_own = looks_own(&bytes);
        match Self::from_bytes(name, bytes) {
            Err(_) if !is_own => Err(foreign(None)),
            Ok(document) if matches!(document.root.tree, Tree::Text(_)) => Err(foreign(None)),
            document => Ok(document?),
        }
    }

    /// Parses bytes; `name` is the name in messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, FileDiagnostics> {
        let (file, row) = split_row(name);
        let sources = Sources::new(file, read::decode(file, bytes)?);
        let (name, row) = (name.to_owned(), row.map(str::to_owned));
        let root = read::read(sources.text())
            .map_err(|problems| FileDiagnostics::new(&sources, problems))?;
        Ok(Self { sources, root, row, is_composed: false, name })
    }

    /// Name of the document in messages: that of its file, with the key of the row that it is about.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the document of a row of its table.
    #[must_use]
    pub fn of_row(mut self, row: &str) -> Self {
        self.name = format!("{}#{row}", self.name);
        self.row = Some(row.to_owned());
        self
    }

    /// Text of the document's own file, without a byte order mark.
    pub fn text(&self) -> &str {
        self.sources.text_of(0)
    }

    /// Returns diagnostics for this document.
    pub fn bad(&self, problems: Vec<FieldDiagnostic>) -> FileDiagnostics {
        FileDiagnostics::new(&self.sources, problems)
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
        let (key, value, is_whole) = self.root.closest(keys());
        let text = self.sources.text().get(value.span.clone()).unwrap_or_default();
        let is_on_one_line =
            value.is_scalar() && !text.is_empty() && !text.trim_end().contains('\n');
        let span = match key {
            Some(key) if at == At::Key && is_whole || !is_on_one_line => &key.span,
            _ => &value.span,
        };
        FieldDiagnostic::new(keys().collect::<Vec<_>>().join("."), span.clone(), message)
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

/// Endings of the names of page files.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Splits the name of a page into that of its file and the key of its row: `places.yaml#almaty`.
pub fn split_row(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('#') {
        Some((file, row))
            if is_yaml_or_json(Path::new(file)) && !row.contains(['/', '.', '\\']) =>
        {
            (file, Some(row))
        }
        _ => (name, None),
    }
}

/// Tells whether the name of a file ends as that of a page file.
pub fn is_yaml_or_json(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Returns the file of a page, without the key of its row.
pub fn file_of(path: &Path) -> &Path {
    path.to_str().map_or(path, |name| Path::new(split_row(name).0))
}

/// Returns the path of the page of a row.
pub fn row_path(file: &Path, row: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push("#");
    path.push(row);
    path.into()
}

/// Returns a file with the row that a path has.
pub fn with_row_of(file: PathBuf, path: &Path) -> PathBuf {
    match path.to_str().and_then(|path| split_row(path).1) {
        Some(row) => row_path(&file, row),
        None => file,
    }
}

const PAGE_SHAPE: &str =
    "a page file has `profile` (login or ID) and `slots` (a list of `id`, `type` and `data`)";

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
                Err(key.problem("form", message))
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
        // Refuses a document of both kinds.
        Self::of(root)?;
        let (other, message, help) = match self {
            Self::Page => {
                let help = "use `links forms create` or `links forms update` for a form";
                ("form", "this file is a form, not a page", Some(help))
            }
            Self::Form => ("profile", "this file is a page, not a form", None),
        };
        match root.entry(other) {
            Some((key, _)) => Err(key.problem(other, message).help_if(help)),
            None => Ok(entries),
        }
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
                None if matches!(root.tree, Tree::Null) => root.problem("", "the file is empty"),
                None => root.problem("", message),
            };
            problem.help("a page file starts with `profile: LOGIN`, a form file with `form: NAME`")
        })
    }
}

/// Number of bytes at the beginning of a file that decide.
const HEAD: usize = 8 * 1024;

/// Keys that begin a page file or a form file: a file with one of them is shown with its problems.
const OWN_KEYS: &[&str] = &["profile:", "form:", "slots:", "\"profile\"", "\"form\"", "\"slots\""];

/// Tells whether a file with a mistake looks like a page file or a form file: it has a key of one, or can be one in UTF-16.
fn looks_own(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    OWN_KEYS.iter().any(|key| head.contains(key))
        || bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
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
        assert_eq!(kind(""), Err((0..0, "the file is empty".to_owned())));
    }

    #[test]
    fn files_in_another_format_are_told_and_page_files_with_a_mistake_are_not() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Some(Some(ImageType::Png))),
            (b"GIF89a\x01\0", Some(Some(ImageType::Gif))),
            (b"%PDF-1.7\n\xff", Some(None)),
            (b"\x7fELF\x02\x01\0\0", Some(None)),
            (b"<!DOCTYPE html>\n<html><p>Text: more</p>", Some(None)),
            (b"name,url\n\"Menu, new\",https://x\n", Some(None)),
            (b"# Title\n\nSome text.\n", Some(None)),
            (b"profile: cafe\ntitle: a\0b\n", None),
            (b"\xff\xfep\0r\0o\0f\0i\0l\0e\0", None),
            (b"# My page\nprofile cafe\nslots: []\n", None),
            (b"{\"profile\": \"cafe\", \"slots\": [}", None),
            (b"- a, b\n- c, d\n", None),
            (b"", None),
        ] {
            let found = match Document::of_page_or_form("it", bytes.to_vec()) {
                Err(DocumentError::Foreign(_, what)) => Some(what),
                _ => None,
            };
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
