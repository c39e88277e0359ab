//! Which of the files that a command names or finds it takes.

use std::io::ErrorKind;

use clap::Args;

use crate::apply::sync::LOCK_NAME;
use crate::apply::sync::history::{page_with, rows_with};
use crate::apply::sync::page_path::without_links;
use crate::context::prelude::*;
use crate::git;
use links_pages::fs::directory_of;
use links_pages::page_file::PageContent;
use links_pages::page_file::local_image::LocalImage;

// Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FileFilter {
    /// Only files that differ from this Git revision, and pages whose images do
    #[arg(long, value_name = "REV", hide_short_help = true, help_heading = "Input")]
    changed_since: Option<String>,
    /// Leave out files and directories that match a glob pattern, such as `drafts` or `*-old.yaml` (repeatable)
    #[arg(long, value_name = "PATTERN", value_parser = pattern, hide_short_help = true, help_heading = "Input")]
    exclude: Vec<String>,
}

impl FileFilter {
    /// Returns whether every file is taken.
    pub(crate) fn takes_all(&self) -> bool {
        !self.compares() && self.exclude.is_empty()
    }

    /// Returns whether files are compared with a revision.
    pub(crate) fn compares(&self) -> bool {
        self.changed_since.is_some()
    }

    /// Returns whether a pattern leaves out a file, or a directory that it is in. A pattern without `/` is compared with names, another one
    /// with the path as the command line has it.
    pub(super) fn excludes(&self, file: &Path) -> bool {
        let matches = |pattern: &str, path: &Path| {
            let compared =
                if pattern.contains('/') { Some(path.as_os_str()) } else { path.file_name() };
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
            compared.is_some_and(|it| fast_glob::glob_match(pattern, it.as_encoded_bytes()))
        };
        let file = file.strip_prefix(".").unwrap_or(file);
        self.exclude.iter().any(|pattern| file.ancestors().any(|path| matches(pattern, path)))
    }

    /// Refuses a revision that does not exist, once for all files of a path.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        if !self.compares() || path.as_os_str() == "-" {
            return Ok(());
        }
        let file = if path.is_dir() { path.join(LOCK_NAME) } else { path.to_owned() };
        self.has_changed(&file, &[]).map(drop)
    }

    /// Returns whether a file is another one than in the revision, or is not there. Without a revision, every file is.
    pub(super) fn has_changed(&self, file: &Path, content: &[u8]) -> Result<bool> {
        let Some(revision) = &self.changed_since else { return Ok(true) };
        let failed = |why: &dyn std::fmt::Display| {
            CommandError::usage(format!("cannot compare files with `{revision}`: {why}"))
        };
        let directory = directory_of(file).canonicalize().map_err(|error| failed(&error))?;
        let path = directory.join(file.file_name().unwrap_or_default());
        match git::with(&directory, |history| history.at(revision, &path)) {
            None => Err(failed(&"the directory is not in a Git repository")),
            Some(Err(error)) => Err(failed(&error)
                .hinted((error.kind() == ErrorKind::NotFound).then_some(
                "a shallow clone has only some revisions: `git fetch` it, or clone with more depth",
            ))),
            Some(Ok(earlier)) => Ok(!earlier.is_some_and(|it| have_same_lines(&it, content))),
        }
    }

    /// Returns the page of a file that is as in the revision, with the files that it uses as they are there.
    pub(super) fn page(&self, path: &Path, content: &[u8]) -> Option<PageContent> {
        let page = self.revision_of(path, |path, read| page_with(path, content, read))?;
        Some(page.ok()?.page)
    }

    /// Returns whether a page file that is as in the revision could be read there, or the page of any of its rows.
    pub(super) fn was_usable(&self, path: &Path, content: &[u8]) -> bool {
        let rows = self.revision_of(path, |path, read| rows_with(path, content, read));
        let pages = rows.flatten().unwrap_or_else(|| vec![path.to_owned()]);
        pages.iter().any(|page| self.page(page, content).is_some())
    }

    /// Returns what a function makes of a path without links, and of a function that reads files of the revision.
    fn revision_of<T>(
        &self,
        path: &Path,
        make: impl FnOnce(&Path, &mut dyn FnMut(&Path) -> Option<Vec<u8>>) -> T,
    ) -> Option<T> {
        let revision = self.changed_since.as_ref()?;
        let path = without_links(path);
        let directory = path.parent()?.to_owned();
        let mut read =
            |used: &Path| git::with(&directory, |history| history.at(revision, used))?.ok()?;
        Some(make(&path, &mut read))
    }

    /// Returns whether an image has changed.
    pub(super) fn has_changed_image(&self, image: &LocalImage) -> Result<bool> {
        match image.read() {
            Ok(Some(content)) => self.has_changed(&image.path(), &content),
            // The command says what is wrong with it.
            _ => Ok(true),
        }
    }
}

/// Returns whether two files are the same, or texts that differ only in `\r\n` and `\n`: Git for Windows checks texts out with `\r\n`.
pub(super) fn have_same_lines(one: &[u8], other: &[u8]) -> bool {
    one == other || !one.contains(&0) && lines_of(one).eq(lines_of(other))
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Refuses a pattern that would match nothing.
fn pattern(text: &str) -> std::result::Result<String, String> {
    // On Windows, `\` separates directories.
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    fast_glob::validate(&text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_of_windows_do_not_make_another_text() {
        let same = |one: &str, other: &str| have_same_lines(one.as_bytes(), other.as_bytes());
        assert!(same("a\r\nb\r\n", "a\nb\n"));
        for (one, other) in [("a\nb\n", "a\nb"), ("a\rb", "a\nb"), ("\0\r\n", "\0\n")] {
            assert!(!same(one, other) && !same(other, one), "{one:?}");
        }
    }

    #[test]
    fn a_pattern_leaves_out_files_and_what_is_in_directories() {
        let excludes = |pattern: &str, file: &str| {
            let filter = FileFilter { exclude: vec![pattern.to_owned()], ..FileFilter::default() };
            filter.excludes(Path::new(file))
        };
        for (pattern, file) in [
            ("drafts", "pages/drafts/cafe.yaml"),
            ("drafts/", "drafts/cafe.yaml"),
            ("*-old.yaml", "pages/cafe-old.yaml"),
            ("pages/*.yaml", "pages/cafe.yaml"),
            ("./pages/cafe.yaml", "pages/cafe.yaml"),
            ("pages/**/cafe.yaml", "pages/a/b/cafe.yaml"),
            ("cafe.yaml", "./cafe.yaml"),
        ] {
            assert!(excludes(pattern, file), "{pattern}: {file}");
        }
        for (pattern, file) in [
            ("drafts", "pages/drafts.yaml"),
            ("pages/*.yaml", "pages/a/cafe.yaml"),
            ("*.json", "pages/cafe.yaml"),
            ("", "cafe.yaml"),
        ] {
            assert!(!excludes(pattern, file), "{pattern}: {file}");
        }
    }
}
