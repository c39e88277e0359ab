//! The page files and form files that a command names.

use std::fs;

use super::absent_files::{is_absent, recorded_below};
use super::file_filter::FileFilter;
use crate::apply::operation_file::has_format;
pub(crate) use crate::apply::sync::from_here;
use crate::apply::sync::page_path::{read_file, roots_of, without_links};
use crate::apply::sync::{LOCK_NAME, LockStore};
use crate::args::page::is_yaml_or_json;
use crate::confine::NamedFiles;
use crate::context::prelude::*;
use crate::lint::{self, CheckedFile};
use crate::ui::annotations::Level;
use links_pages::form_file::FormFile;
use links_pages::page_file::patch::refuse_marks;
use links_pages::page_file::{Document, FileKind, file_of, is_composed, row_path, split_row};
use links_pages::sanitize::quoted;

/// Value of `format` in a saved plan, which distinguishes it from a page file.
pub(super) const FORMAT: &str = "links-plan";

/// Number of directories below the first that are searched for files.
pub(crate) const DEPTH: usize = 8;

/// Maximum number of files that are named among those left out.
const NAMED: usize = 3;

/// Page files and form files, each with its path.
#[derive(Debug, Default)]
pub(crate) struct AccountFiles {
    pub(crate) pages: Vec<(PathBuf, PageFile)>,
    pub(crate) forms: Vec<(PathBuf, FormFile)>,
    /// Why files that were named or found cannot be used.
    pub(crate) failures: Vec<CommandError>,
    /// Files of the directories that are neither.
    pub(crate) skipped: Vec<PathBuf>,
    /// The directories that were searched.
    pub(crate) directories: Vec<PathBuf>,
    /// Which files are taken.
    filter: FileFilter,
    /// Paths of the files without links, each of which is read once.
    known: BTreeSet<PathBuf>,
}

impl AccountFiles {
    /// Reads the files, and those below the directories, that the filter takes. Without a path, those below the directory of the closest
    /// `links.lock`. Keeps why files cannot be used.
    ///
    /// # Errors
    ///
    /// When no path is given, and there is no lock.
    pub(crate) fn read(
        context: &Context,
        paths: &[PathBuf],
        roots: &[PathBuf],
        filter: &FileFilter,
    ) -> Result<Self> {
        let mut files = Self { filter: filter.clone(), ..Self::default() };
        for path in &or_all(paths)? {
            filter.check(path)?;
            let read = files.add_all(context, path, roots);
            files.failures.extend(read.err());
        }
        // What is wrong with a table is so for each of its rows.
        let mut said = BTreeSet::new();
        files.failures.retain(|failure| said.insert(failure.to_json().to_string()));
        // Blocks and values are neither pages nor forms, but what pages are made of.
        let used: BTreeSet<PathBuf> = files.used_files().map(|it| without_links(&it)).collect();
        files.skipped.retain(|path| !used.contains(&without_links(path)));
        Ok(files)
    }

    /// Adds a file, or the files below a directory.
    fn add_all(&mut self, context: &Context, path: &Path, roots: &[PathBuf]) -> Result<()> {
        named::resolve(path).map_err(cannot("use", path))?;
        if !path.is_dir() {
            return self.add(path, roots, false);
        }
        self.directories.push(path.to_owned());
        let searched = path.canonicalize().unwrap_or_default();
        // A lock that cannot be read is reported by the command that needs it.
        let recorded = recorded_below(context, path).unwrap_or_default().into_iter();
        let mut recorded: BTreeMap<PathBuf, (PathBuf, String)> = recorded
            .filter(|(file, _)| !is_absent(file))
            .filter_map(|(file, page)| {
                let below = file.strip_prefix(&searched).ok()?;
                Some((without_dot(path.join(below)), (file, page.login)))
            })
            .collect();
        for file in files_below(path, DEPTH)? {
            // A file of which the lock has a record is never left out.
            let is_recorded = recorded.remove(&file).is_some();
            let read = self.add(&file, roots, !is_recorded);
            self.failures.extend(read.err());
        }
        for (shown, (file, login)) in recorded {
            if self.filter.excludes(&shown) {
                continue;
            }
            let read = not_a_file(&shown, &file, &login)
                .map_or_else(|| self.add(&shown, roots, false), Err);
            self.failures.extend(read.err());
        }
        Ok(())
    }

    /// Returns why a file cannot be used. One that was `found` in a directory may be neither a page nor a form.
    pub(super) fn problem_of(path: &Path, is_found: bool) -> Option<CommandError> {
        let mut files = Self::default();
        let read = files.add(path, &[], is_found);
        read.err().or_else(|| files.failures.pop())
    }

    /// Returns the files if all can be used.
    pub(crate) fn all_usable(mut self) -> Result<Self> {
        let failures = std::mem::take(&mut self.failures);
        CommandError::if_any(failures, "files cannot be used; nothing was written")?;
        Ok(self)
    }

    /// Parses the text of one file, which was read from a path.
    pub(crate) fn of_text(
        path: &Path,
        name: &str,
        bytes: Vec<u8>,
        roots: &[PathBuf],
    ) -> Result<Self> {
        let mut files = Self::default();
        files.parse(path, name, bytes, roots, false)?;
        files.all_usable()
    }

    /// Returns the files that the pages use.
    pub(crate) fn used_files(&self) -> impl Iterator<Item = PathBuf> {
        self.pages.iter().flat_map(|(_, page)| page.used_files())
    }

    /// Returns the pages, then the forms, to be checked against house rules.
    pub(crate) fn to_check(&self) -> impl Iterator<Item = CheckedFile<'_>> {
        let file = |path, document, is_form| CheckedFile { path, document, is_form };
        let pages = self.pages.iter().map(move |(path, page)| file(path, &page.document, false));
        pages.chain(self.forms.iter().map(move |(path, form)| file(path, &form.document, true)))
    }

    /// Takes files that break a house rule of the level `error` for files that cannot be used, and reports the other rules that are broken.
    ///
    /// # Errors
    ///
    /// When a `links.toml` cannot be used.
    pub(crate) fn check_rules(&mut self, context: &Context) -> Result<()> {
        let mut found = lint::check(self.to_check())?.into_iter();
        let Self { pages, forms, failures, .. } = self;
        let mut is_usable = |document: &Document| {
            let found = found.next().unwrap_or_default();
            if found.is_empty() {
                return true;
            }
            let (errors, warnings): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|it| it.level == Level::Error);
            for (place, problem) in lint::problems(document, warnings).places() {
                let text = format!("warning: {place}: {}", problem.message);
                context.ui.tell(Style::Changed, text);
            }
            let is_usable = errors.is_empty();
            if !is_usable {
                failures.push(lint::problems(document, errors).into());
            }
            is_usable
        };
        pages.retain(|(_, file)| is_usable(&file.document));
        forms.retain(|(_, file)| is_usable(&file.document));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.forms.is_empty()
    }

    fn add(&mut self, path: &Path, roots: &[PathBuf], is_found: bool) -> Result<()> {
        if self.filter.excludes(path) {
            return Ok(());
        }
        let (name, bytes) = read_file(path)?;
        if !self.known.insert(without_links(path)) {
            return Ok(());
        }
        if self.filter.has_changed(file_of(path), &bytes)? {
            return self.parse(path, &name, bytes, roots, is_found);
        }
        // A page may show an image, or use a file, that has changed. A mistake that was there before is none of this command's.
        let mut unchanged = Self { known: std::mem::take(&mut self.known), ..Self::default() };
        let read = unchanged.parse(path, &name, bytes.clone(), roots, true);
        self.known = unchanged.known;
        for (path, file) in unchanged.pages {
            let changed = file.images.iter().map(|it| self.filter.has_changed_image(&it.local));
            if changed.collect::<Result<Vec<_>>>()?.contains(&true)
                || file.document.sources.files().len() > 1
                    && self.filter.page(&path, &bytes).is_none_or(|earlier| earlier != file.page)
            {
                self.pages.push((path, file));
            }
        }
        if is_composed(&bytes) && self.filter.was_usable(path, &bytes) {
            self.failures.extend(unchanged.failures);
            return read;
        }
        Ok(())
    }

    fn parse(
        &mut self,
        path: &Path,
        name: &str,
        bytes: Vec<u8>,
        roots: &[PathBuf],
        is_found: bool,
    ) -> Result<()> {
        if is_found && is_saved_plan(&bytes) {
            return Ok(());
        }
        refuse_plan(name, &bytes)?;
        let document = Document::of_page_or_form(name, bytes)?;
        match FileKind::required(&document.root) {
            Ok(FileKind::Page) => self.add_page(path, document, roots)?,
            Ok(FileKind::Form) => {
                refuse_marks(&document)?;
                self.forms.push((path.to_owned(), FormFile::of(document)?));
            }
            Err(_) if is_found => self.skipped.push(path.to_owned()),
            Err(problem) => return Err(document.bad(vec![problem]).into()),
        }
        Ok(())
    }

    /// Adds a page file, or each page of one with a table.
    fn add_page(&mut self, path: &Path, document: Document, roots: &[PathBuf]) -> Result<()> {
        let rows = document.row_keys(&roots_of(parent(path), &document, roots)?)?;
        let Some(rows) = rows.filter(|_| split_row(document.name()).1.is_none()) else {
            self.pages.push((path.to_owned(), page(path, document, roots)?));
            return Ok(());
        };
        // Without such an ending, or from standard input, the name of a row would not lead to the file.
        if split_row(&row_path(path, "a").to_string_lossy()).1.is_none() {
            let message = format!(
                "{} has a table, and so must be a file with the ending .yaml, .yml or .json",
                document.name()
            );
            return Err(CommandError::usage(message)
                .with_hint("the names of its pages are those of the file and of the rows"));
        }
        for row in rows {
            let path = row_path(path, &row);
            if self.filter.excludes(&path) || !self.known.insert(without_links(&path)) {
                continue;
            }
            match page(&path, document.clone().of_row(&row), roots) {
                Ok(page) => self.pages.push((path, page)),
                Err(failure) => self.failures.push(failure),
            }
        }
        Ok(())
    }

    /// Leaves out the files of pages and forms that several files have.
    pub(super) fn without_repeated(mut self) -> Self {
        let page = |(_, file): &(PathBuf, PageFile)| {
            format!("the page {}", file.page.profile.to_string().to_lowercase())
        };
        let form = |(_, file): &(PathBuf, FormFile)| format!("the form {}", file.form.name);
        let mut all: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
        for found in &self.pages {
            all.entry(page(found)).or_default().push(&found.0);
        }
        for found in &self.forms {
            all.entry(form(found)).or_default().push(&found.0);
        }
        all.retain(|_, paths| paths.len() > 1);
        let repeated = all.iter().map(|(what, paths)| both_files_of(what, paths[0], paths[1]));
        self.failures.extend(repeated);
        let repeated: BTreeSet<String> = all.into_keys().collect();
        self.pages.retain(|found| !repeated.contains(&page(found)));
        self.forms.retain(|found| !repeated.contains(&form(found)));
        self
    }
}

/// Returns the words for the files that are left out: their number, and the first of them by name.
pub(super) fn left_out_words(skipped: &[PathBuf]) -> Option<String> {
    let names: Vec<String> =
        skipped.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let (names, count) = (names.join(", "), skipped.len());
    match count {
        0 => None,
        1 => Some(format!("skipped {names}: neither a page nor a form")),
        2..=NAMED => {
            Some(format!("skipped {count} files that are neither pages nor forms: {names}"))
        }
        _ => Some(format!(
            "skipped {count} files that are neither pages nor forms: {names} and {} more",
            count - NAMED
        )),
    }
}

/// Returns the error for a recorded page file that is not a regular file, or that is reached through a link.
fn not_a_file(shown: &Path, file: &Path, login: &str) -> Option<CommandError> {
    let file = file_of(file);
    let (what, hint) = if named::resolve(file).is_ok_and(|it| it == file) {
        if file.is_file() {
            return None;
        }
        ("not a file", "restore the file from version control")
    } else {
        (
            "a symbolic link",
            "replace the link with the file, or pass the link as an argument: links in arguments are followed",
        )
    };
    let message = format!(
        "{} is {what}, but links.lock records it as the file of page {login}; nothing was written",
        shown.display()
    );
    Some(CommandError::invalid(message).with_hint(hint))
}

/// Tells whether a file is a saved plan.
pub(super) fn is_saved_plan(bytes: &[u8]) -> bool {
    has_format(bytes, FORMAT)
}

/// Refuses a saved plan where a page file is asked for: the content of a file must not decide what a command may do.
fn refuse_plan(name: &str, bytes: &[u8]) -> Result<()> {
    if !is_saved_plan(bytes) {
        return Ok(());
    }
    Err(CommandError::usage(format!("{name} is a saved plan, not a page file"))
        .with_hint(format!("run `links apply --plan {}`", quoted(name))))
}

fn page(path: &Path, document: Document, roots: &[PathBuf]) -> Result<PageFile> {
    refuse_marks(&document)?;
    let roots = roots_of(parent(path), &document, roots)?;
    Ok(PageFile { directory: parent(path).to_owned(), ..PageFile::of(document, &roots)? })
}

/// Returns the directory of a file, which is empty for a name alone.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Reads a page file (`-`: standard input) with its fields. Also returns its bytes.
pub(crate) fn read_page(path: &Path, roots: &[PathBuf]) -> Result<(PageFile, Vec<u8>)> {
    let (name, bytes) = read_file(path)?;
    refuse_plan(&name, &bytes)?;
    Ok((page(path, Document::of_page_or_form(&name, bytes.clone())?, roots)?, bytes))
}

/// Returns the error of two files of one page or form.
pub(super) fn both_files_of(what: &str, one: &Path, other: &Path) -> CommandError {
    let (one, other) = (one.display(), other.display());
    let message = format!("{one} and {other} are both files for {what}; nothing was written");
    CommandError::invalid(message).with_hint("delete one of them, or pass only one")
}

/// Returns the files that a command opens for these paths.
pub(crate) fn named_files(paths: &[PathBuf], roots: &[PathBuf], writes: bool) -> NamedFiles {
    let paths = or_all(paths).unwrap_or_default();
    let lock = |path: &Path| LockStore::of(path).map(|store| store.path());
    let locks_of = |path: &PathBuf| -> Vec<PathBuf> {
        if !path.is_dir() {
            return lock(path).into_iter().collect();
        }
        // The directory of a lock has everything below it.
        lock(&path.join(LOCK_NAME)).map_or_else(
            || {
                let below = directories_with(LOCK_NAME, path, DEPTH).into_iter();
                below.filter_map(|directory| lock(&directory.join(LOCK_NAME))).collect()
            },
            |lock| vec![lock],
        )
    };
    let locks: BTreeSet<PathBuf> = paths.iter().flat_map(locks_of).collect();
    // Page files may use files beneath the directory of their lock.
    let directories = locks.iter().filter_map(|lock| lock.parent().map(Path::to_owned));
    let read = roots.iter().cloned().chain(directories).collect();
    let named = NamedFiles { read, write: Vec::new() };
    named.with_all(&paths, locks.into_iter().collect(), writes)
}

/// Returns the paths; without any, the directory of the closest `links.lock`.
pub(crate) fn or_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    match LockStore::of(Path::new(LOCK_NAME)) {
        Some(store) => Ok(vec![from_here(store.directory())]),
        None => Err(CommandError::usage(
            "no files given, and no links.lock found in this directory or its parents",
        )
        .with_hint(
            "pass files or directories, or first run `links init` in the directory of the page files",
        )),
    }
}

/// Finds the files below a directory that may be page files or form files, in the order of their names. Hidden directories and symbolic
/// links are left out.
pub(crate) fn files_below(directory: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    find(directory, depth, &mut found).map_err(cannot("read", directory))?;
    Ok(found)
}

fn find(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if kind.is_dir() && !is_hidden && depth > 0 {
            find(&path, depth - 1, found)?;
        } else if kind.is_file() && !is_hidden && is_yaml_or_json(&path) {
            found.push(without_dot(path));
        }
    }
    Ok(())
}

/// Returns the closest directories below a directory that have a file of this name.
pub(crate) fn directories_with(name: &str, directory: &Path, depth: usize) -> Vec<PathBuf> {
    if directory.join(name).is_file() {
        return vec![directory.to_owned()];
    }
    let entries = directory.read_dir().into_iter().flatten().flatten();
    let is_meant = |entry: &fs::DirEntry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let mut below: Vec<PathBuf> =
        entries.filter(|entry| depth > 0 && is_meant(entry)).map(|entry| entry.path()).collect();
    below.sort();
    below.iter().flat_map(|path| directories_with(name, path, depth - 1)).collect()
}

/// Returns a path without the current directory before it.
pub(super) fn without_dot(path: PathBuf) -> PathBuf {
    path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
}
