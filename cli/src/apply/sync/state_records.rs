//! Records in the state directory, which only this machine has: syncs of page files and form files that no `links.lock` records, and what runs here
//! wrote into one, which no pull request can change.

use std::fs;

use links_pages::sync::{Lock, RecordOf, SlotBase};

use crate::apply::runs;
use crate::context::prelude::*;
use crate::git;
use links_pages::fs::private;
use links_pages::page_file::local_image::hash_of;

/// Extension of a record of runs that left a `links.lock` as it was.
const BEYOND_LOCK: &str = "locked";

/// Extension of the list of what runs here wrote into a `links.lock`.
const LOCK_WRITES: &str = "written";

/// Extension of the record of a file that no `links.lock` governs.
const OWN: &str = "lock";

/// The records of one page file or form file in the state directory.
#[derive(Clone, Debug)]
pub(crate) struct StateRecords {
    /// Directory of the records of all files of the service.
    pub(super) directory: PathBuf,
    service: String,
    /// The path of the file, absolute and without symbolic links.
    file: String,
}

impl StateRecords {
    /// Returns the records of a file; `None` without a state directory.
    pub(super) fn of(context: &Context, file: &str) -> Option<Self> {
        let (state, service) = (runs::directory(context).ok()?, runs::service(context)?);
        let directory = directory_of(&state, &service);
        Some(Self { directory, service, file: file.to_owned() })
    }

    /// Forgets the records of all files of a service.
    pub(crate) fn forget_service(state: &Path, service: &str) -> Result<()> {
        let directory = directory_of(state, service);
        let removed = private::if_there(fs::remove_dir_all(&directory));
        removed.map(drop).map_err(cannot("remove", &directory))
    }

    /// Returns the records of all page files of a service that no `links.lock` governed, each with its path. Those that cannot be read are left out.
    pub(crate) fn all(context: &Context) -> Vec<(Self, Lock)> {
        let Some(any) = Self::of(context, "") else { return Vec::new() };
        let record = |own: OwnRecord| {
            let lock = any.read(&own.path).ok().flatten()?;
            let file = lock.pages.keys().next()?.clone();
            Some((Self { file, ..any.clone() }, lock))
        };
        any.all_own().filter_map(record).collect()
    }

    /// Returns the path of the file.
    pub(crate) fn file(&self) -> &Path {
        Path::new(&self.file)
    }

    /// Returns the record of the file where no `links.lock` governs it, without one of another user.
    pub(super) fn own(&self, context: &Context) -> Result<Lock> {
        let user = context.owner().user;
        let file = short(&self.file);
        let own = self.all_own().find(|own| own.file == file);
        let lock = own.map_or(Ok(None), |own| self.read(&own.path))?;
        let is_own = |lock: &Lock| user.is_none_or(|user| [0, user].contains(&lock.user));
        let new = || Lock::new(self.service.clone(), user.unwrap_or_default());
        Ok(lock.filter(is_own).unwrap_or_else(new))
    }

    /// Writes the record of the file where no `links.lock` governs it. The file takes the page or form over from any other file.
    pub(super) fn put_own(&self, context: &Context, of: &RecordOf, lock: &Lock) -> Result<()> {
        let (of, file) = (name_of(of), short(&self.file));
        let _turn = context.lock(&format!("sync-page-{of}"));
        let path = self.directory.join(format!("{of}-{file}.{OWN}"));
        let mut older =
            self.all_own().filter(|it| it.path != path && (it.file == file || it.of == of));
        older.try_for_each(|it| remove_record(&it.path))?;
        write_record(&path, lock)
    }

    /// Forgets the record of the file.
    pub(crate) fn forget_own(&self) -> Result<()> {
        let file = short(&self.file);
        self.all_own().filter(|own| own.file == file).try_for_each(|own| remove_record(&own.path))
    }

    /// Returns another file that has a record of a page.
    pub(super) fn other_file(&self, page: ProfileId) -> Option<String> {
        let (of, file) = (name_of(&RecordOf::Page(page)), short(&self.file));
        let other = self.all_own().find(|own| own.of == of && own.file != file)?;
        self.read(&other.path).ok().flatten()?.pages.into_keys().next()
    }

    /// Returns what runs with `--locked` recorded.
    pub(super) fn beyond_lock(&self) -> Result<Option<Lock>> {
        self.read(&self.beyond_lock_path())
    }

    /// Records a run with `--locked`.
    pub(super) fn put_beyond_lock(&self, context: &Context, lock: &Lock) -> Result<()> {
        let _turn = context.lock(&format!("sync-{}", short(&self.file)));
        write_record(&self.beyond_lock_path(), lock)
    }

    /// Forgets what runs with `--locked` recorded: the lock has it now.
    pub(super) fn forget_beyond_lock(&self) -> Result<()> {
        remove_record(&self.beyond_lock_path())
    }

    /// Returns the path of the list of what runs here wrote into the file, which is a `links.lock`.
    fn lock_writes_path(&self) -> PathBuf {
        self.directory.join(format!("{}.{LOCK_WRITES}", short(&self.file)))
    }

    /// Returns the path of the record of runs with `--locked` on the branch that is checked out: a lock follows its branch, and this record
    /// goes on from it.
    fn beyond_lock_path(&self) -> PathBuf {
        self.directory.join(format!("{}.{BEYOND_LOCK}", short(&git::on_branch(&self.file))))
    }

    /// Returns the records of all files of the service that no `links.lock` governs.
    fn all_own(&self) -> impl Iterator<Item = OwnRecord> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| OwnRecord::at(entry.path()))
    }

    fn read(&self, path: &Path) -> Result<Option<Lock>> {
        let Some(bytes) = private::read(path).map_err(|error| unusable(path, &error))? else {
            return Ok(None);
        };
        let lock = Lock::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|error| unusable(path, &error))?;
        Ok((lock.service == self.service).then_some(lock))
    }
}

fn directory_of(state: &Path, service: &str) -> PathBuf {
    state.join("sync").join(short(service))
}

fn write_record(path: &Path, lock: &Lock) -> Result<()> {
    private::write(path, lock.to_string().as_bytes()).map_err(|error| unusable(path, &error))
}

fn remove_record(path: &Path) -> Result<()> {
    private::remove(path).map_err(|error| unusable(path, &error))
}

/// A record of a file that no `links.lock` governs.
struct OwnRecord {
    path: PathBuf,
    /// [Name](name_of) of the page or form.
    of: String,
    /// [Name](short) of the file.
    file: String,
}

impl OwnRecord {
    fn at(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(OWN)?.strip_suffix('.')?;
        let (of, file) = name.split_once('-')?;
        Some(Self { of: of.to_owned(), file: file.to_owned(), path })
    }
}

/// Returns the name of a page or form in the names of records.
fn name_of(of: &RecordOf) -> String {
    match of {
        RecordOf::Page(id) => id.to_string(),
        RecordOf::Form(id) => format!("form_{}", short(id)),
    }
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> CommandError {
    let message = format!("cannot use the record {}: {why}", path.display());
    CommandError::refused(message).with_hint("delete it; the next apply creates a new one")
}

/// Short name that differs between texts.
pub(super) fn short(text: &str) -> String {
    hash_of(text.as_bytes()).chars().take(16).collect()
}

/// Number of hexadecimal digits that stand for one fact.
const DIGITS: usize = 24;

/// The facts of a lock that runs here wrote: which slots its files hold, and which forms and images its names stand for. Each is one line with
/// a hash. A fact that was in the lock before a run is not written by it, whatever else the run writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockWrites {
    /// `None` without a state directory.
    path: Option<PathBuf>,
    facts: BTreeSet<String>,
}

impl LockWrites {
    /// Reads what was written here. A file that cannot be read says nothing.
    pub(crate) fn of(context: &Context, lock: &Path) -> Self {
        let records = lock.to_str().and_then(|lock| StateRecords::of(context, lock));
        let path = records.map(|it| it.lock_writes_path());
        let bytes = path.as_ref().and_then(|path| private::read(path).ok().flatten());
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        Self { path, facts: text.lines().map(str::to_owned).collect() }
    }

    /// Adds what a run has written, and forgets what the lock no longer has. Where no state can be stored, the commits of the files have to
    /// show it.
    pub(super) fn add(mut self, before: &Lock, after: &Lock) {
        let (before, after) = (facts(before), facts(after));
        self.facts.retain(|fact| after.contains(fact));
        self.facts.extend(after.difference(&before).cloned());
        let lines: Vec<&str> = self.facts.iter().map(String::as_str).collect();
        let _ = self.path.map(|path| private::write_unsynced(&path, lines.join("\n").as_bytes()));
    }

    /// Returns whether a run here wrote the entry of a slot.
    pub(crate) fn has_slot(&self, page: ProfileId, entry: &SlotBase) -> bool {
        self.facts.contains(&slot_fact(page, entry))
    }

    /// Returns whether a run here wrote which form a name stands for.
    pub(crate) fn has_form(&self, name: &str, id: &str) -> bool {
        self.facts.contains(&fact("form", name, id))
    }

    /// Returns whether a run here wrote the path of an image.
    pub(crate) fn has_image(&self, hash: &str, path: &str) -> bool {
        self.facts.contains(&fact("image", hash, path))
    }
}

fn facts(lock: &Lock) -> BTreeSet<String> {
    let pages = lock.pages.keys().filter_map(|path| lock.base(path));
    let slots =
        pages.flat_map(|page| page.slots.into_iter().map(move |it| slot_fact(page.id, &it)));
    let forms = lock.forms.iter().map(|(name, id)| fact("form", name, id));
    let images = lock
        .images
        .iter()
        .flat_map(|(hash, paths)| paths.iter().map(move |path| fact("image", hash, path)));
    slots.chain(forms).chain(images).collect()
}

fn slot_fact(page: ProfileId, entry: &SlotBase) -> String {
    let entry = serde_json::to_string(entry).unwrap_or_default();
    fact("slot", &page.to_string(), &entry)
}

fn fact(kind: &str, name: &str, value: &str) -> String {
    let mut hash = hash_of(format!("{kind}\0{name}\0{value}").as_bytes());
    hash.truncate(DIGITS);
    hash
}
