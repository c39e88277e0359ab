//! Texts that a document is made of: that of its own file, then those of the files that it uses.

use std::fmt;
use std::path::{Path, PathBuf};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::local_image::joined;
use super::node::Span;
use crate::sanitize;

/// Texts of a document. A place in them is a number of bytes in all texts, one after the other.
#[derive(Clone, Debug)]
pub struct Sources {
    text: String,
    files: Vec<SourceFile>,
    /// Values that are a part of a text or identify a row, once for each use.
    pub(super) parts: Vec<Span>,
}

/// File that a document is made of.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name in messages.
    pub name: String,
    /// Path relative to the directory of the document's own file. Empty for that file.
    pub path: PathBuf,
    /// Where its text begins in the texts of the document.
    pub start: usize,
    /// Place that uses the file; `None` for the document's own file.
    pub(super) used_at: Option<usize>,
    /// True for a table in CSV.
    pub(super) is_table: bool,
}

/// Line and column in a file, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePlace<'s> {
    /// Name of the file in messages.
    pub file: &'s str,
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl Sources {
    /// Returns the text of a single file.
    pub fn new(name: &str, text: String) -> Self {
        let (name, path) = (name.to_owned(), PathBuf::new());
        let file = SourceFile { name, path, start: 0, used_at: None, is_table: false };
        Self { text, files: vec![file], parts: Vec::new() }
    }

    /// Adds the text of a file that is used at a place. Returns where it begins.
    pub(super) fn add(
        &mut self,
        name: String,
        path: PathBuf,
        text: &str,
        used_at: usize,
        is_table: bool,
    ) -> usize {
        // The end of a text is no place of the next one.
        self.text.push('\n');
        let start = self.text.len();
        self.text.push_str(text);
        self.files.push(SourceFile { name, path, start, used_at: Some(used_at), is_table });
        start
    }

    /// All texts, one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Files, the document's own first.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Number of the file of a place.
    pub fn file_of(&self, at: usize) -> usize {
        self.files.partition_point(|file| file.start <= at).saturating_sub(1)
    }

    /// Text of a file.
    pub fn text_of(&self, nth: usize) -> &str {
        let end = self.files.get(nth + 1).map_or(self.text.len(), |next| next.start - 1);
        let start = self.files.get(nth).map_or(0, |file| file.start);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Number of bytes of the line at a place.
    pub(super) fn line_length(&self, at: usize) -> usize {
        // No line is in two files.
        let (before, after) = self.text.split_at_checked(at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        before.len() - start + after.find('\n').unwrap_or(after.len())
    }

    /// Returns the places that use the file of a place, from the inside out, as words; `None` in the document's own file.
    pub(super) fn used_by(&self, at: usize) -> Option<String> {
        let user = |at: &usize| self.files[self.file_of(*at)].used_at;
        let users = std::iter::successors(user(&at), user);
        let words: Vec<String> =
            users.map(|at| format!("used by {}", Places::new(self).of(at))).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Returns the texts with every character that is unsafe on a terminal replaced by a harmless one of the same length, so that no place in
    /// them moves.
    pub(super) fn showable(&self) -> Self {
        let safe = |c: char| match c {
            '\n' | '\t' => c,
            '\r' => ' ',
            _ if !sanitize::is_unsafe(c) => c,
            _ => ['?', '¿', '\u{fffd}', '\u{1f3f4}'][c.len_utf8() - 1],
        };
        Self {
            text: self.text.chars().map(safe).collect(),
            files: self.files.clone(),
            parts: Vec::new(),
        }
    }
}

/// Shows the lines of a place in the file that it is in.
impl SourceCode for Sources {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let nth = self.file_of(span.offset());
        let file = &self.files[nth];
        let within = SourceSpan::new((span.offset() - file.start).into(), span.len());
        let found = self.text_of(nth).read_span(&within, before, after)?;
        let shown = found.span();
        let shown = SourceSpan::new((shown.offset() + file.start).into(), shown.len());
        Ok(Box::new(MietteSpanContents::new_named(
            sanitize::line(&file.name).into_owned(),
            found.data(),
            shown,
            found.line(),
            found.column(),
            found.line_count(),
        )))
    }
}

impl SourceFile {
    /// Returns its path, if the document's own file is in this directory.
    pub fn path_from(&self, directory: &Path) -> PathBuf {
        joined(directory, &self.path)
    }
}

/// Lines and columns of places in a document. Places that are asked for in their order cost one pass over the texts.
pub struct Places<'s> {
    sources: &'s Sources,
    /// The last place, in bytes, with its line and column.
    last: (usize, usize, usize),
}

impl<'s> Places<'s> {
    /// Returns the places of a document.
    pub fn new(sources: &'s Sources) -> Self {
        Self { sources, last: (0, 1, 1) }
    }

    /// Returns the line and the column of a place.
    pub fn of(&mut self, at: usize) -> FilePlace<'s> {
        let text = self.sources.text();
        let at = if text.is_char_boundary(at) { at } else { text.len() };
        let SourceFile { name, start, .. } = &self.sources.files[self.sources.file_of(at)];
        if at < self.last.0 || self.last.0 < *start {
            self.last = (*start, 1, 1);
        }
        let (from, line, column) = self.last;
        let passed = &text[from..at];
        let (line, column) = match passed.rfind('\n') {
            Some(end) => {
                (line + passed.matches('\n').count(), passed[end + 1..].chars().count() + 1)
            }
            None => (line, column + passed.chars().count()),
        };
        self.last = (at, line, column);
        FilePlace { file: name, line, column }
    }
}

/// Formats the place as `FILE:LINE:COLUMN`.
impl fmt::Display for FilePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
