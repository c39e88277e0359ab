//! What the record of a form file says: it is kept as that of a page file without slots.

use links_pages::apply::SlotTypes;
use links_pages::form_file::DesiredForm;
use links_pages::sync::{FilePage, LineKey, Merge, PageBase, RecordOf};
use links_sdk::FormId;

use super::SyncRecord;
use super::record::agreed;
use crate::context::prelude::*;

impl SyncRecord {
    /// Returns what was recorded of a form; `None` if there was no sync. `said` is what the file says.
    pub(crate) fn form_base(&self, id: &FormId, said: &FilePage) -> Option<PageBase> {
        let file = self.file_history(RecordOf::Form(id.clone()), said);
        let known = self.history.known(&[&self.lock], &file);
        (!known.is_empty()).then_some(known.base)
    }

    /// Records that a file and its form agree as far as a merge says, after its changes were written. `form` is the form after them.
    pub(crate) fn store_form(
        &self,
        context: &Context,
        file: &DesiredForm,
        form: &LeadForm,
        merge: &Merge,
    ) -> Result<()> {
        let (said, live) = file.compared(form).map_err(CommandError::invalid)?;
        let base = self.form_base(&form.id, &said);
        let types = SlotTypes::default();
        let next = merge.base_after(base.as_ref(), &said, &live, &[].into(), &types);
        self.put_form(context, (file, form), (&said, &next), &merge.written())
    }

    /// Records a file and its form as far as they agree. What differs counts as changed on both sides.
    pub(crate) fn rebuild_form(
        &self,
        context: &Context,
        file: &DesiredForm,
        form: &LeadForm,
    ) -> Result<()> {
        let (said, live) = file.compared(form).map_err(CommandError::invalid)?;
        let base = agreed(Merge::default(), &said, &live, &SlotTypes::default());
        self.put_form(context, (file, form), (&said, &base), &BTreeSet::new())
    }

    /// Writes the record of a form.
    pub(crate) fn put_form(
        &self,
        context: &Context,
        (file, form): (&DesiredForm, &LeadForm),
        (said, next): (&FilePage, &PageBase),
        written: &BTreeSet<LineKey>,
    ) -> Result<()> {
        let of = RecordOf::Form(form.id.clone());
        self.update(context, Some(of.clone()), |lock| {
            self.history.put_into(lock, &self.file_history(of, said), next, written);
            lock.forms.insert(file.name.clone(), form.id.clone());
        })
    }
}
