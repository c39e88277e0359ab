//! Which form of the account a form file is for: the rule that `links apply` and `links pull` share.

use links_pages::account::{DesiredForm, FormPlan, FormPlanError};
use links_sdk::FormId;

use crate::apply::sync::{FormSync, LockStore};
use crate::context::prelude::*;
use links_pages::form_file::FormFile;

/// The forms of the account, and which of them are not to be found by a title.
pub(crate) struct FormFinder<'f> {
    pub(super) forms: &'f [LeadForm],
    /// Ids that the files name, that a lock has for names, and those of the forms found so far.
    taken: BTreeSet<FormId>,
}

impl<'f> FormFinder<'f> {
    pub(super) fn new(
        context: &Context,
        files: &[(PathBuf, FormFile)],
        forms: &'f [LeadForm],
    ) -> Result<Self> {
        let mut taken = BTreeSet::new();
        for (path, file) in files {
            taken.extend(file.form.id.clone());
            if let Some((_, lock)) = LockStore::read_for(context, path)? {
                taken.extend(lock.forms.values().cloned());
            }
        }
        Ok(Self { forms, taken })
    }

    /// Plans the changes of a form. `recorded` is the id that a lock has for its name.
    pub(super) fn plan(
        &mut self,
        form: &DesiredForm,
        recorded: Option<&str>,
    ) -> Result<FormPlan, FormPlanError> {
        let plan = FormPlan::new(form, self.forms, recorded, &self.taken)?;
        self.taken.extend(plan.id.clone());
        Ok(plan)
    }
}

/// Returns for each file the id of its form; `None` if there is no such form, or it is unclear which one is meant.
pub(super) fn form_ids(
    context: &Context,
    files: &[(PathBuf, FormFile)],
    forms: &[LeadForm],
) -> Result<Vec<Option<FormId>>> {
    let mut finder = FormFinder::new(context, files, forms)?;
    let id = |(path, file): &(PathBuf, FormFile)| {
        let record = FormSync::of(context, path)?;
        let recorded = record.and_then(|record| record.id(&file.form.name).cloned());
        // Other fields may be unclear although the form is not.
        let mut form = file.form.clone();
        form.fields.retain(|name, _| name == "title");
        Ok(finder.plan(&form, recorded.as_deref()).ok().and_then(|plan| plan.id))
    };
    files.iter().map(id).collect()
}
