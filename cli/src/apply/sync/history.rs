//! Earlier versions of the lock, from the commits that HEAD descends from: by them the base of a file follows the commit.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use links_pages::sync::{
    FilePage, KnownBase, LineKey, Lines, Lock, PageBase, RecordHistory, RecordOf,
};

use crate::context::clock;
use crate::context::prelude::*;
use crate::git::{self, Ancestry, NO_COMMIT};
use crate::signal::lock;
use links_pages::form_file::FormFile;
use links_pages::fs::named::normal;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{Document, DocumentError, row_path};

/// How far the clocks of two machines may be apart. Lines from later are not believed.
const SKEW_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The histories that were read last, by the paths of the locks. Each page of a run has the same.
static LAST: Mutex<BTreeMap<PathBuf, Arc<LockHistory>>> = Mutex::new(BTreeMap::new());

/// Forgets the histories beneath a directory.
#[cfg(debug_assertions)]
pub(crate) fn forget(directory: &Path) {
    lock(&LAST).retain(|path, _| !path.starts_with(directory));
}

/// What the commits say of a lock.
#[derive(Debug, Default)]
pub(crate) struct LockHistory {
    /// The versions of the lock, with the names of the commits that have it.
    versions: Vec<(Lock, Vec<String>)>,
    /// The places of HEAD and its ancestors; `None` without a repository.
    places: Option<BTreeSet<u64>>,
    /// The places that were searched for.
    searched: BTreeSet<u64>,
    /// The place of HEAD.
    pub(super) head: u64,
    /// Why not all commits could be read.
    pub(super) gap: Option<String>,
    /// The directory of the lock.
    directory: PathBuf,
}

/// A file whose record is asked for.
pub(super) struct FileHistory<'a> {
    pub(super) of: RecordOf,
    /// What it says now.
    pub(super) said: &'a FilePage,
    /// The path that it has now.
    pub(super) path: PathBuf,
}

impl LockHistory {
    /// Reads the history of a lock that commits may have, or else of the directory of a file whose record is elsewhere. `now` is the record.
    pub(super) fn of(file: &Path, is_lock: bool, now: &Lock) -> Arc<Self> {
        let directory = file.parent().unwrap_or(Path::new("/"));
        let (file, name) = if is_lock { (Some(file), file) } else { (None, directory) };
        let lines = now.lines.values().flat_map(|lines| lines.values().flatten());
        let wanted: BTreeSet<u64> =
            lines.map(|line| line.at).filter(|at| *at != NO_COMMIT).collect();
        let Some(read) = git::with(directory, |history| {
            let head = history.head_place()?;
            if let Some(known) = lock(&LAST).get(name).filter(|it| it.serves(head, &wanted)) {
                return Ok(known.clone());
            }
            let Ancestry { mut places, versions, gap } = history.ancestry(file, wanted.clone())?;
            places.insert(NO_COMMIT);
            // A version that cannot be read says nothing.
            let version = |(content, commits): (Vec<u8>, Vec<String>)| {
                Some((Lock::parse(std::str::from_utf8(&content).ok()?).ok()?, commits))
            };
            Ok(Arc::new(Self {
                versions: versions.into_iter().filter_map(version).collect(),
                places: Some(places),
                searched: wanted.clone(),
                head,
                gap: gap.map(str::to_owned),
                directory: directory.to_owned(),
            }))
        }) else {
            return Arc::default();
        };
        let history = read.unwrap_or_else(|error| {
            let gap = Some(format!("cannot read the Git history: {error}"));
            Arc::new(Self { places: Some([NO_COMMIT].into()), gap, ..Self::default() })
        });
        lock(&LAST).insert(name.to_owned(), history.clone());
        history
    }

    /// Returns whether the history is still that of HEAD, and was read far enough.
    fn serves(&self, head: u64, wanted: &BTreeSet<u64>) -> bool {
        let is_known = |place: &u64| {
            self.searched.contains(place)
                || self.places.as_ref().is_some_and(|places| places.contains(place))
        };
        self.head == head && (self.gap.is_some() || wanted.iter().all(is_known))
    }

    /// Returns the base of a file. `locks` are the records on this machine, that of the working tree first.
    pub(super) fn known(&self, locks: &[&Lock], file: &FileHistory<'_>) -> KnownBase {
        let committed = self.versions.iter().map(|(lock, _)| lock);
        let all: Vec<&Lock> = locks.iter().copied().chain(committed).collect();
        let none = Lines::new();
        let versions = all.iter().map(|lock| lock.lines.get(&file.of).unwrap_or(&none)).collect();
        let end = clock().wall() + SKEW_MAX;
        let history = RecordHistory { versions, places: self.places.as_ref(), end: millis(end) };
        KnownBase::of(&history, |nth| match nth.checked_sub(locks.len()) {
            Some(nth) => self.files(nth, file),
            None if nth == 0 => vec![file.said.clone()],
            None => Vec::new(),
        })
    }

    /// Moves the lines of a file in a lock on to the record `next`. `written` are the keys that a run wrote.
    pub(super) fn put_into(
        &self,
        lock: &mut Lock,
        file: &FileHistory<'_>,
        next: &PageBase,
        written: &BTreeSet<LineKey>,
    ) {
        let now = millis(clock().wall());
        let lines = self.known(&[lock], file).lines_after(next, written, now, self.head);
        lock.lines.extend(lines.map(|lines| (file.of.clone(), lines)));
    }

    /// Returns what the file said in the commits of a version of the lock, in which a page file may have another path.
    fn files(&self, nth: usize, file: &FileHistory<'_>) -> Vec<FilePage> {
        let (lock, commits) = &self.versions[nth];
        let pages = lock.pages.iter().filter(|(_, page)| RecordOf::Page(page.id) == file.of);
        let paths = pages.map(|(key, _)| self.directory.join(key)).chain([file.path.clone()]);
        let mut files = Vec::new();
        for path in paths.collect::<BTreeSet<_>>() {
            let Some(directory) = path.parent() else { continue };
            let contents = git::with(directory, |history| history.contents(&path, commits));
            let contents = contents.and_then(Result::ok).unwrap_or_default();
            let said = |(commit, content): (String, Vec<u8>)| {
                said(&file.of, &path, &content, |used| {
                    git::with(directory, |history| history.at(&commit, used))?.ok()?
                })
            };
            files.extend(contents.into_iter().filter_map(said));
        }
        files
    }
}

/// Returns what a version of a file says, if it can be read. `read` returns another file of the same commit.
pub(crate) fn said(
    of: &RecordOf,
    path: &Path,
    content: &[u8],
    read: impl FnMut(&Path) -> Option<Vec<u8>>,
) -> Option<FilePage> {
    let name = path.display().to_string();
    Some(match of {
        RecordOf::Page(_) => page_with(path, content, read).ok()?.said(),
        RecordOf::Form(_) => {
            FormFile::of(Document::from_bytes(&name, content.to_vec()).ok()?).ok()?.form.said()
        }
    })
}

/// Returns the page file that these bytes are, with the files that it uses as `read` returns them.
pub(crate) fn page_with(
    path: &Path,
    content: &[u8],
    read: impl FnMut(&Path) -> Option<Vec<u8>>,
) -> Result<PageFile, DocumentError> {
    let name = path.display().to_string();
    with_texts(path, read, |roots| PageFile::from_bytes(&name, content.to_vec(), roots))
}

/// Returns the paths of the pages of a file with a table; `None` without one, or if it cannot be read.
pub(crate) fn rows_with(
    path: &Path,
    content: &[u8],
    read: impl FnMut(&Path) -> Option<Vec<u8>>,
) -> Option<Vec<PathBuf>> {
    let document = Document::from_bytes(&path.display().to_string(), content.to_vec()).ok()?;
    let keys = with_texts(path, read, |roots| document.row_keys(roots)).ok()??;
    Some(keys.iter().map(|key| row_path(path, key)).collect())
}

/// Returns what a function makes of the files that a page file uses, as `read` returns them.
fn with_texts<T>(
    path: &Path,
    mut read: impl FnMut(&Path) -> Option<Vec<u8>>,
    make: impl Fn(&ImageRoots) -> T,
) -> T {
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut known: BTreeMap<PathBuf, Option<Vec<u8>>> = BTreeMap::new();
    loop {
        let (texts, asked) = (known.clone(), Arc::new(Mutex::new(BTreeSet::new())));
        let note = asked.clone();
        let roots = ImageRoots::none().with_texts(move |path| {
            texts.get(path).cloned().unwrap_or_else(|| {
                lock(&note).insert(path.to_owned());
                None
            })
        });
        let made = make(&roots);
        let asked = std::mem::take(&mut *lock(&asked));
        if asked.is_empty() {
            return made;
        }
        // Each round reads the files that those of the last one use.
        known.extend(asked.into_iter().map(|used| {
            let found = read(&normal(&directory.join(&used)));
            (used, found)
        }));
    }
}

/// Returns a time in milliseconds since 1970.
pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
