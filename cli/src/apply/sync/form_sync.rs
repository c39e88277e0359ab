//! The record of the last sync of a form file: in the `links.lock` that governs it, else in the state directory.

use std::sync::Arc;

use links_pages::apply::{PlanOptions, SlotTypes};
use links_pages::form_file::DesiredForm;
use links_pages::sync::{FilePage, LineKey, Lock, Merge, PageBase, RecordOf};
use links_sdk::FormId;

use super::LockStore;
use super::history::{FileHistory, LockHistory};
use super::record::RecordPlace;
use crate::context::prelude::*;

/// The record of a form file.
#[derive(Debug)]
pub(crate) struct FormSync {
    place: RecordPlace,
    lock: Arc<Lock>,
    /// The path of the file, absolute and without links in its directory.
    pub(crate) path: PathBuf,
    history: Arc<LockHistory>,
}

impl FormSync {
    /// Returns the record of a form file, which may be empty; `None` if there is no place for one.
    pub(crate) fn of(context: &Context, path: &Path) -> Result<Option<Self>> {
        let Some(place) = RecordPlace::of(context, path) else { return Ok(None) };
        let Some((lock, history)) = place.read(context)? else { return Ok(None) };
        let path = place.key(path).map_or_else(|| path.to_owned(), |key| place.path_of(&key));
        Ok(Some(Self { place, lock, path, history }))
    }

    /// Returns the `links.lock` that governs the file, if there is one.
    pub(crate) fn lock(&self) -> Option<(&LockStore, &Lock)> {
        Some((self.place.lock()?, &self.lock))
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
    ) -> Result<()> {
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
    ) -> Result<()> {
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
    ) -> Result<()> {
        self.place.update(context, &self.lock, Some(RecordOf::Form(id.clone())), |lock| {
            self.history.put_into(lock, &self.file_history(id, said), next, written);
            lock.forms.insert(name.to_owned(), id.clone());
        })
    }
}
