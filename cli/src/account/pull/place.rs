//! How and where the pages and forms of a pull are written: files that exist, else new ones in the directory.

use std::ffi::OsStr;
use std::fs;
use std::sync::Arc;

use clap::Args;
use links_pages::sync::{Lock, PageName};
use links_sdk::FormId;

use super::existing_file::{no_page_file, not_written};
use super::file_name::stem;
use super::images::IMAGES;
use crate::account::files::{
    AccountFiles, DEPTH, both_files_of, files_below, from_here, read_page, without_dot,
};
use crate::apply::sync::page_path::{is_there, pages_of, without_links};
use crate::apply::sync::{ComposedPage, LOCK_NAME, LockStore};
use crate::context::prelude::*;
use links_pages::form_file::FormFile;
use links_pages::page_file::local_image::here;
use links_pages::page_file::node::Tree;
use links_pages::page_file::{Document, FileKind, is_composed};
use links_pages::profile_key;

/// Directory of the forms, below that of the pages.
const FORMS: &str = "forms";

// How files are written. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PullOptions {
    /// Replace existing page files completely. By default, changes on the page are merged into them
    #[arg(long)]
    pub(crate) force: bool,
    /// Download the images of new files to `images` next to them, and refer to the images as `{$upload: images/NAME}`
    #[arg(long)]
    pub(crate) images: bool,
    /// Write new files that work for any page in any account: with the forms that the page shows, but without IDs, events and legacy slots
    #[arg(long)]
    pub(crate) portable: bool,
    /// Schema for editors to name in the first line: a path relative to the file. By default, `page.schema.json` next to the file, if there is one. `links schema page` prints the schema
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    pub(crate) schema: Option<String>,
}

/// A directory of page files and form files.
pub(crate) struct PullDirectory {
    pub(super) path: PathBuf,
    lock: Option<(LockStore, Arc<Lock>)>,
    /// Pages whose files use others, and cannot be read.
    unread: Vec<PathBuf>,
    /// Page files with their `profile`.
    pages: Vec<(PathBuf, ProfileKey)>,
    /// Form files.
    pub(super) forms: Vec<(PathBuf, FormFile)>,
    /// Files that cannot be read as either.
    pub(super) unusable: Vec<PathBuf>,
    /// Lower-case names that are taken, of page files and of form files.
    taken: [BTreeSet<String>; 2],
}

/// Returns the directory of the closest `links.lock`, else the current one.
pub(crate) fn default_directory() -> PathBuf {
    let store = LockStore::of(Path::new(LOCK_NAME));
    store.map_or_else(PathBuf::new, |store| without_dot(from_here(store.directory())))
}

impl PullDirectory {
    /// Reads which files the directory has. It is created if it does not exist.
    pub(crate) fn read(context: &Context, path: PathBuf) -> Result<Self> {
        // Nothing is written where a directory leads elsewhere, and no name there is read.
        for directory in [FORMS, IMAGES].map(|it| path.join(it)) {
            named::resolve(&directory).map_err(cannot("use", &directory))?;
        }
        let shown = here(&path);
        fs::create_dir_all(shown).map_err(cannot("use", shown))?;
        let lock = match LockStore::of(&path.join(LOCK_NAME)) {
            Some(store) => {
                let lock = store.read(context)?;
                Some((store, lock))
            }
            None => None,
        };
        let names = |directory: &Path| -> BTreeSet<String> {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            entries.map(|it| it.file_name().to_string_lossy().to_lowercase()).collect()
        };
        let taken = [names(shown), names(&path.join(FORMS))];
        // Without a lock, the directory may be any.
        let depth = if lock.is_some() { DEPTH } else { 1 };
        let (mut pages, mut forms) = (Vec::new(), Vec::new());
        let (mut unusable, mut unread) = (Vec::new(), Vec::new());
        for file in files_below(shown, depth)? {
            let mut read = || {
                let document = Document::read(&file).ok()?;
                match FileKind::of(&document.root).ok()?? {
                    FileKind::Page if is_composed(document.text().as_bytes()) => {
                        for path in pages_of(&file).unwrap_or_else(|| vec![file.clone()]) {
                            match read_page(&path, &[]) {
                                Ok((page, _)) => pages.push((path, page.page.profile.clone())),
                                Err(_) => unread.push(path),
                            }
                        }
                    }
                    FileKind::Page => pages.push((file.clone(), profile(&document)?)),
                    FileKind::Form => forms.push((file.clone(), FormFile::of(document).ok()?)),
                }
                Some(())
            };
            if read().is_none() {
                unusable.push(file);
            }
        }
        unusable.extend(unread.iter().cloned());
        Ok(Self { path, lock, unread, pages, forms, unusable, taken })
    }

    /// Returns the page files that are not among these, and the paths of those that cannot be read.
    pub(super) fn others(
        &self,
        pages: &[ComposedPage],
    ) -> (Vec<(PathBuf, PageFile)>, Vec<PathBuf>) {
        let known: BTreeSet<PathBuf> = pages.iter().map(|it| without_links(&it.path)).collect();
        let others = self.pages.iter().filter(|(path, _)| !known.contains(&without_links(path)));
        let (mut read, mut unread) = (Vec::new(), self.unread.clone());
        for (path, _) in others {
            match read_page(path, &[]) {
                Ok((file, _)) => read.push((path.clone(), file)),
                Err(_) => unread.push(path.clone()),
            }
        }
        (read, unread)
    }

    /// Returns the page files, each with the key of its page: the id that the lock has, else its `profile`.
    pub(super) fn pages(&self) -> impl Iterator<Item = (PathBuf, ProfileKey)> {
        self.pages.iter().map(|(path, profile)| {
            let id = self.recorded_page(path).map(|page| ProfileKey::Id(page.id));
            (path.clone(), id.unwrap_or_else(|| profile.clone()))
        })
    }

    /// Returns the page that the lock has for a file.
    pub(super) fn recorded_page(&self, file: &Path) -> Option<&PageName> {
        let (store, lock) = self.lock.as_ref()?;
        lock.pages.get(&store.key(file)?)
    }

    /// Returns the file of a form: the one that has its id, or the one whose name the lock has for it.
    pub(super) fn file_of_form(&self, id: &str) -> Option<PathBuf> {
        let is_its = |(_, file): &&(PathBuf, FormFile)| match &file.form.id {
            Some(own) => *own == id,
            None => self.recorded_form(&file.form.name) == Some(id),
        };
        self.forms.iter().find(is_its).map(|(path, _)| path.clone())
    }

    /// Returns the id that the lock has for the local name of a form.
    pub(super) fn recorded_form(&self, name: &str) -> Option<&str> {
        self.lock.as_ref()?.1.forms.get(name).map(FormId::as_str)
    }

    /// Returns the local name that the lock has for a form.
    pub(super) fn recorded_name(&self, id: &str) -> Option<&str> {
        let mut forms = self.lock.as_ref()?.1.forms.iter();
        forms.find(|(_, known)| *known == id).map(|(name, _)| name.as_str())
    }

    /// Returns the file of a page: that of the lock, else the one whose `profile` names the page, else a new one; and whether it is new.
    pub(super) fn page(&mut self, page: &PageSnapshot) -> Result<(PathBuf, bool)> {
        let keys = [page.id.into(), ProfileKey::Login(page.login.clone())];
        match self.file_with(|base| base.id == page.id, &keys)? {
            Some(path) => Ok((path, false)),
            None => {
                self.check_unusable(page)?;
                Ok((self.new_page(page), true))
            }
        }
    }

    /// Returns the file of the page that a key names, as far as this is known before the page is read.
    pub(super) fn file_before(&self, key: &ProfileKey) -> Result<Option<PathBuf>> {
        let is_its = |base: &PageName| profile_key::names(key, base.id, &base.login);
        self.file_with(is_its, std::slice::from_ref(key))
    }

    /// Returns the file that the lock has for a page, else the only one whose `profile` is one of these keys, in this case if there is one.
    fn file_with(
        &self,
        is_its: impl Fn(&PageName) -> bool,
        keys: &[ProfileKey],
    ) -> Result<Option<PathBuf>> {
        if let Some((store, lock)) = &self.lock
            && let Some((key, _)) = lock.pages.iter().find(|(_, base)| is_its(base))
            && is_there(&store.path_of(key))
        {
            let known = |(path, _): &&(PathBuf, ProfileKey)| store.key(path).as_ref() == Some(key);
            let path = self.pages.iter().find(known).map(|(path, _)| path.clone());
            return Ok(Some(path.unwrap_or_else(|| store.path_of(key))));
        }
        let named = |is_same: fn(&str, &str) -> bool| -> Vec<&PathBuf> {
            let is_meant =
                |profile: &str| keys.iter().any(|key| is_same(profile, &key.to_string()));
            let pages = self.pages.iter().filter(|(_, profile)| is_meant(&profile.to_string()));
            pages.map(|(path, _)| path).collect()
        };
        let mut found = named(|one, other| one == other);
        if found.is_empty() {
            found = named(str::eq_ignore_ascii_case);
        }
        match found[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.clone())),
            [one, other, ..] => {
                let what = format!("the page {}", keys[keys.len() - 1]);
                Err(both_files_of(&what, one, other))
            }
        }
    }

    /// Refuses a new file for a page if there is one of its name that cannot be read: it may be the file of the page.
    fn check_unusable(&mut self, page: &PageSnapshot) -> Result<()> {
        let stem = stem(&page.login, "page");
        let names = [stem_with_id(&stem, page), stem];
        let is_its = |path: &PathBuf| {
            let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let is_form = path.parent().is_some_and(|it| it.ends_with(FORMS));
            !is_form && names.iter().any(|it| it.eq_ignore_ascii_case(name))
        };
        for (nth, path) in self.unusable.iter().enumerate().filter(|(_, path)| is_its(path)) {
            if let Some(problem) = self.problem_of(path) {
                // It is reported once.
                self.unusable.remove(nth);
                return Err(problem);
            }
        }
        Ok(())
    }

    /// Returns why files cannot be used that may be those of any page or form.
    pub(super) fn problems(&self) -> Vec<(PathBuf, CommandError)> {
        let problem = |path: &PathBuf| Some((path.clone(), self.problem_of(path)?));
        // What is no page file at all is of something else.
        let may_be = self.unusable.iter().filter(|path| no_page_file(path).is_none());
        let problems = may_be.filter_map(problem);
        // What is wrong with a table is so for each of its rows.
        let mut said = BTreeSet::new();
        problems.filter(|(_, problem)| said.insert(problem.to_json().to_string())).collect()
    }

    /// Returns why a file cannot be used. What is wrong with a file of which the lock has a record is reported for its page.
    fn problem_of(&self, path: &Path) -> Option<CommandError> {
        match self.recorded_page(path) {
            Some(_) => None,
            None => AccountFiles::problem_of(path, true),
        }
    }

    /// Returns the file of the page that a key names, by the lock, else by its `profile`, else by its name if it cannot be read.
    pub(crate) fn file_of(&self, key: &ProfileKey) -> Result<Option<PathBuf>> {
        let found = self.file_before(key)?.map(|path| from_here(&path));
        // Why a file cannot be used is reported when it is read.
        let name = format!("{key}.yaml");
        let is_its = |path: &&PathBuf| path.file_name().is_some_and(|it| *it == *name);
        Ok(found.or_else(|| self.unusable.iter().find(is_its).cloned()))
    }

    /// Returns the path of a new page file. A name that is taken, in whatever case, gets the id of the page.
    fn new_page(&mut self, page: &PageSnapshot) -> PathBuf {
        let stem = stem(&page.login, "page");
        let mut name = format!("{stem}.yaml");
        if stem != page.login || self.taken[0].contains(&name.to_lowercase()) {
            name = stem_with_id(&stem, page) + ".yaml";
        }
        self.taken[0].insert(name.to_lowercase());
        self.path.join(name)
    }

    /// Returns the path of the file of a form with this local name.
    pub(super) fn form_path(&self, name: &str) -> PathBuf {
        self.path.join(FORMS).join(form_file(name))
    }

    /// Returns whether no other file has the name of a new form file.
    pub(super) fn is_free_form(&self, name: &str) -> bool {
        !self.taken[1].contains(&form_file(name).to_lowercase())
    }

    /// Returns the path of a new form file in the directory of the forms, which is created. Its name must be free, in whatever case.
    pub(super) fn new_form(&mut self, name: &str) -> Result<PathBuf> {
        if !self.taken[1].insert(form_file(name).to_lowercase()) {
            let message =
                format!("the file for form {name} already exists; the form was not written");
            return Err(CommandError::refused(message).with_hint("move or delete the file"));
        }
        let (path, forms) = (self.form_path(name), self.path.join(FORMS));
        let created = named::resolve(&forms).and_then(fs::create_dir_all);
        created.map_err(not_written(&path))?;
        Ok(path)
    }
}

fn stem_with_id(stem: &str, page: &PageSnapshot) -> String {
    format!("{stem}-{}", page.id)
}

fn form_file(name: &str) -> String {
    format!("{}.yaml", stem(name, "form"))
}

fn profile(document: &Document) -> Option<ProfileKey> {
    match &document.root.get("profile")?.tree {
        Tree::Text(text) => profile_key::parse(text).ok(),
        Tree::Number(number) => profile_key::parse(&number.to_string()).ok(),
        _ => None,
    }
}
