//! Saved plan: a plan in a file that is reviewed and later applied unchanged or not at all.

use std::path::{Path, PathBuf};

use links_pages::apply::{Plan, PlannedDelete, fingerprint};
use links_sdk::ProfileId;
use serde::{Deserialize, Serialize};

use super::apply_args::ApplyArgs;
use super::image::Image;
use super::plan_file::{PAGE_PLAN, content_digest};
use super::planned::PlannedPage;
use super::uploads::{put_in_plan, upload_of};
use crate::apply::sync::{LockStore, OpenedText};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::error::file_error::unread_page_file;
use links_pages::fs::named;
use links_pages::page_file::local_image::{ImageRoots, hash_of, here, lies_beneath};
use links_pages::page_file::patch::refuse_marks;
use links_pages::page_file::{FileScope, PageFile, ReferencePlace};
use links_pages::sanitize::quoted;

/// Source of a plan: a page file, alone or with the saved plan that was made from it.
pub(crate) struct ApplySource {
    pub(crate) file: PageFile,
    pub(crate) saved: Option<Box<SavedPlan>>,
    /// Path of the file, if it has one.
    pub(crate) path: Option<PathBuf>,
    /// The text that was opened in an editor, if the file is what a user made of it.
    pub(crate) opened: Option<OpenedText>,
}

/// Plan with the inputs it was made from.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedPlan {
    format: String,
    version: u32,
    page: SavedPage,
    file: SavedFile,
    options: SavedOptions,
    images: Vec<SavedImage>,
    plan: Plan,
    /// True if the plan is for the whole file, not for its slots alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole: bool,
    /// Digest of all fields above: distinguishes an edited plan from one that would be different today because of the service.
    digest: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedPage {
    id: ProfileId,
    login: String,
    fingerprint: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedFile {
    name: String,
    sha256: String,
    /// Whole text of the page file: diagnostics are shown at its lines, and the plan is made again from it.
    text: String,
    /// Directory that references are relative to; itself relative to the directory of the plan if it lies beneath that.
    directory: PathBuf,
}

#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Debug, Serialize, Deserialize)]
struct SavedOptions {
    prune: bool,
    prune_unsupported: bool,
    no_validate: bool,
    #[serde(default)]
    overwrite: bool,
    #[serde(default)]
    exact: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedImage {
    /// Index of the item; `None` for a field of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    path: Vec<String>,
    name: String,
    sha256: String,
    uploaded: bool,
}

impl From<PageFile> for ApplySource {
    fn from(file: PageFile) -> Self {
        Self { file, saved: None, path: None, opened: None }
    }
}

impl ApplySource {
    /// Reads a page file (`-`: standard input) for `links slots VERB`. Refuses a saved plan: the content of a file must not decide what the
    /// command may do.
    pub(crate) fn page(path: &Path, roots: &[PathBuf], verb: &str) -> Result<Self, CommandError> {
        let source = Self::whole(path, roots, verb)?;
        Ok(Self { file: source.file.slots_only()?, ..source })
    }

    /// Reads a page file with its fields.
    pub(crate) fn whole(path: &Path, roots: &[PathBuf], verb: &str) -> Result<Self, CommandError> {
        let (name, bytes) = named::read(path).map_err(unread_page_file)?;
        if PAGE_PLAN.is_of(&bytes) {
            let quoted = quoted(&name);
            return Err(CommandError::usage(format!("{name} is a saved plan, not a page file"))
                .with_hint(format!("links slots {verb} --plan {quoted}")));
        }
        let directory = parent(path);
        let file = PageFile::from_bytes(&name, bytes, &ImageRoots::new(directory, roots)?)?;
        refuse_marks(&file.document)?;
        let file = PageFile { directory: directory.to_owned(), ..file };
        let path = Some(path.to_owned()).filter(|it| it.as_os_str() != "-");
        Ok(Self { file, saved: None, path, opened: None })
    }

    /// Reads a saved plan (`-`: standard input) for `links slots VERB`.
    pub(crate) fn plan(path: &Path, roots: &[PathBuf], verb: &str) -> Result<Self, CommandError> {
        let hint = |name: &str| {
            format!("pass a page file without --plan: links slots {verb} {}", quoted(name))
        };
        let (_, mut saved): (_, SavedPlan) = PAGE_PLAN.read(path, hint)?;
        let (path, file) = saved.open(path, roots)?;
        let path = Some(path).filter(|it| it.is_file());
        Ok(Self { file: file.slots_only()?, saved: Some(Box::new(saved)), path, opened: None })
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Returns the `links.lock` of the page file of a saved plan, if there is one.
pub(crate) fn lock_of(plan: &Path) -> Option<LockStore> {
    #[derive(Deserialize)]
    struct Named {
        file: NamedFile,
    }
    #[derive(Deserialize)]
    struct NamedFile {
        name: String,
        directory: PathBuf,
    }
    if plan.as_os_str() == "-" {
        return None;
    }
    let Named { file } = PAGE_PLAN.peek(plan)?;
    let directory = parent(plan).join(file.directory);
    LockStore::of(&directory.join(Path::new(&file.name).file_name()?))
}

/// Directory of the page file as stored in a plan at `path`: relative to the plan's own directory if it lies beneath that.
pub(crate) fn directory_from(path: &Path, directory: &Path) -> PathBuf {
    let resolved = |directory: &Path| std::fs::canonicalize(here(directory));
    let (Ok(own), Ok(directory)) = (resolved(parent(path)), resolved(directory)) else {
        return directory.to_owned();
    };
    directory.strip_prefix(own).map(Path::to_owned).unwrap_or(directory)
}

impl SavedPlan {
    /// Returns the page file that the plan was made from, with its path. `plan` is the file that the plan was read from.
    ///
    /// # Errors
    ///
    /// When the plan was edited, and its file or options are not those that were reviewed.
    pub(crate) fn open(
        &mut self,
        plan: &Path,
        roots: &[PathBuf],
    ) -> Result<(PathBuf, PageFile), CommandError> {
        if self.digest != content_digest(&*self) {
            return Err(self.refused(Exit::Invalid, "the plan file was edited"));
        }
        let SavedFile { name, text, directory, .. } = &mut self.file;
        *directory = parent(plan).join(&directory);
        let images = ImageRoots::within(directory, parent(plan), roots)?;
        let file = PageFile::from_bytes(name, text.clone().into_bytes(), &images)?;
        let path = directory.join(Path::new(&*name).file_name().unwrap_or_default());
        Ok((path, PageFile { directory: directory.clone(), ..file }))
    }

    /// Sets the options that the plan was made with, and nothing else. A resumed run already has its options.
    pub(crate) fn allow(
        &self,
        apply_args: &mut ApplyArgs,
        resume: bool,
    ) -> Result<(), CommandError> {
        if (apply_args.prune || apply_args.prune_unsupported) && !resume {
            return Err(CommandError::usage("a saved plan already determines what is deleted")
                .with_hint(format!(
                    "pass --prune to `links {}` when making the plan",
                    self.planned_by()
                )));
        }
        let SavedOptions { prune, prune_unsupported, no_validate, overwrite, exact } = self.options;
        (apply_args.prune, apply_args.prune_unsupported) = (prune, prune_unsupported);
        apply_args.no_validate |= no_validate;
        (apply_args.sync.overwrite, apply_args.sync.exact) = (overwrite, exact);
        Ok(())
    }

    /// Saved form of a plan that was made with these options, for a file at `path`.
    pub(crate) fn of(planned: &PlannedPage, apply_args: &ApplyArgs, path: &Path) -> Self {
        let document = &planned.file.document;
        let saved_image = |image: &Image| SavedImage {
            index: image.place.item,
            path: image.place.path.clone(),
            name: image.name.clone(),
            sha256: image.local.hash.clone(),
            uploaded: image.uploaded,
        };
        let mut saved = Self {
            format: PAGE_PLAN.name.to_owned(),
            version: PAGE_PLAN.version,
            page: SavedPage {
                id: planned.page.id,
                login: planned.page.login.clone(),
                fingerprint: planned.plan.page.clone(),
            },
            file: SavedFile {
                name: document.name().to_owned(),
                sha256: hash_of(document.text().as_bytes()),
                text: document.text().to_owned(),
                directory: directory_from(path, &planned.file.directory),
            },
            options: SavedOptions {
                prune: apply_args.prune,
                prune_unsupported: apply_args.prune_unsupported,
                no_validate: apply_args.no_validate,
                overwrite: apply_args.sync.overwrite,
                exact: apply_args.sync.exact,
            },
            images: planned.images.iter().map(saved_image).collect(),
            plan: Plan::clone(&planned.plan),
            whole: planned.file.scope == FileScope::Page,
            digest: String::new(),
        };
        saved.digest = content_digest(&saved);
        saved
    }

    /// Writes the plan. Overwrites only an older plan.
    pub(crate) fn write(&self, path: &Path) -> Result<(), CommandError> {
        PAGE_PLAN.write(path, self)
    }

    /// Returns the words of the command that made the plan.
    fn planned_by(&self) -> &'static str {
        if self.whole { "plan" } else { "slots plan" }
    }

    fn refused(&self, exit: Exit, why: &str) -> CommandError {
        let (made, file) = (self.planned_by(), quoted(&self.file.name));
        let again = format!("make a new plan: links {made} {file} --out PLAN");
        CommandError::new(exit, format!("{why} since the plan was made; nothing was written"))
            .with_hint(again)
    }

    /// Refuses changes other than the planned ones: `planned` is the plan that the same file gives now. A run that is resumed has changed the
    /// page itself; it may delete nothing but what was planned.
    pub(crate) fn check(
        &self,
        planned: &PlannedPage,
        is_resumed: bool,
    ) -> Result<(), CommandError> {
        // What an earlier run of the plan has carried out leaves nothing to do.
        if planned.page.exists() && planned.plan.is_empty() {
            return Ok(());
        }
        if is_resumed {
            let reviewed = |it: &PlannedDelete| self.plan.deletes.iter().any(|old| old.id == it.id);
            if planned.plan.deletes.iter().all(reviewed) {
                return Ok(());
            }
            return Err(self.refused(Exit::Conflict, "other slots were added to the page"));
        }
        let stale = |why: &str| self.refused(Exit::Conflict, why);
        if self.page.id == 0 && planned.page.exists() {
            return Err(stale(&format!("the page {} was created", self.page.login)));
        }
        if planned.page.id != self.page.id {
            return Err(stale(&format!("the login {} was moved to another page", self.page.login)));
        }
        if fingerprint(&planned.page.slots) != self.page.fingerprint {
            return Err(stale("the page was changed"));
        }
        if planned.plan.fields.before != self.plan.fields.before {
            return Err(stale("the page was changed"));
        }
        let hashes = |hash: Vec<&String>| hash.into_iter().cloned().collect::<Vec<_>>();
        let then = hashes(self.images.iter().map(|it| &it.sha256).collect());
        if then != hashes(planned.images.iter().map(|it| &it.local.hash).collect()) {
            return Err(stale("an image was changed"));
        }
        // An image that was uploaded since needs no upload any more; this difference is ignored.
        let mut now = Plan::clone(&planned.plan);
        for image in self.images.iter().filter(|it| !it.uploaded) {
            let place = ReferencePlace { item: image.index, path: image.path.clone() };
            put_in_plan(&mut now, &place, &upload_of(&image.name));
        }
        if now != self.plan {
            return Err(stale("the slot types of the service or the links.lock changed"));
        }
        Ok(())
    }

    /// Message for a page file that was edited since the plan was made.
    pub(crate) fn note(&self) -> Option<String> {
        // The path comes from the plan: a file outside its directory is not examined, not even for existence.
        let path = Path::new(&self.file.name);
        let is_there = lies_beneath(path, &self.file.directory) && path.is_file();
        let (_, bytes) = is_there.then(|| named::read(path)).and_then(Result::ok)?;
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        (hash_of(text) != self.file.sha256).then(|| {
            format!("{} was edited since the plan was made; the plan is unchanged", self.file.name)
        })
    }
}
