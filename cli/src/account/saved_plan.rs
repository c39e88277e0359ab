//! Saved plan: the plans of pages and forms in a file that is reviewed, and later carried out unchanged or not at all. It is known by its first
//! fields, guarded by a digest of its content, and written only over an older plan.

use links_pages::account::FormPlan;
use links_pages::apply::{Plan, PlannedDelete, fingerprint, same};
use serde::{Deserialize, Serialize};

use super::file_filter::have_same_lines;
use super::files::{AccountFiles, FORMAT, is_saved_plan, parent};
use super::forms::PlannedForm;
use super::pull::existing_file::write_file;
use super::state::AccountState;
use crate::apply::apply_args::RunOptions;
use crate::apply::execute::RunFailure;
use crate::apply::planned::PlannedPage;
use crate::apply::sync::page_path::is_there;
use crate::apply::uploads::{put_in_plan, upload_of};
use crate::context::prelude::*;
use links_pages::form_file::FormFile;
use links_pages::page_file::local_image::{ImageRoots, hash_of, here, lies_beneath};
use links_pages::page_file::{Document, FileScope, Image, ReferencePlace, SourceFile, file_of};
use links_pages::sanitize::quoted;

/// Version that is written and read.
const VERSION: u32 = 2;

/// Maximum size in bytes: a saved plan holds its files and all data to send, and those of 100 pages are larger than a page file.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// What saved plans of all versions have.
#[derive(Deserialize)]
struct PlanVersion {
    version: u32,
}

/// Plans of pages and forms with the inputs that they were made from.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedPlan {
    format: String,
    version: u32,
    options: SavedOptions,
    pub(super) pages: Vec<SavedPage>,
    forms: Vec<SavedForm>,
    /// Digest of all fields above: distinguishes an edited plan from one that would be different today because of the service.
    digest: String,
}

/// Plan of a page.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPage {
    id: ProfileId,
    login: String,
    file: SavedFile,
    images: Vec<SavedImage>,
    plan: Plan,
    /// True if the plan is for the whole file, not for its slots alone.
    whole: bool,
}

/// Plan of a form.
#[derive(Serialize, Deserialize)]
struct SavedForm {
    file: SavedFile,
    plan: FormPlan,
}

#[derive(Serialize, Deserialize)]
struct SavedFile {
    name: String,
    /// Whole text of the file: diagnostics are shown at its lines, and the plan is made again from it.
    text: String,
    /// Texts of the other files that it uses, by their paths relative to its directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    uses: BTreeMap<PathBuf, String>,
    /// Directory that references are relative to; itself relative to the directory of the plan if it lies beneath that.
    directory: PathBuf,
}

#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Clone, Copy, Serialize, Deserialize)]
struct SavedOptions {
    prune: bool,
    prune_unsupported: bool,
    no_validate: bool,
    unlock: bool,
    overwrite: bool,
    exact: bool,
}

#[derive(Serialize, Deserialize)]
struct SavedImage {
    place: ReferencePlace,
    name: String,
    sha256: String,
    uploaded: bool,
}

impl SavedPlan {
    /// Saved form of the plans, for a file at `path`.
    pub(super) fn new(state: &AccountState, path: &Path) -> Self {
        let form = |form: &PlannedForm| {
            let file = SavedFile::new(&form.file.document, parent(&form.path), path);
            SavedForm { file, plan: form.plan.clone() }
        };
        let RunOptions { flags, sync, .. } = &state.options;
        let options = SavedOptions {
            prune: flags.prune,
            prune_unsupported: flags.prune_unsupported,
            no_validate: flags.no_validate,
            unlock: flags.unlock,
            overwrite: sync.overwrite,
            exact: sync.exact,
        };
        let mut saved = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            options,
            pages: state.planned().map(|it| SavedPage::new(it, path)).collect(),
            forms: state.forms.iter().map(form).collect(),
            digest: String::new(),
        };
        saved.digest = saved.content_digest();
        saved
    }

    /// Returns the digest of the plan without its own field `digest`.
    fn content_digest(&self) -> String {
        let mut content = json!(self);
        content["digest"] = Value::Null;
        content.sort_all_objects();
        hash_of(content.to_string().as_bytes())
    }

    /// Writes the plan. Replaces only an older plan.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        if named::read_most(path, MAX_BYTES).is_ok_and(|(_, bytes)| !is_saved_plan(&bytes)) {
            let message = format!("{} already exists and is not a saved plan", path.display());
            return Err(CommandError::refused(message));
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_file(path, &text, true)
    }

    /// Reads a saved plan (`-`: standard input) with the files that it was made from, and sets the options that it was made with.
    pub(super) fn read(path: &Path, options: &mut RunOptions) -> Result<(Self, AccountFiles)> {
        let (name, bytes) = named::read_most(path, MAX_BYTES)?;
        if !is_saved_plan(&bytes) {
            let (command, file) = (&options.command.name, quoted(&name));
            let hint = format!("pass a page file without --plan: `links {command} {file}`");
            return Err(CommandError::usage(format!("{name} is not a saved plan")).with_hint(hint));
        }
        let unusable = |why: &dyn std::fmt::Display| {
            CommandError::invalid(format!("cannot use the plan {name}: {why}"))
        };
        let PlanVersion { version } =
            serde_json::from_slice(&bytes).map_err(|why| unusable(&why))?;
        if version != VERSION {
            return Err(unusable(&"it was written by another version of `links`"));
        }
        let mut saved: Self = serde_json::from_slice(&bytes).map_err(|why| unusable(&why))?;
        if saved.digest != saved.content_digest() {
            let command = saved.planned_by();
            let message = "the plan file was edited after `links` saved it; nothing was written";
            return Err(CommandError::invalid(message)
                .with_hint(format!("make a new plan with `links {command} --out PLAN`")));
        }
        let is_of_slots = matches!(&saved.pages[..], [page] if !page.whole);
        if is_of_slots != options.is_one_page {
            let slots = if is_of_slots { "slots " } else { "" };
            let message = format!("{name} was made by `links {slots}plan`; nothing was written");
            let hint = format!("run `links {slots}apply --plan {}`", quoted(&name));
            return Err(CommandError::usage(message).with_hint(hint));
        }
        saved.allow(options)?;
        let (roots, mut files) = (options.flags.upload_root.clone(), AccountFiles::default());
        for page in &mut saved.pages {
            let whole = page.whole;
            let (path, file) = page.file.open(path, &roots)?;
            // Where the page file of a plan for slots is gone, its record says nothing of the plan.
            options.is_unrecorded |= !whole && !is_there(&path);
            files.pages.push((path, if whole { file } else { file.slots_only()? }));
        }
        for form in &saved.forms {
            let path = form.file.path(path);
            let text = form.file.text.clone().into_bytes();
            let document = Document::from_bytes(&path.display().to_string(), text)?;
            files.forms.push((path, FormFile::of(document)?));
        }
        Ok((saved, files))
    }

    /// Sets the options that the plan was made with, and nothing else.
    fn allow(&self, options: &mut RunOptions) -> Result<()> {
        let (flags, sync) = (&mut options.flags, &mut options.sync);
        let given = [
            (flags.prune || flags.prune_unsupported, "deleted", "--prune"),
            (sync.overwrite || sync.exact, "overwritten", "--force or --exact"),
            (flags.unlock, "unlocked", "--unlock"),
        ];
        if let Some((_, what, option)) = given.iter().find(|(is_given, ..)| *is_given) {
            let message = format!("a saved plan already lists everything to be {what}");
            let command = self.planned_by();
            return Err(CommandError::usage(message)
                .with_hint(format!("pass {option} to `links {command}` when you make the plan")));
        }
        let SavedOptions { prune, prune_unsupported, no_validate, unlock, overwrite, exact } =
            self.options;
        (flags.prune, flags.prune_unsupported, flags.unlock) = (prune, prune_unsupported, unlock);
        flags.no_validate |= no_validate;
        (sync.overwrite, sync.exact) = (overwrite, exact);
        Ok(())
    }

    /// Returns the words of the command that made the plan.
    fn planned_by(&self) -> &'static str {
        self.pages.first().map_or("plan", SavedPage::planned_by)
    }

    /// Refuses changes of forms other than the planned ones.
    pub(super) fn check_forms(&self, forms: &[PlannedForm]) -> Result<()> {
        for now in forms.iter().filter(|now| !now.plan.is_empty()) {
            if self.forms.iter().all(|saved| saved.plan != now.plan) {
                let message = format!(
                    "the form {} changed after the plan was made; nothing was written",
                    now.plan.name
                );
                return Err(CommandError::conflict(message)
                    .with_hint("make a new plan with `links plan --out PLAN`"));
            }
        }
        Ok(())
    }

    /// Returns messages for page files that were edited since the plan was made.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.pages.iter().filter(|page| page.file.is_edited()).map(|page| {
            format!(
                "note: {} was edited after the plan was made; the plan uses the earlier version",
                page.file.name
            )
        })
    }
}

/// Returns the page file of a saved plan of one page.
pub(crate) fn page_of(plan: &Path) -> Option<PathBuf> {
    if plan.as_os_str() == "-" {
        return None;
    }
    let (_, bytes) = named::read_most(plan, MAX_BYTES).ok()?;
    let saved: SavedPlan = serde_json::from_slice(&bytes).ok()?;
    Some(saved.pages.first()?.file.path(plan))
}

impl SavedFile {
    /// Saved form of a file in a directory, for a plan at `plan`.
    fn new(document: &Document, directory: &Path, plan: &Path) -> Self {
        let resolved = |directory: &Path| std::fs::canonicalize(here(directory));
        let directory = match (resolved(parent(plan)), resolved(directory)) {
            (Ok(own), Ok(directory)) => {
                directory.strip_prefix(own).map(Path::to_owned).unwrap_or(directory)
            }
            _ => directory.to_owned(),
        };
        let files = document.sources.files().iter().enumerate().skip(1);
        let used = |(nth, file): (usize, &SourceFile)| {
            (file.path.clone(), document.sources.text_of(nth).to_owned())
        };
        Self {
            name: document.name().to_owned(),
            text: document.text().to_owned(),
            uses: files.map(used).collect(),
            directory,
        }
    }

    /// Returns the path of the file. `plan` is the file that the plan was read from.
    fn path(&self, plan: &Path) -> PathBuf {
        let name = Path::new(&self.name).file_name().unwrap_or_default();
        parent(plan).join(&self.directory).join(name)
    }

    /// Returns the page file with its path.
    fn open(&mut self, plan: &Path, roots: &[PathBuf]) -> Result<(PathBuf, PageFile)> {
        let path = self.path(plan);
        self.directory = parent(plan).join(&self.directory);
        let images = ImageRoots::within(&self.directory, parent(plan), roots)?;
        let uses = self.uses.clone();
        let text = move |path: &Path| uses.get(path).map(|text| text.clone().into_bytes());
        let images = images.with_texts(text);
        let file = PageFile::from_bytes(&self.name, self.text.clone().into_bytes(), &images)?;
        Ok((path, PageFile { directory: self.directory.clone(), ..file }))
    }

    /// Returns whether the file has another text now.
    fn is_edited(&self) -> bool {
        let own = PathBuf::from(Path::new(&self.name).file_name().unwrap_or_default());
        let mut all = self.uses.iter().chain([(&own, &self.text)]);
        all.any(|(used, text)| {
            // The path comes from the plan: a file outside its directory is not examined, not even for existence.
            let path = self.directory.join(file_of(used));
            let is_there = lies_beneath(&path, &self.directory) && path.is_file();
            is_there
                && named::read(&path).is_ok_and(|(_, bytes)| {
                    let now = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
                    !have_same_lines(now, text.as_bytes())
                })
        })
    }
}

impl SavedPage {
    fn new(planned: &PlannedPage, path: &Path) -> Self {
        let (PlannedPage { file, page, .. }, plan) = (planned, planned.plan());
        let image = |image: &Image| SavedImage {
            place: image.place.clone(),
            name: image.name.clone(),
            sha256: image.local.hash.clone(),
            uploaded: image.is_uploaded,
        };
        Self {
            id: page.id,
            login: page.login.clone(),
            file: SavedFile::new(&file.document, &file.directory, path),
            images: file.images.iter().map(image).collect(),
            plan: plan.clone(),
            whole: file.scope == FileScope::Page,
        }
    }

    /// Returns the words of the command that made the plan.
    fn planned_by(&self) -> &'static str {
        if self.whole { "plan" } else { "slots plan" }
    }

    /// Refuses changes other than the planned ones: `planned` is the plan that the same file gives now. A run that is resumed has changed the
    /// page itself; it may delete nothing but what was planned.
    pub(super) fn check<'p>(
        &self,
        planned: Result<&'p PlannedPage, RunFailure>,
        is_resumed: bool,
    ) -> Result<&'p PlannedPage, RunFailure> {
        let planned = planned.map_err(|failure| match failure {
            // Somebody has changed the page, and the same file gives no plan any more.
            RunFailure::Here(failure) if failure.exit() == Exit::Conflict => {
                failure.with_hint(self.new_plan()).into()
            }
            failure => failure,
        })?;
        // What an earlier run of the plan has carried out leaves nothing to do.
        let why = if planned.page.exists() && planned.plan().is_empty() {
            self.is_waiting(&planned.page)
                .then(|| format!("the last sync of {} changed", self.file.name))
        } else {
            self.staleness(planned, is_resumed)
        };
        let Some(why) = why else { return Ok(planned) };
        let message = format!("{why} since the plan was made; nothing was written");
        Err(CommandError::conflict(message).with_hint(self.new_plan()).into())
    }

    /// Returns whether a page is still as it was when the plan was made, and the plan has something to do.
    fn is_waiting(&self, page: &PageSnapshot) -> bool {
        let fields = page.fields();
        let is_as_before = |(name, before): (&String, &Value)| {
            same(fields.get(name).unwrap_or(&Value::Null), before)
        };
        !self.plan.is_empty()
            && self.id == page.id
            && fingerprint(&page.slots) == self.plan.page
            && self.plan.fields.before.iter().all(is_as_before)
    }

    fn new_plan(&self) -> String {
        let (made, file) = (self.planned_by(), quoted(&self.file.name));
        format!("the plan is out of date; make a new one with `links {made} {file} --out PLAN`")
    }

    /// Returns what was changed since the plan was made.
    fn staleness(&self, planned: &PlannedPage, is_resumed: bool) -> Option<String> {
        if is_resumed {
            let reviewed = |it: &PlannedDelete| self.plan.deletes.iter().any(|old| old.id == it.id);
            let is_planned = planned.plan().deletes.iter().all(reviewed);
            return (!is_planned).then(|| "other slots were added to the page".to_owned());
        }
        if self.id == 0 && planned.page.exists() {
            return Some(format!("the page {} was created", self.login));
        }
        if planned.page.id != self.id {
            return Some(format!("the login {} was moved to another page", self.login));
        }
        if fingerprint(&planned.page.slots) != self.plan.page
            || planned.plan().fields.before != self.plan.fields.before
        {
            return Some("the page was changed".to_owned());
        }
        let then = self.images.iter().map(|it| &it.sha256);
        if !then.eq(planned.file.images.iter().map(|it| &it.local.hash)) {
            return Some("an image was changed".to_owned());
        }
        // An image that was uploaded since needs no upload any more; this difference is ignored.
        let mut now = planned.plan().clone();
        for image in self.images.iter().filter(|it| !it.uploaded) {
            put_in_plan(&mut now, &image.place, &upload_of(&image.name));
        }
        let why = "the service's slot types or links.lock changed";
        (now != self.plan).then(|| why.to_owned())
    }
}
