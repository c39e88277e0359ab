//! Store for the runs of a page: a directory with a journal and a backup for each, and a lock.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use uuid::Uuid;

use super::entries::{JournalEntries, JournalError, RunState, decoded, ending, opening_of};
use super::entry::{JournalEntry, RunEnding, RunHeader, short_hash};
use super::file::Journal;
use super::lock::{LockError, PageLock};
use super::sent::SentValues;
use crate::apply::{DesiredPage, DesiredSlot, SlotTypes, literal};
use crate::fs::atomic::sync_directory;
use crate::fs::private::{
    bounded, if_there, make_directory, open_file, open_lock, open_regular, writable,
};
use crate::fs::sync;
use links_sdk::runs::{LockRetry, blocking, crash_point, tear};
use links_sdk::{ProfileId, Slot};

const RUNS: &str = "runs";
const COMMANDS: &str = "writes";
pub(super) const JOURNAL: &str = "jsonl";
const BACKUP: &str = "page.json";
/// Name of the file with the start of the newest name of a run or command of a service.
const ORDER: &str = "order";
/// Number of pages of a service up to which all their journals are looked at for a page of which only the login is known.
const FEW: usize = 1000;
/// Extension of a journal that could not be used when its run was abandoned.
const PUT_ASIDE: &str = "aborted";
/// Time, in seconds since 1970, from which a clock is not believed: the year 2100. The names of much later runs would have a digit more, and
/// sort before the others.
const LATEST: u64 = 4_102_444_800;
/// Maximum length of the name of a run.
const LONGEST_NAME: usize = 64;
/// Line that notes that the record of the file was written after the run: [`JournalEntry::Recorded`].
const RECORDED: &[u8] = b"\"recorded\"\n";
/// Maximum size of a journal in bytes: its plans hold a page of 500 slots each.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The runs of one page.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use links_pages::apply::{Apply, DesiredPage, JournalStore, RunSettings, RunState};
///
/// let state = tempfile::tempdir()?;
/// let file: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}]}"#)?;
/// let settings = RunSettings::new().journal(state.path());
/// let applied = Apply::new(&client.profile("cafe"), file).settings(settings).await?;
///
/// let runs = JournalStore::of(state.path(), client.base_url().as_str(), applied.page.id);
/// let recorded = runs.list()?.remove(0);
/// assert_eq!(Some(&recorded.run), applied.run.as_ref());
/// assert_eq!(recorded.log?.state, RunState::Done);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct JournalStore {
    pub(super) directory: PathBuf,
    /// Directories of the service: of the runs of its pages, and of the other commands.
    pub(super) service: [PathBuf; 2],
}

/// A run with a journal or a backup.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordedRun {
    /// Name of the run.
    pub run: String,
    /// Path of its journal.
    pub path: PathBuf,
    /// The header of the run; empty if it cannot be read.
    pub opening: RunHeader,
    /// The entries of the journal.
    pub log: Result<JournalEntries, JournalError>,
}

/// A run as it was read.
pub(super) struct StoredRun {
    pub(super) run: String,
    path: PathBuf,
    /// Set if the journal was put aside.
    is_aside: bool,
    bytes: io::Result<Vec<u8>>,
}

impl StoredRun {
    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }

    pub(super) fn opening(&self) -> RunHeader {
        opening_of(self.bytes()).unwrap_or_default()
    }

    /// Returns the entry with which the run has ended. Nothing but the ends of its journal is decoded.
    pub(super) fn ending(&self) -> Option<JournalEntry> {
        ending(self.bytes())
    }

    /// Returns whether the record of the file was written after the run.
    fn is_recorded(&self) -> bool {
        self.bytes().ends_with(RECORDED)
    }

    pub(super) fn into_recorded(self) -> RecordedRun {
        let opening = self.opening();
        let Self { run, path, is_aside, bytes } = self;
        let log = match bytes {
            _ if is_aside => Err(JournalError::PutAside),
            Ok(bytes) => JournalEntries::read(&run, &bytes).map(|(log, _)| log),
            Err(error) => Err(JournalError::Io(error)),
        };
        RecordedRun { run, path, opening, log }
    }
}

impl RecordedRun {
    /// Returns whether the run is unfinished, as far as is known.
    pub fn is_open(&self) -> bool {
        self.log
            .as_ref()
            .map_or_else(JournalError::is_open, |log| log.state == RunState::Unfinished)
    }
}

impl JournalStore {
    /// Returns the store of a page, in a directory below `state`. Nothing is created until it is needed.
    pub fn of(state: &Path, service: &str, profile: impl Into<ProfileId>) -> Self {
        let service = of_service(state, short_name(service));
        Self { directory: service[0].join(profile.into().to_string()), service }
    }

    /// Returns the store for commands of a service that write without a run of `apply`, in a directory below `state`.
    pub fn of_commands(state: &Path, service: &str) -> Self {
        let service = of_service(state, short_name(service));
        Self { directory: service[1].clone(), service }
    }

    /// Returns whether this is the store for commands of a service, and not for runs of a page.
    pub fn is_of_commands(&self) -> bool {
        self.directory == self.service[1]
    }

    /// Returns the stores of all pages with any run, and the stores of commands, of one service or of all.
    ///
    /// # Errors
    ///
    /// When a directory cannot be read.
    pub fn all(state: &Path, service: Option<&str>) -> io::Result<Vec<Self>> {
        let mut services = BTreeSet::new();
        match service {
            Some(service) => drop(services.insert(short_name(service).into())),
            None => {
                for kind in [RUNS, COMMANDS] {
                    let directories =
                        entries(&state.join(kind))?.into_iter().filter(|it| it.is_dir());
                    services.extend(directories.filter_map(|it| Some(it.file_name()?.to_owned())));
                }
            }
        }
        let mut all = Vec::new();
        for service in services.iter().map(|name| of_service(state, name)) {
            let directories = entries(&service[0])?.into_iter().chain([service[1].clone()]);
            let directories = directories.filter(|it| it.is_dir());
            all.extend(directories.map(|directory| Self { directory, service: service.clone() }));
        }
        Ok(all)
    }

    /// Returns the runs and commands of a service, oldest first, each with its header and its store. The rest of the journals is not read.
    ///
    /// # Errors
    ///
    /// When a directory cannot be read.
    pub fn headers(
        state: &Path,
        service: &str,
    ) -> io::Result<impl DoubleEndedIterator<Item = (String, RunHeader, Self)>> {
        let mut journals = BTreeMap::new();
        for store in Self::all(state, Some(service))? {
            for path in entries(&store.directory)? {
                if let Some((run, JOURNAL)) = run_of(&path) {
                    journals.insert(run, (store.clone(), path));
                }
            }
        }
        let journals = journals.into_iter();
        Ok(journals.filter_map(|(run, (store, path))| Some((run, header_in(&path)?, store))))
    }

    /// Returns the entries of the journal of a run, added up and one by one.
    pub(crate) fn entries(
        &self,
        run: &str,
    ) -> Result<(JournalEntries, Vec<JournalEntry>), JournalError> {
        let bytes = read(&self.journal(run)).map_err(JournalError::Io)?;
        let (entries, _) = decoded(&bytes)?;
        Ok((JournalEntries::of(run, entries.clone())?, entries))
    }

    /// Removes the journals and backups of all runs and commands of a service, including unfinished ones. Use it for a service that was
    /// reset.
    ///
    /// # Errors
    ///
    /// When a run is in progress (then nothing is removed), or a directory cannot be removed.
    pub fn remove_all(state: &Path, service: &str) -> Result<(), LockError> {
        let failed = |path: &Path, error| LockError::Io { path: path.to_owned(), error };
        let stores =
            Self::all(state, Some(service)).map_err(|error| failed(&state.join(RUNS), error))?;
        let pages = stores.iter().filter(|store| !store.is_of_commands());
        let _locks = pages.map(Self::lock).collect::<Result<Vec<_>, _>>()?;
        for directory in of_service(state, short_name(service)) {
            if_there(fs::remove_dir_all(&directory)).map_err(|error| failed(&directory, error))?;
        }
        Ok(())
    }

    /// Returns each run with a journal or a backup, oldest first.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read. Journals that cannot be used are included as such.
    pub fn list(&self) -> io::Result<Vec<RecordedRun>> {
        Ok(self.stored()?.map(StoredRun::into_recorded).collect())
    }

    /// Returns each run that has not ended as far as is known, oldest first. The plans of the others, up to 50 with 500 slots each,
    /// are not decoded.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub(crate) fn unended(&self) -> io::Result<Vec<RecordedRun>> {
        let unended = self.stored()?.filter(|stored| stored.ending().is_none());
        Ok(unended.map(StoredRun::into_recorded).collect())
    }

    /// Returns whether a run of the page may have been interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.unended().map_or(true, |runs| !runs.is_empty())
    }

    /// Returns each run with a journal or a backup, oldest first. Each is read when it is its turn.
    pub(super) fn stored(&self) -> io::Result<impl DoubleEndedIterator<Item = StoredRun>> {
        let mut runs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for path in entries(&self.directory)? {
            if let Some((run, what)) = run_of(&path) {
                runs.entry(run).or_default().insert(what);
            }
        }
        Ok(runs.into_iter().map(|(run, files)| {
            let is_aside = !files.contains(JOURNAL) && files.contains(PUT_ASIDE);
            let path = self.file(&run, if is_aside { PUT_ASIDE } else { JOURNAL });
            let bytes = if_there(read(&path)).map(Option::unwrap_or_default);
            StoredRun { run, path, is_aside, bytes }
        }))
    }

    /// Returns the values that runs of a page file have sent since its record was written. `base` returns the digest of that record, and is
    /// called only if there was a run. Equal values on the page are not changes of other clients.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub fn sent(&self, file: &str, base: impl Fn() -> String) -> io::Result<SentValues> {
        let (mut journals, mut digest) = (Vec::new(), None);
        for stored in self.synced(file)? {
            if stored.is_recorded() {
                break;
            }
            let Ok(run) = stored.into_recorded().log else { continue };
            // Else the record was written after this run, and after all before it; or it is that of another commit.
            let Some(run) = run.since(digest.get_or_insert_with(&base)) else { break };
            journals.push(run);
        }
        let mut sent = SentValues::default();
        journals.iter().rev().for_each(|run| sent.add(run));
        Ok(sent)
    }

    /// Notes that the record of a page file was written after its runs.
    ///
    /// # Errors
    ///
    /// When a journal cannot be read or written.
    pub fn note_recorded(&self, file: &str) -> io::Result<()> {
        for stored in self.synced(file)? {
            if stored.is_recorded() {
                break;
            }
            if stored.ending().is_some() {
                let mut journal = open_regular(OpenOptions::new().append(true), &stored.path)?;
                journal.write_all(RECORDED)?;
            }
        }
        Ok(())
    }

    /// Returns the journals of the runs of a page file that carried out a merge, the newest first. What one that cannot be read may have sent
    /// counts as sent by others, which is refused rather than overwritten.
    fn synced(&self, file: &str) -> io::Result<impl Iterator<Item = StoredRun>> {
        let is_of_file =
            move |stored: &StoredRun| stored.opening().sync.is_some_and(|run| run.file == file);
        Ok(self.stored()?.rev().filter(is_of_file))
    }

    /// Returns the ends of the journals of pages, by which a run learns whether another one was there. A page without an ID may be any page of
    /// the service; if there are many, it gets none, and is read once more if it has a journal.
    pub(crate) fn marks(
        state: &Path,
        service: &str,
        pages: &[Option<ProfileId>],
    ) -> BTreeMap<ProfileId, JournalPosition> {
        let mut ids: Vec<ProfileId> = pages.iter().copied().flatten().collect();
        if pages.contains(&None) {
            let [of_pages, _] = of_service(state, short_name(service));
            let found = fs::read_dir(of_pages).into_iter().flatten().flatten();
            let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
            let all: Vec<ProfileId> = found.filter_map(id).take(FEW + 1).collect();
            ids.extend(all.iter().filter(|_| all.len() <= FEW));
        }
        ids.into_iter().map(|id| (id, Self::of(state, service, id).mark())).collect()
    }

    /// Returns the current end of the journals.
    pub(crate) fn mark(&self) -> JournalPosition {
        let newest = entries(&self.directory).ok()?.into_iter().rfind(|path| is_journal(path))?;
        let length = fs::metadata(&newest).ok()?.len();
        Some((newest, length))
    }

    /// Returns the page's ID.
    pub fn profile(&self) -> Option<ProfileId> {
        if self.is_of_commands() {
            return None;
        }
        self.directory.file_name()?.to_str()?.parse().ok()
    }

    /// Returns the path of the backup of a run: the page before the run, as a page file.
    pub fn backup(&self, run: &str) -> PathBuf {
        self.file(run, BACKUP)
    }

    /// Locks the page for this process.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, or the directory cannot be written.
    pub fn lock(&self) -> Result<PageLock, LockError> {
        PageLock::take(&self.directory)
    }

    /// Locks the page for this process, on a thread that may block. `wait` tries again while another process holds it.
    pub(crate) async fn lock_when_free(&self, wait: bool) -> Result<PageLock, LockError> {
        let mut retry = LockRetry::default();
        loop {
            let runs = self.clone();
            match blocking(move || runs.lock()).await {
                Err(LockError::Taken(_)) if wait => retry.pause().await,
                Ok(mut lock) => {
                    lock.was_awaited = !retry.waited().is_zero();
                    return Ok(lock);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Begins a journal: the slots as they are and what `content` writes are on the disk when this returns. A run holds the lock on its page
    /// meanwhile. `before` are the slots of the page, if they were read.
    ///
    /// # Errors
    ///
    /// When they cannot be written. A run may send nothing then.
    pub(crate) fn open(
        &self,
        lock: Option<PageLock>,
        opening: RunHeader,
        before: Option<&[Slot]>,
        types: &SlotTypes,
        content: impl FnOnce(&mut Journal) -> io::Result<()>,
    ) -> io::Result<Journal> {
        make_directory(&self.directory)?;
        let is_of_commands = self.is_of_commands();
        self.make_room();
        let run = self.new_name(opening.time);
        let begin = || {
            if let Some(before) = before {
                crash_point("before_write");
                let profile: Value = match opening.profile.get() {
                    0 => opening.login.clone().into(),
                    id => id.into(),
                };
                let slots = DesiredPage::from_page(before, types).slots.into_iter();
                let written = |slot: DesiredSlot| DesiredSlot { data: literal(&slot.data), ..slot };
                // A page file without references.
                let slots: Vec<DesiredSlot> = slots.map(written).collect();
                let backup =
                    serde_json::to_vec_pretty(&json!({ "profile": profile, "slots": slots }))?;
                let mut file = writable().create_new(true).open(self.backup(&run))?;
                tear(&mut file, &backup);
                file.write_all(&backup)?;
                sync(&file, File::sync_all)?;
                crash_point("after_write");
            }
            let file = writable().create_new(true).open(self.journal(&run))?;
            let mut journal = Journal::new(file, JournalEntries::new(&run, opening.clone()), lock);
            journal.write(&JournalEntry::Open(Box::new(opening)))?;
            content(&mut journal)?;
            sync_directory(&self.directory)?;
            Ok(journal)
        };
        // Half a journal of a single write would say that nothing was sent.
        begin().inspect_err(|_| {
            if is_of_commands {
                let _ = self.remove_runs(std::slice::from_ref(&run));
            }
        })
    }

    /// Continues a run that did not end.
    ///
    /// # Errors
    ///
    /// When its journal cannot be read or written.
    pub(crate) fn resume(
        &self,
        lock: Option<PageLock>,
        run: &str,
    ) -> Result<Journal, JournalError> {
        let path = self.journal(run);
        let bytes = read(&path).map_err(JournalError::Io)?;
        let (log, whole) = JournalEntries::read(run, &bytes)?;
        let mut file = open_regular(&mut writable(), &path).map_err(JournalError::Io)?;
        // An incomplete last line must not become a line in the middle.
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(JournalError::Io)?;
        Ok(Journal::new(file, log, lock))
    }

    /// Abandons a run: its journal is closed, or set aside if it cannot be used. Changes that the run has made stay on the page. A single
    /// write has no lock; it is abandoned after the page was checked.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn abort(&self, lock: Option<PageLock>, run: &str) -> io::Result<()> {
        match self.resume(lock, run) {
            Ok(mut journal) => journal.append(JournalEntry::Close { ending: RunEnding::Aborted }),
            Err(_) => fs::rename(self.journal(run), self.file(run, PUT_ASIDE)),
        }
    }

    /// Notes that a page or a record is now as a run wanted it, which ended without that. `is_written` tells whether that run's own
    /// request was executed, if it has a single one and its answer is unknown.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn settle(&self, run: &str, is_written: bool) -> Result<(), JournalError> {
        let mut journal = self.resume(None, run)?;
        let mut ending = JournalEntry::Commit { slots: journal.log.slots };
        if journal.log.write.is_some() && journal.log.is_unsettled() {
            if is_written {
                journal.end(0, BTreeMap::new(), 0, None);
            } else {
                journal.append(JournalEntry::Refused { step: 0 }).map_err(JournalError::Io)?;
                ending = JournalEntry::Close { ending: RunEnding::Stopped };
            }
        }
        journal.append(ending).map_err(JournalError::Io)
    }

    /// Returns the path of a run's journal.
    pub fn journal(&self, run: &str) -> PathBuf {
        self.file(run, JOURNAL)
    }

    fn file(&self, run: &str, what: &str) -> PathBuf {
        self.directory.join(format!("{run}.{what}"))
    }

    /// Returns a name for a new run. It begins with a time that never decreases, so that the names of a service sort in the order of its runs
    /// and commands; its random part makes it unique.
    fn new_name(&self, time: u64) -> String {
        let newest = |directory: &PathBuf| {
            let files = entries(directory).ok()?;
            files.iter().rev().find_map(|path| order_of(&run_of(path)?.0))
        };
        // A part of it, after a crash, has no hyphen, and then all pages are looked at. It is locked until the new one is noted.
        let mut noted = open_lock(&self.service[0].join(ORDER)).ok();
        let mut text = String::new();
        if let Some(file) = &mut noted {
            let _ = file.lock().and_then(|()| Read::take(file, 16).read_to_string(&mut text));
        }
        let last = order_of(&text).or_else(|| {
            let pages = entries(&self.service[0]).unwrap_or_default();
            pages.iter().chain([&self.service[1]]).filter_map(newest).max()
        });
        let time = if time < LATEST { time << 8 } else { 0 };
        let order = last.map_or(time, |last| (last + 1).max(time));
        if let Some(mut file) = noted {
            let _ = file.rewind().and_then(|()| write!(file, "{order:010x}-"));
        }
        format!("{order:010x}-{}", &Uuid::new_v4().simple().to_string()[..16])
    }
}

/// Returns the directories of a service by its short name: of the runs of its pages, and of the other commands.
fn of_service(state: &Path, name: impl AsRef<Path>) -> [PathBuf; 2] {
    [RUNS, COMMANDS].map(|kind| state.join(kind).join(&name))
}

fn short_name(service: &str) -> String {
    short_hash(service.as_bytes())[..16].to_owned()
}

/// Returns the paths in a directory, by name; none if the directory is missing.
pub(super) fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(entries) = if_there(fs::read_dir(directory))? else { return Ok(Vec::new()) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads a journal. Anything else in its place - a pipe, a device, a directory, a huge file - is refused without waiting for it.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    bounded(open_file(path)?, MAX_BYTES)
}

/// Reads the header of a journal, and nothing else of it.
fn header_in(path: &Path) -> Option<RunHeader> {
    let mut line = Vec::new();
    let file = open_file(path).ok()?;
    BufReader::new(file.take(MAX_BYTES)).read_until(b'\n', &mut line).ok()?;
    opening_of(&line)
}

/// Returns whether a text has the form of the names that runs have.
pub(crate) fn is_run_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    name.len() <= LONGEST_NAME && name.bytes().all(is_plain) && order_of(name).is_some()
}

/// Newest journal and its length. Journals only grow, and new ones sort last, so that any run changes the position.
pub(crate) type JournalPosition = Option<(PathBuf, u64)>;

/// Returns the time at which a run began, in 256ths of a second.
pub(super) fn order_of(run: &str) -> Option<u64> {
    u64::from_str_radix(run.split_once('-')?.0, 16).ok()
}

/// Returns the run that a file belongs to, and the kind of the file.
fn run_of(path: &Path) -> Option<(String, &'static str)> {
    let (run, what) = path.file_name()?.to_str()?.split_once('.')?;
    let known = [JOURNAL, BACKUP, PUT_ASIDE].into_iter().find(|it| *it == what)?;
    order_of(run)?;
    Some((run.to_owned(), known))
}

pub(super) fn is_journal(path: &Path) -> bool {
    run_of(path).is_some_and(|(_, what)| what == JOURNAL)
}
