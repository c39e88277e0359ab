//! The record of the last sync of a page file: in the `links.lock` that governs the file, else in the state directory.

use std::sync::Arc;

use links_pages::apply::{JournalStore, PlanError, PlanOptions, SentValues, SlotTypes};
use links_pages::sync::{
    FilePage, HashPair, KnownBase, LineContent, LineKey, LivePage, Lock, Merge, PageBase, PageName,
    Pull, RecordOf, SlotBase, ValueHash, sent_keys,
};
use links_sdk::FormId;

use super::history::{FileHistory, LockHistory};
use super::lock_store::{absolute, as_on_disk, from_here};
use super::page_path::is_there;
use super::state_records::StateRecords;
use super::{LockStore, LockWrites, MergedPage, OpenedText, Since};
use crate::apply::{problems, runs};
use crate::context::prelude::*;
use crate::git;
use links_pages::page_file::page::is_holdable;
use links_pages::page_file::{FileScope, Image};
use links_pages::profile_key;
use links_pages::sanitize::quoted;

/// Hint for a file that a pull cannot change.
pub(super) const REPLACES: &str = "use --force to replace the whole file";

/// The record of the last sync of a page file or form file, as it was read when the command began.
#[derive(Debug)]
pub(crate) struct SyncRecord {
    place: RecordPlace,
    /// Name of the file in the record.
    key: String,
    pub(super) lock: Arc<Lock>,
    /// The lock without what was changed in it since it was read.
    read: Arc<Lock>,
    /// What commits say of the lock.
    pub(super) history: Arc<LockHistory>,
    /// What runs here wrote into the lock.
    lock_writes: LockWrites,
    /// What runs with `--locked` recorded.
    beyond_lock: Option<Lock>,
    /// What runs of the file have sent since the record was written.
    sent: SentValues,
}

/// Place of the record of a file.
#[derive(Debug)]
enum RecordPlace {
    /// The `links.lock` that governs the file.
    Lock(LockStore),
    /// The state directory, where no `links.lock` does.
    State(StateRecords),
    /// The text that was opened in an editor.
    Opened(OpenedText),
}

impl RecordPlace {
    /// Returns the place for the record of a file; `None` if there is none.
    fn of(context: &Context, file: &Path) -> Option<Self> {
        match LockStore::of(file) {
            Some(store) => Some(Self::Lock(store)),
            None => StateRecords::of(context, &absolute(file)?).map(Self::State),
        }
    }

    /// Returns the name of the file in the record; `None` if a `links.lock` can't have it.
    fn key(&self, file: &Path) -> Option<String> {
        match self {
            Self::Lock(store) => store.key(file),
            Self::State(records) => records.file().to_str().map(str::to_owned),
            Self::Opened(_) => None,
        }
    }

    /// Returns the path of the file that has a name in the record.
    fn path_of(&self, key: &str) -> PathBuf {
        self.lock().map_or_else(|| key.into(), |store| store.path_of(key))
    }

    /// Returns the `links.lock` that governs the file, if there is one.
    fn lock(&self) -> Option<&LockStore> {
        if let Self::Lock(store) = self { Some(store) } else { None }
    }
}

impl SyncRecord {
    /// Returns the record of a file, which may be empty; `None` if there is no place for one.
    pub(crate) fn of(context: &Context, file: &Path) -> Result<Option<Box<Self>>> {
        let Some(place) = RecordPlace::of(context, file) else { return Ok(None) };
        let Some(key) = place.key(file) else {
            let message = format!("the name of {} is not Unicode", file.display());
            return Err(CommandError::refused(message)
                .with_hint("rename the file: links.lock can only record Unicode names"));
        };
        let mut record = Self::new(place, key, Lock::default());
        record.read_again(context)?;
        Ok(Some(Box::new(record)))
    }

    /// Returns the record of a page whose text was opened in an editor.
    pub(crate) fn opened(text: OpenedText) -> Box<Self> {
        let (mut lock, base) = (Lock::default(), text.base());
        let key = base.login.clone();
        lock.pages.insert(key.clone(), PageName { id: base.id, login: base.login });
        Box::new(Self::new(RecordPlace::Opened(text), key, lock))
    }

    fn new(place: RecordPlace, key: String, lock: Lock) -> Self {
        let lock = Arc::new(lock);
        Self {
            place,
            key,
            read: lock.clone(),
            lock,
            history: Arc::default(),
            lock_writes: LockWrites::default(),
            beyond_lock: None,
            sent: SentValues::default(),
        }
    }

    /// Returns the text that was opened in an editor, if the record is that of one.
    pub(crate) fn text(&self) -> Option<&OpenedText> {
        if let RecordPlace::Opened(text) = &self.place { Some(text) } else { None }
    }

    /// Reads the record again: another run may have changed it before this one had the page to itself. Refuses a lock of another user.
    pub(crate) fn read_again(&mut self, context: &Context) -> Result<()> {
        let (lock, file) = match &self.place {
            RecordPlace::Lock(store) => (store.read_own(context)?, store.path()),
            RecordPlace::State(records) => {
                (Arc::new(records.own(context)?), records.file().to_owned())
            }
            RecordPlace::Opened(_) => return Ok(()),
        };
        self.history = LockHistory::of(&file, self.is_in_lock(), &lock);
        (self.read, self.lock) = (lock.clone(), lock);
        if let Some(store) = self.place.lock() {
            self.lock_writes = LockWrites::of(context, &store.path());
            let records = self.state_records(context);
            self.beyond_lock = records.map(|it| it.beyond_lock()).transpose()?.flatten();
        }
        Ok(())
    }

    /// Changes the record of a page or form. In the state directory nothing else stays in it.
    pub(super) fn update(
        &self,
        context: &Context,
        of: Option<RecordOf>,
        change: impl FnOnce(&mut Lock),
    ) -> Result<()> {
        match (&self.place, of) {
            (RecordPlace::Lock(store), _) => store.update(context, change),
            (RecordPlace::State(records), Some(of)) => {
                let mut lock = Lock { forms: BTreeMap::new(), ..Lock::clone(&self.lock) };
                lock.pages.retain(|_, page| of == RecordOf::Page(page.id));
                lock.lines.retain(|other, _| *other == of);
                change(&mut lock);
                if lock == *self.lock { Ok(()) } else { records.put_own(context, &of, &lock) }
            }
            (RecordPlace::State(_) | RecordPlace::Opened(_), _) => Ok(()),
        }
    }

    /// Refuses a record that another run has written since it was read.
    pub(crate) fn check_unchanged(&self, context: &Context) -> Result<()> {
        let is_same = |now: Box<Self>| {
            now.read.digest(&self.key) == self.read.digest(&self.key)
                && now.beyond_lock == self.beyond_lock
        };
        if Self::of(context, &self.file_path())?.is_some_and(is_same) {
            return Ok(());
        }
        let file = from_here(&self.file_path());
        Err(CommandError::changed(format!("the record of {}", file.display())))
    }

    /// Returns the `links.lock` that governs the file, if there is one.
    pub(crate) fn lock(&self) -> Option<(&LockStore, &Lock)> {
        Some((self.place.lock()?, &self.lock))
    }

    /// Returns whether a `links.lock` governs the file.
    pub(crate) fn is_in_lock(&self) -> bool {
        self.place.lock().is_some()
    }

    /// Returns whether the lock may say of a form what no run here wrote into it.
    pub(crate) fn is_form_of_others(&self, name: &str, id: &str) -> bool {
        self.place.lock().is_some_and(LockStore::is_shared) && !self.lock_writes.has_form(name, id)
    }

    /// Returns whether a run here wrote the entry of a slot into the lock.
    pub(crate) fn is_written_here(&self, page: ProfileId, entry: &SlotBase) -> bool {
        self.lock_writes.has_slot(page, entry)
    }

    /// Returns why earlier commits of the record are unknown, if they are.
    pub(crate) fn gap(&self) -> Option<&str> {
        self.history.gap.as_deref()
    }

    /// Reads what runs of the file have sent to its page since the record was written.
    pub(crate) fn read_sent(&mut self, context: &Context, page: ProfileId) -> Result<()> {
        if let (Some(runs), Some(_), None) = (journals(context, page), self.page(), self.text()) {
            let sent = runs.sent(&self.run_file(), || self.digest());
            self.sent = sent.map_err(runs::list_error)?;
        }
        Ok(())
    }

    /// Returns a digest of what the record says of the file.
    pub(crate) fn digest(&self) -> String {
        self.lock.digest(&self.key)
    }

    /// Returns the path of the page file.
    pub(crate) fn file_path(&self) -> PathBuf {
        self.place.path_of(&self.key)
    }

    /// Returns the record with what runs with `--locked` recorded besides.
    pub(crate) fn recorded(&self) -> String {
        let beyond_lock = self.beyond_lock.as_ref().map(ToString::to_string);
        self.digest() + &beyond_lock.unwrap_or_default()
    }

    /// Returns the paths that change when the record is written: those of the `links.lock` and of the directory of records.
    pub(crate) fn watched_paths(&self, context: &Context) -> impl Iterator<Item = PathBuf> {
        let records = self.state_records(context).map(|it| it.directory);
        self.place.lock().map(LockStore::path).into_iter().chain(records)
    }

    /// Returns the page file, as journals of runs name it.
    pub(crate) fn run_file(&self) -> String {
        git::on_branch(&self.file())
    }

    /// Returns the page file.
    pub(crate) fn file(&self) -> String {
        self.file_path().display().to_string()
    }

    /// Returns what was recorded of the page; `None` if there was no sync. `said` is what the file says.
    fn known(&self, page: ProfileId, said: &FilePage) -> Option<KnownBase> {
        if let RecordPlace::Opened(text) = &self.place {
            let mut known = KnownBase::default();
            known.base = text.base();
            return Some(known);
        }
        let locks: Vec<&Lock> = std::iter::once(&*self.lock).chain(&self.beyond_lock).collect();
        let mut known = self.history.known(&locks, &self.file_history(RecordOf::Page(page), said));
        // The record of another page says nothing of this one.
        let name = locks.iter().find_map(|it| it.pages.get(&self.key).filter(|it| it.id == page));
        (known.base.id, known.base.login) =
            (page, name.map(|it| it.login.clone()).unwrap_or_default());
        (name.is_some() || !known.is_empty()).then_some(known)
    }

    pub(super) fn file_history<'a>(&self, of: RecordOf, said: &'a FilePage) -> FileHistory<'a> {
        FileHistory { of, said, path: self.file_path() }
    }

    /// Returns the page of which there is a record, if there is one.
    pub(crate) fn page(&self) -> Option<&PageName> {
        self.lock.pages.get(&self.key)
    }

    /// Returns the key by which the page of a file is read below a `links.lock`, or that of a text that was opened: its recorded id, because a
    /// login can change.
    pub(crate) fn page_key(&self, file: &PageFile) -> Option<ProfileKey> {
        let is_text_of_it = self.text().is_some() && self.is_of(&file.page.profile);
        let is_that_page = self.is_in_lock() || is_text_of_it;
        self.page().filter(|_| is_that_page).map(|base| ProfileKey::Id(base.id))
    }

    /// Returns the id of the page that a file was last applied to. Without a `links.lock` a file that names another page is for that one; a file
    /// that says which login its page should have is not, because its page was renamed.
    pub(crate) fn known_page(&self, file: &PageFile) -> Option<ProfileId> {
        let base = self.page()?;
        let is_same =
            self.is_in_lock() || file.page.login.is_some() || self.is_of(&file.page.profile);
        is_same.then_some(base.id)
    }

    /// Returns a hint for a page that is not there, although it is recorded.
    pub(crate) fn gone_hint(&self) -> Option<String> {
        let base = self.page().filter(|_| self.is_in_lock())?;
        Some(format!(
            "links.lock records it as page {} ({}); if the page was deleted, also delete {}, then run `links init --refresh` to remove the record",
            base.id, base.login, self.key
        ))
    }

    /// Returns whether there is a record of the page that a key names.
    pub(crate) fn is_of(&self, page: &ProfileKey) -> bool {
        self.page().is_some_and(|base| profile_key::names(page, base.id, &base.login))
    }

    /// Takes the record of a page whose file was moved or renamed. Refuses a page that another file has too.
    fn claim(&mut self, page: &PageSnapshot) -> Result<()> {
        let other = self.is_in_lock().then(|| self.other_file(page.id));
        let Some(other) = other.flatten() else { return Ok(()) };
        if has_name(&self.place.path_of(&other)) {
            let message = format!(
                "{} and {other} are both files for the page {} (ID {}); nothing was written",
                self.key, page.login, page.id
            );
            return Err(CommandError::refused(message).with_hint(
                "keep only one of them, or move the other to a directory of its own and run `links init` there",
            ));
        }
        let pages = &mut Arc::make_mut(&mut self.lock).pages;
        if let Some(name) = pages.remove(&other) {
            pages.entry(self.key.clone()).or_insert(name);
        }
        Ok(())
    }

    /// Returns another file for which there is a record of the page.
    fn other_file(&self, page: ProfileId) -> Option<String> {
        if let RecordPlace::State(records) = &self.place {
            return records.other_file(page);
        }
        let mut pages = self.lock.pages.iter();
        let (key, _) = pages.find(|(key, base)| base.id == page && **key != self.key)?;
        Some(key.clone())
    }

    /// Returns the error for a page of which no plan can be made.
    pub(crate) fn unplannable(&self, error: &PlanError, file: &PageFile) -> CommandError {
        problems::unplannable(error, file, &|id| self.page_of_slot(id))
    }

    /// Says which other page has a slot, by the lock.
    fn page_of_slot(&self, slot: SlotId) -> Option<String> {
        let is_held = |page: &PageName| {
            let lines = self.lock.lines.get(&RecordOf::Page(page.id));
            let lines = lines.and_then(|lines| lines.get(&LineKey::Slot(slot)));
            lines.into_iter().flatten().any(|line| line.content != LineContent::Gone)
        };
        let mut pages = self.lock.pages.iter();
        let (file, page) = pages.find(|(file, page)| **file != self.key && is_held(page))?;
        Some(format!(
            "slot {slot} is on the page {} ({file}), and slots can't move between pages; remove `id` to create it here, with a new ID and without click statistics",
            page.login
        ))
    }

    /// Returns whether another file that exists has a record of the page.
    pub(crate) fn has_other_file(&self, page: ProfileId) -> bool {
        self.other_file(page).is_some_and(|other| has_name(&self.place.path_of(&other)))
    }

    /// Returns whether another client gave the page of a file, which names the recorded login, another one.
    pub(crate) fn is_renamed(&self, file: &PageFile, page: &PageSnapshot) -> bool {
        let base = self.page().filter(|it| self.is_in_lock() && it.id == page.id);
        base.is_some_and(|it| names(file, &it.login)) && !self.is_named(file, page)
    }

    /// Returns whether a file names a page.
    fn is_named(&self, file: &PageFile, page: &PageSnapshot) -> bool {
        // A file that was renamed before still names the first login, and the record the one since.
        let is_recorded =
            || self.page().is_some_and(|it| it.login.eq_ignore_ascii_case(&page.login));
        file.page.profile == ProfileKey::Id(page.id)
            || names(file, &page.login)
            || file.page.login.is_some() && is_recorded()
    }

    /// Refuses a page that was renamed since.
    pub(crate) fn check_login(&self, file: &PageFile, page: &PageSnapshot) -> Result<()> {
        let Some(base) = self.page().filter(|_| self.is_renamed(file, page)) else {
            return Ok(());
        };
        let (key, id, before, login) = (&self.key, base.id, &base.login, &page.login);
        let message = format!(
            "the page {before} (ID {id}) was renamed to {login}, but {key} still names {before}; nothing was written to the page"
        );
        let path = from_here(&self.file_path()).display().to_string();
        Err(CommandError::refused(message).with_hint(format!(
            "run `links pull {}` to write the new login to the file",
            quoted(&path)
        )))
    }

    /// Refuses a page that is not that of the file.
    pub(crate) fn check_page(&mut self, file: &PageFile, page: &PageSnapshot) -> Result<()> {
        self.claim(page)?;
        if let RecordPlace::State(_) = self.place {
            // A file may be used for another page: then there is no record of the two.
            Arc::make_mut(&mut self.lock).pages.retain(|_, base| base.id == page.id);
            return Ok(());
        }
        let (key, id, login, named) = (&self.key, page.id, &page.login, &file.page.profile);
        let is_text = self.text().is_some();
        let (message, hint) = match self.page().filter(|base| base.id != id) {
            Some(PageName { id: other, login: name, .. }) if is_text => (
                format!(
                    "this is the text of the page {name} (ID {other}), not of {login} (ID {id})"
                ),
                "to change another page, run `links slots apply FILE`",
            ),
            Some(PageName { id: other, .. }) => (
                format!("links.lock records page {other} for {key}, not page {id} ({login})"),
                "use a separate file for the other page",
            ),
            None if is_text || self.is_named(file, page) || self.is_renamed(file, page) => {
                return Ok(());
            }
            None => (
                format!("{key} is used for the page {login} (ID {id}), but names {named}"),
                "write the page's login in the file, or use a separate file for the other page",
            ),
        };
        let message = format!("{message}; nothing was written");
        Err(CommandError::refused(message).with_hint(hint))
    }

    /// Decides what a pull changes in a file, as far as the command takes the file and apart from keys and fields that are `refused`. Values that no page file can hold are not taken over.
    pub(super) fn pull(
        &self,
        file: &PageFile,
        page: &PageSnapshot,
        types: &SlotTypes,
        refused: &BTreeSet<(Option<usize>, String)>,
    ) -> Result<Pull> {
        let (said, live) = file.compared(page);
        let known = self.known(page.id, &said);
        let base = known.map(|known| known.base.with_sent(&self.sent, &said, &live, types));
        let without = |refused: &_| {
            Pull::new(base.as_ref(), &said, &live, types, refused)
                .map_err(|error| self.unplannable(&error, file).with_hint(REPLACES))
        };
        let pull = without(refused)?;
        let left = pull.fields.iter().filter(|(key, value)| !is_holdable(key, value));
        let left = left.map(|(key, _)| (None, key.clone()));
        let refused = refused.iter().cloned().chain(left).collect();
        let mut pull = without(&refused)?;
        let is_refused = refused.contains(&(None, "profile".to_owned()));
        if self.is_renamed(file, page) && !is_refused {
            pull.fields.0.insert("profile".to_owned(), page.login.as_str().into());
        }
        Ok(pull)
    }

    /// Records a file and its page as far as they agree. What differs counts as changed on both sides.
    pub(crate) fn rebuild(
        &self,
        context: &Context,
        file: &PageFile,
        page: &PageSnapshot,
        types: SlotTypes,
    ) -> Result<()> {
        let (said, live) = file.compared(page);
        let options = PlanOptions { types, ..PlanOptions::default() };
        let merge = Merge::new(None, &said, &live, &options)
            .map_err(|error| self.unplannable(&error, file))?;
        let mut base = agreed(merge, &said, &live, &options.types);
        let known = self.known(page.id, &said).unwrap_or_default().base;
        if !file.page.has_slots {
            base.slots = known.slots;
        }
        if file.scope == FileScope::Slots {
            base.fields = known.fields;
        }
        self.put(context, (file, page), &base, &BTreeSet::new(), false)
    }

    /// Writes the record of a file that took over what changed on its page.
    pub(crate) fn store_pull(
        &self,
        context: &Context,
        pages: (&PageFile, &PageSnapshot),
        pull: &Pull,
    ) -> Result<()> {
        self.put(context, pages, &pull.base, &BTreeSet::new(), false)
    }

    /// Writes the record of a sync of a file with its page; that of a run with `--locked` beside the lock, which stays as it is. `written` are the
    /// keys that the run wrote.
    fn put(
        &self,
        context: &Context,
        (file, page): (&PageFile, &PageSnapshot),
        base: &PageBase,
        written: &BTreeSet<LineKey>,
        is_locked: bool,
    ) -> Result<()> {
        if self.text().is_some() {
            return Ok(());
        }
        let ((said, _), records) = (file.compared(page), self.state_records(context));
        // Moves the lines of the page on to this record.
        let put_into = |lock: &mut Lock| {
            let file = self.file_history(RecordOf::Page(base.id), &said);
            self.history.put_into(lock, &file, base, written);
            let name = PageName { id: base.id, login: base.login.clone() };
            lock.pages.insert(self.key.clone(), name);
        };
        if is_locked {
            let (Some(_), Some(records)) = (self.page(), records) else { return Ok(()) };
            let mut lock = self.beyond_lock.clone().unwrap_or_else(|| Lock::clone(&self.lock));
            put_into(&mut lock);
            if lock != *self.lock {
                lock.pages.retain(|key, _| *key == self.key);
                lock.forget_unnamed();
                records.put_beyond_lock(context, &lock)?;
            }
        } else {
            self.update(context, Some(RecordOf::Page(base.id)), |lock| {
                // The file of the page was moved; two files of one page are refused before.
                lock.pages.retain(|key, page| *key == self.key || page.id != base.id);
                put_into(lock);
                for (hash, path) in image_paths(file) {
                    lock.images.entry(hash).or_default().insert(path);
                }
            })?;
            if let (Some(_), Some(records)) = (&self.beyond_lock, records) {
                records.forget_beyond_lock()?;
            }
        }
        // A journal that cannot be written costs that what the run sent is looked at again.
        let _ = journals(context, base.id).map(|runs| runs.note_recorded(&self.run_file()));
        Ok(())
    }

    /// Returns whether the record is as a sync that leaves this base would write it.
    fn is_written(&self, file: &PageFile, base: &PageBase) -> bool {
        let has_marks = || self.place.lock().is_some_and(LockStore::has_marks);
        let has_image = |(hash, path): &(String, String)| {
            self.lock.images.get(hash).is_some_and(|paths| paths.contains(path))
        };
        self.beyond_lock.is_none()
            && self.lock.pages == self.read.pages
            && self.sent == SentValues::default()
            && self.page().is_some_and(|it| it.id == base.id && it.login == base.login)
            && image_paths(file).iter().all(has_image)
            && !has_marks()
    }

    fn state_records(&self, context: &Context) -> Option<StateRecords> {
        StateRecords::of(context, &self.file())
    }

    /// Forgets the paths of images with this content: the service does not have them any more.
    pub(crate) fn forget_images(&self, context: &Context, hashes: &[&str]) -> Result<()> {
        let of = self.page().map(|page| RecordOf::Page(page.id));
        self.update(context, of, |lock| {
            lock.images.retain(|hash, _| !hashes.contains(&&**hash));
        })
    }

    /// Returns the id of the form of a local name.
    pub(crate) fn form(&self, name: &str) -> Option<&str> {
        self.lock.forms.get(name).map(FormId::as_str)
    }

    /// Returns the paths on the service of an image with this content.
    pub(crate) fn images(&self, hash: &str) -> impl Iterator<Item = &str> {
        // The file may come from others: what cannot be the path of an upload is uploaded anew instead of being written to the page.
        let is_upload = |path: &&str| {
            let is_relative = !path.starts_with('/') && !path.contains([':', '\\']);
            is_relative && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
        };
        let paths = self.lock.images.get(hash).into_iter().flatten();
        paths.map(String::as_str).filter(is_upload)
    }

    /// Returns those of the [paths](Self::images) that are on the page, or that a run here has recorded. What somebody else's lock says may be
    /// another image, and the image is uploaded instead.
    pub(crate) fn images_of(&self, hash: &str, page: &PageSnapshot) -> impl Iterator<Item = &str> {
        let is_on_page = |path: &str| {
            let values = page.slots.iter().flat_map(|slot| slot.data.values());
            page.record.values().chain(values).any(|value| holds(value, path))
        };
        let is_shared = self.place.lock().is_some_and(LockStore::is_shared);
        let is_own = move |path: &str| !is_shared || self.lock_writes.has_image(hash, path);
        self.images(hash).filter(move |path| is_on_page(path) || is_own(path))
    }

    /// Merges a file with its page.
    pub(crate) fn merge(
        &self,
        file: &PageFile,
        page: &PageSnapshot,
        options: &PlanOptions,
    ) -> Result<MergedPage, PlanError> {
        let (said, live) = file.compared(page);
        let known = self.known(page.id, &said);
        let is_unsure = known.as_ref().is_some_and(|known| known.is_unsure(&live));
        let with_sent =
            |known: &KnownBase| known.base.with_sent(&self.sent, &said, &live, &options.types);
        let base = known.as_ref().map(with_sent);
        let merge = Merge::new(base.as_ref(), &said, &live, options)?;
        let since = if self.text().is_some() { Since::Opened } else { Since::Sync };
        let recorded = known.map(|known| known.base.slots).unwrap_or_default();
        Ok(MergedPage { base, recorded, is_unsure, merge, since })
    }

    /// Writes the record of a sync that was carried out and verified.
    pub(crate) fn store(
        &self,
        context: &Context,
        file: &PageFile,
        merged: &MergedPage,
        after: &PageSnapshot,
        created: &BTreeMap<usize, SlotId>,
        options: &PlanOptions,
    ) -> Result<()> {
        let (said, live) = file.compared(after);
        let MergedPage { base: before, merge, .. } = merged;
        let base = merge.base_after(before.as_ref(), &said, &live, created, &options.types);
        let written = merge.written();
        // A value that was put back moves, though its record says the same as before.
        if written.is_empty() && before.as_ref() == Some(&base) && self.is_written(file, &base) {
            return Ok(());
        }
        self.put(context, (file, after), &base, &written, is_locked(options))
    }

    /// Records what a run has written to a page before it ended. `page` is the page as the run knows it.
    pub(crate) fn store_sent(
        &mut self,
        context: &Context,
        file: &PageFile,
        merged: &MergedPage,
        page: &PageSnapshot,
        options: &PlanOptions,
    ) -> Result<()> {
        // Without a record the next run finds the slots by their content.
        let Some(before) = &merged.base else { return Ok(()) };
        self.read_sent(context, page.id)?;
        let (said, live) = file.compared(page);
        let base = before.with_sent(&self.sent, &said, &live, &options.types);
        if base == *before {
            return Ok(());
        }
        let written = sent_keys(&self.sent);
        self.put(context, (file, page), &base, &written, is_locked(options))
    }
}

/// Returns whether a run leaves the lock as it is.
fn is_locked(options: &PlanOptions) -> bool {
    options.sync.as_ref().is_some_and(|run| run.locked)
}

fn journals(context: &Context, page: ProfileId) -> Option<JournalStore> {
    Some(JournalStore::of(&runs::directory(context).ok()?, &runs::service(context)?, page))
}

/// Returns whether the file of a page exists with exactly the name that a path has.
fn has_name(path: &Path) -> bool {
    is_there(path) && as_on_disk(path.to_owned()) == path
}

/// Returns whether a file names a login, as that of its page or as the one that its page should have.
fn names(file: &PageFile, login: &str) -> bool {
    let is_profile =
        matches!(&file.page.profile, ProfileKey::Login(named) if named.eq_ignore_ascii_case(login));
    is_profile || file.page.login.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(login))
}

/// Returns the record with which a file and its page or form agree as far as they are equal. What differs counts as changed on both sides.
pub(super) fn agreed(
    mut merge: Merge,
    said: &FilePage,
    live: &LivePage,
    types: &SlotTypes,
) -> PageBase {
    // Nothing is written, so that only what is equal counts as agreed.
    merge.desired.slots.clear();
    merge.items.clear();
    merge.fields = Object::default();
    let mut base = merge.base_after(None, said, live, &BTreeMap::new(), types);
    for entry in &mut base.slots {
        let slot = live.slots.iter().find(|slot| slot.id == entry.id);
        let on_page = |key: &str| ValueHash::of_option(slot.and_then(|slot| slot.data.get(key)));
        entry.keys.retain(|key, pair| pair.page == on_page(key));
    }
    base.forget_order(live);
    // The pairs of fields that differ become ones of which neither half is what its side has.
    for (key, pair) in &mut base.fields {
        let page = live.fields.get(key).map(ValueHash::of);
        if let Some(page) = page.filter(|page| pair.file.is_some() && *page != pair.page) {
            *pair = HashPair { file: Some(page), page: pair.page };
        }
    }
    base
}

/// Returns whether a value is this text or contains it as a value.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string == text,
        Value::Array(values) => values.iter().any(|value| holds(value, text)),
        Value::Object(fields) => fields.values().any(|value| holds(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the paths of the images of a file that the service has, each with the hash of its content.
fn image_paths(file: &PageFile) -> Vec<(String, String)> {
    let path = |image: &Image| {
        let data = image.place.data(&file.page.content)?;
        let path = image.place.value(data)?.as_str()?;
        Some((image.local.hash.clone(), path.to_owned()))
    };
    file.images.iter().filter(|it| it.is_uploaded).filter_map(path).collect()
}
