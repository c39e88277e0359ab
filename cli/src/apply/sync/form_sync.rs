//! The record of the last sync of a form file: in the `links.lock` that governs it, else in the state directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use links_pages::apply::{PlanOptions, SlotTypes};
use links_pages::form_file::DesiredForm;
use links_pages::sync::{FilePage, LineKey, Lock, Merge, PageBase, RecordOf};
use links_sdk::FormId;
use links_sdk::types::LeadForm;

use super::history::{FileHistory, LockHistory};
use super::lock_store::absolute;
use super::{LockStore, StateRecords};
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;

/// The record of a form file.
#[derive(Debug)]
pub(crate) struct FormSync {
    place: FormPlace,
    lock: Arc<Lock>,
    /// The path of the file, absolute and without links in its directory.
    pub(crate) path: PathBuf,
    history: Arc<LockHistory>,
}

/// Place of the record of a form file.
#[derive(Debug)]
enum FormPlace {
    /// The `links.lock` that governs the file.
    Lock(LockStore),
    /// The state directory, where no `links.lock` does.
    State(StateRecords),
}

impl FormSync {
    /// Returns the record of a form file, which may be empty; `None` if there is no place for one.
    pub(crate) fn of(context: &Context, path: &Path) -> Result<Option<Self>, CommandError> {
        if let Some((store, lock)) = LockStore::read_for(context, path)? {
            let history = LockHistory::of(&store.path(), &lock);
            let path = store.key(path).map_or_else(|| path.to_owned(), |key| store.path_of(&key));
            return Ok(Some(Self { place: FormPlace::Lock(store), lock, path, history }));
        }
        let service = runs::service(context).unwrap_or_default();
        let records = absolute(path).and_then(|key| StateRecords::of(context, &service, &key));
        let Some(records) = records else { return Ok(None) };
        let (lock, path) = (Arc::new(records.own(context)?), records.file().to_owned());
        let directory = path.parent().unwrap_or(Path::new("/"));
        let history = LockHistory::of_directory(directory, None, &lock);
        Ok(Some(Self { place: FormPlace::State(records), lock, path, history }))
    }

    /// Returns the `links.lock` that governs the file, if there is one.
    pub(crate) fn lock(&self) -> Option<(&LockStore, &Lock)> {
        match &self.place {
            FormPlace::Lock(store) => Some((store, &self.lock)),
            FormPlace::State(_) => None,
        }
    }

    /// Returns the id that the record has for a name.
    pub(crate) fn id(&self, name: &str) -> Option<&FormId> {
        self.lock.forms.get(name)
    }

    /// Returns what was recorded of a form; `None` if there was no sync. `said` is what the file says.
    pub(crate) fn base(&self, id: &FormId, said: &FilePage) -> Option<PageBase> {
        let known = self.history.known(&[&self.lock], &self.file_history(id, said));
        (!known.is_empty()).then_some(known.base)
    }

    fn file_history<'a>(&self, id: &FormId, said: &'a FilePage) -> FileHistory<'a> {
        FileHistory { of: RecordOf::Form(id.clone()), said, path: self.path.clone() }
    }

    /// Returns why earlier commits of the record are unknown, if they are.
    pub(crate) fn gap(&self) -> Option<&str> {
        self.history.gap()
    }

    /// Records that a file and its form agree as far as a merge says, after its changes were written. `form` is the form after them.
    pub(crate) fn store(
        &self,
        context: &Context,
        file: &DesiredForm,
        form: &LeadForm,
        merge: &Merge,
    ) -> Result<(), CommandError> {
        let (said, live) = file.compared(form);
        let base = self.base(&form.id, &said);
        let types = SlotTypes::default();
        let next = merge.base_after(base.as_ref(), &said, &live, &[].into(), &types);
        self.put(context, &file.name, &form.id, (&said, &next), &merge.written())
    }

    /// Records a new file, which says what its form holds.
    pub(crate) fn begin(
        &self,
        context: &Context,
        file: &DesiredForm,
        form: &LeadForm,
    ) -> Result<(), CommandError> {
        let (said, live) = file.compared(form);
        let merge = Merge::new(None, &said, &live, &PlanOptions::default()).unwrap_or_default();
        self.store(context, file, form, &merge)
    }

    /// Writes the record of a form.
    pub(crate) fn put(
        &self,
        context: &Context,
        name: &str,
        id: &FormId,
        (said, next): (&FilePage, &PageBase),
        written: &BTreeSet<LineKey>,
    ) -> Result<(), CommandError> {
        let change = |lock: &mut Lock| {
            self.history.put_into(lock, &self.file_history(id, said), next, written);
            lock.forms.insert(name.to_owned(), id.clone());
        };
        match &self.place {
            FormPlace::Lock(store) => {
                store.update(context, &runs::service(context).unwrap_or_default(), change)
            }
            FormPlace::State(records) => {
                let mut lock = Lock::new(self.lock.service.clone(), self.lock.user);
                let of = RecordOf::Form(id.clone());
                lock.lines
                    .extend(self.lock.lines.get(&of).map(|lines| (of.clone(), lines.clone())));
                change(&mut lock);
                if lock == *self.lock { Ok(()) } else { records.put_own(context, &of, &lock) }
            }
        }
    }
}
