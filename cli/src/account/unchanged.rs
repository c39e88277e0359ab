//! Files that a command found to be as their pages are. While neither a byte of them nor a value of the pages changes, a command with the same options
//! reads the pages and ends: no file is parsed, and nothing is compared. Only commands that show text do this.

use links_pages::apply::{JournalStore, ReadPages, RetainReason, RetainedSlot, same};
use links_pages::page_file::local_image::{hash_of, here};
use links_pages::page_file::{ReferenceTarget, file_of, is_composed, values_files};
use links_pages::sync::{Lock, RemoteChange};
use links_sdk::{FormId, Slot};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::absent_files::is_absent;
use super::estimate;
use super::files::{DEPTH, files_below, left_out_words, or_all};
use super::forms::PlannedForm;
use super::pages_run::page_request;
use super::report::unchanged_line;
use super::state::{AccountState, PageState};
use crate::apply::apply_args::RunOptions;
use crate::apply::planned::PlannedPage;
use crate::apply::runs;
use crate::apply::sync::LockStore;
use crate::cache::{load_json, store_json};
use crate::context::prelude::*;
use crate::lint::rule_file;
use crate::ui::{PartUpdate, update};

/// Maximum size of a file that is compared: that of a lock, the largest of them.
const MOST_BYTES: u64 = 64 << 20;

/// Stands for the hash of a file that does not exist.
const ABSENT: &str = "absent";

/// What a command found.
#[derive(Default, Serialize, Deserialize)]
struct Unchanged {
    /// Version of the program: another one may compare in another way.
    by: String,
    pages: Vec<UnchangedPage>,
    forms: Vec<UnchangedForm>,
    /// Hashes of the page files and form files, and of the locks that govern them.
    files: BTreeMap<PathBuf, String>,
    /// SHA-256 of the images.
    images: BTreeMap<PathBuf, String>,
    /// Files that are neither pages nor forms.
    skipped: Vec<PathBuf>,
}

/// A page that was as its file says.
#[derive(Serialize, Deserialize)]
struct UnchangedPage {
    path: PathBuf,
    /// What it is read by.
    key: String,
    /// Its digest.
    page: String,
    has_language: bool,
    /// The lock that governs the file, and the user whom it belongs to.
    lock: Option<(PathBuf, i64)>,
    /// What a plan says of the slots that the file does not mention and that are never deleted.
    details: Vec<String>,
}

/// A form that was as its file says.
#[derive(Serialize, Deserialize)]
struct UnchangedForm {
    name: String,
    id: FormId,
    /// Hash of its record.
    form: String,
}

/// Returns the text of a command with these paths and options if nothing has changed since one found that there was nothing to do. Otherwise the
/// run does not read again what was read for that. `writes` says that it is an `apply`.
pub(crate) async fn output(
    context: &mut Context,
    paths: &[PathBuf],
    options: &mut RunOptions,
    writes: bool,
) -> Option<CommandOutput> {
    if !context.ui.shows_text() || !context.plan_first.is_cleared() {
        return None;
    }
    let files = all_files(paths)?;
    let known: Unchanged = load_json(&memo(context, &files, options)?)?;
    if !known.is_of(&files) || !known.pages.iter().all(|page| page.is_governed(context)) {
        return None;
    }
    let client = context.client().await.ok()?;
    let settings = runs::settings(context);
    let keys = known.pages.iter().map(|page| page.key.parse::<ProfileKey>().ok());
    let keys = keys.collect::<Option<Vec<_>>>()?;
    options.read = ReadPages::begin(&client, &settings, &keys).await;
    let (mut lines, mut logins) = (Vec::new(), Vec::new());
    for (page, key) in known.pages.iter().zip(&keys) {
        // What fails is tried again by the run, which says more.
        let read = options.read.read(&client, key, page.has_language).await.ok()?;
        let service = settings.service.as_deref().unwrap_or_default();
        let state = settings.state.as_deref();
        let PageSnapshot { id, login, .. } = read.head();
        let is_interrupted = |state| JournalStore::of(state, service, *id).is_interrupted();
        if read.digest() != Some(&page.page) || state.is_some_and(is_interrupted) {
            return None;
        }
        if writes || page.details.is_empty() {
            logins.push(login.clone());
        } else {
            lines.push(StyledLine::faint(format!("= {login}: no changes")));
            let details = page.details.iter().map(|text| StyledLine::faint(format!("  {text}")));
            lines.extend(details);
        }
    }
    if !known.forms.is_empty() {
        let forms = client.forms().list().await.ok()?;
        let is_same = |known: &UnchangedForm| {
            forms.items.iter().any(|it| it.id == known.id && hash_of_form(it) == known.form)
        };
        if !known.forms.iter().all(is_same) {
            return None;
        }
    }
    if let Some(words) = left_out_words(&known.skipped) {
        context.ui.tell(Style::Faint, words);
    }
    update(PartUpdate::Pages(keys.len()));
    for _ in &keys {
        update(PartUpdate::PageRead);
    }
    lines.extend(unchanged_line("", &logins, "pages"));
    let forms: Vec<&str> = known.forms.iter().map(|form| form.name.as_str()).collect();
    lines.extend(unchanged_line("form ", &forms, "forms"));
    let requests = client.requests_sent();
    lines.push(if writes {
        StyledLine::faint(count(requests, "request"))
    } else {
        let requests = usize::try_from(requests).unwrap_or_default();
        StyledLine::plain(format!("no changes ({})", estimate::words(requests)))
    });
    Some(CommandOutput::own(Value::Null, View::Lines(lines)))
}

/// What a command has found, with the file that is to have it.
pub(super) struct Memo(PathBuf, Unchanged);

impl Memo {
    /// Returns what a command has found if all files say what their pages have, and nothing but that was to be said as text.
    pub(super) fn of(context: &Context, state: &AccountState) -> Option<Self> {
        let is_all = state.failures.is_empty() && state.absent().next().is_none();
        let pages = state.pages.iter().map(|page| &page.path);
        let files = pages.chain(state.forms.iter().map(|form| &form.path)).chain(&state.skipped);
        let files: Vec<PathBuf> = files.cloned().collect();
        if !is_all || !context.ui.shows_text() || state.is_edit || have_rules(&files) {
            return None;
        }
        let mut known = Unchanged {
            by: env!("CARGO_PKG_VERSION").to_owned(),
            skipped: state.skipped.clone(),
            ..Unchanged::default()
        };
        for path in &state.skipped {
            known.files.insert(path.clone(), hash(&named::read(path).ok()?.1));
        }
        for form in &state.forms {
            known.add_form(form)?;
        }
        for page in &state.pages {
            known.add(page, &state.options)?;
        }
        Some(Self(memo(context, &files, &state.options)?, known))
    }

    /// Keeps it. What cannot be kept is found out again.
    pub(super) fn store(self) {
        let Self(path, known) = self;
        let _ = store_json(&path, &known);
    }
}

impl Unchanged {
    /// Adds a form; `None` if there is more to be said of it than that it is as its file says.
    fn add_form(&mut self, form: &PlannedForm) -> Option<()> {
        let seen = form.unchanged().filter(|_| form.file.channels.is_empty())?;
        self.files.insert(form.path.clone(), hash(form.file.document.text().as_bytes()));
        self.add_lock(form.lock())?;
        let (name, id) = (form.plan.name.clone(), seen.id.clone());
        self.forms.push(UnchangedForm { name, id, form: hash_of_form(seen) });
        Some(())
    }

    fn add_lock(&mut self, lock: Option<(&LockStore, &Lock)>) -> Option<()> {
        if let Some((store, _)) = lock {
            self.files.insert(store.path(), hash(store.last_text()?.as_bytes()));
        }
        Some(())
    }

    /// Adds a page; `None` if there is more to be said of it than that it is as its file says.
    fn add(&mut self, state: &PageState, options: &RunOptions) -> Option<()> {
        let planned = state.planned.as_ref()?;
        let PlannedPage { file, page, merged, record, .. } = planned;
        let plan = planned.plan();
        let merge = merged.as_ref().map(|it| &it.merge);
        let is_kept = |id: &SlotId| plan.kept.iter().any(|slot| slot.id == *id);
        let is_quiet = merge.is_none_or(|merge| {
            let is_kept = |it: &_| matches!(it, RemoteChange::Made { id, .. } if is_kept(id));
            merge.remote.iter().all(is_kept) && merge.notes.is_empty() && merge.replaced.is_empty()
        });
        // Another form of the account may get the title of one that has no file.
        let is_filed = |name: &String| self.forms.iter().any(|form| form.name == *name);
        let is_foreign =
            |it: &ReferenceTarget| matches!(it, ReferenceTarget::Form(name) if !is_filed(name));
        // A slot that could be deleted depends on what was recorded.
        let stays = |slot: &RetainedSlot| slot.reason != RetainReason::NotInFile;
        let is_as_written =
            plan.is_empty() && plan.kept.iter().all(stays) && plan.notices.is_empty();
        if !is_as_written
            || !is_quiet
            || state.is_new
            || !file.left_out.is_empty()
            || file.references.iter().any(|it| is_foreign(&it.target))
            || record.as_ref().is_some_and(|it| it.text().is_some())
            || !says_the_same(planned)
        {
            return None;
        }
        let directory = here(&file.directory).canonicalize().ok()?;
        for image in &file.images {
            let path = directory.join(&image.name);
            self.images.insert(path, image.local.hash.clone());
        }
        self.add_texts(&state.path, file, &directory);
        let lock = record.as_ref().and_then(|record| record.lock());
        self.add_lock(lock)?;
        let request = page_request(record.as_deref(), &state.path, file, options);
        self.pages.push(UnchangedPage {
            path: state.path.clone(),
            key: request.keys.first()?.to_string(),
            page: page.digest()?,
            has_language: file.page.content.fields.contains_key("languageCode"),
            lock: lock.map(|(store, lock)| (store.path(), lock.user)),
            details: planned
                .lines(options.flags.full)
                .iter()
                .map(|line| line.text().to_owned())
                .collect(),
        });
        Some(())
    }

    /// Adds the hashes of a page file and of those that it uses.
    fn add_texts(&mut self, path: &Path, file: &PageFile, directory: &Path) {
        let (sources, text) = (&file.document.sources, file.document.text());
        self.files.insert(file_of(path).to_owned(), hash(text.as_bytes()));
        for (nth, used) in sources.files().iter().enumerate().skip(1) {
            self.files.insert(used.path_from(directory), hash(sources.text_of(nth).as_bytes()));
        }
        // Values that are found in a directory may later be found in another one.
        for path in values_files(directory).filter(|_| is_composed(text.as_bytes())) {
            self.files.entry(path).or_insert_with(|| ABSENT.to_owned());
        }
    }

    /// Returns whether it is about these files as they are now.
    fn is_of(&self, files: &[PathBuf]) -> bool {
        let bytes = |path: &Path| Some(named::read_most(path, MOST_BYTES).ok()?.1);
        let is_same = |(path, known): (&PathBuf, &String)| match known.as_str() {
            ABSENT => is_absent(path),
            known => bytes(path).is_some_and(|bytes| hash(&bytes) == known),
        };
        // An image to which a link leads is left to the run.
        let is_same_image = |(path, known): (&PathBuf, &String)| {
            let is_plain = named::resolve(path).is_ok_and(|it| it == *path);
            is_plain && bytes(path).is_some_and(|bytes| hash_of(&bytes) == *known)
        };
        self.by == env!("CARGO_PKG_VERSION")
            && files.iter().all(|file| self.files.contains_key(file))
            && !have_rules(files)
            && self.files.iter().all(is_same)
            && self.images.iter().all(is_same_image)
    }
}

impl UnchangedPage {
    /// Returns whether the same lock governs the file, and it belongs to the user of the requests, as far as that is known.
    fn is_governed(&self, context: &Context) -> bool {
        match (LockStore::of(&self.path), &self.lock) {
            (None, None) => true,
            (Some(store), Some((path, user))) => {
                store.path() == *path && store.check_user(context, *user).is_ok()
            }
            _ => false,
        }
    }
}

/// Returns whether a file says what its page has, slot by slot: whatever earlier syncs recorded, there is nothing to do then.
fn says_the_same(planned: &PlannedPage) -> bool {
    let PlannedPage { file, page, proposal, .. } = planned;
    let (said, fields) = (&file.page.content, page.fields());
    let is_field =
        |(name, value): (&String, &Value)| fields.get(name).is_some_and(|it| same(it, value));
    let kept = &proposal.plan.kept;
    let is_kept = |slot: &&Slot| kept.iter().any(|kept| kept.id == slot.id);
    let slots: Vec<&Slot> = page.slots.iter().filter(|slot| !is_kept(slot)).collect();
    let is_slot = |nth: usize| {
        let (item, slot) = (&said.slots[nth], slots[nth]);
        let mut values = item.data.iter();
        proposal.wanted.bound.get(nth).is_some_and(|it| it.slot == Some(slot.id))
            && values.all(|(key, value)| same(slot.data.get(key).unwrap_or(&Value::Null), value))
    };
    said.fields.iter().all(is_field)
        && (!file.page.has_slots
            || said.slots.len() == slots.len() && (0..said.slots.len()).all(is_slot))
}

/// Returns the file that has what a command found, by its files and options; `None` for options that do more than compare.
fn memo(context: &Context, files: &[PathBuf], options: &RunOptions) -> Option<PathBuf> {
    let RunOptions { flags, sync, is_one_page, locked, .. } = options;
    let is_usual = options.profiles.is_empty()
        && options.only_deletes.is_none()
        && !options.renew_status
        && !options.is_unrecorded;
    let mut files: Vec<PathBuf> =
        files.iter().filter_map(|file| std::path::absolute(file).ok()).collect();
    files.sort();
    let named = format!("{files:?}{flags:?}{sync:?}{is_one_page}{locked}");
    let name = format!("unchanged-{}", hash(named.as_bytes()));
    is_usual.then(|| context.cache_file(&name)).flatten()
}

/// Returns the files that paths name, also those below directories.
fn all_files(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in or_all(paths).ok()? {
        if path.is_dir() {
            files.extend(files_below(&path, DEPTH).ok()?);
        } else {
            files.push(path);
        }
    }
    (!files.is_empty()).then_some(files)
}

/// Returns whether there are house rules for these files, of which a run says more.
fn have_rules(files: &[PathBuf]) -> bool {
    files.iter().any(|file| rule_file::of(file).is_some())
}

fn hash_of_form(form: &LeadForm) -> String {
    hash(&serde_json::to_vec(form).unwrap_or_default())
}

fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}
